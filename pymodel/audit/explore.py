"""Breadth-first search through the states of a machine, for the shortest sequence that goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

State = TypeVar("State", bound=Hashable)
Operation = TypeVar("Operation")

Verdict = Literal["proved", "wrong", "bounded"]
"""``proved``: no state that can be reached goes wrong. ``bounded``: none of those that were looked at."""


@dataclass(frozen=True, slots=True)
class Exploration(Generic[Operation]):
    """``states``: different ones that were reached. ``counterexample``: one of the shortest, when wrong."""

    verdict: Verdict
    states: int
    counterexample: tuple[Operation, ...] = ()


def explore(initial: State, operations: Callable[[State], Iterable[Operation]],
            step: Callable[[State, Operation], tuple[State, bool]],
            depth: int | None = None) -> Exploration[Operation]:
    """Every sequence of at most ``depth`` operations from ``initial`` on, or every sequence there is.

    ``step`` gives the next state, and whether what the operation did was right.
    """
    came_from: dict[State, tuple[State, Operation] | None] = {initial: None}
    frontier, steps = [initial], 0
    while frontier and (depth is None or steps < depth):
        found: list[State] = []
        for state in frontier:
            for operation in operations(state):
                after, right = step(state, operation)
                if not right:
                    return Exploration("wrong", len(came_from), (*_way_to(came_from, state), operation))
                if after not in came_from:
                    came_from[after] = (state, operation)
                    found.append(after)
        frontier, steps = found, steps + 1
    return Exploration("bounded" if frontier else "proved", len(came_from))


def _way_to(came_from: dict[State, tuple[State, Operation] | None], state: State) -> tuple[Operation, ...]:
    way: list[Operation] = []
    while (last := came_from[state]) is not None:
        state, operation = last
        way.append(operation)
    return tuple(reversed(way))
