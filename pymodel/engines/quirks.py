"""The catalogue of quirks: one bit each, the same in hdl/quirks.vh, here and in the manual."""

from __future__ import annotations

from enum import IntFlag


class Quirk(IntFlag):
    """What the hardware does. As a strap: the engine does it. In ``handles``: the driver works round it."""

    STICKY_KEY = 1 << 0
    KEYGEN_128_ONLY = 1 << 1
    SCHEDULE_OVERREAD = 1 << 2
    FETCH_AHEAD = 1 << 3
    ALIGN_16 = 1 << 4
    IRQ_FORGETS_KEY = 1 << 5
    LENGTH_512_HANG = 1 << 6
    ZERO_LENGTH_HANG = 1 << 7
    PARTIAL_BLOCK_HANG = 1 << 8
    NO_AES192 = 1 << 9
    SLOW_START = 1 << 10
    DUMP_FOLLOWS_DATA = 1 << 11
    STALE_DUMP_STATUS = 1 << 12
    SHARED_REGISTERS = 1 << 13

    @classmethod
    def all(cls) -> Quirk:
        return cls((1 << 14) - 1)
