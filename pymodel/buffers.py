"""Buffers: data as a list of pieces in HostMemory (contiguous, iovec or chained: all the same here)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from pymodel.errors import InvalidRequest
from pymodel.memory import ByteArray, HostMemory


@dataclass(frozen=True, slots=True)
class Piece:
    """``length`` bytes at ``address``."""

    address: int
    length: int

    @property
    def end(self) -> int:
        return self.address + self.length


class Buffers:
    """An immutable scatter list. ``len()`` is the sum in bytes; empty pieces are allowed."""

    def __init__(self, pieces: Iterable[Piece | tuple[int, int]]) -> None:
        self.pieces = tuple(p if isinstance(p, Piece) else Piece(*p) for p in pieces)
        for piece in self.pieces:
            if piece.length < 0 or piece.address < 0:
                raise InvalidRequest(f"a piece of {piece.length} bytes at {piece.address:#x}")
        self._length = sum(piece.length for piece in self.pieces)

    @classmethod
    def of(cls, address: int, length: int) -> Buffers:
        """One contiguous piece."""
        return cls([Piece(address, length)])

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return "Buffers(" + ", ".join(f"{p.address:#x}+{p.length}" for p in self.pieces) + ")"

    @cached_property
    def runs(self) -> tuple[Piece, ...]:
        """The same bytes with empty pieces dropped and adjacent pieces joined."""
        runs: list[Piece] = []
        for piece in self.pieces:
            if not piece.length:
                continue
            if runs and runs[-1].end == piece.address:
                runs[-1] = Piece(runs[-1].address, runs[-1].length + piece.length)
            else:
                runs.append(piece)
        return tuple(runs)

    def part(self, start: int, length: int) -> Buffers:
        """Bytes ``start`` to ``start + length``. Raises ValueError outside."""
        if start < 0 or length < 0 or start + length > self._length:
            raise ValueError(f"bytes {start}..{start + length} of {self._length}")
        pieces, position = [], 0
        for piece in self.pieces:
            low = max(start, position)
            high = min(start + length, position + piece.length)
            if low < high:
                pieces.append(Piece(piece.address + low - position, high - low))
            position += piece.length
        return Buffers(pieces)

    def gather(self, memory: HostMemory) -> ByteArray:
        """All bytes, copied into one array of uint8."""
        if not self.runs:
            return np.zeros(0, np.uint8)
        return np.concatenate([memory.view(run.address, run.length) for run in self.runs])

    def scatter(self, memory: HostMemory, data: bytes | ByteArray) -> None:
        """Write ``len(self)`` bytes. Raises ValueError for another length."""
        source = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        if len(source) != self._length:
            raise ValueError(f"{len(source)} bytes into buffers of {self._length}")
        position = 0
        for run in self.runs:
            memory.write(run.address, source[position:position + run.length])
            position += run.length

    def read(self, memory: HostMemory) -> bytes:
        return self.gather(memory).tobytes()

    def same_bytes(self, other: Buffers) -> bool:
        """Whether both name the same addresses in the same order."""
        return self.runs == other.runs

    def overlaps(self, other: Buffers) -> bool:
        """Whether any byte is in both."""
        reached = [0, 0]
        for address, end, which in sorted([(run.address, run.end, 0) for run in self.runs]
                                          + [(run.address, run.end, 1) for run in other.runs]):
            if address < reached[1 - which]:
                return True
            reached[which] = max(reached[which], end)
        return False

    def overlaps_itself(self) -> bool:
        """Whether any byte is in two pieces."""
        ordered = sorted(self.runs, key=lambda run: run.address)
        return any(a.end > b.address for a, b in pairwise(ordered))


def check_placement(src: Buffers, dst: Buffers) -> None:
    """Refuse lengths that differ, partial overlap, and a destination that names a byte twice.

    Raises: InvalidRequest.
    """
    if len(src) != len(dst):
        raise InvalidRequest(f"source of {len(src)} bytes, destination of {len(dst)}")
    if dst.overlaps_itself():
        raise InvalidRequest("the destination names a byte twice")
    if not src.same_bytes(dst) and src.overlaps(dst):
        raise InvalidRequest("source and destination overlap in part")
