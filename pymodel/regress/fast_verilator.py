"""A Verilator build for speed: an own main program that makes the clock, and only what Python uses public."""

from __future__ import annotations

from pathlib import Path

from cocotb_tools.runner import Verilator

from pymodel.regress.sources import hdl_root

MAIN = Path("sim", "verilator_main.cpp")
"""Relative to the HDL root."""


class FastVerilator(Verilator):
    """cocotb's runner, with the two commands of its build changed.

    A signal that is not named in the top's control file (``padlock_top.vlt``) is not visible to Python.
    """

    def _build_command(self) -> list[list[str]]:
        verilate, make = super()._build_command()
        main = str(hdl_root() / MAIN)
        verilate = [main if word.endswith("/verilator.cpp") else word
                    for word in verilate if word != "--public-flat-rw"]
        return [[*verilate, "-O3"], [*make, "OPT_FAST=-O2"]]
