"""Where the HDL sources are and where builds go, in a checkout and in an installed package."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from pymodel.errors import EcbenchError

_PACKAGE = Path(__file__).resolve().parents[1]
_MARKER = "quirks.vh"


@cache
def checkout() -> Path | None:
    """The checkout this package runs from, or None when it is installed."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "hdl" / _MARKER).is_file() else None


@cache
def hdl_root() -> Path:
    """The directory that holds aes/, axi/, padlock/ and sim/: the checkout's first, then the package's.

    Raises: EcbenchError when neither is there.
    """
    root = checkout()
    for candidate in ([root / "hdl"] if root else []) + [_PACKAGE / "hdl"]:
        if (candidate / _MARKER).is_file():
            return candidate
    raise EcbenchError(f"no HDL sources in {_PACKAGE / 'hdl'}: the installation of ecbench is incomplete")


def build_root() -> Path:
    """Where builds and runs go: $ECBENCH_BUILD, else build/ of the checkout, else ~/.cache/ecbench."""
    chosen = os.environ.get("ECBENCH_BUILD")
    if chosen:
        return Path(chosen).absolute()
    root = checkout()
    if root is not None and os.access(root, os.W_OK):
        return root / "build"
    cache_home = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache_home) if cache_home else Path.home() / ".cache") / "ecbench"
