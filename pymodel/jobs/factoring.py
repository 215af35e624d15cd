"""The job ``factoring``: the mode code, which knows neither cipher nor format, against CBC written by hand.

For each cipher, format of the data, direction, in place or not, and key made beforehand or for the request,
both do the same requests in turn. Each request has data, IV and surroundings of its own, and every byte that
it leaves in memory is compared with the CBC of ``cryptography``, which neither of them uses. What the engine
was asked to do is counted, and how long Python takes is measured.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish, TripleDES
from cryptography.hazmat.primitives.ciphers import BlockCipherAlgorithm, Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from pymodel.block_engine import BlockEngine, EngineCounters
from pymodel.buffers import Buffers, Piece
from pymodel.drivers.software import SoftwareEngine
from pymodel.drivers.software_ciphers import SOFTWARE_CIPHERS
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.factoring_ways import FORMATS, Request, Row, Way, WayByHand, WayOfModes, arriving

WARM_UP = 2
"""Runs of each way before those that are measured; they are checked like these."""
GENERIC, SPECIALISED = "generic", "specialised"
FIGURES = ("calls", "blocks", "engine_cycles")
PIECES = (100, 156, 43, 213)
"""Bytes of the iovecs and message blocks of a request; blocks cross from one to the next. A destination of
its own has them the other way round."""
REQUEST_BYTES = sum(PIECES)
_GAP = 32
"""Bytes beside each piece that nobody may write."""
_WAYS: Mapping[str, Callable[[BlockEngine, Row], Way]] = {GENERIC: WayOfModes, SPECIALISED: WayByHand}


@dataclass(frozen=True, slots=True)
class _Cipher:
    """``algorithm``: of ``cryptography``, for the reference."""

    key_bytes: int
    algorithm: Callable[[bytes], BlockCipherAlgorithm]


CIPHERS: Mapping[str, _Cipher] = {
    "aes": _Cipher(16, AES), "blowfish": _Cipher(16, Blowfish),
    "des": _Cipher(8, lambda key: TripleDES(3 * key))}  # keying option 3 of SP 800-67
"""AES is the bench's engine, the others are software."""


def all_rows() -> Iterator[Row]:
    """24 for each cipher."""
    for cipher, direction, format_, template, in_place in product(
            CIPHERS, ("encrypt", "decrypt"), FORMATS, (False, True), (True, False)):
        yield Row(direction, format_, template, in_place, cipher)


