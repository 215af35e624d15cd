"""One side of a QCE request as descriptors: which bytes the engine takes where they are, and which not.

Pure functions. A stream is the bytes of a scatter list one after the other; the engine reads one
stream and writes another, each in blocks of 16 bytes at addresses that are multiples of 16. A block
that does not lie so in memory is bounced, and only that block: each side by itself, without a look
at the other. Positions and lengths are bytes of the stream.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace

from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers, Piece
from pymodel.engines.qce import MAX_DESCRIPTOR_BYTES, Descriptor, DescriptorFlag


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole blocks from ``position`` on: one aligned piece, or, if ``bounced``, pieces of any sort."""

    position: int
    pieces: tuple[Piece, ...]
    bounced: bool

    @property
    def length(self) -> int:
        return sum(piece.length for piece in self.pieces)


def stretches(buffers: Buffers, alignment: int = BLOCK_BYTES) -> Iterator[Stretch]:
    """Cut a stream of whole blocks where it begins or ceases to be bounced, and where direct pieces meet.

    ``alignment`` 1: nothing is bounced, every piece is taken as it is.
    """
    position = 0
    rest: list[Piece] = []
    for piece, direct in _cut(buffers, alignment):
        if not direct:
            rest.append(piece)
            continue
        if rest:
            position += (yield from _bounced(position, rest))
            rest = []
        yield Stretch(position, (piece,), False)
        position += piece.length
    if rest:
        yield from _bounced(position, rest)


def _bounced(position: int, pieces: list[Piece]) -> Generator[Stretch, None, int]:
    """Yields them as one stretch and returns its length."""
    stretch = Stretch(position, tuple(pieces), True)
    yield stretch
    return stretch.length


def _cut(buffers: Buffers, alignment: int) -> Iterator[tuple[Piece, bool]]:
    """The runs in parts, and whether each part is direct: whole blocks at an aligned address."""
    position = 0
    for run in buffers.runs:
        head = min(-position % BLOCK_BYTES, run.length)
        aligned = (run.address + head) % BLOCK_BYTES == 0
        whole = (run.length - head) // BLOCK_BYTES * BLOCK_BYTES if aligned else 0
        if alignment == 1:
            head, whole = 0, run.length
        tail = run.length - head - whole
        if head:
            yield Piece(run.address, head), False
        if whole:
            yield Piece(run.address + head, whole), True
        if tail:
            yield Piece(run.end - tail, tail), False
        position += run.length


def reachable(parts: Iterable[Stretch], descriptors: int, bounce: int) -> int:
    """How far the stream gets with so many descriptors, and ``bounce`` bytes of bounce buffer."""
    end = 0
    for part in parts:
        room = min(descriptors * MAX_DESCRIPTOR_BYTES, bounce if part.bounced else part.length)
        end = part.position + min(part.length, room)
        if room < part.length:
            break
        descriptors -= -(-part.length // MAX_DESCRIPTOR_BYTES)
        bounce -= part.length * part.bounced
    return end


@dataclass(frozen=True, slots=True)
class Stream:
    """One side of one engine request."""

    parts: tuple[Stretch, ...]

    @classmethod
    def of(cls, buffers: Buffers, alignment: int = BLOCK_BYTES) -> Stream:
        return cls(tuple(stretches(buffers, alignment)))

    @property
    def bounced(self) -> Buffers:
        """All that is bounced, in order: the bounce buffer holds these bytes without gaps."""
        return Buffers(piece for part in self.parts if part.bounced for piece in part.pieces)

    def bounced_before(self, position: int) -> int:
        """How many bytes in front of ``position`` are bounced."""
        return sum(min(part.length, max(0, position - part.position)) for part in self.parts if part.bounced)

    def position_of(self, bounced: int) -> int:
        """Where the byte number ``bounced`` of the bounce buffer is in the stream."""
        for part in self.parts:
            if part.bounced:
                if bounced < part.length:
                    return part.position + bounced
                bounced -= part.length
        raise ValueError(f"{bounced} bytes beyond the bounce buffer")

    def as_seen(self, bounce: int) -> Buffers:
        """The stream with its bounced parts in a bounce buffer at ``bounce``: what the engine works on."""
        pieces = []
        for part in self.parts:
            if part.bounced:
                pieces.append(Piece(bounce, part.length))
                bounce += part.length
            else:
                pieces += part.pieces
        return Buffers(pieces)


def bounced_in_either(one: Stream, other: Stream, end: int) -> int:
    """Bytes in front of ``end`` that are bounced on one side or on both."""
    total = reached = 0
    for start, stop in sorted((part.position, min(part.position + part.length, end))
                              for stream in (one, other) for part in stream.parts if part.bounced):
        total += max(0, stop - max(start, reached))
        reached = max(reached, stop)
    return total


def descriptors(buffers: Buffers) -> list[Descriptor]:
    """As few as can be, in order; none for an empty stream."""
    return [Descriptor(run.address + start, min(MAX_DESCRIPTOR_BYTES, run.length - start))
            for run in buffers.runs for start in range(0, run.length, MAX_DESCRIPTOR_BYTES)]


def locked(items: list[Descriptor]) -> list[Descriptor]:
    """The same list with LOCK in its first descriptor: it acts when the list's doorbell is rung."""
    return [replace(items[0], flags=items[0].flags | DescriptorFlag.LOCK), *items[1:]]
