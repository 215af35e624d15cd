"""One request of the QCE, from GO to its end, and what it does to memory."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.engines.bursts import NEVER, Piece
from pymodel.engines.moves import cut, move_blocks, scatter_blocks
from pymodel.engines.qce_course import Course, value_before
from pymodel.engines.qce_registers import ENCR_SEG_CFG_ENCODE, ENCR_SEG_CFG_KEY_SIZE, KeySize
from pymodel.engines.quirks import Quirk
from pymodel.memory import HostMemory

_KEY_BYTES = {KeySize.AES128: 16, KeySize.AES192: 24, KeySize.AES256: 32}


def used_key_bytes(config: int, quirks: Quirk) -> int:
    """Bytes of the key that this ENCR_SEG_CFG computes with."""
    size = ENCR_SEG_CFG_KEY_SIZE.get(config)
    if size == KeySize.AES192 and Quirk.NO_AES192 in quirks:
        return 16
    return _KEY_BYTES[KeySize(size)]


def decrypts(config: int) -> bool:
    return not ENCR_SEG_CFG_ENCODE.get(config)


@lru_cache(maxsize=64)
def schedule_of(key: bytes, decrypt: bool) -> rijndael.Bytes2d:
    """In order of use, (rounds + 1, 16) uint8."""
    forward = rijndael.expand(key)
    return rijndael.invert(forward) if decrypt else forward


@dataclass(slots=True, eq=False)
class Flight:
    """A request. ``source``, ``destination`` (of data) and ``dump``: (address, bytes) of what is used."""

    go_at: int
    """The edge of the access that wrote GO."""
    course: Course
    size: int = 0
    """Bytes, as ENCR_SEG_SIZE says."""
    key: bytes = b""
    """What the core computes with."""
    decrypt: bool = False
    wants_dump: bool = False
    key_taken: int = 0
    """The edge, after GO, at which the core takes the key."""
    schedule: rijndael.Bytes2d = field(default_factory=lambda: np.zeros((0, 16), np.uint8))
    dump_bytes: bytes = b""
    """128 bytes, if they are asked for."""
    waits_for_lists: bool = False
    unlocked: bool = False
    """The lock has been released by an UNLOCK descriptor."""
    over: bool = False
    reset_at: int = NEVER
    """The edge, after GO, of the soft reset that abandoned it."""
    held: ExitStack = field(default_factory=ExitStack)
    """What is owned in memory."""

    @property
    def rounds(self) -> int:
        return rijndael.ROUNDS[len(self.key)]

    @property
    def source(self) -> tuple[Piece, ...]:
        return _in_bytes(self.course.source)

    @property
    def destination(self) -> tuple[Piece, ...]:
        return _in_bytes(cut(self.course.destination, self.course.blocks))

    @property
    def dump(self) -> tuple[Piece, ...]:
        return _in_bytes(behind(self.course.destination, self.course.blocks))

    def ends_before(self, edge: int) -> bool:
        return self.go_at + self.course.cycles < edge

    def cycles(self, edge: int) -> int:
        """CYCLES as an access at ``edge`` finds it."""
        return min(edge - self.go_at - 1, self.course.cycles)

    def state(self, edge: int) -> int:
        """CRYPTO_STATE as an access at ``edge`` finds it."""
        return value_before(self.course.states, edge - self.go_at)

    def source_current(self, edge: int) -> int:
        return value_before(self.course.source_current, edge - self.go_at)

    def destination_current(self, edge: int) -> int:
        return value_before(self.course.destination_current, edge - self.go_at)

    def bytes_done(self, edge: int) -> int:
        return self.course.blocks_done(edge - self.go_at) * BLOCK_BYTES

    def written(self) -> tuple[int, int]:
        """Blocks of data and beats of the dump that have reached memory at its end."""
        beats = self.course.beats_written(self.reset_at)
        blocks = min(beats, self.course.blocks)
        return blocks, beats - blocks

    def move(self, memory: HostMemory, blocks: int, dump_beats: int) -> None:
        """Put the first results, and the first beats of the dump, into memory."""
        move_blocks(memory, self.course.source, self.course.destination, blocks, self.schedule, self.decrypt,
                    reads=self.course.reads, writes=self.course.writes)
        dump = np.frombuffer(self.dump_bytes, np.uint8).reshape(-1, BLOCK_BYTES)
        scatter_blocks(memory, cut(behind(self.course.destination, self.course.blocks), dump_beats), dump)


def behind(pieces: tuple[Piece, ...], beats: int) -> tuple[Piece, ...]:
    """What follows the first ``beats`` of a stream."""
    rest: list[Piece] = []
    for address, length in pieces:
        passed = min(beats, length)
        beats -= passed
        if length > passed:
            rest.append((address + passed * BLOCK_BYTES, length - passed))
    return tuple(rest)


def _in_bytes(pieces: tuple[Piece, ...] | list[Piece]) -> tuple[Piece, ...]:
    return tuple((address, beats * BLOCK_BYTES) for address, beats in pieces)