async def compare_factoring(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``repeats``, two or more measured requests of each Row each way. Reports a ``row`` for each:

    - ``runs``, the warm-up among them, and how many were ``right``; ``ok`` when all were;
    - ``calls``, ``blocks`` and ``engine_cycles`` of a request, ``_generic`` and ``_specialised``: all the
      different values found, so one of each when all runs are alike;
    - ``change_percent``, the generic code's time over the other's: median of the pairs of runs;
      ``lower_percent`` and ``upper_percent``: their quartiles.

    The result is ``ok`` when all bytes were right and the bench has no complaint.
    """
    engines = {cipher: _engine(bench, cipher) for cipher in CIPHERS}
    problems = []
    for row in all_rows():
        found = await _compare(bench, engines[row.cipher], row, int(spec["repeats"]))
        if not found["ok"]:
            problems.append(f"{row}: {found['runs'] - found['right']} of {found['runs']} requests gave other "
                            "bytes than cryptography does")
        report({"kind": "row", **asdict(row), **found})
    problems += bench.problems()
    return {"ok": not problems, "problems": problems}


def _engine(bench: Bench, cipher: str) -> BlockEngine:
    if cipher == "aes":
        return bench.engine()
    return SoftwareEngine(bench.memory, bench.kernel, bench.cpus[0], cipher=SOFTWARE_CIPHERS[cipher])


@dataclass(frozen=True, slots=True)
class _Run:
    counters: EngineCounters
    seconds: float
    right: bool

    def figure(self, name: str) -> int:
        if name == "blocks":
            return self.counters.hardware_blocks + self.counters.software_blocks
        return int(getattr(self.counters, name))


async def _compare(bench: Bench, engine: BlockEngine, row: Row, repeats: int) -> dict[str, Any]:
    """The ways change places after each pair, so that neither is always the second."""
    chance = random.Random(str(row))
    place = _Place(engine, row, chance)
    key = place.new_key()
    ways = {name: make(engine, row) for name, make in _WAYS.items()}
    runs: dict[str, list[_Run]] = {name: [] for name in ways}
    try:
        for way in ways.values():
            way.prepare(key)
        for number in range(WARM_UP + repeats):
            for name in list(ways)[::-1 if number % 2 else 1]:
                request = place.request(key if row.ctx_template else place.new_key())
                runs[name].append(await _run(bench, engine, ways[name], request, place))
    finally:
        for way in ways.values():
            way.release()
        place.release()
    return _found(runs)


async def _run(bench: Bench, engine: BlockEngine, way: Way, request: Request, place: _Place) -> _Run:
    await place.forget_keys()
    before = engine.counters.copy()
    with _no_collection():
        began = bench.python_seconds()
        await way.run(request)
        seconds = bench.python_seconds() - began
    return _Run(engine.counters.since(before), seconds, place.is_right())


@contextmanager
def _no_collection() -> Iterator[None]:
    """Python's garbage collector waits, if it is on at all."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class _Place:
    """Memory for the requests of a row, one after another, and what it must hold after each."""

    def __init__(self, engine: BlockEngine, row: Row, chance: random.Random) -> None:
        self._engine, self._row, self._chance = engine, row, chance
        pieces = (REQUEST_BYTES,) if row.format == "RAW" else PIECES
        self._size = REQUEST_BYTES + _GAP * (len(pieces) + 1)
        self._areas = [engine.memory.allocate(self._size, 16) for _ in range(1 if row.in_place else 2)]
        self._src = _spread(self._areas[0], pieces)
        self._dst = self._src if row.in_place else _spread(self._areas[1], pieces[::-1])
        self._idle = Buffers.of(engine.memory.allocate(engine.block_size, 16), engine.block_size)
        self._idle_key = engine.key(self.new_key())
        self._before: list[bytes] = []
        self._text = b""
        self._request = Request(b"", b"", (), ())

    def release(self) -> None:
        self._engine.release(self._idle_key)
        for address in (*self._areas, self._idle.pieces[0].address):
            self._engine.memory.free(address)

    def new_key(self) -> bytes:
        return self._chance.randbytes(CIPHERS[self._row.cipher].key_bytes)

    def request(self, key: bytes) -> Request:
        """New data, in new surroundings."""
        self._before = [self._chance.randbytes(self._size) for _ in self._areas]
        for address, data in zip(self._areas, self._before, strict=True):
            self._engine.memory.write(address, data)
        self._text = self._src.read(self._engine.memory)
        self._request = Request(key, self._chance.randbytes(self._engine.block_size),
                                arriving(self._src, self._row.format), arriving(self._dst, self._row.format))
        return self._request

    async def forget_keys(self) -> None:
        """A block under another key: whatever comes next finds the engine in the same state."""
        await self._engine.ecb(self._idle_key, self._idle, self._idle, decrypt=False)

    def is_right(self) -> bool:
        """Whether the request has written its result, and nothing else."""
        result, wanted, position = self._result(), bytearray(self._before[-1]), 0
        for piece in self._dst.pieces:
            start = piece.address - self._areas[-1]
            wanted[start:start + piece.length] = result[position:position + piece.length]
            position += piece.length
        found = [self._engine.memory.read(address, self._size) for address in self._areas]
        return found == [*self._before[:-1], bytes(wanted)]

    def _result(self) -> bytes:
        algorithm = CIPHERS[self._row.cipher].algorithm(self._request.key)
        cbc = Cipher(algorithm, modes.CBC(self._request.iv))
        context = cbc.encryptor() if self._row.direction == "encrypt" else cbc.decryptor()
        return context.update(self._text) + context.finalize()


def _spread(address: int, lengths: Sequence[int]) -> Buffers:
    """Pieces with a gap before each, and after the last."""
    pieces = []
    for length in lengths:
        pieces.append(Piece(address + _GAP, length))
        address += _GAP + length
    return Buffers(pieces)


def _found(runs: Mapping[str, Sequence[_Run]]) -> dict[str, Any]:
    every = [run for some in runs.values() for run in some]
    right = sum(run.right for run in every)
    changes = [100 * (generic.seconds / other.seconds - 1)
               for generic, other in zip(runs[GENERIC], runs[SPECIALISED], strict=True)][WARM_UP:]
    lower, median, upper = statistics.quantiles(changes, n=4, method="inclusive")
    return {"runs": len(every), "right": right,
            **{f"{figure}_{name}": sorted({run.figure(figure) for run in some})
               for figure in FIGURES for name, some in runs.items()},
            "change_percent": round(median, 2), "lower_percent": round(lower, 2),
            "upper_percent": round(upper, 2), "ok": right == len(every)}
