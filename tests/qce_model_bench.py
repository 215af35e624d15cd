"""A QCE on its transaction-level model, for tests that make register accesses themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pymodel import golden
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor, ResultDump, encode_list, key_words
from pymodel.engines.qce_model import QceModel
from pymodel.engines.qce_registers import (
    CONFIG_MASK_ERR_INTR,
    CONFIG_MASK_OP_DONE_INTR,
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_ENCODE,
    ENCR_SEG_CFG_KEY_SIZE,
    GOPROC_GO,
    GOPROC_RESULTS_DUMP,
    STATUS_CRYPTO_STATE,
    Alg,
    CryptoState,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

SOURCE_LIST, DESTINATION_LIST = 0x1000, 0x1400
SRC, DST = 0x8000, 0x18000
NONE = Quirk(0)
KEY = bytes(range(16))
DATA = bytes(i * 7 & 255 for i in range(512 * 16))
BELLS = {SOURCE_LIST: (Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL),
         DESTINATION_LIST: (Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What registers tell when a request is over, or when nothing more is waited for."""

    status: int
    cycles: int
    bytes_done: int
    fault: int
    fault_address: int
    source_current: int
    destination_current: int

    @property
    def state(self) -> CryptoState:
        return CryptoState(STATUS_CRYPTO_STATE.get(self.status))


class Engine:
    """A model with data in memory. ``ask`` hands over lists, sets it up, waits and reads it out."""

    def __init__(self, *, without: Quirk = NONE, slow_start_cycles: int = 4, **timing: int) -> None:
        self.kernel, self.memory = Kernel(), HostMemory(1 << 20)
        self.model = QceModel(self.kernel, self.memory, quirks=Quirk.all() & ~without,
                              slow_start_cycles=slow_start_cycles, **timing)
        self.memory.write(SRC, DATA)

    def run(self, coroutine):
        return self.kernel.run(coroutine)

    def read(self, register: int) -> int:
        return self.run(self.model.read(register))

    def write(self, register: int, value: int, master: int = 0) -> None:
        self.run(self.model.write(register, value, master))

    def ring(self, at: int, descriptors: Sequence[Descriptor]) -> list[RegisterAccess]:
        """Put a list into memory; the accesses that hand it over."""
        self.memory.write(at, encode_list(descriptors))
        return [RegisterAccess(register, value)
                for register, value in zip(BELLS[at], (at, len(descriptors), 1), strict=True)]

    def setup(self, size: int, *, key: bytes = KEY, decrypt: bool = False, dump: bool = False,
              **changes: int) -> list[RegisterAccess]:
        """Up to and with GO. ``changes``: values of registers by name."""
        config = (ENCR_SEG_CFG_ALG.put(Alg.AES) | ENCR_SEG_CFG_KEY_SIZE.put((len(key) - 16) // 8)
                  | ENCR_SEG_CFG_ENCODE.put(not decrypt))
        values = {"CONFIG": 0xF ^ CONFIG_MASK_ERR_INTR.mask ^ CONFIG_MASK_OP_DONE_INTR.mask,
                  "ENCR_SEG_CFG": config, "ENCR_SEG_SIZE": size, "SEG_SIZE": size, "ENCR_SEG_START": 0,
                  **changes, "GOPROC": GOPROC_GO.mask | (GOPROC_RESULTS_DUMP.mask if dump else 0)}
        keys = [RegisterAccess(Register.ENCR_KEY0 + 4 * index, word)
                for index, word in enumerate(key_words(key))]
        return [*keys, *(RegisterAccess(Register[name], value) for name, value in values.items())]

    def ask(self, size: int, source: Sequence[Descriptor] | None = None,
            destination: Sequence[Descriptor] | None = None, *, timeout: int = 20_000, **setup) -> Outcome:
        """One descriptor each unless said otherwise, the destination's with room for the dump."""
        blocks = -(-size // 16) * 16
        rings = [*self.ring(SOURCE_LIST, source or [Descriptor(SRC, blocks)]),
                 *self.ring(DESTINATION_LIST, destination or [Descriptor(DST, blocks + 128)])]
        return self.run(self._ask([*rings, *self.setup(size, **setup)], timeout))

    async def _ask(self, accesses: Sequence[RegisterAccess], timeout: int) -> Outcome:
        await self.model.script(accesses)
        await self.model.irq.wait(timeout)
        return await self.outcome()

    async def outcome(self) -> Outcome:
        registers = (Register.STATUS, Register.CYCLES, Register.BYTES_DONE, Register.FAULT,
                     Register.FAULT_ADDRESS, Register.SRC_CURRENT, Register.DST_CURRENT)
        return Outcome(*await self.model.script([RegisterAccess(register) for register in registers]))

    def reset(self) -> None:
        self.run(self.model.reset())

    def dump_at(self, address: int) -> ResultDump:
        return ResultDump.decode(self.memory.read(address, 128))

    def encrypted(self, size: int, key: bytes = KEY) -> bytes:
        return golden.ecb_encrypt(key, DATA[:size])


def by_name(register):
    return register.name


def refused(engine, address, value=None, master=0):
    try:
        engine.run(engine.model.script([RegisterAccess(address, value)], master))
    except EngineFault as fault:
        return (fault.kind, fault.address) == ("register", address)
    return False


async def started(engine, size=512, first=0, **setup):
    """Hand over lists with these flags in the first descriptor, and set a request going."""
    rings = [*engine.ring(SOURCE_LIST, [Descriptor(SRC, size, first)]),
             *engine.ring(DESTINATION_LIST, [Descriptor(DST, size + 128)])]
    await engine.model.script([*rings, *engine.setup(size, **setup)])
