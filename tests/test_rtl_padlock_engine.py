"""The PadLock engine against its transaction-level model, in every simulator."""


def test_the_padlock_engine_is_its_model_in_data_status_and_cycles(run_rtl, sim):
    run_rtl("padlock_top", "cocotb_tests.test_padlock_engine", sim)
