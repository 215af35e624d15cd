"""ECB: each block by itself (SP 800-38A 6.1). One engine call per request."""

from __future__ import annotations

from pymodel.buffers import Buffers, check_placement
from pymodel.costs import HostWork
from pymodel.modes.keyed import KeyedMode
from pymodel.modes.streams import EcbStream


class Ecb(KeyedMode):
    """``Ecb(engine, key)``: key sizes are the cipher's. Raises InvalidRequest for another size."""

    async def encrypt(self, src: Buffers, dst: Buffers) -> None:
        """Encrypt ``len(src)`` bytes, a multiple of the block size; 0 is allowed.

        Raises: InvalidRequest (length, placement), before anything is written; EngineFault with
        the number of bytes done, EngineHang, Unsupported.
        """
        await self._crypt(src, dst, decrypt=False)

    async def decrypt(self, src: Buffers, dst: Buffers) -> None:
        """The inverse of ``encrypt``, with the same rules."""
        await self._crypt(src, dst, decrypt=True)

    async def encrypt_bytes(self, data: bytes) -> bytes:
        """``encrypt`` on a copy of ``data`` in the engine's memory."""
        return await self._crypt_bytes(data, decrypt=False)

    async def decrypt_bytes(self, data: bytes) -> bytes:
        """``decrypt`` on a copy of ``data`` in the engine's memory."""
        return await self._crypt_bytes(data, decrypt=True)

    def encryptor(self) -> EcbStream:
        """For a message that comes in pieces."""
        return EcbStream(self.copy(), decrypt=False)

    def decryptor(self) -> EcbStream:
        """The inverse of ``encryptor``."""
        return EcbStream(self.copy(), decrypt=True)

    async def _crypt(self, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        key_set = self._current()
        self._check_whole_blocks(len(src))
        check_placement(src, dst)
        if len(src):
            with key_set.in_use() as (key,):
                await self.engine.host.spend(HostWork.REQUEST)
                await self.engine.ecb(key, src, dst, decrypt=decrypt)

    async def _crypt_bytes(self, data: bytes, *, decrypt: bool) -> bytes:
        self._check_whole_blocks(len(data))
        result, _ = await self._on_bytes(data, lambda buffer: self._crypt(buffer, buffer, decrypt=decrypt))
        return result
