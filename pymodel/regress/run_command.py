"""The command ``ecbench run``."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.ciphers import KEY_BYTES, MODES
from pymodel.jobs.file_requests import FILE_KEY_BYTES
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, JobResult
from pymodel.regress.sources import hdl_root
from pymodel.regress.target import Launcher, Target, readable

COLUMNS = {
    "engine": "engine", "simulator": "simulator", "mode": "mode", "key_bits": "key bits", "work": "work",
    "requests": "requests", "blocks": "blocks", "hardware_blocks": "hardware blocks",
    "engine_cycles": "engine cycles", "cycles_per_block": "cycles/block",
    "blocks_per_second": "blocks/s", "verdict": "verdict",
}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``ecbench run``. ``file``: None for a file of ecbench's own."""

    target: Target
    modes: tuple[str, ...]
    seed: int
    requests: int
    file: Path | None
    json: Path | None

    def command(self, mode: str) -> str:
        """The line that replays the run of one mode, with waves where there are some."""
        words = ["ecbench", "run", "--engine", self.target.engine, "--mode", mode, "--seed", str(self.seed),
                 "--requests", str(self.requests), "--on", self.target.on]
        if self.target.on == "rtl":
            words += ["--sim", self.target.sim, "--waves"]
        if self.file is not None:
            words += ["--file", str(self.file)]
        return shlex.join(words)


def run_requests(options: RunOptions, display: Display) -> int:
    """Run known answers, random requests and a file; 0 when every verdict is pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    for mode in options.modes:
        if mode not in MODES:
            raise InvalidRequest(f"unknown mode '{mode}': choose one of {', '.join(MODES)}")
    file = readable(options.file or hdl_root() / "aes" / "aes_ecb.v")
    options.target.check()
    check_writable(options.json)
    with display:
        launcher = Launcher(options.target, display)
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


def _run_mode(options: RunOptions, mode: str, file: Path, launcher: Launcher,
              display: Display) -> _ModeOutcome:
    rows: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        kind = line.pop("kind")
        if kind == "progress":
            display.progress(f"{mode} on {options.target.label}", line["done"], line["total"])
        elif kind == "row":
            rows.append({**line, "simulator": options.target.label})
        elif kind == "failure":
            failures.append(line)

    spec = {"mode": mode, "seed": options.seed, "requests": options.requests, "file": str(file)}
    request = JobRequest("run", spec, BenchSpec(engine=options.target.engine))
    result = launcher.run(request, report, options.seed)
    sizes = [*KEY_BYTES[mode], *([FILE_KEY_BYTES[mode]] if mode in FILE_KEY_BYTES else [])]
    if result.problem and len(rows) < len(sizes):
        rows.append({**dict.fromkeys(COLUMNS, 0), "engine": options.target.engine, "mode": mode,
                     "simulator": options.target.label, "key_bits": 8 * sizes[len(rows)], "work": "requests",
                     "verdict": "fail"})
    elif result.problem and rows:
        rows[-1]["verdict"] = "fail"
    return _ModeOutcome(rows, failures, result, options.command(mode))
