"""The golden model against every known answer: FIPS-197, SP 800-38A, RFC 3686, NIST, IEEE, Wycheproof."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pymodel import golden
from pymodel.vectors import Vector, fips197, ieee1619, nist, rfc3686, sp800_38a, wycheproof_xts

OPENSSL = Path(__file__).parent / "data" / "cases" / "openssl_enc.tsv"


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


def openssl_lines() -> list[list[str]]:
    return [line.split("\t") for line in OPENSSL.read_text().splitlines()]


def plaintext_of(expression: str) -> bytes:
    """The two forms of the file: a formula over ``range(n)`` and a literal."""
    if expression.startswith("bytes((i*7+3)&255 for i in range("):
        return bytes((i * 7 + 3) & 255 for i in range(int(expression.split("range(")[1].rstrip(")"))))
    assert expression == r"b'12345678\n'"
    return b"12345678\n"


def test_openssl_file_has_its_40_lines():
    assert len(openssl_lines()) == 40


@pytest.mark.parametrize("line", openssl_lines(), ids=lambda line: line[0])
def test_golden_gives_what_openssl_enc_gives(line: list[str]):
    name, key, iv, expression, expected = line
    data = plaintext_of(expression)
    if "-pad-" in name:
        padding = 16 - len(data) % 16
        data += bytes([padding]) * padding
    mode = next(word for word in name.split("-") if word in ("ecb", "cbc", "ctr"))
    initial = b"" if iv == "-" else bytes.fromhex(iv)
    result, _ = golden.crypt(mode, bytes.fromhex(key), initial, data, encrypt=True)
    digest = f"sha256:{hashlib.sha256(result).hexdigest()}"
    assert (digest if expected.startswith("sha256:") else result.hex()) == expected
    again, _ = golden.crypt(mode, bytes.fromhex(key), initial, result, encrypt=False)
    assert again == data
