"""The command ``ecbench cases``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pymodel.audit.catalogue import policy_settings
from pymodel.jobs.case_file import read_case_file
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.target import Launcher, Target


def replay_file(file: Path, subset: str | None, policy: str | None, target: Target, json_file: Path | None,
                display: Display) -> int:
    """Replay a case file; 0 when at least one case passed and none failed, else 1.

    ``policy``: of the driver or of XTS, or None for the right ones.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    chosen = read_case_file(file, subset)
    target = replace(target, cpus=cpus_for(target.engine, chosen))
    spec = replace(target.bench(), **({} if policy is None else policy_settings(target.engine, policy)))
    target.check()
    check_writable(json_file, ("FILE", file))
    rows: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "case":
            rows.append(line)
            if line["verdict"] == "fail":
                display.out(f"FAIL {line['name']}: {line['text']}")
            display.progress(f"cases on {target.label}", len(rows), len(chosen))

    with display:
        launcher = Launcher(target, display)
        request = JobRequest("cases", {"cases": chosen}, spec)
        result = launcher.run(request, report)
    for case in chosen[len(rows):]:
        report({"kind": "case", "name": case["name"], "mode": case["mode"], "verdict": "fail",
                "text": f"not run: {result.problem}"})
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("pass", "fail", "skip")}
    ok = bool(counts["pass"]) and not counts["fail"] and not result.problem
    if result.problem and not counts["fail"]:
        display.out(f"FAIL {result.problem}")
    if counts["skip"] == len(rows):
        display.out(f"FAIL nothing was run: {rows[0]['text']}")
    elif not ok:
        display.out(f"replay: {_command(file, subset, policy, target)}")
    if not ok and result.log is not None:
        display.out(f"log: {result.log}")
    if result.waves is not None:
        display.out(f"waves: {result.waves}")
    if json_file is not None:
        write_json(json_file, ok, rows)
    display.out(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 0 if ok else 1


def cpus_for(engine: str, cases: Sequence[Mapping[str, Any]]) -> int:
    """How many CPUs a bench needs for these cases: two when one of them moves from one to the other."""
    moves = any(step.get("op") == "move" for case in cases for step in case.get("steps", []))
    return 2 if moves and engine == "padlock" else 1


def _command(file: Path, subset: str | None, policy: str | None, target: Target) -> str:
    """The line that replays it, with waves where there are some."""
    words = ["ecbench", "cases", str(file), *(["--subset", subset] if subset else []),
             *(["--policy", policy] if policy else []), *target.options()]
    return shlex.join(words)
