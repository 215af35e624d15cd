"""AES rounds over any key schedule, right or wrong, vectorised over blocks.

The engine models need this because hardware obeys the schedule it is given, also a stale or a
garbled one. A block is 16 bytes in FIPS-197 order; a schedule is an array (rounds + 1, 16) of
uint8 in the order of use. Decryption is the equivalent inverse cipher (FIPS-197 5.3.5).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Bytes2d = NDArray[np.uint8]
Words = NDArray[np.uint32]

KEY_BYTES = (16, 24, 32)
ROUNDS = {16: 10, 24: 12, 32: 14}
"""Rounds by key size in bytes."""


def _product(a: int, b: int) -> int:
    """a * b in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197 4.2)."""
    total = 0
    while b:
        total ^= a if b & 1 else 0
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return total


def _make_sbox() -> NDArray[np.uint8]:
    """The S-box: multiplicative inverse, then the affine map (FIPS-197 5.1.1)."""
    power, exponents = 1, []
    for _ in range(255):
        exponents.append(power)
        power = _product(power, 3)
    logarithm = {value: exponent for exponent, value in enumerate(exponents)}
    sbox = np.zeros(256, np.uint8)
    for value in range(256):
        inverse = exponents[-logarithm[value] % 255] if value else 0
        spread = inverse ^ inverse << 1 ^ inverse << 2 ^ inverse << 3 ^ inverse << 4
        sbox[value] = (spread ^ spread >> 8) & 0xFF ^ 0x63
    return sbox


def _make_table(column: tuple[int, int, int, int], substitute: NDArray[np.uint8] | None) -> Words:
    """Four tables in one, 4 * 256 words: byte i of a column, substituted, through column i of a matrix.

    ``column`` is the first column of the circulant matrix; byte 0 of a word is in its bits 7:0.
    """
    values = range(256) if substitute is None else [int(v) for v in substitute]
    table = np.zeros((4, 256), np.uint32)
    for index, value in enumerate(values):
        products = [_product(value, factor) for factor in column]
        for byte in range(4):
            rotated = products[-byte:] + products[:-byte] if byte else products
            table[byte, index] = sum(part << (8 * place) for place, part in enumerate(rotated))
    return table.reshape(-1)


MIX = (2, 1, 1, 3)
INVERSE_MIX = (14, 9, 13, 11)

SBOX = _make_sbox()
INVERSE_SBOX = np.argsort(SBOX).astype(np.uint8)
_ENCRYPT_TABLE = _make_table(MIX, SBOX)
_DECRYPT_TABLE = _make_table(INVERSE_MIX, INVERSE_SBOX)
_MIX_TABLE = _make_table(MIX, None)
_INVERSE_MIX_TABLE = _make_table(INVERSE_MIX, None)

_SHIFT_ROWS = np.array([(4 * (c + r) + r) % 16 for c in range(4) for r in range(4)])
_INVERSE_SHIFT_ROWS = np.array([(4 * (c - r) + r) % 16 for c in range(4) for r in range(4)])
_TABLE_OF_BYTE = np.tile(np.arange(4) * 256, 4)


def _columns(table: Words, blocks: Bytes2d) -> Words:
    """Each column of each block through a table; (n, 16) bytes to (n, 4) words."""
    words: Words = table[blocks + _TABLE_OF_BYTE].reshape(-1, 4, 4)
    mixed: Words = words[..., 0] ^ words[..., 1] ^ words[..., 2] ^ words[..., 3]
    return mixed


def _as_bytes(words: Words) -> Bytes2d:
    return np.ascontiguousarray(words, "<u4").view(np.uint8).reshape(-1, 16)


@lru_cache(maxsize=1024)
def expand(key: bytes) -> Bytes2d:
    """The encryption schedule, (Nr + 1, 16), read-only, of a key of 16, 24 or 32 bytes (FIPS-197 5.2).

    Raises ValueError for another size.
    """
    if len(key) not in KEY_BYTES:
        raise ValueError(f"an AES key has 16, 24 or 32 bytes, not {len(key)}")
    sbox = SBOX.tolist()
    nk, words = len(key) // 4, [list(key[i:i + 4]) for i in range(0, len(key), 4)]
    constant = 1
    for index in range(nk, 4 * (ROUNDS[len(key)] + 1)):
        word = words[-1]
        if index % nk == 0:
            word = [sbox[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = _product(constant, 2)
        elif nk > 6 and index % nk == 4:
            word = [sbox[b] for b in word]
        words.append([a ^ b for a, b in zip(words[index - nk], word, strict=True)])
    schedule = np.array(words, np.uint8).reshape(-1, 16)
    schedule.setflags(write=False)
    return schedule


def invert(schedule: Bytes2d) -> Bytes2d:
    """The schedule of the equivalent inverse cipher, in order of use (FIPS-197 5.3.5).

    The last round key comes first; InvMixColumns is applied to all but the first and the last.
    """
    inverse = schedule[::-1].copy()
    inverse[1:-1] = _as_bytes(_columns(_INVERSE_MIX_TABLE, inverse[1:-1]))
    return inverse


def _restore(inverse: Bytes2d) -> Bytes2d:
    """The encryption schedule behind a schedule that ``invert`` made."""
    schedule = inverse[::-1].copy()
    schedule[1:-1] = _as_bytes(_columns(_MIX_TABLE, schedule[1:-1]))
    return schedule


def cipher(schedule: Bytes2d, blocks: Bytes2d, decrypt: bool) -> Bytes2d:
    """Run the rounds of a schedule (R + 1, 16) over blocks (n, 16); returns (n, 16).

    The schedule is obeyed as it is: one of the wrong direction or of no key gives what hardware
    would give. ``decrypt`` chooses the rounds of the equivalent inverse cipher.
    Raises ValueError for arrays of another shape.
    """
    if schedule.ndim != 2 or schedule.shape[0] < 2 or schedule.shape[1] != 16:
        raise ValueError(f"a schedule of shape {schedule.shape}")
    if blocks.ndim != 2 or blocks.shape[1] != 16:
        raise ValueError(f"blocks of shape {blocks.shape}")
    shift = _INVERSE_SHIFT_ROWS if decrypt else _SHIFT_ROWS
    table = _DECRYPT_TABLE if decrypt else _ENCRYPT_TABLE
    sbox = INVERSE_SBOX if decrypt else SBOX
    state = blocks ^ schedule[0]
    for round_key in schedule[1:-1]:
        state = _as_bytes(_columns(table, state[:, shift])) ^ round_key
    last: Bytes2d = sbox[state[:, shift]] ^ schedule[-1]
    return last


def key_of_schedule(schedule: Bytes2d, decrypt: bool) -> bytes | None:
    """The raw key when the schedule is a genuine one for that direction, else None."""
    key_bytes = 4 * (len(schedule) - 7)
    if key_bytes not in KEY_BYTES:
        return None
    forward = _restore(schedule) if decrypt else schedule
    key = forward.tobytes()[:key_bytes]
    return key if np.array_equal(expand(key), forward) else None
