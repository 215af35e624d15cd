"""ESSIV: IVs that only who has the key can foretell, for CBC on disks (dm-crypt's ``essiv:sha256``)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pymodel.block_engine import BlockEngine
from pymodel.errors import InvalidRequest
from pymodel.modes.keyed import KeyedMode, KeySet, spend_allocation
from pymodel.modes.sectors import plain64


class Essiv(KeyedMode):
    """``Essiv(engine, key)``: the IV of a sector is its 64-bit number, little endian, encrypted under the
    hash of ``key``, which is the key of the data.

    Raises InvalidRequest for an unknown hash, or one whose length is not a key size of the cipher.
    """

    def __init__(self, engine: BlockEngine, key: bytes, digest: str = "sha256") -> None:
        self.digest = digest
        super().__init__(engine, key)

    def _make_keys(self, key: bytes) -> KeySet:
        try:
            hashed = hashlib.new(self.digest, key).digest()
        except ValueError:
            raise InvalidRequest(f"ESSIV with the hash {self.digest!r}, which is not known here") from None
        try:
            return KeySet(self.engine, (hashed,))
        except InvalidRequest as error:
            raise InvalidRequest(f"ESSIV with {self.digest}: {error}") from error

    async def ivs(self, numbers: Sequence[int]) -> list[bytes]:
        """The IVs of these sectors, by one engine call, which is part of the request that they are for.

        Raises: InvalidRequest (a number outside 64 bits), before anything is written; EngineFault,
        EngineHang, Unsupported; OutOfMemory.
        """
        key_set, size, memory = self._current(), self.engine.block_size, self.engine.memory
        plain = b"".join(plain64(number, size) for number in numbers)
        if not plain:
            return []
        with key_set.in_use() as (key,), self._scratch(len(plain)) as blocks:
            await spend_allocation(self.engine, len(blocks))
            blocks.scatter(memory, plain)
            await self.engine.ecb(key, blocks, blocks, decrypt=False)
            encrypted = blocks.read(memory)
        return [encrypted[start:start + size] for start in range(0, len(encrypted), size)]
