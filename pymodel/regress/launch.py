"""Running a job of ``pymodel.jobs`` on the model, here, or on the RTL, in a simulator."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pymodel.jobs import JOBS, BenchSpec, Report, model_bench
from pymodel.regress import variables
from pymodel.regress.build import Build
from pymodel.regress.run import DEFAULT_LIMIT_SECONDS, Simulation, new_run_directory, simulate

JOB_MODULE = "cocotb_tests.test_job"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What to run. ``spec`` is the job's own, in values that JSON can carry. ``private``: it holds a secret,
    which stays in this process and, on RTL, in a file that only this user can read and that ends with the
    job."""

    job: str
    spec: dict[str, Any]
    bench: BenchSpec = field(default_factory=BenchSpec)
    private: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"job": self.job, "bench": self.bench.to_json(), "spec": self.spec}


@dataclass(frozen=True, slots=True)
class JobResult:
    """``result``: what the job returned, or None when it did not get that far. ``problem``: what went wrong
    besides what the job itself reported, or an empty string. ``log`` and ``waves``: on RTL only."""

    result: dict[str, Any] | None
    problem: str
    log: Path | None = None
    waves: Path | None = None


def run_on_model(request: JobRequest, report: Report) -> JobResult:
    """Run the job in this process. Whatever error it ends in is the ``problem``, as on RTL."""
    try:
        bench = model_bench(request.bench)
        result = bench.kernel.run(JOBS[request.job](bench, request.spec, report), request.job)
    except Exception as error:
        return JobResult(None, f"{type(error).__name__}: {error}")
    return JobResult(result, "")


def run_on_rtl(request: JobRequest, build: Build, report: Report, *, seed: int = 1,
               limit_seconds: float = DEFAULT_LIMIT_SECONDS, module: str = JOB_MODULE,
               import_paths: tuple[Path, ...] = ()) -> JobResult:
    """Run the job in a simulator, by the cocotb test in ``module``; its lines reach ``report`` while it runs.

    ``limit_seconds``: the simulator is killed after so long without a line.
    """
    directory = new_run_directory(f"{request.job}-{build.simulator.name}")
    job, results = directory / "job.json", directory / "results.jsonl"
    lines = _Lines(results, report)
    try:
        job.write_text(json.dumps(request.to_json()))
        simulation = simulate(build, module, seed=seed, directory=directory, limit_seconds=limit_seconds,
                              environment={variables.JOB: str(job), variables.RESULTS: str(results)},
                              import_paths=import_paths, poll=lines.read)
    finally:
        if request.private:
            job.unlink(missing_ok=True)
    return JobResult(lines.result, _problem(simulation, lines.result), simulation.log, simulation.waves)


def _problem(simulation: Simulation, result: dict[str, Any] | None) -> str:
    if simulation.failed:
        return simulation.failed[0].message
    if simulation.problem:
        return simulation.problem
    return "" if result is not None else "the simulator ended without a result"


class _Lines:
    """Follows a file of JSON lines; a line that is not complete yet waits for the next look."""

    def __init__(self, path: Path, report: Callable[[dict[str, Any]], None]) -> None:
        self._path = path
        self._report = report
        self._position = 0
        self.result: dict[str, Any] | None = None

    def read(self) -> bool:
        """Pass on the lines that have come since; whether there were any."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._position)
                fresh = file.read()
        except FileNotFoundError:
            return False
        complete = fresh[:fresh.rfind(b"\n") + 1]
        self._position += len(complete)
        for text in complete.splitlines():
            line = json.loads(text)
            if line.get("kind") == "result":
                self.result = line
            else:
                self._report(line)
        return bool(complete)
