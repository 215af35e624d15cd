"""The golden model against pyca `cryptography` on random requests. The seed is in each test's name."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel import golden
from pymodel.vectors import ieee1619

SEEDS = range(1, 9)
REQUESTS = 25


def pyca(mode: str, key: bytes, iv: bytes, data: bytes, *, encrypt: bool) -> bytes:
    kinds = {"ecb": lambda _: modes.ECB(), "cbc": modes.CBC, "ctr": modes.CTR, "xts": modes.XTS}
    cipher = Cipher(algorithms.AES(key), kinds[mode](iv))
    context = cipher.encryptor() if encrypt else cipher.decryptor()
    return context.update(data) + context.finalize()


def length_of(mode: str, rng: random.Random) -> int:
    if mode in ("ecb", "cbc"):
        return 16 * rng.randint(0, 40)
    return rng.randint(16 if mode == "xts" else 0, 640)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr", "xts"])
def test_golden_agrees_with_cryptography_on_random_requests(mode: str, seed: int):
    print(f"seed {seed}")
    rng = random.Random(f"{mode} {seed}")
    for number in range(REQUESTS):
        key = rng.randbytes(rng.choice((32, 64) if mode == "xts" else (16, 24, 32)))
        iv = b"" if mode == "ecb" else rng.randbytes(16)
        data = rng.randbytes(length_of(mode, rng))
        encrypt = rng.random() < 0.5
        result, _ = golden.crypt(mode, key, iv, data, encrypt=encrypt)
        assert result == pyca(mode, key, iv, data, encrypt=encrypt), (
            f"seed {seed}, request {number}: {'encrypt' if encrypt else 'decrypt'}, {len(data)} bytes, "
            f"key {key.hex()}, iv {iv.hex()}"
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_counter_wraps_as_in_cryptography(seed: int):
    print(f"seed {seed}")
    rng = random.Random(seed)
    for low_bits in (8, 16, 32, 64, 96, 128):
        key = rng.randbytes(rng.choice((16, 24, 32)))
        high = rng.getrandbits(128) >> low_bits << low_bits
        iv = (high | (1 << low_bits) - rng.randint(1, 3)).to_bytes(16, "big")
        data = rng.randbytes(rng.randint(49, 100))
        result, next_iv = golden.ctr_crypt(key, iv, data)
        assert result == pyca("ctr", key, iv, data, encrypt=True), f"carry out of {low_bits} bits"
        rest = rng.randbytes(32)
        continued = pyca("ctr", key, iv, data.ljust(112, b"\0") + rest, encrypt=True)[112:]
        assert golden.ctr_crypt(key, golden.ctr_crypt(key, iv, bytes(112))[1], rest)[0] == continued
        assert int.from_bytes(next_iv, "big") == (int.from_bytes(iv, "big") + -(-len(data) // 16)) % (
            1 << 128
        )


def test_shipped_ieee_vectors_are_confirmed_by_cryptography():
    confirmed = 0
    for vector in ieee1619():
        half = len(vector.key) // 2
        if vector.key[:half] == vector.key[half:]:
            continue  # cryptography refuses equal halves: vector 1 alone
        assert pyca("xts", vector.key, vector.iv, vector.data, encrypt=vector.encrypt) == vector.expected, (
            vector.name
        )
        confirmed += 1
    assert confirmed == 36


def xts_from_blocks(key: bytes, tweak: bytes, data: bytes) -> bytes:
    """XTS encryption with stealing as IEEE 1619-2018, 5.3.2 words it, one block at a time over
    ``cryptography``'s ECB, for keys that its own XTS refuses."""
    half = len(key) // 2
    power = int.from_bytes(pyca("ecb", key[half:], b"", tweak, encrypt=True), "little")

    def block(text: bytes, power: int) -> bytes:
        mask = power.to_bytes(16, "little")
        inner = bytes(a ^ b for a, b in zip(text, mask, strict=True))
        outer = pyca("ecb", key[:half], b"", inner, encrypt=True)
        return bytes(a ^ b for a, b in zip(outer, mask, strict=True))

    result = b""
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        if len(part) < 16:
            stolen = result[-16:]
            result = result[:-16] + block(part + stolen[len(part) :], power) + stolen[: len(part)]
        else:
            result += block(part, power)
        power = power << 1 ^ (0x87 | 1 << 128 if power >> 127 else 0)
    return result


@pytest.mark.parametrize("key_size", [32, 48, 64])
@pytest.mark.parametrize("equal_halves", [False, True], ids=["two-keys", "equal-halves"])
def test_xts_keys_that_cryptography_refuses_agree_block_by_block(key_size: int, equal_halves: bool):
    seed = 1000 + key_size
    print(f"seed {seed}")
    rng = random.Random(seed)
    for length in range(16, 100):
        half = rng.randbytes(key_size // 2)
        key = half + (half if equal_halves else rng.randbytes(key_size // 2))
        tweak, data = rng.randbytes(16), rng.randbytes(length)
        result = golden.xts_encrypt(key, tweak, data)
        assert result == xts_from_blocks(key, tweak, data), f"{length} bytes, key {key.hex()}"
        assert golden.xts_decrypt(key, tweak, result) == data, f"{length} bytes, key {key.hex()}"
