"""Both engines with the AXI endpoints of another project, in every simulator."""

import pytest


@pytest.mark.parametrize("engine", ["padlock"])
def test_the_bare_engine_is_right_on_a_foreign_bus(run_rtl, sim, engine):
    run_rtl(engine, f"cocotb_tests.test_foreign_{engine}", sim)
