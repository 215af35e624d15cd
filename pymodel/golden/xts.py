"""XTS-AES of IEEE 1619-2018, 5.3, with ciphertext stealing for a last block that is not whole.

The key is two AES keys of the same size: the first for the data, the second for the tweak. The
standard defines 128 and 256 bits; 192 is computed in the same way, and equal halves are accepted
(SP 800-38E and FIPS 140 forbid them; a specification model has to give their result too).
The standard's upper limit of 2^20 blocks in a data unit is not enforced.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .aes import BLOCK, cipher, expand_key, inv_cipher
from .gf import Bytes, multiply_by_alpha
from .modes import whole_blocks

_BlockCipher = Callable[[Bytes, Bytes], Bytes]


def xts_encrypt(key: bytes, tweak: bytes, data: bytes) -> bytes:
    """Encrypt one data unit (IEEE 1619-2018, 5.3.2).

    key: 32, 48 or 64 bytes; tweak: 16 bytes, the data-unit number in little-endian order;
    data: at least 16 bytes, any length. The result has the length of ``data``.
    ValueError for any other size.
    """
    schedule, tweak_schedule = _schedules(key)
    tweaks = _tweaks(tweak_schedule, tweak, data)
    tail = len(data) % BLOCK
    if not tail:
        return _crypt(cipher, schedule, tweaks, data)
    whole = len(data) - tail
    result = _crypt(cipher, schedule, tweaks[:-1], data[:whole])
    stolen = result[whole - BLOCK :]
    last = _crypt(cipher, schedule, tweaks[-1:], data[whole:] + stolen[tail:])
    return result[: whole - BLOCK] + last + stolen[:tail]


def xts_decrypt(key: bytes, tweak: bytes, data: bytes) -> bytes:
    """Decrypt one data unit (IEEE 1619-2018, 5.4.2); arguments and errors as in ``xts_encrypt``.

    With a tail the last whole block of the ciphertext goes with the last tweak, and what was
    stolen from it with the tweak before.
    """
    schedule, tweak_schedule = _schedules(key)
    tweaks = _tweaks(tweak_schedule, tweak, data)
    tail = len(data) % BLOCK
    if not tail:
        return _crypt(inv_cipher, schedule, tweaks, data)
    head = len(data) - tail - BLOCK
    result = _crypt(inv_cipher, schedule, tweaks[:-2], data[:head])
    stolen = _crypt(inv_cipher, schedule, tweaks[-1:], data[head : head + BLOCK])
    last = _crypt(inv_cipher, schedule, tweaks[-2:-1], data[head + BLOCK :] + stolen[tail:])
    return result + last + stolen[:tail]


def _schedules(key: bytes) -> tuple[Bytes, Bytes]:
    if len(key) not in (32, 48, 64):
        raise ValueError(f"an XTS key has 32, 48 or 64 bytes, not {len(key)}")
    half = len(key) // 2
    return expand_key(bytes(key[:half])), expand_key(bytes(key[half:]))


def _tweaks(schedule: Bytes, tweak: bytes, data: bytes) -> Bytes:
    """The tweak of every block that ``data`` touches, a last part included; shape (blocks, 16)."""
    if len(tweak) != BLOCK:
        raise ValueError(f"the tweak has {BLOCK} bytes, not {len(tweak)}")
    if len(data) < BLOCK:
        raise ValueError(f"a data unit has at least {BLOCK} bytes, not {len(data)}")
    value = int.from_bytes(cipher(schedule, whole_blocks(bytes(tweak))).tobytes(), "little")
    chain = []
    for _ in range(-(-len(data) // BLOCK)):
        chain.append(value.to_bytes(BLOCK, "little"))
        value = multiply_by_alpha(value)
    return np.frombuffer(b"".join(chain), dtype=np.uint8).reshape(-1, BLOCK)


def _crypt(block_cipher: _BlockCipher, schedule: Bytes, tweaks: Bytes, data: bytes) -> bytes:
    """Whole blocks, each between two additions of its tweak (5.3.1 and 5.4.1)."""
    return (block_cipher(schedule, whole_blocks(data) ^ tweaks) ^ tweaks).tobytes()
