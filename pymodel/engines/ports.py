"""The PadLock's port as a protocol. Two implementations: the model and the RTL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from pymodel.engines.quirks import Quirk


class XcryptStatus(IntEnum):
    """``done_status`` of the PadLock; hdl/padlock/padlock_status.vh has the same list."""

    OK = 0
    INTERRUPTED = 1
    BAD_CONTROL_WORD = 2
    ALIGN_FAULT = 3
    READ_PAGE_FAULT = 4
    WRITE_PAGE_FAULT = 5
    READ_BUS_FAULT = 6
    WRITE_BUS_FAULT = 7


@dataclass(frozen=True, slots=True)
class Xcrypt:
    """Operands of one ``rep xcryptecb``: four addresses and a count of 16-byte blocks."""

    cword: int
    key: int
    src: int
    dst: int
    count: int
    interrupt_at: int = 0
    """Raise the interrupt line at this rising edge after acceptance (1 = the next one); 0 = never."""


@dataclass(frozen=True, slots=True)
class XcryptResult:
    """What the engine reports: pointers advanced over the blocks done, and how many are left."""

    status: XcryptStatus
    src: int
    dst: int
    count: int
    address: int
    """Of a fault; else 0."""
    cycles: int
    """Rising edges from acceptance to completion."""


class XcryptPort(Protocol):
    """The engine as its driver sees it."""

    quirks: Quirk
    """Straps; a change takes effect at the next reset, as does one of ``fetch_blocks``."""
    fetch_blocks: int

    async def xcrypt(self, op: Xcrypt) -> XcryptResult:
        """Run the instruction to its end. One at a time: callers hold the Cpu."""

    async def load_flags(self) -> None:
        """popf or iret: the engine forgets its key. Takes one cycle."""

    async def key_loaded(self) -> bool:
        """pushf: EFLAGS bit 30."""

    async def interrupt(self) -> None:
        """The request in flight stops at a block boundary. Without one: nothing."""

    async def reset(self) -> None:
        """Soft reset: a request in flight is abandoned (its ``xcrypt`` never returns a result but
        raises EngineReset), outstanding bus transactions drain, the key is forgotten."""

    def state(self) -> dict[str, int | str]:
        """Engine state by name, for the message of a hang."""


class EngineReset(Exception):
    """The request in flight was abandoned because the engine was reset."""
