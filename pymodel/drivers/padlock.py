"""PadlockDriver: a BlockEngine over the PadLock's one instruction.

What the engine cannot take is worked round here: unaligned and scattered data goes through a
bounce buffer, key sizes that it cannot expand get their schedule from the host, its reading ahead
is kept inside pages that are mapped, and an interrupted request goes on from where it stopped.
``handles`` names the quirks worked round; a driver with one bit cleared is the naive one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pymodel.block_engine import BLOCK_BYTES, EngineCounters, EngineLimits, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import Host, HostWork
from pymodel.drivers.access import reach
from pymodel.drivers.padlock_engine import ForgetfulPadlockEngine, PadlockEngine, generous_watchdog
from pymodel.drivers.padlock_keys import KeyPlacement, PadlockKey, Placed
from pymodel.drivers.policies import NEVER, POLICIES, Path, PolicyName
from pymodel.drivers.walk import Span, leaves_page, walk
from pymodel.engines.padlock import FETCH_BLOCKS
from pymodel.engines.ports import XcryptPort
from pymodel.engines.quirks import Quirk
from pymodel.engines.rijndael import KEY_BYTES
from pymodel.errors import EngineFault, EngineHang, InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory

BOUNCE_BYTES = 4096
_SLACK_BYTES = (max(FETCH_BLOCKS) - 1) * BLOCK_BYTES
"""Room behind the bounce buffer for the engine's reading ahead."""
_ADDRESSES = 1 << 32
EVERY_QUIRK = Quirk.all()


