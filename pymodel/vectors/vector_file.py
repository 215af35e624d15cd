"""Vector files in three formats: JSON as a case file, NIST's .rsp, and words for Verilog's $readmemh.

``rsp``     as the files of NIST's CAVS: encryption first, then decryption, each counted from 0.
``json``    an object whose ``cases`` are those of a case file, so that ``ecbench cases`` replays it.
``readmemh``  words of 128 bits: see ``readmemh_lines``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .generate import MAX_BLOCKS, MODES, generate
from .response import Record, records
from .vector import Mode, Vector

WORD_BYTES = 16
KEY_WORDS = 4
MAGIC, LAYOUT = 0x45434256, 1
"""``ECBV`` in ASCII, and the number of the layout that ``readmemh_lines`` describes."""
FIXED_WORDS = 1 + KEY_WORDS + 1
"""Of a vector before its data: control, key and IV."""

_FIELDS: Mapping[Mode, tuple[str, ...]] = {
    "ecb": ("KEY", "PLAINTEXT", "CIPHERTEXT"),
    "cbc": ("KEY", "IV", "PLAINTEXT", "CIPHERTEXT"),
    "ctr": ("KEY", "IV", "PLAINTEXT", "CIPHERTEXT"),
    "xts": ("Key", "i", "PT", "CT"),
}
"""Names in .rsp files: key, IV or tweak, plaintext, ciphertext."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """What makes a file: everything else follows from it."""

    mode: Mode
    key_bits: int
    seed: int
    count: int

    def vectors(self) -> Iterator[Vector]:
        """ValueError: as ``generate``."""
        return generate(self.mode, self.key_bits, self.seed, self.count)

    @property
    def command(self) -> str:
        """The line that makes them again, up to the format."""
        return (f"ecbench vectors --mode {self.mode} --key-bits {self.key_bits} --seed {self.seed} "
                f"--count {self.count}")


# -- JSON -------------------------------------------------------------------------------------


def json_lines(made: VectorSet, vectors: Iterable[Vector]) -> Iterator[str]:
    """A case file, one case in a line."""
    yield f'{{"made_by": {json.dumps(made.command)},\n "cases": [\n'
    before = ""
    for vector in vectors:
        yield f"{before}  {json.dumps(_case(vector))}"
        before = ",\n"
    yield "\n]}\n"


def _case(vector: Vector) -> dict[str, Any]:
    return {"name": vector.name, "mode": vector.mode, "key": vector.key.hex(), "iv": vector.iv.hex(),
            "input": {"hex": vector.data.hex()}, "enc": vector.encrypt,
            "expect": {"out": {"hex": vector.expected.hex()}}}


# -- rsp --------------------------------------------------------------------------------------


def rsp_lines(made: VectorSet, vectors: Iterable[Vector]) -> Iterator[str]:
    """A response file of NIST's CAVS. The directions are apart, so all vectors are held at once."""
    held = list(vectors)
    yield f"# {made.command}\n"
    for encrypt in (True, False):
        chosen = [vector for vector in held if vector.encrypt == encrypt]
        if chosen:
            yield f"\n[{'ENCRYPT' if encrypt else 'DECRYPT'}]\n"
        for count, vector in enumerate(chosen):
            yield "".join(f"{line}\n" for line in ("", f"COUNT = {count}", *_record(vector)))


def _record(vector: Vector) -> list[str]:
    *before, plain, cipher = _FIELDS[vector.mode]
    source, result = (plain, cipher) if vector.encrypt else (cipher, plain)
    values = [vector.key, *([vector.iv] if vector.iv else []), vector.data, vector.expected]
    lines = [f"{name} = {value.hex()}" for name, value in
             zip((*before, source, result), values, strict=True)]
    return [f"DataUnitLen = {8 * len(vector.data)}", *lines] if vector.mode == "xts" else lines


def read_rsp(text: str, mode: Mode) -> Iterator[Vector]:
    """The vectors of a response file of one mode, in its order, named by direction and count.

    ValueError for a line that is none of the format's; KeyError for a record without a field.
    """
    for record in records(text):
        yield _of_record(record, mode)


