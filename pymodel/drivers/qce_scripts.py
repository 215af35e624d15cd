"""What the QCE's driver writes to registers and reads from them: lists of accesses. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pymodel.engines import qce_registers as qce
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import key_words
from pymodel.engines.qce_registers import Alg, CryptoState, KeySize, Mode, Register

KEY_SIZES = {16: KeySize.AES128, 24: KeySize.AES192, 32: KeySize.AES256}
"""By bytes."""

LOCK_READS = (Register.STATUS2, Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH)
RESULT_READS = (Register.STATUS, Register.BYTES_DONE, Register.CYCLES, Register.FAULT, Register.FAULT_ADDRESS)
REFUSAL_READS = (Register.FAULT, Register.FAULT_ADDRESS)
EVERY_READ = tuple(sorted(qce.READABLE))


def reads(registers: Iterable[Register]) -> list[RegisterAccess]:
    return [RegisterAccess(register) for register in registers]


def source_list(address: int, descriptors: int) -> list[RegisterAccess]:
    """Hand over the source list; with LOCK in it nobody else can write from the last of these on."""
    return [RegisterAccess(Register.SRC_LIST_ADDRESS, address),
            RegisterAccess(Register.SRC_LIST_LENGTH, descriptors),
            RegisterAccess(Register.SRC_DOORBELL, 1)]


def destination_list(address: int, descriptors: int) -> list[RegisterAccess]:
    return [RegisterAccess(Register.DST_LIST_ADDRESS, address),
            RegisterAccess(Register.DST_LIST_LENGTH, descriptors),
            RegisterAccess(Register.DST_DOORBELL, 1)]


def setup(key: bytes, length: int, *, decrypt: bool) -> list[RegisterAccess]:
    """All registers of an ECB request, in the order of Linux (qce/common.c), CONFIG for the interrupts."""
    config = (qce.ENCR_SEG_CFG_ALG.put(Alg.AES) | qce.ENCR_SEG_CFG_KEY_SIZE.put(KEY_SIZES[len(key)])
              | qce.ENCR_SEG_CFG_MODE.put(Mode.ECB) | qce.ENCR_SEG_CFG_ENCODE.put(not decrypt))
    return [RegisterAccess(Register.STATUS, 0),
            RegisterAccess(Register.CONFIG, qce.CONFIG_MASK_DIN_INTR.mask | qce.CONFIG_MASK_DOUT_INTR.mask),
            *(RegisterAccess(Register.ENCR_KEY0 + 4 * n, word) for n, word in enumerate(key_words(key))),
            RegisterAccess(Register.ENCR_SEG_CFG, config),
            RegisterAccess(Register.ENCR_SEG_SIZE, length),
            RegisterAccess(Register.ENCR_SEG_START, 0),
            RegisterAccess(Register.SEG_SIZE, length)]


GO = RegisterAccess(Register.GOPROC, qce.GOPROC_GO.mask | qce.GOPROC_RESULTS_DUMP.mask)
"""Begin, and ask for the result dump, as Linux always does."""

ACKNOWLEDGE = RegisterAccess(Register.STATUS, 0)
"""Lowers the interrupt, and gives the lock back."""


ERRORS = qce.STATUS_SW_ERR.mask | qce.STATUS_AXI_ERR.mask
"""In STATUS."""


def busy(status: int) -> bool:
    """The engine is at work: it has neither ended nor stopped at an error."""
    return bool(status & qce.STATUS_ENCR_BUSY.mask) and not status & (ERRORS | qce.STATUS_OPERATION_DONE.mask)


def failed(status: int) -> bool:
    """Linux' rule (qce_check_status)."""
    return bool(status & ERRORS) or not status & qce.STATUS_OPERATION_DONE.mask


def named(values: Mapping[Register, int]) -> dict[str, int | str]:
    """Registers and the engine's state by name, as far as they could be read."""
    names: dict[str, int | str] = {register.name: value for register, value in values.items()}
    if Register.STATUS in values:
        state = qce.STATUS_CRYPTO_STATE.get(values[Register.STATUS])
        names["CRYPTO_STATE"] = CryptoState(state).name if state in list(CryptoState) else state
    return names
