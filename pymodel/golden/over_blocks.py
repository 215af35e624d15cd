"""CBC and CTR of NIST SP 800-38A over any block cipher, given as a function of one block.

One block at a time, as the standard's equations have it. All lengths are in bytes.
"""

from __future__ import annotations

from collections.abc import Callable

BlockFunction = Callable[[bytes], bytes]
"""The forward or the inverse cipher function under some key: a block in, a block of the same size out."""


def cbc_encrypt_over(forward: BlockFunction, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CBC encryption (SP 800-38A, 6.2) of 0 or more blocks of the size of ``iv``: (ciphertext, next IV).

    ValueError: data that is not whole blocks.
    """
    result = b""
    for block in _blocks(data, len(iv)):
        iv = forward(_xor(block, iv))
        result += iv
    return result, iv


def cbc_decrypt_over(inverse: BlockFunction, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CBC decryption (SP 800-38A, 6.2): (plaintext, next IV); errors as in ``cbc_encrypt_over``."""
    result = b""
    for block in _blocks(data, len(iv)):
        result += _xor(inverse(block), iv)
        iv = block
    return result, iv


def ctr_crypt_over(forward: BlockFunction, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CTR encryption or decryption (SP 800-38A, 6.5) of any number of bytes: (result, next counter).

    The counter is one big-endian number of the size of a block, which wraps to zero (appendix B.1).
    """
    size, result = len(counter), b""
    for start in range(0, len(data), size):
        result += _xor(data[start : start + size], forward(counter))
        counter = ((int.from_bytes(counter, "big") + 1) % (1 << 8 * size)).to_bytes(size, "big")
    return result, counter


def _blocks(data: bytes, size: int) -> list[bytes]:
    if len(data) % size:
        raise ValueError(f"the data must be whole blocks of {size} bytes, not {len(data)} bytes")
    return [data[start : start + size] for start in range(0, len(data), size)]


def _xor(a: bytes, b: bytes) -> bytes:
    """As many bytes as ``a`` has."""
    return bytes(x ^ y for x, y in zip(a, b, strict=False))
