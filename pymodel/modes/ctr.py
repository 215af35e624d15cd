"""CTR: a key stream from a counter (SP 800-38A 6.5, counter of B.1 over the whole block)."""

from __future__ import annotations

import numpy as np

from pymodel.buffers import Buffers, check_placement
from pymodel.costs import HostWork
from pymodel.modes.keyed import KeyedMode, spend_allocation, stating_consequence
from pymodel.modes.streams import CtrStream


class Ctr(KeyedMode):
    """``Ctr(engine, key)``: key sizes are the cipher's. Raises InvalidRequest for another size.

    The counter is one block, big endian, and wraps to 0. Any length is allowed, 0 included.
    """

    async def crypt(self, counter: bytes, src: Buffers, dst: Buffers) -> bytes:
        """Encrypt or decrypt, which is the same; returns the counter after the last block begun.

        One engine call over all counter blocks, in scratch memory of ``len(src)`` bytes rounded
        up, then one XOR pass.
        Raises: InvalidRequest (counter size, placement), before anything is written; EngineFault,
        EngineHang, Unsupported; OutOfMemory.
        """
        key_set = self._current()
        first = self.checked_counter(counter)
        check_placement(src, dst)
        size, memory = self.engine.block_size, self.engine.memory
        count = -(-len(src) // size)
        if not count:
            return first
        with key_set.in_use() as (key,), self._scratch(count * size) as stream, \
                stating_consequence(src, dst):
            await self.engine.host.spend(HostWork.REQUEST)
            await spend_allocation(self.engine, len(stream))
            stream.scatter(memory, self._counters(first, count))
            await self.engine.ecb(key, stream, stream, decrypt=False)
            await self.engine.host.spend(HostWork.XOR, count)
            dst.scatter(memory, src.gather(memory) ^ stream.gather(memory)[:len(src)])
        return self.counter_after(first, count)

    encrypt = crypt
    decrypt = crypt

    async def crypt_bytes(self, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
        """``crypt`` on a copy of ``data`` in the engine's memory: (result, counter to go on with)."""
        return await self._on_bytes(data, lambda buffer: self.crypt(counter, buffer, buffer))

    encrypt_bytes = crypt_bytes
    decrypt_bytes = crypt_bytes

    def encryptor(self, counter: bytes) -> CtrStream:
        """For a message that comes in pieces. Raises InvalidRequest (counter size)."""
        return CtrStream(self.copy(), self.checked_counter(counter))

    decryptor = encryptor

    def checked_counter(self, counter: bytes) -> bytes:
        """Raises InvalidRequest for another size than a block's."""
        return self._check_iv(counter, "a counter")

    def counter_after(self, counter: bytes, blocks: int) -> bytes:
        """The counter ``blocks`` blocks later."""
        wrap = 1 << 8 * len(counter)
        return ((int.from_bytes(counter, "big") + blocks) % wrap).to_bytes(len(counter), "big")

    def _counters(self, first: bytes, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        """``count`` blocks that count up from ``first``, end to end."""
        size = self.engine.block_size
        start, wrap = int.from_bytes(first, "big"), 1 << 8 * size
        blocks = b"".join(((start + i) % wrap).to_bytes(size, "big") for i in range(count))
        return np.frombuffer(blocks, np.uint8)
