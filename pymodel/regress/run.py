"""Running a cocotb module on a build: own directory, own seed, own environment, a time limit."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pymodel.memory import PAGE_BYTES
from pymodel.regress import variables
from pymodel.regress.build import Build
from pymodel.regress.process import (
    Ended,
    last_lines,
    python_command,
    python_environment,
    run_logged,
)
from pymodel.regress.results import TestOutcome, hdl_errors, read_results
from pymodel.regress.sources import build_root

DEFAULT_LIMIT_SECONDS = 900.0
IMAGE = "memory.image"
"""Name of the file that is the memory's back door, in the run's directory."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """How a simulation ended. ``problem``: what is wrong besides failed tests, or an empty string."""

    tests: tuple[TestOutcome, ...]
    directory: Path
    log: Path
    waves: Path | None
    seconds: float
    problem: str

    @property
    def failed(self) -> tuple[TestOutcome, ...]:
        return tuple(test for test in self.tests if test.status == "failed")

    @property
    def ok(self) -> bool:
        """At least one test passed, none failed, and nothing else went wrong."""
        return not self.problem and not self.failed and any(test.status == "passed" for test in self.tests)

    def report(self) -> str:
        """A few lines for a person: the failures, the log's path and its end."""
        lines = [f"{test.name} failed: {test.message}" for test in self.failed]
        lines += [self.problem] if self.problem else []
        return "\n".join([*lines, f"log: {self.log}", last_lines(self.log)])


def simulate(build: Build, module: str, *, seed: int = 1, test_filter: str | None = None,
             environment: Mapping[str, str] | None = None, directory: Path | None = None,
             limit_seconds: float = DEFAULT_LIMIT_SECONDS, import_paths: tuple[Path, ...] = (),
             poll: Callable[[], bool] | None = None, allow_hdl_errors: bool = False) -> Simulation:
    """Run the cocotb tests of ``module`` (a dotted name) on ``build``.

    ``test_filter``: a regular expression on "module.test". ``environment``: variables for the tests.
    ``directory``: where the run happens; default a new one. ``poll`` is called while it runs; the limit
    counts from its last True.
    """
    if directory is None:
        directory = new_run_directory(f"{module.rsplit('.', 1)[-1]}-{build.simulator.name}")
    directory.mkdir(parents=True, exist_ok=True)
    waves = directory / f"{build.top.name}{build.waves}" if build.waves else None
    job = directory / "simulation.json"
    job.write_text(json.dumps({
        "action": "test", "simulator": build.simulator.name,
        "arguments": _arguments(build, module, directory, seed, test_filter, environment, waves),
    }))
    log, results = directory / "simulation.log", directory / "results.xml"
    with _memory_image(directory / IMAGE, build.top.image_bytes):
        ended = run_logged(python_command("pymodel.regress.runner_process", str(job)), log=log, cwd=directory,
                           environment=python_environment(build.simulator.clean_environment(), *import_paths),
                           limit_seconds=limit_seconds, poll=poll)
    tests = read_results(results)
    problem = _problem(ended, tests, [] if allow_hdl_errors else hdl_errors(log), limit_seconds, test_filter)
    recorded = waves if waves is not None and waves.exists() else None
    return Simulation(tests, directory, log, recorded, ended.seconds, problem)


def new_run_directory(name: str) -> Path:
    """A new directory under runs/ of the build root, never shared."""
    runs = build_root() / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=re.sub(r"[^\w.-]+", "_", name) + "-", dir=runs))


def remove_old_runs(keep: int = 200) -> None:
    """Remove the oldest run directories beyond ``keep``."""
    runs = build_root() / "runs"
    if not runs.is_dir():
        return
    for path in sorted(runs.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)[keep:]:
        shutil.rmtree(path, ignore_errors=True)


def _arguments(build: Build, module: str, directory: Path, seed: int, test_filter: str | None,
               environment: Mapping[str, str] | None, waves: Path | None) -> dict[str, object]:
    test_args, plusargs, told = [], [], {"COCOTB_ANSI_OUTPUT": "0", **(environment or {})}
    if waves is not None and build.simulator.name == "verilator":
        test_args = ["--trace-file", str(waves)]
    elif waves is not None:
        plusargs.append(f"+dumpfile_path={waves}")
    if build.top.image_bytes:
        plusargs.append(f"+backdoor={directory / IMAGE}")
        told[variables.BACKDOOR] = str(directory / IMAGE)
    if build.fast:
        told[variables.OWN_CLOCK] = "1"
    arguments: dict[str, object] = {
        "test_module": module, "hdl_toplevel": build.top.name, "hdl_toplevel_lang": "verilog",
        "build_dir": str(build.directory), "test_dir": str(directory),
        "results_xml": str(directory / "results.xml"), "seed": seed, "waves": waves is not None,
        "extra_env": told, "test_args": test_args, "plusargs": plusargs,
    }
    if test_filter is not None:
        arguments["test_filter"] = test_filter
    return arguments


@contextmanager
def _memory_image(path: Path, size: int) -> Iterator[None]:
    """The file of the memory's back door, with a spare page behind it; gone at the end. ``size`` 0: none."""
    if size:
        with path.open("wb") as file:
            file.truncate(size + PAGE_BYTES)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _problem(ended: Ended, tests: tuple[TestOutcome, ...], errors: list[str], limit_seconds: float,
             test_filter: str | None) -> str:
    """What is wrong besides failed tests."""
    if ended.timed_out:
        return f"killed after {limit_seconds:.0f} seconds"
    if errors:
        return f"{len(errors)} errors reported by the HDL; the first: {errors[0]}"
    if not tests:
        return f"the simulator ended with code {ended.code} and no results" if ended.code else \
            f"no test matched '{test_filter}'" if test_filter else "no test was found"
    if ended.code and not any(test.status == "failed" for test in tests):
        return f"the simulator ended with code {ended.code}"
    return ""


def seed_from_environment(default: int = 1) -> int:
    """$ECBENCH_SEED, to replay a test with the seed it printed."""
    return int(os.environ.get("ECBENCH_SEED", default))
