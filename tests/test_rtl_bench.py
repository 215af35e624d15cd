"""The bench in a simulator: scheduler, byte order, faults, and the same stamps as on the model."""

import pytest

MODULES = ("test_cosim_kernel", "test_byte_order", "test_padlock_faults", "test_same_stamps")


@pytest.mark.parametrize("module", MODULES)
def test_bench_module_passes(run_rtl, sim, module):
    run_rtl("padlock_top", f"cocotb_tests.{module}", sim)
