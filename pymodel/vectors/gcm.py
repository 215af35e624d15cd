"""NIST CAVS vectors of GCM, read from the package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .files import installed, shipped
from .response import records

_FILES = [f"{kind}{bits}" for kind in ("gcmEncryptExtIV", "gcmDecrypt") for bits in (128, 192, 256)]


@dataclass(frozen=True, slots=True)
class GcmVector:
    """One known answer of GCM: ``data`` under ``key`` and ``iv`` gives ``expected``.

    ``tag`` proves ``aad`` and the ciphertext; an encryption must give it, a decryption is given it.
    ``fails``: a decryption that must be refused; its ``expected`` is empty.
    ``encrypt``, ``source`` and ``name`` are as in ``Vector``.
    """

    name: str
    key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    expected: bytes
    tag: bytes
    encrypt: bool
    fails: bool
    source: str

    @property
    def sizes(self) -> tuple[int, int, int, int, int]:
        """Bytes of key, IV, aad, data and tag."""
        return len(self.key), len(self.iv), len(self.aad), len(self.data), len(self.tag)


def gcm_paper() -> list[GcmVector]:
    """The 18 test cases of McGrew and Viega, The Galois/Counter Mode of Operation, appendix B, in both
    directions: three key sizes, IVs of 8, 12 and 60 bytes, with and without additional data."""
    contents = shipped("gcm_paper")
    return [vector for entry in contents["vectors"] for vector in _both(entry, contents["source"])]


def _both(entry: dict[str, str], source: str) -> Iterator[GcmVector]:
    value = {name: bytes.fromhex(text) for name, text in entry.items() if name != "name"}
    for encrypt, data, expected in ((True, "plaintext", "ciphertext"), (False, "ciphertext", "plaintext")):
        name = f"GCM {entry['name']} {'encrypt' if encrypt else 'decrypt'}"
        yield GcmVector(name, value["key"], value["iv"], value["aad"], value[data], value[expected],
                        value["tag"], encrypt, False, source)


def nist_gcm() -> list[GcmVector]:
    """All 47250 NIST vectors of GCM, half of them decryptions, of which 11908 must fail.

    15 of every combination of direction, key size, IV (1, 12, 128 bytes), data (0 to 51), aad (0 to 90) and
    tag (4, 8, 12 to 16). ImportError: cryptography-vectors is not installed.
    """
    return list(_all())


@cache
def _all() -> tuple[GcmVector, ...]:
    return tuple(vector for file in _FILES for vector in _read(file))


def _read(file: str) -> Iterator[GcmVector]:
    encrypt = "Encrypt" in file
    for record in records(installed("cryptography_vectors", f"ciphers/AES/GCM/{file}.rsp")):
        fails = "FAIL" in record.fields
        iv, aad, tag = (record.octets(name) for name in ("IV", "AAD", "TAG"))
        ciphertext, plaintext = record.octets("CT"), b"" if fails else record.octets("PT")
        yield GcmVector(
            name=f"{file} IV {8 * len(iv)} PT {8 * len(ciphertext)} AAD {8 * len(aad)} tag {8 * len(tag)} "
            f"count {record.fields['COUNT']}",
            key=record.octets("KEY"),
            iv=iv,
            aad=aad,
            data=plaintext if encrypt else ciphertext,
            expected=ciphertext if encrypt else plaintext,
            tag=tag,
            encrypt=encrypt,
            fails=fails,
            source=f"NIST {file}.rsp",
        )
