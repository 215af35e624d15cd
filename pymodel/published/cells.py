"""Published measurements as data, and what became of them on the bench."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.published.words import listed, per_cent

DATA = Path(__file__).parent / "data"

FIT, ORDER, JUDGE, SHOWN = "fit", "order", "judge", "shown"
PARTS: Mapping[str, str] = {
    FIT: "constants were fitted to the cell",
    ORDER: "the fit used only which of two such cells is faster",
    JUDGE: "the fit did not use the cell",
    SHOWN: "the cell is neither fitted nor judged",
}
"""Parts of a table, with their meaning. Which cell is in which stands in the data."""
BOUNDED = (FIT, ORDER, JUDGE)
"""Parts whose cells may have a bound."""
LEAST_SQUARES = "least squares of the relative errors of the cells marked fit"
"""A criterion of fits."""


def read(name: str) -> list[dict[str, str]]:
    """The rows of one table, each with its ``part``. Raises ValueError for a part that does not exist."""
    with (DATA / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["part"] not in PARTS:
            raise ValueError(f"{name}.csv: a cell of part '{row['part']}'")
    return rows


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
    of the cells that have a bound. ``notes``: what the reader must know to compare. ``reached``: the figures
    that docs/timing.md gives. ``failure``: why there are no cells, or an empty string."""

    experiment: str
    unit: str
    outcomes: Sequence[Outcome]
    mean_bound: float | None = None
    conditions: Sequence[Condition] = ()
    notes: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    reached: str = ""
    failure: str = ""

    def errors(self, part: str | None = None) -> list[float]:
        """Sizes of the errors of the cells with a bound, in one part or in all."""
        return [abs(cell.error) for cell in self.outcomes
                if cell.bound is not None and cell.error is not None and part in (None, cell.part)]

    def errors_in_words(self, part: str) -> str:
        """Number, largest and mean error of the cells of a part that have a bound."""
        errors = self.errors(part)
        return f"{len(errors)}: {per_cent(max(errors))}, {per_cent(mean(errors))}" if errors else "-"

    @property
    def max_error(self) -> float | None:
        return max(self.errors(), default=None)

    @property
    def mean_error(self) -> float | None:
        return mean(self.errors())

    @property
    def checks(self) -> list[Condition]:
        """All that must hold: the bounds first, where there are some, then the conditions."""
        bounds = []
        bounded = [cell for cell in self.outcomes if cell.bound is not None]
        if bounded:
            inside = sum(cell.ok for cell in bounded)
            bounds.append(Condition("cells within their bounds", f"{inside} of {len(bounded)}",
                                    inside == len(bounded)))
        if self.mean_bound is not None:
            found = self.mean_error
            bounds.append(Condition(f"mean error within {per_cent(self.mean_bound)}",
                                    per_cent(found, decimals=2),
                                    found is not None and found <= self.mean_bound))
        return [*bounds, *self.conditions]

    @property
    def ok(self) -> bool:
        return not self.failure and all(check.ok for check in self.checks)

    @property
    def result(self) -> str:
        """In a word: inside the bounds, or that the conditions hold where there are none."""
        if self.failure:
            return "FAILED"
        if any(cell.bound is not None for cell in self.outcomes):
            return "inside" if self.ok else "OUTSIDE"
        return "holds" if self.ok else "DOES NOT HOLD"

    def to_json(self) -> dict[str, Any]:
        return {"experiment": self.experiment, "cells": len(self.outcomes), "max_error": self.max_error,
                "mean_error": self.mean_error, "ok": self.ok}


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def fit_in_words(outcomes: Sequence[Outcome], criterion: str) -> str:
    """Which sizes were fitted and which judged, and by what ``criterion``."""
    fitted, judged = sizes_of(outcomes, FIT), sizes_of(outcomes, JUDGE)
    return f"Fitted to requests of {fitted} bytes, judged on {judged} as well; criterion: {criterion}."


def sizes_of(outcomes: Sequence[Outcome], part: str) -> str:
    """Sizes in bytes that have cells in a part, as in a sentence."""
    return listed(sorted({cell.labels["bytes"] for cell in outcomes if cell.part == part}))
