"""An XTS data unit that comes in parts."""

from __future__ import annotations

from copy import copy
from typing import Self

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.modes import tweaks
from pymodel.modes.keyed import scratch, stating_consequence
from pymodel.modes.tweaks import TWEAK_BYTES
from pymodel.modes.xts_batch import encrypted_tweaks
from pymodel.modes.xts_part import Part, Strategy, work_bytes


def check_unit_length(length: int) -> None:
    """Raises InvalidRequest for a data unit of less than a block (IEEE 1619-2018 5.1)."""
    if length < TWEAK_BYTES:
        raise InvalidRequest(f"XTS of {length} bytes: a data unit has at least {TWEAK_BYTES}")


class DataUnit:
    """A data unit under way: ``part`` as often as wanted, then ``last``, one after another.

    Made by ``Xts.data_unit``. A part that failed may be tried again unless it was in place.
    """

    def __init__(self, engine: BlockEngine, data_key: Key, tweak_key: Key, tweak: bytes, *,
                 decrypt: bool, strategy: Strategy) -> None:
        self._engine = engine
        self._data_key = data_key
        self._tweak_key = tweak_key
        self._tweak = tweak
        self._decrypt = decrypt
        self._strategy = strategy
        self._next: bytes | None = None

    def copy(self) -> Self:
        """Another one that goes on from here, under the same key as long as that is in use."""
        return copy(self)

    def anew(self, tweak: bytes) -> Self:
        """The start of another one, with a tweak of 16 bytes and the same key."""
        twin = copy(self)
        twin._tweak, twin._next = tweak, None
        return twin

    async def part(self, src: Buffers, dst: Buffers) -> None:
        """Whole blocks, with 16 bytes or more of the data unit still to come.

        Raises: InvalidRequest (length, placement), before anything is written; EngineFault,
        EngineHang, Unsupported.
        """
        if not len(src) or len(src) % TWEAK_BYTES:
            raise InvalidRequest(f"{len(src)} bytes as a part of a data unit: it has whole blocks of "
                                 f"{TWEAK_BYTES}")
        check_placement(src, dst)
        await self._engine.host.spend(HostWork.REQUEST)
        first = await self.crypt(src, dst)
        self._next = tweaks.advance(first, len(src) // TWEAK_BYTES)

    async def last(self, src: Buffers, dst: Buffers) -> None:
        """The rest, 16 bytes or more; it may end in a part of a block. Raises: as ``part``."""
        check_unit_length(len(src))
        check_placement(src, dst)
        await self._engine.host.spend(HostWork.REQUEST)
        await self.crypt(src, dst)

    async def crypt(self, src: Buffers, dst: Buffers) -> bytes:
        """What has been checked; returns the encrypted tweak of its first block."""
        with stating_consequence(src, dst), scratch(self._engine, work_bytes(self._strategy)) as work:
            first = self._next or (
                await encrypted_tweaks(self._engine, self._tweak_key, [self._tweak])).tobytes()
            await Part(self._engine, self._data_key, src, dst, work, first, self._decrypt).run(self._strategy)
        return first
