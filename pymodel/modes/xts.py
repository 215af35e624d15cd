"""XTS with ciphertext stealing (IEEE 1619-2018 5.3 and 5.4) on top of an ECB engine.

Strategies, which give the same bytes:

``per-block``  one engine call per block, as disk encryption did at first.
``two-pass``   XOR every block with its tweak, source to destination; one engine call over all of
               them, in the destination; XOR again with the tweaks computed a second time. Needs
               no memory that grows with the request.
``cached``     the same, with the tweaks kept in a buffer for the second XOR: an allocation per
               request, of a page at most, so an engine call has at most 4096 bytes.
``batch``      the tweaks of all data units of a call in one engine call, all their data in another
               one, and the stolen blocks, where there are any, in a third.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pymodel.block_engine import BlockEngine
from pymodel.buffers import Buffers, check_placements
from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.modes.data_unit import DataUnit, check_unit_length
from pymodel.modes.keyed import KeyedMode, KeySet
from pymodel.modes.messages import Message, cut, stating_consequence_of_all
from pymodel.modes.streams import XtsStream
from pymodel.modes.tweaks import TWEAK_BYTES
from pymodel.modes.xts_batch import crypt_batch, encrypted_tweaks
from pymodel.modes.xts_part import STRATEGIES, Strategy

__all__ = ["STRATEGIES", "DataUnit", "Strategy", "Xts"]


class Xts(KeyedMode):
    """``key`` is the data key followed by the tweak key: 32, 48 or 64 bytes for AES.

    ``strict`` refuses a key whose halves are equal, as FIPS 140 does. Raises InvalidRequest for a
    key, an engine (its block is not 16 bytes) or a strategy that cannot be.
    """

    def __init__(self, engine: BlockEngine, key: bytes, *, strategy: Strategy = "two-pass",
                 strict: bool = False) -> None:
        if engine.block_size != TWEAK_BYTES:
            raise InvalidRequest(f"XTS needs a block of {TWEAK_BYTES} bytes, engine {engine.name} has "
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

    # -- one data unit ------------------------------------------------------------------------------

    async def encrypt(self, tweak: bytes, src: Buffers, dst: Buffers) -> None:
        """Encrypt one data unit of 16 bytes or more under a 16-byte tweak (see ``sectors``).

        Raises: InvalidRequest (tweak size, length, placement), before anything is written;
        EngineFault, EngineHang, Unsupported.
        """
        await self._crypt([Message(tweak, src, dst)], decrypt=False)

    async def decrypt(self, tweak: bytes, src: Buffers, dst: Buffers) -> None:
        """The inverse of ``encrypt``, with the same rules."""
        await self._crypt([Message(tweak, src, dst)], decrypt=True)

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
        key_set, tweak = self._current(), self.checked_tweak(tweak)
        with key_set.in_use():
            yield self._data_unit(key_set, tweak, decrypt)

    def encryptor(self, tweak: bytes) -> XtsStream:
        """For a data unit that comes in pieces of any size. Raises InvalidRequest (tweak size)."""
        return self._stream(tweak, decrypt=False)

    def decryptor(self, tweak: bytes) -> XtsStream:
        """The inverse of ``encryptor``."""
        return self._stream(tweak, decrypt=True)

    def checked_tweak(self, tweak: bytes) -> bytes:
        """Raises InvalidRequest for another size than 16 bytes."""
        return self._check_iv(tweak, "a tweak")

    # -- many data units ----------------------------------------------------------------------------

    async def encrypt_units(self, tweaks: Sequence[bytes], unit_bytes: int, src: Buffers,
                            dst: Buffers) -> None:
        """Encrypt data units of ``unit_bytes`` each, one for each tweak; the last may be shorter.

        With ``batch`` two engine calls, one over the tweaks and one over the data, and a third one where
        units end in a part of a block. Else one unit after another.
        Raises: InvalidRequest (number or size of tweaks, length, placement), before anything is written;
        EngineFault, EngineHang, Unsupported; OutOfMemory (16 bytes for each tweak).
        """
        await self._crypt(cut(tweaks, unit_bytes, src, dst), decrypt=False)

    async def decrypt_units(self, tweaks: Sequence[bytes], unit_bytes: int, src: Buffers,
                            dst: Buffers) -> None:
        """The inverse of ``encrypt_units``, with the same rules."""
        await self._crypt(cut(tweaks, unit_bytes, src, dst), decrypt=True)

    async def encrypt_many(self, messages: Sequence[Message]) -> None:
        """Encrypt data units of any lengths at any places; ``iv`` is the tweak. Else as ``encrypt_units``."""
        await self._crypt(messages, decrypt=False)

    async def decrypt_many(self, messages: Sequence[Message]) -> None:
        """The inverse of ``encrypt_many``, with the same rules."""
        await self._crypt(messages, decrypt=True)

    async def _crypt_bytes(self, tweak: bytes, data: bytes, *, decrypt: bool) -> bytes:
        check_unit_length(len(data))
        result, _ = await self._on_bytes(
            data, lambda buffer: self._crypt([Message(tweak, buffer, buffer)], decrypt=decrypt))
        return result

    async def _crypt(self, messages: Sequence[Message], *, decrypt: bool) -> None:
        key_set = self._current()
        for message in messages:
            self.checked_tweak(message.iv)
            check_unit_length(len(message.src))
        check_placements([(message.src, message.dst) for message in messages])
        if messages:
            with key_set.in_use(), stating_consequence_of_all(messages):
                await self.engine.host.spend(HostWork.REQUEST)
                await self._crypt_checked(key_set, messages, decrypt)

    async def _crypt_checked(self, key_set: KeySet, messages: Sequence[Message], decrypt: bool) -> None:
        if self.strategy == "batch":
            data_key, tweak_key = key_set.keys
            firsts = await encrypted_tweaks(self.engine, tweak_key, [bytes(m.iv) for m in messages])
            await crypt_batch(self.engine, data_key, messages, firsts, decrypt=decrypt)
            return
        for message in messages:
            await self._data_unit(key_set, bytes(message.iv), decrypt).crypt(message.src, message.dst)

    def _data_unit(self, key_set: KeySet, tweak: bytes, decrypt: bool) -> DataUnit:
        data_key, tweak_key = key_set.keys
        return DataUnit(self.engine, data_key, tweak_key, tweak, decrypt=decrypt, strategy=self.strategy)

    def _stream(self, tweak: bytes, *, decrypt: bool) -> XtsStream:
        tweak, twin = self.checked_tweak(tweak), self.copy()
        return XtsStream(twin, twin._data_unit(twin._current(), tweak, decrypt))
