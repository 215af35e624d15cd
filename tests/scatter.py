"""Random scatter lists for tests, and a watch over the memory around them."""

from __future__ import annotations

import random

import numpy as np

from pymodel.buffers import Buffers
from pymodel.memory import HostMemory

POISON = 0xFE


class Region:
    """Memory that holds the pieces of one scatter list in shuffled order, poisoned in between.

    ``largest``: bytes of a piece at most, or None for one piece. Empty pieces are strewn in.
    """

    def __init__(self, memory: HostMemory, rng: random.Random, length: int, largest: int | None) -> None:
        self._memory = memory
        pieces = []
        left = length
        while left:
            size = left if largest is None else min(left, rng.randint(1, largest))
            pieces.append(size)
            left -= size
        room = length + 40 * (len(pieces) + 1)
        self._base = memory.allocate(room)
        self._room = room
        memory.write(self._base, np.full(room, POISON, np.uint8))
        placed: dict[int, tuple[int, int]] = {}
        address = self._base
        for index in rng.sample(range(len(pieces)), len(pieces)):
            address += rng.choice([0, 0, 1, 7, 16, 33])
            placed[index] = (address, pieces[index])
            address += pieces[index]
        listed = [placed[index] for index in range(len(pieces))]
        for _ in range(rng.randint(0, 2)):
            listed.insert(rng.randint(0, len(listed)), (self._base + rng.randrange(room), 0))
        self.buffers = Buffers(listed)

    def resplit(self, rng: random.Random, largest: int) -> Buffers:
        """The same bytes, split otherwise."""
        pieces = []
        for piece in self.buffers.pieces:
            address = piece.address
            while address < piece.end:
                size = min(piece.end - address, rng.randint(1, largest))
                pieces.append((address, size))
                address += size
        return Buffers(pieces)

    def outside(self) -> bytes:
        """All bytes of the region that are in no piece."""
        image = self._memory.bytes[self._base:self._base + self._room].copy()
        for piece in self.buffers.pieces:
            image[piece.address - self._base:piece.end - self._base] = POISON
        return image.tobytes()

    def intact(self) -> bool:
        """Whether nothing outside the pieces has been written."""
        return self.outside() == bytes([POISON]) * self._room

    def free(self) -> None:
        self._memory.free(self._base)


class Layout:
    """Source and destination of one request: in place or apart, loaded with ``data``."""

    def __init__(self, memory: HostMemory, rng: random.Random, data: bytes, *, in_place: bool,
                 largest: int | None) -> None:
        self._memory = memory
        self._data = data
        self._in_place = in_place
        self._source = Region(memory, rng, len(data), largest)
        self._target = self._source if in_place else Region(memory, rng, len(data), largest)
        self.src = self._source.buffers
        self.dst = self._source.resplit(rng, largest or 50) if in_place else self._target.buffers
        self.src.scatter(memory, data)

    def result(self) -> bytes:
        return self.dst.read(self._memory)

    def untouched_elsewhere(self) -> bool:
        """Whether nothing but the destination has changed."""
        source_intact = self._in_place or self.src.read(self._memory) == self._data
        return source_intact and self._source.intact() and self._target.intact()

    def free(self) -> None:
        self._source.free()
        if not self._in_place:
            self._target.free()


def loaded(engine, data: bytes) -> Buffers:
    """Memory of the engine's, in one piece, that holds ``data``."""
    buffer = Buffers.of(engine.memory.allocate(len(data)), len(data))
    buffer.scatter(engine.memory, data)
    return buffer
