"""The AES block cipher of FIPS-197, vectorised over blocks.

A state is one row of 16 bytes: byte ``r + 4c`` of a row is row r, column c of the state in the
standard (FIPS-197, 3.4), so a row holds the block in the order of its bytes. Every transformation
takes and gives arrays of shape (blocks, 16), dtype uint8.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .gf import Bytes, inverted, multiply, substitution_box

BLOCK = 16
"""Bytes in one block."""

KEY_SIZES = (16, 24, 32)
"""Bytes in a key."""

S_BOX = substitution_box()
INVERSE_S_BOX = inverted(S_BOX)

# Byte r + 4c of the new state comes from column c + r (FIPS-197, 5.1.2) or c - r (5.3.1).
_SHIFTED = np.array([r + 4 * ((c + r) % 4) for c in range(4) for r in range(4)])
_UNSHIFTED = np.array([r + 4 * ((c - r) % 4) for c in range(4) for r in range(4)])
_ROW = np.arange(4)


def _column_products(first_column: tuple[int, int, int, int]) -> NDArray[np.uint32]:
    """A circulant 4x4 matrix over GF(2^8) as a table of shape (4, 256): entry [r, v] is column r of
    the matrix times the byte v, its four bytes packed in memory order."""
    table = np.zeros((4, 256, 4), dtype=np.uint8)
    for r in range(4):
        for i in range(4):
            factor = first_column[(i - r) % 4]
            table[r, :, i] = [multiply(factor, value) for value in range(256)]
    return table.view(np.uint32)[..., 0].copy()


_MIX = _column_products((2, 1, 1, 3))
_INVERSE_MIX = _column_products((14, 9, 13, 11))


def sub_bytes(state: Bytes) -> Bytes:
    """SubBytes (FIPS-197, 5.1.1)."""
    return S_BOX.take(state)


def inv_sub_bytes(state: Bytes) -> Bytes:
    """InvSubBytes (FIPS-197, 5.3.2)."""
    return INVERSE_S_BOX.take(state)


def shift_rows(state: Bytes) -> Bytes:
    """ShiftRows (FIPS-197, 5.1.2)."""
    return state.take(_SHIFTED, axis=1)


def inv_shift_rows(state: Bytes) -> Bytes:
    """InvShiftRows (FIPS-197, 5.3.1)."""
    return state.take(_UNSHIFTED, axis=1)


def _multiply_columns(products: NDArray[np.uint32], state: Bytes) -> Bytes:
    words = products[_ROW, state.reshape(-1, 4, 4)]
    columns: NDArray[np.uint32] = words[..., 0] ^ words[..., 1] ^ words[..., 2] ^ words[..., 3]
    return columns.view(np.uint8)


def mix_columns(state: Bytes) -> Bytes:
    """MixColumns: every column times 03 x^3 + 01 x^2 + 01 x + 02 (FIPS-197, 5.1.3)."""
    return _multiply_columns(_MIX, state)


def inv_mix_columns(state: Bytes) -> Bytes:
    """InvMixColumns: every column times 0b x^3 + 0d x^2 + 09 x + 0e (FIPS-197, 5.3.3)."""
    return _multiply_columns(_INVERSE_MIX, state)


def add_round_key(state: Bytes, round_key: Bytes) -> Bytes:
    """AddRoundKey with one round key of shape (16,) (FIPS-197, 5.1.4)."""
    return state ^ round_key


@lru_cache(maxsize=256)
def expand_key(key: bytes) -> Bytes:
    """The key schedule (FIPS-197, 5.2): read-only array of shape (Nr + 1, 16), Nr = 10, 12 or 14.

    Raises ValueError for a key that has not 16, 24 or 32 bytes.
    """
    if len(key) not in KEY_SIZES:
        raise ValueError(f"an AES key has 16, 24 or 32 bytes, not {len(key)}")
    words_in_key = len(key) // 4
    rounds = words_in_key + 6
    box = S_BOX.tolist()
    words = [list(key[4 * i : 4 * i + 4]) for i in range(words_in_key)]
    constant = 1
    for i in range(words_in_key, 4 * (rounds + 1)):
        word = words[i - 1]
        if i % words_in_key == 0:
            word = [box[value] for value in word[1:] + word[:1]]
            word[0] ^= constant
            constant = multiply(constant, 2)
        elif words_in_key > 6 and i % words_in_key == 4:
            word = [box[value] for value in word]
        words.append([a ^ b for a, b in zip(word, words[i - words_in_key], strict=True)])
    schedule = np.array(words, dtype=np.uint8).reshape(rounds + 1, BLOCK)
    schedule.setflags(write=False)
    return schedule


def cipher(schedule: Bytes, blocks: Bytes) -> Bytes:
    """Cipher (FIPS-197, 5.1): encrypt every row of ``blocks`` (shape (n, 16)) with one schedule."""
    state = add_round_key(blocks, schedule[0])
    for round_key in schedule[1:-1]:
        state = add_round_key(mix_columns(shift_rows(sub_bytes(state))), round_key)
    return add_round_key(shift_rows(sub_bytes(state)), schedule[-1])


def inv_cipher(schedule: Bytes, blocks: Bytes) -> Bytes:
    """InvCipher (FIPS-197, 5.3): decrypt every row of ``blocks`` (shape (n, 16)) with the schedule
    of the encryption, its round keys taken from the last to the first."""
    state = add_round_key(blocks, schedule[-1])
    for round_key in schedule[-2:0:-1]:
        state = inv_mix_columns(add_round_key(inv_sub_bytes(inv_shift_rows(state)), round_key))
    return add_round_key(inv_sub_bytes(inv_shift_rows(state)), schedule[0])
