"""One PadLock as its drivers see it: what it holds, the reload decision, the watchdog, the continuation."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from pymodel.block_engine import BLOCK_BYTES, EngineCounters
from pymodel.costs import Host, HostWork
from pymodel.drivers.padlock_keys import Placed
from pymodel.drivers.policies import Need, Path, Policy, PolicyState
from pymodel.engines.padlock import CONTROL_WORD_BYTES, SCHEDULE_READ_BYTES
from pymodel.engines.ports import EngineReset, Xcrypt, XcryptPort, XcryptResult, XcryptStatus
from pymodel.errors import EngineFault, EngineHang
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory

_FAULTS = {
    XcryptStatus.BAD_CONTROL_WORD: ("control word", "read", False),
    XcryptStatus.ALIGN_FAULT: ("alignment", "pointer", False),
    XcryptStatus.READ_PAGE_FAULT: ("page", "read", True),
    XcryptStatus.WRITE_PAGE_FAULT: ("page", "write", True),
    XcryptStatus.READ_BUS_FAULT: ("bus", "read", True),
    XcryptStatus.WRITE_BUS_FAULT: ("bus", "write", True),
}
"""Status to kind, access, and whether the request can go on from where it stopped."""


def generous_watchdog(blocks: int) -> int:
    """Cycles after which a request of ``blocks`` blocks counts as hung."""
    return 50_000 + 1_000 * blocks


class Machine:
    """What is known of the engines behind one port, by all its drivers together."""

    def __init__(self) -> None:
        self.state = PolicyState()
        self.in_flight = False


_machines: WeakKeyDictionary[XcryptPort, Machine] = WeakKeyDictionary()


def machine_of(port: XcryptPort) -> Machine:
    return _machines.setdefault(port, Machine())


class PadlockEngine:
    """Runs contiguous, aligned requests to their end.

    ``watchdog``: blocks to cycles, or None for no watchdog. ``host`` spends CALL for each ``xcrypt`` and
    KEY_LOAD for each popf. The Cpu is held for one reload and one ``xcrypt`` at a time.
    """

    def __init__(self, port: XcryptPort, memory: HostMemory, kernel: Kernel, cpu: Cpu, policy: Policy,
                 counters: EngineCounters, watchdog: Callable[[int], int] | None, host: Host) -> None:
        self._port = port
        self._memory = memory
        self._kernel = kernel
        self._cpu = cpu
        self._policy = policy
        self._counters = counters
        self._watchdog = watchdog
        self._host = host
        self._machine = machine_of(port)
        self.path: Path | None = None
        """The path that requests are said to take; None: by their length, as Linux has it."""

    async def reset(self) -> None:
        """Reset the engine. A request in flight ends in EngineHang."""
        if self._machine.in_flight:
            await self._reset()
        else:
            async with self._cpu.lock:
                await self._reset()

    async def _reset(self) -> None:
        """Afterwards the engine has no key, whatever the policies remember."""
        await self._port.reset()

    async def move_to(self, cpu: int) -> None:
        """Go on with the engine of another CPU, once no request is in flight on this one. Takes a cycle."""
        async with self._cpu.lock:
            self._port.cpu = cpu
            await self._kernel.sleep(1)

    async def load_flags(self) -> None:
        """What an interrupt or a task switch does to the engine between two requests."""
        async with self._cpu.lock:
            await self._port.load_flags()

    def key_was_set(self, context: int) -> None:
        """A key has been set in the context at this address."""
        self._machine.state = self._policy.set_key(self._machine.state, context)

    async def xcrypt(self, where: Placed, src: int, dst: int, blocks: int, completed: int) -> int:
        """One ``xcrypt``; returns the blocks done, fewer than ``blocks`` after an interrupt.

        ``completed``: bytes of the whole request done before. Raises EngineFault, EngineHang.
        """
        async with self._cpu.lock:
            await self._prepare(where, blocks)
            op = Xcrypt(where.control_word, where.key, src, dst, blocks)
            result = await self._run(op, where, completed)
        return blocks - result.count

    async def _prepare(self, where: Placed, blocks: int) -> bool:
        """Make the engine hold, or load, what is needed; returns whether it will load."""
        await self._host.spend(HostWork.CALL, holding=True)
        path = self.path or (Path.SINGLE if blocks == 1 else Path.ECB)
        need = Need(where.material, await self._port.key_loaded(), self._port.cpu, where.context, path)
        self._machine.state, clear = self._policy.decide(self._machine.state, need)
        if clear:
            await self._host.spend(HostWork.KEY_LOAD, holding=True)
            await self._port.load_flags()
        loads = clear or not need.key_loaded
        self._counters.key_loads += loads
        return loads

    async def _run(self, op: Xcrypt, where: Placed, completed: int) -> XcryptResult:
        length = op.count * BLOCK_BYTES
        with self._memory.owned((op.cword, CONTROL_WORD_BYTES), (op.key, len(where.material.key)),
                                (op.src, length), (op.dst, length)):
            result = await self._watched(op, completed)
        done = op.count - result.count
        self._counters.hardware_blocks += done
        self._counters.engine_cycles += result.cycles
        if result.status in _FAULTS:
            kind, access, restartable = _FAULTS[result.status]
            raise EngineFault(kind, result.address, completed + done * BLOCK_BYTES, access=access,
                              restartable=restartable)
        return result

    async def _watched(self, op: Xcrypt, completed: int) -> XcryptResult:
        name = f"xcryptecb of {op.count} blocks from {op.src:#x} to {op.dst:#x}"
        began = self._kernel.now()
        task = self._kernel.start(self._port.xcrypt(op), name)
        self._machine.in_flight = True
        try:
            ended = await task.done.wait(None if self._watchdog is None else self._watchdog(op.count))
            state = self._port.state()
            if not ended:
                await self._reset()
                await task.done.wait()
            waited = self._kernel.now() - began
            try:
                result = task.outcome()
            except EngineReset:
                raise EngineHang(name, state, waited, completed) from None
            if not ended:
                raise EngineHang(name, state, waited, completed)
            return result
        finally:
            self._machine.in_flight = False


class ForgetfulPadlockEngine(PadlockEngine):
    """The naive engine of IRQ_FORGETS_KEY: one slot of key memory for all keys, wiped once the key is loaded.

    An interrupted request is continued at once, as if the engine still had its key.
    """

    _slot: int | None = None

    async def xcrypt(self, where: Placed, src: int, dst: int, blocks: int, completed: int) -> int:
        if self._slot is None:
            self._slot = self._memory.allocate(SCHEDULE_READ_BYTES)
        async with self._cpu.lock:
            if await self._prepare(where, blocks):
                self._memory.write(self._slot, where.material.key)
            left = blocks
            while left:
                op = Xcrypt(where.control_word, self._slot, src, dst, left)
                done = left - (await self._run(op, where, completed)).count
                if done:
                    self._memory.write(self._slot, bytes(SCHEDULE_READ_BYTES))
                src, dst, left = src + done * BLOCK_BYTES, dst + done * BLOCK_BYTES, left - done
                completed += done * BLOCK_BYTES
        return blocks
