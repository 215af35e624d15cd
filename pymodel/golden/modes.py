"""ECB, CBC and CTR of NIST SP 800-38A over the AES of ``aes``. No padding anywhere.

All lengths are in bytes. CBC and CTR also give the IV that continues the message in a next call.
"""

from __future__ import annotations

import numpy as np

from .aes import BLOCK, cipher, expand_key, inv_cipher
from .gf import Bytes


def whole_blocks(data: bytes) -> Bytes:
    """``data`` as an array of shape (blocks, 16); ValueError when it is not whole blocks."""
    if len(data) % BLOCK:
        raise ValueError(f"the data must be whole blocks of {BLOCK} bytes, not {len(data)} bytes")
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, BLOCK)


def _initial_block(iv: bytes) -> bytes:
    if len(iv) != BLOCK:
        raise ValueError(f"the IV has {BLOCK} bytes, not {len(iv)}")
    return bytes(iv)


def ecb_encrypt(key: bytes, data: bytes) -> bytes:
    """ECB encryption (SP 800-38A, 6.1) of 0 or more whole blocks.

    ValueError: a key that has not 16, 24 or 32 bytes; data that is not whole blocks.
    """
    schedule = expand_key(bytes(key))
    return cipher(schedule, whole_blocks(data)).tobytes()


def ecb_decrypt(key: bytes, data: bytes) -> bytes:
    """ECB decryption (SP 800-38A, 6.1); arguments and errors as in ``ecb_encrypt``."""
    schedule = expand_key(bytes(key))
    return inv_cipher(schedule, whole_blocks(data)).tobytes()


def cbc_encrypt(key: bytes, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CBC encryption (SP 800-38A, 6.2) of 0 or more whole blocks: (ciphertext, next IV).

    The next IV is the last ciphertext block, or ``iv`` when there is no data.
    ValueError: a key that has not 16, 24 or 32 bytes; an IV that has not 16; data that is not whole
    blocks.
    """
    schedule = expand_key(bytes(key))
    chain = np.frombuffer(_initial_block(iv), dtype=np.uint8)
    blocks = whole_blocks(data)
    result = np.empty_like(blocks)
    for number, block in enumerate(blocks):
        chain = result[number] = cipher(schedule, (block ^ chain)[np.newaxis])[0]
    return result.tobytes(), chain.tobytes()


def cbc_decrypt(key: bytes, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CBC decryption (SP 800-38A, 6.2): (plaintext, next IV); arguments and errors as in
    ``cbc_encrypt``. The next IV is the last block of ``data``, or ``iv`` when there is no data."""
    schedule = expand_key(bytes(key))
    blocks = whole_blocks(data)
    chain = np.concatenate([whole_blocks(_initial_block(iv)), blocks])
    result = inv_cipher(schedule, blocks) ^ chain[:-1]
    return result.tobytes(), chain[-1].tobytes()


def ctr_crypt(key: bytes, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    """CTR encryption or decryption (SP 800-38A, 6.5): (result, next IV), for any number of bytes.

    ``iv`` is the first counter block: a 128-bit big-endian number that grows by one per block and
    wraps to zero (the standard incrementing function of appendix B.1 with m = 128). The next IV is
    the first counter not used; a part of a block uses up its counter.
    ValueError: a key that has not 16, 24 or 32 bytes; an IV that has not 16.
    """
    schedule = expand_key(bytes(key))
    first = int.from_bytes(_initial_block(iv), "big")
    blocks = -(-len(data) // BLOCK)
    counters = [((first + i) % (1 << 128)).to_bytes(BLOCK, "big") for i in range(blocks + 1)]
    stream = cipher(schedule, whole_blocks(b"".join(counters[:-1]))).reshape(-1)
    text = np.frombuffer(data, dtype=np.uint8)
    return (text ^ stream[: len(text)]).tobytes(), counters[-1]
