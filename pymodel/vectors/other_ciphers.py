"""Known answers of DES, 3DES and Blowfish, read from the package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Literal

from .files import installed
from .response import Record, records
from .vector import Vector, both_directions

ShortBlockMode = Literal["ecb", "cbc"]

_FILES = ("invperm", "permop", "subtab", "varkey", "vartext", "MMT1", "MMT2", "MMT3")


def triple_des(mode: ShortBlockMode) -> list[Vector]:
    """NIST's 530 vectors of a mode of 3DES (CAVS 11.1): single blocks, and messages of 1 to 10 blocks under
    one, two and three different keys. Keys have 24 bytes always.

    The files of interleaved CBC (TCBC-I) are left out: three streams at once is not a mode here.
    ValueError: another mode. ImportError: cryptography-vectors is not installed.
    """
    return list(_triple_des(_checked(mode)))


def des(mode: ShortBlockMode) -> list[Vector]:
    """The 490 vectors of ``triple_des`` whose three keys are one: that is DES, with a key of 8 bytes."""
    return [
        replace(vector, key=vector.key[:8])
        for vector in triple_des(mode)
        if vector.key == vector.key[:8] * 3
    ]


def blowfish(mode: ShortBlockMode) -> list[Vector]:
    """The vectors of Blowfish's author, in both directions: 55 single blocks of ECB under keys of 4 to 24
    bytes, and one message of CBC, padded with zeros. Errors: as ``triple_des``."""
    return [
        vector
        for record in records(installed("cryptography_vectors", f"ciphers/Blowfish/bf-{_checked(mode)}.txt"))
        for vector in both_directions(_vector(record, mode, record.octets("KEY"), f"bf-{mode}.txt"))
    ]


def _checked(mode: ShortBlockMode) -> ShortBlockMode:
    if mode not in ("ecb", "cbc"):
        raise ValueError(f"there are 3DES and Blowfish vectors for ecb and cbc, not for {mode!r}")
    return mode


@cache
def _triple_des(mode: ShortBlockMode) -> tuple[Vector, ...]:
    return tuple(vector for name in _FILES for vector in _file(mode, f"T{mode.upper()}{name}"))


def _file(mode: ShortBlockMode, name: str) -> Iterator[Vector]:
    for record in records(installed("cryptography_vectors", f"ciphers/3DES/{mode.upper()}/{name}.rsp")):
        keys = ("KEYS",) * 3 if "KEYS" in record.fields else ("KEY1", "KEY2", "KEY3")
        yield _vector(record, mode, b"".join(record.octets(key) for key in keys), f"{name}.rsp")


def _vector(record: Record, mode: ShortBlockMode, key: bytes, file: str) -> Vector:
    plaintext, ciphertext = record.octets("PLAINTEXT"), record.octets("CIPHERTEXT")
    direction = "encrypt" if record.encrypt else "decrypt"
    return Vector(
        name=f"{file.split('.')[0]} {direction} {record.fields['COUNT']}",
        mode=mode,
        key=key,
        iv=record.octets("IV") if mode == "cbc" else b"",
        data=plaintext if record.encrypt else ciphertext,
        expected=ciphertext if record.encrypt else plaintext,
        encrypt=record.encrypt,
        source=file if file.startswith("bf-") else f"NIST {file}",
    )
