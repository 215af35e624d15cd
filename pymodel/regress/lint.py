"""Linting the Verilog: Verilator's warnings and Yosys's latches. ``python -m pymodel.regress.lint``"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable

from pymodel.errors import EcbenchError
from pymodel.regress import simulators
from pymodel.regress.config import TOPS, Top

SYNTHESISABLE: tuple[Top, ...] = (
    TOPS["aes_ecb"],
    TOPS["padlock"],
    TOPS["qce"],
)
"""What must synthesise; hdl/sim never does."""


def verilator_lint(top: Top) -> str:
    """All warnings of ``verilator --lint-only -Wall`` on ``top``, an empty string when there are none."""
    verilator = simulators.find("verilator")
    command = [str(verilator.executable), "--lint-only", "-Wall", "--quiet", "--timescale", "1ns/1ps",
               "--top-module", top.name,
               *(f"-I{folder}" for folder in top.include_directories()),
               *(f"-G{name}={value}" for name, value in top.parameters.items()),
               *(str(path) for path in top.source_files())]
    return _complaints(command, verilator.clean_environment())


def yosys_latches(top: Top) -> str:
    """What Yosys has against ``top`` up to the inference of storage; a latch is an error.

    Raises: EcbenchError when Yosys is not installed.
    """
    if shutil.which("yosys") is None:
        raise EcbenchError("Yosys not found (apt-get install yosys)")
    includes = " ".join(f"-I{folder}" for folder in top.include_directories())
    sources = " ".join(str(path) for path in top.source_files())
    script = (f"read_verilog {includes} {sources}; hierarchy -check -top {top.name}; proc; "
              "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr")
    return _complaints(["yosys", "-q", "-p", script], None)


def _complaints(command: list[str], environment: dict[str, str] | None) -> str:
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    output = (ended.stdout + ended.stderr).strip()
    return output if ended.returncode == 0 or output else f"{command[0]} ended with code {ended.returncode}"


def _report(checks: Iterable[tuple[str, str]]) -> int:
    failures = 0
    for name, complaints in checks:
        print(f"{name}: {complaints or 'ok'}")
        failures += bool(complaints)
    return 1 if failures else 0


def main() -> int:
    """Lint everything; 0 when clean."""
    try:
        tops = {top.name: top for top in (*TOPS.values(), *SYNTHESISABLE)}
        checks = [(f"verilator {top.name}", verilator_lint(top)) for top in tops.values()]
        checks += [(f"yosys {top.name}", yosys_latches(top)) for top in SYNTHESISABLE]
    except EcbenchError as error:
        print(error, file=sys.stderr)
        return 2
    return _report(checks)


if __name__ == "__main__":
    sys.exit(main())
