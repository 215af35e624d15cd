"""QceDriver: a BlockEngine over the QCE's registers and descriptor lists.

Requests wait in a queue that all drivers of a port share. Scatter lists become descriptors, blocks
that the engine cannot take where they are go through a bounce buffer, and what the engine is not
good for goes to software. ``handles`` names the quirks worked round; a driver with one bit cleared
is the naive one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from pymodel.block_engine import BLOCK_BYTES, EngineCounters, EngineLimits, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import Host, HostWork
from pymodel.drivers.access import Access, reach
from pymodel.drivers.qce_engine import QceEngine, generous_qce_watchdog
from pymodel.drivers.qce_lists import Stream, bounced_in_either
from pymodel.drivers.qce_memory import Work, work_memory
from pymodel.drivers.qce_plan import LongLengths, Part, Rules, plan, whole_blocks, with_room
from pymodel.drivers.qce_start import EngineRequest
from pymodel.drivers.software import SoftwareEngine
from pymodel.engines.aes_key import AesKey
from pymodel.engines.ports import RegisterPort
from pymodel.engines.qce import KEY_BYTES, UNIT_BYTES
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang, EngineLost, InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory

EVERY_QUIRK = Quirk.all()
_ADDRESSES = 1 << 32

Retry = Literal["raise", "software"]


class QceKey(AesKey):
    """An AES key of one driver. It is loaded for every request, so the engine keeps nothing of it."""

    def __init__(self, data: bytes, driver: QceDriver) -> None:
        super().__init__(data)
        self.driver = driver
        self.released = False


class QceDriver:
    """``aes_sw_max_len``, ``long_lengths``: see Rules. ``retry``: whether a request that hangs ends in
    EngineHang (``raise``) or is finished in ``software``. ``watchdog``: bytes of an engine request to
    cycles after which it counts as hung, or None. ``master``: who this driver is on the register bus.
    ``host``: what the host's work costs, software included (None: nothing).
    """

    def __init__(self, port: RegisterPort, memory: HostMemory, kernel: Kernel, cpu: Cpu, *,
                 handles: Quirk = EVERY_QUIRK, aes_sw_max_len: int = UNIT_BYTES,
                 long_lengths: LongLengths = "split", retry: Retry = "raise",
                 watchdog: Callable[[int], int] | None = generous_qce_watchdog, master: int = 0,
                 host: Host | None = None) -> None:
        for name, value, choices in (("long_lengths", long_lengths, get_args(LongLengths)),
                                     ("retry", retry, get_args(Retry)), ("master", master, (0, 1))):
            if value not in choices:
                raise InvalidRequest(f"{name} {value!r}: there are {', '.join(map(str, choices))}")
        if aes_sw_max_len < 0:
            raise InvalidRequest(f"aes_sw_max_len {aes_sw_max_len} is negative")
        self.name = "qce"
        self.block_size = BLOCK_BYTES
        self.limits = EngineLimits(key_bytes=KEY_BYTES, length_multiple=BLOCK_BYTES, alignment=BLOCK_BYTES)
        self.memory = memory
        self.kernel = kernel
        self.counters = EngineCounters()
        self.host = Host(cpu, kernel) if host is None else host
        self.handles = handles
        self._rules = Rules(handles, aes_sw_max_len, long_lengths)
        self._retry = retry
        self._software = SoftwareEngine(memory, kernel, cpu, host=self.host)
        self._engine = QceEngine(port, memory, kernel, cpu, handles, self.counters, watchdog, master,
                                 self.host)

    def key(self, data: bytes) -> QceKey:
        """Raises InvalidRequest unless ``data`` has 16, 24 or 32 bytes."""
        return QceKey(data, self)

    def release(self, key: Key) -> None:
        """A released key is refused; requests that have begun end with it."""
        self._own(key).released = True

    async def reset(self) -> None:
        """Reset the engine; the request on it ends in EngineHang, those that wait go on."""
        await self._engine.reset()

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """See BlockEngine. EngineFault and EngineHang say exactly how many bytes are done."""
        if len(src) != len(dst):
            check_placement(src, dst)
        await self.submit(key, src, dst, len(src), decrypt=decrypt)

    async def submit(self, key: Key, src: Buffers, dst: Buffers, length: int, *, decrypt: bool) -> None:
        """``ecb`` of the first ``length`` bytes of two lists that may be longer, as Linux' are.

        What comes after them is left alone, unless DUMP_FOLLOWS_DATA is not in ``handles``. Where
        PARTIAL_BLOCK_HANG is not, buffers must have room for ``length`` rounded up to blocks.
        """
        own = self._own(key)
        self._check(own, src, dst, length)
        if self._rules.needs_nothing(length):
            return
        self.counters.calls += length > 0
        done = self._rules.engine_bytes(length, len(own.data))
        if done or not length:
            try:
                await self._on_engine(own, src, dst, length, decrypt)
            except EngineHang as hang:
                if (self._retry != "software" or isinstance(hang, EngineLost)
                        or length % BLOCK_BYTES or not length):
                    raise
                done = hang.completed
        if done < length:
            await self._in_software(own, src, dst, done, length, decrypt)

    def _own(self, key: Key) -> QceKey:
        if not isinstance(key, QceKey) or key.driver is not self:
            raise InvalidRequest("the key is of another engine")
        return key

    def _check(self, key: QceKey, src: Buffers, dst: Buffers, length: int) -> None:
        if key.released:
            raise InvalidRequest("the key has been released")
        self._rules.check_length(length)
        if length > min(len(src), len(dst)):
            raise InvalidRequest(f"{length} bytes, source of {len(src)} bytes, destination of {len(dst)}")
        check_placement(src.part(0, length), dst.part(0, length))
        if any(run.end > _ADDRESSES for run in src.runs + dst.runs):
            raise InvalidRequest("an address does not fit in 32 bits")

    # -- on the engine ----------------------------------------------------------------------------

    async def _on_engine(self, key: QceKey, src: Buffers, dst: Buffers, length: int, decrypt: bool) -> None:
        """The part of a request that the engine does, in its turn."""
        in_place = src.part(0, length).same_bytes(dst.part(0, length))
        wanted = self._rules.engine_bytes(length, len(key.data))
        async with self._engine.record.turn:
            stop, failure = self._bounceable(src, dst, wanted)
            if stop or failure is None:
                parts = list(plan(*self._lists(src, dst, stop, stop == length), stop, self._rules))
                bounces = [max(len(self._stream(side).bounced) for side in sides)
                           for sides in ([part.src for part in parts], [part.dst for part in parts])]
                with work_memory(self.memory, bounces, in_place=in_place) as work:
                    for part in parts:
                        await self._run(key, part, work, decrypt, in_place)
        if failure is not None:
            raise failure

    def _lists(self, src: Buffers, dst: Buffers, stop: int, last: bool) -> tuple[Buffers, Buffers]:
        """Both sides, with room for the first ``stop`` bytes in whole blocks. The destination ends there,
        unless a longer one is not minded and no other part comes ``last``."""
        room = whole_blocks(stop)
        src, dst = with_room(src, room), with_room(dst, room)
        if last and Quirk.DUMP_FOLLOWS_DATA not in self.handles:
            return src, dst
        return src, dst.part(0, room)

    def _bounceable(self, src: Buffers, dst: Buffers, stop: int) -> tuple[int, EngineFault | None]:
        """How far the host can fill and empty bounce buffers, and the fault that follows if it is not all."""
        limit, failure = stop, None
        sides: tuple[tuple[Buffers, Access, str], ...] = ((src, "read", "source read"),
                                                          (dst, "write", "destination write"))
        for side, access, name in sides:
            stream = self._stream(with_room(side, stop).part(0, whole_blocks(stop)))
            there = reach(self.memory, stream.bounced, access, BLOCK_BYTES)
            if there.length < len(stream.bounced):
                position = stream.position_of(there.length)
                if position < limit:
                    limit = position
                    failure = EngineFault(there.kind, there.address, position, access=name)
        return limit, failure

    def _stream(self, side: Buffers) -> Stream:
        return Stream.of(side, self._rules.alignment)

    async def _run(self, key: QceKey, part: Part, work: Work, decrypt: bool, in_place: bool) -> None:
        """One engine request, with what has to be bounced before and after."""
        source, destination = self._stream(part.src), self._stream(part.dst)
        await self.host.spend(HostWork.CALL)
        await self.host.spend(HostWork.COPY, (len(source.bounced) + len(destination.bounced)) // BLOCK_BYTES)
        await self.host.spend(HostWork.MAPPED_BLOCK, part.length // BLOCK_BYTES)
        self._move(source.bounced, Buffers.of(work.source_bounce, len(source.bounced)))
        request = EngineRequest(part.position, part.length, key.data, decrypt,
                                source.as_seen(work.source_bounce),
                                destination.as_seen(work.destination_bounce), work)
        done = 0
        try:
            await self._engine.run(request)
            done = part.length
        except (EngineFault, EngineHang) as error:
            done = error.completed - part.position
            raise
        finally:
            bounced = destination.bounced_before(done)
            self._move(Buffers.of(work.destination_bounce, bounced), destination.bounced.part(0, bounced))
            self.counters.bounced_blocks += bounced_in_either(source, destination, done) // BLOCK_BYTES

    def _move(self, source: Buffers, destination: Buffers) -> None:
        destination.scatter(self.memory, source.gather(self.memory))

    # -- in software ------------------------------------------------------------------------------

    async def _in_software(self, key: QceKey, src: Buffers, dst: Buffers, start: int, length: int,
                           decrypt: bool) -> None:
        """Bytes ``start`` to ``length`` on the host."""
        rest = length - start
        done = 0
        try:
            await self._software.ecb(key, src.part(start, rest), dst.part(start, rest), decrypt=decrypt)
            done = rest
        except EngineFault as fault:
            done = fault.completed
            name = "source read" if fault.access == "read" else "destination write"
            raise EngineFault(fault.kind, fault.address, start + done, access=name) from None
        finally:
            self.counters.software_blocks += done // BLOCK_BYTES
