"""The golden model against every known answer: FIPS-197, SP 800-38A, RFC 3686, NIST, IEEE, Wycheproof."""

from __future__ import annotations

import pytest
from openssl_enc import OpensslLine, openssl_lines

from pymodel import golden
from pymodel.vectors import Vector, fips197, ieee1619, nist, rfc3686, sp800_38a, wycheproof_xts


def by_source(vectors: list[Vector]) -> dict[str, list[Vector]]:
    groups: dict[str, list[Vector]] = {}
    for vector in vectors:
        groups.setdefault(vector.source, []).append(vector)
    return groups


GROUPS = by_source(
    [
        *fips197(),
        *sp800_38a(),
        *rfc3686(),
        *nist("ecb"),
        *nist("cbc"),
        *nist("xts"),
        *ieee1619(),
        *wycheproof_xts(),
    ]
)


@pytest.mark.parametrize("source", GROUPS)
def test_golden_gives_every_known_answer(source: str):
    for vector in GROUPS[source]:
        result, _ = golden.crypt(vector.mode, vector.key, vector.iv, vector.data, encrypt=vector.encrypt)
        assert result == vector.expected, vector.name


def test_openssl_file_has_its_40_lines():
    assert len(openssl_lines()) == 40


@pytest.mark.parametrize("line", openssl_lines(), ids=lambda line: line.name)
def test_golden_gives_what_openssl_enc_gives(line: OpensslLine):
    result, _ = golden.crypt(line.mode, line.key, line.iv, line.data, encrypt=True)
    assert line.matches(result)
    again, _ = golden.crypt(line.mode, line.key, line.iv, result, encrypt=False)
    assert again == line.data
