"""Messages that come in pieces of any size: ``update`` as often as wanted, then ``finalise``.

Made by ``encryptor`` and ``decryptor`` of a mode, under the key that is in force then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Self

from pymodel.errors import InvalidRequest
from pymodel.modes.data_unit import DataUnit
from pymodel.modes.keyed import KeyedMode, on_bytes
from pymodel.modes.tweaks import TWEAK_BYTES

if TYPE_CHECKING:
    from pymodel.modes.cbc import Cbc
    from pymodel.modes.ctr import Ctr
    from pymodel.modes.ecb import Ecb
    from pymodel.modes.xts import Xts


class Stream(ABC):
    """Base of the streams. ``mode`` is the stream's own, and is closed with it.

    An ``update`` that failed has changed nothing and may be tried again. The stream goes by one call
    after another: a second one while the first is under way raises InvalidRequest.
    """

    def __init__(self, mode: KeyedMode) -> None:
        self._mode = mode
        self._held = b""
        self._finalised = False
        self._busy = False
        self._closed = False

    async def update(self, data: bytes) -> bytes:
        """The next bytes of the message; returns what can be told of the result so far, which may lag behind.

        Raises: InvalidRequest (after ``finalise``, or closed); EngineFault, EngineHang, Unsupported;
        OutOfMemory.
        """
        with self._one_at_a_time():
            waiting = self._held + bytes(data)
            now = self._ready(len(waiting))
            result = await self._crypt(waiting[:now]) if now else b""
            self._held = waiting[now:]
        return result

    async def finalise(self) -> bytes:
        """The rest of the result; nothing but ``restart``, ``copy`` and ``close`` is allowed afterwards.

        Raises: InvalidRequest where the message cannot end here, and then it can go on; else as ``update``.
        """
        with self._one_at_a_time():
            result = await self._finish(self._held)
            self._held, self._finalised = b"", True
        return result

    def copy(self) -> Self:
        """Another stream that goes on from here by itself; to be closed by itself.

        Raises: InvalidRequest (closed, or a call is under way).
        """
        with self._one_at_a_time(finalised_too=True):
            twin = copy(self)
            twin._mode, twin._busy = self._mode.copy(), False
        return twin

    def close(self) -> None:
        """Give the key back, once a call that is under way has ended. Closing twice is allowed; any other use
        raises InvalidRequest."""
        self._closed = True
        if not self._busy:
            self._mode.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _restart(self) -> None:
        """Forget the message, however far it has got."""
        with self._one_at_a_time(finalised_too=True):
            self._held, self._finalised = b"", False

    @contextmanager
    def _one_at_a_time(self, *, finalised_too: bool = False) -> Iterator[None]:
        if self._closed:
            raise InvalidRequest("the stream has been closed")
        if self._finalised and not finalised_too:
            raise InvalidRequest("the stream has been finalised")
        if self._busy:
            raise InvalidRequest("another call of this stream is under way")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            if self._closed:
                self._mode.close()

    def _ready(self, length: int) -> int:
        """How many of ``length`` waiting bytes can be done. Whole blocks, unless a mode says otherwise."""
        return length - length % self._mode.engine.block_size

    @abstractmethod
    async def _crypt(self, data: bytes) -> bytes:
        """The result of bytes that are ready, one or more."""

    async def _finish(self, rest: bytes) -> bytes:
        """The result of what was held back."""
        if rest:
            raise InvalidRequest(f"{len(rest)} bytes are left over, which are no block of "
                                 f"{self._mode.engine.block_size}")
        return b""


class EcbStream(Stream):
    """ECB (SP 800-38A 6.1) of a message of whole blocks."""

    _mode: Ecb

    def __init__(self, mode: Ecb, *, decrypt: bool) -> None:
        super().__init__(mode)
        self._decrypt = decrypt

    def restart(self) -> None:
        """Begin another message. Raises InvalidRequest (closed, or a call is under way)."""
        self._restart()

    async def _crypt(self, data: bytes) -> bytes:
        return await (self._mode.decrypt_bytes if self._decrypt else self._mode.encrypt_bytes)(data)


class CbcStream(Stream):
    """CBC (SP 800-38A 6.2) of a message of whole blocks. ``iv``: the one with which the next request would
    go on, after the blocks whose result is out."""

    _mode: Cbc

    def __init__(self, mode: Cbc, iv: bytes, *, decrypt: bool) -> None:
        super().__init__(mode)
        self.iv = iv
        self._decrypt = decrypt

    def restart(self, iv: bytes) -> None:
        """Begin another message. Raises InvalidRequest (IV size, closed, or a call is under way)."""
        iv = self._mode.checked_iv(iv)
        self._restart()
        self.iv = iv

    async def _crypt(self, data: bytes) -> bytes:
        crypt = self._mode.decrypt_bytes if self._decrypt else self._mode.encrypt_bytes
        result, self.iv = await crypt(self.iv, data)
        return result


class CtrStream(Stream):
    """CTR (SP 800-38A 6.5): every byte comes out at once. ``counter``: that of the block in which the next
    byte lies. A block that an update ended in is encrypted again for the next one."""

    _mode: Ctr

    def __init__(self, mode: Ctr, counter: bytes, used: int = 0) -> None:
        super().__init__(mode)
        self.counter = counter
        self._used = used

    def restart(self, counter: bytes) -> None:
        """Begin another message. Raises InvalidRequest (counter size, closed, or a call is under way)."""
        counter = self._mode.checked_counter(counter)
        self._restart()
        self.counter, self._used = counter, 0

    def _ready(self, length: int) -> int:
        return length

    async def _crypt(self, data: bytes) -> bytes:
        begun = bytes(self._used) + data
        result, _ = await self._mode.crypt_bytes(self.counter, begun)
        blocks, used = divmod(len(begun), len(self.counter))
        self.counter = self._mode.counter_after(self.counter, blocks)
        result, self._used = result[self._used:], used
        return result


class XtsStream(Stream):
    """One XTS data unit (IEEE 1619-2018 5.3): the last block or two come out of ``finalise``."""

    _mode: Xts

    def __init__(self, mode: Xts, unit: DataUnit) -> None:
        super().__init__(mode)
        self._unit = unit

    def copy(self) -> Self:
        twin = super().copy()
        twin._unit = self._unit.copy()
        return twin

    def restart(self, tweak: bytes) -> None:
        """Begin another data unit. Raises InvalidRequest (tweak size, closed, or a call is under way)."""
        unit = self._unit.anew(self._mode.checked_tweak(tweak))
        self._restart()
        self._unit = unit

    def _ready(self, length: int) -> int:
        """At least a block is kept: the data unit may end in a part of one after it."""
        ready = length - TWEAK_BYTES
        return max(0, ready - ready % TWEAK_BYTES)

    async def _crypt(self, data: bytes) -> bytes:
        result, _ = await on_bytes(self._mode.engine, data, lambda buffer: self._unit.part(buffer, buffer))
        return result

    async def _finish(self, rest: bytes) -> bytes:
        result, _ = await on_bytes(self._mode.engine, rest, lambda buffer: self._unit.last(buffer, buffer))
        return result
