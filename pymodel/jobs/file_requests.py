"""A real file as requests: XTS in data units as a disk would have them, other modes as one run of chunks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import InvalidRequest
from pymodel.jobs.ciphers import KEY_BYTES
from pymodel.jobs.placement import apart
from pymodel.jobs.requests import GCM_IV_BYTES, Request
from pymodel.modes.sectors import plain64

FILE_KEY_BYTES = {mode: sizes[-1] for mode, sizes in KEY_BYTES.items()}
"""The key size of each mode for a file: its largest."""

PADDED_MODES = ("cbc", "ecb")
"""They take whole blocks, so the file is padded as in RFC 5652 6.3, always."""

UNIT_BYTES = 4096
"""Bytes in an XTS data unit and in a request of the other modes; the last one has what is left."""


def check_file(path: Path, mode: str) -> None:
    """Raises InvalidRequest for a file that cannot go through ``mode``."""
    length = path.stat().st_size
    if mode == "xts" and length < BLOCK_BYTES:
        raise InvalidRequest(f"{path} has {length} bytes, XTS needs at least {BLOCK_BYTES}: "
                             "take a longer file, or leave XTS out with --mode")


def file_label(path: Path, mode: str) -> str:
    """What a row of figures calls the work on this file."""
    return f"file {path.name}, padded" if mode in PADDED_MODES else f"file {path.name}"


def file_requests(path: Path, mode: str, seed: int) -> Iterator[tuple[Request, bytes]]:
    """Every part of the file encrypted, and then its ciphertext decrypted back, with the answers.

    XTS: the last data unit steals ciphertext; what is left is at least a block, so a last piece
    shorter than that belongs to the unit before it. CBC and CTR go on from request to request; GCM
    has a tag for each, and an IV that counts. The modes in ``PADDED_MODES`` get a padded file.
    """
    draw = random.Random(f"{seed}/file/{mode}")
    key = draw.randbytes(FILE_KEY_BYTES[mode])
    iv = b"" if mode == "ecb" else draw.randbytes(GCM_IV_BYTES if mode == "gcm" else BLOCK_BYTES)
    for number, part in enumerate(_parts(path, mode)):
        if mode == "xts":
            iv = plain64(number)
        elif mode == "gcm":
            iv = iv[:-4] + number.to_bytes(4, "big")
        ciphertext, next_iv = golden.crypt(mode, key, iv, part, encrypt=True)
        for encrypt, data, answer in ((True, part, ciphertext), (False, ciphertext, part)):
            name = f"{mode}-{8 * len(key)} {path.name} part {number} {'encrypt' if encrypt else 'decrypt'}"
            yield Request(name, mode, key, iv, data, encrypt, apart(len(data))), answer
        if mode != "gcm":
            iv = next_iv


def file_request_count(path: Path, mode: str) -> int:
    """How many requests ``file_requests`` gives."""
    return 2 * sum(1 for _ in _parts(path, mode))


def _parts(path: Path, mode: str) -> Iterator[bytes]:
    data = path.read_bytes()
    if mode in PADDED_MODES:
        padding = BLOCK_BYTES - len(data) % BLOCK_BYTES
        data += bytes([padding]) * padding
    starts = list(range(0, len(data), UNIT_BYTES))
    if mode == "xts" and len(starts) > 1 and len(data) - starts[-1] < BLOCK_BYTES:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        yield data[start:end]
