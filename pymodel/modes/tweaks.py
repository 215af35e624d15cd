"""The tweaks of XTS: T, T * x, T * x^2 ... in GF(2^128) (IEEE 1619-2018 5.2)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pymodel.memory import ByteArray

TWEAK_BYTES = 16
_MODULUS = 1 << 128 | 0x87
_STRIDE = 32
_1, _32, _64 = np.uint64(1), np.uint64(32), np.uint64(64)


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


@lru_cache(maxsize=2)
def sequence(first: bytes, count: int) -> ByteArray:
    """``count`` tweaks from ``first`` on, end to end in one read-only array of ``count`` * 16 bytes.

    Remembered, because ``two-pass`` computes every sequence twice and a simulation need not. The first
    32 are doubled one by one, each further 32 follow from the last 32 at once.
    """
    value, start = int.from_bytes(first, "little"), []
    for _ in range(min(count, _STRIDE)):
        start.append(value.to_bytes(TWEAK_BYTES, "little"))
        value = double(value)
    words = np.empty((-(-count // _STRIDE) * _STRIDE, 2), np.uint64)
    words[:len(start)] = np.frombuffer(b"".join(start), "<u8").reshape(-1, 2)
    for index in range(_STRIDE, count, _STRIDE):
        words[index:index + _STRIDE] = _times_x(words[index - _STRIDE:index], _32)
    tweaks = words.astype("<u8", copy=False).view(np.uint8).reshape(-1)[:count * TWEAK_BYTES]
    tweaks.setflags(write=False)
    return tweaks


def sequences(firsts: ByteArray, count: int) -> ByteArray:
    """A ``sequence`` of ``count`` tweaks for each of ``firsts``, all at once.

    ``firsts`` has the shape (n, 16), the result (n, count * 16).
    """
    words = np.empty((len(firsts), count, 2), np.uint64)
    words[:, :1] = np.ascontiguousarray(firsts).view("<u8").reshape(-1, 1, 2)[:, :count]
    for index in range(1, min(count, _STRIDE)):
        words[:, index] = _times_x(words[:, index - 1], _1)
    for index in range(_STRIDE, count, _STRIDE):
        room = min(_STRIDE, count - index)
        words[:, index:index + room] = _times_x(words[:, index - _STRIDE:index - _STRIDE + room], _32)
    return words.astype("<u8", copy=False).view(np.uint8).reshape(len(firsts), count * TWEAK_BYTES)


def _times_x(tweaks: NDArray[np.uint64], steps: np.uint64) -> NDArray[np.uint64]:
    """Multiply by x ``steps`` times, at most 32; (..., 2) words of 64 bits, low first. What leaves at the top
    returns, times 0x87."""
    low, high = tweaks[..., 0], tweaks[..., 1]
    left = _64 - steps
    out = high >> left
    folded = out ^ out << _1 ^ out << np.uint64(2) ^ out << np.uint64(7)
    return np.stack([low << steps ^ folded, high << steps | low >> left], axis=-1)
