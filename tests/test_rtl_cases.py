"""The cases on RTL: the core ones in every simulator, all of them where the simulator is fast."""

import pytest
from conftest import CASE_FILE

from pymodel.jobs import BenchSpec
from pymodel.jobs.case_file import parse_case, read_case_file
from pymodel.jobs.engines import ENGINES

LONGEST_CHAIN = {"padlock": 1 << 20, "qce": 8192}
"""Bytes of CBC encryption, in which each block is a request of its own; the model gets the longer ones."""


def failures(end):
    return [(line["name"], line["text"]) for line in end.of_kind("case") if line["verdict"] != "pass"]


def chain(values):
    case = parse_case(values)
    return len(case.data) if case.mode == "cbc" and case.encrypt else 0


@pytest.mark.parametrize("engine", ENGINES)
def test_the_cases_pass_on_rtl(run_job, sim, engine):
    cases = read_case_file(CASE_FILE, "core" if sim.name == "icarus" else None)
    cases = [case for case in cases if chain(case) <= LONGEST_CHAIN[engine]]
    end = run_job("cases", {"cases": cases}, sim, BenchSpec(engine=engine))
    assert failures(end) == []
    assert end.result["passed"] == len(cases)
