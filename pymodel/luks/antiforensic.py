"""The anti-forensic splitter (LUKS1 On-Disk Format Specification 1.2.3, 2.4 and 5.2): a key spread over many
stripes, all of which are needed to have it again."""

from __future__ import annotations

import hashlib


def merge(material: bytes, key_bytes: int, hash_name: str) -> bytes:
    """The key of ``key_bytes`` in ``material``, which is whole stripes of that size.

    Raises ValueError when it is not.
    """
    if not material or len(material) % key_bytes:
        raise ValueError(f"{len(material)} bytes are not stripes of {key_bytes}")
    state = bytes(key_bytes)
    last = len(material) - key_bytes
    for start in range(0, last, key_bytes):
        state = _diffuse(_xor(state, material[start:start + key_bytes]), hash_name)
    return _xor(state, material[last:])


def split(key: bytes, filling: bytes, hash_name: str) -> bytes:
    """The material of ``key``: the stripes of ``filling``, which should be random, and one more.

    Raises ValueError for a filling that is not whole stripes.
    """
    return filling + merge(filling + key, len(key), hash_name)


def _diffuse(block: bytes, hash_name: str) -> bytes:
    """Each piece of the digest's size becomes its hash with its number before it; the last may be shorter."""
    size = hashlib.new(hash_name).digest_size
    pieces = (block[start:start + size] for start in range(0, len(block), size))
    return b"".join(hashlib.new(hash_name, number.to_bytes(4, "big") + piece).digest()[:len(piece)]
                    for number, piece in enumerate(pieces))


def _xor(a: bytes, b: bytes) -> bytes:
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")
