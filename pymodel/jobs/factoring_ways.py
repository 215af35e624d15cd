"""The two ways of the job ``factoring`` to do a CBC request, on data that arrives in one of three formats."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.jobs import specialised
from pymodel.modes import Cbc

FORMATS = ("RAW", "UIO", "MBLK")

Data = Piece | tuple[Piece, ...] | Mblk
"""As it arrives: RAW, UIO (iovecs), or MBLK."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of request. ``ctx_template``: the key has been made beforehand."""

    direction: str
    format: str
    ctx_template: bool
    in_place: bool
    cipher: str

    def __str__(self) -> str:
        words = (f"{self.direction} {self.format}", "in place" * self.in_place,
                 "ctx template" * self.ctx_template)
        return f"{self.cipher} {', '.join(filter(None, words))}"


@dataclass(frozen=True, slots=True)
class Request:
    key: bytes
    iv: bytes
    source: Data
    destination: Data


class Way(Protocol):
    """What is not part of a request is done before (``prepare``) and after all of them (``release``)."""

    def prepare(self, key: bytes) -> None:
        """``key``: of all requests, when the row has a ctx_template."""

    async def run(self, request: Request) -> None: ...

    def release(self) -> None: ...


def arriving(data: Buffers, format_: str) -> Data:
    """The same bytes in a format. Raises ValueError for RAW data in several pieces."""
    if format_ == "MBLK":
        return data.as_mblk()
    if format_ == "UIO":
        return data.pieces
    [piece] = data.pieces
    return piece


class WayOfModes:
    """``Cbc``, whatever the cipher and the format: what arrives becomes Buffers first."""

    def __init__(self, engine: BlockEngine, row: Row) -> None:
        self._engine = engine
        self._encrypt = row.direction == "encrypt"
        self._template = row.ctx_template
        self._cbc: Cbc | None = None

    def prepare(self, key: bytes) -> None:
        if self._template:
            self._cbc = Cbc(self._engine, key)

    def release(self) -> None:
        if self._cbc is not None:
            self._cbc.close()

    async def run(self, request: Request) -> None:
        src, dst = _buffers(request.source), _buffers(request.destination)
        cbc = Cbc(self._engine, request.key) if self._cbc is None else self._cbc
        await (cbc.encrypt if self._encrypt else cbc.decrypt)(request.iv, src, dst)
        if self._cbc is None:
            cbc.close()


def _buffers(data: Data) -> Buffers:
    if isinstance(data, Piece):
        return Buffers.raw(data.address, data.length)
    return Buffers.mblk(data) if isinstance(data, Mblk) else Buffers.uio(data)


class WayByHand:
    """The function that has been written for the direction and the format. Its scratch memory is there
    beforehand, as a cipher's own context would have it."""

    def __init__(self, engine: BlockEngine, row: Row) -> None:
        self._engine = engine
        self._row = row
        self._key: Key | None = None
        self._block = engine.memory.allocate(engine.block_size, engine.limits.alignment)

    def prepare(self, key: bytes) -> None:
        if self._row.ctx_template:
            self._key = self._engine.key(key)

    def release(self) -> None:
        self._engine.memory.free(self._block)
        if self._key is not None:
            self._engine.release(self._key)

    async def run(self, request: Request) -> None:
        key = self._engine.key(request.key) if self._key is None else self._key
        if self._row.direction == "encrypt":
            await _ENCRYPT[self._row.format](self._engine, key, request.iv, request.source,
                                             request.destination, self._block)
        else:
            await _DECRYPT[self._row.format](self._engine, key, request.iv, request.source,
                                             request.destination)
        if self._key is None:
            self._engine.release(key)


_ENCRYPT: Mapping[str, Callable[..., Awaitable[None]]] = {
    "RAW": specialised.encrypt_raw, "UIO": specialised.encrypt_uio, "MBLK": specialised.encrypt_mblk}
_DECRYPT: Mapping[str, Callable[..., Awaitable[None]]] = {
    "RAW": specialised.decrypt_raw, "UIO": specialised.decrypt_uio, "MBLK": specialised.decrypt_mblk}
