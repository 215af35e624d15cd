"""The golden model's AES against the worked examples of FIPS-197."""

from __future__ import annotations

import numpy as np
import pytest

from pymodel.golden import aes, gf


def state(text: str) -> gf.Bytes:
    return np.frombuffer(bytes.fromhex(text), dtype=np.uint8).reshape(-1, 16)


def text(array: gf.Bytes) -> str:
    return array.tobytes().hex()


def test_field_products_are_those_of_fips_197_section_4_2():
    assert gf.multiply(0x57, 0x83) == 0xC1
    assert gf.multiply(0x57, 0x13) == 0xFE
    assert [gf.multiply(0x57, factor) for factor in (2, 4, 8, 16)] == [0xAE, 0x47, 0x8E, 0x07]


def test_every_byte_but_zero_times_its_inverse_is_one():
    assert gf.inverse(0) == 0
    assert all(gf.multiply(value, gf.inverse(value)) == 1 for value in range(1, 256))


def test_s_box_is_a_permutation_with_the_values_of_fips_197_table_4():
    assert aes.S_BOX[[0x00, 0x01, 0x53, 0x9A, 0xFF]].tolist() == [0x63, 0x7C, 0xED, 0xB8, 0x16]
    assert sorted(aes.S_BOX.tolist()) == list(range(256))
    assert aes.INVERSE_S_BOX[aes.S_BOX].tolist() == list(range(256))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("2b7e151628aed2a6abf7158809cf4f3c", {4: "a0fafe17", 8: "f2c295f2", 43: "b6630ca6"}),
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            {6: "fe0c91f7", 12: "4db7b4bd", 51: "01002202"},
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            {8: "9ba35411", 12: "a8b09c1a", 59: "706c631e"},
        ),
    ],
    ids=["128", "192", "256"],
)
def test_key_expansion_gives_the_words_of_fips_197_appendix_a(key: str, words: dict[int, str]):
    schedule = aes.expand_key(bytes.fromhex(key)).reshape(-1, 4)
    assert len(schedule) == 4 * (len(key) // 8 + 7)
    assert text(schedule[: len(key) // 8]) == key
    assert {index: text(schedule[index]) for index in words} == words


def test_first_round_goes_through_the_states_of_fips_197_appendix_b():
    schedule = aes.expand_key(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    start = aes.add_round_key(state("3243f6a8885a308d313198a2e0370734"), schedule[0])
    substituted = aes.sub_bytes(start)
    shifted = aes.shift_rows(substituted)
    mixed = aes.mix_columns(shifted)
    assert text(start) == "193de3bea0f4e22b9ac68d2ae9f84808"
    assert text(substituted) == "d42711aee0bf98f1b8b45de51e415230"
    assert text(shifted) == "d4bf5d30e0b452aeb84111f11e2798e5"
    assert text(mixed) == "046681e5e0cb199a48f8d37a2806264c"
    assert text(aes.add_round_key(mixed, schedule[1])) == "a49c7ff2689f352b6b5bea43026a5049"


@pytest.mark.parametrize(
    ("transformation", "inverse"),
    [
        (aes.sub_bytes, aes.inv_sub_bytes),
        (aes.shift_rows, aes.inv_shift_rows),
        (aes.mix_columns, aes.inv_mix_columns),
    ],
)
def test_each_inverse_transformation_undoes_its_transformation(transformation, inverse):
    blocks = np.arange(256, dtype=np.uint8).reshape(16, 16)
    changed = transformation(blocks)
    assert not np.array_equal(changed, blocks)
    assert np.array_equal(inverse(changed), blocks)


def test_blocks_of_one_call_do_not_depend_on_each_other():
    schedule = aes.expand_key(bytes(range(24)))
    blocks = (
        np.arange(1024, dtype=np.uint32).astype(np.uint8).reshape(64, 16)
        ^ np.arange(64, dtype=np.uint8)[:, None]
    )
    together = aes.cipher(schedule, blocks)
    alone = np.concatenate([aes.cipher(schedule, blocks[i : i + 1]) for i in range(64)])
    assert np.array_equal(together, alone)
    assert np.array_equal(aes.inv_cipher(schedule, together), blocks)


def test_a_cached_schedule_cannot_be_changed():
    schedule = aes.expand_key(bytes(16))
    with pytest.raises(ValueError, match="read-only"):
        schedule[0, 0] = 1


@pytest.mark.parametrize("size", [0, 1, 15, 17, 20, 23, 31, 33, 64])
def test_a_key_of_another_size_is_refused(size: int):
    with pytest.raises(ValueError, match=f"16, 24 or 32 bytes, not {size}$"):
        aes.expand_key(bytes(size))


def test_alpha_shifts_the_tweak_and_folds_its_top_bit_into_0x87():
    assert gf.multiply_by_alpha(1) == 2
    assert gf.multiply_by_alpha(1 << 126) == 1 << 127
    assert gf.multiply_by_alpha(1 << 127) == 0x87
    assert gf.multiply_by_alpha((1 << 128) - 1) == ((1 << 128) - 2) ^ 0x87
