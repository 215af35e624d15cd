"""Arithmetic in the two binary fields that AES and XTS use.

* GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197, 4.2): one byte is one element.
* GF(2^128) modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619-2018, 5.2): a tweak of 16 bytes, read as a
  little-endian integer, is one element. Only the multiplication by alpha (the element x) is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

AES_POLYNOMIAL = 0x11B
TWEAK_POLYNOMIAL = 0x87
TWEAK_MASK = (1 << 128) - 1


def multiply(a: int, b: int) -> int:
    """The product of two bytes in GF(2^8) (FIPS-197, 4.2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= AES_POLYNOMIAL
        b >>= 1
    return product


def inverse(a: int) -> int:
    """The multiplicative inverse of a byte in GF(2^8); 0 maps to 0 (FIPS-197, 5.1.1).

    The group of the 255 non-zero elements gives a^254 = a^-1.
    """
    result = 1
    for _ in range(254):
        result = multiply(result, a)
    return result


def affine(a: int) -> int:
    """The affine transformation of SubBytes: bit i of the result is
    a[i] ^ a[i+4] ^ a[i+5] ^ a[i+6] ^ a[i+7] ^ c[i], indices modulo 8, c = 0x63 (FIPS-197, 5.1.1)."""
    rotations = a | a << 8
    mixed = a
    for distance in (4, 5, 6, 7):
        mixed ^= rotations >> distance
    return (mixed & 0xFF) ^ 0x63


def substitution_box() -> Bytes:
    """The S-box of FIPS-197, 5.1.1, derived from its definition; shape (256,)."""
    return np.array([affine(inverse(value)) for value in range(256)], dtype=np.uint8)


def inverted(box: Bytes) -> Bytes:
    """The box that undoes ``box``; both of shape (256,)."""
    result = np.empty_like(box)
    result[box] = np.arange(256, dtype=np.uint8)
    return result


def multiply_by_alpha(tweak: int) -> int:
    """The next tweak of a data unit: ``tweak`` times alpha in GF(2^128) (IEEE 1619-2018, 5.2).

    Both are the little-endian integers of 16 bytes.
    """
    carry = tweak >> 127
    return (tweak << 1 & TWEAK_MASK) ^ (TWEAK_POLYNOMIAL if carry else 0)
