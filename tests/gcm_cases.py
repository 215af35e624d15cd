"""What the tests of GCM share: a key, an IV and a header, a choice of vectors, IVs for a wanted counter, and
a second opinion."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from seeded import seeded

from pymodel.golden.gcm import hash_subkey, multiply_blocks
from pymodel.vectors import GcmVector, nist_gcm

KEY = bytes(range(32))
IV = bytes(range(100, 112))
AAD = b"header"


def one_of_every_size(seed: int) -> list[GcmVector]:
    """3150 of the NIST vectors: one of every combination of direction and sizes, chosen by ``seed``."""
    rng, groups = seeded(seed), {}
    for vector in nist_gcm():
        groups.setdefault((vector.encrypt, vector.sizes), []).append(vector)
    return [rng.choice(group) for group in groups.values()]


def pyca(key: bytes, iv: bytes, data: bytes, aad: bytes) -> tuple[bytes, bytes]:
    """(ciphertext, tag of 16 bytes) by ``cryptography``, which takes IVs of 8 to 128 bytes."""
    encryptor = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
    encryptor.authenticate_additional_data(aad)
    return encryptor.update(data) + encryptor.finalize(), encryptor.tag


def iv_for(key: bytes, counter: bytes) -> bytes:
    """The IV of 16 bytes whose J0 is ``counter``: J0 = (IV * H + 128) * H, solved for the IV."""
    inverse, power = 1 << 127, hash_subkey(key)
    for _ in range(127):  # H^(2^128 - 2)
        power = multiply_blocks(power, power)
        inverse = multiply_blocks(inverse, power)
    first = multiply_blocks(int.from_bytes(counter, "big"), inverse) ^ 128
    return multiply_blocks(first, inverse).to_bytes(16, "big")


WRAPPING = ["ffffffff", "fffffffe", "fffffffd", "fffffffa", "00000000", "7fffffff"]
"""Last 32 bits of J0, in hexadecimal, to go with 5 blocks."""
