"""LUKS1 volumes for tests: those of tests/data/luks, and new ones of any kind from ``cryptography``."""

from __future__ import annotations

import gzip
import hashlib
import random
import struct

from conftest import ROOT
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel.luks.antiforensic import split
from pymodel.luks.header import HEADER_BYTES, STRIPES

DATA = ROOT / "tests" / "data" / "luks"
PASSPHRASE = b"correct-horse"
"""Of the two volumes with 128 sectors."""
STATE = 208
"""Where in the header the first key slot is."""


def shipped(name: str) -> bytes:
    """A volume of tests/data/luks."""
    return gzip.decompress((DATA / f"{name}.img.gz").read_bytes())


def encrypt(mode: str, key: bytes, first: int, data: bytes) -> bytes:
    """Sectors from number ``first`` on. ``mode``: as in the header."""
    return b"".join(_encrypt_sector(mode, key, first + start // 512, data[start:start + 512])
                    for start in range(0, len(data), 512))


def _encrypt_sector(mode: str, key: bytes, sector: int, data: bytes) -> bytes:
    kind, _, iv_kind = mode.partition("-")
    number = (sector & 0xFFFFFFFF if iv_kind == "plain" else sector).to_bytes(16, "little")
    if iv_kind == "essiv:sha256":
        number = _aes(hashlib.sha256(key).digest(), modes.ECB(), number)
    if kind == "ecb":
        return _aes(key, modes.ECB(), data)
    return _aes(key, modes.XTS(number) if kind == "xts" else modes.CBC(number), data)


def _aes(key: bytes, mode: modes.Mode, data: bytes) -> bytes:
    context = Cipher(algorithms.AES(key), mode).encryptor()
    return context.update(data) + context.finalize()


def volume(payload: bytes, passphrases: dict[int, bytes], *, mode: str = "xts-plain64", key_bytes: int = 32,
           hash_name: str = "sha256", seed: int = 1) -> bytes:
    """An image. ``passphrases``: by the number of the key slot; the others are disabled."""
    rng = random.Random(seed)
    key, salt, iterations = rng.randbytes(key_bytes), rng.randbytes(32), 3
    step = -(-key_bytes * STRIPES // 4096) * 8
    payload_sector = 8 + 8 * step
    image = bytearray(payload_sector * 512)
    digest = hashlib.pbkdf2_hmac(hash_name, key, salt, iterations, 20)
    struct.pack_into(">6sH32s32s32sII20s32sI40s", image, 0, b"LUKS\xba\xbe", 1, b"aes", mode.encode(),
                     hash_name.encode(), payload_sector, key_bytes, digest, salt, iterations, b"a-b-c")
    for slot in range(8):
        first, slot_salt = 8 + slot * step, rng.randbytes(32)
        state = 0x00AC71F3 if slot in passphrases else 0x0000DEAD
        struct.pack_into(">II32sII", image, STATE + slot * 48, state, iterations, slot_salt, first, STRIPES)
        if slot in passphrases:
            derived = hashlib.pbkdf2_hmac(hash_name, passphrases[slot], slot_salt, iterations, key_bytes)
            material = split(key, rng.randbytes(key_bytes * (STRIPES - 1)), hash_name)
            image[first * 512:first * 512 + len(material)] = encrypt(mode, derived, 0, material)
    assert struct.calcsize(">6sH32s32s32sII20s32sI40s") == STATE == HEADER_BYTES - 8 * 48
    return bytes(image) + encrypt(mode, key, 0, payload)


def patched(image: bytes, at: int, new: bytes) -> bytes:
    return image[:at] + new + image[at + len(new):]
