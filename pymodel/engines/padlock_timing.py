"""The course of one PadLock request in clock edges, without stepping through them.

``timeline`` is a pure function: from the operands, the straps, what memory holds for the key and
where it answers with an error, to the edge of every transaction and the final report. Edge 0 is the
acceptance. The stages, each in the words of hdl/padlock/padlock_control.v:

    CHECK   is left at edge 1
    SETUP   is left at setup_cycles + 2
    WORD    one read command; left one edge after its last beat; DECODE takes one edge more
    KEY     one read command; left one edge after its last beat; a schedule goes to the core as it comes
    HAND_OVER  a raw key: one edge for each half
    RUN     read, cipher and write overlap; left when the last of them is seen to be over
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import (
    NEVER,
    BusError,
    ReadBurst,
    ReadFault,
    ReadStream,
    WriteBurst,
    WriteStream,
)
from pymodel.engines.flow import CORE_EXPANSION, Flow
from pymodel.engines.padlock import FETCH_BLOCKS, LATENCIES, SETUP_CYCLES, STAGES, ControlWord
from pymodel.engines.ports import Xcrypt, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.engines.target import Target, Undisturbed
from pymodel.memory import PAGE_BYTES

_READ_STATUS = {BusError.PAGE: XcryptStatus.READ_PAGE_FAULT, BusError.BUS: XcryptStatus.READ_BUS_FAULT}
_WRITE_STATUS = {BusError.PAGE: XcryptStatus.WRITE_PAGE_FAULT, BusError.BUS: XcryptStatus.WRITE_BUS_FAULT}


@dataclass(frozen=True, slots=True)
class Straps:
    """What is sampled at reset, and the latencies of the memory in edges.

    Raises ValueError for what the engine or its memory cannot be set to.
    """

    quirks: Quirk
    fetch_blocks: int
    setup_cycles: int
    read_latency: int
    write_latency: int
    stages: int = 1
    """Blocks in flight in the core, a parameter of the RTL: 1, 2 or 14."""

    def __post_init__(self) -> None:
        for name, allowed in (("fetch_blocks", FETCH_BLOCKS), ("stages", STAGES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} {getattr(self, name)} is not one of {allowed}")
        for name, limits in (("setup_cycles", SETUP_CYCLES), ("read_latency", LATENCIES),
                             ("write_latency", LATENCIES)):
            if getattr(self, name) not in limits:
                raise ValueError(f"{name} {getattr(self, name)} is not from {limits[0]} to {limits[-1]}")

    @property
    def group(self) -> int:
        """Blocks of a fetch group."""
        return self.fetch_blocks if Quirk.FETCH_AHEAD in self.quirks else 1


@dataclass(frozen=True, slots=True)
class Timeline:
    """A request's course. All times are edges after acceptance."""

    status: XcryptStatus
    cycles: int
    """The edge at which done_valid rises."""
    address: int = 0
    """Of a fault."""
    done: int = 0
    """Blocks."""
    load_reads: tuple[ReadBurst, ...] = ()
    unloaded_at: int | None = None
    """A load began: no key is in force until it is complete."""
    loaded_at: int | None = None
    """The core has the key, and all beats of it were read without an error."""
    reads: tuple[ReadBurst, ...] = ()
    entered: tuple[int, ...] = ()
    """Blocks go into the core."""
    ended: tuple[int, ...] = ()
    """Blocks go from the core into the FIFO for writing."""
    writes: tuple[WriteBurst, ...] = ()

    def drained(self, reset_at: int) -> int:
        """The edge at which the engine is idle again after a soft reset sampled at edge ``reset_at``.

        Bursts decided before it run to their end; if there is none, one edge passes.
        """
        ends = [reset_at]
        ends += [burst.last for burst in self.load_reads + self.reads if burst.decided < reset_at]
        ends += [burst.answered for burst in self.writes if burst.decided < reset_at]
        return max(ends) + 1


