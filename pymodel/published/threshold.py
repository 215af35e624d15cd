"""The QCE's software threshold (a post of 2020): 54 cells of bytes per second, for three thresholds."""

from __future__ import annotations

from dataclasses import replace

from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.speed import Cell
from pymodel.published.cells import (
    ORDER,
    Comparison,
    Condition,
    Outcome,
    Reproduction,
    fit_in_words,
    read,
    sizes_of,
)
from pymodel.published.experiment import Rows, Task, hertz_of
from pymodel.published.words import listed, per_cent

SOFTWARE, HARDWARE = 32768, 0
"""Thresholds, aes_sw_max_len, with which everything is done in software, or on the engine."""
BOUNDS = {SOFTWARE: 0.03, HARDWARE: 0.15}
CROSSOVER = {128: 1024, 256: 768}
"""The smallest published size, in bytes, at which the engine is faster than software, by key bits."""
PROFILE = "ipq-2020"


class Threshold:
    name = "qce-threshold"
    title = "QCE: where software stops being faster than the engine (2020)"

    def __init__(self) -> None:
        self._published = read(self.name)

    def tasks(self) -> list[Task]:
        quirks = int(Quirk.all() & ~Quirk.LENGTH_512_HANG)
        cells = [Cell("ecb", int(row["key_bits"]), int(row["block_bytes"]),
                      aes_sw_max_len=int(row["aes_sw_max_len"])).to_json() for row in self._published]
        bench = BenchSpec.of(PROFILE, quirks=quirks, handles=quirks)
        return [Task("speed", bench, {"cells": cells})]

    def judge(self, rows: Rows) -> Reproduction:
        outcomes = []
        for row, done in zip(self._published, rows, strict=True):
            threshold = int(row["aes_sw_max_len"])
            labels = {"key_bits": int(row["key_bits"]), "bytes": int(row["block_bytes"]),
                      "aes_sw_max_len": threshold}
            simulated = done["bytes"] * hertz_of(PROFILE) / done["cycles"]
            outcomes.append(Outcome(labels, float(row["bytes_per_s"]), simulated, row["part"],
                                    BOUNDS.get(threshold)))
        crossovers = [_crossover(outcomes, bits) for bits in CROSSOVER]
        return Reproduction(
            self.name, "bytes/s", outcomes, None, crossovers,
            ["Published is CBC encryption; the engine here does ECB only, so simulated is one ECB request of "
             "the same size, with LENGTH_512_HANG strapped off and not worked round: CBC never hung.",
             fit_in_words(outcomes, "the least largest relative error of the cells marked fit, software and "
                          "engine each, with the two crossovers as a constraint"),
             f"Marked order are the cells of {_ordered(outcomes)}: that constraint meets them, so the fit "
             "used which of software and engine is faster there, and nothing else.",
             "aes_sw_max_len = 512 has no bound: where the request is the same one, the published cells of "
             "the other columns are up to 29 % above its own, and at 16 bytes 44 and 258 %."],
            _plots(outcomes), reached=_reached(outcomes, crossovers))


def _ordered(outcomes: list[Outcome]) -> str:
    by_key = {bits: [cell for cell in outcomes if cell.labels["key_bits"] == bits] for bits in CROSSOVER}
    return listed([f"AES-{bits} of {sizes_of(cells, ORDER)} bytes" for bits, cells in by_key.items()])


def _reached(outcomes: list[Outcome], crossovers: list[Condition]) -> str:
    largest = [per_cent(max(abs(cell.error or 0) for cell in outcomes
                            if cell.labels["aes_sw_max_len"] == threshold)) for threshold in BOUNDS]
    same = all(crossover.ok for crossover in crossovers)
    return f"{', '.join(largest)}; {'the same sizes' if same else 'other sizes'}"


def _crossover(outcomes: list[Outcome], bits: int) -> Condition:
    """Faster at every published size from that one on, and at none below; equal is not faster."""
    rates = {(cell.labels["bytes"], cell.labels["aes_sw_max_len"]): cell.simulated
             for cell in outcomes if cell.labels["key_bits"] == bits}
    sizes = sorted({size for size, _ in rates})
    faster = [size for size in sizes if rates[size, HARDWARE] > rates[size, SOFTWARE]]
    if not faster:
        found = "at no size"
    elif faster == sizes[-len(faster):]:
        found = f"from {faster[0]} bytes on"
    else:
        found = f"at {listed(faster)} bytes"
    return Condition(f"AES-{bits}: the engine is faster from {CROSSOVER[bits]} bytes on", found,
                     faster == [size for size in sizes if size >= CROSSOVER[bits]])


def _plots(outcomes: list[Outcome]) -> list[Comparison]:
    plots = []
    for bits in CROSSOVER:
        series = {name: [(cell.labels["bytes"], _megabytes(cell)) for cell in outcomes
                         if (cell.labels["key_bits"], cell.labels["aes_sw_max_len"]) == (bits, threshold)]
                  for name, threshold in (("software", SOFTWARE), ("engine", HARDWARE))}
        plots.append(Comparison(f"AES-{bits}, in software and on the engine", "request (bytes)",
                                "throughput (MB/s)", series))
    return plots


def _megabytes(cell: Outcome) -> Outcome:
    return replace(cell, published=cell.published / 1e6, simulated=cell.simulated / 1e6)
