"""What all modes share: keys that live as long as a request uses them, scratch memory, and failure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from typing import Self, TypeVar

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers
from pymodel.costs import HostWork
from pymodel.errors import EngineFault, EngineHang, EngineLost, InvalidRequest, Unsupported
from pymodel.memory import HostAccessError

T = TypeVar("T")


class KeySet:
    """The engine keys of one mode key. They are released when all their owners have retired them and no
    request uses them."""

    def __init__(self, engine: BlockEngine, parts: tuple[bytes, ...]) -> None:
        self._engine = engine
        self._users = 0
        self._owners = 1
        self.keys: list[Key] = []
        try:
            for part in parts:
                self.keys.append(engine.key(part))
        except Exception:
            self._release()
            raise

    def share(self) -> None:
        """One more owner, who is to retire the keys as well."""
        self._owners += 1

    def retire(self) -> None:
        """No new request of this owner will use the keys."""
        self._owners -= 1
        self._release_when_unused()

    def _release_when_unused(self) -> None:
        if not self._users and not self._owners:
            self._release()

    def _release(self) -> None:
        for key in self.keys:
            self._engine.release(key)

    @contextmanager
    def in_use(self) -> Iterator[list[Key]]:
        self._users += 1
        try:
            yield self.keys
        finally:
            self._users -= 1
            self._release_when_unused()


class KeyedMode:
    """Base of the modes: an engine and the key in force."""

    def __init__(self, engine: BlockEngine, key: bytes) -> None:
        self.engine = engine
        self._key_set: KeySet | None = self._make_keys(bytes(key))

    def _make_keys(self, key: bytes) -> KeySet:
        return KeySet(self.engine, self._key_parts(key))

    def _key_parts(self, key: bytes) -> tuple[bytes, ...]:
        """The engine keys in a mode key. Raises InvalidRequest."""
        return (key,)

    def set_key(self, key: bytes) -> None:
        """Use ``key`` from the next request on; requests in flight end with the key they began with.

        Raises InvalidRequest for a size that the cipher does not have; the old key stays in force.
        """
        current = self._current()
        self._key_set = self._make_keys(bytes(key))
        current.retire()

    def copy(self) -> Self:
        """Another object with the same key, which either may change or close without the other."""
        self._current().share()
        return copy(self)

    def close(self) -> None:
        """Release the key. Closing twice is allowed; any other use raises InvalidRequest."""
        if self._key_set is not None:
            self._key_set.retire()
            self._key_set = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _current(self) -> KeySet:
        if self._key_set is None:
            raise InvalidRequest(f"this {type(self).__name__} has been closed")
        return self._key_set

    def _check_iv(self, iv: bytes, name: str) -> bytes:
        if len(iv) != self.engine.block_size:
            raise InvalidRequest(f"{name} of {len(iv)} bytes, needs {self.engine.block_size}")
        return bytes(iv)

    def _check_whole_blocks(self, length: int) -> None:
        if length % self.engine.block_size:
            raise InvalidRequest(f"{length} bytes are not a multiple of {self.engine.block_size}")

    @contextmanager
    def _scratch(self, length: int) -> Iterator[Buffers]:
        with scratch(self.engine, length) as buffer:
            yield buffer

    async def _on_bytes(self, data: bytes,
                        request: Callable[[Buffers], Awaitable[T]]) -> tuple[bytes, T]:
        """``on_bytes`` of this mode's engine."""
        return await on_bytes(self.engine, data, request)


async def on_bytes(engine: BlockEngine, data: bytes,
                   request: Callable[[Buffers], Awaitable[T]]) -> tuple[bytes, T]:
    """Put ``data`` into the engine's memory, run an in-place request on it and take it out again."""
    with scratch(engine, len(data)) as buffer:
        buffer.scatter(engine.memory, data)
        result = await request(buffer)
        return buffer.read(engine.memory), result


async def spend_allocation(engine: BlockEngine, length: int) -> None:
    """What ``length`` bytes of scratch memory cost the host. A block is there without an allocation."""
    if length > engine.block_size:
        await engine.host.spend(HostWork.ALLOCATION)


@contextmanager
def scratch(engine: BlockEngine, length: int) -> Iterator[Buffers]:
    """``length`` bytes of the engine's memory, wiped before they are given back: they have held tweaks, a
    key stream or what a block was on its way. Raises OutOfMemory."""
    with allocated(engine, length) as buffer:
        try:
            yield buffer
        finally:
            with suppress(HostAccessError):  # abandoned in the midst of a request: the engine still has it
                buffer.scatter(engine.memory, bytes(length))


@contextmanager
def allocated(engine: BlockEngine, length: int) -> Iterator[Buffers]:
    """``length`` bytes of the engine's memory, aligned for it, which an engine that is lost keeps. Raises
    OutOfMemory."""
    address = engine.memory.allocate(length, engine.limits.alignment)
    try:
        yield Buffers.of(address, length)
    except EngineLost:
        raise
    except BaseException:
        engine.memory.free(address)
        raise
    engine.memory.free(address)


@contextmanager
def stating_consequence(src: Buffers, dst: Buffers) -> Iterator[None]:
    """A failure of one engine call becomes the failure of the whole request.

    A mode touches the destination more than once, so nothing counts as completed, the request
    cannot be restarted, and the message says what has become of the data.
    """
    consequence = ("the request was in place: its data is undefined" if src.same_bytes(dst)
                   else "the source is intact, the destination undefined")
    try:
        yield
    except (HostAccessError, Unsupported) as error:
        error.consequence = consequence
        raise
    except (EngineFault, EngineHang) as error:
        failure: EngineFault | EngineHang
        if isinstance(error, EngineFault):
            failure = EngineFault(error.kind, error.address, 0, access=error.access, restartable=False)
        else:
            failure = type(error)(error.request, error.state, error.cycles)
        failure.consequence = consequence
        raise failure from error
