"""The bench on the RTL: ``padlock_top`` with clock, reset, ports, memory mirror and scoreboard.

    @cocotb.test()
    async def my_test(dut):
        bench = await RtlBench.start(dut)
        ...
        out = await bench.call(xts.encrypt_bytes(tweak, data))
        bench.check()
"""

from __future__ import annotations

import os
from collections.abc import Coroutine, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.kernel import CosimKernel
from cocotb_tests.env.ports import PadlockPort
from cocotb_tests.env.predictor import PadlockPredictor, Traffic
from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench import Bench
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.kernel import Cpu
from pymodel.regress import variables

T = TypeVar("T")

PERIOD_NS = 10
"""The same as that of hdl/sim/verilator_main.cpp."""
RESET_CYCLES = 4
_STRAPS = ("fetch_blocks", "setup_cycles", "read_latency", "write_latency", "stall_seed", "stall_mask",
           "stall_rate")
_INPUTS = ("rst", "soft_rst", "op", "op_interrupt_at", "irq_toggle", "flags_toggle", "quirk",
           "fetch_blocks", "setup_cycles", "read_latency", "write_latency", "stall_seed", "stall_mask",
           "stall_rate", "bus_error_enable", "bus_error_address", "push", "asleep")


class RtlBench(Bench):
    """A ``Bench`` whose port is the RTL. Made by ``start``."""

    dut: Any
    predictor: PadlockPredictor
    _latency: tuple[int, int]
    _errors: tuple[set[int], set[int]]

    @classmethod
    async def start(cls, dut: Any, spec: BenchSpec | None = None) -> RtlBench:
        """Power on: clock, straps, reset. Each test starts with it, so no state leaks from the one before."""
        spec = spec or BenchSpec()
        await power_on(dut, {"quirk": spec.quirks, **{name: getattr(spec, name) for name in _STRAPS}})
        return cls._assemble(dut, spec)

    @classmethod
    def _assemble(cls, dut: Any, spec: BenchSpec) -> RtlBench:
        kernel = make_kernel(dut)
        memory = MirrorMemory(dut)
        predictor = PadlockPredictor(memory, spec)
        port = PadlockPort(dut, kernel, memory, predictor, quirks=Quirk(spec.quirks),
                           fetch_blocks=spec.fetch_blocks)
        bench = cls(kernel, memory, [Cpu(kernel)], port, spec, "rtl", cocotb.SIM_NAME)
        bench.dut, bench.predictor = dut, predictor
        bench._latency, bench._errors = (spec.read_latency, spec.write_latency), (set(), set())
        bench.problems = kernel.problems = bench._problems
        bench.python_seconds = lambda: kernel.python_seconds()
        return bench

    async def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run driver code from a cocotb task; many tasks may do so at the same time."""
        return await self.kernel.call(coroutine)

    def _change_latency(self, read: int, write: int) -> None:
        self._between_requests()
        self._latency = (read, write)
        self.dut.read_latency.value, self.dut.write_latency.value = read, write
        self._tell_predictor()

    def _change_bus_errors(self, reads: set[int], writes: set[int]) -> None:
        self._between_requests()
        self._errors = (reads, writes)
        self.dut.bus_error_address.value = max(reads | writes, default=0)
        self.dut.bus_error_enable.value = bool(reads) | bool(writes) << 1
        self._tell_predictor()

    def _between_requests(self) -> None:
        if self.memory.request_in_flight:
            raise RuntimeError("the memory can be changed only between requests")

    def _tell_predictor(self) -> None:
        self.predictor.set_memory(read_latency=self._latency[0], write_latency=self._latency[1],
                                  read_errors=self._errors[0], write_errors=self._errors[1])

    def check(self, at_least: int = 1) -> None:
        """End of a test. Raises ScoreboardError, or AssertionError for a violation of the AXI rules."""
        self.predictor.check(at_least)
        for found in (self._violations(), self._traffic()):
            assert not found, found

    def _problems(self) -> list[str]:
        return self.predictor.problems() + self._violations() + self._traffic()

    def _traffic(self) -> list[str]:
        """The bursts and beats on the bus, against the model's, unless a request is in flight."""
        expected = self.predictor.traffic
        if expected is None or self.memory.request_in_flight:
            return []
        seen = Traffic(*(int(getattr(self.dut, field.name).value) for field in fields(Traffic)))
        return [] if seen == expected else [f"bus traffic: expected {expected}, observed {seen}"]

    def _violations(self) -> list[str]:
        count = int(self.dut.axi_violations.value)
        return [f"{count} violations of the AXI rules, the first of kind "
                f"{int(self.dut.axi_first_violation.value)}"] if count else []


async def power_on(dut: Any, inputs: Mapping[str, int]) -> None:
    """Clock and reset ``padlock_top``; inputs that are not named are 0."""
    for name in _INPUTS:
        getattr(dut, name).value = inputs.get(name, 0)
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
