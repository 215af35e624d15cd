"""The command ``ecbench cases``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from pymodel.jobs.case_file import read_case_file
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.target import Launcher, Target


def replay_file(file: Path, subset: str | None, target: Target, json_file: Path | None,
                display: Display) -> int:
    """Replay a case file; 0 when at least one case passed and none failed, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    chosen = read_case_file(file, subset)
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
        request = JobRequest("cases", {"cases": chosen}, target.bench())
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
        display.out(f"replay: {_command(file, subset, target)}")
    if not ok and result.log is not None:
        display.out(f"log: {result.log}")
    if result.waves is not None:
        display.out(f"waves: {result.waves}")
    if json_file is not None:
        write_json(json_file, ok, rows)
    display.out(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 0 if ok else 1


def _command(file: Path, subset: str | None, target: Target) -> str:
    """The line that replays it, with waves where there are some."""
    words = ["ecbench", "cases", str(file), *(["--subset", subset] if subset else []), *target.options()]
    return shlex.join(words)
