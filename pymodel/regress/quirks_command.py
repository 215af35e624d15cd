"""The command ``ecbench quirks``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.target import Launcher, Target

COLUMNS = {"bit": "bit", "name": "name", "engine": "engine", "naive": "naive driver", "right": "right driver",
           "off": "naive driver, strap off", "verdict": "verdict"}


def show_quirks(targets: tuple[Target, ...], json_file: Path | None, display: Display) -> int:
    """Show every quirk of each target's engine three ways; 0 when each is as the catalogue says, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    for target in targets:
        target.check()
    check_writable(json_file)
    rows: list[dict[str, Any]] = []
    with display:
        launchers = [(target, Launcher(target, display)) for target in targets]
        said = [line for target, launcher in launchers for line in _demonstrate(target, launcher, rows)]
    display.table(COLUMNS, rows)
    for line in said:
        display.out(line)
    ok = all(row["ok"] for row in rows) and not any(line.startswith("FAIL") for line in said)
    if json_file is not None:
        write_json(json_file, ok, rows)
    return 0 if ok else 1


def _demonstrate(target: Target, launcher: Launcher, rows: list[dict[str, Any]]) -> list[str]:
    """Adds a row for each quirk of the engine; returns what has to be said below the table."""

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append({**line, "verdict": "pass" if line["ok"] else "fail"})

    ended = launcher.run(JobRequest("quirks", {}, target.bench()), report)
    problems = [ended.problem] if ended.problem else (ended.result or {}).get("problems", [])
    said = [f"FAIL {target.engine}: {problem}" for problem in problems]
    if ended.result is None and not said:
        said = [f"FAIL {target.engine}: the job ended without a result"]
    return said + [f"{what}: {path}" for what, path in (("log", ended.log), ("waves", ended.waves)) if path]
