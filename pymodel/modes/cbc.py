"""CBC: cipher block chaining (SP 800-38A 6.2)."""

from __future__ import annotations

import numpy as np

from pymodel.buffers import Buffers, check_placement
from pymodel.modes.keyed import KeyedMode, stating_consequence


class Cbc(KeyedMode):
    """``Cbc(engine, key)``: key sizes are the cipher's. Raises InvalidRequest for another size.

    Lengths are multiples of the block size; 0 is allowed and leaves the IV as it is. Each request
    returns the IV with which the next one continues the chain.
    """

    async def encrypt(self, iv: bytes, src: Buffers, dst: Buffers) -> bytes:
        """Encrypt; returns the last ciphertext block. Serial: one engine call per block.

        Raises: InvalidRequest (IV size, length, placement), before anything is written;
        EngineFault, EngineHang, Unsupported.
        """
        key_set = self._current()
        chain = self._check(iv, src, dst)
        if not len(src):
            return chain
        memory, size = self.engine.memory, self.engine.block_size
        with key_set.in_use() as (key,), self._scratch(size) as block, stating_consequence(src, dst):
            previous = np.frombuffer(chain, np.uint8)
            for position in range(0, len(src), size):
                block.scatter(memory, src.part(position, size).gather(memory) ^ previous)
                encrypted = dst.part(position, size)
                await self.engine.ecb(key, block, encrypted, decrypt=False)
                previous = encrypted.gather(memory)
        return previous.tobytes()

    async def decrypt(self, iv: bytes, src: Buffers, dst: Buffers) -> bytes:
        """Decrypt; returns the last ciphertext block. One engine call, then one XOR pass.

        Raises: as ``encrypt``.
        """
        key_set = self._current()
        chain = self._check(iv, src, dst)
        if not len(src):
            return chain
        memory, size = self.engine.memory, self.engine.block_size
        with key_set.in_use() as (key,), stating_consequence(src, dst):
            chained = np.concatenate([np.frombuffer(chain, np.uint8), src.gather(memory)])
            await self.engine.ecb(key, src, dst, decrypt=True)
            dst.scatter(memory, dst.gather(memory) ^ chained[:-size])
        return chained[-size:].tobytes()

    async def encrypt_bytes(self, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """``encrypt`` on a copy of ``data`` in the engine's memory: (ciphertext, IV to go on with)."""
        self._check_whole_blocks(len(data))
        return await self._on_bytes(data, lambda buffer: self.encrypt(iv, buffer, buffer))

    async def decrypt_bytes(self, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """``decrypt`` on a copy of ``data`` in the engine's memory: (plaintext, IV to go on with)."""
        self._check_whole_blocks(len(data))
        return await self._on_bytes(data, lambda buffer: self.decrypt(iv, buffer, buffer))

    def _check(self, iv: bytes, src: Buffers, dst: Buffers) -> bytes:
        chain = self._check_iv(iv, "an IV")
        self._check_whole_blocks(len(src))
        check_placement(src, dst)
        return chain
