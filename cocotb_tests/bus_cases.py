"""A bus checker alone, on a bus that is driven from here: a case is a list of cycles, each a dict of the
signals that are not 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotb.types import Logic

from pymodel.regress.sources import hdl_root

Cycle = dict[str, Any]
IDLE: Cycle = {}

no_unknown_levels = cocotb.SIM_NAME.lower().startswith("verilator")
"""Verilator has none."""


def codes(file: str) -> dict[str, int]:
    """Name to number of each finding, from the file that the RTL includes; prefix CHECK_ left out."""
    text = (hdl_root() / "sim" / file).read_text()
    return {name: int(number) for name, number in re.findall(r"\bCHECK_(\w+)\s*= 5'd(\d+);", text)}


class Checker:
    """The checker of ``dut``, whose bus has these signals."""

    def __init__(self, dut: Any, signals: Iterable[str]) -> None:
        self._dut = dut
        self._signals = tuple(signals)
        Clock(dut.clk, 10, "ns", impl="gpi").start()

    async def power_on(self) -> None:
        self._drive(IDLE)
        self._dut.rst.value = 1
        await FallingEdge(self._dut.clk)
        await FallingEdge(self._dut.clk)
        self._dut.rst.value = 0

    async def findings(self, cycles: Sequence[Cycle]) -> tuple[int, int]:
        """Violations and the code of the first, after the cycles and two idle ones."""
        await self.power_on()
        for cycle in [*cycles, IDLE, IDLE]:
            self._drive(cycle)
            await FallingEdge(self._dut.clk)
        return self.result()

    def result(self) -> tuple[int, int]:
        return int(self._dut.axi_violations.value), int(self._dut.axi_first_violation.value)

    async def unknown_levels(self, names: Iterable[str], found: int) -> None:
        """Each of these signals, unknown for a cycle, is this finding; during the reset it is none.

        Raises: AssertionError.
        """
        await self.power_on()
        for name in names:
            self._dut.rst.value = 1
            self._drive({name: Logic("X")})
            await FallingEdge(self._dut.clk)
            assert self.result() == (0, 0), name
            self._dut.rst.value = 0
            await FallingEdge(self._dut.clk)
            self._drive(IDLE)
            await FallingEdge(self._dut.clk)
            assert self.result() == (1, found), name

    def _drive(self, cycle: Cycle) -> None:
        for name in self._signals:
            getattr(self._dut, name).value = cycle.get(name, 0)
