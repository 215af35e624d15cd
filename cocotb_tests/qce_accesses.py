"""Register accesses of a request to the QCE, and plain requests made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cocotb_tests.qce_scenes import READ_OUT, Act, Action, Interrupt, Script, Step, Write
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor, encode_list, key_words
from pymodel.engines.qce_registers import (
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_ENCODE,
    ENCR_SEG_CFG_KEY_SIZE,
    GOPROC_GO,
    GOPROC_RESULTS_DUMP,
    Alg,
    Register,
)

SOURCE_BELL = (Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL)
DESTINATION_BELL = (Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL)
ACKNOWLEDGE = RegisterAccess(Register.STATUS, 0)


def ring(bell: tuple[Register, Register, Register], address: int, length: int) -> list[RegisterAccess]:
    """Hand over a list of that many descriptors."""
    return [RegisterAccess(register, value)
            for register, value in zip(bell, (address, length, 1), strict=True)]


def go(*, dump: bool = False) -> RegisterAccess:
    return RegisterAccess(Register.GOPROC, GOPROC_GO.mask | (GOPROC_RESULTS_DUMP.mask if dump else 0))


@dataclass(frozen=True, slots=True)
class Plain:
    """A request of ``size`` bytes. ``lists_at``: where its lists lie in memory."""

    size: int
    source: Sequence[Descriptor]
    destination: Sequence[Descriptor]
    dump: bool = False
    key: bytes = bytes(range(16))
    decrypt: bool = False
    lists_at: tuple[int, int] = (0x1800, 0x2A00)

    def lists(self) -> list[Step]:
        """The host writes them."""
        return [Write(address, encode_list(descriptors))
                for address, descriptors in zip(self.lists_at, (self.source, self.destination), strict=True)]

    def rings(self) -> list[RegisterAccess]:
        source_at, destination_at = self.lists_at
        return [*ring(SOURCE_BELL, source_at, len(self.source)),
                *ring(DESTINATION_BELL, destination_at, len(self.destination))]

    def setup(self) -> list[RegisterAccess]:
        config = (ENCR_SEG_CFG_ALG.put(Alg.AES) | ENCR_SEG_CFG_KEY_SIZE.put((len(self.key) - 16) // 8)
                  | ENCR_SEG_CFG_ENCODE.put(not self.decrypt))
        keys = [RegisterAccess(Register.ENCR_KEY0 + 4 * index, word)
                for index, word in enumerate(key_words(self.key))]
        values = {Register.ENCR_SEG_CFG: config, Register.ENCR_SEG_SIZE: self.size,
                  Register.SEG_SIZE: self.size, Register.CONFIG: 0}
        return [*keys, *(RegisterAccess(register, value) for register, value in values.items())]

    def script(self) -> Script:
        return Script((*self.rings(), *self.setup(), go(dump=self.dump)))

    def act(self, *others: Sequence[Action], polls: Sequence[Action] = (), timeout: int = 2000,
            reset: bool = False) -> Act:
        """The request from its doorbells to its acknowledgement, beside what ``others`` do."""
        own = (self.script(), *polls, Interrupt(timeout), Script((*READ_OUT, ACKNOWLEDGE)))
        return Act((own, *(tuple(other) for other in others)), reset=reset)
