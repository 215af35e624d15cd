"""Mode code factored out of the ciphers (Solaris): 72 cells of per cent of execution time."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from pymodel.errors import InvalidRequest
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.factoring import CIPHERS, GENERIC, REQUEST_BYTES, SPECIALISED, all_rows
from pymodel.jobs.factoring_ways import Row
from pymodel.published.cells import SHOWN, Condition, Outcome, Range, Ranges, Reproduction, read
from pymodel.published.experiment import Rows, Task

REPEATS = 21
"""Pairs of measured requests for each row; the quartiles are the 6th and the 16th of them."""


class ModeFactoring:
    name = "mode-factoring"
    title = "One mode code for all ciphers and formats, against code written for each (Solaris)"

    def __init__(self) -> None:
        self._published = read(self.name)

    def tasks(self) -> list[Task]:
        """Raises InvalidRequest when the table has not one line for each row."""
        self._changes()
        return [Task("factoring", BenchSpec(), {"repeats": REPEATS})]

    def judge(self, rows: Rows) -> Reproduction:
        changes, ranges = self._changes(), {}
        for row, done in zip(all_rows(), rows, strict=True):
            assert asdict(row).items() <= done.items(), f"{row}: another row was done"
            lower, upper = done["lower_percent"], done["upper_percent"]
            labels = {**asdict(row), "spread": f"{lower:.1f} to {upper:.1f}"}
            cell = Outcome(labels, changes[row], done["change_percent"], SHOWN, compared=False)
            ranges[row] = Range(cell, lower, upper)
        outcomes = [one.cell for one in ranges.values()]
        conditions = _conditions(rows)
        calls, blocks, cycles, _ = (condition.found for condition in conditions)
        return Reproduction(self.name, "% of time", outcomes, None, conditions, _notes(outcomes),
                            [_plot(ranges, cipher) for cipher in CIPHERS],
                            reached=f"calls {calls}, blocks {blocks}, cycles {cycles}")

    def _changes(self) -> Mapping[Row, float]:
        """The published ones by row, all of them."""
        lines = [(Row(line["direction"], line["format"], line["ctx_template"] == "True",
                      line["in_place"] == "True", line["cipher"]),
                  float(line["percent_change_of_execution_time"])) for line in self._published]
        rows, found = list(all_rows()), Counter(row for row, _ in lines)
        if found != Counter(rows):
            odd = min(str(row) for row in {*rows, *found} if (row in rows, found[row]) != (True, 1))
            raise InvalidRequest(f"{self.name}.csv needs one line for each of {len(rows)} rows: see {odd}")
        return dict(lines)


def _conditions(rows: Rows) -> list[Condition]:
    on_engine = [row for row in rows if row["cipher"] == "aes"]
    runs, right = (sum(row[name] for row in rows) for name in ("runs", "right"))
    return [_same(rows, "calls", "engine calls"), _same(rows, "blocks", "blocks"),
            _same(on_engine, "engine_cycles", "engine cycles (AES)"),
            Condition("every byte as CBC of the cryptography package gives it, and none beside the data "
                      "written", f"{right:,} of {runs:,} requests", right == runs > 0)]


def _same(rows: Rows, figure: str, text: str) -> Condition:
    """One number above 0, found in every request of a row, whichever code made it."""
    equal = 0
    for row in rows:
        generic, specialised = (row[f"{figure}_{way}"] for way in (GENERIC, SPECIALISED))
        equal += generic == specialised and len(generic) == 1 and generic[0] > 0
    return Condition(f"generic and specialised: the same {text}", f"{equal} of {len(rows)} rows",
                     equal == len(rows) > 0)


def _notes(outcomes: Sequence[Outcome]) -> list[str]:
    medians = []
    for cipher in CIPHERS:
        cells = [cell for cell in outcomes if cell.labels["cipher"] == cipher]
        medians.append(f"{cipher} {statistics.median(cell.published for cell in cells):+.2f} and "
                       f"{statistics.median(cell.simulated for cell in cells):+.1f} %")
    return ["Simulated is how much longer the generic code of this Python takes than the specialised for a "
            f"request of {REQUEST_BYTES} bytes, the median of {REPEATS} pairs; spread is from the lower to "
            "the upper quartile. It says nothing about C code and has no bound: what is compared is what the "
            "engine is asked to do.",
            "Specialised is code for one format and direction. What a cipher has of its own is the engine, "
            "which both call; the published code was written for one cipher as well.",
            "The clock leaves out what other processes take. It runs while the model of the engine works, in "
            "Python as well, and stands still while a simulator does.",
            f"Medians of the rows, published and simulated: {'; '.join(medians)}."]


def _plot(ranges: Mapping[Row, Range], cipher: str) -> Ranges:
    groups: dict[tuple[str, str], dict[str, Range]] = {}
    for row, one in ranges.items():
        if row.cipher == cipher:
            groups.setdefault((row.direction, row.format), {})[str(row).removeprefix(f"{cipher} ")] = one
    return Ranges(f"{cipher}: generic mode code against specialised", "change of execution time (%)",
                  list(groups.values()))
