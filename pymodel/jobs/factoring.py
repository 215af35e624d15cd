"""The job ``factoring``: the mode code, which knows neither cipher nor format, against CBC written by hand.

For each cipher, format of the data, direction, in place or not, and key made beforehand or for the request,
both must make the same engine calls with the same blocks, take the same engine cycles, and give the same
bytes. How long Python takes is measured as well.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from pymodel.block_engine import BlockEngine, EngineCounters
from pymodel.buffers import Buffers, Piece
from pymodel.drivers.software import SoftwareEngine
from pymodel.drivers.software_ciphers import SOFTWARE_CIPHERS
from pymodel.jobs import specialised
from pymodel.jobs.bench import Bench, Report
from pymodel.modes import Cbc

CIPHERS: Mapping[str, int] = {"aes": 16, "blowfish": 16, "des": 8}
"""Bytes of their keys. AES is the bench's engine, the others are software."""
FORMATS = ("RAW", "UIO", "MBLK")
REQUEST_BYTES = 512
_PIECES = 4


@dataclass(frozen=True, slots=True)
class Row:
    """``ctx_template``: the key has been made beforehand."""

    direction: str
    format: str
    ctx_template: bool
    in_place: bool
    cipher: str


def all_rows() -> Iterator[Row]:
    """24 for each cipher."""
    for cipher, direction, format_, template, in_place in product(
            CIPHERS, ("encrypt", "decrypt"), FORMATS, (False, True), (True, False)):
        yield Row(direction, format_, template, in_place, cipher)


async def compare_factoring(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``repeats`` of each request, generic and specialised in turn. Reports a ``row`` for each Row:
    calls, blocks and engine cycles of both, ``change_percent`` (median) and ``spread_percent`` (from the
    lower to the upper quartile) of the generic code's time over the other, and ``ok``."""
    ok = True
    for row in all_rows():
        found = await _compare(bench, row, int(spec["repeats"]))
        ok = ok and found["ok"]
        report({"kind": "row", **asdict(row), **found})
    problems = bench.problems()
    return {"ok": ok and not problems, "problems": problems}


@dataclass(slots=True)
class _Run:
    counters: EngineCounters
    seconds: float
    result: bytes


async def _compare(bench: Bench, row: Row, repeats: int) -> dict[str, Any]:
    engine = _engine(bench, row.cipher)
    place = _Place(engine, row)
    try:
        runs: dict[str, list[_Run]] = {"generic": [], "specialised": []}
        for _ in range(repeats + 1):  # the first of each warms up
            for name, work in (("generic", place.generic), ("specialised", place.specialised)):
                runs[name].append(await place.run(work))
    finally:
        place.release()
    one, other = (runs[name][-1] for name in ("generic", "specialised"))
    changes = [100 * (a.seconds / b.seconds - 1)
               for a, b in zip(runs["generic"][1:], runs["specialised"][1:], strict=True)]
    figures = {f"{figure}_{name}": value for name, run in (("generic", one), ("specialised", other))
               for figure, value in _figures(run.counters).items()}
    same = _figures(one.counters) == _figures(other.counters) and one.result == other.result
    quartiles = statistics.quantiles(changes, n=4) if len(changes) > 1 else [changes[0]] * 3
    return {**figures, "change_percent": round(statistics.median(changes), 2),
            "spread_percent": round(quartiles[2] - quartiles[0], 2), "ok": same}


def _figures(counters: EngineCounters) -> dict[str, int]:
    return {"calls": counters.calls, "blocks": counters.hardware_blocks + counters.software_blocks,
            "engine_cycles": counters.engine_cycles}


def _engine(bench: Bench, cipher: str) -> BlockEngine:
    if cipher == "aes":
        return bench.engine()
    return SoftwareEngine(bench.memory, bench.kernel, bench.cpus[0], cipher=SOFTWARE_CIPHERS[cipher])


class _Place:
    """Memory for the requests of a row, and the two ways to do them."""

    def __init__(self, engine: BlockEngine, row: Row) -> None:
        self._engine = engine
        self._row = row
        self._key = bytes(range(1, CIPHERS[row.cipher] + 1))
        self._iv = bytes(range(engine.block_size))
        self._data = bytes(index & 0xFF for index in range(REQUEST_BYTES))
        self._addresses = [engine.memory.allocate(REQUEST_BYTES, 16) for _ in range(1 if row.in_place else 2)]
        self._scratch = engine.memory.allocate(engine.block_size, 16)
        src, dst = (self._pieces(address) for address in (self._addresses[0], self._addresses[-1]))
        self._src, self._dst = Buffers(src), Buffers(dst)
        self._chains = self._src.as_mblk(), self._dst.as_mblk()
        self._template = Cbc(engine, self._key)
        self._template_key = engine.key(self._key)

    def _pieces(self, address: int) -> list[Piece]:
        size = REQUEST_BYTES if self._row.format == "RAW" else REQUEST_BYTES // _PIECES
        return [Piece(start, size) for start in range(address, address + REQUEST_BYTES, size)]

    def release(self) -> None:
        self._template.close()
        self._engine.release(self._template_key)
        for address in (*self._addresses, self._scratch):
            self._engine.memory.free(address)

    async def run(self, work: Callable[[], Awaitable[None]]) -> _Run:
        memory = self._engine.memory
        self._src.scatter(memory, self._data)
        before, began = self._engine.counters.copy(), time.perf_counter()
        await work()
        seconds = time.perf_counter() - began
        return _Run(self._engine.counters.since(before), seconds, self._dst.read(memory))

    async def generic(self) -> None:
        """``Cbc``; the data arrives in its format and becomes Buffers."""
        if self._row.format == "RAW":
            src, dst = (Buffers.raw(address, REQUEST_BYTES)
                        for address in (self._addresses[0], self._addresses[-1]))
        elif self._row.format == "UIO":
            src, dst = Buffers.uio(self._src.pieces), Buffers.uio(self._dst.pieces)
        else:
            src, dst = Buffers.mblk(self._chains[0]), Buffers.mblk(self._chains[1])
        cbc = self._template if self._row.ctx_template else Cbc(self._engine, self._key)
        await (cbc.encrypt if self._row.direction == "encrypt" else cbc.decrypt)(self._iv, src, dst)
        if not self._row.ctx_template:
            cbc.close()

    async def specialised(self) -> None:
        key = self._template_key if self._row.ctx_template else self._engine.key(self._key)
        await self._by_hand(key)
        if not self._row.ctx_template:
            self._engine.release(key)

    async def _by_hand(self, key: Any) -> None:
        engine, iv, scratch = self._engine, self._iv, self._scratch
        src, dst, encrypt = self._src.pieces, self._dst.pieces, self._row.direction == "encrypt"
        if self._row.format == "RAW":
            source, destination = self._addresses[0], self._addresses[-1]
            if encrypt:
                await specialised.encrypt_raw(engine, key, iv, source, destination, REQUEST_BYTES, scratch)
            else:
                await specialised.decrypt_raw(engine, key, iv, source, destination, REQUEST_BYTES)
        elif self._row.format == "UIO":
            if encrypt:
                await specialised.encrypt_uio(engine, key, iv, src, dst, scratch)
            else:
                await specialised.decrypt_uio(engine, key, iv, src, dst)
        elif encrypt:
            await specialised.encrypt_mblk(engine, key, iv, *self._chains, scratch)
        else:
            await specialised.decrypt_mblk(engine, key, iv, *self._chains)
