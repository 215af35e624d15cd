"""QcePredictor: what each register access and each request of the QCE must do, and when.

The model runs on a second kernel that follows the time of the simulation: what is posted on the RTL is
posted on the model in the same cycle, and both must give the same answer in the same cycle.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.qce_port import Answer
from cocotb_tests.env.qce_requests import QceRequests
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.jobs.bench_spec import BenchSpec

_NAMES = {int(register): register.name for register in Register}


@dataclass(slots=True, eq=False)
class _Posted:
    """Accesses on their way. ``ended``: the cycle in which the model answered the last of them."""

    number: int
    accesses: Sequence[RegisterAccess]
    master: int = 0
    values: tuple[int, ...] = ()
    refused: int | None = None
    """Address of the access that was."""
    ended: int | None = None

    @property
    def label(self) -> str:
        what = f"{named(self.accesses)} of master {self.master}" if self.accesses else "soft reset"
        return f"{what}, number {self.number}"


class QcePredictor(QceRequests):
    """A ``Witness`` for a memory with fixed latencies."""

    def __init__(self, memory: MirrorMemory, spec: BenchSpec) -> None:
        super().__init__(memory, spec, exact=True, slow_start_cycles=spec.slow_start_cycles,
                         read_latency=spec.read_latency, write_latency=spec.write_latency)
        self._kernel = self._model.kernel
        self._posts = 0
        self._open: list[_Posted] = []
        self._rises: list[int] = []
        """Cycles in which the interrupt was seen to rise."""

    def own_problems(self) -> list[str]:
        missing = [f"missing: {posted.label}: the model answered in cycle {posted.ended}"
                   for posted in self._open if posted.ended is not None]
        broken = [f"the model: {task.name}: {type(task.error).__name__}: {task.error}"
                  for task in self._kernel.unobserved()]
        return missing + broken

    # -- Witness --------------------------------------------------------------------------------------

    def posted(self, accesses: Sequence[RegisterAccess], master: int, now: int) -> _Posted:
        self._posts += 1
        return self._start(_Posted(self._posts, accesses, master), self._model.script(accesses, master), now)

    def reset_posted(self, quirks: Quirk, now: int) -> _Posted:
        self._posts += 1
        self._model.quirks = quirks
        return self._start(_Posted(self._posts, ()), self._model.reset(), now)

    def ended(self, posted: _Posted, answer: Answer, now: int) -> None:
        self._kernel.advance(now)
        self._open.remove(posted)
        refused = posted.accesses[answer.done - 1].address if answer.refused else None
        for what, expected, observed in (("cycle", posted.ended, now), ("refused", posted.refused, refused),
                                         ("interrupt", self._model.irq.is_set(), answer.irq),
                                         ("interrupt rises", self._model.irq.rises, self._rises)):
            if expected != observed:
                self.scoreboard.report(f"{posted.label}: {what}: expected {expected}, observed {observed}")
        if refused is None and posted.values != answer.values:
            read = [access.address for access in posted.accesses if access.value is None]
            self.scoreboard.report(f"{posted.label}: {different(read, posted.values, answer.values)}")
        self._model.irq.rises, self._rises = [], []

    def irq_rose(self, now: int) -> None:
        self._kernel.advance(now)
        self._rises.append(now)

    def syncing(self, now: int) -> None:
        self._kernel.advance(now)

    def _start(self, posted: _Posted, work: Coroutine[Any, Any, list[int] | None], now: int) -> _Posted:
        self._kernel.advance(now)
        self._open.append(posted)
        self._kernel.start(self._noted(posted, work), "predicted accesses")
        self._kernel.advance(now)
        return posted

    async def _noted(self, posted: _Posted, work: Coroutine[Any, Any, list[int] | None]) -> None:
        try:
            posted.values = tuple(await work or ())
        except EngineFault as fault:
            posted.refused = fault.address
        posted.ended = self._kernel.now()


def named(accesses: Sequence[RegisterAccess]) -> str:
    """In a few words."""
    first, last = register_name(accesses[0].address), register_name(accesses[-1].address)
    return f"access to {first}" if len(accesses) == 1 else f"{len(accesses)} accesses, {first} to {last}"


def register_name(address: int) -> str:
    return _NAMES.get(address, f"{address:#06x}")


def different(addresses: Sequence[int], expected: Sequence[int], observed: Sequence[int]) -> str:
    """Which of the values read differ."""
    if len(expected) != len(observed):
        return f"values: expected {len(expected)}, observed {len(observed)}"
    read = zip(addresses, expected, observed, strict=True)
    return ", ".join(f"{register_name(address)}: expected {want:#x}, observed {got:#x}"
                     for address, want, got in read if want != got)
