"""XTS with ciphertext stealing (IEEE 1619-2018 5.3 and 5.4) on top of an ECB engine.

Strategies, which give the same bytes:

``per-block``  one engine call per block, as disk encryption did at first.
``two-pass``   XOR every block with its tweak, source to destination; one engine call over all of
               them, in the destination; XOR again with the tweaks computed a second time. Needs
               no memory that grows with the request.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

import numpy as np

from pymodel.block_engine import BLOCK_BYTES, BlockEngine, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.errors import InvalidRequest
from pymodel.memory import ByteArray
from pymodel.modes import tweaks
from pymodel.modes.keyed import KeyedMode, KeySet, stating_consequence

Strategy = Literal["two-pass", "per-block"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


class Xts(KeyedMode):
    """``key`` is the data key followed by the tweak key: 32, 48 or 64 bytes for AES.

    ``strict`` refuses a key whose halves are equal, as FIPS 140 does. Raises InvalidRequest for a
    key, an engine (its block is not 16 bytes) or a strategy that cannot be.
    """

    def __init__(self, engine: BlockEngine, key: bytes, *, strategy: Strategy = "two-pass",
                 strict: bool = False) -> None:
        if engine.block_size != BLOCK_BYTES:
            raise InvalidRequest(f"XTS needs a block of 16 bytes, engine {engine.name} has "
                                 f"{engine.block_size}")
        if strategy not in STRATEGIES:
            raise InvalidRequest(f"XTS strategy {strategy!r}: there are {', '.join(STRATEGIES)}")
        self.strategy = strategy
        self.strict = strict
        super().__init__(engine, key)

    def _make_keys(self, key: bytes) -> KeySet:
        try:
            return super()._make_keys(key)
        except InvalidRequest as error:
            raise InvalidRequest(f"XTS key of {len(key)} bytes, two keys in one: {error}") from error

    def _key_parts(self, key: bytes) -> tuple[bytes, ...]:
        half, odd = divmod(len(key), 2)
        if odd:
            raise InvalidRequest("there are no two halves of one length")
        if self.strict and key[:half] == key[half:]:
            raise InvalidRequest("the halves are equal")
        return key[:half], key[half:]

    async def encrypt(self, tweak: bytes, src: Buffers, dst: Buffers) -> None:
        """Encrypt one data unit of 16 bytes or more under a 16-byte tweak (see ``sectors``).

        Raises: InvalidRequest (tweak size, length, placement), before anything is written;
        EngineFault, EngineHang, Unsupported.
        """
        await self._crypt(tweak, src, dst, decrypt=False)

    async def decrypt(self, tweak: bytes, src: Buffers, dst: Buffers) -> None:
        """The inverse of ``encrypt``, with the same rules."""
        await self._crypt(tweak, src, dst, decrypt=True)

    async def encrypt_bytes(self, tweak: bytes, data: bytes) -> bytes:
        """``encrypt`` on a copy of ``data`` in the engine's memory."""
        return await self._crypt_bytes(tweak, data, decrypt=False)

    async def decrypt_bytes(self, tweak: bytes, data: bytes) -> bytes:
        """``decrypt`` on a copy of ``data`` in the engine's memory."""
        return await self._crypt_bytes(tweak, data, decrypt=True)

    @contextmanager
    def data_unit(self, tweak: bytes, *, decrypt: bool) -> Iterator[DataUnit]:
        """One data unit that comes in parts, all of them under the key that is in force now.

        Raises: InvalidRequest (tweak size).
        """
        key_set, tweak = self._current(), self._check_iv(tweak, "a tweak")
        with key_set.in_use() as (data_key, tweak_key), self._scratch(BLOCK_BYTES) as block:
            yield DataUnit(self.engine, data_key, tweak_key, tweak, block, decrypt=decrypt,
                           strategy=self.strategy)

    async def _crypt_bytes(self, tweak: bytes, data: bytes, *, decrypt: bool) -> bytes:
        _check_length(len(data))
        result, _ = await self._on_bytes(
            data, lambda buffer: self._crypt(tweak, buffer, buffer, decrypt=decrypt))
        return result

    async def _crypt(self, tweak: bytes, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        self._current()
        self._check_iv(tweak, "a tweak")
        _check_length(len(src))
        check_placement(src, dst)
        with self.data_unit(tweak, decrypt=decrypt) as unit:
            await unit._crypt(src, dst)


def _check_length(length: int) -> None:
    if length < BLOCK_BYTES:
        raise InvalidRequest(f"XTS of {length} bytes: a data unit has at least {BLOCK_BYTES}")


class DataUnit:
    """A data unit under way: ``part`` as often as wanted, then ``last``, one after another.

    Made by ``Xts.data_unit``. A part that failed may be tried again unless it was in place.
    ``block`` is a block of scratch memory.
    """

    def __init__(self, engine: BlockEngine, data_key: Key, tweak_key: Key, tweak: bytes, block: Buffers, *,
                 decrypt: bool, strategy: Strategy) -> None:
        self._engine = engine
        self._data_key = data_key
        self._tweak_key = tweak_key
        self._tweak = tweak
        self._block = block
        self._decrypt = decrypt
        self._strategy = strategy
        self._next: bytes | None = None

    async def part(self, src: Buffers, dst: Buffers) -> None:
        """Whole blocks, with 16 bytes or more of the data unit still to come.

        Raises: InvalidRequest (length, placement), before anything is written; EngineFault,
        EngineHang, Unsupported.
        """
        if not len(src) or len(src) % BLOCK_BYTES:
            raise InvalidRequest(f"{len(src)} bytes as a part of a data unit: it has whole blocks of "
                                 f"{BLOCK_BYTES}")
        check_placement(src, dst)
        first = await self._crypt(src, dst)
        self._next = tweaks.advance(first, len(src) // BLOCK_BYTES)

    async def last(self, src: Buffers, dst: Buffers) -> None:
        """The rest, 16 bytes or more; it may end in a part of a block. Raises: as ``part``."""
        _check_length(len(src))
        check_placement(src, dst)
        await self._crypt(src, dst)

    async def _crypt(self, src: Buffers, dst: Buffers) -> bytes:
        """Returns the encrypted tweak of the first block."""
        with stating_consequence(src, dst):
            first = self._next or await self._encrypted_tweak()
            part = _Part(self._engine, self._data_key, src, dst, self._block, first, self._decrypt)
            await (part.two_pass() if self._strategy == "two-pass" else part.per_block())
            await part.steal()
        return first

    async def _encrypted_tweak(self) -> bytes:
        """The first block's tweak; it is encrypted also for decryption."""
        memory = self._engine.memory
        self._block.scatter(memory, self._tweak)
        await self._engine.ecb(self._tweak_key, self._block, self._block, decrypt=False)
        return self._block.read(memory)


class _Part:
    """One request under way. ``first``: the tweak of its first block. ``block``: scratch memory."""

    def __init__(self, engine: BlockEngine, key: Key, src: Buffers, dst: Buffers, block: Buffers,
                 first: bytes, decrypt: bool) -> None:
        self._engine = engine
        self._memory = engine.memory
        self._key = key
        self._src = src
        self._dst = dst
        self._block = block
        self._decrypt = decrypt
        self._blocks, self._tail = divmod(len(src), BLOCK_BYTES)
        self._first = first

    def _whole_tweaks(self) -> ByteArray:
        """The tweaks of the whole blocks.

        Decryption with a tail takes the last two out of order: the last whole block needs the
        tweak that stealing used when it was encrypted (IEEE 1619-2018 5.4.2).
        """
        if self._decrypt and self._tail:
            tweak_bytes = tweaks.sequence(self._first, self._blocks + 1)
            return np.delete(tweak_bytes, slice(-2 * BLOCK_BYTES, -BLOCK_BYTES))
        return tweaks.sequence(self._first, self._blocks)

    async def two_pass(self) -> None:
        """All whole blocks in one engine call."""
        memory, length = self._memory, self._blocks * BLOCK_BYTES
        whole = self._dst.part(0, length)
        whole.scatter(memory, self._src.part(0, length).gather(memory) ^ self._whole_tweaks())
        await self._engine.ecb(self._key, whole, whole, decrypt=self._decrypt)
        whole.scatter(memory, whole.gather(memory) ^ self._whole_tweaks())

    async def per_block(self) -> None:
        """Each whole block in an engine call of its own."""
        all_tweaks = self._whole_tweaks().reshape(-1, BLOCK_BYTES)
        for index, tweak in enumerate(all_tweaks):
            position = index * BLOCK_BYTES
            data = self._src.part(position, BLOCK_BYTES).gather(self._memory)
            self._dst.part(position, BLOCK_BYTES).scatter(self._memory, await self._one(data, tweak))

    async def steal(self) -> None:
        """The tail: it takes bytes from the last whole block, which is then done again.

        The source's tail is read before the destination's is written: they may be the same bytes.
        """
        if not self._tail:
            return
        end = self._blocks * BLOCK_BYTES
        last = self._dst.part(end - BLOCK_BYTES, BLOCK_BYTES)
        stolen = last.gather(self._memory)
        joined = np.concatenate([self._src.part(end, self._tail).gather(self._memory), stolen[self._tail:]])
        steps = self._blocks - 1 if self._decrypt else self._blocks
        tweak = np.frombuffer(tweaks.advance(self._first, steps), np.uint8)
        done = await self._one(joined, tweak)
        self._dst.part(end, self._tail).scatter(self._memory, stolen[:self._tail])
        last.scatter(self._memory, done)

    async def _one(self, data: ByteArray, tweak: ByteArray) -> ByteArray:
        """One block through the engine in scratch memory, with its tweak on both sides."""
        self._block.scatter(self._memory, data ^ tweak)
        await self._engine.ecb(self._key, self._block, self._block, decrypt=self._decrypt)
        return self._block.gather(self._memory) ^ tweak
