"""NIST CAVS vectors and RFC 3686, read from the package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal

from .files import installed
from .response import Record, records
from .vector import Mode, Vector

_PACKAGE = "cryptography_vectors"
_KEY_BITS = (128, 192, 256)
_TESTS = ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT")
_XTS_FORMS = ("tweak-128hexstr", "tweak-dataunitseqno")


def nist(mode: Mode) -> list[Vector]:
    """All NIST vectors of a mode: 2138 of ECB, 2138 of CBC, 2800 of XTS.

    The 1200 XTS vectors whose length is not whole bytes (130, 140 and 250 bits) are left out.
    ValueError: a mode without NIST files (CTR: see ``sp800_38a`` and ``rfc3686``).
    ImportError: cryptography-vectors is not installed.
    """
    if mode not in ("ecb", "cbc", "xts"):
        raise ValueError(f"there are NIST vectors for ecb, cbc and xts, not for {mode!r}")
    return list(_xts() if mode == "xts" else _ecb_or_cbc(mode))


def mmt(mode: Literal["ecb", "cbc"]) -> list[Vector]:
    """The 60 vectors of a mode's multi-block message tests: 1 to 10 blocks, every key size, both
    directions. Errors as in ``nist``; XTS has no such files."""
    if mode not in ("ecb", "cbc"):
        raise ValueError(f"there are MMT files for ecb and cbc, not for {mode!r}")
    return [vector for vector in nist(mode) if "MMT" in vector.source]


def rfc3686() -> list[Vector]:
    """The 9 CTR vectors of RFC 3686, section 6: 16, 32 and 36 bytes; encryption, every key size.

    ImportError: cryptography-vectors is not installed.
    """
    return [
        Vector(
            name=f"RFC 3686 AES-{bits} encrypt {record.fields['COUNT']}",
            mode="ctr",
            key=record.octets("KEY"),
            iv=record.octets("IV"),
            data=record.octets("PLAINTEXT"),
            expected=record.octets("CIPHERTEXT"),
            encrypt=True,
            source=f"RFC 3686 AES-{bits}",
        )
        for bits in _KEY_BITS
        for record in records(installed(_PACKAGE, f"ciphers/AES/CTR/aes-{bits}-ctr.txt"))
    ]


def vector_of(record: Record, mode: Literal["ecb", "cbc"], file: str) -> Vector:
    """A record of an ECB or CBC response file called ``file`` (without .rsp)."""
    plaintext, ciphertext = record.octets("PLAINTEXT"), record.octets("CIPHERTEXT")
    direction = "encrypt" if record.encrypt else "decrypt"
    return Vector(
        name=f"{file} {direction} {record.fields['COUNT']}",
        mode=mode,
        key=record.octets("KEY"),
        iv=record.octets("IV") if mode == "cbc" else b"",
        data=plaintext if record.encrypt else ciphertext,
        expected=ciphertext if record.encrypt else plaintext,
        encrypt=record.encrypt,
        source=f"NIST {file}.rsp",
    )


@cache
def _ecb_or_cbc(mode: Literal["ecb", "cbc"]) -> tuple[Vector, ...]:
    folder = mode.upper()
    names = [f"{folder}{test}{bits}" for test in _TESTS for bits in _KEY_BITS]
    return tuple(
        vector_of(record, mode, name)
        for name in names
        for record in records(installed(_PACKAGE, f"ciphers/AES/{folder}/{name}.rsp"))
    )


@cache
def _xts() -> tuple[Vector, ...]:
    return tuple(
        vector
        for form in _XTS_FORMS
        for bits in (128, 256)
        for vector in _xts_file(f"{form}/XTSGenAES{bits}")
    )


def _xts_file(file: str) -> Iterator[Vector]:
    for record in records(installed(_PACKAGE, f"ciphers/AES/XTS/{file}.rsp")):
        bits = int(record.fields["DATAUNITLEN"])
        if bits % 8:
            continue
        plaintext, ciphertext = record.octets("PT"), record.octets("CT")
        direction = "encrypt" if record.encrypt else "decrypt"
        yield Vector(
            name=f"{file} {direction} {record.fields['COUNT']}",
            mode="xts",
            key=record.octets("KEY"),
            iv=_tweak(record),
            data=plaintext if record.encrypt else ciphertext,
            expected=ciphertext if record.encrypt else plaintext,
            encrypt=record.encrypt,
            source=f"NIST {file}.rsp",
        )


def _tweak(record: Record) -> bytes:
    if "I" in record.fields:
        return record.octets("I")
    return int(record.fields["DATAUNITSEQNUMBER"]).to_bytes(16, "little")
