"""Layouts of requests as the self-tests of kernels have them: up to 8 pieces on either side, each in two
pages of its own with poison around it, in any of the formats RAW, UIO and MBLK."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pymodel.buffers import Buffers, Mblk
from pymodel.memory import LINE_BYTES, PAGE_BYTES, ByteArray, HostMemory

POISON = 0xFE
MOST_PIECES = 8
AREA_BYTES = 2 * PAGE_BYTES
POISON_BYTES = 16
"""At least so many are behind each piece."""
LONGEST = AREA_BYTES - POISON_BYTES


@dataclass(frozen=True, slots=True)
class Side:
    """``cuts``: share in 10000 of the length and offset from the start of its area, of each piece."""

    cuts: tuple[tuple[int, int], ...]
    form: str = "uio"


@dataclass(frozen=True, slots=True)
class PieceLayout:
    """``destination``: None in place."""

    name: str
    source: Side
    destination: Side | None = None

    @property
    def formats(self) -> str:
        """The format of the source, and that of the destination unless it is the source."""
        return " ".join(side.form for side in (self.source, self.destination) if side)


_ALL = 10000
FIXED = (
    PieceLayout("in place", Side(((_ALL, 0),), "raw")),
    PieceLayout("out of place", Side(((_ALL, 0),), "raw"), Side(((_ALL, 0),), "raw")),
    PieceLayout("unaligned by 1", Side(((_ALL, 1),), "raw"), Side(((_ALL, 1),), "raw")),
    PieceLayout("aligned to a block and no more", Side(((_ALL, 16),), "raw"), Side(((_ALL, 16),), "raw")),
    PieceLayout("two even pieces", Side(((5000, 0), (5000, 0))), Side(((5000, 0), (5000, 0)), "mblk")),
    PieceLayout("19, 33 and 48 %", Side(((1900, 33), (3300, 7), (4800, 18)), "mblk"),
                Side(((1900, 33), (3300, 7), (4800, 18)))),
    PieceLayout("in place, 75 and 25 % at the end of a page",
                Side(((7500, PAGE_BYTES - 32), (2500, PAGE_BYTES - 7)))),
)
"""The layouts that Linux's testmgr tries for every vector."""


def random_layout(rng: random.Random) -> PieceLayout:
    """In place or not; any cut, with empty pieces and pieces of a byte; a fourth of the pieces begin in the
    last 128 bytes of a page."""
    source = _random_side(rng)
    return PieceLayout("random", source, None if rng.random() < 0.5 else _random_side(rng))


def random_length(rng: random.Random) -> int:
    """0 to LONGEST bytes, most often few."""
    length = rng.randint(0, LONGEST)
    return length % rng.choice([64, 64, 64, 256, 256, 256, 1024, 1024, 1024, LONGEST + 1])


def _random_side(rng: random.Random) -> Side:
    form = rng.choice(["raw", "uio", "mblk"])
    count = 1 if form == "raw" else rng.randint(1, MOST_PIECES)
    places = [0, *sorted(rng.choice([rng.randint(0, _ALL), rng.choice([0, 1, _ALL])])
                         for _ in range(count - 1)), _ALL]
    shares = (end - start for start, end in pairwise(places))
    return Side(tuple((share, _random_offset(rng)) for share in shares), form)


def _random_offset(rng: random.Random) -> int:
    if rng.random() < 0.25:
        return PAGE_BYTES - rng.randint(1, 128)
    return rng.randrange(rng.choice([32, PAGE_BYTES]))


class PlacedRequest:
    """A layout in areas of memory, with the data loaded and everything else poisoned."""

    def __init__(self, areas: Areas, layout: PieceLayout, data: bytes) -> None:
        self._areas = areas
        areas.poison()
        self.src = areas.place(layout.source, len(data), 0)
        self.dst = self.src if layout.destination is None else areas.place(
            layout.destination, len(data), MOST_PIECES)
        self.src.scatter(areas.memory, data)
        self._before = areas.image()
        self._pieces = self.src.pieces, self.dst.pieces

    def result(self) -> bytes:
        return self.dst.read(self._areas.memory)

    def damage(self, result: bytes | None) -> str:
        """What has changed besides the destination, which must hold ``result``, or that the request's lists
        are no longer what they were; else an empty string. ``result`` None: nothing may have changed."""
        now, expected = self._areas.image(), self._before
        if result is not None:
            expected = expected.copy()
            position = 0
            for piece in self.dst.pieces:
                expected[self._areas.slot(piece.address):][:piece.length] = np.frombuffer(
                    result[position:position + piece.length], np.uint8)
                position += piece.length
        different = np.flatnonzero(now != expected)
        if len(different):
            return f"{len(different)} bytes differ, the first at {different[0]:#x} of the areas"
        return "" if (self.src.pieces, self.dst.pieces) == self._pieces else "the lists have changed"


class Areas:
    """Memory for the pieces of a source and a destination; one request at a time."""

    def __init__(self, memory: HostMemory) -> None:
        self.memory = memory
        self._base = memory.allocate_pages(2 * MOST_PIECES * AREA_BYTES // PAGE_BYTES)
        self._poison = np.full(2 * MOST_PIECES * AREA_BYTES, POISON, np.uint8)

    def poison(self) -> None:
        """Only what is no poison yet: on RTL each line that is written has to be carried over."""
        for line in np.flatnonzero((self.image() != POISON).reshape(-1, LINE_BYTES).any(axis=1)).tolist():
            self.memory.write(self._base + line * LINE_BYTES, self._poison[:LINE_BYTES])

    def image(self) -> ByteArray:
        """What is in them all now, a copy."""
        return self.memory.bytes[self._base:self._base + len(self._poison)].copy()

    def slot(self, address: int) -> int:
        """Where an address is in the image."""
        return address - self._base

    def place(self, side: Side, length: int, first: int) -> Buffers:
        """Pieces in the areas from number ``first`` on; what would leave its area is moved to its end."""
        ends = np.cumsum([0] + [share for share, _ in side.cuts])
        lengths = np.diff([round(length * int(end) / _ALL) for end in ends]).tolist()
        start, pieces = self._base + first * AREA_BYTES, []
        for (_, offset), size in zip(side.cuts, lengths, strict=True):
            pieces.append((start + min(offset, LONGEST - size), size))
            start += AREA_BYTES
        return FORMATS[side.form](pieces)


FORMATS: dict[str, Callable[[list[tuple[int, int]]], Buffers]] = {
    "raw": lambda pieces: Buffers.raw(*pieces[0]),
    "uio": Buffers.uio,
    "mblk": lambda pieces: Buffers.mblk(Mblk.chain(pieces)),
}
