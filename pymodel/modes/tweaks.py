"""The tweaks of XTS: T, T * x, T * x^2 ... in GF(2^128) (IEEE 1619-2018 5.2)."""

from __future__ import annotations

import numpy as np

from pymodel.memory import ByteArray

TWEAK_BYTES = 16
_MODULUS = 1 << 128 | 0x87


def double(tweak: int) -> int:
    """Multiply by x. Byte 0 of a tweak is in bits 7:0."""
    doubled = tweak << 1
    return doubled ^ _MODULUS if doubled >> 128 else doubled


def advance(tweak: bytes, steps: int) -> bytes:
    """Multiply by x ``steps`` times."""
    value = int.from_bytes(tweak, "little")
    for _ in range(steps):
        value = double(value)
    return value.to_bytes(TWEAK_BYTES, "little")


def sequence(first: bytes, count: int) -> ByteArray:
    """``count`` tweaks from ``first`` on, end to end in one array of ``count`` * 16 bytes."""
    value, tweaks = int.from_bytes(first, "little"), []
    for _ in range(count):
        tweaks.append(value.to_bytes(TWEAK_BYTES, "little"))
        value = double(value)
    return np.frombuffer(b"".join(tweaks), np.uint8)
