"""One QCE as its drivers see it: whose turn it is, the interrupt, the watchdog, the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from pymodel.block_engine import BLOCK_BYTES, EngineCounters
from pymodel.costs import Host
from pymodel.drivers import qce_scripts as scripts
from pymodel.drivers.access import reach
from pymodel.drivers.qce_faults import Values, fault_of, stopped_at
from pymodel.drivers.qce_start import EngineRequest, Lists, Starter
from pymodel.drivers.qce_watched import Registers, Unanswered
from pymodel.engines.ports import RegisterPort
from pymodel.engines.qce import DUMP_BYTES, ResultDump
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang, EngineLost
from pymodel.kernel import Cpu, Kernel, Lock, Task
from pymodel.memory import ByteArray, HostMemory


def generous_qce_watchdog(length: int) -> int:
    """Cycles after which a request of ``length`` bytes counts as hung; the longest SLOW_START is in it."""
    return 100_000 + 100 * length


class Flight:
    """The request on the engine. ``wake``: the interrupt, the end of the watchdog, or ``stop``: a reset is
    wanted. ``silence``: the reset that was not answered."""

    def __init__(self, kernel: Kernel) -> None:
        self.wake = kernel.event("interrupt of qce")
        self.ended = kernel.event("end of the request on qce")
        self.interrupted = False
        self.stop = False
        self.silence: Unanswered | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """A request that did not end, or one that could not be asked how: of an access with no answer.

    ``started``: GO has been answered, so the figures in ``values``, as far as there are any, are its own.
    """

    values: Values
    waited: int
    silence: Unanswered | None
    started: bool

    @property
    def figures(self) -> Values:
        return self.values if self.started else {}


class EngineRecord:
    """What all drivers of one port share: whose turn it is (first in, first out), what is on the engine, and
    accesses without an answer."""

    def __init__(self, kernel: Kernel) -> None:
        self.turn = Lock(kernel, "turn on qce")
        self.flight: Flight | None = None
        self.unanswered: list[Task[None]] = []


_records: WeakKeyDictionary[RegisterPort, EngineRecord] = WeakKeyDictionary()


def record_of(port: RegisterPort, kernel: Kernel) -> EngineRecord:
    record = _records.get(port)
    if record is None:
        record = _records[port] = EngineRecord(kernel)
    return record


class QceEngine:
    """Runs engine requests to their end, one at a time: callers have the turn of ``record``.

    ``watchdog``: bytes to cycles, or None for no watchdog. The Cpu is held for register accesses, and
    not while waiting for the interrupt.
    """

    def __init__(self, port: RegisterPort, memory: HostMemory, kernel: Kernel, cpu: Cpu, handles: Quirk,
                 counters: EngineCounters, watchdog: Callable[[int], int] | None, master: int,
                 host: Host) -> None:
        self.record = record_of(port, kernel)
        self._registers = Registers(port, kernel, cpu, master, host, self.record.unanswered)
        self._locks = Quirk.SHARED_REGISTERS in handles
        self._trusts_dump = Quirk.STALE_DUMP_STATUS not in handles
        self._starter = Starter(self._registers, kernel, locks=self._locks)
        self._memory = memory
        self._kernel = kernel
        self._counters = counters
        self._watchdog = watchdog

    async def reset(self) -> None:
        """Reset the engine. A request on it ends in EngineHang; those that wait go on.

        Raises EngineLost if the reset is not answered.
        """
        if self.record.flight is None:
            async with self._registers.cpu.lock:
                if self.record.flight is None:  # whoever has the turn has not begun
                    await self._reset_idle()
                    return
        flight = self.record.flight
        assert flight is not None
        flight.stop = True
        flight.wake.set()
        await flight.ended.wait()
        if flight.silence is not None:
            raise _lost("a reset", {}, flight.silence)

    async def _reset_idle(self) -> None:
        try:
            await self._registers.reset()
        except Unanswered as silence:
            raise _lost("a reset", {}, silence) from None

    async def run(self, request: EngineRequest) -> None:
        """Raises EngineFault and EngineHang; both count from the start of the whole request."""
        lists = Lists.of(request, lock=self._locks)
        lists.write(self._memory, request.work)
        if self._trusts_dump:
            self._memory.write(request.work.dump, bytes(DUMP_BYTES))
        with self._on_engine(request) as flight:
            await self._under_control(request, flight)
            before = self._kept(request)
            hang = await self._course(flight, request, lists)
        if hang is None:
            return
        state = scripts.named(hang.values) | stopped_at(hang.values, lists.source, lists.destination)
        if hang.silence is not None:
            state["unanswered"] = hang.silence.what
        elif not hang.values:
            state["registers"] = "refused"
        if flight.silence is not None:
            raise _lost(str(request), state, flight.silence, request.position)
        after = request.dst.part(0, len(before)).gather(self._memory)
        done = _changed(before, after, self._done(request, hang.figures))
        self._count(hang.figures, done)
        raise EngineHang(str(request), state, hang.waited, request.position + done)

    async def _under_control(self, request: EngineRequest, flight: Flight) -> None:
        """What was left without an answer has come to its end, or a reset has ended it. Raises EngineHang if
        not: the engine has seen nothing of the request then, and the destination is as it was."""
        if not self.record.unanswered:
            return
        try:
            async with self._registers.cpu.lock:
                await self._registers.reset()
        except Unanswered as silence:
            flight.silence = silence
            raise EngineHang(str(request), {"unanswered": silence.what}, silence.cycles,
                             request.position) from None

    async def _course(self, flight: Flight, request: EngineRequest, lists: Lists) -> Hang | None:
        """From the first register to the last. Raises EngineFault."""
        began, started = self._kernel.now(), False
        try:
            await self._starter.start(request, lists)
            self._counters.key_loads += 1
            began, started = self._kernel.now(), True
            await self._wait(flight, request.length)
            if flight.interrupted:
                values = await self._result()
                if flight.stop:  # too late for this request, and still wanted
                    await self._registers_of_reset(flight)
                if not scripts.busy(values[Register.STATUS]):
                    self._judge(request, values)
                    return None
            silence = None  # the end of the watchdog, a reset that is wanted, or an interrupt of nobody's
        except Unanswered as unanswered:
            silence = unanswered
        except EngineFault:
            raise
        except Exception:  # the port's own: whatever the engine is doing must end
            await self._registers_of_reset(flight)
            raise
        values = await self._registers_of_reset(flight)
        return Hang(values, self._kernel.now() - began, silence, started)

    @contextmanager
    def _on_engine(self, request: EngineRequest) -> Iterator[Flight]:
        flight = self.record.flight = Flight(self._kernel)
        ranges = [(run.address, run.length) for side in (request.src, request.dst) for run in side.runs]
        try:
            with self._memory.owned(*ranges, *request.work.ranges()):
                yield flight
        finally:
            self.record.flight = None
            flight.ended.set()

    def _kept(self, request: EngineRequest) -> ByteArray:
        """A copy of what an in-place request will overwrite: no other way tells how far an engine got that
        was still at work when it was reset. Empty when the source stays."""
        src, dst = request.src, request.dst
        in_place = len(src) <= len(dst) and src.same_bytes(dst.part(0, len(src)))
        there = reach(self._memory, src, "read", BLOCK_BYTES).length if in_place else 0
        return src.part(0, there).gather(self._memory)

    # -- the interrupt ----------------------------------------------------------------------------

    async def _wait(self, flight: Flight, length: int) -> None:
        """Until the interrupt, the end of the watchdog, or a reset that somebody wants."""
        limit = None if self._watchdog is None else max(self._watchdog(length), 0)
        self._kernel.start(self._watch(flight, limit), "watchdog of qce")
        await flight.wake.wait()

    async def _watch(self, flight: Flight, limit: int | None) -> None:
        end = None if limit is None else self._kernel.now() + limit
        left = limit
        while not (flight.interrupted or left == 0):  # the line may fall again before this task has its turn
            flight.interrupted = await self._registers.port.irq.wait(left)
            left = None if end is None else end - self._kernel.now()
        flight.wake.set()

    # -- the end ----------------------------------------------------------------------------------

    async def _result(self) -> Values:
        """Read what came of it and acknowledge the interrupt, which gives the lock back."""
        async with self._registers.cpu.lock:
            try:
                return await self._registers.read(scripts.RESULT_READS, scripts.ACKNOWLEDGE)
            except EngineFault as refusal:  # another master has taken the registers
                values = await self._every_register()
                await self._registers.reset()
                if not values:
                    raise refusal
                return values

    async def _registers_of_reset(self, flight: Flight) -> Values:
        """No values if they are not to be had: the reset matters more."""
        values: Values = {}
        async with self._registers.cpu.lock:
            with suppress(Unanswered):
                values = await self._every_register()
            try:
                await self._registers.reset()
            except Unanswered as silence:
                flight.silence = silence
        return values

    async def _every_register(self) -> Values:
        """None if they may not be read. Raises Unanswered."""
        try:
            return await self._registers.read(scripts.EVERY_READ)
        except EngineFault:
            return {}

    def _judge(self, request: EngineRequest, values: Values) -> None:
        """Raises EngineFault unless the engine reports success."""
        done = self._done(request, values)
        self._count(values, done)
        status = values[Register.STATUS]
        if self._trusts_dump:
            status = ResultDump.decode(self._memory.read(request.work.dump, DUMP_BYTES)).status
        if scripts.failed(status):
            raise fault_of(values, request.position + done)

    def _done(self, request: EngineRequest, values: Values) -> int:
        return min(values.get(Register.BYTES_DONE, 0), request.length) // BLOCK_BYTES * BLOCK_BYTES

    def _count(self, values: Values, done: int) -> None:
        self._counters.hardware_blocks += done // BLOCK_BYTES
        self._counters.engine_cycles += values.get(Register.CYCLES, 0)


def _lost(request: str, state: dict[str, int | str], silence: Unanswered, completed: int = 0) -> EngineLost:
    return EngineLost(request, state | {"SOFT_RESET": "unanswered"}, silence.cycles, completed)


def _changed(before: ByteArray, after: ByteArray, known: int) -> int:
    """How many bytes from the start have changed, in whole blocks; the first ``known`` are known to have."""
    changed = (before != after).reshape(-1, BLOCK_BYTES).any(axis=1)[known // BLOCK_BYTES:]
    more = len(changed) if changed.all() else int(changed.argmin())
    return known + more * BLOCK_BYTES
