"""The reader of NIST's GCM vectors."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pymodel import golden
from pymodel.vectors import gcm_paper, nist_gcm, sample
from pymodel.vectors.gcm import _all
from pymodel.vectors.response import records


def test_the_18_cases_of_the_paper_are_what_golden_model_and_library_say():
    vectors = gcm_paper()
    assert len(vectors) == len({vector.name for vector in vectors}) == 36
    assert {(len(vector.key), len(vector.iv)) for vector in vectors} == \
        {(key, iv) for key in (16, 24, 32) for iv in (8, 12, 60)}
    for vector in vectors:
        plaintext, ciphertext = (vector.data, vector.expected)[::1 if vector.encrypt else -1]
        assert golden.gcm_encrypt(vector.key, vector.iv, plaintext, vector.aad) == (ciphertext, vector.tag)
        assert AESGCM(vector.key).encrypt(vector.iv, plaintext, vector.aad) == ciphertext + vector.tag
    assert vectors[0].tag.hex() == "58e2fccefa7e3061367f1d57a4e7455a"
    assert vectors[-1].tag.hex() == "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"


def test_there_are_15_vectors_of_every_combination_of_sizes_with_unique_names():
    vectors = nist_gcm()
    assert len(vectors) == len({vector.name for vector in vectors}) == 47250
    groups = Counter((vector.encrypt, vector.sizes) for vector in vectors)
    assert len(groups) == 2 * 3 * 3 * 5 * 5 * 7
    assert set(groups.values()) == {15}
    for place, sizes in enumerate([{16, 24, 32}, {1, 12, 128}, {0, 16, 20, 48, 90}, {0, 13, 16, 32, 51},
                                   {4, 8, 12, 13, 14, 15, 16}]):
        assert {vector.sizes[place] for vector in vectors} == sizes


def test_only_decryptions_fail_and_those_that_do_have_no_expectation():
    failing = [vector for vector in nist_gcm() if vector.fails]
    assert len(failing) == 4011 + 3978 + 3919
    assert not any(vector.encrypt or vector.expected for vector in failing)
    assert all(len(vector.data) == len(vector.expected) for vector in nist_gcm() if not vector.fails)


def test_a_record_is_what_the_file_says():
    name = "gcmDecrypt128 IV 96 PT 0 AAD 0 tag 128 count"
    good, bad = (vector for vector in nist_gcm() if vector.name in (f"{name} 0", f"{name} 1"))
    assert (good.key.hex(), good.iv.hex()) == ("cf063a34d4a9a76c2c86787d3f96db71", "113b9785971864c83b01c787")
    assert (good.tag.hex(), good.fails, good.encrypt) == ("72ac8493e3a5228b5d130a69d2510e42", False, False)
    assert (bad.tag.hex(), bad.fails) == ("a2be08210d8c470a8df6e8fbd79ec5cf", True)
    assert good.source == "NIST gcmDecrypt128.rsp"


def test_they_can_be_sampled_and_do_not_change():
    assert len(sample(nist_gcm(), 20, seed=1)) == 20
    nist_gcm().clear()
    assert len(nist_gcm()) == 47250
    with pytest.raises(AttributeError):
        nist_gcm()[0].tag = b""  # type: ignore[misc]


def test_without_the_package_the_reader_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography_vectors", None)
    with pytest.raises(ImportError, match=r"pip install cryptography-vectors$"):
        _all.__wrapped__()


def test_headings_of_sizes_are_passed_over_and_fail_is_a_field_of_its_record():
    text = "[Keylen = 128]\n[IVlen = 96]\n\nCount = 0\nTag = 00\nFAIL\n\nCount = 1\nTag = 01\nPT = \n"
    first, second = records(text)
    assert first.fields == {"COUNT": "0", "TAG": "00", "FAIL": ""}
    assert second.fields == {"COUNT": "1", "TAG": "01", "PT": ""}


@pytest.mark.parametrize("line", ["FAIL", "[Keylen]"])
def test_fail_outside_a_record_and_a_heading_that_says_nothing_are_refused(line):
    with pytest.raises(ValueError, match="not a line of a response file"):
        list(records(f"Count = 0\n\n{line}\n"))