def course_of(op: Xcrypt, *, load: bool, word: ControlWord, straps: Straps, target: Target) -> Timeline:
    """``timeline``, remembered for requests of the same shape that memory answers without an error."""
    loads: tuple[tuple[int, int], ...] = ()
    known = op.count > 0
    if load:
        known = known and word.acceptable(keygen_128_only=Quirk.KEYGEN_128_ONLY in straps.quirks)
        beats = word.key_beats(schedule_overread=Quirk.SCHEDULE_OVERREAD in straps.quirks) if known else 0
        loads = ((op.cword, 1), (op.key, beats))
    total = -(-op.count // straps.group) * straps.group
    if not known or not target.undisturbed([*loads, (op.src, total)], [(op.dst, op.count)]):
        return timeline(op, load=load, word=word, straps=straps, target=target)
    shape = replace(op, cword=op.cword % PAGE_BYTES, key=op.key % PAGE_BYTES, src=op.src % PAGE_BYTES,
                    dst=op.dst % PAGE_BYTES)
    if any(pointer % BLOCK_BYTES for pointer in (op.cword, op.key, op.src, op.dst)):
        return timeline(op, load=load, word=word, straps=straps, target=target)
    return _remembered(shape, load, word, straps)


@lru_cache(maxsize=1024)
def _remembered(shape: Xcrypt, load: bool, word: ControlWord, straps: Straps) -> Timeline:
    """Only the place within a page matters: that is where bursts are cut."""
    return timeline(shape, load=load, word=word, straps=straps, target=Undisturbed())


def timeline(op: Xcrypt, *, load: bool, word: ControlWord, straps: Straps, target: Target) -> Timeline:
    """``load``: whether the key is loaded. ``word``: the one at op.cword then, else the one in force.

    ``op.interrupt_at`` is the edge at which the interrupt is sampled first (0 = never).
    """
    if op.count == 0:
        return Timeline(XcryptStatus.OK, 1)
    pointers = ((op.cword, op.key) if load else ()) + (op.src, op.dst)
    for pointer in pointers:
        if pointer % BLOCK_BYTES:
            return Timeline(XcryptStatus.ALIGN_FAULT, 1, pointer)
    interrupt = op.interrupt_at or NEVER
    ready = straps.setup_cycles + 2
    if interrupt < ready:
        return Timeline(XcryptStatus.INTERRUPTED, interrupt + 1)
    if not load:
        return _run(op, interrupt, ready, ready, word.rounds, straps, target)
    loading = _load(op, interrupt, ready, word, straps, target)
    if loading.loaded_at is None:
        return loading
    first_entry = loading.loaded_at + (1 if word.keygen else word.rounds + CORE_EXPANSION)
    run = _run(op, interrupt, loading.loaded_at, first_entry, word.rounds, straps, target)
    return replace(run, load_reads=loading.load_reads, unloaded_at=loading.unloaded_at,
                   loaded_at=loading.loaded_at)


def _load(op: Xcrypt, interrupt: int, ready: int, word: ControlWord, straps: Straps,
          target: Target) -> Timeline:
    """Read the control word and the key. Without ``loaded_at`` the request ends here."""
    ended, settled, bursts = _fetch(op.cword, 1, ready + 1, interrupt, straps, target)
    ended = replace(ended, unloaded_at=ready, load_reads=bursts)
    if ended.cycles:
        return ended
    decoded = settled + 1
    if not word.acceptable(keygen_128_only=Quirk.KEYGEN_128_ONLY in straps.quirks):
        return replace(ended, status=XcryptStatus.BAD_CONTROL_WORD, cycles=decoded, address=op.cword)
    if interrupt < decoded:
        return replace(ended, status=XcryptStatus.INTERRUPTED, cycles=decoded)
    beats = word.key_beats(schedule_overread=Quirk.SCHEDULE_OVERREAD in straps.quirks)
    failed, settled, more = _fetch(op.key, beats, decoded + 1, interrupt, straps, target)
    ended = replace(ended, load_reads=bursts + more)
    if failed.cycles:
        return replace(ended, status=failed.status, cycles=failed.cycles, address=failed.address)
    return replace(ended, loaded_at=settled + (0 if word.keygen else beats))


def _fetch(address: int, beats: int, command: int, interrupt: int, straps: Straps,
           target: Target) -> tuple[Timeline, int, tuple[ReadBurst, ...]]:
    """A command whose beats are one group: how it ends the request (cycles 0: not), its end, its bursts."""
    fault = target.read_fault(address, beats)
    stream = ReadStream(command, [(address, beats)], beats, straps.read_latency, fault)
    while stream.request(interrupt):
        pass
    settled = stream.idle(interrupt)
    end = Timeline(XcryptStatus.OK, 0)
    if fault is not None and stream.failed_at != NEVER:
        end = Timeline(_READ_STATUS[fault.error], settled, _beat_address(address, fault))
    elif interrupt < settled:
        end = Timeline(XcryptStatus.INTERRUPTED, settled)
    return end, settled, tuple(stream.bursts)


def _beat_address(start: int, fault: ReadFault) -> int:
    return (start + fault.beat * BLOCK_BYTES) & 0xFFFFFFFF


def _run(op: Xcrypt, interrupt: int, ready: int, first_entry: int, rounds: int, straps: Straps,
         target: Target) -> Timeline:
    """Read, cipher and write. ``ready``: the edge before the one at which the commands are accepted."""
    total = -(-op.count // straps.group) * straps.group
    fault = target.read_fault(op.src, total)
    reads = ReadStream(ready + 1, [(op.src, total)], straps.group, straps.read_latency, fault)
    writes = WriteStream(ready + 1, [(op.dst, op.count)], straps.write_latency, target.write_error)
    flow = Flow(reads, writes, first_entry, rounds, straps.stages)
    flow.run(op.count, interrupt)
    ended = flow.ended
    cut = interrupt + 1
    starved = reads.failed_at != NEVER and len(flow.entered) == len(reads.commits)
    if starved:
        cut = min(cut, reads.failed_at + 1)
    writes.flush(ended, cut)
    halted = min(interrupt, writes.failed_at)
    over = max(reads.idle(halted), writes.finished(cut), ended[-1] + 1 if ended else 0)

    status, address = XcryptStatus.OK, 0
    if writes.failed_at != NEVER and (error := writes.bursts[-1].error) is not None:
        status, address = _WRITE_STATUS[error], writes.failed_address
    elif starved and fault is not None:
        status, address = _READ_STATUS[fault.error], _beat_address(op.src, fault)
    elif writes.done != op.count:
        status = XcryptStatus.INTERRUPTED
    return Timeline(status, over, address, writes.done, reads=tuple(reads.bursts),
                    entered=tuple(flow.entered), ended=tuple(ended), writes=tuple(writes.bursts))
