"""What a request uses of its descriptor lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import Piece
from pymodel.engines.qce import Descriptor, DescriptorFlag


@dataclass(frozen=True, slots=True)
class Walk:
    """One list, looked at from its beginning until it covers what is asked, or until a fault."""

    used: int
    """Descriptors looked at, skipped ones and one with a fault included."""
    pieces: tuple[tuple[int, Piece], ...]
    """Index of the descriptor, and what is used of it: address and beats."""
    missing: bool
    """The list ends before it covers everything."""
    odd: int | None
    """An address, or address and size, that is no multiple of 16: no fault if None."""
    unlock: bool
    """A descriptor that was looked at has UNLOCK."""


def walk(descriptors: Sequence[Descriptor], parts: Sequence[int]) -> Walk:
    """``parts``: beats wanted; each part begins at a new descriptor."""
    wanted = [beats for beats in parts if beats]
    pieces: list[tuple[int, Piece]] = []
    used, odd, unlock = 0, None, False
    for index, descriptor in enumerate(descriptors):
        if not wanted:
            break
        used += 1
        unlock |= bool(descriptor.flags & DescriptorFlag.UNLOCK)
        odd = _odd(descriptor)
        if odd is not None:
            break
        beats = min(descriptor.size // BLOCK_BYTES, wanted[0])
        if beats:
            pieces.append((index, (descriptor.address, beats)))
            wanted[0] -= beats
            if not wanted[0]:
                wanted.pop(0)
    return Walk(used, tuple(pieces), bool(wanted) and odd is None, odd, unlock)


def _odd(descriptor: Descriptor) -> int | None:
    """What is no multiple of 16 in it. One of no bytes is not looked at."""
    if descriptor.size and descriptor.address % BLOCK_BYTES:
        return descriptor.address
    if descriptor.size % BLOCK_BYTES:
        return (descriptor.address + descriptor.size) & 0xFFFFFFFF
    return None


def first_beats(pieces: Sequence[tuple[int, Piece]], beats: int) -> tuple[tuple[int, Piece], ...]:
    """The first ``beats`` of what a walk found."""
    kept: list[tuple[int, Piece]] = []
    for index, (address, length) in pieces:
        if not beats:
            break
        kept.append((index, (address, min(length, beats))))
        beats -= kept[-1][1][1]
    return tuple(kept)
