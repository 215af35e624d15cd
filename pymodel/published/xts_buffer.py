"""The buffer of XTS tweaks that Linux dropped in 2018: 60 cells of cached tweaks against computed ones."""

from __future__ import annotations

from collections.abc import Sequence

from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.speed import Cell
from pymodel.memory import PAGE_BYTES
from pymodel.published.cells import (
    JUDGE,
    LEAST_SQUARES,
    Comparison,
    Condition,
    Outcome,
    Reproduction,
    fit_in_words,
    mean,
    read,
)
from pymodel.published.experiment import Rows, Task, hertz_of
from pymodel.published.words import figure, listed, per_cent

PROFILE = "x86-2018"
STRATEGIES = ("cached", "two-pass")


class XtsBuffer:
    name = "xts-buffer"
    title = "XTS: tweaks kept in a buffer, or computed a second time (2018)"

    def __init__(self) -> None:
        self._published = read(self.name)

    def tasks(self) -> list[Task]:
        cells = [Cell("xts", int(row["key_bits"]), int(row["data_bytes"]), strategy=row["strategy"],
                      decrypt=row["direction"] == "decryption", software=True).to_json()
                 for row in self._published]
        return [Task("speed", BenchSpec.of(PROFILE), {"cells": cells})]

    def judge(self, rows: Rows) -> Reproduction:
        outcomes = [Outcome({"strategy": row["strategy"], "key_bits": int(row["key_bits"]),
                             "bytes": int(row["data_bytes"]), "direction": row["direction"]},
                            float(row["ns"]), done["cycles"] / hertz_of(PROFILE) * 1e9, row["part"])
                    for row, done in zip(self._published, rows, strict=True)]
        sizes = sorted({cell.labels["bytes"] for cell in outcomes})
        signs, calls = [_sign(outcomes, size) for size in sizes], _calls(rows)
        return Reproduction(
            self.name, "ns", outcomes, None, [*signs, calls],
            ["The cipher is the CPU's: no engine of this bench takes part, its rounds are host work.",
             fit_in_words(outcomes, LEAST_SQUARES),
             f"No cell has a bound. Largest error of the judged cells: {_judged_in_words(outcomes)}."],
            [_plot(outcomes, sizes)],
            reached=f"{sum(sign.ok for sign in signs)} of {len(signs)} sizes; {calls.found}")


def _judged_in_words(outcomes: Sequence[Outcome]) -> str:
    """By size and strategy."""
    judged: dict[int, dict[str, list[float]]] = {}
    for cell in outcomes:
        if cell.part == JUDGE:
            size = judged.setdefault(cell.labels["bytes"], {})
            size.setdefault(cell.labels["strategy"], []).append(abs(cell.error or 0))
    return "; ".join(f"{size} bytes " + listed([f"{strategy} {per_cent(max(errors))}"
                                                for strategy, errors in found.items()])
                     for size, found in sorted(judged.items()))


def _difference(outcomes: Sequence[Outcome], size: int, simulated: bool) -> float:
    """Of a size, in ns: the mean of the six cached cells less that of the six two-pass ones."""
    return _mean(outcomes, size, "cached", simulated) - _mean(outcomes, size, "two-pass", simulated)


def _mean(outcomes: Sequence[Outcome], size: int, strategy: str, simulated: bool) -> float:
    return mean([cell.simulated if simulated else cell.published for cell in outcomes
                 if (cell.labels["bytes"], cell.labels["strategy"]) == (size, strategy)]) or 0


def _sign(outcomes: Sequence[Outcome], size: int) -> Condition:
    """Both above zero, or both below."""
    published, simulated = (_difference(outcomes, size, kind) for kind in (False, True))
    return Condition(f"{size} bytes: cached less two-pass, in the mean, has the sign of the published "
                     f"{_signed(published)} ns", f"{_signed(simulated)} ns", published * simulated > 0)


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + figure(value, "ns")


def _calls(rows: Rows) -> Condition:
    """One call for the tweak, and one for the data or for each page of it."""
    right = sum(row["calls"] == 1 + (-(-row["bytes"] // PAGE_BYTES) if row["strategy"] == "cached" else 1)
                for row in rows)
    return Condition("calls: one for the tweak, and one for the data, with cached one for each page of it",
                     f"{right} of {len(rows)} cells", right == len(rows))


def _plot(outcomes: Sequence[Outcome], sizes: Sequence[int]) -> Comparison:
    parts = {cell.labels["bytes"]: cell.part for cell in outcomes}
    series = {f"tweaks {strategy}": [
        (float(size), Outcome({"bytes": size, "strategy": strategy}, _mean(outcomes, size, strategy, False),
                              _mean(outcomes, size, strategy, True), parts[size])) for size in sizes]
              for strategy in STRATEGIES}
    return Comparison("XTS on the CPU, mean over keys and directions", "request (bytes)", "time (ns)", series)
