"""The seam between mode code and engines: what mode code may ask of an engine, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pymodel.buffers import Buffers
    from pymodel.costs import Host
    from pymodel.kernel import Kernel
    from pymodel.memory import HostMemory

BLOCK_BYTES = 16
"""Of AES, in every key size (FIPS-197 3.1)."""


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


@dataclass(slots=True)
class EngineCounters:
    """What an engine's driver has done since it was made."""

    calls: int = 0
    """``ecb`` requests that were not empty."""
    hardware_blocks: int = 0
    """Blocks the hardware reported done."""
    software_blocks: int = 0
    """Blocks computed on the host."""
    engine_cycles: int = 0
    """Cycles the hardware reported, summed over its requests."""
    key_loads: int = 0
    """Times a request found the engine without a key, or was made to."""
    bounced_blocks: int = 0
    """Blocks that went through a bounce buffer."""

    def since(self, earlier: EngineCounters) -> EngineCounters:
        """What has been added since ``earlier``, a ``copy`` of these counters."""
        return EngineCounters(*(getattr(self, f.name) - getattr(earlier, f.name) for f in fields(self)))

    def copy(self) -> EngineCounters:
        return EngineCounters(*(getattr(self, f.name) for f in fields(self)))


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
    counters: EngineCounters
    host: Host
    """What drives it: drivers and modes say there what they do themselves."""

    def key(self, data: bytes) -> Key:
        """Make a key. Raises InvalidRequest for a size the cipher does not have."""

    def release(self, key: Key) -> None:
        """Give back what the engine keeps for this key, its memory included."""

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """Encrypt or decrypt ``len(src)`` bytes, block by block, from ``src`` to ``dst``.

        Source and destination are the same bytes in the same order, or disjoint.
        Raises: InvalidRequest, EngineFault, EngineHang, Unsupported.
        """
