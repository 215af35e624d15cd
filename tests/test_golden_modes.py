"""Properties of the golden modes, and what they refuse."""

from __future__ import annotations

import hashlib

import pytest

from pymodel import golden

KEYS = {size: hashlib.sha512(b"key").digest()[:size] for size in (16, 24, 32, 48, 64)}
IV = hashlib.sha256(b"iv").digest()[:16]
DATA = b"".join(hashlib.sha256(bytes([i])).digest() for i in range(32))

block_modes = pytest.mark.parametrize("mode", ["ecb", "cbc"])
key_sizes = pytest.mark.parametrize("size", [16, 24, 32])
xts_key_sizes = pytest.mark.parametrize("size", [32, 48, 64])


@block_modes
@key_sizes
def test_decryption_inverts_encryption_at_every_number_of_blocks(mode: str, size: int):
    for length in range(0, 20 * 16, 16):
        data = DATA[:length]
        encrypted, _ = golden.crypt(mode, KEYS[size], IV, data, encrypt=True)
        assert len(encrypted) == length
        assert length == 0 or encrypted != data
        assert golden.crypt(mode, KEYS[size], IV, encrypted, encrypt=False)[0] == data, length


@xts_key_sizes
def test_xts_decryption_inverts_encryption_at_every_length(size: int):
    for length in range(16, 130):
        data = DATA[:length]
        encrypted = golden.xts_encrypt(KEYS[size], IV, data)
        assert len(encrypted) == length
        assert golden.xts_decrypt(KEYS[size], IV, encrypted) == data, length


@xts_key_sizes
def test_xts_tail_is_the_start_of_the_block_that_it_was_stolen_from(size: int):
    for length in range(17, 80):
        tail = length % 16
        if not tail:
            continue
        whole = length - tail
        unstolen = golden.xts_encrypt(KEYS[size], IV, DATA[:whole])
        stolen = golden.xts_encrypt(KEYS[size], IV, DATA[:length])
        assert stolen[: whole - 16] == unstolen[: whole - 16], length
        assert stolen[whole:] == unstolen[whole - 16 : whole - 16 + tail], length
        assert stolen[whole - 16 : whole] != unstolen[whole - 16 :], length


def test_xts_block_depends_on_its_place_and_on_the_tweak():
    first, second = (golden.xts_encrypt(KEYS[32], IV, bytes(32))[i : i + 16] for i in (0, 16))
    assert first != second
    assert golden.xts_encrypt(KEYS[32], bytes(16), bytes(32)) != first + second


def test_cbc_next_iv_is_the_last_ciphertext_block_in_both_directions():
    encrypted, next_iv = golden.cbc_encrypt(KEYS[16], IV, DATA[:80])
    assert next_iv == encrypted[-16:]
    assert golden.cbc_decrypt(KEYS[16], IV, encrypted) == (DATA[:80], encrypted[-16:])


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_next_iv_continues_the_message(mode: str, encrypt: bool):
    whole, last_iv = golden.crypt(mode, KEYS[32], IV, DATA[:160], encrypt=encrypt)
    for cut in range(0, 176, 16):
        head, iv = golden.crypt(mode, KEYS[32], IV, DATA[:cut], encrypt=encrypt)
        rest, end = golden.crypt(mode, KEYS[32], iv, DATA[cut:160], encrypt=encrypt)
        assert (head + rest, end) == (whole, last_iv), cut


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
@pytest.mark.parametrize("encrypt", [True, False])
def test_no_data_leaves_the_iv(mode: str, encrypt: bool):
    assert golden.crypt(mode, KEYS[24], IV, b"", encrypt=encrypt) == (b"", IV)


def test_ctr_is_its_own_inverse_at_every_length():
    for length in range(70):
        encrypted, next_iv = golden.ctr_crypt(KEYS[24], IV, DATA[:length])
        assert golden.ctr_crypt(KEYS[24], IV, encrypted) == (DATA[:length], next_iv)


def test_ctr_counter_wraps_to_zero_after_128_ones():
    stream, next_iv = golden.ctr_crypt(KEYS[16], b"\xff" * 16, bytes(32))
    assert stream == golden.ecb_encrypt(KEYS[16], b"\xff" * 16 + bytes(16))
    assert next_iv == bytes(15) + b"\x01"


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
@pytest.mark.parametrize("size", [0, 15, 17, 23, 25, 31, 33, 48, 64])
def test_a_key_of_another_size_is_refused(mode: str, size: int, encrypt: bool):
    with pytest.raises(ValueError, match=f"an AES key has 16, 24 or 32 bytes, not {size}$"):
        golden.crypt(mode, bytes(size), IV, bytes(16), encrypt=encrypt)


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("size", [0, 16, 24, 31, 33, 40, 49, 63, 65, 96, 128])
def test_an_xts_key_of_another_size_is_refused(size: int, encrypt: bool):
    with pytest.raises(ValueError, match=f"an XTS key has 32, 48 or 64 bytes, not {size}$"):
        golden.crypt("xts", bytes(size), IV, bytes(16), encrypt=encrypt)


@block_modes
@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("length", [1, 15, 17, 31, 513])
def test_data_that_is_not_whole_blocks_is_refused(mode: str, length: int, encrypt: bool):
    with pytest.raises(ValueError, match=f"whole blocks of 16 bytes, not {length} bytes$"):
        golden.crypt(mode, KEYS[16], IV, bytes(length), encrypt=encrypt)


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("length", [0, 1, 15])
def test_a_data_unit_under_one_block_is_refused(length: int, encrypt: bool):
    with pytest.raises(ValueError, match=f"at least 16 bytes, not {length}$"):
        golden.crypt("xts", KEYS[32], IV, bytes(length), encrypt=encrypt)


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("mode", ["cbc", "ctr", "xts"])
@pytest.mark.parametrize("length", [0, 12, 15, 17, 32])
def test_an_iv_of_another_size_is_refused(mode: str, length: int, encrypt: bool):
    with pytest.raises(ValueError, match=f"(IV|tweak) has 16 bytes, not {length}$"):
        golden.crypt(mode, KEYS[32], bytes(length), bytes(32), encrypt=encrypt)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="unknown mode 'cfb'"):
        golden.crypt("cfb", KEYS[16], IV, bytes(16), encrypt=True)
