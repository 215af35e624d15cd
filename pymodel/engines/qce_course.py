"""The course of a QCE request as data: what it is computed from, and what it tells of every edge."""

from __future__ import annotations

from dataclasses import dataclass

from pymodel.engines.bursts import NEVER, BusError, Piece, ReadBurst, WriteBurst
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_registers import (
    STATUS_AXI_ERR,
    STATUS_DIN_ERR,
    STATUS_DOUT_ERR,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    STATUS_SW_ERR,
    FaultAccess,
    FaultKind,
)
from pymodel.engines.quirks import Quirk

SUCCESS = STATUS_OPERATION_DONE.mask | STATUS_OP_DONE_INTR.mask
SOFTWARE_ERROR = STATUS_SW_ERR.mask | STATUS_ERR_INTR.mask
READ_ERROR = STATUS_AXI_ERR.mask | STATUS_DIN_ERR.mask | STATUS_ERR_INTR.mask
WRITE_ERROR = STATUS_AXI_ERR.mask | STATUS_DOUT_ERR.mask | STATUS_ERR_INTR.mask

FAULT_KINDS = {BusError.PAGE: FaultKind.PAGE, BusError.BUS: FaultKind.BUS}


@dataclass(frozen=True, slots=True)
class Straps:
    """What is sampled at reset, and what is around the engine. Latencies in edges."""

    quirks: Quirk
    slow_start_cycles: int
    read_latency: int
    write_latency: int
    stages: int

    @property
    def started(self) -> int:
        """The edge at which START is left."""
        return 2 + (self.slow_start_cycles if Quirk.SLOW_START in self.quirks else 0)


@dataclass(frozen=True, slots=True)
class Request:
    """What a request is made of. Edges are counted from GO and may be negative."""

    size: int
    """Bytes."""
    dump: bool
    rounds: int
    key_taken: int
    """The edge at which the core takes the key."""
    armed_at: int
    """The edge that armed the second list."""
    source: tuple[Descriptor, ...]
    destination: tuple[Descriptor, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What FAULT and FAULT_ADDRESS tell."""

    kind: FaultKind
    access: FaultAccess
    address: int


Steps = tuple[tuple[int, int], ...]
"""(edge, value): the value that is there after the edge, until the next one."""


def value_before(steps: Steps, edge: int) -> int:
    """What an access at ``edge`` finds; 0 before the first step."""
    found = 0
    for at, value in steps:
        if at >= edge:
            break
        found = value
    return found


@dataclass(frozen=True, slots=True)
class Course:
    """All times are edges after the access that writes GO."""

    states: Steps
    """CRYPTO_STATE."""
    cycles: int = NEVER
    """The edge at which OPERATION_DONE or an error bit is set."""
    status: int = 0
    """Bits that are set then."""
    fault: Fault | None = None
    unlocked_at: int = NEVER
    """An UNLOCK descriptor releases the lock."""
    source: tuple[Piece, ...] = ()
    """Data, as commands of the reader."""
    destination: tuple[Piece, ...] = ()
    """Data and dump, as commands of the writer."""
    blocks: int = 0
    """Of data, to be done."""
    source_current: Steps = ()
    destination_current: Steps = ()
    read_commands: Steps = ()
    """(edge of acceptance, edge after which nothing of it is left to request)."""
    reads: tuple[ReadBurst, ...] = ()
    entered: tuple[int, ...] = ()
    """Blocks go into the core."""
    ended: tuple[int, ...] = ()
    """Blocks and beats of the dump go into the FIFO for writing."""
    writes: tuple[WriteBurst, ...] = ()

    def blocks_done(self, edge: int) -> int:
        """Blocks of data that BYTES_DONE counts, for an access at ``edge``."""
        return min(self.blocks, sum(burst.beats for burst in self.writes
                                    if burst.error is None and burst.answered < edge))

    def beats_written(self, reset_at: int) -> int:
        """Beats of data and dump that reach memory if a soft reset is written at ``reset_at``."""
        return sum(burst.beats for burst in self.writes if burst.error is None and burst.decided <= reset_at)

    def drained(self, reset_at: int) -> int:
        """The edge at which the bus is idle after a soft reset written at edge ``reset_at``.

        Bursts decided up to it run to their end. A command that has more to request is dropped an edge later.
        """
        ends = [reset_at]
        ends += [burst.last for burst in self.reads if burst.decided <= reset_at]
        ends += [burst.answered for burst in self.writes if burst.decided <= reset_at]
        ends += [reset_at + 1 for accepted, over in self.read_commands if accepted <= reset_at < over]
        return max(ends) + 1
