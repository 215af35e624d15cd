"""The format of NIST CAVS response files (.rsp): ``NAME = value`` lines in records with a blank line
between them, under headings ``[ENCRYPT]`` and ``[DECRYPT]``; ``#`` starts a comment.

GCM files have headings ``[NAME = value]`` with the sizes of the records below, which the records themselves
tell too, and the line ``FAIL`` in place of a plaintext."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its direction and its fields, names in upper case; a line ``FAIL`` is an empty field."""

    encrypt: bool
    fields: dict[str, str]

    def octets(self, name: str) -> bytes:
        """A field of hexadecimal digits."""
        return bytes.fromhex(self.fields[name])


def records(text: str) -> Iterator[Record]:
    """Every record of a response file. ValueError for a line that is none of the format's."""
    encrypt = True
    fields: dict[str, str] = {}
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        name, equals, value = line.partition("=")
        if equals and not line.startswith(("#", "[")):
            fields[name.strip().upper()] = value.strip()
            continue
        if fields and line == "FAIL":
            fields["FAIL"] = ""
            continue
        if fields and not line.startswith("#"):
            yield Record(encrypt, fields)
            fields = {}
        if line in ("[ENCRYPT]", "[DECRYPT]"):
            encrypt = line == "[ENCRYPT]"
        elif line and not line.startswith("#") and not (equals and line.startswith("[")):
            raise ValueError(f"not a line of a response file: {line!r}")
