"""The results of ``openssl enc`` in tests/data/cases/openssl_enc.tsv."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parent / "data" / "cases" / "openssl_enc.tsv"


@dataclass(frozen=True)
class OpensslLine:
    """``data`` has been padded (RFC 5652 6.3) where openssl padded it."""

    name: str
    mode: str
    key: bytes
    iv: bytes
    data: bytes
    expected: str

    def matches(self, result: bytes) -> bool:
        digest = f"sha256:{hashlib.sha256(result).hexdigest()}"
        return (digest if self.expected.startswith("sha256:") else result.hex()) == self.expected


def openssl_lines() -> list[OpensslLine]:
    return [_line(*line.split("\t")) for line in FILE.read_text().splitlines()]


def _line(name: str, key: str, iv: str, expression: str, expected: str) -> OpensslLine:
    data = _plaintext(expression)
    if "-pad-" in name:
        padding = 16 - len(data) % 16
        data += bytes([padding]) * padding
    mode = next(word for word in name.split("-") if word in ("ecb", "cbc", "ctr"))
    return OpensslLine(name, mode, bytes.fromhex(key), bytes.fromhex(iv.strip("-")), data, expected)


def _plaintext(expression: str) -> bytes:
    """The two forms of the file: a formula over ``range(n)`` and a literal."""
    if expression.startswith("bytes((i*7+3)&255 for i in range("):
        return bytes((i * 7 + 3) & 255 for i in range(int(expression.split("range(")[1].rstrip(")"))))
    assert expression == r"b'12345678\n'"
    return b"12345678\n"
