"""Keys of the PadLock driver: control words and key material, as they lie in HostMemory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.drivers.policies import Material, word_address
from pymodel.engines.aes_key import AesKey
from pymodel.engines.padlock import CONTROL_WORD_BYTES, SCHEDULE_READ_BYTES, ControlWord
from pymodel.engines.quirks import Quirk
from pymodel.memory import HostMemory


@dataclass(frozen=True, slots=True)
class Placed:
    """One direction of a key: what the engine has to hold, and where it can read it."""

    material: Material
    context: int
    """Address of the key's context."""
    control_word: int
    """Address of the control word in it."""
    key: int
    """Address of the raw key or schedule."""


@dataclass(frozen=True, slots=True)
class KeyPlacement:
    """How keys are laid out: the quirks worked round, and where key memory comes from.

    ``allocate`` takes a number of bytes and returns an address; memory from it is never freed
    here. Without it the memory's own allocator is used. ``host_expands``: 128-bit keys are handed over
    as schedules too, as the drivers of FreeBSD and NetBSD do.
    """

    memory: HostMemory
    handles: Quirk
    allocate: Callable[[int], int] | None = None
    host_expands: bool = False


class PadlockKey(AesKey):
    """An AES key with its memory.

    A ``context`` of two control words exists from the beginning; each direction is written to memory when
    it is first needed. Raises OutOfMemory.
    """

    def __init__(self, data: bytes, placement: KeyPlacement) -> None:
        super().__init__(data)
        self.released = False
        self.placement = placement
        self._users = 0
        self._placed: dict[bool, Placed] = {}
        self._raw: int | None = None
        self.context = placement.memory.allocate(2 * CONTROL_WORD_BYTES)
        self._allocated = [self.context]

    @property
    def engine_expands(self) -> bool:
        """Whether the engine is given the raw key: it can expand 128-bit keys only."""
        if self.placement.host_expands:
            return False
        return len(self.data) == 16 or Quirk.KEYGEN_128_ONLY not in self.placement.handles

    def material(self, *, decrypt: bool) -> Material:
        word = ControlWord(rounds=self.rounds, keygen=not self.engine_expands, decrypt=decrypt,
                           ksize=len(self.data) // 8 - 2)
        return Material(self.data if self.engine_expands else self.schedule(decrypt=decrypt), word.encode())

    def placed(self, *, decrypt: bool) -> Placed:
        """Where this direction lies in memory. Raises OutOfMemory."""
        if decrypt not in self._placed:
            material = self.material(decrypt=decrypt)
            word = word_address(self.context, decrypt=decrypt)
            self.placement.memory.write(word, material.control_word.to_bytes(CONTROL_WORD_BYTES, "little"))
            self._placed[decrypt] = Placed(material, self.context, word, self._place(material))
        return self._placed[decrypt]

    def _place(self, material: Material) -> int:
        if self.engine_expands:
            if self._raw is None:
                self._raw = self._write(material.key, -(-len(self.data) // BLOCK_BYTES) * BLOCK_BYTES)
            return self._raw
        overread = Quirk.SCHEDULE_OVERREAD in self.placement.handles
        return self._write(material.key, SCHEDULE_READ_BYTES if overread else len(material.key))

    def _write(self, data: bytes, room: int) -> int:
        if self.placement.allocate is not None:
            address = self.placement.allocate(room)
        else:
            address = self.placement.memory.allocate(room)
            self._allocated.append(address)
        self.placement.memory.write(address, data)
        return address

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the memory until the end of a request, also when the key is released meanwhile."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._free_when_unused()

    def release(self) -> None:
        """The key is not used for further requests; its memory is freed once no request uses it."""
        self.released = True
        self._free_when_unused()

    def _free_when_unused(self) -> None:
        if self.released and not self._users:
            for address in self._allocated:
                self.placement.memory.free(address)
            self._allocated.clear()
            self._placed.clear()
