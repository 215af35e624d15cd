"""An in-order scoreboard that cannot pass everything.

It fails on an item that differs from what was expected (unmatched), on one that nobody expected
(unexpected), on one that never came (missing), and on a run in which nothing was compared.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, fields
from typing import Any


class ScoreboardError(AssertionError):
    """The message lists the first failures, each with the fields that differ."""


@dataclass(slots=True)
class _Expected:
    label: str
    item: Any


class Scoreboard:
    """Items are dataclasses; fields named in ``ignore`` are not compared."""

    def __init__(self, name: str, ignore: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.matched = 0
        self.failures: list[str] = []
        self._ignore = ignore
        self._expected: deque[_Expected] = deque()

    def expect(self, item: Any, label: str = "item") -> None:
        self._expected.append(_Expected(label, item))

    def withdraw(self) -> None:
        """Forget what is expected: a reset abandoned it."""
        self._expected.clear()

    def replace(self, item: Any) -> None:
        """What was expected last has changed, for instance through an interrupt."""
        self._expected[-1].item = item

    def observe(self, item: Any) -> None:
        if not self._expected:
            self.failures.append(f"unexpected: {item}")
            return
        expected = self._expected.popleft()
        differences = self._differences(expected.item, item)
        if differences:
            self.failures.append(f"unmatched: {expected.label}: " + "; ".join(differences))
        else:
            self.matched += 1

    def report(self, failure: str) -> None:
        """Note a failure that another check found, for instance a write outside the destination."""
        self.failures.append(failure)

    def problems(self) -> list[str]:
        """Every failure so far, and what is still missing."""
        return self.failures + [f"missing: {expected.label}: {expected.item}" for expected in self._expected]

    def check(self, at_least: int = 1) -> None:
        """Drain and judge. Raises ScoreboardError."""
        problems = self.problems()
        if not problems and self.matched < at_least:
            problems = [f"only {self.matched} items compared, at least {at_least} wanted"]
        if problems:
            shown = "\n  ".join(problems[:10])
            more = f"\n  and {len(problems) - 10} more" if len(problems) > 10 else ""
            raise ScoreboardError(f"scoreboard {self.name}: {self.matched} matched\n  {shown}{more}")

    def _differences(self, expected: Any, observed: Any) -> list[str]:
        if type(expected) is not type(observed):
            return [f"expected {expected}, observed {observed}"]
        return [f"{field.name}: expected {_shown(want)}, observed {_shown(got)}"
                for field in fields(expected) if field.name not in self._ignore
                for want, got in [(getattr(expected, field.name), getattr(observed, field.name))]
                if want != got]


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        ends = f"{value[:16].hex()}..{value[-16:].hex()}"
        return value.hex() if len(value) <= 48 else f"{len(value)} bytes {ends}"
    return hex(value) if type(value) is int else str(value)
