"""PadlockModel: the PadLock engine without a simulator, exact to the cycle.

Each request's course is computed when it is accepted (``padlock_timing.course_of``); the model then
sleeps until its end. An interrupt or a reset on the way only computes it anew or cuts it short.
Software acts at falling edges: what is called at kernel time T meets the rising edge T, which comes
right after it, and what happens at edge T is seen at time T + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.engines.bursts import NEVER
from pymodel.engines.moves import move_blocks
from pymodel.engines.padlock import CONTROL_WORD_BYTES, SCHEDULE_READ_BYTES, ControlWord
from pymodel.engines.padlock_timing import Straps, Timeline, course_of
from pymodel.engines.ports import EngineReset, Xcrypt, XcryptResult, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.engines.target import MemoryTarget
from pymodel.kernel import HARDWARE, Event, Kernel
from pymodel.memory import HostMemory

ALL_QUIRKS = Quirk.all()

_ADDRESS_MASK = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class HeldKey:
    """What the core computes with: round keys in order of use, (rounds + 1, 16) uint8, right or wrong."""

    schedule: rijndael.Bytes2d
    decrypt: bool
    word: ControlWord


@dataclass(frozen=True, slots=True)
class KeyState:
    """``key_loaded``: EFLAGS bit 30. ``held``: the key last loaded, whether it is still in force or not."""

    key_loaded: bool = False
    held: HeldKey | None = None


@dataclass(slots=True, eq=False)
class _Flight:
    """A request between acceptance and end. ``offered``: the key at op.key when it was accepted."""

    op: Xcrypt
    accepted_at: int
    load: bool
    word: ControlWord
    offered: HeldKey | None
    ended: Event
    course: Timeline = field(default_factory=lambda: Timeline(XcryptStatus.OK, 0))
    reset_at: int = NEVER
    """Edge after acceptance at which a reset abandoned it."""


def _report(op: Xcrypt, course: Timeline) -> XcryptResult:
    advanced = course.done * BLOCK_BYTES
    return XcryptResult(course.status, (op.src + advanced) & _ADDRESS_MASK,
                        (op.dst + advanced) & _ADDRESS_MASK, op.count - course.done, course.address,
                        course.cycles)


class PadlockModel:
    """An ``XcryptPort``. Straps are sampled here and at each reset; latencies and bus errors at each request.

    ``quirks``: straps. ``fetch_blocks``: 1, 2, 4 or 8. ``setup_cycles``: 0 to 65535. Latencies in
    cycles, 1 to 65535. ``stages``: blocks in flight in the core, 1, 2 or 14. ``read_bus_errors``,
    ``write_bus_errors``: addresses whose beat is answered with a bus error. Raises ValueError, here
    and where they are sampled, for straps and latencies that cannot be.
    """

    def __init__(self, kernel: Kernel, memory: HostMemory, *, quirks: Quirk = ALL_QUIRKS,
                 fetch_blocks: int = 2, setup_cycles: int = 8, read_latency: int = 1,
                 write_latency: int = 1, stages: int = 1) -> None:
        self.kernel = kernel
        self.memory = memory
        self.quirks = quirks
        self.fetch_blocks = fetch_blocks
        self.setup_cycles = setup_cycles
        self.stages = stages
        self.cpu = 0
        self.read_latency = read_latency
        self.write_latency = write_latency
        self.read_bus_errors: set[int] = set()
        self.write_bus_errors: set[int] = set()
        self._straps = self._sampled()
        self._key = KeyState()
        self._clears: list[int] = []
        self._flight: _Flight | None = None
        self.last_course: Timeline | None = None
        """Of the last request that ended, on its own or by a reset."""
        self._idle_at = -1
        self._idle = kernel.event("padlock model to be idle")
        self._idle.set()

    def _sampled(self) -> Straps:
        return Straps(self.quirks, self.fetch_blocks, self.setup_cycles, self.read_latency,
                      self.write_latency, self.stages)

    # -- the key ------------------------------------------------------------------------------------

    @property
    def key_state(self) -> KeyState:
        """What the engine holds now; can be set back to an earlier state while no request is in flight."""
        return replace(self._key, key_loaded=self._key_loaded_before(self.kernel.now()))

    @key_state.setter
    def key_state(self, state: KeyState) -> None:
        self._key = state
        self._clears.clear()

    def forget_key(self) -> None:
        """What popf, iret and a reset do to the key, at once."""
        self._key = replace(self._key, key_loaded=False)

    def _key_loaded_before(self, edge: int) -> bool:
        """key_loaded as the rising edge ``edge`` finds it. Where set and clear meet, clear wins."""
        changes = [(at, False) for at in self._clears]
        flight = self._flight
        if flight is not None:
            course, start = flight.course, flight.accepted_at
            own = [(course.unloaded_at, False), (course.loaded_at, True)]
            if course.status is XcryptStatus.INTERRUPTED and Quirk.IRQ_FORGETS_KEY in self._straps.quirks:
                own.append((course.cycles, False))
            changes += [(start + at, level) for at, level in own if at is not None and at < flight.reset_at]
        loaded = self._key.key_loaded
        for at, level in sorted(changes, key=lambda change: (change[0], not change[1])):
            if at < edge:
                loaded = level
        return loaded

    def _settle_key(self, flight: _Flight) -> None:
        """At the end of a request: what it did to the key is now the past."""
        now = self.kernel.now()
        loaded_at = flight.course.loaded_at
        completed = loaded_at is not None and loaded_at < flight.reset_at
        self._key = KeyState(self._key_loaded_before(now), flight.offered if completed else self._key.held)
        self._clears = [edge for edge in self._clears if edge >= now]

    # -- the port -----------------------------------------------------------------------------------

    async def xcrypt(self, op: Xcrypt) -> XcryptResult:
        """Run the instruction to its end.

        Raises: EngineReset; ValueError for an operand of more than 32 bits; RuntimeError while another
        request is in flight.
        """
        for value in (op.cword, op.key, op.src, op.dst, op.count):
            if not 0 <= value <= _ADDRESS_MASK:
                raise ValueError(f"operand {value:#x} does not fit in 32 bits")
        if self._flight is not None:
            raise RuntimeError("xcrypt while another one is in flight: callers hold the Cpu")
        await self._idle.wait()
        flight = self._flight = self._accept(op)
        self._plan(flight)
        length = op.count * BLOCK_BYTES
        with self.memory.owned((op.src, length), (op.dst, length)):
            await flight.ended.wait()
        if flight.reset_at != NEVER:
            raise EngineReset
        return _report(op, flight.course)

    async def load_flags(self) -> None:
        self._clears.append(self.kernel.now())
        await self.kernel.sleep(1)

    async def key_loaded(self) -> bool:
        return self._key_loaded_before(self.kernel.now())

    async def interrupt(self) -> None:
        flight = self._flight
        if flight is None:
            return
        edge = self.kernel.now() - flight.accepted_at
        planned = flight.op.interrupt_at or NEVER
        if 0 < edge < min(planned, flight.course.cycles, flight.reset_at):
            flight.op = replace(flight.op, interrupt_at=edge)
            self._plan(flight)

    async def reset(self) -> None:
        """Soft reset; returns when the engine is ready again.

        That is two cycles after the call when nothing is outstanding on the bus: the edge that samples
        the reset, and one that finds the bus idle. Bursts requested before the reset run to their end
        first; blocks whose W beats are in them are written.
        """
        now = self.kernel.now()
        self._straps = self._sampled()
        self._idle.clear()
        flight = self._flight
        idle_at = now + 1
        if flight is not None and flight.reset_at == NEVER:
            flight.reset_at = now - flight.accepted_at
            idle_at = flight.accepted_at + flight.course.drained(flight.reset_at)
        self._clears.append(now)
        self._idle_at = max(self._idle_at, idle_at)
        while self.kernel.now() <= self._idle_at:
            await self.kernel.sleep(self._idle_at + 1 - self.kernel.now(), HARDWARE)
        self._idle.set()
        if self._flight is not None and self._flight.reset_at != NEVER:
            self._end(self._flight)

    def state(self) -> dict[str, int | str]:
        """``busy``, ``key_loaded``, and of a request in flight its blocks and the cycles since acceptance."""
        busy = self._flight is not None or not self._idle.is_set()
        state: dict[str, int | str] = {"busy": int(busy), "key_loaded": int(self.key_state.key_loaded)}
        if self._flight is not None:
            state["count"] = self._flight.op.count
            state["cycles"] = self.kernel.now() - self._flight.accepted_at
        return state

    # -- a request ----------------------------------------------------------------------------------

    def _accept(self, op: Xcrypt) -> _Flight:
        """Decide what this request loads, and read it: nobody changes memory under a request in flight."""
        now = self.kernel.now()
        load = not (Quirk.STICKY_KEY in self._straps.quirks and self._key_loaded_before(now))
        self._key = replace(self._key, key_loaded=self._key_loaded_before(now))
        self._clears = [edge for edge in self._clears if edge >= now]
        self._straps = replace(self._straps, read_latency=self.read_latency, write_latency=self.write_latency)
        ended = self.kernel.event(f"end of xcrypt of {op.count} blocks")
        if load or self._key.held is None:
            word = ControlWord.decode(int.from_bytes(self._bytes(op.cword, CONTROL_WORD_BYTES), "little"))
            return _Flight(op, now, load, word, self._offered(op.key, word), ended)
        return _Flight(op, now, load, self._key.held.word, None, ended)

    def _bytes(self, address: int, length: int) -> bytes:
        """What memory holds, whatever the rights; zeros outside."""
        return self.memory.bytes[address:address + length].tobytes().ljust(length, b"\0")

    def _offered(self, address: int, word: ControlWord) -> HeldKey | None:
        """The key that a load with ``word`` would hand over, or None for a word that is not accepted."""
        if not word.acceptable(keygen_128_only=Quirk.KEYGEN_128_ONLY in self._straps.quirks):
            return None
        data = self._bytes(address, SCHEDULE_READ_BYTES)
        if word.keygen:
            used = (word.rounds + 1) * BLOCK_BYTES
            return HeldKey(np.frombuffer(data[:used], np.uint8).reshape(-1, BLOCK_BYTES), word.decrypt, word)
        forward = rijndael.expand(data[:16 + 8 * word.ksize])
        return HeldKey(rijndael.invert(forward) if word.decrypt else forward, word.decrypt, word)

    def _plan(self, flight: _Flight) -> None:
        """Compute the course, anew after an interrupt, and end the request at its end."""
        target = MemoryTarget(self.memory, self.read_bus_errors, self.write_bus_errors)
        flight.course = course_of(flight.op, load=flight.load, word=flight.word, straps=self._straps,
                                  target=target)
        self.kernel.start(self._complete(flight, flight.course), "padlock model")

    async def _complete(self, flight: _Flight, planned: Timeline) -> None:
        due = flight.accepted_at + planned.cycles + 1
        await self.kernel.sleep(due - self.kernel.now(), HARDWARE)
        if flight.course is planned and flight.reset_at == NEVER:
            self._end(flight)

    def _end(self, flight: _Flight) -> None:
        """Leave memory and key as the request left them."""
        self._settle_key(flight)
        self._flight, self.last_course = None, flight.course
        blocks = sum(burst.beats for burst in flight.course.writes
                     if burst.error is None and burst.decided < flight.reset_at)
        held = self._key.held
        if blocks and held is not None:
            self._move(flight.op, flight.course, blocks, held)
        flight.ended.set()

    def _move(self, op: Xcrypt, planned: Timeline, blocks: int, held: HeldKey) -> None:
        """Put the first ``blocks`` results of a request into memory."""
        move_blocks(self.memory, [(op.src, blocks)], [(op.dst, blocks)], blocks, held.schedule, held.decrypt,
                    reads=planned.reads, writes=planned.writes)
