"""XTS as patches of 2010 for the PadLock had it, WRONG: two passes over a walk that loses the tweak.

A walk goes through source and destination and stops wherever a piece of either ends. What was done within
a step was right, so who looks at data in one piece sees nothing. There was no ciphertext stealing. They
are here to be found out, see ``ecbench audit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pymodel.block_engine import BlockEngine
from pymodel.errors import InvalidRequest
from pymodel.modes import tweaks
from pymodel.modes.keyed import KeySet
from pymodel.modes.messages import Message
from pymodel.modes.tweaks import TWEAK_BYTES
from pymodel.modes.xts import Xts
from pymodel.modes.xts_batch import encrypted_tweaks
from pymodel.modes.xts_part import spend_pass


@dataclass(frozen=True, slots=True)
class Walk:
    """How the first tweak of a step follows from the step before: it ``repeats`` the last one of that, or
    ``restarts`` with the first one of the request."""

    repeats: bool = False
    restarts: bool = False

    def first_tweaks(self, first: bytes, blocks: Sequence[int]) -> Iterator[bytes]:
        """The first tweak of each step, from the tweak of the request and the blocks of the steps."""
        for count in blocks:
            yield first
            if not self.restarts:
                first = tweaks.advance(first, count - self.repeats)


PATCHES: Mapping[str, Walk] = {"2010-patch-01": Walk(repeats=True), "2010-patch-03": Walk(restarts=True)}
"""Patch 01 does not double between two steps; patches 03 and 04 begin anew at each step."""


class PatchedXts(Xts):
    """``Xts`` whose walk is one of PATCHES. Pieces and requests have whole blocks, else InvalidRequest."""

    def __init__(self, engine: BlockEngine, key: bytes, patch: str) -> None:
        super().__init__(engine, key)
        self._walk = PATCHES[patch]

    async def _crypt_checked(self, key_set: KeySet, messages: Sequence[Message], decrypt: bool) -> None:
        data_key, tweak_key = key_set.keys
        engine, memory = self.engine, self.engine.memory
        steps_of_all = [list(pairwise([0, *_step_ends(message)])) for message in messages]
        for message, steps in zip(messages, steps_of_all, strict=True):
            encrypted = await encrypted_tweaks(engine, tweak_key, [message.iv])
            blocks = [(end - start) // TWEAK_BYTES for start, end in steps]
            firsts = self._walk.first_tweaks(encrypted.tobytes(), blocks)
            for (start, end), count, first in zip(steps, blocks, firsts, strict=True):
                mask, part = tweaks.sequence(first, count), message.dst.part(start, end - start)
                await spend_pass(engine, count)
                part.scatter(memory, message.src.part(start, end - start).gather(memory) ^ mask)
                await engine.ecb(data_key, part, part, decrypt=decrypt)
                await spend_pass(engine, count)
                part.scatter(memory, part.gather(memory) ^ mask)


def _step_ends(message: Message) -> list[int]:
    """Where a piece of either ends, in bytes from the start of the request."""
    ends = {end for buffers in (message.src, message.dst)
            for end in accumulate(piece.length for piece in buffers.pieces)}
    if any(end % TWEAK_BYTES for end in ends):
        raise InvalidRequest("the patches of 2010 take pieces of whole blocks only")
    return sorted(ends - {0})
