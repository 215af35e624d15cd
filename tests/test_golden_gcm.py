"""The golden GCM against NIST's vectors, the standard's own example and pyca `cryptography`."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from gcm_cases import WRAPPING, iv_for, one_of_every_size, pyca

from pymodel import golden
from pymodel.golden.gcm import TAG_SIZES, first_counter, ghash, hash_subkey, multiply_blocks

KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
DATA = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")


def test_golden_gives_a_nist_answer_of_every_combination_of_sizes():
    """3150 of 47250 (all of them take half a minute); about 800 must be refused."""
    refused = 0
    for vector in one_of_every_size(seed=1):
        if vector.encrypt:
            result = golden.gcm_encrypt(vector.key, vector.iv, vector.data, vector.aad, len(vector.tag))
            assert result == (vector.expected, vector.tag), vector.name
        elif vector.fails:
            refused += 1
            with pytest.raises(ValueError, match="tag is not that"):
                golden.gcm_decrypt(vector.key, vector.iv, vector.data, vector.aad, vector.tag)
        else:
            result = golden.gcm_decrypt(vector.key, vector.iv, vector.data, vector.aad, vector.tag)
            assert result == vector.expected, vector.name
    assert refused > 700


def test_test_case_4_of_the_gcm_submission():
    """McGrew and Viega, appendix B."""
    ciphertext, tag = golden.gcm_encrypt(KEY, bytes.fromhex("cafebabefacedbaddecaf888"), DATA, AAD)
    assert ciphertext.hex() == (
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
    )
    assert tag.hex() == "5bc94fbc3221a5db94fae95ae7121a47"
    assert f"{hash_subkey(KEY):032x}" == "b83b533708bf535d0aa6e52980d53b78"


@pytest.mark.parametrize("seed", range(1, 6))
def test_golden_gcm_agrees_with_cryptography_on_random_requests(seed: int):
    print(f"seed {seed}")
    rng = random.Random(seed)
    for number in range(25):
        key = rng.randbytes(rng.choice((16, 24, 32)))
        iv = rng.randbytes(rng.choice((8, 12, 12, 13, 16, 60, 128)))
        data, aad = rng.randbytes(rng.randint(0, 300)), rng.randbytes(rng.choice((0, rng.randint(1, 100))))
        result = golden.gcm_encrypt(key, iv, data, aad)
        where = f"seed {seed}, request {number}"
        assert result == pyca(key, iv, data, aad), where
        assert b"".join(result) == AESGCM(key).encrypt(iv, data, aad), where
        size = rng.choice(TAG_SIZES)
        assert golden.gcm_encrypt(key, iv, data, aad, size) == (result[0], result[1][:size]), where
        assert golden.gcm_decrypt(key, iv, result[0], aad, result[1][:size]) == data, where


@pytest.mark.parametrize("last", WRAPPING)
def test_only_32_bits_of_the_counter_wrap(last: str):
    rng = random.Random(last)
    key, high, data = rng.randbytes(24), rng.randbytes(12), rng.randbytes(75)
    iv = iv_for(key, high + bytes.fromhex(last))
    assert first_counter(hash_subkey(key), iv) == int.from_bytes(high + bytes.fromhex(last), "big")
    assert golden.gcm_encrypt(key, iv, data, b"") == pyca(key, iv, data, b"")


def test_the_field_has_its_unit_its_generator_and_its_laws():
    rng, one, x = random.Random(5), 1 << 127, 1 << 126
    for _ in range(20):
        a, b, c = (rng.getrandbits(128) for _ in range(3))
        assert multiply_blocks(a, one) == a == multiply_blocks(one, a)
        assert multiply_blocks(a, b) == multiply_blocks(b, a)
        assert multiply_blocks(a ^ b, c) == multiply_blocks(a, c) ^ multiply_blocks(b, c)
    assert multiply_blocks(1, x) == 0xE1 << 120
    assert ghash(one, DATA[:16] + DATA[16:32]) == int.from_bytes(DATA[:16], "big") ^ int.from_bytes(
        DATA[16:32], "big"
    )


@pytest.mark.parametrize("place", ["iv", "aad", "data", "tag", "key"])
def test_any_bit_that_changes_is_refused(place: str):
    rng = random.Random(place)
    given = {name: rng.randbytes(size) for name, size in (("key", 16), ("iv", 12), ("data", 20), ("aad", 5))}
    given["data"], given["tag"] = golden.gcm_encrypt(**given)
    assert len(golden.gcm_decrypt(**given)) == 20
    bit = rng.randrange(8 * len(given[place]))
    number = int.from_bytes(given[place], "big") ^ 1 << bit
    given[place] = number.to_bytes(len(given[place]), "big")
    with pytest.raises(ValueError, match="tag is not that"):
        golden.gcm_decrypt(**given)


@pytest.mark.parametrize("size", [0, 1, 3, 5, 7, 9, 11, 17])
def test_tags_of_other_sizes_are_refused(size: int):
    with pytest.raises(ValueError, match=f"not {size}"):
        golden.gcm_encrypt(KEY, bytes(12), DATA, AAD, size)
    with pytest.raises(ValueError, match=f"not {size}"):
        golden.gcm_decrypt(KEY, bytes(12), DATA, AAD, bytes(size))


def test_an_empty_iv_and_keys_of_other_sizes_are_refused():
    with pytest.raises(ValueError, match="IV is empty"):
        golden.gcm_encrypt(KEY, b"", DATA, AAD)
    with pytest.raises(ValueError, match="not 17"):
        golden.gcm_encrypt(bytes(17), bytes(12), DATA, AAD)
