"""Runs: how each way in which a simulation can end is told."""

import os
import time
from pathlib import Path

import pytest

from pymodel.jobs import BenchSpec
from pymodel.regress.build import build
from pymodel.regress.config import Top
from pymodel.regress.launch import JobRequest, run_on_model, run_on_rtl
from pymodel.regress.results import hdl_errors, read_results
from pymodel.regress.run import simulate

RTL = Path(__file__).parent / "rtl"
COUNTER = Top("counter", ("counter.v",), root=RTL)


@pytest.fixture
def counter(sim, tmp_path):
    """A function that runs one of the counter's tests."""
    made = build(COUNTER, sim)

    def run(test, **options):
        options.setdefault("directory", tmp_path / "run")
        return simulate(made, "counter_tests", test_filter=rf"\.{test}$", import_paths=(RTL,), **options)

    return run


def test_a_passing_test_passes(counter):
    ended = counter("counts")
    assert ended.ok
    assert [(test.name, test.status) for test in ended.tests] == [("counter_tests.counts", "passed")]


def test_a_failing_test_fails_with_its_message(counter):
    ended = counter("fails")
    assert not ended.ok
    assert "this test always fails" in ended.failed[0].message
    assert "counter_tests.fails failed: this test always fails" in ended.report()
    assert str(ended.log) in ended.report()


def test_no_matching_test_is_a_failure(counter):
    ended = counter("no_such_test")
    assert not ended.ok
    assert ended.problem == r"no test matched '\.no_such_test$'"


def test_an_error_of_the_hdl_is_a_failure(counter):
    ended = counter("complains")
    assert not ended.ok
    assert "reported by the HDL" in ended.problem
    assert "told to complain" in ended.problem


def test_a_simulator_that_dies_is_a_failure(counter):
    ended = counter("dies")
    assert not ended.ok
    assert ended.problem


def _processes_in(directory):
    """Processes whose command line names the directory of a run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                if str(directory).encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
    return found


def test_a_hanging_simulation_is_killed_with_all_its_processes(counter, tmp_path):
    began = time.monotonic()
    ended = counter("hangs", limit_seconds=3)
    assert ended.problem == "killed after 3 seconds"
    assert not ended.ok
    assert time.monotonic() - began < 20
    assert not _processes_in(tmp_path / "run")


def test_an_interrupt_leaves_no_process_behind(counter, tmp_path):
    def interrupted():
        if _processes_in(tmp_path / "run"):
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        counter("hangs", poll=interrupted)
    assert not _processes_in(tmp_path / "run")


def test_seed_and_variables_are_the_run_s_own_whatever_the_caller_s_environment_says(counter, monkeypatch):
    monkeypatch.setenv("COCOTB_RANDOM_SEED", "99")
    monkeypatch.setenv("ECBENCH_WORD", "caller")
    monkeypatch.setenv("ECBENCH_SMUGGLED", "contraband")
    monkeypatch.setenv("COCOTB_TEST_FILTER", "fails")
    ended = counter("tells_its_environment", seed=7, environment={"ECBENCH_WORD": "run"})
    assert ended.ok
    log = ended.log.read_text()
    assert "Seeding Python random module with 7" in log
    assert "variable run" in log
    assert "width 8 smuggled None" in log


def test_every_run_has_a_directory_of_its_own(counter, tmp_path, monkeypatch):
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path))
    first, second = (counter("counts", directory=None).directory for _ in range(2))
    assert first != second
    assert first.parent == tmp_path / "runs"


def test_waves_are_recorded_when_asked_for(sim, tmp_path):
    made = build(COUNTER, sim, waves=True)
    ended = simulate(made, "counter_tests", test_filter="counts", import_paths=(RTL,), directory=tmp_path)
    assert ended.ok
    assert ended.waves is not None
    assert ended.waves.name == f"counter{made.waves}"
    assert ended.waves.stat().st_size > 100


def test_a_job_whose_simulator_dies_reports_what_it_knew(sim, tmp_path, monkeypatch):
    lines = []
    request = JobRequest("run", {}, BenchSpec())
    made = build(COUNTER, sim)
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path))
    ended = run_on_rtl(request, made, lines.append, module="dying_job", import_paths=(RTL,))
    assert [line["done"] for line in lines] == [1, 2]
    assert ended.result is None
    assert ended.problem
    assert ended.log is not None


def test_an_error_of_a_job_on_the_model_is_told():
    ended = run_on_model(JobRequest("cases", {"cases": [{"name": "no mode"}]}), print)
    assert ended.result is None
    assert ended.problem == "InvalidRequest: 'no mode' has no 'mode'"


def test_broken_result_files_hold_no_tests(tmp_path):
    (tmp_path / "results.xml").write_text("<testsuites><testsuite")
    assert read_results(tmp_path / "results.xml") == ()
    assert read_results(tmp_path / "missing.xml") == ()
    assert hdl_errors(tmp_path / "missing.log") == []
