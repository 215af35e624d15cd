"""The 576 cases on RTL: all of them where that is quick, elsewhere a third, and every night the rest."""

import random

import pytest
from conftest import CASE_FILE

from pymodel.jobs import BenchSpec
from pymodel.jobs.case_file import read_case_file
from pymodel.jobs.engines import ENGINES
from pymodel.regress.run import seed_from_environment

ALL = read_case_file(CASE_FILE)


def a_third(seed):
    """The core cases, and others up to a third of all."""
    core = read_case_file(CASE_FILE, "core")
    others = [case for case in ALL if case not in core]
    return core + random.Random(seed).sample(others, len(ALL) // 3 - len(core))


def replay(run_job, sim, engine, cases):
    end = run_job("cases", {"cases": cases}, sim, BenchSpec(engine=engine))
    wrong = [(line["name"], line["text"]) for line in end.of_kind("case") if line["verdict"] != "pass"]
    assert wrong == []
    assert end.result["passed"] == len(cases)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_cases_pass_on_rtl(run_job, sim, engine):
    seed = seed_from_environment()
    print(f"ECBENCH_SEED={seed}")
    replay(run_job, sim, engine, ALL if sim.name == "verilator" else a_third(seed))


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
def test_all_cases_pass_on_rtl(run_job, sim, engine):
    """In Icarus the QCE takes more than four minutes, most of them for CBC: each block is a request."""
    replay(run_job, sim, engine, ALL)
