"""The QCE's software threshold (a post of 2020): 54 cells of bytes per second, for three thresholds."""

from __future__ import annotations

from dataclasses import replace

from pymodel.engines.quirks import Quirk
from pymodel.jobs.speed import Cell
from pymodel.published.cells import Comparison, Condition, Outcome, Reproduction, read
from pymodel.published.experiment import Rows, Task, bench_of, hertz_of

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
        bench = bench_of(PROFILE, engine="qce", quirks=quirks, handles=quirks)
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
        return Reproduction(
            self.name, "bytes/s", outcomes, None,
            [_crossover(outcomes, bits) for bits in CROSSOVER],
            ["Published is CBC encryption; the engine here does ECB only, so simulated is one ECB request of "
             "the same size, with LENGTH_512_HANG strapped off and not worked round: CBC never hung.",
             "Fitted to requests of 16, 256, 1024, 2048 and 8192 bytes, with the two crossovers as a "
             "constraint.",
             "aes_sw_max_len = 512 has no bound: where the request is the same one, the published cells of "
             "the other columns are up to 29 % above its own, and at 16 bytes 44 and 258 %."],
            _plots(outcomes))


def _crossover(outcomes: list[Outcome], bits: int) -> Condition:
    rates = {(cell.labels["bytes"], cell.labels["aes_sw_max_len"]): cell.simulated
             for cell in outcomes if cell.labels["key_bits"] == bits}
    sizes = sorted({size for size, _ in rates})
    faster = [size for size in sizes if rates[size, HARDWARE] > rates[size, SOFTWARE]]
    found = min(faster, default=0)
    holds = faster == [size for size in sizes if size >= CROSSOVER[bits]]
    return Condition(f"AES-{bits}: the engine is faster from {CROSSOVER[bits]} bytes on",
                     f"from {found} bytes on", holds)


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