class PadlockDriver:
    """``policy``: when to reload the key (see ``policies``). ``fetch_blocks``: the engine's fetch group.

    ``allocate``, ``host_expands``: see KeyPlacement. ``host``: what host work costs on ``cpu``, or None for
    nothing. ``watchdog``: cycles after which a request of that many blocks counts as hung, or None. Several
    drivers may share a port when they share its Cpu.
    """

    def __init__(self, port: XcryptPort, memory: HostMemory, kernel: Kernel, cpu: Cpu, *,
                 policy: PolicyName = "engine-state", handles: Quirk = EVERY_QUIRK, fetch_blocks: int = 2,
                 allocate: Callable[[int], int] | None = None,
                 watchdog: Callable[[int], int] | None = generous_watchdog,
                 host_expands: bool = False, host: Host | None = None) -> None:
        if policy not in POLICIES:
            raise InvalidRequest(f"PadLock policy {policy!r}: there are {', '.join(POLICIES)}")
        if fetch_blocks not in FETCH_BLOCKS:
            raise InvalidRequest(f"fetch groups of {fetch_blocks} blocks: there are {FETCH_BLOCKS}")
        self.name = "padlock"
        self.block_size = BLOCK_BYTES
        self.limits = EngineLimits(key_bytes=KEY_BYTES, length_multiple=BLOCK_BYTES, alignment=BLOCK_BYTES)
        self.memory = memory
        self.kernel = kernel
        self.counters = EngineCounters()
        self.host = Host(cpu, kernel) if host is None else host
        self.handles = handles
        self._placement = KeyPlacement(memory, handles, allocate, host_expands)
        self._group = fetch_blocks if Quirk.FETCH_AHEAD in handles else 1
        self._alignment = BLOCK_BYTES if Quirk.ALIGN_16 in handles else 1
        engine = PadlockEngine if Quirk.IRQ_FORGETS_KEY in handles else ForgetfulPadlockEngine
        self._engine = engine(port, memory, kernel, cpu,
                              POLICIES[policy] if Quirk.STICKY_KEY in handles else NEVER,
                              self.counters, watchdog, self.host)

    def key(self, data: bytes) -> PadlockKey:
        """Raises InvalidRequest unless ``data`` has 16, 24 or 32 bytes; OutOfMemory."""
        key = PadlockKey(data, self._placement)
        self._engine.key_was_set(key.context)
        return key

    def release(self, key: Key) -> None:
        """Free the key's memory, once no request uses it. A released key is refused."""
        self._own(key).release()

    async def reset(self) -> None:
        """Reset the engine, or all of them; a request in flight ends in EngineHang."""
        await self._engine.reset()

    async def move_to(self, cpu: int) -> None:
        """Go on with the engine of another CPU, once no request is in flight; keys and policy move along."""
        await self._engine.move_to(cpu)

    async def interrupted(self) -> None:
        """An interrupt or a task switch between two requests: the engine forgets its key."""
        await self._engine.load_flags()

    def take_path(self, path: Path | None) -> None:
        """What further requests are to the policy; None: a path by their length."""
        self._engine.path = path

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """See BlockEngine. EngineFault says exactly how many bytes of the destination are done."""
        own = self._own(key)
        self._check(own, src, dst)
        if not len(src):
            return
        self.counters.calls += 1
        with own.in_use(), _Bounce(self.memory).freed() as bounce:
            where = own.placed(decrypt=decrypt)
            for span in walk(src, dst, block=BLOCK_BYTES, alignment=self._alignment, chunk=BOUNCE_BYTES):
                if span.direct:
                    await self._direct(where, span, bounce)
                else:
                    await self._bounced(where, src.part(span.position, span.length),
                                        dst.part(span.position, span.length), span.position, bounce)

    def _own(self, key: Key) -> PadlockKey:
        if not isinstance(key, PadlockKey) or key.placement is not self._placement:
            raise InvalidRequest("the key is of another engine")
        return key

    def _check(self, key: PadlockKey, src: Buffers, dst: Buffers) -> None:
        if key.released:
            raise InvalidRequest("the key has been released")
        if len(src) % BLOCK_BYTES:
            raise InvalidRequest(f"{len(src)} bytes are not a multiple of {BLOCK_BYTES}")
        check_placement(src, dst)
        if any(run.end > _ADDRESSES for run in src.runs + dst.runs):
            raise InvalidRequest("an address does not fit in 32 bits")

    async def _direct(self, where: Placed, span: Span, bounce: _Bounce) -> None:
        """A contiguous, aligned span, without reading ahead into the next page.

        First the blocks that do not fill a fetch group, then whole groups: so only a span shorter
        than a group is read past its end. After an interrupt the rest is divided anew.
        """
        src, dst, position = span.src, span.dst, span.position
        while position < span.end:
            left = (span.end - position) // BLOCK_BYTES
            if left < self._group and leaves_page(src, self._group * BLOCK_BYTES):
                length = span.end - position
                await self._bounced(where, Buffers.of(src, length), Buffers.of(dst, length), position, bounce)
                return
            count = left % self._group or left
            done = BLOCK_BYTES * await self._engine.xcrypt(where, src, dst, count, position)
            src, dst, position = src + done, dst + done, position + done

    async def _bounced(self, where: Placed, src: Buffers, dst: Buffers, position: int,
                       bounce: _Bounce) -> None:
        """At most BOUNCE_BYTES bytes, through the bounce buffer."""
        await self.host.spend(HostWork.COPY, 2 * len(src) // BLOCK_BYTES)
        readable = reach(self.memory, src, "read", BLOCK_BYTES)
        bounce.buffer(readable.length).scatter(self.memory, src.part(0, readable.length).gather(self.memory))
        failure: EngineFault | EngineHang | None = None
        done = 0
        try:
            while done < readable.length:
                address = bounce.address + done
                done += BLOCK_BYTES * await self._engine.xcrypt(
                    where, address, address, (readable.length - done) // BLOCK_BYTES, position + done)
        except (EngineFault, EngineHang) as error:
            failure, done = error, error.completed - position
        self.counters.bounced_blocks += done // BLOCK_BYTES
        writable = reach(self.memory, dst.part(0, done), "write", BLOCK_BYTES)
        dst.part(0, writable.length).scatter(self.memory, bounce.buffer(writable.length).gather(self.memory))
        if writable.length < done:
            raise writable.fault("write", position + writable.length)
        if failure is not None:
            raise failure
        if readable.length < len(src):
            raise readable.fault("read", position + readable.length)


class _Bounce:
    """The bounce buffer of one request, allocated when it is first needed."""

    def __init__(self, memory: HostMemory) -> None:
        self._memory = memory
        self._address: int | None = None

    @property
    def address(self) -> int:
        if self._address is None:
            self._address = self._memory.allocate(BOUNCE_BYTES + _SLACK_BYTES, BLOCK_BYTES)
        return self._address

    def buffer(self, length: int) -> Buffers:
        return Buffers.of(self.address, length)

    @contextmanager
    def freed(self) -> Iterator[_Bounce]:
        """Freed at the end."""
        try:
            yield self
        finally:
            if self._address is not None:
                self._memory.free(self._address)
