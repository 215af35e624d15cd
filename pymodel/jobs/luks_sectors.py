"""Sectors of a volume decrypted: through an engine, and by a reference that shares no code with that."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from typing import Self

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.jobs.ciphers import reference
from pymodel.luks.ciphers import VolumeCipher
from pymodel.luks.header import SECTOR_BYTES
from pymodel.modes.cbc import Cbc
from pymodel.modes.ecb import Ecb
from pymodel.modes.sectors import plain, plain64
from pymodel.modes.xts import Xts


class SectorCipher:
    """``cipher`` with ``key`` through ``engine``, on sectors of 512 bytes, as dm-crypt and qemu have it.

    ESSIV: the IV is the sector's number encrypted with the SHA-256 of the key.
    """

    def __init__(self, engine: BlockEngine, cipher: VolumeCipher, key: bytes) -> None:
        self._engine = engine
        self._cipher = cipher
        self._key = key
        self._open = ExitStack()
        self._mode: Xts | Cbc | Ecb = self._open.enter_context(
            {"xts": Xts, "cbc": Cbc, "ecb": Ecb}[cipher.mode](engine, key))
        self._essiv: Ecb | None = None
        if cipher.iv.startswith("essiv"):
            self._essiv = self._open.enter_context(Ecb(engine, _essiv_key(key)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    async def decrypt(self, first: int, data: bytes) -> bytes:
        """Whole blocks of ``data`` from the begin of sector ``first`` on, decrypted by the engine.

        Raises: what the engine raises.
        """
        memory = self._engine.memory
        address = memory.allocate(len(data))
        try:
            buffer = Buffers.of(address, len(data))
            buffer.scatter(memory, data)
            if isinstance(self._mode, Ecb):
                await self._mode.decrypt(buffer, buffer)
            else:
                await self._each(self._mode, await self._ivs(first, _count(data)), buffer)
            return buffer.read(memory)
        finally:
            memory.free(address)

    async def _each(self, mode: Xts | Cbc, ivs: list[bytes], buffer: Buffers) -> None:
        for index, iv in enumerate(ivs):
            start = index * SECTOR_BYTES
            sector = buffer.part(start, min(SECTOR_BYTES, len(buffer) - start))
            await mode.decrypt(iv, sector, sector)

    async def _ivs(self, first: int, count: int) -> list[bytes]:
        numbers = _numbers(self._cipher, first, count)
        if self._essiv is None:
            return numbers
        encrypted = await self._essiv.encrypt_bytes(b"".join(numbers))
        return _cut(encrypted, BLOCK_BYTES)

    def expected(self, first: int, data: bytes) -> bytes:
        """What ``decrypt`` must give."""
        mode = self._cipher.mode
        if mode == "ecb":
            return reference("ecb", self._key, b"", data, encrypt=False)
        ivs = _numbers(self._cipher, first, _count(data))
        if self._essiv is not None:
            ivs = [reference("ecb", _essiv_key(self._key), b"", number, encrypt=True) for number in ivs]
        return b"".join(reference(mode, self._key, iv, sector, encrypt=False)
                        for iv, sector in zip(ivs, _cut(data, SECTOR_BYTES), strict=True))


def _essiv_key(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _numbers(cipher: VolumeCipher, first: int, count: int) -> list[bytes]:
    """The sectors' numbers as blocks; dm-crypt's ``plain`` has their low 32 bits only."""
    block = plain if cipher.iv == "plain" else plain64
    return [block(first + index) for index in range(count)]


def _count(data: bytes) -> int:
    return -(-len(data) // SECTOR_BYTES)


def _cut(data: bytes, size: int) -> list[bytes]:
    return [data[start:start + size] for start in range(0, len(data), size)]
