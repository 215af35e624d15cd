"""The deterministic scheduler under every driver, model and job.

Virtual time is counted in clock cycles. Within one cycle hardware (rank 0) acts before software
(rank 1), then first in, first out. The same code runs on a model, where time jumps from one
event to the next, and in a simulation, where ``cocotb_tests.env.CosimKernel`` takes its time
from the simulated clock.

There is no cancellation: a timeout is ``Event.wait(timeout)``, which returns the level.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Coroutine, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

HARDWARE, SOFTWARE = 0, 1
"""Ranks: within one cycle hardware acts first."""


class Deadlock(RuntimeError):
    """No task can run and nothing is scheduled; the message names each task and what it waits for."""


class Event:
    """A level that tasks can wait for."""

    def __init__(self, kernel: Kernel, name: str) -> None:
        self._kernel = kernel
        self.name = name
        self._level = False
        self._waiters: list[Task[Any]] = []

    def is_set(self) -> bool:
        return self._level

    def clear(self) -> None:
        self._level = False

    def set(self) -> None:
        self._level = True
        waiters, self._waiters = self._waiters, []
        for task in waiters:
            self._kernel._wake(task)

    async def wait(self, timeout: int | None = None) -> bool:
        """Wait until set, at most ``timeout`` cycles; returns the level."""
        if not self._level:
            await _Wait(self, timeout, SOFTWARE)
        return self._level


class _Wait:
    """What a suspended task waits for: an event, a number of cycles, or the earlier of both."""

    __slots__ = ("cycles", "event", "rank")

    def __init__(self, event: Event | None, cycles: int | None, rank: int) -> None:
        self.event = event
        self.cycles = cycles
        self.rank = rank

    def __await__(self) -> Generator[_Wait, None, None]:
        yield self

    def __str__(self) -> str:
        return f"'{self.event.name}'" if self.event is not None else f"{self.cycles} cycles"


class Task(Generic[T]):
    """A coroutine the kernel runs. ``done`` is set at its end, also when it ended in an error."""

    def __init__(self, kernel: Kernel, coroutine: Coroutine[Any, Any, T], name: str) -> None:
        self.name = name
        self.done = kernel.event(f"end of {name}")
        self._kernel = kernel
        self._coroutine = coroutine
        self._waits_for: _Wait | None = None
        self._result: T | None = None
        self._error: Exception | None = None

    async def join(self) -> T:
        """Wait for the end; return the result or raise the error."""
        await self.done.wait()
        return self.outcome()

    @property
    def error(self) -> Exception | None:
        """What it ended in, if in an error. To look at it here is not to observe it."""
        return self._error

    def outcome(self) -> T:
        """The result of a task that is done, or its error raised."""
        self._kernel._unobserved.pop(self, None)
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


class Kernel:
    """Runs tasks in virtual time. One kernel, one timeline."""

    def __init__(self) -> None:
        self._now = 0
        self._sequence = 0
        self._ready: deque[Task[Any]] = deque()
        self._sleepers: list[tuple[int, int, int, Task[Any], _Wait]] = []
        self._tasks: dict[Task[Any], None] = {}
        self._unobserved: dict[Task[Any], None] = {}

    def now(self) -> int:
        """Cycles since the kernel was made."""
        return self._now

    def event(self, name: str = "event") -> Event:
        return Event(self, name)

    async def sleep(self, cycles: int, rank: int = SOFTWARE) -> None:
        """Let ``cycles`` cycles pass; 0 returns at once."""
        if cycles > 0:
            await _Wait(None, cycles, rank)

    def start(self, coroutine: Coroutine[Any, Any, T], name: str | None = None) -> Task[T]:
        """Make a task that begins in this cycle, after those that are already ready."""
        task = Task(self, coroutine, name or str(getattr(coroutine, "__qualname__", "task")))
        self._tasks[task] = None
        self._ready.append(task)
        return task

    def run(self, coroutine: Coroutine[Any, Any, T], name: str = "main") -> T:
        """Run until ``coroutine`` ends and return its result.

        Raises: its error; ``Deadlock``; or, when it ended well, the first error of a task that
        nobody joined.
        """
        main = self.start(coroutine, name)
        while True:
            self._settle()
            if main.done.is_set():
                return self._finish(main)
            at = self._next_wake()
            if at is None:
                raise Deadlock(self.waiting())
            self._now = at

    def advance(self, until: int) -> None:
        """Run everything that is due up to and in cycle ``until``, which is now then.

        For a kernel that follows another one's time. Raises ValueError for a cycle in the past.
        """
        if until < self._now:
            raise ValueError(f"cycle {until} is over, it is {self._now}")
        self._settle()
        while (at := self._next_wake()) is not None and at <= until:
            self._now = at
            self._settle()
        self._now = until

    def waiting(self) -> str:
        """One line that names each live task and what it waits for."""
        return "; ".join(f"{task.name} waits for {task._waits_for}" for task in self._tasks)

    def unobserved(self) -> tuple[Task[Any], ...]:
        """Tasks that have ended in an error which nobody has been told of."""
        return tuple(self._unobserved)

    def _finish(self, task: Task[T]) -> T:
        result = task.outcome()
        for stray in list(self._unobserved):
            stray.outcome()
        return result

    def _wake(self, task: Task[Any]) -> None:
        task._waits_for = None
        self._ready.append(task)

    def _step(self, task: Task[Any]) -> None:
        try:
            wait = task._coroutine.send(None)
        except StopIteration as end:
            task._result = end.value
            self._end(task)
        except Exception as error:
            task._error = error
            self._unobserved[task] = None
            self._end(task)
        else:
            self._suspend(task, wait)

    def _end(self, task: Task[Any]) -> None:
        del self._tasks[task]
        task.done.set()

    def _suspend(self, task: Task[Any], wait: _Wait) -> None:
        if not isinstance(wait, _Wait):
            raise TypeError(f"task {task.name} awaited {wait!r}, which is not a kernel object")
        task._waits_for = wait
        if wait.event is not None:
            wait.event._waiters.append(task)
        if wait.cycles is not None:
            self._sequence += 1
            due = self._now + max(wait.cycles, 0)
            heapq.heappush(self._sleepers, (due, wait.rank, self._sequence, task, wait))

    def _settle(self) -> None:
        """Run everything that can run in the current cycle."""
        while True:
            if self._ready:
                self._step(self._ready.popleft())
            elif self._sleepers and self._sleepers[0][0] <= self._now:
                *_, task, wait = heapq.heappop(self._sleepers)
                if task._waits_for is wait:
                    if wait.event is not None:
                        wait.event._waiters.remove(task)
                    self._wake(task)
            else:
                return

    def _next_wake(self) -> int | None:
        """The cycle of the next sleeper that still sleeps, or None."""
        while self._sleepers and self._sleepers[0][3]._waits_for is not self._sleepers[0][4]:
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None


class Lock:
    """First in, first out. Use as ``async with lock:``."""

    def __init__(self, kernel: Kernel, name: str = "lock") -> None:
        self._kernel = kernel
        self._name = name
        self._held = False
        self._queue: deque[Event] = deque()

    async def __aenter__(self) -> None:
        if self._held:
            turn = self._kernel.event(self._name)
            self._queue.append(turn)
            await turn.wait()
        self._held = True

    async def __aexit__(self, *_: object) -> None:
        if self._queue:
            self._queue.popleft().set()  # stays held: the lock passes straight to the next one
        else:
            self._held = False


class Queue(Generic[T]):
    """Unbounded, first in, first out."""

    def __init__(self, kernel: Kernel, name: str = "queue") -> None:
        self._items: deque[T] = deque()
        self._filled = kernel.event(f"item in {name}")

    def put(self, item: T) -> None:
        self._items.append(item)
        self._filled.set()

    async def get(self) -> T:
        while not self._items:
            self._filled.clear()
            await self._filled.wait()
        return self._items.popleft()

    def __len__(self) -> int:
        return len(self._items)


class Cpu:
    """A host processor: work on it runs one piece at a time, first in, first out."""

    def __init__(self, kernel: Kernel, name: str = "cpu0") -> None:
        self.name = name
        self.lock = Lock(kernel, name)
        self._kernel = kernel

    async def spend(self, cycles: int) -> None:
        """Compute for ``cycles`` engine cycles."""
        if cycles > 0:
            async with self.lock:
                await self._kernel.sleep(cycles)


async def gather(kernel: Kernel, *coroutines: Coroutine[Any, Any, T]) -> list[T]:
    """Run all at the same time; results in order. Raises the first error once all have ended."""
    tasks = [kernel.start(coroutine) for coroutine in coroutines]
    for task in tasks:
        await task.done.wait()
    errors = [task._error for task in tasks if task._error is not None]
    for task in tasks:
        kernel._unobserved.pop(task, None)
    if errors:
        raise errors[0]
    return [task.outcome() for task in tasks]
