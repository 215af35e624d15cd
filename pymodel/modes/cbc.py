"""CBC: cipher block chaining (SP 800-38A 6.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pymodel.buffers import Buffers, check_placement, check_placements
from pymodel.costs import HostWork
from pymodel.modes.cbc_many import decrypt_at_once, encrypt_in_lockstep
from pymodel.modes.keyed import KeyedMode, KeySet, stating_consequence
from pymodel.modes.messages import Message, cut, stating_consequence_of_all
from pymodel.modes.streams import CbcStream


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
            await self.engine.host.spend(HostWork.REQUEST)
            previous = np.frombuffer(chain, np.uint8)
            for position in range(0, len(src), size):
                await self.engine.host.spend(HostWork.XOR)
                block.scatter(memory, src.part(position, size).gather(memory) ^ previous)
                encrypted = dst.part(position, size)
                await self.engine.ecb(key, block, encrypted, decrypt=False)
                previous = encrypted.gather(memory)
        return previous.tobytes()

    async def decrypt(self, iv: bytes, src: Buffers, dst: Buffers) -> bytes:
        """Decrypt; returns the last ciphertext block. One engine call, then one XOR pass.

        Raises: as ``encrypt``.
        """
        return (await self.decrypt_many([Message(iv, src, dst)]))[0]

    async def encrypt_many(self, messages: Sequence[Message]) -> list[bytes]:
        """Encrypt streams that have nothing to do with each other; returns each one's IV to go on with.

        In lockstep: one engine call per block position, over that block of all streams that have one, in
        scratch memory of a block for each. So the engine has many blocks to do, though CBC is serial.
        Raises: InvalidRequest (IV size, length, placement), before anything is written; EngineFault,
        EngineHang, Unsupported; OutOfMemory.
        """
        key_set = self._checked(messages)
        with key_set.in_use() as (key,), stating_consequence_of_all(messages):
            return await encrypt_in_lockstep(self.engine, key, messages)

    async def decrypt_many(self, messages: Sequence[Message]) -> list[bytes]:
        """Decrypt streams in one engine call; returns each one's IV to go on with. Raises: as
        ``encrypt_many``."""
        key_set = self._checked(messages)
        with key_set.in_use() as (key,), stating_consequence_of_all(messages):
            return await decrypt_at_once(self.engine, key, messages)

    async def encrypt_units(self, ivs: Sequence[bytes], unit_bytes: int, src: Buffers,
                            dst: Buffers) -> list[bytes]:
        """``encrypt_many`` of consecutive streams of ``unit_bytes`` each, such as sectors, one for each IV;
        the last may be shorter. Raises also: InvalidRequest for another number of IVs."""
        return await self.encrypt_many(cut(ivs, unit_bytes, src, dst))

    async def decrypt_units(self, ivs: Sequence[bytes], unit_bytes: int, src: Buffers,
                            dst: Buffers) -> list[bytes]:
        """The inverse of ``encrypt_units``, with the same rules."""
        return await self.decrypt_many(cut(ivs, unit_bytes, src, dst))

    async def encrypt_bytes(self, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """``encrypt`` on a copy of ``data`` in the engine's memory: (ciphertext, IV to go on with)."""
        self._check_whole_blocks(len(data))
        return await self._on_bytes(data, lambda buffer: self.encrypt(iv, buffer, buffer))

    async def decrypt_bytes(self, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """``decrypt`` on a copy of ``data`` in the engine's memory: (plaintext, IV to go on with)."""
        self._check_whole_blocks(len(data))
        return await self._on_bytes(data, lambda buffer: self.decrypt(iv, buffer, buffer))

    def encryptor(self, iv: bytes) -> CbcStream:
        """For a message that comes in pieces. Raises InvalidRequest (IV size)."""
        return CbcStream(self.copy(), self.checked_iv(iv), decrypt=False)

    def decryptor(self, iv: bytes) -> CbcStream:
        """The inverse of ``encryptor``."""
        return CbcStream(self.copy(), self.checked_iv(iv), decrypt=True)

    def checked_iv(self, iv: bytes) -> bytes:
        """Raises InvalidRequest for another size than a block's."""
        return self._check_iv(iv, "an IV")

    def _check(self, iv: bytes, src: Buffers, dst: Buffers) -> bytes:
        chain = self.checked_iv(iv)
        self._check_whole_blocks(len(src))
        check_placement(src, dst)
        return chain

    def _checked(self, messages: Sequence[Message]) -> KeySet:
        key_set = self._current()
        for message in messages:
            self.checked_iv(message.iv)
            self._check_whole_blocks(len(message.src))
        check_placements([(message.src, message.dst) for message in messages])
        return key_set
