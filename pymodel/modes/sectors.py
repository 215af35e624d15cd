"""Data-unit numbers as IVs and XTS tweaks, as disk encryption makes them from sectors: little endian."""

from __future__ import annotations

from typing import Literal, get_args

from pymodel.errors import InvalidRequest
from pymodel.modes.tweaks import TWEAK_BYTES

SECTOR_BYTES = 512
"""A sector's number counts these, whatever the unit of encryption is."""

Counting = Literal["units", "sectors"]


def plain(sector: int, size: int = TWEAK_BYTES) -> bytes:
    """dm-crypt's ``plain``: the low 32 bits of the sector number, so it repeats after 2**32 sectors.

    ``size``: bytes of the IV, the cipher's block. Raises InvalidRequest for a number that is negative or
    has more than 64 bits.
    """
    return (_checked(sector, 64) & 0xFFFFFFFF).to_bytes(size, "little")


def plain64(sector: int, size: int = TWEAK_BYTES) -> bytes:
    """dm-crypt's ``plain64``: the 64-bit sector number. ``size``, errors: as ``plain``."""
    return _checked(sector, 64).to_bytes(size, "little")


def data_unit(number: int, size: int = TWEAK_BYTES) -> bytes:
    """A data-unit number of up to 8 * ``size`` bits (IEEE 1619-2018 5.1). Raises InvalidRequest outside."""
    return _checked(number, 8 * size).to_bytes(size, "little")


def numbers(first: int, length: int, unit_bytes: int = SECTOR_BYTES,
            counting: Counting = "units") -> list[int]:
    """The numbers of the data units in ``length`` bytes, of which ``first`` is that of the first one.

    ``counting``: the number grows by one per unit (IEEE 1619, dm-crypt's ``iv_large_sectors``), or by one
    per 512 bytes (dm-crypt without it). Raises InvalidRequest (a length that is no whole units, a unit that
    is no whole sectors although they are counted).
    """
    if counting not in get_args(Counting):
        raise InvalidRequest(f"counting {counting!r}: there are {', '.join(get_args(Counting))}")
    if unit_bytes < 1 or (counting == "sectors" and unit_bytes % SECTOR_BYTES):
        raise InvalidRequest(f"data units of {unit_bytes} bytes, whose {counting} cannot be counted")
    if length % unit_bytes:
        raise InvalidRequest(f"{length} bytes are not whole data units of {unit_bytes} bytes")
    step = unit_bytes // SECTOR_BYTES if counting == "sectors" else 1
    return [first + step * index for index in range(length // unit_bytes)]


def _checked(number: int, bits: int) -> int:
    if not 0 <= number < 1 << bits:
        raise InvalidRequest(f"data-unit number {number} is outside 0 .. 2**{bits} - 1")
    return number
