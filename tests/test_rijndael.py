"""Schedules and rounds of pymodel.engines.rijndael against FIPS-197 and `cryptography`."""

from __future__ import annotations

import random

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel.engines import rijndael

KEY_SIZES = [16, 24, 32]


def reference(key: bytes, data: bytes, *, decrypt: bool) -> bytes:
    ecb = Cipher(algorithms.AES(key), modes.ECB())
    run = ecb.decryptor() if decrypt else ecb.encryptor()
    return run.update(data) + run.finalize()


def blocks_of(data: bytes) -> rijndael.Bytes2d:
    return np.frombuffer(data, np.uint8).reshape(-1, 16)


@pytest.mark.parametrize(("key", "last"), [
    ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     "fe4890d1e6188d0b046df344706c631e"),
])
def test_the_expansions_of_fips_197_appendix_a_end_in_its_last_round_key(key, last):
    schedule = rijndael.expand(bytes.fromhex(key))
    assert schedule.shape == (len(key) // 8 + 7, 16)
    assert schedule[-1].tobytes().hex() == last


@pytest.mark.parametrize("key_bytes", KEY_SIZES)
@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 300])
def test_rounds_over_a_genuine_schedule_are_aes(key_bytes, blocks):
    random_bytes = random.Random(f"{key_bytes}/{blocks}").randbytes
    key, data = random_bytes(key_bytes), random_bytes(16 * blocks)
    schedule = rijndael.expand(key)
    encrypted = rijndael.cipher(schedule, blocks_of(data), False)
    decrypted = rijndael.cipher(rijndael.invert(schedule), blocks_of(data), True)
    assert encrypted.tobytes() == reference(key, data, decrypt=False)
    assert decrypted.tobytes() == reference(key, data, decrypt=True)


def test_the_equivalent_inverse_schedule_of_fips_197_has_mixed_middle_keys():
    schedule = rijndael.expand(bytes(range(16)))
    inverse = rijndael.invert(schedule)
    assert inverse[0].tobytes() == schedule[10].tobytes()
    assert inverse[10].tobytes() == schedule[0].tobytes()
    # FIPS-197 C.1, equivalent inverse cipher, round 1
    assert inverse[1].tobytes().hex() == "13aa29be9c8faff6f770f58000f7bf03"


@pytest.mark.parametrize("key_bytes", KEY_SIZES)
def test_the_key_of_a_genuine_schedule_is_found_in_its_own_direction_only(key_bytes):
    key = random.Random(key_bytes).randbytes(key_bytes)
    schedule = rijndael.expand(key)
    inverse = rijndael.invert(schedule)
    assert rijndael.key_of_schedule(schedule, False) == key
    assert rijndael.key_of_schedule(inverse, True) == key
    assert rijndael.key_of_schedule(schedule, True) is None
    assert rijndael.key_of_schedule(inverse, False) is None


@pytest.mark.parametrize("position", [0, 1, 100, 175])
def test_a_schedule_with_one_wrong_bit_has_no_key_and_ciphers_differently(position):
    schedule = rijndael.expand(bytes(range(16)))
    garbled = schedule.copy()
    garbled.reshape(-1)[position] ^= 0x10
    block = blocks_of(bytes(16))
    assert rijndael.key_of_schedule(garbled, False) is None
    assert (rijndael.cipher(garbled, block, False) != rijndael.cipher(schedule, block, False)).any()


def test_a_schedule_of_another_length_has_no_key():
    schedule = rijndael.expand(bytes(32))
    assert rijndael.key_of_schedule(schedule[:-1], False) is None
    assert rijndael.key_of_schedule(schedule[:11], False) is None


def test_inverse_rounds_undo_forward_rounds_under_any_schedule():
    wrong = np.frombuffer(random.Random(5).randbytes(11 * 16), np.uint8).reshape(11, 16)
    data = blocks_of(random.Random(6).randbytes(64))
    there = rijndael.cipher(wrong, data, False)
    assert rijndael.cipher(rijndael.invert(wrong), there, True).tobytes() == data.tobytes()
    assert rijndael.cipher(wrong, there, True).tobytes() != data.tobytes()


def test_the_arguments_are_left_as_they_were():
    schedule, data = rijndael.expand(bytes(16)), blocks_of(bytes(range(32))).copy()
    before = schedule.copy(), data.copy()
    rijndael.cipher(rijndael.invert(schedule), rijndael.cipher(schedule, data, False), True)
    assert (schedule == before[0]).all()
    assert (data == before[1]).all()


@pytest.mark.parametrize("size", [0, 15, 17, 23, 31, 33])
def test_a_key_of_another_size_is_refused(size):
    with pytest.raises(ValueError, match=f"not {size}"):
        rijndael.expand(bytes(size))


def test_arrays_of_another_shape_are_refused():
    schedule = rijndael.expand(bytes(16))
    with pytest.raises(ValueError, match="blocks of shape"):
        rijndael.cipher(schedule, np.zeros(16, np.uint8), False)
    with pytest.raises(ValueError, match="schedule of shape"):
        rijndael.cipher(schedule[:, :8], np.zeros((1, 16), np.uint8), False)