def _of_record(record: Record, mode: Mode) -> Vector:
    key, *iv, plain, cipher = (record.octets(name.upper()) for name in _FIELDS[mode])
    data, expected = (plain, cipher) if record.encrypt else (cipher, plain)
    direction = "encrypt" if record.encrypt else "decrypt"
    return Vector(name=f"{mode} {direction} {record.fields['COUNT']}", mode=mode, key=key,
                  iv=iv[0] if iv else b"", data=data, expected=expected, encrypt=record.encrypt, source="rsp")


# -- $readmemh --------------------------------------------------------------------------------


def words(count: int) -> int:
    """How many words a file of ``count`` vectors has."""
    return 1 + count * (FIXED_WORDS + 2 * MAX_BLOCKS)


def readmemh_lines(made: VectorSet, vectors: Iterable[Vector]) -> Iterator[str]:
    """Words of 128 bits, one in a line. Byte 0 of whatever has bytes is in bits 127:120 of its first word, as
    hexadecimal is read; what is shorter than its place is followed by zeros.

    Word 0: bits 127:96 ``MAGIC``; 95:80 the layout's number; 79:64 the mode, 0 to 3 for ecb, cbc, ctr and
    xts; 63:32 how many vectors; 31:0 D, the words that the data of each have. Then 6 + 2 D words for each:

    ====================  =================================================================
    0                     bit 64: decrypt; bits 63:32: bits of the key; 31:0: bytes of data
    1 .. 4                key; for XTS both halves, one right behind the other
    5                     IV, first counter block or tweak; 0 for ECB
    6 .. 5 + D            data
    6 + D .. 5 + 2 D      what they must become
    ====================  =================================================================
    """
    yield f"// {made.command} --format readmemh\n"
    yield f"// reg [127:0] vectors [0:{words(made.count) - 1}];\n"
    header = (MAGIC << 96 | LAYOUT << 80 | MODES.index(made.mode) << 64 | made.count << 32 | MAX_BLOCKS)
    yield f"{header:032x}\n"
    for vector in vectors:
        control = (not vector.encrypt) << 64 | vector.key_bits << 32 | len(vector.data)
        padded = b"".join((control.to_bytes(WORD_BYTES, "big"), _padded(vector.key, KEY_WORDS),
                           _padded(vector.iv, 1), _padded(vector.data, MAX_BLOCKS),
                           _padded(vector.expected, MAX_BLOCKS)))
        yield "".join(f"{padded[start:start + WORD_BYTES].hex()}\n"
                      for start in range(0, len(padded), WORD_BYTES))


def _padded(value: bytes, size: int) -> bytes:
    return value.ljust(size * WORD_BYTES, b"\0")


def read_readmemh(text: str) -> Iterator[Vector]:
    """The vectors of a file of ``readmemh_lines``. ValueError for one of another layout or length."""
    lines = (line.split("//", 1)[0].strip() for line in text.splitlines())
    memory = [bytes.fromhex(line) for line in lines if line]
    header = int.from_bytes(memory[0], "big") if memory else 0
    mode, count, size = header >> 64 & 0xFFFF, header >> 32 & 0xFFFFFFFF, header & 0xFFFFFFFF
    if header >> 80 != MAGIC << 16 | LAYOUT or mode >= len(MODES):
        raise ValueError("not a file of vectors in this layout")
    stride = FIXED_WORDS + 2 * size
    if len(memory) != 1 + count * stride or any(len(word) != WORD_BYTES for word in memory):
        raise ValueError(f"not {count} vectors of {stride} words of 128 bits")
    for number in range(count):
        start = 1 + number * stride
        yield _of_words(memory[start:start + stride], MODES[mode], size, number)


def _of_words(memory: list[bytes], mode: Mode, size: int, number: int) -> Vector:
    control = int.from_bytes(memory[0], "big")
    key_bytes, length = (control >> 32 & 0xFFFFFFFF) // 8, control & 0xFFFFFFFF
    begin, middle = FIXED_WORDS, FIXED_WORDS + size
    return Vector(name=f"{mode} vector {number}", mode=mode, key=b"".join(memory[1:5])[:key_bytes],
                  iv=b"" if mode == "ecb" else memory[5], data=b"".join(memory[begin:middle])[:length],
                  expected=b"".join(memory[middle:])[:length], encrypt=not control >> 64 & 1,
                  source="readmemh")


FORMATS: Mapping[str, Callable[[VectorSet, Iterable[Vector]], Iterator[str]]] = {
    "json": json_lines, "rsp": rsp_lines, "readmemh": readmemh_lines,
}
"""How to write each format: pieces of text, in order."""
