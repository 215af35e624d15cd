"""What an experiment is: requests on benches, and a verdict on what came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.profiles import PROFILES
from pymodel.published.cells import Reproduction

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Task:
    """A job of ``pymodel.jobs`` on a bench."""

    job: str
    bench: BenchSpec
    spec: dict[str, Any]


class Experiment(Protocol):
    """``name``: as on the command line. ``title``: one line."""

    name: str
    title: str

    def tasks(self) -> list[Task]: ...

    def judge(self, rows: Rows) -> Reproduction:
        """``rows``: those that the tasks reported, in order."""


def hertz_of(profile: str) -> float:
    """Engine cycles a second."""
    found = PROFILES[profile].hertz
    assert found is not None
    return found.value
