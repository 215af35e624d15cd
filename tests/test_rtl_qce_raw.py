"""The QCE by its ports alone, in every simulator."""

import pytest

from pymodel.regress.config import known_top

MODULES = ("test_qce_raw", "test_qce_raw_access", "test_qce_raw_lock", "test_qce_raw_ends",
           "test_qce_raw_hangs")


@pytest.mark.parametrize("module", MODULES)
def test_the_qce_does_what_its_ports_promise(run_rtl, sim, module):
    run_rtl("qce_top", f"cocotb_tests.{module}", sim)


@pytest.mark.parametrize("stages", [2, 14])
def test_with_more_blocks_in_flight_it_does_so_too(run_rtl, sim, stages):
    """In the build for speed, where there is one."""
    run_rtl(known_top("qce_top").with_parameters(STAGES=stages), "cocotb_tests.test_qce_raw", sim, fast=True,
            environment={"ECBENCH_STAGES": str(stages)})
