"""The command ``ecbench run``."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.jobs.ciphers import ALL_MODES, KEY_BYTES, check_strategy
from pymodel.jobs.file_requests import FILE_KEY_BYTES, check_file, file_label
from pymodel.jobs.run import SHOWN_FAILURES
from pymodel.modes.xts import STRATEGIES
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, JobResult
from pymodel.regress.sources import hdl_root
from pymodel.regress.target import Launcher, Target, readable

COLUMNS = {
    "engine": "engine", "simulator": "simulator", "mode": "mode", "key_bits": "key bits", "work": "work",
    "requests": "requests", "blocks": "blocks", "hardware_blocks": "hardware blocks",
    "software_blocks": "software blocks", "engine_cycles": "engine cycles",
    "cycles_per_block": "cycles/block", "blocks_per_second": "blocks/s", "verdict": "verdict",
}


RANDOM_REQUESTS = 100
"""For each mode and key size, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``ecbench run``. ``targets``: one for each engine. ``file``: None for a file of ecbench's own.
    ``strategy``: of XTS."""

    targets: tuple[Target, ...]
    modes: tuple[str, ...]
    seed: int
    requests: int
    file: Path | None
    strategy: str
    json: Path | None

    def command(self, target: Target, mode: str) -> str:
        """The line that replays the run of one mode, with waves where there are some."""
        words = ["ecbench", "run", *target.options(), "--mode", mode, "--seed", str(self.seed),
                 "--requests", str(self.requests)]
        if self.file is not None:
            words += ["--file", str(self.file)]
        if self.strategy != STRATEGIES[0]:
            words += ["--strategy", self.strategy]
        return shlex.join(words)


def run_requests(options: RunOptions, display: Display) -> int:
    """Run known answers, random requests and a file on each target; 0 when every verdict is pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    for mode in options.modes:
        if mode not in ALL_MODES:
            raise InvalidRequest(f"unknown mode '{mode}': choose one of {', '.join(ALL_MODES)}")
    check_strategy(options.strategy)
    if options.strategy != STRATEGIES[0] and "xts" not in options.modes:
        raise InvalidRequest(f"--strategy is for xts, not for {', '.join(options.modes)}")
    file = readable(options.file or hdl_root() / "aes" / "aes_ecb.v")
    for mode in options.modes:
        check_file(file, mode)
    for target in options.targets:
        target.check()
    check_writable(options.json, ("--file", file))
    with display:
        launchers = [(target, Launcher(target, display)) for target in options.targets]
        outcomes = [_run_mode(options, target, mode, file, launcher, display)
                    for target, launcher in launchers for mode in options.modes]
    rows = [row for outcome in outcomes for row in outcome.rows]
    display.table(COLUMNS, [row if row["engine_cycles"] else {**row, "cycles_per_block": None}
                            for row in rows])
    for outcome in outcomes:
        outcome.show(display)
    ok = all(row["verdict"] == "pass" for row in rows)
    if options.json is not None:
        write_json(options.json, ok, rows)
    return 0 if ok else 1


@dataclass(slots=True)
class _ModeOutcome:
    """``name``: of engine and mode. ``failures``: a line each, and one for those of a row that are only
    counted."""

    name: str
    rows: list[dict[str, Any]]
    failures: list[str]
    result: JobResult
    replay: str

    def show(self, display: Display) -> None:
        for failure in self.failures:
            display.out(failure)
        if self.result.problem:
            display.out(f"FAIL {self.name}: {self.result.problem}")
        if any(row["verdict"] != "pass" for row in self.rows):
            display.out(f"replay: {self.replay}")
        for name, path in (("log", self.result.log), ("waves", self.result.waves)):
            if path is not None:
                display.out(f"{name} {self.name}: {path}")


def _run_mode(options: RunOptions, target: Target, mode: str, file: Path, launcher: Launcher,
              display: Display) -> _ModeOutcome:
    engine = target.engine
    rows: list[dict[str, Any]] = []
    failures: list[str] = []

    def report(line: dict[str, Any]) -> None:
        kind = line.pop("kind")
        if kind == "progress":
            display.progress(f"{engine} {mode} on {target.label}", line["done"], line["total"])
        elif kind == "row":
            rows.append({**line, "simulator": target.label})
            if line["failures"] > SHOWN_FAILURES:
                failures.append(f"and {line['failures'] - SHOWN_FAILURES} more in {engine} "
                                f"{mode}-{line['key_bits']}, {line['work']}")
        elif kind == "failure":
            name = line["request"] or f"{mode}-{line['key_bits']}"
            failures.append(f"FAIL {engine} {name}: {line['text']}")

    spec = {"mode": mode, "seed": options.seed, "requests": options.requests, "file": str(file)}
    request = JobRequest("run", spec, replace(target.bench(), strategy=options.strategy))
    result = launcher.run(request, report, options.seed)
    planned = [*((size, "requests") for size in KEY_BYTES[mode]),
               (FILE_KEY_BYTES[mode], file_label(file, mode))]
    if result.problem and len(rows) < len(planned):
        size, work = planned[len(rows)]
        rows.append({**dict.fromkeys(COLUMNS, 0), "engine": engine, "mode": mode,
                     "simulator": target.label, "key_bits": 8 * size, "work": work,
                     "verdict": "fail", "failures": 1})
    elif result.problem:
        rows[-1]["verdict"] = "fail"
    return _ModeOutcome(f"{engine} {mode}", rows, failures, result, options.command(target, mode))
