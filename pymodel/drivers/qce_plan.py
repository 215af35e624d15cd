"""What goes to the QCE and what to software, and how a request becomes engine requests. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers, Piece
from pymodel.drivers.qce_lists import reachable, stretches
from pymodel.engines.qce import MAX_DESCRIPTORS, UNIT_BYTES
from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest

BOUNCE_BYTES = 64 * UNIT_BYTES
"""Bounced at a time, on each side."""

LongLengths = Literal["split", "fallback"]


@dataclass(frozen=True, slots=True)
class Rules:
    """``handles``: the quirks worked round. ``aes_sw_max_len``: requests of up to so many bytes are
    done in software, where SLOW_START is among them. ``long_lengths``: what becomes of a request over
    512 bytes that is no multiple of 512: ``split`` at the last multiple, or as a whole ``fallback``
    to software.
    """

    handles: Quirk
    aes_sw_max_len: int = UNIT_BYTES
    long_lengths: LongLengths = "split"

    def check_length(self, length: int) -> None:
        """Raises InvalidRequest for a length that can neither be computed nor tried."""
        if length < 0:
            raise InvalidRequest(f"{length} bytes")
        if length % BLOCK_BYTES and Quirk.PARTIAL_BLOCK_HANG in self.handles:
            raise InvalidRequest(f"{length} bytes are not a multiple of {BLOCK_BYTES}")

    def needs_nothing(self, length: int) -> bool:
        return length == 0 and Quirk.ZERO_LENGTH_HANG in self.handles

    def engine_bytes(self, length: int, key_bytes: int) -> int:
        """How many bytes from the start go to the engine; software does the rest.

        After a split the rest is a request like any other: when it is short, software does it.
        What software could not do, part of a block, always goes to the engine.
        """
        if length % BLOCK_BYTES:
            return length
        if key_bytes == 24 and Quirk.NO_AES192 in self.handles:
            return 0
        if self._short(length):
            return 0
        rest = length % UNIT_BYTES if length > UNIT_BYTES and self._cuts_units else 0
        if rest and self.long_lengths == "fallback":
            return 0
        return length - rest if self._short(rest) else length

    def next_length(self, left: int) -> int:
        """Of the next engine request, when so many bytes are left."""
        if left > UNIT_BYTES and self._cuts_units:
            return left - left % UNIT_BYTES
        return left

    @property
    def alignment(self) -> int:
        return BLOCK_BYTES if Quirk.ALIGN_16 in self.handles else 1

    @property
    def _cuts_units(self) -> bool:
        return Quirk.LENGTH_512_HANG in self.handles

    def _short(self, length: int) -> bool:
        return length <= self.aes_sw_max_len and Quirk.SLOW_START in self.handles


@dataclass(frozen=True, slots=True)
class Part:
    """One engine request: bytes ``position`` to ``position + length`` of the whole.

    The lists are of whole blocks. ``dst`` is longer than the request where the driver does not mind
    (DUMP_FOLLOWS_DATA not handled).
    """

    position: int
    length: int
    src: Buffers
    dst: Buffers


def plan(src: Buffers, dst: Buffers, length: int, rules: Rules) -> Iterator[Part]:
    """Cut a request so that each part fits into lists of 64 descriptors, the dump's own included.

    Cuts are at multiples of 512 bytes. ``src`` and ``dst`` hold ``length`` bytes rounded up to
    blocks, or more; what ``dst`` has more is given to the last part, as far as its list has room.
    """
    position = 0
    while position < length or not position:
        left = length - position
        size = rules.next_length(left)
        reached = _reachable(src, MAX_DESCRIPTORS, rules), _reachable(dst, MAX_DESCRIPTORS - 1, rules)
        if min(reached) < size:
            size = min(reached) // UNIT_BYTES * UNIT_BYTES
            if not size:  # only of pieces that are not aligned, and taken as they are: the engine will refuse
                yield Part(position, left, src.part(0, reached[0]), dst.part(0, reached[1]))
                return
        room = whole_blocks(size)
        taken = room if size < left else min(reached[1], len(dst) // BLOCK_BYTES * BLOCK_BYTES)
        yield Part(position, size, src.part(0, room), dst.part(0, max(taken, room)))
        if size == left:
            return
        src, dst = src.part(size, len(src) - size), dst.part(size, len(dst) - size)
        position += size


def _reachable(buffers: Buffers, descriptors: int, rules: Rules) -> int:
    return reachable(stretches(buffers, rules.alignment), descriptors, BOUNCE_BYTES)


def whole_blocks(length: int) -> int:
    """``length`` rounded up to whole blocks."""
    return -(-length // BLOCK_BYTES) * BLOCK_BYTES


def with_room(buffers: Buffers, length: int) -> Buffers:
    """The list with at least ``length`` rounded up to blocks, if need be by a last piece that is longer."""
    missing = whole_blocks(length) - len(buffers)
    if missing <= 0:
        return buffers
    last = buffers.runs[-1]
    return Buffers([*buffers.runs[:-1], Piece(last.address, last.length + missing)])
