"""The command ``ecbench test``: a user's own cocotb tests on the bench."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path

from pymodel.errors import InvalidRequest
from pymodel.regress import simulators
from pymodel.regress.build import build
from pymodel.regress.config import OWN_TEST_TOPS, known_top
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.run import Simulation, simulate
from pymodel.regress.target import readable

COLUMNS = {"name": "test", "status": "status", "seconds": "seconds"}


@dataclass(frozen=True, slots=True)
class OwnTestOptions:
    """``ecbench test``. ``only``: a regular expression on "module.test", or None for all tests."""

    file: Path
    sim: str
    top: str
    only: str | None
    seed: int
    waves: bool
    json: Path | None

    def command(self, ended: Simulation) -> str:
        """The line that replays what failed, with waves."""
        failed = "|".join(f"{re.escape(test.name)}$" for test in ended.failed) or self.only
        words = ["ecbench", "test", str(self.file), *(["--only", failed] if failed else []),
                 "--top", self.top, "--seed", str(self.seed), "--sim", self.sim, "--waves"]
        return shlex.join(words)


def _check_syntax(path: Path) -> None:
    """Raises InvalidRequest for a file that is not Python, before anything is built."""
    try:
        compile(path.read_bytes(), str(path), "exec")
    except (SyntaxError, ValueError) as error:
        line = f" line {error.lineno}:" if isinstance(error, SyntaxError) else ""
        raise InvalidRequest(f"{path}:{line} {getattr(error, 'msg', error)}") from None


def run_own_test(options: OwnTestOptions, display: Display) -> int:
    """Run the cocotb tests in a file; 0 when all pass, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    path = readable(options.file)
    _check(options)
    _check_syntax(path)
    simulator = simulators.find(options.sim)
    check_writable(options.json, ("FILE", path))
    with display:
        made = build(known_top(options.top), simulator, waves=options.waves, announce=display.waiting)
        with display.waiting(f"running {path.name} in {simulator.title}"):
            ended = simulate(made, path.stem, seed=options.seed, test_filter=options.only,
                             import_paths=(path.parent,))
    rows = [{**asdict(outcome), "verdict": "fail" if outcome.status == "failed" else "pass"}
            for outcome in ended.tests]
    display.table(COLUMNS, rows)
    if not ended.ok:
        display.out(ended.report())
        display.out(f"replay: {options.command(ended)}")
    else:
        display.out(f"log:    {ended.log}")
    display.out(f"seed:   {options.seed}")
    if ended.waves is not None:
        display.out(f"waves:  {ended.waves}")
    if options.json is not None:
        write_json(options.json, ended.ok, rows)
    return 0 if ended.ok else 1


def _check(options: OwnTestOptions) -> None:
    """Raises InvalidRequest."""
    _check_module_name(options.file)
    try:
        re.compile(options.only or "")
    except re.error as error:
        raise InvalidRequest(f"'{options.only}' is not a regular expression: {error}") from None
    if options.top not in OWN_TEST_TOPS:
        raise InvalidRequest(f"unknown top '{options.top}': choose one of {', '.join(OWN_TEST_TOPS)}")


def _check_module_name(file: Path) -> None:
    """Raises InvalidRequest for a file that Python could not import under its name."""
    if file.suffix != ".py":
        raise InvalidRequest(f"{file} is not a Python module: its name does not end in .py")
    if not file.stem.isidentifier():
        wrong = re.search(r"\W", file.stem)
        culprit = {"-": "a dash", " ": "a space", ".": "a dot"}.get(wrong[0], f"'{wrong[0]}'") if wrong else \
            "a digit at the start"
        better = re.sub(r"^(?=\d)", "test_", re.sub(r"\W", "_", file.stem))
        raise InvalidRequest(f"{file} cannot be imported by Python: its name has {culprit}; "
                             f"call it {better}.py")
