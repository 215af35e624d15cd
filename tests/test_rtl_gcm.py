"""GCM over the PadLock's driver on the RTL, in every simulator."""


def test_gcm_on_rtl_gives_known_answers_and_releases_nothing_under_a_wrong_tag(run_rtl, sim):
    run_rtl("padlock_top", "cocotb_tests.test_gcm", sim, fast=True)
