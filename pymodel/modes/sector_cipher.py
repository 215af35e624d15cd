"""Sectors of a disk through XTS or CBC, numbered as dm-crypt numbers them."""

from __future__ import annotations

from collections.abc import Callable

from pymodel.buffers import Buffers, check_placement
from pymodel.errors import InvalidRequest
from pymodel.modes.cbc import Cbc
from pymodel.modes.essiv import Essiv
from pymodel.modes.sectors import SECTOR_BYTES, Counting, numbers
from pymodel.modes.xts import Xts

UNIT_BYTES = (512, 1024, 2048, 4096)

Numbering = Callable[[int, int], bytes]
"""``plain``, ``plain64`` or ``data_unit`` of ``sectors``: an IV from a number and the size of a block."""


class SectorCipher:
    """``mode``: Xts, best with the strategy ``batch``, or Cbc. ``ivs``: where the IVs of sectors come from.

    ``unit_bytes``: 512 to 4096, what is encrypted under one IV. ``counting``: what a number counts, see
    ``sectors.numbers``; ``sectors`` is what dm-crypt does unless told otherwise, and the same as ``units``
    for units of 512 bytes. Raises InvalidRequest for another size.
    """

    def __init__(self, mode: Xts | Cbc, ivs: Numbering | Essiv, *, unit_bytes: int = SECTOR_BYTES,
                 counting: Counting = "sectors") -> None:
        if unit_bytes not in UNIT_BYTES:
            raise InvalidRequest(f"sectors of {unit_bytes} bytes: there are "
                                 f"{', '.join(map(str, UNIT_BYTES))}")
        self.mode = mode
        self.unit_bytes = unit_bytes
        self.counting = counting
        self._ivs = ivs

    async def encrypt(self, first: int, src: Buffers, dst: Buffers) -> None:
        """Encrypt whole units, the first of which has the number ``first``.

        Raises: InvalidRequest (number, length, placement), before anything is written; EngineFault,
        EngineHang, Unsupported; OutOfMemory.
        """
        with self.mode.copy() as mode:
            await mode.encrypt_units(await self._numbered(first, src, dst), self.unit_bytes, src, dst)

    async def decrypt(self, first: int, src: Buffers, dst: Buffers) -> None:
        """The inverse of ``encrypt``, with the same rules."""
        with self.mode.copy() as mode:
            await mode.decrypt_units(await self._numbered(first, src, dst), self.unit_bytes, src, dst)

    async def _numbered(self, first: int, src: Buffers, dst: Buffers) -> list[bytes]:
        """The IVs. They may take an engine call, so the caller has got hold of the data's key before."""
        check_placement(src, dst)
        units = numbers(first, len(src), self.unit_bytes, self.counting)
        if isinstance(self._ivs, Essiv):
            return await self._ivs.ivs(units)
        return [self._ivs(number, self.mode.engine.block_size) for number in units]
