"""AES-GCM of SP 800-38D, step by step: clarity over speed.

A block is the integer of its 16 bytes, big endian. As an element of GF(2^128) its leftmost bit, bit 127 of
the integer, is the coefficient of x^0 (SP 800-38D, 6.3), so that a multiplication by x is a shift right.
"""

from __future__ import annotations

from hmac import compare_digest

from .aes import BLOCK, cipher, expand_key
from .gf import Bytes
from .modes import whole_blocks

TAG_SIZES = (4, 8, 12, 13, 14, 15, 16)
"""Bytes in a tag (SP 800-38D, 5.2.1.2)."""

_R = 0xE1 << 120
"""x^128 = 1 + x + x^2 + x^7."""


def gcm_encrypt(key: bytes, iv: bytes, data: bytes, aad: bytes, tag_bytes: int = 16) -> tuple[bytes, bytes]:
    """GCM-AE (SP 800-38D, 7.1): (ciphertext, tag), for any number of bytes of data and aad.

    ValueError: a key that has not 16, 24 or 32 bytes; an empty IV; a tag size that is none of TAG_SIZES.
    """
    schedule, subkey, counter = _begin(key, iv, tag_bytes)
    ciphertext = _gctr(schedule, _inc32(counter), data)
    return ciphertext, _tag(schedule, subkey, counter, aad, ciphertext)[:tag_bytes]


def gcm_decrypt(key: bytes, iv: bytes, data: bytes, aad: bytes, tag: bytes) -> bytes:
    """GCM-AD (SP 800-38D, 7.2): the plaintext; errors as in ``gcm_encrypt``.

    ValueError also for a tag that is not the one of ``data`` and ``aad``.
    """
    schedule, subkey, counter = _begin(key, iv, len(tag))
    if not compare_digest(_tag(schedule, subkey, counter, aad, data)[: len(tag)], bytes(tag)):
        raise ValueError("the tag is not that of the data")
    return _gctr(schedule, _inc32(counter), data)


def multiply_blocks(x: int, y: int) -> int:
    """The product of two blocks in GF(2^128) (SP 800-38D, 6.3, algorithm 1)."""
    product, v = 0, y
    for i in range(128):
        if x >> 127 - i & 1:
            product ^= v
        v = v >> 1 ^ (_R if v & 1 else 0)
    return product


def ghash(subkey: int, data: bytes) -> int:
    """GHASH of whole blocks under the hash subkey (SP 800-38D, 6.4, algorithm 2)."""
    y = 0
    for block in whole_blocks(data):
        y = multiply_blocks(y ^ int.from_bytes(block.tobytes(), "big"), subkey)
    return y


def first_counter(subkey: int, iv: bytes) -> int:
    """J0, the counter block that masks the tag (SP 800-38D, 7.1, step 2)."""
    if len(iv) == 12:
        return int.from_bytes(iv + bytes(3) + b"\1", "big")
    return ghash(subkey, _padded(iv) + (8 * len(iv)).to_bytes(BLOCK, "big"))


def hash_subkey(key: bytes) -> int:
    """H, the encryption of the zero block (SP 800-38D, 7.1, step 1); ValueError as in ``gcm_encrypt``."""
    return _encrypted(expand_key(bytes(key)), 0)


def _begin(key: bytes, iv: bytes, tag_bytes: int) -> tuple[Bytes, int, int]:
    """(key schedule, H, J0)."""
    if tag_bytes not in TAG_SIZES:
        raise ValueError(f"a tag has 4, 8 or 12 to 16 bytes, not {tag_bytes}")
    if not iv:
        raise ValueError("the IV is empty")
    subkey = hash_subkey(key)
    return expand_key(bytes(key)), subkey, first_counter(subkey, bytes(iv))


def _inc32(block: int) -> int:
    """The last 32 bits of a block plus 1; they wrap by themselves (SP 800-38D, 6.2)."""
    return block >> 32 << 32 | (block + 1) % (1 << 32)


def _gctr(schedule: Bytes, counter: int, data: bytes) -> bytes:
    """GCTR from the first counter block on (SP 800-38D, 6.5, algorithm 3)."""
    result = b""
    for start in range(0, len(data), BLOCK):
        mask = _encrypted(schedule, counter).to_bytes(BLOCK, "big")
        result += bytes(a ^ b for a, b in zip(data[start : start + BLOCK], mask, strict=False))
        counter = _inc32(counter)
    return result


def _tag(schedule: Bytes, subkey: int, counter: int, aad: bytes, ciphertext: bytes) -> bytes:
    """The tag of 16 bytes (SP 800-38D, 7.1, steps 4 to 6)."""
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    s = ghash(subkey, _padded(aad) + _padded(ciphertext) + lengths)
    return (s ^ _encrypted(schedule, counter)).to_bytes(BLOCK, "big")


def _encrypted(schedule: Bytes, block: int) -> int:
    return int.from_bytes(cipher(schedule, whole_blocks(block.to_bytes(BLOCK, "big"))).tobytes(), "big")


def _padded(data: bytes) -> bytes:
    """With zeros to whole blocks."""
    return bytes(data) + bytes(-len(data) % BLOCK)
