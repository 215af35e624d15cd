"""Mode code factored out of the ciphers (Solaris): 72 cells of per cent of execution time."""

from __future__ import annotations

from dataclasses import asdict

from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.factoring import all_rows
from pymodel.published.cells import SHOWN, Condition, Outcome, Reproduction, read
from pymodel.published.experiment import Rows, Task

REPEATS = 5


class ModeFactoring:
    name = "mode-factoring"
    title = "One mode code for all ciphers and formats, against code written for each (Solaris)"

    def __init__(self) -> None:
        self._published = {
            (row["direction"], row["format"], row["ctx_template"] == "True", row["in_place"] == "True",
             row["cipher"]): float(row["percent_change_of_execution_time"]) for row in read(self.name)}

    def tasks(self) -> list[Task]:
        return [Task("factoring", BenchSpec(), {"repeats": REPEATS})]

    def judge(self, rows: Rows) -> Reproduction:
        outcomes = []
        for row, done in zip(all_rows(), rows, strict=True):
            published = self._published[row.direction, row.format, row.ctx_template, row.in_place, row.cipher]
            labels = {**asdict(row), "spread": done["spread_percent"]}
            outcomes.append(Outcome(labels, published, done["change_percent"], SHOWN, compared=False))
        return Reproduction(
            self.name, "% of time", outcomes, None,
            [_same(rows, "calls", "engine calls"), _same(rows, "blocks", "blocks"),
             _same(rows, "engine_cycles", "engine cycles (AES)"),
             Condition("the same bytes", f"{sum(row['ok'] for row in rows)} of {len(rows)} rows",
                       all(row["ok"] for row in rows))],
            ["Simulated is the wall clock of this Python, generic over specialised; spread is from the lower "
             f"to the upper quartile of {REPEATS} repeats. It says nothing about C code, and has no bound: "
             "what is compared is what the engine is asked to do."])


def _same(rows: Rows, figure: str, text: str) -> Condition:
    equal = sum(row[f"{figure}_generic"] == row[f"{figure}_specialised"] for row in rows)
    return Condition(f"the same {text}", f"{equal} of {len(rows)} rows", equal == len(rows))
