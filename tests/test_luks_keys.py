"""What a key slot is made of besides AES: PBKDF2 and the anti-forensic splitter."""

from __future__ import annotations

import hashlib
import random

import pytest

from pymodel.luks import hashes
from pymodel.luks.antiforensic import merge, split
from pymodel.luks.hashes import pbkdf2


@pytest.mark.parametrize(("iterations", "key"), [
    (1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    (2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
    (4096, "4b007901b765489abead49d926f721d065a429c1"),
])
def test_pbkdf2_gives_the_answers_of_rfc_6070(iterations, key):
    assert pbkdf2("sha1", b"password", b"salt", iterations, 20).hex() == key


def test_pbkdf2_says_that_it_is_alive_while_it_works(monkeypatch):
    monkeypatch.setattr(hashes, "_HEARTBEAT_SECONDS", 0.001)
    beats = []
    key = pbkdf2("sha256", b"secret", b"salt", 300_000, 48, lambda: beats.append(1))
    assert beats
    assert key == hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 300_000, 48)


def test_an_interrupt_does_not_wait_for_the_end_of_pbkdf2(monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(hashes, "_HEARTBEAT_SECONDS", 0.001)
    with pytest.raises(KeyboardInterrupt):
        pbkdf2("sha256", b"secret", b"salt", 300_000, 32, interrupt)


@pytest.mark.parametrize("hash_name", ["sha1", "sha256", "sha512"])
@pytest.mark.parametrize("key_bytes", [16, 20, 24, 32, 48, 64])
@pytest.mark.parametrize("stripes", [1, 2, 50])
def test_the_merge_of_a_split_key_is_the_key(hash_name, key_bytes, stripes):
    rng = random.Random(key_bytes)
    key = rng.randbytes(key_bytes)
    material = split(key, rng.randbytes(key_bytes * (stripes - 1)), hash_name)
    assert len(material) == stripes * key_bytes
    assert merge(material, key_bytes, hash_name) == key


def test_two_stripes_merge_as_the_specification_says():
    first, second = bytes(range(24)), bytes(range(100, 124))
    diffused = (hashlib.sha1(bytes([0, 0, 0, 0]) + first[:20]).digest()
                + hashlib.sha1(bytes([0, 0, 0, 1]) + first[20:]).digest()[:4])
    assert merge(first + second, 24, "sha1") == bytes(a ^ b for a, b in zip(diffused, second, strict=True))


def test_every_bit_of_the_material_is_needed():
    material = bytearray(split(bytes(16), random.Random(1).randbytes(16 * 9), "sha256"))
    for position in range(0, len(material), 7):
        material[position] ^= 1
        assert merge(bytes(material), 16, "sha256") != bytes(16)
        material[position] ^= 1


@pytest.mark.parametrize("material", [b"", bytes(17)])
def test_a_part_of_a_stripe_is_refused(material):
    with pytest.raises(ValueError, match=f"{len(material)} bytes are not stripes of 16"):
        merge(material, 16, "sha256")
