"""The PadLock engine against its transaction-level model, in every simulator and for every STAGES."""

import pytest

from pymodel.regress.config import known_top

MODULE = "cocotb_tests.test_padlock_engine"
LIMITS = "cocotb_tests.test_padlock_limits"
LONGEST = {"verilator": 65_538, "icarus": 600}
"""Blocks of the longest request: where the simulator is fast, more than 16 bits can count."""


def test_the_padlock_engine_is_its_model_in_data_status_and_cycles(run_rtl, sim):
    run_rtl("padlock_top", MODULE, sim)


@pytest.mark.parametrize("stages", [2, 14])
def test_with_more_blocks_in_flight_it_is_its_model_too(run_rtl, sim, stages):
    """In the build for speed, and with fewer random requests."""
    run_rtl(known_top("padlock_top").with_parameters(STAGES=stages), MODULE, sim, fast=True,
            environment={"ECBENCH_STAGES": str(stages), "ECBENCH_EFFORT": "0.2"})


def test_at_the_ends_of_its_operands_and_straps_it_is_its_model(run_rtl, sim):
    """In the build for speed with the most blocks in flight, which needs the fewest cycles."""
    run_rtl(known_top("padlock_top").with_parameters(STAGES=14), LIMITS, sim, fast=True,
            environment={"ECBENCH_STAGES": "14", "ECBENCH_LONGEST": str(LONGEST[sim.name])})
