"""The bench on the RTL: a test top with clock, reset, port, memory mirror and scoreboard.

    @cocotb.test()
    async def my_test(dut):
        bench = await RtlBench.start(dut)
        ...
        out = await bench.call(xts.encrypt_bytes(tweak, data))
        bench.check()
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import fields
from typing import Any, TypeVar

import cocotb

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.judge import Judge, Traffic
from cocotb_tests.env.power import MEMORY_STRAPS, make_kernel, power_on
from cocotb_tests.env.tops import ENGINE_TOPS, spec_for
from pymodel.errors import InvalidRequest
from pymodel.jobs.bench import Bench
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.kernel import Cpu
from pymodel.memory import DEFAULT_BYTES

T = TypeVar("T")


class RtlBench(Bench):
    """A ``Bench`` whose port is the RTL. Made by ``start``."""

    dut: Any
    predictor: Judge
    _latency: tuple[int, int]
    _errors: tuple[set[int], set[int]]

    @classmethod
    async def start(cls, dut: Any, spec: BenchSpec | None = None) -> RtlBench:
        """Power on: clock, straps, reset. Each test starts with it, so no state leaks from the one before.

        Without a ``spec`` it is the default one of the top's engine.
        Raises: InvalidRequest for a spec that this top cannot have.
        """
        spec = spec_for(dut, spec)
        top = ENGINE_TOPS[spec.engine]
        straps = {name: getattr(spec, name) for name in (*MEMORY_STRAPS, *top.straps)}
        await power_on(dut, top.inputs, {"quirk": spec.quirks, **straps})
        kernel, memory = make_kernel(dut), MirrorMemory(dut)
        if spec.memory_bytes not in (DEFAULT_BYTES, memory.size):
            raise InvalidRequest(f"memory_bytes {spec.memory_bytes}: this top has {memory.size}")
        port, predictor = top.connect(dut, kernel, memory, spec)
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
        if self.memory.in_flight():
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
        if expected is None or self.memory.in_flight():
            return []
        seen = Traffic(*(int(getattr(self.dut, field.name).value) for field in fields(Traffic)))
        return [] if seen == expected else [f"bus traffic: expected {expected}, observed {seen}"]

    def _violations(self) -> list[str]:
        count = int(self.dut.axi_violations.value)
        return [f"{count} violations of the AXI rules, the first of kind "
                f"{int(self.dut.axi_first_violation.value)}"] if count else []
