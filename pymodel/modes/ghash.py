"""GHASH on the host (SP 800-38D 6.4), with tables that are made once per key."""

from __future__ import annotations

BLOCK_BYTES = 16
"""GCM is defined for ciphers with a block of this size (SP 800-38D 5.1)."""
_REDUCTION = 0xE1 << 120
"""x^128, with the coefficient of x^0 in bit 127."""


class Ghash:
    """GHASH under one hash subkey of 16 bytes.

    The product of a block and the subkey is the sum of 16 table entries, one for each byte of the
    block: 4096 entries, about half a megabyte of Python integers.
    """

    def __init__(self, subkey: bytes) -> None:
        power = int.from_bytes(subkey, "big")
        self._tables: list[list[int]] = []
        for _ in range(BLOCK_BYTES):
            table = [0] * 256
            for bit in (128, 64, 32, 16, 8, 4, 2, 1):
                table[bit] = power
                power = power >> 1 ^ (_REDUCTION if power & 1 else 0)
            for value in range(256):
                table[value] = table[value & value - 1] ^ table[value & -value]
            self._tables.append(table)

    def of(self, *parts: bytes) -> bytes:
        """The hash of the parts one after another, each padded with zeros to whole blocks."""
        hashed = 0
        for part in parts:
            hashed = self.extended(hashed, part)
        return hashed.to_bytes(BLOCK_BYTES, "big")

    def extended(self, hashed: int, part: bytes) -> int:
        """The hash ``hashed``, as a number, after one more part, padded with zeros to whole blocks."""
        tables = self._tables
        for start in range(0, len(part), BLOCK_BYTES):
            block = part[start:start + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
            mixed = (hashed ^ int.from_bytes(block, "big")).to_bytes(BLOCK_BYTES, "big")
            hashed = 0
            for table, value in zip(tables, mixed, strict=True):
                hashed ^= table[value]
        return hashed
