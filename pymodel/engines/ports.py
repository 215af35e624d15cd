"""The engines' ports as protocols. Two implementations each: the model and the RTL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from pymodel.engines.quirks import Quirk
from pymodel.kernel import Event


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
    cpu: int
    """Whose engine it is, where several CPUs have one each; may change while no request is in flight."""

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


@dataclass(frozen=True, slots=True)
class RegisterAccess:
    """One access of 32 bits: a write of ``value``, or a read where that is None."""

    address: int
    value: int | None = None


class RegisterPort(Protocol):
    """The QCE as its driver sees it: registers, an interrupt line, and nothing else.

    ``master``: 0 or 1, who accesses (AWPROT[1]). A refused access (SLVERR) raises EngineFault of kind
    ``register`` with the register's address; it has had no effect.
    """

    quirks: Quirk
    """Straps; a change takes effect at the next reset."""
    irq: Event
    """Set while the interrupt line is high."""

    async def read(self, address: int, master: int = 0) -> int:
        """Three cycles."""

    async def write(self, address: int, value: int, master: int = 0) -> None:
        """Three cycles, and as many as the engine keeps it waiting: a doorbell, a soft reset."""

    async def script(self, accesses: Sequence[RegisterAccess], master: int = 0) -> list[int]:
        """Accesses one after the other, two cycles each and one for all; the values of the reads.

        Ends at the first one that is refused, with its EngineFault. Accesses of master 1 go before what
        is left of a script of master 0.
        """

    async def reset(self) -> None:
        """Soft reset by the system, whoever holds the lock: a request in flight is abandoned, outstanding
        bus transactions drain, registers have their reset values, the straps are sampled."""
