"""An interrupt at every block boundary of requests of 1 to 16 blocks: the same on model and RTL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.drivers.padlock import PadlockDriver
from pymodel.engines.ports import Xcrypt, XcryptResult, XcryptStatus
from pymodel.jobs.bench import Bench, BenchSpec, model_bench

MOST_BLOCKS = 16
KEY = bytes(range(32))
SPEC = BenchSpec(fetch_blocks=1)
"""One xcrypt per request, whatever its length."""


class InterruptedOnce:
    """A port that interrupts the first ``xcrypt`` at a cycle of it. ``results``: of every one."""

    def __init__(self, port: Any, cycle: int) -> None:
        self._port = port
        self._cycle = cycle
        self.results: list[XcryptResult] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)

    async def xcrypt(self, op: Xcrypt) -> XcryptResult:
        cycle = 0 if self.results else self._cycle
        self.results.append(await self._port.xcrypt(replace(op, interrupt_at=cycle)))
        return self.results[-1]


@dataclass(frozen=True, slots=True)
class Boundary:
    """An interrupt after ``done`` of ``blocks`` blocks, which is at ``cycle`` after the acceptance."""

    blocks: int
    done: int
    cycle: int


def boundaries(stages: int) -> list[Boundary]:
    """Every one. A block has not begun at the edge before the one at which it enters the core."""
    found = []
    for blocks in range(1, MOST_BLOCKS + 1):
        bench = model_bench(replace(SPEC, stages=stages))
        buffer = Buffers.of(bench.memory.allocate(blocks * BLOCK_BYTES), blocks * BLOCK_BYTES)
        engine = bench.engine()
        bench.kernel.run(engine.ecb(engine.key(KEY), buffer, buffer, decrypt=False))
        entered = bench.port.last_course.entered
        found += [Boundary(blocks, done, edge - 1) for done, edge in enumerate(entered)]
    return found


async def interrupt_everywhere(bench: Bench) -> int:
    """Raises AssertionError; returns how many boundaries there were."""
    cases = boundaries(bench.spec.stages)
    for case in cases:
        await _interrupt(bench, case)
    return len(cases)


async def _interrupt(bench: Bench, case: Boundary) -> None:
    await bench.port.reset()
    length = case.blocks * BLOCK_BYTES
    data = bytes((11 * k + case.done) & 255 for k in range(length))
    src, dst = (Buffers.of(bench.memory.allocate(length), length) for _ in range(2))
    src.scatter(bench.memory, data)
    port = InterruptedOnce(bench.port, case.cycle)
    driver = PadlockDriver(port, bench.memory, bench.kernel, bench.cpus[0], fetch_blocks=1)
    key = driver.key(KEY)
    await driver.ecb(key, src, dst, decrypt=False)
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, data), case
    first, second = port.results
    assert (first.status, first.count) == (XcryptStatus.INTERRUPTED, case.blocks - case.done), case
    assert (second.status, second.count) == (XcryptStatus.OK, 0), case
    assert driver.counters.key_loads == 2, case  # the first one, and one after the interrupt
    assert driver.counters.hardware_blocks == case.blocks, case
    driver.release(key)
    for buffers in (src, dst):
        bench.memory.free(buffers.pieces[0].address)
