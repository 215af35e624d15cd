"""RUN: how the data and the dump of a QCE request are read, ciphered and written, edge by edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import NEVER, Piece, ReadFault, ReadStream, WriteStream
from pymodel.engines.flow import Flow
from pymodel.engines.qce_course import (
    FAULT_KINDS,
    READ_ERROR,
    SUCCESS,
    WRITE_ERROR,
    Course,
    Fault,
    Steps,
    Straps,
)
from pymodel.engines.qce_registers import FaultAccess
from pymodel.engines.target import Target, Undisturbed, fault_in
from pymodel.memory import PAGE_BYTES

IndexedPiece = tuple[int, Piece]
"""Index of a descriptor, and what is used of it."""


@dataclass(frozen=True, slots=True)
class RunShape:
    """All that the edges of RUN depend on, but for the straps and errors of the memory."""

    begun: int
    """The edge at which RUN is entered."""
    first_entry: int
    """The edge from which on the key is ready."""
    rounds: int
    blocks: int
    source: tuple[IndexedPiece, ...]
    destination: tuple[IndexedPiece, ...]

    def within_pages(self) -> RunShape:
        """Only the place within a page matters: that is where bursts are cut."""
        return replace(self, source=_within_pages(self.source), destination=_within_pages(self.destination))


def _within_pages(pieces: tuple[IndexedPiece, ...]) -> tuple[IndexedPiece, ...]:
    return tuple((index, (address % PAGE_BYTES, beats)) for index, (address, beats) in pieces)


def run_course(shape: RunShape, straps: Straps, target: Target) -> Course:
    """``_run``, remembered for requests of the same shape that memory answers without an error."""
    source, destination = _plain(shape.source), _plain(shape.destination)
    if target.undisturbed(source, destination):
        return replace(_remembered(shape.within_pages(), straps), source=source, destination=destination)
    return _run(shape, straps, target)


@lru_cache(maxsize=1024)
def _remembered(shape: RunShape, straps: Straps) -> Course:
    return _run(shape, straps, Undisturbed())


def _plain(pieces: Sequence[IndexedPiece]) -> tuple[Piece, ...]:
    return tuple(piece for _, piece in pieces)


def _skips(pieces: Sequence[IndexedPiece]) -> list[int]:
    """Descriptors passed over in front of each piece."""
    indices = [-1, *(index for index, _ in pieces)]
    return [index - before - 1 for before, index in pairwise(indices)]


def _run(shape: RunShape, straps: Straps, target: Target) -> Course:
    """RUN: read, cipher and write. ``states`` is for the caller to fill in."""
    source, destination = _plain(shape.source), _plain(shape.destination)
    skips, write_skips = _skips(shape.source), _skips(shape.destination)
    fault = fault_in(target, source)
    first_write = shape.begun + 1 + (write_skips[0] if write_skips else 0)
    reads = ReadStream(shape.begun + 1 + (skips[0] if skips else 0), source, 1, straps.read_latency, fault,
                       skips)
    writes = WriteStream(first_write, destination, straps.write_latency, target.write_error, write_skips)
    flow = Flow(reads, writes, max(shape.first_entry, first_write + 1), shape.rounds, straps.stages)
    flow.run(shape.blocks, NEVER)
    starved = reads.failed_at != NEVER and len(flow.entered) == len(reads.commits)
    if starved:
        writes.flush(flow.ended, reads.failed_at + 1)
    elif len(flow.ended) == shape.blocks:
        _dump(sum(beats for _, beats in destination), first_write, flow, writes)

    cycles, status, found = _end(shape, fault if starved else None, first_write, flow, reads, writes)
    return Course(
        (), cycles, status, found, source=source, destination=destination, blocks=shape.blocks,
        source_current=_taken(shape, shape.source, reads.accepted(writes.failed_at), cycles),
        destination_current=_taken(shape, shape.destination, writes.accepted, cycles),
        read_commands=tuple(reads.requesting(writes.failed_at)), reads=tuple(reads.bursts),
        entered=tuple(flow.entered), ended=tuple(flow.ended), writes=tuple(writes.bursts))


def _dump(beats: int, first_write: int, flow: Flow, writes: WriteStream) -> None:
    """The beats of the dump follow the last block into the writer's FIFO, one an edge while there is room."""
    while len(flow.ended) < beats:
        at = flow.room(len(flow.ended), max(flow.ended[-1] if flow.ended else 0, first_write) + 1)
        if at > writes.failed_at:
            return
        flow.ended.append(at)
        writes.advance(flow.ended)


def _end(shape: RunShape, fault: ReadFault | None, first_write: int, flow: Flow, reads: ReadStream,
         writes: WriteStream) -> tuple[int, int, Fault | None]:
    """The edge at which it is over, the status bits set then, and the fault."""
    left_core = flow.ended[len(flow.entered) - 1] + 1 if flow.entered else 0
    read_idle = reads.idle(writes.failed_at)
    error = writes.bursts[-1].error if writes.bursts else None
    if error is not None:
        return (max(read_idle, left_core, writes.failed_at + 1), WRITE_ERROR,
                Fault(FAULT_KINDS[error], FaultAccess.DESTINATION, writes.failed_address))
    answered = writes.bursts[-1].answered + 1 if writes.bursts else 0
    if fault is not None:
        taken = flow.entered[-1] + 1 if flow.entered else 0
        address = _address(_plain(shape.source), fault.beat)
        return (max(read_idle, left_core, taken, answered, first_write + 1), READ_ERROR,
                Fault(FAULT_KINDS[fault.error], FaultAccess.SOURCE, address))
    return max(answered, shape.begun + 1), SUCCESS, None


def _address(pieces: Sequence[Piece], beat: int) -> int:
    """Of a beat of a stream."""
    for address, beats in pieces:
        if beat < beats:
            return (address + beat * BLOCK_BYTES) & 0xFFFFFFFF
        beat -= beats
    raise IndexError("beyond the last piece")


def _taken(shape: RunShape, pieces: Sequence[IndexedPiece], accepted: Sequence[int], cycles: int) -> Steps:
    """CURRENT in RUN: of the command accepted last. At the end itself none is."""
    taken = [(at, index) for at, (index, _) in zip(accepted, pieces, strict=False) if at < cycles]
    return ((shape.begun, 0), *taken)
