"""The QCE against its transaction-level model, in every simulator and for every STAGES."""

import pytest

from pymodel.regress.config import known_top

MODULE = "cocotb_tests.test_qce_same_as_model"
REGISTER_BUS = "cocotb_tests.test_qce_register_bus"
EVERY_EDGE = "cocotb_tests.test_qce_every_edge"


def test_the_qce_is_its_model_in_data_registers_interrupt_and_cycles(run_rtl, sim):
    run_rtl("qce_top", MODULE, sim)


def test_every_access_to_its_registers_is_as_in_the_model(run_rtl, sim):
    run_rtl("qce_top", REGISTER_BUS, sim)


def test_whatever_meets_a_request_at_any_of_its_edges_it_is_its_model(run_rtl, sim):
    """In the build for speed: there are thousands of requests."""
    run_rtl(known_top("qce_top"), EVERY_EDGE, sim, fast=True)


@pytest.mark.parametrize("stages", [2, 14])
def test_with_more_blocks_in_flight_it_is_its_model_too(run_rtl, sim, stages):
    """In the build for speed, and with fewer random requests."""
    run_rtl(known_top("qce_top").with_parameters(STAGES=stages), MODULE, sim, fast=True,
            environment={"ECBENCH_STAGES": str(stages), "ECBENCH_EFFORT": "0.2"})
