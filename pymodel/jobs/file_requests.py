"""A real file as requests: XTS in data units as a disk would have them, CBC as one chain of chunks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from pymodel import golden
from pymodel.jobs.placement import apart
from pymodel.jobs.requests import Request
from pymodel.modes.sectors import plain64
from pymodel.modes.xts import BLOCK_BYTES

FILE_KEY_BYTES = {"xts": 64, "cbc": 32}
"""The key size of each mode that a file goes through."""

UNIT_BYTES = 4096
"""Bytes in an XTS data unit and in a CBC request; the last one has what is left."""


def file_requests(path: Path, mode: str, seed: int) -> Iterator[tuple[Request, bytes]]:
    """Every part of the file encrypted, and then its ciphertext decrypted back, with the answers.

    XTS: the last data unit steals ciphertext; what is left is at least a block, so a last piece
    shorter than that belongs to the unit before it. CBC: padded as in RFC 5652 6.3, chained from
    request to request.
    """
    draw = random.Random(f"{seed}/file/{mode}")
    key, iv = draw.randbytes(FILE_KEY_BYTES[mode]), draw.randbytes(BLOCK_BYTES)
    for number, part in enumerate(_parts(path, mode)):
        if mode == "xts":
            iv = plain64(number)
        ciphertext, next_iv = golden.crypt(mode, key, iv, part, encrypt=True)
        for encrypt, data, answer in ((True, part, ciphertext), (False, ciphertext, part)):
            name = f"{path.name} part {number} {'encrypt' if encrypt else 'decrypt'}"
            yield Request(name, mode, key, iv, data, encrypt, apart(len(data))), answer
        iv = next_iv


def file_request_count(path: Path, mode: str) -> int:
    """How many requests ``file_requests`` gives."""
    return 2 * sum(1 for _ in _parts(path, mode))


def _parts(path: Path, mode: str) -> Iterator[bytes]:
    data = path.read_bytes()
    if mode == "cbc":
        padding = BLOCK_BYTES - len(data) % BLOCK_BYTES
        data += bytes([padding]) * padding
    starts = list(range(0, len(data), UNIT_BYTES))
    if len(starts) > 1 and len(data) - starts[-1] < BLOCK_BYTES:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        yield data[start:end]
