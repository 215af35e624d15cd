"""XTS over the PadLock's ECB (posts of 2010): block by block, two passes, and many data units at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pymodel.costs import HostWork
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.profiles import PROFILES
from pymodel.jobs.speed import Cell
from pymodel.published.cells import Bars, Condition, Outcome, Reproduction, mean, read
from pymodel.published.experiment import Rows, Task, hertz_of
from pymodel.published.words import figure, listed

SECTOR = 512
UNITS_AT_ONCE = 8
"""Sectors in a request of ``batch``: a page."""
WISHED_BYTES = 8192
PROFILE = "via-nano-2010"
READ = "read-disk"
NO_CIPHER = "none"
"""The strategy of rows that were measured without encryption."""


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


def _published(table: Sequence[dict[str, str]]) -> list[_Row]:
    runs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in table:
        if row["strategy"] != NO_CIPHER:
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
        table = read(self.name)
        self._published = _published(table)
        self._plain = [row for row in table if row["strategy"] == NO_CIPHER]

    def tasks(self) -> list[Task]:
        cells = [row.cell() for row in self._published] + _wished()
        return [Task("speed", BenchSpec.of(PROFILE), {"cells": [cell.to_json() for cell in cells]})]

    def judge(self, rows: Rows) -> Reproduction:
        measured, wished = rows[:len(self._published)], rows[len(self._published):]
        outcomes = [Outcome({"strategy": row.strategy, "test": row.test}, row.mb_per_s,
                            _mb_per_s(done["bytes"], done["cycles"]), row.part)
                    for row, done in zip(self._published, measured, strict=True)]
        by_sector = _by_sector(next(done for row, done in zip(self._published, measured, strict=True)
                                    if row.strategy == "batch"))
        rates = [_rate(outcomes, strategy).simulated for strategy in ("per-block", "two-pass", "batch")]
        order, wish = _order(rates, by_sector), _wish(wished)
        published, predicted = _gain(outcomes)
        notes = [
            "Fitted to the write test: two constants from two cells, exactly; the read test is predicted.",
            f"Two passes over one call for each block, reading: published {published:.2f}, predicted "
            f"{predicted:.2f}. Engine and host work are the same in both directions here, so the prediction "
            "is the write test's.",
            "batch is DiskCryptor's: other software, which read from a disk of 94 MB/s that the simulation "
            f"does not have. Here it makes one request of {UNITS_AT_ONCE} sectors, and the host's work, "
            f"fitted to requests of one sector, counts once: {figure(rates[-1], 'MB/s')} MB/s. Counted for "
            f"each of the sectors it leaves {figure(by_sector, 'MB/s')} MB/s.",
            _wish_in_words(wished), _plain_in_words(self._plain)]
        return Reproduction(self.name, "MB/s", outcomes, None, [order, wish], notes, [_bars(outcomes)],
                            reached=f"{_proportion(rates)} MB/s, {figure(by_sector, 'MB/s')} by the sector; "
                                    f"{wish.found}")


def _mb_per_s(size: int, cycles: float) -> float:
    return size * hertz_of(PROFILE) / cycles / 1e6


def _by_sector(row: dict[str, Any]) -> float:
    """MB/s of a request of many sectors, if the host's work for a request came for each of them."""
    request = PROFILES[PROFILE].host[HostWork.REQUEST].value
    return _mb_per_s(row["bytes"], row["cycles"] + (row["bytes"] // SECTOR - 1) * request)


def _rate(outcomes: Sequence[Outcome], strategy: str) -> Outcome:
    """Of the read test."""
    return next(cell for cell in outcomes
                if (cell.labels["strategy"], cell.labels["test"]) == (strategy, READ))


def _gain(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Two passes over block by block in the read test: (published, simulated)."""
    two, one = (_rate(outcomes, strategy) for strategy in ("two-pass", "per-block"))
    return two.published / one.published, two.simulated / one.simulated


def _order(rates: Sequence[float], by_sector: float) -> Condition:
    """``rates``: of per-block, two-pass and batch. ``by_sector``, the last one's lower figure, must do."""
    per_block, two_pass, _ = rates
    return Condition("per-block < two-pass < batch, reading, batch also with the host's work for each sector",
                     f"{_proportion(rates)}, {figure(by_sector, 'MB/s')}",
                     per_block < two_pass < by_sector)


def _proportion(rates: Sequence[float]) -> str:
    return " : ".join(figure(rate, "MB/s") for rate in rates)


def _bound(rows: Rows) -> tuple[int, int]:
    """Engine cycles of ``batch``, and those of ECB, of ECB of the tweaks, and of two key loads."""
    batch, ecb, held, loaded, _ = (int(row["engine_cycles"]) for row in rows)
    return batch, ecb + held + 2 * (loaded - held)


def _wish(rows: Rows) -> Condition:
    batch, bound = _bound(rows)
    return Condition("XTS of 8192 bytes in data units of 512, batch and engine-state: no more engine cycles "
                     "than ECB of the same length, ECB of the tweaks, and two key loads",
                     f"{batch:,} of {bound:,}", batch <= bound)


def _wish_in_words(rows: Rows) -> str:
    batch, per_block = rows[0], rows[-1]
    return (f"XTS of {WISHED_BYTES} bytes in {WISHED_BYTES // SECTOR} data units with the host's work: "
            f"{batch['cycles']:,} cycles by batch, {per_block['cycles']:,} block by block in one request.")


def _plain_in_words(rows: Sequence[dict[str, str]]) -> str:
    """``rows``: without a strategy."""
    found = listed([f"{row['implementation']} {row['test']} {row['mb_per_s']} MB/s" for row in rows])
    return f"Not simulated, because nothing is encrypted in them: {found}."


def _bars(outcomes: Sequence[Outcome]) -> Bars:
    return Bars(f"XTS, sectors of {SECTOR} bytes", "throughput (MB/s)",
                {f"{cell.labels['strategy']}\n{cell.labels['test']}": cell for cell in outcomes})
