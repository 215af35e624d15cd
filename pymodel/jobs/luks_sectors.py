"""Sectors of a volume decrypted: through an engine, and by a reference that shares no code with that."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from typing import Self

from pymodel.block_engine import BlockEngine
from pymodel.buffers import Buffers
from pymodel.jobs.ciphers import reference
from pymodel.luks.ciphers import VolumeCipher
from pymodel.luks.header import SECTOR_BYTES
from pymodel.modes.cbc import Cbc
from pymodel.modes.ecb import Ecb
from pymodel.modes.essiv import Essiv
from pymodel.modes.keyed import on_bytes
from pymodel.modes.sector_cipher import SectorCipher
from pymodel.modes.sectors import plain, plain64
from pymodel.modes.xts import Xts


class VolumeSectors:
    """``cipher`` with ``key`` through ``engine``, on sectors of 512 bytes, as dm-crypt and qemu have it.

    Raises InvalidRequest for a key size that the cipher does not have.
    """

    def __init__(self, engine: BlockEngine, cipher: VolumeCipher, key: bytes) -> None:
        self._engine = engine
        self._cipher = cipher
        self._key = key
        self._open = ExitStack()
        self._mode: SectorCipher | Ecb = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _opened(self) -> SectorCipher | Ecb:
        enter, engine, key = self._open.enter_context, self._engine, self._key
        if self._cipher.mode == "ecb":
            return enter(Ecb(engine, key))
        mode: Xts | Cbc
        if self._cipher.mode == "xts":
            mode = enter(Xts(engine, key, strategy="batch"))
        else:
            mode = enter(Cbc(engine, key))
        if self._cipher.iv.startswith("essiv"):
            return SectorCipher(mode, enter(Essiv(engine, key)))
        return SectorCipher(mode, plain if self._cipher.iv == "plain" else plain64)

    async def decrypt(self, first: int, data: bytes) -> bytes:
        """Whole sectors from number ``first`` on, decrypted by the engine in a few large requests.

        Raises: what the engine raises.
        """
        async def request(buffer: Buffers) -> None:
            if isinstance(self._mode, Ecb):
                await self._mode.decrypt(buffer, buffer)
            else:
                await self._mode.decrypt(first, buffer, buffer)

        result, _ = await on_bytes(self._engine, data, request)
        return result

    def expected(self, first: int, data: bytes) -> bytes:
        """What ``decrypt`` must give."""
        return b"".join(self._expected_sector(first + start // SECTOR_BYTES, data[start:start + SECTOR_BYTES])
                        for start in range(0, len(data), SECTOR_BYTES))

    def _expected_sector(self, number: int, data: bytes) -> bytes:
        """The IV or tweak: the number, little endian, of which ``plain`` has 32 bits only; ESSIV encrypts it
        with the SHA-256 of the key."""
        iv = (number % (1 << 32) if self._cipher.iv == "plain" else number).to_bytes(16, "little")
        if self._cipher.iv.startswith("essiv"):
            iv = reference("ecb", hashlib.sha256(self._key).digest(), b"", iv, encrypt=True)
        return reference(self._cipher.mode, self._key, iv, data, encrypt=False)
