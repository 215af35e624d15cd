"""The command ``ecbench test``: a user's own cocotb tests on the bench."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

from pymodel.errors import InvalidRequest
from pymodel.regress import simulators
from pymodel.regress.build import build
from pymodel.regress.config import known_top
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.run import simulate
from pymodel.regress.target import readable

COLUMNS = {"name": "test", "status": "status", "seconds": "seconds"}


def run_own_test(file: Path, sim: str, top: str, test: str | None, seed: int, waves: bool,
                 json_file: Path | None, display: Display) -> int:
    """Run the cocotb tests in ``file`` (those whose "module.test" matches ``test``); 0 when all pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    path = readable(file)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidRequest(f"{file} is not a Python module")
    try:
        re.compile(test or "")
    except re.error as error:
        raise InvalidRequest(f"'{test}' is not a regular expression: {error}") from None
    simulator, chosen = simulators.find(sim), known_top(top)
    check_writable(json_file)
    with display:
        made = build(chosen, simulator, waves=waves, announce=display.waiting)
        with display.waiting(f"running {path.name} in {simulator.title}"):
            ended = simulate(made, path.stem, seed=seed, test_filter=test, import_paths=(path.parent,))
    rows = [{**asdict(outcome), "verdict": "fail" if outcome.status == "failed" else "pass"}
            for outcome in ended.tests]
    display.table(COLUMNS, rows)
    if not ended.ok:
        display.out(ended.report())
    else:
        display.out(f"log:    {ended.log}")
    if ended.waves is not None:
        display.out(f"waves:  {ended.waves}")
    if json_file is not None:
        write_json(json_file, ended.ok, rows)
    return 0 if ended.ok else 1
