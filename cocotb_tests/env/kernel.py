"""CosimKernel: the scheduler of pymodel with a simulator as its clock.

All Python activity of drivers and jobs happens at falling edges of the clock; monitors report
after a rising edge and the kernel acts at the next falling edge. While nothing is due, one Timer
covers the whole idle stretch, so Python never runs once per clock cycle.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import cocotb
from cocotb.handle import LogicObject
from cocotb.task import Task as CocotbTask
from cocotb.triggers import Event as CocotbEvent
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

from pymodel.kernel import Deadlock, Event, Kernel

T = TypeVar("T")

WORTH_SLEEPING = 8
"""Cycles: for fewer, saying that Python is asleep takes longer than it saves."""
IDLE_LIMIT = 2_000_000
"""Cycles without anything due and without a report from the hardware before Deadlock is raised."""


class CosimKernel(Kernel):
    """``clock``: a running clock of ``period_ns``. Cycle 0 is the first falling edge after the first use.

    ``asleep``: an input that is set while only time and the reports of ``notify`` are awaited (see
    hdl/sim/verilator_main.cpp).
    """

    def __init__(self, clock: LogicObject, period_ns: int = 10, idle_limit: int = IDLE_LIMIT,
                 asleep: LogicObject | None = None) -> None:
        super().__init__()
        self._asleep = asleep
        self.problems: Callable[[], list[str]] = list
        """Asked when nothing happens any more: what others have found wrong."""
        self._alarms: list[int] = []
        """Cycles for which a Timer is set, the next one first."""
        self._idle_since: int | None = None
        self._python_seconds = 0.0
        self._woken_at = 0.0
        self._idle_limit = idle_limit
        self._clock = clock
        self._period_ns = period_ns
        self._ping = CocotbEvent()
        self._reports: deque[Event] = deque()
        self._origin_ns = 0
        self._loop: CocotbTask[None] | None = None

    # -- from cocotb tasks --------------------------------------------------------------------

    async def call(self, coroutine: Coroutine[Any, Any, T], name: str = "call") -> T:
        """Run a kernel coroutine from a cocotb task; many cocotb tasks may do so at the same time."""
        if self._loop is None:
            await FallingEdge(self._clock)
            self._origin_ns = self._sim_time() - self._now * self._period_ns
            self._loop = cocotb.start_soon(self._serve())
        ended = CocotbEvent()

        async def body() -> T:
            try:
                return await coroutine
            finally:
                ended.set()

        task = self.start(body(), name)
        self._ping.set()
        await ended.wait()  # an error of the loop itself fails the test by cocotb's own rule
        return task.outcome()

    async def drive(self, coroutine: Coroutine[Any, Any, T], name: str = "main") -> T:
        """Like ``Kernel.run``, awaited by the one cocotb test: also raises errors nobody joined."""
        result = await self.call(coroutine, name)
        for stray in list(self._unobserved):
            stray.outcome()
        return result

    def notify(self, event: Event) -> None:
        """Called by monitors after a rising edge: ``event`` is set at the next falling edge."""
        self._reports.append(event)
        self._ping.set()

    # -- from kernel tasks --------------------------------------------------------------------

    async def hardware(self, coroutine: Coroutine[Any, Any, T], name: str = "hardware") -> T:
        """Let a kernel task await a cocotb coroutine; it goes on at the falling edge after its end."""
        done = self.event(name)
        results: list[T] = []

        async def outer() -> None:
            results.append(await coroutine)
            self.notify(done)

        cocotb.start_soon(outer())
        await done.wait()
        return results[0]

    # -- the loop -----------------------------------------------------------------------------

    def python_seconds(self) -> float:
        """CPU time that this kernel's tasks have taken; it stands still while the simulator runs."""
        return self._python_seconds + (time.process_time() - self._woken_at)

    async def _serve(self) -> None:
        while True:
            self._woken_at = time.process_time()
            self._now = (self._sim_time() - self._origin_ns) // self._period_ns
            self._run_cycle()
            self._ping.clear()
            self._python_seconds += time.process_time() - self._woken_at
            await self._sleep_until_due()
            if (self._sim_time() - self._origin_ns) % self._period_ns:
                await FallingEdge(self._clock)

    def _run_cycle(self) -> None:
        """Hardware first, one report at a time, as the model's own events come; then software."""
        if self._reports:
            self._idle_since = None
        while self._reports:
            self._reports.popleft().set()
            while self._ready:
                self._step(self._ready.popleft())
        self._settle()

    async def _sleep_until_due(self) -> None:
        """Until something is due or reported. An alarm that rings too early only costs a look."""
        due = self._next_wake()
        if due is None:
            self._idle_since = self._now if self._idle_since is None else self._idle_since
            due = self._idle_since + self._idle_limit
            if self._now >= due and self._tasks:
                problems = "".join(f"; {problem}" for problem in self.problems())
                raise Deadlock(f"nothing happened for {self._idle_limit} cycles: {self.waiting()}{problems}")
            due = max(due, self._now + 1)
        else:
            self._idle_since = None
        if not self._alarms or due < self._alarms[0]:
            heapq.heappush(self._alarms, due)
            cocotb.start_soon(self._alarm(due))
        if self._asleep is not None and due - self._now >= WORTH_SLEEPING:
            self._asleep.value = 1
        await self._ping.wait()

    async def _alarm(self, due: int) -> None:
        await Timer((due - self._now) * self._period_ns, "ns")
        self._alarms.remove(due)
        heapq.heapify(self._alarms)
        self._ping.set()

    @staticmethod
    def _sim_time() -> int:
        return int(get_sim_time("ns"))
