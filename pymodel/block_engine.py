"""The seam between mode code and engines: what mode code may ask of an engine, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pymodel.buffers import Buffers
    from pymodel.kernel import Kernel
    from pymodel.memory import HostMemory


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """What the hardware behind an engine can do by itself; the driver works round the rest."""

    key_bytes: tuple[int, ...]
    """Key sizes in bytes."""
    max_request: int | None = None
    """Largest request in bytes, or None."""
    length_multiple: int = 16
    """Lengths are multiples of this many bytes."""
    alignment: int = 1
    """Pointers are multiples of this many bytes."""


class Key(Protocol):
    """A key as an engine's driver holds it. Compared by identity; ``data`` is the raw key."""

    @property
    def data(self) -> bytes: ...


class BlockEngine(Protocol):
    """An ECB engine. Everything is in bytes; lengths are multiples of ``block_size``."""

    name: str
    block_size: int
    limits: EngineLimits
    memory: HostMemory
    kernel: Kernel

    def key(self, data: bytes) -> Key:
        """Make a key. Raises InvalidRequest for a size the cipher does not have."""

    def release(self, key: Key) -> None:
        """Give back what the engine keeps for this key, its memory included."""

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """Encrypt or decrypt ``len(src)`` bytes, block by block, from ``src`` to ``dst``.

        Source and destination are the same bytes in the same order, or disjoint.
        Raises: InvalidRequest, EngineFault, EngineHang, Unsupported.
        """
