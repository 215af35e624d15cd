"""QceModel: the QCE without a simulator, exact to the cycle.

A request's course is computed when its lists are known (``qce_timing.course_of``); the model then sleeps
until its end, and what an access finds on the way is looked up in the course. Software acts at falling
edges: what is called at kernel time T meets the rising edge T, which comes right after it, and what
happens at edge T is seen at time T + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import NEVER, ReadStream
from pymodel.engines.flow import CORE_EXPANSION
from pymodel.engines.padlock import LATENCIES, STAGES
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import DESCRIPTOR_BYTES, SLOW_START_CYCLES, STALE_STATUS, ResultDump, decode_list
from pymodel.engines.qce_access import (
    DESTINATION_LIST,
    SOURCE_LIST,
    Access,
    ListPort,
    RegisterFile,
    checked,
)
from pymodel.engines.qce_bus import Answer, RegisterBus
from pymodel.engines.qce_course import FAULT_KINDS, SUCCESS, Course, Fault, Request, Straps
from pymodel.engines.qce_flight import Flight, decrypts, schedule_of, used_key_bytes
from pymodel.engines.qce_registers import (
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_KEY_SIZE,
    ENCR_SEG_CFG_MODE,
    GOPROC_GO,
    GOPROC_RESULTS_DUMP,
    SOFT_RESET_RESET,
    STATUS2_LOCKED,
    STATUS_CRYPTO_STATE,
    STATUS_ENCR_BUSY,
    Alg,
    CryptoState,
    KeySize,
    Mode,
    Register,
)
from pymodel.engines.qce_timing import course_of, refused, without_lists
from pymodel.engines.quirks import Quirk
from pymodel.engines.target import MemoryTarget
from pymodel.kernel import HARDWARE, Kernel
from pymodel.memory import HostMemory

ALL_QUIRKS = Quirk.all()

_HIDDEN = frozenset(range(Register.ENCR_KEY0, Register.ENCR_KEY7 + 4, 4))


class QceModel:
    """A ``RegisterPort``. Straps are sampled here and at each reset; latencies and bus errors at each list
    and each request.

    ``quirks``: straps. ``slow_start_cycles``: 0 to 65535. Latencies in cycles, 1 to 65535. ``stages``:
    blocks in flight in the core, 1, 2 or 14. ``read_bus_errors``, ``write_bus_errors``: addresses whose
    beat is answered with a bus error. Raises ValueError, here and where they are sampled, for straps
    and latencies that cannot be.
    """

    def __init__(self, kernel: Kernel, memory: HostMemory, *, quirks: Quirk = ALL_QUIRKS,
                 slow_start_cycles: int = 64, read_latency: int = 1, write_latency: int = 1,
                 stages: int = 1) -> None:
        self.kernel = kernel
        self.memory = memory
        self.quirks = quirks
        self.slow_start_cycles = slow_start_cycles
        self.stages = stages
        self.read_latency = read_latency
        self.write_latency = write_latency
        self.read_bus_errors: set[int] = set()
        self.write_bus_errors: set[int] = set()
        self.irq = kernel.event("interrupt of the qce")
        self.last_course: Course | None = None
        """Of the last request that ended, on its own or by a reset."""
        self._straps = self._sampled()
        self._bus = RegisterBus(kernel, self._make, self._lower)
        self._registers = RegisterFile(shared=Quirk.SHARED_REGISTERS in self._straps.quirks)
        self._flight: Flight | None = None
        """The request under way, or the last one, whose figures the registers still tell."""
        self._core_ready = 0
        """The edge from which on the core takes a key."""

    def _sampled(self) -> Straps:
        for name, allowed in (("slow_start_cycles", SLOW_START_CYCLES), ("read_latency", LATENCIES),
                              ("write_latency", LATENCIES), ("stages", STAGES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} {getattr(self, name)} is not in {allowed}")
        return Straps(self.quirks, self.slow_start_cycles, self.read_latency, self.write_latency, self.stages)

    # -- the port -----------------------------------------------------------------------------------

    async def read(self, address: int, master: int = 0) -> int:
        return (await self.script([RegisterAccess(address)], master))[0]

    async def write(self, address: int, value: int, master: int = 0) -> None:
        await self.script([RegisterAccess(address, value)], master)

    async def script(self, accesses: Sequence[RegisterAccess], master: int = 0) -> list[int]:
        """Raises: EngineFault; ValueError for what does not fit on the bus."""
        listed = [checked(access, master) for access in accesses]
        if master == 0:
            return await self._bus.script(listed)
        return [value for access in listed for value in await self._bus.single(access)]

    async def reset(self) -> None:
        await self._bus.single(Access(Register.SOFT_RESET, SOFT_RESET_RESET.mask, 0, privileged=True))

    # -- accesses -----------------------------------------------------------------------------------

    def _make(self, access: Access, edge: int) -> Answer:
        """Carry an access out at ``edge``, which is now."""
        self._settle(edge)
        busy = self._busy()
        if (refusal := self._registers.refusal(access, busy=busy)) is not None:
            if refusal.fault is not None:
                self._registers.fault(refusal.fault)
            return Answer(edge + 1, refused=True)
        if access.value is None:
            return Answer(edge + 1, value=self._read(Register(access.address), edge))
        if access.address == Register.SOFT_RESET and SOFT_RESET_RESET.get(access.value):
            return self._reset(edge)
        rung = self._registers.store(access, access.value, busy=busy)
        if rung is not None:
            return self._fetch(rung, edge, access.master)
        if access.address == Register.GOPROC and GOPROC_GO.get(access.value):
            self._go(edge)
        self._raise_after(edge)
        return Answer(edge + 1)

    def _busy(self) -> bool:
        return self._flight is not None and not self._flight.over

    def _read(self, register: Register, edge: int) -> int:
        value = self._registers.values[register]
        if register in _HIDDEN:
            return 0
        if register is Register.STATUS2:
            return STATUS2_LOCKED.put(self._registers.lock is not None)
        if self._flight is None:
            return value
        match register:
            case Register.STATUS if self._busy():
                return value | STATUS_ENCR_BUSY.mask | STATUS_CRYPTO_STATE.put(self._flight.state(edge))
            case Register.CYCLES:
                return self._flight.cycles(edge) & 0xFFFFFFFF
            case Register.BYTES_DONE:
                return self._flight.bytes_done(edge)
            case Register.SRC_CURRENT:
                return self._flight.source_current(edge)
            case Register.DST_CURRENT:
                return self._flight.destination_current(edge)
        return value

    def _fetch(self, port: ListPort, edge: int, master: int) -> Answer:
        """A doorbell: the engine reads the list. The answer comes when it has."""
        address = self._registers.values[port.address]
        beats = -(-self._registers.values[port.length] * DESCRIPTOR_BYTES // BLOCK_BYTES)
        fault = self._target().read_fault(address, beats)
        stream = ReadStream(edge + 1, [(address, beats)], 1, self.read_latency, fault)
        while stream.request(NEVER):
            pass
        ended = stream.idle(NEVER)
        if fault is not None:
            failed = (address + fault.beat * BLOCK_BYTES) & 0xFFFFFFFF
            self._registers.fault(Fault(FAULT_KINDS[fault.error], port.access, failed))
            return Answer(ended + 1, refused=True)
        size = self._registers.values[port.length] * DESCRIPTOR_BYTES
        descriptors = decode_list(self.memory.bytes[address:address + size].tobytes())
        self._registers.arm(port, descriptors, ended, master)
        if self._busy():
            self._begin_lists()
        return Answer(ended + 1)

    def _reset(self, edge: int) -> Answer:
        """A soft reset: everything is as after power-on, once the bus is idle."""
        self._straps = self._sampled()
        self._registers = RegisterFile(shared=Quirk.SHARED_REGISTERS in self._straps.quirks)
        self._core_ready = 0
        flight, self._flight = self._flight, None
        if flight is None or flight.over:
            return Answer(edge + 2)
        flight.reset_at = edge - flight.go_at
        drained = flight.go_at + flight.course.drained(flight.reset_at)
        return Answer(drained + 1, seen=lambda: self._end(flight))

    # -- a request ----------------------------------------------------------------------------------

    def _go(self, edge: int) -> None:
        self._registers.begin()
        values = self._registers.values
        if self._unacceptable():
            self._flight = Flight(edge, refused())
            self._plan(self._flight)
            return
        config = values[Register.ENCR_SEG_CFG]
        key = self._registers.key(used_key_bytes(config, self._straps.quirks))
        size, dump = values[Register.ENCR_SEG_SIZE], bool(GOPROC_RESULTS_DUMP.get(values[Register.GOPROC]))
        hangs = not size and Quirk.ZERO_LENGTH_HANG in self._straps.quirks
        state = CryptoState.WAIT_LENGTH if hangs else CryptoState.WAIT_LISTS
        self._flight = Flight(edge, without_lists(self._straps, state), size, key, decrypts(config), dump,
                              max(2, self._core_ready - edge), schedule_of(key, decrypts(config)),
                              waits_for_lists=not hangs)
        self._begin_lists()

    def _unacceptable(self) -> bool:
        """What CHECK finds wrong with the registers."""
        values, quirks = self._registers.values, self._straps.quirks
        config, size = values[Register.ENCR_SEG_CFG], values[Register.ENCR_SEG_SIZE]
        return (ENCR_SEG_CFG_ALG.get(config) != Alg.AES or ENCR_SEG_CFG_MODE.get(config) != Mode.ECB
                or ENCR_SEG_CFG_KEY_SIZE.get(config) not in set(KeySize)
                or values[Register.ENCR_SEG_START] != 0 or values[Register.SEG_SIZE] != size
                or (Quirk.PARTIAL_BLOCK_HANG not in quirks and size % BLOCK_BYTES != 0))

    def _begin_lists(self) -> None:
        """If both lists are armed, the whole course is known."""
        flight, armed = self._flight, self._registers.armed
        if flight is None or not flight.waits_for_lists or len(armed) < 2:
            return
        flight.waits_for_lists = False
        straps = replace(self._straps, read_latency=self.read_latency, write_latency=self.write_latency)
        source, destination = armed[SOURCE_LIST], armed[DESTINATION_LIST]
        armed_at = max(source.at, destination.at, flight.go_at) - flight.go_at
        request = Request(flight.size, flight.wants_dump, flight.rounds, flight.key_taken, armed_at,
                          source.descriptors, destination.descriptors)
        flight.course = course_of(request, straps, self._target())
        flight.dump_bytes = self._dump(flight) if flight.wants_dump else b""
        for pieces in (flight.source, flight.destination, flight.dump):
            flight.held.enter_context(self.memory.owned(*pieces))
        self._accepted(flight)
        self._plan(flight)

    def _target(self) -> MemoryTarget:
        return MemoryTarget(self.memory, self.read_bus_errors, self.write_bus_errors)

    def _dump(self, flight: Flight) -> bytes:
        stale = Quirk.STALE_DUMP_STATUS in self._straps.quirks
        locked = self._registers.lock is not None and flight.course.unlocked_at == NEVER
        return ResultDump(self._registers.counters(), STALE_STATUS if stale else SUCCESS,
                          STATUS2_LOCKED.put(locked)).encode()

    def _accepted(self, flight: Flight) -> None:
        """The whole course of a request is known."""

    def _move(self, flight: Flight, blocks: int, dump_beats: int) -> None:
        """Put the first results of a request, and of its dump, into memory."""
        flight.move(self.memory, blocks, dump_beats)

    def _plan(self, flight: Flight) -> None:
        for cycles in {flight.course.cycles, flight.course.unlocked_at} - {NEVER}:
            self.kernel.start(self._wake(flight.go_at + cycles + 1), "qce model")

    async def _wake(self, at: int) -> None:
        await self.kernel.sleep(at - self.kernel.now(), HARDWARE)
        self._settle(self.kernel.now())

    def _settle(self, edge: int) -> None:
        """Let happen what the request under way does before ``edge``."""
        flight = self._flight
        if flight is None or flight.over:
            return
        course = flight.course
        if flight.go_at + course.unlocked_at < edge and not flight.unlocked:
            flight.unlocked = True
            self._registers.lock = None
        if not flight.ends_before(edge):
            return
        self._registers.report(course.status, course.fault)
        if flight.key and flight.key_taken <= course.cycles:
            self._core_ready = flight.go_at + flight.key_taken + flight.rounds + CORE_EXPANSION
        self._end(flight)
        if self._registers.interrupt():
            self.irq.set()

    def _end(self, flight: Flight) -> None:
        """Leave memory as the request left it."""
        flight.over = True
        flight.held.close()
        self.last_course = flight.course
        blocks, dump_beats = flight.written()
        if blocks or dump_beats:
            self._move(flight, blocks, dump_beats)

    # -- the interrupt line -------------------------------------------------------------------------

    def _raise_after(self, edge: int) -> None:
        if self._registers.interrupt() and not self.irq.is_set():
            self.kernel.start(self._rise(edge + 1), "qce interrupt")

    async def _rise(self, at: int) -> None:
        await self.kernel.sleep(at - self.kernel.now(), HARDWARE)
        if self._registers.interrupt():
            self.irq.set()

    def _lower(self) -> None:
        """Software sees the end of its accesses, and before it an interrupt of the same edge."""
        self._settle(self.kernel.now())
        if not self._registers.interrupt():
            self.irq.clear()
