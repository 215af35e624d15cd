"""Building a top for a simulator, once for each combination of everything that matters."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.errors import EcbenchError
from pymodel.regress import verilator_builds
from pymodel.regress.config import TIMESCALE, Top
from pymodel.regress.process import last_lines, python_command, python_environment, run_logged
from pymodel.regress.simulators import Simulator
from pymodel.regress.sources import build_root, hdl_root
from pymodel.regress.verilator_builds import MAIN

_COMPLETE = "complete"
_HEADER_SUFFIXES = (".vh", ".svh", ".hex", ".mem")
_LIMIT_SECONDS = 1800.0


class BuildError(EcbenchError):
    """The simulator could not build the top; the message has the log's path and its last lines."""


@dataclass(frozen=True, slots=True)
class Build:
    """A finished build. ``waves``: the suffix of its wave files, or None when it records none."""

    top: Top
    simulator: Simulator
    directory: Path
    waves: str | None
    seconds: float
    """Time it took; 0 when it was there already."""
    fast: bool = False
    """Made for speed: the simulation makes its clock itself, and few signals are visible."""


def build(top: Top, simulator: Simulator, *, waves: bool = False, fast: bool = False,
          announce: Callable[[str], AbstractContextManager[None]] | None = None) -> Build:
    """Return the build of ``top``, made now or earlier.

    Its directory is named by a hash of sources, parameters, defines, tool versions and options; a build
    that was not completed is never used. Two processes may ask for the same build at once.
    ``fast``: for speed, where simulator and top allow it and no waves are wanted.
    ``announce`` is entered with a line of text around work that takes long.
    Raises: BuildError; EcbenchError (no such sources, or a directory in which Verilator cannot build).
    """
    suffix = wave_suffix(simulator) if waves else None
    fast = fast and simulator.name == "verilator" and top.control_file is not None and not waves
    kind = "waves" if waves else "fast" if fast else "plain" if top.plain else ""
    arguments = _arguments(top, simulator, suffix, fast)
    key = _key(top, simulator, arguments, kind)
    directory = build_root() / "-".join(filter(None, (top.name, simulator.name, kind, key)))
    if simulator.name == "verilator" and any(character.isspace() for character in str(directory)):
        raise EcbenchError(f"Verilator cannot build in a directory whose path contains a space: {directory}; "
                           "set ECBENCH_BUILD to another one")
    seconds = 0.0
    if not (directory / _COMPLETE).exists():
        with (announce or nullcontext)(f"building {top.name} for {simulator.title}"), \
                _locked(directory.with_name(directory.name + ".lock")):
            if not (directory / _COMPLETE).exists():
                seconds = _make(top, simulator, directory, {**arguments, "build_dir": str(directory)}, kind)
    return Build(top, simulator, directory, suffix, seconds, fast)


def wave_suffix(simulator: Simulator) -> str:
    """``.fst``, or ``.vcd`` for a Verilator whose FST writer lacks the headers of zlib or lz4."""
    return ".vcd" if simulator.name == "verilator" and not _fst_headers() else ".fst"


@functools.cache
def _fst_headers() -> bool:
    probe = subprocess.run(["g++", "-E", "-x", "c++", "-"], input="#include <zlib.h>\n#include <lz4.h>\n",
                           text=True, capture_output=True, check=False)
    return probe.returncode == 0


def _arguments(top: Top, simulator: Simulator, wave_suffix: str | None, fast: bool) -> dict[str, Any]:
    """What cocotb's runner is told, without the build directory."""
    options: list[str] = []
    if simulator.name == "verilator" and wave_suffix == ".fst":
        options.append("--trace-fst")
    sources = top.source_files()
    if fast and top.control_file is not None:
        sources.append((top.root or hdl_root()) / top.control_file)
    return {
        "sources": [str(path) for path in sources],
        "includes": [str(path) for path in top.include_directories()],
        "defines": dict(top.defines),
        "parameters": dict(top.parameters),
        "build_args": options,
        "hdl_toplevel": top.name,
        "timescale": TIMESCALE,
        "waves": wave_suffix is not None,
        "always": True,
    }


def _key(top: Top, simulator: Simulator, arguments: dict[str, Any], kind: str) -> str:
    """A hash of everything that decides what the build does."""
    digest = hashlib.sha256()
    environment = sorted(simulator.environment.items())
    versions = [simulator.identity, importlib.metadata.version("cocotb"), _compiler(), sys.prefix]
    digest.update(json.dumps([arguments, environment, versions, kind]).encode())
    seen = dict.fromkeys(map(Path, arguments["sources"]))
    if kind in ("fast", "plain"):
        seen.update(dict.fromkeys([hdl_root() / MAIN, Path(verilator_builds.__file__)]))
    for folder in top.include_directories():
        headers = (path for path in sorted(folder.iterdir()) if path.suffix in _HEADER_SUFFIXES)
        seen.update(dict.fromkeys(headers))
    for path in seen:
        digest.update(f"\n{path}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _compiler() -> str:
    if shutil.which("g++") is None:
        return "no g++"
    return subprocess.run(["g++", "--version"], capture_output=True, text=True, check=False).stdout


def _make(top: Top, simulator: Simulator, directory: Path, arguments: dict[str, Any], kind: str) -> float:
    """Build into an empty directory; the mark is set last. Returns the seconds it took."""
    started = time.monotonic()
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    job = directory / "build.json"
    job.write_text(json.dumps({"action": "build", "simulator": simulator.name, "kind": kind,
                               "arguments": arguments}))
    log = directory / "build.log"
    ended = run_logged(python_command("pymodel.regress.runner_process", str(job)), log=log, cwd=directory,
                       environment=python_environment(simulator.clean_environment()),
                       limit_seconds=_LIMIT_SECONDS)
    if ended.code != 0:
        raise BuildError(f"{simulator.title} could not build {top.name}; log: {log}\n{last_lines(log)}")
    (directory / _COMPLETE).touch()
    return time.monotonic() - started


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
