"""Many data units, many streams and messages in pieces over each engine's driver on the RTL."""

import pytest

from pymodel.jobs.engines import ENGINES, KINDS


@pytest.mark.parametrize("engine", ENGINES)
def test_many_units_and_streams_in_one_call_are_right_on_rtl(run_rtl, sim, engine):
    run_rtl(KINDS[engine].top, "cocotb_tests.test_data_units", sim, fast=True)
