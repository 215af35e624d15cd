"""A QCE on its transaction-level model, for tests of the driver."""

from __future__ import annotations

from seeded import seeded

from pymodel.buffers import Buffers
from pymodel.drivers.qce import QceDriver
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce_model import QceModel
from pymodel.engines.qce_registers import WRITABLE, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory

QCE_QUIRKS = Quirk.all()

HARMFUL = {
    Register.ENCR_KEY0: 0xBAD,
    Register.ENCR_SEG_CFG: 2,
    Register.ENCR_SEG_SIZE: 144,
    Register.SEG_SIZE: 144,
    Register.ENCR_SEG_START: 16,
    Register.CONFIG: 0xF,
    Register.STATUS: 0,
    Register.GOPROC: 1,
    Register.SRC_LIST_ADDRESS: 0x2000,
    Register.SRC_LIST_LENGTH: 2,
    Register.SRC_DOORBELL: 1,
    Register.DST_LIST_ADDRESS: 0x2008,
    Register.DST_LIST_LENGTH: 1,
    Register.DST_DOORBELL: 1,
    Register.SOFT_RESET: 1,
}
"""What another master could write to a register to spoil a request."""

EVERY = (*sorted(WRITABLE), *HARMFUL)
"""To choose from: all, and those again with which harm can be done."""


class RecordingPort:
    """Passes everything on to the model and keeps scripts and resets in ``log``.

    ``masters``: who has sent each script.
    """

    def __init__(self, model: QceModel) -> None:
        self.model = model
        self.log: list[list[RegisterAccess] | str] = []
        self.masters: list[int] = []

    @property
    def quirks(self):
        return self.model.quirks

    @property
    def irq(self):
        return self.model.irq

    async def read(self, address, master=0):
        return await self.model.read(address, master)

    async def write(self, address, value, master=0):
        await self.model.write(address, value, master)

    async def script(self, accesses, master=0):
        self.log.append(list(accesses))
        self.masters.append(master)
        return await self.model.script(accesses, master)

    async def reset(self):
        self.log.append("reset")
        await self.model.reset()

    def written(self, register):
        """All values written to a register, in order."""
        return [access.value for script in self.log if script != "reset" for access in script
                if access.address == register and access.value is not None]

    def requests(self):
        """The lengths with which GO was written."""
        return self.written(Register.ENCR_SEG_SIZE)


class QceBench:
    """Kernel, memory, model, a port that records, and drivers on it; everything for the engine goes there."""

    def __init__(self, *, quirks: Quirk = QCE_QUIRKS, pages: int = 256, **timing: int) -> None:
        self.kernel = Kernel()
        self.memory = HostMemory(pages * PAGE_BYTES)
        self.cpu = Cpu(self.kernel)
        self.model = QceModel(self.kernel, self.memory, quirks=quirks, **timing)
        self.port = RecordingPort(self.model)
        self.run = self.kernel.run

    def driver(self, **options) -> QceDriver:
        options = {"aes_sw_max_len": 0, **options}
        return QceDriver(self.port, self.memory, self.kernel, self.cpu, **options)

    def naive(self, quirk: Quirk, **options) -> QceDriver:
        return self.driver(handles=Quirk.all() & ~quirk, **options)

    def free_bytes(self) -> int:
        return self.memory.size - sum(self.memory._allocated.values())

    def ecb(self, driver, key, data, *, decrypt=False, in_place=False, offset=0):
        """One contiguous request, ``offset`` bytes from an aligned place; returns its result."""
        src = self.buffer(data, offset)
        dst = src if in_place else self.buffer(bytes(len(data)), offset)
        self.run(driver.ecb(key, src, dst, decrypt=decrypt))
        return dst.read(self.memory)

    def buffer(self, data, offset=0):
        """New memory that holds ``data``."""
        where = self.memory.allocate(len(data) + offset) + offset
        self.memory.write(where, data)
        return Buffers.of(where, len(data))


async def error_of(request):
    """The error in which it ends, or None."""
    try:
        await request
    except (EngineFault, EngineHang) as error:
        return error
    return None


def some_data(length: int, seed: object = 1) -> bytes:
    return seeded(seed).randbytes(length)
