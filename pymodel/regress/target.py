"""What a command runs on: an engine, as the model or as RTL in a simulator; and the launching of its jobs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pymodel.engines.padlock import STAGES
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec, Report
from pymodel.jobs.engines import ENGINES, KINDS
from pymodel.regress import simulators
from pymodel.regress.build import Build, build
from pymodel.regress.config import known_top
from pymodel.regress.display import Display
from pymodel.regress.launch import JobRequest, JobResult, run_on_model, run_on_rtl
from pymodel.regress.run import remove_old_runs


@dataclass(frozen=True, slots=True)
class Target:
    """What to run on: ``on`` is ``model`` or ``rtl``; ``sim``: on RTL, empty for the usual simulator."""

    engine: str
    on: str
    sim: str = ""
    waves: bool = False
    stages: int = 1
    """Blocks in flight in the core."""
    cpus: int = 1
    """Of the PadLock: each with an engine."""

    def check(self) -> None:
        """Raises InvalidRequest or SimulatorError, before anything is built."""
        if self.engine not in ENGINES:
            raise InvalidRequest(f"unknown engine '{self.engine}': choose one of {', '.join(ENGINES)}")
        if self.on not in ("model", "rtl"):
            raise InvalidRequest(f"cannot run on '{self.on}': choose model or rtl")
        if self.on == "rtl":
            simulators.find(self.simulator)
        elif self.sim and self.sim not in simulators.NAMES:
            raise simulators.unknown(self.sim)
        elif self.sim:
            raise InvalidRequest("the model needs no simulator: use --on rtl, or leave --sim out")
        if self.stages not in STAGES:
            raise InvalidRequest(f"no core with {self.stages} stages: choose 1, 2 or 14")
        if self.waves and self.on == "model":
            raise InvalidRequest("the model has no waves: use --on rtl")

    def bench(self) -> BenchSpec:
        """The bench of this target, otherwise as usual."""
        return BenchSpec(engine=self.engine, stages=self.stages, cpus=self.cpus)

    @property
    def label(self) -> str:
        return "model" if self.on == "model" else self.simulator

    @property
    def simulator(self) -> str:
        """The name of the one on RTL."""
        return self.sim or simulators.NAMES[0]

    def options(self) -> list[str]:
        """The words of a command line that asks for it, with waves where there are some."""
        words = ["--engine", self.engine, "--stages", str(self.stages), "--on", self.on]
        return [*words, "--sim", self.simulator, "--waves"] if self.on == "rtl" else words


class Launcher:
    """Runs jobs where they are wanted; builds first, once."""

    def __init__(self, target: Target, display: Display) -> None:
        self._build: Build | None = None
        if target.on == "rtl":
            simulator = simulators.find(target.simulator)
            top = known_top(KINDS[target.engine].top).with_parameters(STAGES=target.stages)
            if target.cpus > 1:
                top = top.with_parameters(CPUS=target.cpus)
            self._build = build(top, simulator, waves=target.waves, fast=True,
                                announce=display.waiting)
            if self._build.seconds:
                display.say(f"built in {self._build.seconds:.1f} s")
            remove_old_runs()

    def run(self, request: JobRequest, report: Report, seed: int = 1) -> JobResult:
        if self._build is None:
            return run_on_model(request, report)
        return run_on_rtl(request, self._build, report, seed=seed)


def readable(path: Path) -> Path:
    """The absolute path of a file that can be read and is not empty. Raises InvalidRequest."""
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise InvalidRequest(f"{path} is empty")
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    return path.resolve()


def regular(path: Path) -> Path:
    """The same for a regular file only: no pipe, no device. Raises InvalidRequest."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InvalidRequest(f"{path} is not a regular file")
    return readable(path)
