"""Data-unit numbers as XTS tweaks: 16 bytes, little endian, as disk encryption makes them from sectors."""

from __future__ import annotations

from pymodel.errors import InvalidRequest

TWEAK_BYTES = 16


def plain(sector: int) -> bytes:
    """dm-crypt's ``plain``: the low 32 bits of the sector number, so it repeats after 2**32 sectors.

    Raises InvalidRequest for a number that is negative or has more than 64 bits.
    """
    return (_checked(sector, 64) & 0xFFFFFFFF).to_bytes(TWEAK_BYTES, "little")


def plain64(sector: int) -> bytes:
    """dm-crypt's ``plain64``: the 64-bit sector number. Raises InvalidRequest as ``plain``."""
    return _checked(sector, 64).to_bytes(TWEAK_BYTES, "little")


def data_unit(number: int) -> bytes:
    """A data-unit number of up to 128 bits (IEEE 1619-2018 5.1). Raises InvalidRequest outside."""
    return _checked(number, 128).to_bytes(TWEAK_BYTES, "little")


def _checked(number: int, bits: int) -> int:
    if not 0 <= number < 1 << bits:
        raise InvalidRequest(f"data-unit number {number} is outside 0 .. 2**{bits} - 1")
    return number
