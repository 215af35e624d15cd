"""The command ``ecbench quirks``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.target import Launcher, Target

COLUMNS = {"bit": "bit", "name": "name", "engine": "engine", "naive": "naive driver", "right": "right driver",
           "off": "naive driver, strap off", "verdict": "verdict"}


def show_quirks(target: Target, json_file: Path | None, display: Display) -> int:
    """Show every quirk three ways; 0 when each is as the catalogue says, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    target.check()
    check_writable(json_file)
    rows: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append({**line, "verdict": "pass" if line["ok"] else "fail"})

    request = JobRequest("quirks", {}, target.bench())
    with display:
        result = Launcher(target, display).run(request, report)
    display.table(COLUMNS, rows)
    ok = bool(result.result and result.result["ok"]) and not result.problem
    for problem in [result.problem, *(result.result or {}).get("problems", [])]:
        if problem:
            display.out(f"FAIL {problem}")
    if result.log is not None:
        display.out(f"log:    {result.log}")
    if result.waves is not None:
        display.out(f"waves:  {result.waves}")
    if json_file is not None:
        write_json(json_file, ok, rows)
    return 0 if ok else 1
