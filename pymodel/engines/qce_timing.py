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
from dataclasses import replace

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import NEVER
from pymodel.engines.flow import CORE_EXPANSION
from pymodel.engines.qce import DUMP_BYTES, UNIT_BYTES, Descriptor
from pymodel.engines.qce_course import SOFTWARE_ERROR, SUCCESS, Course, Fault, Request, Steps, Straps
from pymodel.engines.qce_lists import Walk, first_beats, walk
from pymodel.engines.qce_registers import CryptoState, FaultAccess, FaultKind
from pymodel.engines.qce_run import IndexedPiece, RunShape, run_course
from pymodel.engines.quirks import Quirk
from pymodel.engines.target import Target

DUMP_BEATS = DUMP_BYTES // BLOCK_BYTES


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
    looked_at = Course(before, source_current=_looked_at(source, request.source, begun),
                       destination_current=_looked_at(destination, request.destination, begun))
    stopped = _stopped(looked_at, source, destination, decided)
    if stopped is not None:
        return stopped
    unlocked_at = decided if source.unlock or destination.unlock else NEVER
    hang, done = _hang(request.size, straps.quirks)
    if hang is not CryptoState.IDLE:
        beats = 0
    key_ready = request.key_taken + request.rounds + CORE_EXPANSION
    shape = RunShape(decided, key_ready, request.rounds, done,
                   first_beats(source.pieces, done), _cut(destination, done, beats, blocks, follows))
    ran = run_course(shape, straps, target)
    course = replace(ran, states=(*before, (decided, CryptoState.RUN)), unlocked_at=unlocked_at,
                     source_current=looked_at.source_current + ran.source_current,
                     destination_current=looked_at.destination_current + ran.destination_current)
    if ran.status == SUCCESS and hang is not CryptoState.IDLE:
        return replace(course, states=(*course.states, (ran.cycles, hang)), cycles=NEVER, status=0)
    return replace(course, states=(*course.states, (ran.cycles, CryptoState.IDLE)))


def _looked_at(walked: Walk, descriptors: Sequence[Descriptor], begun: int) -> Steps:
    """CURRENT in LISTS: of the descriptor looked at last, or the length of a list that is too short."""
    steps = [(begun + 1 + index, index) for index in range(walked.used)]
    if walked.missing:
        steps[-1] = (steps[-1][0], len(descriptors))
    return tuple(steps)


def _stopped(looked_at: Course, source: Walk, destination: Walk, decided: int) -> Course | None:
    """A fault of a list, or lists that are too short: the course that ends there."""
    for found, access in ((source, FaultAccess.SOURCE), (destination, FaultAccess.DESTINATION)):
        if found.odd is not None:
            return replace(looked_at, states=(*looked_at.states, (decided, CryptoState.IDLE)), cycles=decided,
                           status=SOFTWARE_ERROR, fault=Fault(FaultKind.ALIGNMENT, access, found.odd),
                           source_current=_left(looked_at.source_current, source, decided),
                           destination_current=_left(looked_at.destination_current, destination, decided))
    if not (source.missing or destination.missing):
        return None
    state = CryptoState.WAIT_SOURCE if source.missing else CryptoState.WAIT_DESTINATION
    return replace(looked_at, states=(*looked_at.states, (decided, state)))


def _left(steps: Steps, walked: Walk, decided: int) -> Steps:
    """CURRENT after an end in LISTS: of the descriptor looked at last."""
    return (*steps, (decided, max(walked.used - 1, 0)))


def _hang(size: int, quirks: Quirk) -> tuple[CryptoState, int]:
    """The state in which the engine waits for what never comes (IDLE: it does not), and the blocks before."""
    if Quirk.LENGTH_512_HANG in quirks and size > UNIT_BYTES and size % UNIT_BYTES:
        return CryptoState.WAIT_UNIT, size // UNIT_BYTES * UNIT_BYTES // BLOCK_BYTES
    if size % BLOCK_BYTES:
        return CryptoState.WAIT_BLOCK, size // BLOCK_BYTES
    return CryptoState.IDLE, size // BLOCK_BYTES


def _cut(destination: Walk, done: int, beats: int, blocks: int, follows: bool) -> tuple[IndexedPiece, ...]:
    """What is used of the destination: for ``done`` blocks, and ``beats`` of the dump."""
    if follows or not beats:
        return first_beats(destination.pieces, done + beats)
    return destination.pieces
