"""How a request gets onto the QCE: lists, lock, registers, GO; and what if somebody is in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pymodel.buffers import Buffers
from pymodel.drivers import qce_scripts as scripts
from pymodel.drivers.qce_faults import list_fault, register_fault
from pymodel.drivers.qce_lists import descriptors, locked
from pymodel.drivers.qce_memory import Work
from pymodel.drivers.qce_watched import Registers
from pymodel.engines import qce_registers as qce
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import DESCRIPTOR_BYTES, DUMP_BYTES, Descriptor, encode_list
from pymodel.engines.qce_registers import Register
from pymodel.errors import EngineFault
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

LOCK_ATTEMPTS = 8
LOCK_PAUSE = 16
"""Cycles after the first attempt that failed, doubled after each."""


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """What the engine is asked. ``position``: bytes of the whole request in front of this one.

    ``src``, ``dst``: the streams as the engine sees them, without the dump. ``work``: its memory.
    """

    position: int
    length: int
    key: bytes = field(repr=False)
    decrypt: bool
    src: Buffers
    dst: Buffers
    work: Work

    def __str__(self) -> str:
        where = "".join(f" {word} {side.runs[0].address:#x}" for word, side in
                        (("from", self.src), ("to", self.dst)) if side.runs)
        return (f"AES-{8 * len(self.key)} ECB {'decryption' if self.decrypt else 'encryption'} "
                f"of {self.length} bytes{where}")


@dataclass(frozen=True, slots=True)
class Lists:
    """Of one request. Each has a descriptor, be it of no bytes; the last of the destination is the dump's."""

    source: Sequence[Descriptor]
    destination: Sequence[Descriptor]

    @classmethod
    def of(cls, request: EngineRequest, *, lock: bool) -> Lists:
        source = descriptors(request.src) or [Descriptor(0, 0)]
        destination = [*descriptors(request.dst), Descriptor(request.work.dump, DUMP_BYTES)]
        return cls(locked(source) if lock else source, destination)

    def write(self, memory: HostMemory, work: Work) -> None:
        memory.write(work.source_list, encode_list(self.source))
        memory.write(work.destination_list, encode_list(self.destination))


class Starter:
    """Sets the registers up, to GO. ``locks``: keep other masters out from the first doorbell on."""

    def __init__(self, registers: Registers, kernel: Kernel, *, locks: bool) -> None:
        self._registers = registers
        self._kernel = kernel
        self._locks = locks

    async def start(self, request: EngineRequest, lists: Lists) -> None:
        """Raises EngineFault when a list cannot be read, or another master is always in the way: the engine
        has been reset then. Raises Unanswered.
        """
        attempt = 0
        while (failure := await self._attempt(request, lists)) is not None:
            attempt += 1
            if failure.kind != "register" or not self._locks or attempt == LOCK_ATTEMPTS:
                raise failure
            await self._kernel.sleep(LOCK_PAUSE << attempt - 1)

    async def _attempt(self, request: EngineRequest, lists: Lists) -> EngineFault | None:
        work = request.work
        source = scripts.source_list(work.source_list, len(lists.source))
        destination = scripts.destination_list(work.destination_list, len(lists.destination))
        setup = scripts.setup(request.key, request.length, decrypt=request.decrypt)
        async with self._registers.cpu.lock:
            try:
                if not self._locks:
                    await self._registers.script([*source, *destination, *setup, scripts.GO])
                    return None
                failure = await self._lock(request, source)
                if failure is None:
                    await self._registers.script([*setup, *destination, scripts.GO])
                    return None
            except EngineFault as refused:
                failure = await self._refused(request, lists, refused.address)
            await self._registers.reset()
        return failure

    async def _lock(self, request: EngineRequest, source: Sequence[RegisterAccess]) -> EngineFault | None:
        """Hand the source list over, then see whether it is this list that holds the lock."""
        await self._registers.script(source)
        seen = await self._registers.read(scripts.LOCK_READS)
        if not seen[Register.STATUS2] & qce.STATUS2_LOCKED.mask:
            return register_fault(Register.STATUS2, request.position, "lock in")
        for wanted in source[:2]:
            if seen[Register(wanted.address)] != wanted.value:
                return register_fault(wanted.address, request.position, "verification of")
        return None

    async def _refused(self, request: EngineRequest, lists: Lists, register: int) -> EngineFault:
        seen = await self._registers.read(scripts.REFUSAL_READS)
        for doorbell, address, items in (
                (Register.SRC_DOORBELL, request.work.source_list, lists.source),
                (Register.DST_DOORBELL, request.work.destination_list, lists.destination)):
            if register == doorbell:
                fault = list_fault(doorbell, seen, address, DESCRIPTOR_BYTES * len(items), request.position)
                if fault is not None:
                    return fault
        return register_fault(register, request.position, "write of")
