"""A limit on the time that an access may take, in a kernel that cannot cancel anything."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any, TypeVar

from pymodel.errors import EcbenchError
from pymodel.kernel import Kernel, Task, _Wait

T = TypeVar("T")


class Overdue(Exception):
    """It has not ended in time, and goes on as ``task``, whose error will be nobody's."""

    def __init__(self, task: Task[None]) -> None:
        self.task = task
        super().__init__(task.name)


@coroutine
def within(kernel: Kernel, limit: int, access: Coroutine[Any, Any, T],
           name: str) -> Generator[_Wait, None, T]:
    """The result of ``access``, or its error. Raises Overdue if it takes more than ``limit`` cycles.

    It runs in the caller's own turn, not in a task of its own, so whatever ends in time happens in the
    order and at the cycles at which it would without a limit.
    """
    end = kernel.now() + limit
    while True:
        try:
            wait = access.send(None)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]
        due = None if wait.cycles is None else kernel.now() + wait.cycles
        yield _Wait(wait.event, (end if due is None else min(due, end)) - kernel.now(), wait.rank)
        if kernel.now() >= end and not _over(kernel, wait, due):
            raise Overdue(kernel.start(_rest(kernel, access, wait, due), name))


@coroutine
def _rest(kernel: Kernel, access: Coroutine[Any, Any, Any], wait: _Wait,
          due: int | None) -> Generator[_Wait, None, None]:
    """Let ``access`` wait on, to its end."""
    while True:
        if not _over(kernel, wait, due):
            yield _Wait(wait.event, None if due is None else due - kernel.now(), wait.rank)
        try:
            wait = access.send(None)
        except (StopIteration, EcbenchError):
            return
        due = None if wait.cycles is None else kernel.now() + wait.cycles


def _over(kernel: Kernel, wait: _Wait, due: int | None) -> bool:
    return (wait.event is not None and wait.event.is_set()) or (due is not None and kernel.now() >= due)
