"""GCM: encryption with a tag that proves data and header (SP 800-38D) on top of an ECB engine.

The engine encrypts the zero block (the hash subkey, once per key) and, in one call per request, the
counter blocks from J0 on: the first masks the tag, the others are the key stream. GHASH is the host's.
"""

from __future__ import annotations

from hmac import compare_digest

import numpy as np

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import HostWork
from pymodel.errors import AuthenticationFailed, InvalidRequest
from pymodel.memory import ByteArray
from pymodel.modes.gcm_counters import MAX_BYTES, check_iv_and_tag, counters, first_counter
from pymodel.modes.gcm_stream import GcmStream
from pymodel.modes.ghash import BLOCK_BYTES, Ghash
from pymodel.modes.keyed import KeyedMode, KeySet, spend_allocation, stating_consequence


class _GcmKeys(KeySet):
    """The key, and GHASH under it once a request has asked the engine for the hash subkey."""

    ghash: Ghash | None = None


class Gcm(KeyedMode):
    """``Gcm(engine, key)``: key sizes are the cipher's.

    Raises InvalidRequest for another size, or an engine whose block is not 16 bytes. No two
    encryptions under one key may have the same IV; that is up to the caller.
    """

    def __init__(self, engine: BlockEngine, key: bytes) -> None:
        if engine.block_size != BLOCK_BYTES:
            raise InvalidRequest(f"GCM needs a block of 16 bytes, engine {engine.name} has "
                                 f"{engine.block_size}")
        super().__init__(engine, key)

    async def encrypt(self, iv: bytes, aad: bytes, src: Buffers, dst: Buffers, *,
                      tag_bytes: int = 16) -> bytes:
        """Encrypt any number of bytes, 0 included; returns the tag over ``aad`` and the ciphertext.

        ``iv``: 1 byte or more, best 12. ``tag_bytes``: 4, 8 or 12 to 16. Scratch memory of
        ``len(src)`` bytes rounded up and a block more, wiped before it is given back.
        Raises: InvalidRequest (IV, tag size, length, placement), before anything is written;
        EngineFault, EngineHang, Unsupported; OutOfMemory.
        """
        keys = self._checked(iv, tag_bytes, src, dst)
        with keys.in_use() as (key,), stating_consequence(src, dst):
            await self.engine.host.spend(HostWork.REQUEST)
            ghash = await self._ghash(keys, key)
            mask, stream = await self._masks(key, first_counter(ghash, iv), len(src))
            await self.spend_xor(len(src))
            ciphertext = src.gather(self.engine.memory) ^ stream
            tag = _tag(ghash, mask, aad, ciphertext)[:tag_bytes]
            dst.scatter(self.engine.memory, ciphertext)
        return tag

    async def decrypt(self, iv: bytes, aad: bytes, src: Buffers, dst: Buffers, tag: bytes) -> None:
        """The inverse of ``encrypt``, with the same rules. The size of ``tag`` is the caller's to fix.

        Raises: AuthenticationFailed for a wrong tag, in constant time: the destination has not been
        written then, and in place it is the ciphertext still. Else as ``encrypt``.
        """
        keys = self._checked(iv, len(tag), src, dst)
        with keys.in_use() as (key,), stating_consequence(src, dst):
            await self.engine.host.spend(HostWork.REQUEST)
            ghash = await self._ghash(keys, key)
            mask, stream = await self._masks(key, first_counter(ghash, iv), len(src))
            ciphertext = src.gather(self.engine.memory)
            if not compare_digest(_tag(ghash, mask, aad, ciphertext)[:len(tag)], bytes(tag)):
                raise AuthenticationFailed(len(src), len(aad))
            await self.spend_xor(len(src))
            dst.scatter(self.engine.memory, ciphertext ^ stream)

    async def encrypt_bytes(self, iv: bytes, aad: bytes, data: bytes, *,
                            tag_bytes: int = 16) -> tuple[bytes, bytes]:
        """``encrypt`` on a copy of ``data`` in the engine's memory: (ciphertext, tag)."""
        return await self._on_bytes(
            data, lambda buffer: self.encrypt(iv, aad, buffer, buffer, tag_bytes=tag_bytes))

    async def decrypt_bytes(self, iv: bytes, aad: bytes, data: bytes, tag: bytes) -> bytes:
        """``decrypt`` on a copy of ``data`` in the engine's memory."""
        result, _ = await self._on_bytes(data, lambda buffer: self.decrypt(iv, aad, buffer, buffer, tag))
        return result

    def encryptor(self, iv: bytes, *, tag_bytes: int = 16) -> GcmStream:
        """For a message that comes in pieces. Raises InvalidRequest (IV, tag size)."""
        check_iv_and_tag(iv, tag_bytes)
        return GcmStream(self.copy(), iv, tag_bytes)

    async def ghash(self) -> Ghash:
        """GHASH under the key in force. Raises: EngineFault, EngineHang, Unsupported."""
        keys = self._gcm_keys()
        with keys.in_use() as (key,):
            return await self._ghash(keys, key)

    async def spend_xor(self, length: int) -> None:
        """What the host does for ``length`` bytes besides GHASH."""
        await self.engine.host.spend(HostWork.XOR, -(-length // BLOCK_BYTES))

    async def encrypted_blocks(self, blocks: ByteArray) -> ByteArray:
        """Whole blocks under the key in force, by one engine call. Raises: as ``ghash``."""
        with self._current().in_use() as (key,):
            return await self._encrypted(key, blocks)

    def _make_keys(self, key: bytes) -> KeySet:
        return _GcmKeys(self.engine, (key,))

    def _checked(self, iv: bytes, tag_bytes: int, src: Buffers, dst: Buffers) -> _GcmKeys:
        """The key in force. Raises InvalidRequest."""
        keys = self._gcm_keys()
        check_iv_and_tag(iv, tag_bytes)
        if len(src) > MAX_BYTES:
            raise InvalidRequest(f"GCM of {len(src)} bytes: a request has at most {MAX_BYTES}")
        check_placement(src, dst)
        return keys

    def _gcm_keys(self) -> _GcmKeys:
        keys = self._current()
        assert isinstance(keys, _GcmKeys)
        return keys

    async def _ghash(self, keys: _GcmKeys, key: Key) -> Ghash:
        """Requests that come before the first is done each ask for the subkey; it is the same."""
        if keys.ghash is None:
            keys.ghash = Ghash((await self._encrypted(key, np.zeros(BLOCK_BYTES, np.uint8))).tobytes())
        return keys.ghash

    async def _masks(self, key: Key, first: bytes, length: int) -> tuple[bytes, ByteArray]:
        """The encrypted ``first`` counter, for the tag, and ``length`` bytes of the key stream after it."""
        masks = await self._encrypted(key, counters(first, 1 + -(-length // BLOCK_BYTES)))
        return masks[:BLOCK_BYTES].tobytes(), masks[BLOCK_BYTES:BLOCK_BYTES + length]

    async def _encrypted(self, key: Key, blocks: ByteArray) -> ByteArray:
        """One engine call over ``blocks``, in scratch memory that keeps nothing of them."""
        memory = self.engine.memory
        with self._scratch(len(blocks)) as scratch:
            await spend_allocation(self.engine, len(scratch))
            scratch.scatter(memory, blocks)
            await self.engine.ecb(key, scratch, scratch, decrypt=False)
            return scratch.gather(memory)


def _tag(ghash: Ghash, mask: bytes, aad: bytes, ciphertext: ByteArray) -> bytes:
    """The tag of 16 bytes (SP 800-38D 7.1, steps 4 to 6)."""
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    hashed = ghash.of(bytes(aad), ciphertext.tobytes(), lengths)
    return bytes(a ^ b for a, b in zip(hashed, mask, strict=True))
