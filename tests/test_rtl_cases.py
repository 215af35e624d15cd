"""The 576 cases on RTL: all of them where that is quick, elsewhere a third, and every night the rest."""

import pytest
from conftest import CASE_FILE
from seeded import seeded

from pymodel.jobs import BenchSpec
from pymodel.jobs.case_file import parse_case, read_case_file
from pymodel.jobs.engines import ENGINES

ALL = read_case_file(CASE_FILE)


def chained_bytes(values):
    """Of CBC encryption, in which each block is a request of its own: what a case costs."""
    case = parse_case(values)
    return len(case.data) if case.mode == "cbc" and case.encrypt else 0


LONGEST_CHAIN = 8192
"""Bytes. Four cases are longer, each of which takes as long as all others."""


def a_third():
    """One of each three cases that cost alike, but for the longest chains."""
    rng = seeded("a third of the cases")
    alike = sorted((case for case in ALL if chained_bytes(case) <= LONGEST_CHAIN), key=chained_bytes)
    return [rng.choice(alike[start:start + 3]) for start in range(0, len(alike), 3)]


def replay(run_job, sim, engine, cases):
    end = run_job("cases", {"cases": cases}, sim, BenchSpec(engine=engine))
    wrong = [(line["name"], line["text"]) for line in end.of_kind("case") if line["verdict"] != "pass"]
    assert wrong == []
    assert end.result["passed"] == len(cases)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_cases_pass_on_rtl(run_job, sim, engine):
    replay(run_job, sim, engine, ALL if sim.name == "verilator" else a_third())


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
def test_all_cases_pass_on_rtl(run_job, sim, engine):
    """In Icarus the QCE takes more than four minutes, most of them for CBC: each block is a request."""
    replay(run_job, sim, engine, ALL)
