"""What a request of ``ecbench speed`` does in each mode, and what must come out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.errors import AuthenticationFailed
from pymodel.jobs.ciphers import crypt, open_mode, reference
from pymodel.jobs.speed_cell import ESSIV, Cell
from pymodel.modes import Cbc, Ctr, Ecb, Essiv, Gcm, Xts

GCM_IV = bytes(range(1, 13))
GCM_AAD = bytes(range(0xA0, 0xA8))
"""As long as tcrypt's for gcm(aes), as is the tag, of 16 bytes."""

Request = Callable[[Buffers], Awaitable[bytes]]
"""One request in place. Returns the tag of GCM, else nothing; empty too when GCM refuses the tag it got."""


@dataclass(frozen=True, slots=True)
class Texts:
    """``data``: before the request; ``result``: after it. ``tag``: of GCM, which encryption must return and
    decryption is given; else empty."""

    data: bytes
    result: bytes
    tag: bytes = b""

    @classmethod
    def of(cls, cell: Cell, key: bytes) -> Texts:
        """``result`` and ``tag`` by ``cryptography``, or the golden model where that cannot do it."""
        data = bytes(index * 31 + index // 256 & 0xFF for index in range(cell.bytes))
        if cell.mode == "gcm":
            return cls(data, *_gcm(key, data, decrypt=cell.decrypt))
        units, position = [], 0
        mode = "cbc" if cell.mode == ESSIV else cell.mode
        for iv, length in zip(_ivs(cell, key), cell.units(), strict=True):
            units.append(reference(mode, key, iv, data[position:position + length],
                                   encrypt=not cell.decrypt))
            position += length
        return cls(data, b"".join(units))


@contextmanager
def opened(engine: BlockEngine, cell: Cell, key: bytes, tag: bytes) -> Iterator[Request]:
    """The request of a cell, to be done any number of times. ``tag``: what GCM decrypts with."""
    if cell.mode == ESSIV:
        with Essiv(engine, key) as essiv, Cbc(engine, key) as cbc:
            yield lambda buffers: _sectors(essiv, cbc, cell, buffers)
        return
    with open_mode(engine, cell.mode, key, cell.strategy) as cipher:
        if isinstance(cipher, Gcm):
            yield lambda buffers: _sealed(cipher, cell, buffers, tag)
        elif isinstance(cipher, Xts | Cbc) and cell.unit_bytes:
            yield lambda buffers: _units(cipher, cell, tweaks(len(cell.units())), buffers)
        else:
            yield lambda buffers: _one(cipher, cell, tweaks(1)[0], buffers)


def tweaks(count: int) -> list[bytes]:
    """Units are numbered from 0 on; the first number is also the IV or counter of other modes."""
    return [number.to_bytes(BLOCK_BYTES, "little") for number in range(count)]


async def _one(cipher: Xts | Cbc | Ecb | Ctr, cell: Cell, iv: bytes, buffers: Buffers) -> bytes:
    await crypt(cipher, iv, buffers, buffers, encrypt=not cell.decrypt)
    return b""


async def _units(cipher: Xts | Cbc, cell: Cell, ivs: list[bytes], buffers: Buffers) -> bytes:
    crypt_units = cipher.decrypt_units if cell.decrypt else cipher.encrypt_units
    await crypt_units(ivs, cell.unit_bytes, buffers, buffers)
    return b""


async def _sectors(essiv: Essiv, cbc: Cbc, cell: Cell, buffers: Buffers) -> bytes:
    """The IVs of all sectors by one engine call, then their data."""
    ivs = await essiv.ivs(range(len(cell.units())))
    if cell.unit_bytes:
        return await _units(cbc, cell, ivs, buffers)
    return await _one(cbc, cell, ivs[0], buffers)


async def _sealed(gcm: Gcm, cell: Cell, buffers: Buffers, tag: bytes) -> bytes:
    try:
        return await crypt(gcm, GCM_IV, buffers, buffers, encrypt=not cell.decrypt, aad=GCM_AAD, tag=tag)
    except AuthenticationFailed:
        return b""


def _ivs(cell: Cell, key: bytes) -> list[bytes]:
    """What each unit begins with, without any engine."""
    plain = tweaks(len(cell.units()))
    if cell.mode != ESSIV:
        return plain
    encrypted = reference("ecb", hashlib.sha256(key).digest(), b"", b"".join(plain), encrypt=True)
    return [encrypted[start:start + BLOCK_BYTES] for start in range(0, len(encrypted), BLOCK_BYTES)]


def _gcm(key: bytes, data: bytes, *, decrypt: bool) -> tuple[bytes, bytes]:
    """(result, tag)."""
    second = GCM_IV + (2).to_bytes(4, "big")
    plaintext = reference("ctr", key, second, data, encrypt=False) if decrypt else data
    sealed = AESGCM(key).encrypt(GCM_IV, plaintext, GCM_AAD)
    return plaintext if decrypt else sealed[:len(data)], sealed[len(data):]
