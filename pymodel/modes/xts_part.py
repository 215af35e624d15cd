"""How XTS does one data unit, or a part of it, over an ECB engine: the strategies that go through it in
order, and ciphertext stealing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Literal, get_args

import numpy as np

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers
from pymodel.costs import HostWork
from pymodel.memory import PAGE_BYTES, ByteArray, OutOfMemory
from pymodel.modes import tweaks
from pymodel.modes.keyed import scratch
from pymodel.modes.tweaks import TWEAK_BYTES

Strategy = Literal["two-pass", "per-block", "cached", "batch"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

EMBEDDED_BYTES = 128
"""Of tweaks that ``cached`` keeps without an allocation, or when there is no memory for more."""


def work_bytes(strategy: Strategy) -> int:
    """Scratch memory for a part: a block, and for ``cached`` tweaks behind it."""
    return TWEAK_BYTES + (EMBEDDED_BYTES if strategy == "cached" else 0)


async def spend_pass(engine: BlockEngine, blocks: int) -> None:
    """What tweaks cost the host that are computed and XORed with as many blocks."""
    await engine.host.spend(HostWork.DOUBLING, blocks)
    await engine.host.spend(HostWork.XOR, blocks)


class Part:
    """``first``: the tweak of the first block. ``work``: ``work_bytes`` of scratch memory.

    With a tail there is at least one whole block before it.
    """

    def __init__(self, engine: BlockEngine, key: Key, src: Buffers, dst: Buffers, work: Buffers,
                 first: bytes, decrypt: bool) -> None:
        self._engine = engine
        self._memory = engine.memory
        self._host = engine.host
        self._key = key
        self._src = src
        self._dst = dst
        self._block, self._embedded = work.split((TWEAK_BYTES, len(work) - TWEAK_BYTES))
        self._decrypt = decrypt
        self._blocks, self._tail = divmod(len(src), TWEAK_BYTES)
        self._first = first

    async def run(self, strategy: Strategy) -> None:
        """``batch`` is ``two-pass`` here: one part has nothing to be done together with."""
        if strategy == "per-block":
            await self._per_block()
        elif strategy == "cached":
            await self._cached()
        else:
            await self._two_pass()
        await self._steal()

    def _whole_tweaks(self) -> ByteArray:
        """The tweaks of the whole blocks.

        Decryption with a tail takes the last two out of order: the last whole block needs the
        tweak that stealing used when it was encrypted (IEEE 1619-2018 5.4.2).
        """
        if self._decrypt and self._tail:
            tweak_bytes = tweaks.sequence(self._first, self._blocks + 1)
            return np.delete(tweak_bytes, slice(-2 * TWEAK_BYTES, -TWEAK_BYTES))
        return tweaks.sequence(self._first, self._blocks)

    async def _two_pass(self) -> None:
        """All whole blocks in one engine call."""
        memory, length = self._memory, self._blocks * TWEAK_BYTES
        whole = self._dst.part(0, length)
        await spend_pass(self._engine, self._blocks)
        whole.scatter(memory, self._src.part(0, length).gather(memory) ^ self._whole_tweaks())
        await self._engine.ecb(self._key, whole, whole, decrypt=self._decrypt)
        await spend_pass(self._engine, self._blocks)
        whole.scatter(memory, whole.gather(memory) ^ self._whole_tweaks())

    async def _cached(self) -> None:
        """As many whole blocks in one engine call as the buffer has tweaks for the second XOR."""
        memory, all_tweaks = self._memory, self._whole_tweaks()
        await self._host.spend(HostWork.ALLOCATION, len(all_tweaks) > EMBEDDED_BYTES)
        with self._tweak_buffer(len(all_tweaks)) as cache:
            for start in range(0, len(all_tweaks), len(cache)):
                chunk = all_tweaks[start:start + len(cache)]
                kept, there = cache.part(0, len(chunk)), self._dst.part(start, len(chunk))
                await spend_pass(self._engine, len(chunk) // TWEAK_BYTES)
                await self._host.spend(HostWork.COPY, len(chunk) // TWEAK_BYTES)
                kept.scatter(memory, chunk)
                there.scatter(memory, self._src.part(start, len(chunk)).gather(memory) ^ chunk)
                await self._engine.ecb(self._key, there, there, decrypt=self._decrypt)
                await self._host.spend(HostWork.XOR, len(chunk) // TWEAK_BYTES)
                there.scatter(memory, there.gather(memory) ^ kept.gather(memory))

    @contextmanager
    def _tweak_buffer(self, length: int) -> Iterator[Buffers]:
        """Memory for ``length`` bytes of tweaks, at most a page of them."""
        with ExitStack() as stack:
            buffer = self._embedded
            if length > EMBEDDED_BYTES:
                with suppress(OutOfMemory):
                    buffer = stack.enter_context(scratch(self._engine, min(length, PAGE_BYTES)))
            yield buffer

    async def _per_block(self) -> None:
        """Each whole block in an engine call of its own."""
        all_tweaks = self._whole_tweaks().reshape(-1, TWEAK_BYTES)
        for index, tweak in enumerate(all_tweaks):
            position = index * TWEAK_BYTES
            data = self._src.part(position, TWEAK_BYTES).gather(self._memory)
            self._dst.part(position, TWEAK_BYTES).scatter(self._memory, await self._one(data, tweak))

    async def _steal(self) -> None:
        """The tail: it takes bytes from the last whole block, which is then done again.

        The source's tail is read before the destination's is written: they may be the same bytes.
        """
        if not self._tail:
            return
        end = self._blocks * TWEAK_BYTES
        last = self._dst.part(end - TWEAK_BYTES, TWEAK_BYTES)
        stolen = last.gather(self._memory)
        joined = np.concatenate([self._src.part(end, self._tail).gather(self._memory), stolen[self._tail:]])
        steps = self._blocks - 1 if self._decrypt else self._blocks
        tweak = np.frombuffer(tweaks.advance(self._first, steps), np.uint8)
        done = await self._one(joined, tweak)
        self._dst.part(end, self._tail).scatter(self._memory, stolen[:self._tail])
        last.scatter(self._memory, done)

    async def _one(self, data: ByteArray, tweak: ByteArray) -> ByteArray:
        """One block through the engine in scratch memory, with its tweak on both sides."""
        await spend_pass(self._engine, 1)
        self._block.scatter(self._memory, data ^ tweak)
        await self._engine.ecb(self._key, self._block, self._block, decrypt=self._decrypt)
        await self._host.spend(HostWork.XOR)
        return self._block.gather(self._memory) ^ tweak
