"""Buffers: data as a list of pieces in HostMemory.

Callers hold data in one of three formats: RAW (contiguous), UIO (an array of iovecs) or MBLK (a chain
of message blocks). Each becomes the same kind of list here, so source and destination may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class Mblk:
    """A message block: its data lies from ``rptr`` up to ``wptr``, and goes on in ``cont``."""

    rptr: int
    wptr: int
    cont: Mblk | None = None

    @classmethod
    def chain(cls, pieces: Iterable[Piece | tuple[int, int]]) -> Mblk:
        """Message blocks with these (address, length), chained in their order; an empty one for none."""
        head: Mblk | None = None
        for piece in reversed([_piece(piece) for piece in pieces]):
            head = cls(piece.address, piece.end, head)
        return head or cls(0, 0)

    def __iter__(self) -> Iterator[Mblk]:
        """This block and all that follow it."""
        block: Mblk | None = self
        while block is not None:
            yield block
            block = block.cont


class Buffers:
    """An immutable scatter list. ``len()`` is the sum in bytes; empty pieces are allowed.

    Raises InvalidRequest for a piece with a negative address or length, an ``Mblk`` whose ``wptr`` is
    before its ``rptr`` included.
    """

    def __init__(self, pieces: Iterable[Piece | tuple[int, int]]) -> None:
        self.pieces = tuple(_piece(piece) for piece in pieces)
        for piece in self.pieces:
            if piece.length < 0 or piece.address < 0:
                raise InvalidRequest(f"a piece of {piece.length} bytes at {piece.address:#x}")
        self._length = sum(piece.length for piece in self.pieces)

    @classmethod
    def of(cls, address: int, length: int) -> Buffers:
        """RAW: one contiguous piece."""
        return cls([Piece(address, length)])

    raw = of

    @classmethod
    def uio(cls, iovecs: Iterable[Piece | tuple[int, int]], offset: int = 0,
            length: int | None = None) -> Buffers:
        """UIO: iovecs of (base, length). ``offset``, ``length``: the bytes of them that are meant, None
        for the rest. Raises InvalidRequest where there are not so many."""
        return cls(iovecs)._window(offset, length)

    @classmethod
    def mblk(cls, message: Mblk, offset: int = 0, length: int | None = None) -> Buffers:
        """MBLK: the data of a chain of message blocks. ``offset``, ``length``, errors: as in ``uio``."""
        return cls((block.rptr, block.wptr - block.rptr) for block in message)._window(offset, length)

    @classmethod
    def joined(cls, parts: Iterable[Buffers]) -> Buffers:
        """The bytes of several scatter lists, one after another."""
        return cls(piece for part in parts for piece in part.pieces)

    def as_mblk(self) -> Mblk:
        """The same pieces as a chain of message blocks."""
        return Mblk.chain(self.pieces)

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

    def split(self, lengths: Iterable[int]) -> list[Buffers]:
        """Consecutive parts of these lengths, from the start on. Raises ValueError outside."""
        parts: list[Buffers] = []
        pieces = iter(self.pieces)
        left = Piece(0, 0)
        for wanted in lengths:
            part: list[Piece] = []
            while wanted > left.length:
                if left.length:
                    part.append(left)
                    wanted -= left.length
                following = next(pieces, None)
                if following is None:
                    raise ValueError(f"parts of more than {self._length} bytes")
                left = following
            if wanted < 0:
                raise ValueError(f"a part of {wanted} bytes")
            if wanted:
                part.append(Piece(left.address, wanted))
                left = Piece(left.address + wanted, left.length - wanted)
            parts.append(Buffers(part))
        return parts

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

    def _window(self, offset: int, length: int | None) -> Buffers:
        length = self._length - offset if length is None else length
        if (offset, length) == (0, self._length):
            return self
        try:
            return self.part(offset, length)
        except ValueError as error:
            raise InvalidRequest(str(error)) from None


def _piece(piece: Piece | tuple[int, int]) -> Piece:
    return piece if isinstance(piece, Piece) else Piece(*piece)


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


def check_placements(pairs: Sequence[tuple[Buffers, Buffers]]) -> None:
    """``check_placement`` of each source and destination, and no destination in another's bytes.

    Some of them may be in place and others not. Raises: InvalidRequest.
    """
    for src, dst in pairs:
        check_placement(src, dst)
    destinations = Buffers.joined(dst for _, dst in pairs)
    if destinations.overlaps_itself():
        raise InvalidRequest("two of the destinations overlap")
    if Buffers.joined(src for src, dst in pairs if not src.same_bytes(dst)).overlaps(destinations):
        raise InvalidRequest("the source of one overlaps the destination of another")
