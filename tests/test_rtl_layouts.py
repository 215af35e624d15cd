"""Requests in pieces through every mode and engine on the RTL: testmgr's layouts, and random ones."""

import pytest

from pymodel.jobs import BenchSpec
from pymodel.jobs.ciphers import ALL_MODES
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.piece_layouts import FIXED
from pymodel.regress.run import seed_from_environment

RANDOM_LAYOUTS = {"verilator": 40, "icarus": 8}
"""Of each mode. The models get 800, and so does the RTL every night."""


def replay(run_job, sim, engine, count):
    end = run_job("layouts", {"modes": ALL_MODES, "fixed": True, "random": count,
                              "seed": seed_from_environment()}, sim, BenchSpec(engine=engine))
    end.assert_passed()
    assert end.result["requests"] == len(ALL_MODES) * (len(FIXED) * 5 * 2 + count)
    assert end.result["hardware_blocks"] > 1000


@pytest.mark.parametrize("engine", ENGINES)
def test_requests_in_pieces_are_right_on_rtl_and_touch_nothing_else(run_job, sim, engine):
    replay(run_job, sim, engine, RANDOM_LAYOUTS[sim.name])


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
def test_800_layouts_of_each_mode_are_right_on_rtl(run_job, sim, engine):
    replay(run_job, sim, engine, 800)
