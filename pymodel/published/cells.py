"""Published measurements as data, and what became of them on the bench."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

FIT, JUDGE, SHOWN = "fit", "judge", "shown"
"""Parts of a table: constants were fitted to ``fit``; ``judge`` was not looked at for that; ``shown`` has no
bound. Which cell is which stands in the data."""


def read(name: str) -> list[dict[str, str]]:
    """The rows of one table, each with its ``part``."""
    with (DATA / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One cell. ``labels``: where it is in the table. ``bound``: largest error allowed, or None.

    ``error`` is simulated over published, less 1; None where the two are not of a kind.
    """

    labels: Mapping[str, Any]
    published: float
    simulated: float
    part: str
    bound: float | None = None
    compared: bool = True

    @property
    def error(self) -> float | None:
        return self.simulated / self.published - 1 if self.compared else None

    @property
    def ok(self) -> bool:
        return self.bound is None or self.error is None or abs(self.error) <= self.bound

    def to_json(self) -> dict[str, Any]:
        return {**self.labels, "part": self.part, "published": self.published, "simulated": self.simulated,
                "error": self.error, "bound": self.bound, "ok": self.ok}


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must hold besides the errors, in words, with what was found."""

    text: str
    found: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Curves:
    """Values over ``x``, both with their units. ``series``: (x, y) points by thing, then by kind."""

    title: str
    x: str
    y: str
    series: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cells over ``x``, published and simulated, with their errors. ``series``: (x, cell) by thing."""

    title: str
    x: str
    y: str
    series: Mapping[str, Sequence[tuple[float, Outcome]]]


@dataclass(frozen=True, slots=True)
class Bars:
    """Cells that have names and no x, published beside simulated."""

    title: str
    y: str
    cells: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Range:
    """A cell whose simulated value is a median, between its quartiles ``lower`` and ``upper``."""

    cell: Outcome
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """Cells that have names: published beside simulated with its quartiles, along ``x``. ``groups``: cells by
    name, those of a group beside each other."""

    title: str
    x: str
    groups: Sequence[Mapping[str, Range]]


Plot = Curves | Comparison | Bars | Ranges


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An experiment done again. ``unit``: of published and simulated. ``mean_bound``: on the mean error
    of the cells that have a bound. ``notes``: what the reader must know to compare."""

    experiment: str
    unit: str
    outcomes: Sequence[Outcome]
    mean_bound: float | None = None
    conditions: Sequence[Condition] = ()
    notes: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def errors(self, part: str | None = None) -> list[float]:
        """Of the cells with a bound, in one part or in all."""
        return [abs(cell.error) for cell in self.outcomes
                if cell.bound is not None and cell.error is not None and part in (None, cell.part)]

    @property
    def max_error(self) -> float | None:
        return max(self.errors(), default=None)

    @property
    def mean_error(self) -> float | None:
        return mean(self.errors())

    @property
    def ok(self) -> bool:
        too_much = (self.mean_bound is not None and self.mean_error is not None
                    and self.mean_error > self.mean_bound)
        return (not too_much and all(cell.ok for cell in self.outcomes)
                and all(condition.ok for condition in self.conditions))

    def to_json(self) -> dict[str, Any]:
        return {"experiment": self.experiment, "cells": len(self.outcomes), "max_error": self.max_error,
                "mean_error": self.mean_error, "ok": self.ok}


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
