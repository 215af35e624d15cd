"""The course of one QCE request in clock edges, without stepping through them.

``course_of`` is a pure function: from what the registers and the lists say, the straps and where memory
answers with an error, to the edge of every transaction and the end. Edge 0 is the access that writes
GO. The stages, each in the words of hdl/qce:

    CHECK   is left at edge 1
    START   is left at slow_start_cycles + 2, to WAIT_LENGTH (ZERO_LENGTH_HANG), WAIT_LISTS or LISTS
    WAIT_LISTS  is left one edge after the one that arms the second list
    LISTS   looks at one descriptor of each list an edge, and takes one edge to decide
    RUN     the first commands are accepted at its first edge; read, cipher and write overlap
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import (
    NEVER,
    BusError,
    Piece,
    ReadBurst,
    ReadFault,
    ReadStream,
    WriteBurst,
    WriteStream,
)
from pymodel.engines.flow import CORE_EXPANSION, Flow
from pymodel.engines.qce import DUMP_BYTES, UNIT_BYTES, Descriptor
from pymodel.engines.qce_lists import Walk, first_beats, walk
from pymodel.engines.qce_registers import (
    STATUS_AXI_ERR,
    STATUS_DIN_ERR,
    STATUS_DOUT_ERR,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    STATUS_SW_ERR,
    CryptoState,
    FaultAccess,
    FaultKind,
)
from pymodel.engines.quirks import Quirk
from pymodel.engines.target import Target, Undisturbed, fault_in
from pymodel.memory import PAGE_BYTES

DUMP_BEATS = DUMP_BYTES // BLOCK_BYTES

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


def refused() -> Course:
    """The registers ask for something that the engine does not do."""
    return Course(((0, CryptoState.CHECK), (1, CryptoState.IDLE)), 1, SOFTWARE_ERROR)


def without_lists(straps: Straps, state: CryptoState) -> Course:
    """A request that ends up in WAIT_LENGTH or WAIT_LISTS."""
    return Course(((0, CryptoState.CHECK), (1, CryptoState.START), (straps.started, state)))


def course_of(request: Request, straps: Straps, target: Target) -> Course:
    """Of a request whose lists are both armed."""
    begun = max(straps.started, request.armed_at + 1)
    before: tuple[tuple[int, int], ...] = ((0, CryptoState.CHECK), (1, CryptoState.START))
    if begun > straps.started:
        before += ((straps.started, CryptoState.WAIT_LISTS),)
    before += ((begun, CryptoState.LISTS),)
    blocks, beats = -(-request.size // BLOCK_BYTES), DUMP_BEATS if request.dump else 0
    follows = Quirk.DUMP_FOLLOWS_DATA in straps.quirks
    source = walk(request.source, [blocks])
    destination = walk(request.destination, [blocks + beats] if follows else [blocks, beats])
    decided = begun + max(source.used, destination.used) + 1
    looked_at = Course(before, source_current=_looked_at(source, begun),
                       destination_current=_looked_at(destination, begun))
    stopped = _stopped(looked_at, source, destination, request, decided)
    if stopped is not None:
        return stopped
    unlocked_at = decided if source.unlock or destination.unlock else NEVER
    hang, done = _hang(request.size, straps.quirks)
    if hang is not CryptoState.IDLE:
        beats = 0
    shape = _Shape(decided, max(request.key_taken + request.rounds + CORE_EXPANSION, 0), request.rounds, done,
                   first_beats(source.pieces, done), _cut(destination, done, beats, blocks, follows))
    ran = _ran(shape, straps, target)
    course = replace(ran, states=(*before, (decided, CryptoState.RUN)), unlocked_at=unlocked_at,
                     source_current=looked_at.source_current + ran.source_current,
                     destination_current=looked_at.destination_current + ran.destination_current)
    if ran.status == SUCCESS and hang is not CryptoState.IDLE:
        return replace(course, states=(*course.states, (ran.cycles, hang)), cycles=NEVER, status=0)
    return replace(course, states=(*course.states, (ran.cycles, CryptoState.IDLE)))


def _looked_at(walked: Walk, begun: int) -> Steps:
    return tuple((begun + 1 + index, index) for index in range(walked.used))


def _stopped(looked_at: Course, source: Walk, destination: Walk, request: Request,
             decided: int) -> Course | None:
    """A fault of a list, or lists that are too short: the course that ends there."""
    for found, access in ((source, FaultAccess.SOURCE), (destination, FaultAccess.DESTINATION)):
        if found.odd is not None:
            return replace(looked_at, states=(*looked_at.states, (decided, CryptoState.IDLE)), cycles=decided,
                           status=SOFTWARE_ERROR, fault=Fault(FaultKind.ALIGNMENT, access, found.odd))
    if not (source.missing or destination.missing):
        return None
    state = CryptoState.WAIT_SOURCE if source.missing else CryptoState.WAIT_DESTINATION
    ends = [((decided, len(items)),) if found.missing else ()
            for found, items in ((source, request.source), (destination, request.destination))]
    return replace(looked_at, states=(*looked_at.states, (decided, state)),
                   source_current=looked_at.source_current + ends[0],
                   destination_current=looked_at.destination_current + ends[1])


def _hang(size: int, quirks: Quirk) -> tuple[CryptoState, int]:
    """The state in which the engine waits for what never comes (IDLE: it does not), and the blocks before."""
    if Quirk.LENGTH_512_HANG in quirks and size > UNIT_BYTES and size % UNIT_BYTES:
        return CryptoState.WAIT_UNIT, size // UNIT_BYTES * UNIT_BYTES // BLOCK_BYTES
    if size % BLOCK_BYTES:
        return CryptoState.WAIT_BLOCK, size // BLOCK_BYTES
    return CryptoState.IDLE, size // BLOCK_BYTES


IndexedPiece = tuple[int, Piece]
"""Index of a descriptor, and what is used of it."""


def _cut(destination: Walk, done: int, beats: int, blocks: int, follows: bool) -> tuple[IndexedPiece, ...]:
    """What is used of the destination: for ``done`` blocks, and ``beats`` of the dump."""
    if follows or not beats:
        return first_beats(destination.pieces, done + beats)
    return destination.pieces


@dataclass(frozen=True, slots=True)
class _Shape:
    """All that the edges of RUN depend on, but for the straps and errors of the memory."""

    begun: int
    """The edge at which RUN is entered."""
    first_entry: int
    """The edge from which on the key is ready."""
    rounds: int
    blocks: int
    source: tuple[IndexedPiece, ...]
    destination: tuple[IndexedPiece, ...]

    def within_pages(self) -> _Shape:
        """Only the place within a page matters: that is where bursts are cut."""
        return replace(self, source=_within_pages(self.source), destination=_within_pages(self.destination))


def _within_pages(pieces: tuple[IndexedPiece, ...]) -> tuple[IndexedPiece, ...]:
    return tuple((index, (address % PAGE_BYTES, beats)) for index, (address, beats) in pieces)


def _ran(shape: _Shape, straps: Straps, target: Target) -> Course:
    """``_run``, remembered for requests of the same shape that memory answers without an error."""
    source, destination = _plain(shape.source), _plain(shape.destination)
    if target.undisturbed(source, destination):
        return replace(_remembered(shape.within_pages(), straps), source=source, destination=destination)
    return _run(shape, straps, target)


@lru_cache(maxsize=1024)
def _remembered(shape: _Shape, straps: Straps) -> Course:
    return _run(shape, straps, Undisturbed())


def _plain(pieces: Sequence[IndexedPiece]) -> tuple[Piece, ...]:
    return tuple(piece for _, piece in pieces)


def _skips(pieces: Sequence[IndexedPiece]) -> list[int]:
    """Descriptors passed over in front of each piece."""
    indices = [-1, *(index for index, _ in pieces)]
    return [index - before - 1 for before, index in pairwise(indices)]


def _run(shape: _Shape, straps: Straps, target: Target) -> Course:
    """RUN: read, cipher and write. ``states`` is for the caller to fill in."""
    source, destination = _plain(shape.source), _plain(shape.destination)
    skips, write_skips = _skips(shape.source), _skips(shape.destination)
    fault = fault_in(target, source)
    first_write = shape.begun + 1 + (write_skips[0] if write_skips else 0)
    reads = ReadStream(shape.begun + 1 + (skips[0] if skips else 0), source, 1, straps.read_latency, fault,
                       skips[1:])
    writes = WriteStream(first_write, destination, straps.write_latency, target.write_error, write_skips[1:])
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
        source_current=_taken(shape.begun, shape.source, reads.accepted(writes.failed_at)),
        destination_current=_taken(shape.begun, shape.destination, writes.accepted),
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


def _end(shape: _Shape, fault: ReadFault | None, first_write: int, flow: Flow, reads: ReadStream,
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


def _taken(begun: int, pieces: Sequence[IndexedPiece], accepted: Sequence[int]) -> Steps:
    """CURRENT in RUN: of the command accepted last."""
    taken = [(at, index) for at, (index, _) in zip(accepted, pieces, strict=False)]
    return ((begun, 0), *taken)
