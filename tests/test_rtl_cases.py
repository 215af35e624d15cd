"""The cases on RTL: the core ones in every simulator, all of them where the simulator is fast."""

from conftest import CASE_FILE

from pymodel.jobs.case_file import read_case_file


def failures(end):
    return [(line["name"], line["text"]) for line in end.of_kind("case") if line["verdict"] != "pass"]


def test_the_core_cases_pass_on_rtl(run_job, sim):
    cases = read_case_file(CASE_FILE, "core" if sim.name == "icarus" else None)
    end = run_job("cases", {"cases": cases}, sim)
    assert failures(end) == []
    assert end.result["passed"] == len(cases)
