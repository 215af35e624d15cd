"""The QCE's formats in memory: descriptors, the result dump, and keys as register words."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

from pymodel.engines.qce_registers import STATUS_CRYPTO_STATE, STATUS_ENCR_BUSY, CryptoState

DESCRIPTOR_BYTES = 8
MAX_DESCRIPTORS = 64
"""Of one list."""
MAX_DESCRIPTOR_BYTES = 0xFFF0
"""The largest size that a descriptor can have: 16 bits, a multiple of 16."""

LIST_ALIGNMENT = 16
"""Of a list in memory, in bytes."""

UNIT_BYTES = 512
"""LENGTH_512_HANG: a request that is longer than this must be a multiple of it."""

DUMP_BYTES = 128
KEY_BYTES = (16, 32)
"""Keys that the engine has with all its quirks; 24 too when NO_AES192 is off."""

SLOW_START_CYCLES = range(1 << 16)
"""What the strap of 16 bits takes."""

_DESCRIPTOR = struct.Struct("<IHH")
_DUMP = struct.Struct(">64x16x4III24x")


class DescriptorFlag(IntFlag):
    """Bits 63:48 of a descriptor, as BAM has them. The engine looks at LOCK and UNLOCK only."""

    INT = 1 << 15
    EOT = 1 << 14
    EOB = 1 << 13
    NWD = 1 << 12
    CMD = 1 << 11
    LOCK = 1 << 10
    UNLOCK = 1 << 9


@dataclass(frozen=True, slots=True)
class Descriptor:
    """``size`` bytes at ``address``; both are multiples of 16 in a list that is right. Size 0: skipped."""

    address: int
    size: int
    flags: int = 0
    """DescriptorFlag bits."""

    def encode(self) -> bytes:
        """8 bytes, little endian. Raises ValueError for a field that is too wide."""
        try:
            return _DESCRIPTOR.pack(self.address, self.size, self.flags)
        except struct.error as error:
            raise ValueError(f"{self} does not fit in a descriptor: {error}") from None

    @classmethod
    def decode(cls, data: bytes) -> Descriptor:
        """Of 8 bytes, whatever they are."""
        address, size, flags = _DESCRIPTOR.unpack(data)
        return cls(address, size, flags)


def encode_list(descriptors: Iterable[Descriptor]) -> bytes:
    """A list as it lies in memory. Raises ValueError for none, or more than 64, and as ``encode`` does."""
    data = b"".join(descriptor.encode() for descriptor in descriptors)
    if not 0 < len(data) <= MAX_DESCRIPTORS * DESCRIPTOR_BYTES:
        raise ValueError(f"{len(data) // DESCRIPTOR_BYTES} descriptors; a list has 1 to {MAX_DESCRIPTORS}")
    return data


def decode_list(data: bytes) -> tuple[Descriptor, ...]:
    """Of a multiple of 8 bytes."""
    return tuple(Descriptor.decode(data[start:start + DESCRIPTOR_BYTES])
                 for start in range(0, len(data), DESCRIPTOR_BYTES))


@dataclass(frozen=True, slots=True)
class ResultDump:
    """The 128 bytes behind the data: 32 big-endian words, of which the engine fills these."""

    counters: tuple[int, int, int, int]
    """CNTR0_IV to CNTR3_IV."""
    status: int
    status2: int

    def encode(self) -> bytes:
        return _DUMP.pack(*self.counters, self.status, self.status2)

    @classmethod
    def decode(cls, data: bytes) -> ResultDump:
        """Of 128 bytes."""
        *counters, status, status2 = _DUMP.unpack(data)
        return cls((counters[0], counters[1], counters[2], counters[3]), status, status2)


STALE_STATUS = STATUS_ENCR_BUSY.mask | STATUS_CRYPTO_STATE.put(CryptoState.RUN)
"""The status in a dump with STALE_DUMP_STATUS: as it was while data moved."""


def key_words(key: bytes) -> tuple[int, ...]:
    """What ENCR_KEY0 onwards hold for a key: big-endian words. Raises ValueError for a size of no key."""
    if len(key) not in (16, 24, 32):
        raise ValueError(f"an AES key has 16, 24 or 32 bytes, not {len(key)}")
    return struct.unpack(f">{len(key) // 4}I", key)


def key_bytes(words: Sequence[int]) -> bytes:
    """The key that these register words hold."""
    return struct.pack(f">{len(words)}I", *words)
