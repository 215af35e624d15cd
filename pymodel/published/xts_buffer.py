"""The buffer of XTS tweaks that Linux dropped in 2018: 60 cells of cached tweaks against computed ones."""

from __future__ import annotations

from collections.abc import Sequence

from pymodel.jobs.speed import Cell
from pymodel.memory import PAGE_BYTES
from pymodel.published.cells import Comparison, Condition, Outcome, Reproduction, mean, read
from pymodel.published.experiment import Rows, Task, bench_of, hertz_of

PROFILE = "x86-2018"


class XtsBuffer:
    name = "xts-buffer"
    title = "XTS: tweaks kept in a buffer, or computed a second time (2018)"

    def __init__(self) -> None:
        self._published = read(self.name)

    def tasks(self) -> list[Task]:
        cells = [Cell("xts", int(row["key_bits"]), int(row["data_bytes"]), strategy=row["strategy"],
                      decrypt=row["direction"] == "decryption", software=True).to_json()
                 for row in self._published]
        return [Task("speed", bench_of(PROFILE), {"cells": cells})]

    def judge(self, rows: Rows) -> Reproduction:
        outcomes = [Outcome({"strategy": row["strategy"], "key_bits": int(row["key_bits"]),
                             "bytes": int(row["data_bytes"]), "direction": row["direction"]},
                            float(row["ns"]), done["cycles"] / hertz_of(PROFILE) * 1e9, row["part"])
                    for row, done in zip(self._published, rows, strict=True)]
        sizes = sorted({cell.labels["bytes"] for cell in outcomes})
        return Reproduction(
            self.name, "ns", outcomes, None, [*(_sign(outcomes, size) for size in sizes), _calls(rows)],
            ["The cipher is the CPU's: no engine of this bench takes part, its rounds are host work.",
             "Fitted to requests of 64, 4096 and 32768 bytes, judged on 512 and 16384 as well."],
            [_plot(outcomes, sizes)])


def _difference(outcomes: Sequence[Outcome], size: int, simulated: bool) -> float:
    """Mean over the six cells of a size: cached less two-pass, in ns."""
    return _mean(outcomes, size, "cached", simulated) - _mean(outcomes, size, "two-pass", simulated)


def _mean(outcomes: Sequence[Outcome], size: int, strategy: str, simulated: bool) -> float:
    return mean([cell.simulated if simulated else cell.published for cell in outcomes
                 if (cell.labels["bytes"], cell.labels["strategy"]) == (size, strategy)]) or 0


def _sign(outcomes: Sequence[Outcome], size: int) -> Condition:
    published, simulated = (_difference(outcomes, size, kind) for kind in (False, True))
    return Condition(f"{size} bytes: cached takes longer than two-pass, as published ({published:+.0f} ns)",
                     f"{simulated:+.0f} ns", (published > 0) == (simulated > 0))


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
              for strategy in ("cached", "two-pass")}
    return Comparison("XTS on the CPU, mean over keys and directions", "request (bytes)", "time (ns)", series)
