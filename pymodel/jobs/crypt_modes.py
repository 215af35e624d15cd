"""The modes along a file: what each stretch of it must become, and the same through an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Self

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.jobs.ciphers import reference
from pymodel.jobs.crypt_spec import CryptSpec
from pymodel.modes.cbc import Cbc
from pymodel.modes.ecb import Ecb
from pymodel.modes.sectors import data_unit
from pymodel.modes.xts import DataUnit, Xts

CHUNK_BYTES = 64 * 1024
"""What goes through the engine between two writes; an XTS data unit may be larger or smaller."""


class FileCipher(ABC):
    """A mode along a file. ``group_bytes``: what is read and predicted at a time."""

    group_bytes = CHUNK_BYTES

    def __init__(self, engine: BlockEngine, spec: CryptSpec) -> None:
        self._spec = spec
        self._key = bytes.fromhex(spec.key)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @abstractmethod
    def expected(self, position: int, group: bytes) -> bytes:
        """What the file's bytes from ``position`` on must become; asked for group by group, in order."""

    @abstractmethod
    async def crypt(self, position: int, buffer: Buffers) -> None:
        """The same through the engine, in place, piece by piece of a group, in order."""


class _EcbFile(FileCipher):
    def __init__(self, engine: BlockEngine, spec: CryptSpec) -> None:
        super().__init__(engine, spec)
        self._mode = self._open.enter_context(Ecb(engine, self._key))

    def expected(self, position: int, group: bytes) -> bytes:
        return reference("ecb", self._key, b"", group, encrypt=self._spec.encrypt)

    async def crypt(self, position: int, buffer: Buffers) -> None:
        await (self._mode.encrypt if self._spec.encrypt else self._mode.decrypt)(buffer, buffer)


class _CbcFile(FileCipher):
    """The engine's chain and the reference's are two."""

    def __init__(self, engine: BlockEngine, spec: CryptSpec) -> None:
        super().__init__(engine, spec)
        self._mode = self._open.enter_context(Cbc(engine, self._key))
        self._chain = self._reference_chain = bytes.fromhex(spec.iv)

    def expected(self, position: int, group: bytes) -> bytes:
        result = reference("cbc", self._key, self._reference_chain, group, encrypt=self._spec.encrypt)
        self._reference_chain = (result if self._spec.encrypt else group)[-BLOCK_BYTES:]
        return result

    async def crypt(self, position: int, buffer: Buffers) -> None:
        call = self._mode.encrypt if self._spec.encrypt else self._mode.decrypt
        self._chain = await call(self._chain, buffer, buffer)


class _XtsFile(FileCipher):
    """A group is one data unit, or as many small ones as fit into a chunk, which are a batch."""

    def __init__(self, engine: BlockEngine, spec: CryptSpec) -> None:
        super().__init__(engine, spec)
        self._mode = self._open.enter_context(Xts(engine, self._key, strategy="batch"))
        self._unit: DataUnit
        self._unit_open = self._open.enter_context(ExitStack())
        self.group_bytes = max(CHUNK_BYTES // spec.data_unit, 1) * spec.data_unit

    def _tweak(self, position: int) -> bytes:
        return data_unit(self._spec.first + position // self._spec.data_unit)

    def expected(self, position: int, group: bytes) -> bytes:
        size = self._spec.data_unit
        return b"".join(reference("xts", self._key, self._tweak(position + start), group[start:start + size],
                                  encrypt=self._spec.encrypt) for start in range(0, len(group), size))

    async def crypt(self, position: int, buffer: Buffers) -> None:
        size = self._spec.data_unit
        if size <= CHUNK_BYTES:
            tweaks = [self._tweak(position + start) for start in range(0, len(buffer), size)]
            units = self._mode.encrypt_units if self._spec.encrypt else self._mode.decrypt_units
            await units(tweaks, size, buffer, buffer)
            return
        left = min(size - position % size, self._spec.length - position)
        if not position % size:
            self._unit = self._unit_open.enter_context(
                self._mode.data_unit(self._tweak(position), decrypt=not self._spec.encrypt))
        if len(buffer) < left:
            await self._unit.part(buffer, buffer)
        else:
            await self._unit.last(buffer, buffer)
            self._unit_open.close()


FILE_CIPHERS: Mapping[str, type[FileCipher]] = {"ecb": _EcbFile, "cbc": _CbcFile, "xts": _XtsFile}
