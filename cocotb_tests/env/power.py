"""Clock and reset of a test top, and the kernel on its clock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer

from cocotb_tests.env.kernel import CosimKernel
from pymodel.regress import variables

PERIOD_NS = 10
"""The same as that of hdl/sim/verilator_main.cpp."""
RESET_CYCLES = 4
MEMORY_STRAPS = ("read_latency", "write_latency", "stall_seed", "stall_mask", "stall_rate")
_INPUTS = ("rst", "quirk", *MEMORY_STRAPS, "bus_error_enable", "bus_error_address", "push", "asleep")
"""Of every top."""


_power_ons = 0


def power_ons() -> int:
    """How often the power has been switched on in this simulation: who remembers another number is over."""
    return _power_ons


async def power_on(dut: Any, own_inputs: Iterable[str], values: Mapping[str, int]) -> None:
    """Clock and reset a test top; inputs without a value are 0. ``own_inputs``: those of its engine."""
    global _power_ons
    _power_ons += 1
    for name in (*_INPUTS, *own_inputs):
        getattr(dut, name).value = values.get(name, 0)
    dut.rst.value = 1
    await Timer(PERIOD_NS, "ns")  # the inputs have their values before the first edge
    if not _has_own_clock():
        Clock(dut.clk, PERIOD_NS, "ns", impl="gpi").start()
    await ClockCycles(dut.clk, RESET_CYCLES)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)


def make_kernel(dut: Any) -> CosimKernel:
    return CosimKernel(dut.clk, PERIOD_NS, asleep=dut.asleep if _has_own_clock() else None)


def _has_own_clock() -> bool:
    """Whether the simulation makes its clock itself (hdl/sim/verilator_main.cpp)."""
    return variables.OWN_CLOCK in os.environ
