"""A PadLock on its transaction-level model, for tests of the driver."""

from __future__ import annotations

from dataclasses import replace

from pymodel.drivers.padlock import PadlockDriver
from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import EngineReset, Xcrypt
from pymodel.engines.quirks import Quirk
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory

PADLOCK_QUIRKS = Quirk((1 << 6) - 1)


class RecordingPort:
    """Passes everything on to the model and keeps the operations in ``log``.

    ``interrupts``: for each coming ``xcrypt`` the cycle at which to interrupt it, 0 = not.
    ``silent``: the engine never completes.
    """

    def __init__(self, model: PadlockModel, kernel: Kernel) -> None:
        self.model = model
        self.log: list[Xcrypt | str] = []
        self.interrupts: list[int] = []
        self.silent = False
        self.cpu = 0
        self._abandoned = kernel.event("completion that never comes")

    async def xcrypt(self, op):
        self.log.append(op)
        if self.silent:
            self._abandoned.clear()
            await self._abandoned.wait()
            raise EngineReset
        cycle = self.interrupts.pop(0) if self.interrupts else 0
        return await self.model.xcrypt(replace(op, interrupt_at=cycle))

    async def load_flags(self):
        self.log.append("popf")
        await self.model.load_flags()

    async def key_loaded(self):
        return await self.model.key_loaded()

    async def interrupt(self):
        await self.model.interrupt()

    async def reset(self):
        self.log.append("reset")
        await self.model.reset()
        self._abandoned.set()

    def state(self):
        return {"asked": len(self.log), **self.model.state()}

    def requests(self) -> list[Xcrypt]:
        return [item for item in self.log if isinstance(item, Xcrypt)]


class PadlockBench:
    """Kernel, memory, model, a port that records, and drivers on it."""

    def __init__(self, *, quirks: Quirk = PADLOCK_QUIRKS, fetch_blocks: int = 2, pages: int = 128,
                 **timing: int) -> None:
        self.kernel = Kernel()
        self.memory = HostMemory(pages * PAGE_BYTES)
        self.cpu = Cpu(self.kernel)
        self.fetch_blocks = fetch_blocks
        self.model = PadlockModel(self.kernel, self.memory, quirks=quirks, fetch_blocks=fetch_blocks,
                                  **timing)
        self.port = RecordingPort(self.model, self.kernel)
        self.run = self.kernel.run

    def driver(self, **options) -> PadlockDriver:
        options = {"fetch_blocks": self.fetch_blocks, **options}
        return PadlockDriver(self.port, self.memory, self.kernel, self.cpu, **options)
