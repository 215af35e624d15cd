"""The commands ``ecbench run`` and ``ecbench cases``, without their options' parsing."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.bench import ENGINES
from pymodel.jobs.case_file import read_case_file
from pymodel.jobs.ciphers import KEY_BYTES, MODES
from pymodel.jobs.file_requests import FILE_KEY_BYTES
from pymodel.regress import simulators
from pymodel.regress.build import Build, build
from pymodel.regress.config import known_top
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, JobResult, run_on_model, run_on_rtl
from pymodel.regress.run import remove_old_runs
from pymodel.regress.sources import hdl_root

TOP = {"padlock": "padlock_top"}
"""Engine to the top it is simulated in."""

COLUMNS = {
    "engine": "engine", "simulator": "simulator", "mode": "mode", "key_bits": "key bits", "work": "work",
    "requests": "requests", "blocks": "blocks", "hardware_blocks": "hardware blocks",
    "engine_cycles": "engine cycles", "cycles_per_block": "cycles/block",
    "blocks_per_second": "blocks/s", "verdict": "verdict",
}


@dataclass(frozen=True, slots=True)
class Where:
    """What to run on: ``on`` is ``model`` or ``rtl``; ``sim`` matters on RTL only."""

    engine: str
    on: str
    sim: str
    waves: bool = False

    def check(self) -> None:
        """Raises InvalidRequest or SimulatorError, before anything is built."""
        if self.engine not in ENGINES:
            raise InvalidRequest(f"unknown engine '{self.engine}': choose one of {', '.join(ENGINES)}")
        if self.on not in ("model", "rtl"):
            raise InvalidRequest(f"cannot run on '{self.on}': choose model or rtl")
        if self.on == "rtl":
            simulators.find(self.sim)
        elif self.sim not in simulators.NAMES:
            raise simulators.unknown(self.sim)
        if self.waves and self.on == "model":
            raise InvalidRequest("the model has no waves: use --on rtl")

    @property
    def label(self) -> str:
        return "model" if self.on == "model" else self.sim


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``ecbench run``. ``file``: None for a file of ecbench's own."""

    where: Where
    modes: tuple[str, ...]
    seed: int
    requests: int
    file: Path | None
    json: Path | None

    def command(self, mode: str) -> str:
        """The line that replays the run of one mode, with waves where there are some."""
        words = ["ecbench", "run", "--engine", self.where.engine, "--mode", mode, "--seed", str(self.seed),
                 "--requests", str(self.requests), "--on", self.where.on]
        if self.where.on == "rtl":
            words += ["--sim", self.where.sim, "--waves"]
        if self.file is not None:
            words += ["--file", str(self.file)]
        return shlex.join(words)


def run(options: RunOptions, display: Display) -> int:
    """Run known answers, random requests and a file; 0 when every verdict is pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    for mode in options.modes:
        if mode not in MODES:
            raise InvalidRequest(f"unknown mode '{mode}': choose one of {', '.join(MODES)}")
    file = _readable(options.file or hdl_root() / "aes" / "aes_ecb.v")
    options.where.check()
    check_writable(options.json)
    with display:
        launcher = _Launcher(options.where, display)
        outcomes = [_run_mode(options, mode, file, launcher, display) for mode in options.modes]
    rows = [row for outcome in outcomes for row in outcome.rows]
    display.table(COLUMNS, rows)
    for outcome in outcomes:
        outcome.show(display)
    ok = all(row["verdict"] == "pass" for row in rows)
    if options.json is not None:
        write_json(options.json, ok, rows)
    return 0 if ok else 1


@dataclass(slots=True)
class _ModeOutcome:
    rows: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    result: JobResult
    replay: str

    def show(self, display: Display) -> None:
        for failure in self.failures:
            name = failure["request"] or f"{failure['mode']}-{failure['key_bits']}"
            display.out(f"FAIL {name}: {failure['text']}")
        if self.result.problem:
            display.out(f"FAIL {self.rows[-1]['mode']}: {self.result.problem}")
        if any(row["verdict"] != "pass" for row in self.rows):
            display.out(f"replay: {self.replay}")
        if self.result.log is not None:
            display.out(f"log:    {self.result.log}")
        if self.result.waves is not None:
            display.out(f"waves:  {self.result.waves}")


def _run_mode(options: RunOptions, mode: str, file: Path, launcher: _Launcher,
              display: Display) -> _ModeOutcome:
    rows: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        kind = line.pop("kind")
        if kind == "progress":
            display.progress(f"{mode} on {options.where.label}", line["done"], line["total"])
        elif kind == "row":
            rows.append({**line, "simulator": options.where.label})
        elif kind == "failure":
            failures.append(line)

    spec = {"mode": mode, "seed": options.seed, "requests": options.requests, "file": str(file)}
    request = JobRequest("run", spec, BenchSpec(engine=options.where.engine))
    result = launcher.run(request, options.seed, report)
    sizes = [*KEY_BYTES[mode], *([FILE_KEY_BYTES[mode]] if mode in FILE_KEY_BYTES else [])]
    if result.problem and len(rows) < len(sizes):
        rows.append({**dict.fromkeys(COLUMNS, 0), "engine": options.where.engine, "mode": mode,
                     "simulator": options.where.label, "key_bits": 8 * sizes[len(rows)], "work": "requests",
                     "verdict": "fail"})
    elif result.problem and rows:
        rows[-1]["verdict"] = "fail"
    return _ModeOutcome(rows, failures, result, options.command(mode))


def cases(file: Path, subset: str | None, where: Where, json_file: Path | None, display: Display) -> int:
    """Replay a case file; 0 when no case failed, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    chosen = read_case_file(file, subset)
    where.check()
    check_writable(json_file)
    rows: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "case":
            rows.append(line)
            if line["verdict"] == "fail":
                display.out(f"FAIL {line['name']}: {line['text']}")
            display.progress(f"cases on {where.label}", len(rows), len(chosen))

    with display:
        launcher = _Launcher(where, display)
        request = JobRequest("cases", {"cases": chosen}, BenchSpec(engine=where.engine))
        result = launcher.run(request, 1, report)
    for case in chosen[len(rows):]:
        report({"kind": "case", "name": case["name"], "mode": case["mode"], "verdict": "fail",
                "text": f"not run: {result.problem}"})
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("pass", "fail", "skip")}
    ok = not counts["fail"] and not result.problem
    if not ok and result.log is not None:
        display.out(f"log: {result.log}")
    if result.problem and not counts["fail"]:
        display.out(f"FAIL {result.problem}")
    if json_file is not None:
        write_json(json_file, ok, rows)
    display.out(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 0 if ok else 1


class _Launcher:
    """Runs jobs where they are wanted; builds first, once."""

    def __init__(self, where: Where, display: Display) -> None:
        self._build: Build | None = None
        if where.on == "rtl":
            simulator = simulators.find(where.sim)
            self._build = build(known_top(TOP[where.engine]), simulator, waves=where.waves,
                                announce=display.waiting)
            if self._build.seconds:
                display.say(f"built in {self._build.seconds:.1f} s")
            remove_old_runs()

    def run(self, request: JobRequest, seed: int, report: Callable[[dict[str, Any]], None]) -> JobResult:
        if self._build is None:
            return run_on_model(request, report)
        return run_on_rtl(request, self._build, report, seed=seed)


def _readable(path: Path) -> Path:
    """The absolute path of a file that can be read and is not empty. Raises InvalidRequest."""
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise InvalidRequest(f"{path} is empty")
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    return path.resolve()
