"""Verilator builds that cocotb's runner does not know: all with one runtime library, one for speed, and one
without Python."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from cocotb_tools.runner import Verilator

from pymodel.regress import object_cache
from pymodel.regress.sources import hdl_root

MAIN = Path("sim", "verilator_main.cpp")
"""Relative to the HDL root."""


class SharingVerilator(Verilator):
    """Compiles the runtime library once for all builds that are beside this one."""

    def _build_command(self) -> list[list[str]]:
        verilate, make = super()._build_command()
        kept = Path(self.build_dir).parent / "objects"
        cache = shlex.join([sys.executable, "-I", "-S", object_cache.__file__, str(kept)])
        return [verilate, [*make, f"OBJCACHE={cache}"]]


class FastVerilator(SharingVerilator):
    """For speed: an own main program that makes the clock, and only what Python uses public.

    A signal that is not named in the top's control file (``padlock_top.vlt``) is not visible to Python.
    """

    def _build_command(self) -> list[list[str]]:
        verilate, make = super()._build_command()
        main = str(hdl_root() / MAIN)
        verilate = [main if word.endswith("/verilator.cpp") else word
                    for word in verilate if word != "--public-flat-rw"]
        return [[*verilate, "-O3"], [*make, "OPT_FAST=-O2"]]


class PlainVerilator(SharingVerilator):
    """A program of its own from a top without ports, which makes its clock in Verilog."""

    def _build_command(self) -> list[list[str]]:
        verilate, make = super()._build_command()
        flags = verilate.index("-LDFLAGS")
        words = verilate[:flags] + verilate[flags + 2:]
        dropped = ("--vpi", "--public-flat-rw")
        verilate = [word for word in words if word not in dropped and not word.endswith("/verilator.cpp")]
        return [[*verilate, "--main", "--timing", "-O3"], [*make, "OPT_FAST=-O2"]]
