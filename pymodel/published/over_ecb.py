"""XTS over the PadLock's ECB (posts of 2010): block by block, two passes, and many data units at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pymodel.jobs.speed import Cell
from pymodel.published.cells import Bars, Condition, Outcome, Reproduction, mean, read
from pymodel.published.experiment import Rows, Task, bench_of, hertz_of

SECTOR = 512
UNITS_AT_ONCE = 8
"""Sectors in a request of ``batch``: a page."""
WISHED_BYTES = 8192
PROFILE = "via-nano-2010"
READ = "read-disk"


@dataclass(frozen=True, slots=True)
class _Row:
    """One strategy in one test, the mean of its runs."""

    strategy: str
    test: str
    mb_per_s: float
    part: str

    def cell(self) -> Cell:
        units = UNITS_AT_ONCE if self.strategy == "batch" else 1
        return Cell("xts", 256, SECTOR * units, decrypt=self.test == READ, strategy=self.strategy,
                    unit_bytes=SECTOR)


def _published() -> list[_Row]:
    runs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in read(OverEcb.name):
        if row["strategy"] != "none":
            runs.setdefault((row["strategy"], row["test"]), []).append(row)
    return [_Row(strategy, test, mean([float(row["mb_per_s"]) for row in rows]) or 0, rows[0]["part"])
            for (strategy, test), rows in runs.items()]


def _wished() -> list[Cell]:
    """XTS of 8192 bytes by ``batch``, and what it is measured against."""
    tweaks = WISHED_BYTES // SECTOR * 16
    return [Cell("xts", 256, WISHED_BYTES, strategy="batch", unit_bytes=SECTOR, policy="engine-state"),
            Cell("ecb", 128, WISHED_BYTES, policy="engine-state"),
            Cell("ecb", 128, tweaks, policy="engine-state"),
            Cell("ecb", 128, tweaks, policy="always"),
            Cell("xts", 256, WISHED_BYTES, strategy="per-block", unit_bytes=SECTOR, policy="engine-state")]


class OverEcb:
    name = "xts-over-ecb"
    title = "XTS over the PadLock's ECB: block by block, two passes, many data units at once (2010)"

    def __init__(self) -> None:
        self._published = _published()

    def tasks(self) -> list[Task]:
        cells = [row.cell() for row in self._published] + _wished()
        return [Task("speed", bench_of(PROFILE), {"cells": [cell.to_json() for cell in cells]})]

    def judge(self, rows: Rows) -> Reproduction:
        measured = rows[:len(self._published)]
        outcomes = [Outcome({"strategy": row.strategy, "test": row.test}, row.mb_per_s,
                            done["bytes"] * hertz_of(PROFILE) / done["cycles"] / 1e6, row.part)
                    for row, done in zip(self._published, measured, strict=True)]
        gain = _gain(outcomes)
        notes = [
            "Fitted to the write test, so that its two cells come out; the read test is predicted.",
            f"Two passes over one call for each block, reading: published {gain[0]:.2f}, predicted "
            f"{gain[1]:.2f}. Engine and host work are the same in both directions here, so the prediction is "
            "the write test's.",
            "batch is DiskCryptor's: other software, which read from a disk of 94 MB/s that the simulation "
            f"does not have. Here it makes one request of {UNITS_AT_ONCE} sectors, and the host's work for a "
            "request counts once.",
            *_wish_in_words(rows[len(self._published):])]
        return Reproduction(self.name, "MB/s", outcomes, None,
                            [_order(outcomes), _wish(rows[len(self._published):])], notes, [_bars(outcomes)])


def _rate(outcomes: Sequence[Outcome], strategy: str, test: str) -> Outcome:
    return next(cell for cell in outcomes
                if (cell.labels["strategy"], cell.labels["test"]) == (strategy, test))


def _gain(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Two passes over block by block in the read test: (published, simulated)."""
    two, one = (_rate(outcomes, strategy, READ) for strategy in ("two-pass", "per-block"))
    return two.published / one.published, two.simulated / one.simulated


def _order(outcomes: Sequence[Outcome]) -> Condition:
    rates = [_rate(outcomes, strategy, READ).simulated for strategy in ("per-block", "two-pass", "batch")]
    found = " : ".join(f"{rate:.1f}" for rate in rates)
    return Condition("per-block < two-pass < batch, reading", found, rates == sorted(set(rates)))


def _bound(rows: Rows) -> tuple[int, int]:
    """Engine cycles of ``batch``, and those of ECB, of ECB of the tweaks, and of two key loads."""
    batch, ecb, held, loaded, _ = (int(row["engine_cycles"]) for row in rows)
    return batch, ecb + held + 2 * (loaded - held)


def _wish(rows: Rows) -> Condition:
    batch, bound = _bound(rows)
    return Condition("XTS of 8192 bytes, batch and engine-state: no more engine cycles than ECB of the same "
                     "length, ECB of the tweaks, and two key loads",
                     f"{batch:,} against {bound:,}", batch <= bound)


def _wish_in_words(rows: Sequence[dict[str, Any]]) -> list[str]:
    batch, per_block = rows[0], rows[-1]
    return [f"XTS of 8192 bytes in 16 data units with the host's work: {batch['cycles']:,} cycles by batch, "
            f"{per_block['cycles']:,} block by block in one request."]


def _bars(outcomes: Sequence[Outcome]) -> Bars:
    return Bars(f"XTS, sectors of {SECTOR} bytes", "throughput (MB/s)",
                {f"{cell.labels['strategy']}\n{cell.labels['test']}": cell for cell in outcomes})
