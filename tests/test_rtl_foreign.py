"""Both engines with the AXI endpoints of another project, in every simulator."""

import pytest


@pytest.mark.parametrize("module", ["padlock", "qce", "qce_ends", "qce_registers", "qce_lock"])
def test_the_bare_engine_is_right_on_a_foreign_bus(run_rtl, sim, module):
    run_rtl(module.partition("_")[0], f"cocotb_tests.test_foreign_{module}", sim)
