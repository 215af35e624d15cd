"""The QCE's register file: what an access may do, and what it leaves, as hdl/qce/qce_access.v has it."""

from __future__ import annotations

from dataclasses import dataclass

from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import LIST_ALIGNMENT, MAX_DESCRIPTORS, Descriptor, DescriptorFlag, key_bytes
from pymodel.engines.qce_course import Fault
from pymodel.engines.qce_registers import (
    CONFIG_MASK_ERR_INTR,
    CONFIG_MASK_OP_DONE_INTR,
    FAULT_ACCESS,
    FAULT_KIND,
    GOPROC_RESULTS_DUMP,
    RESET,
    STATUS_AXI_ERR,
    STATUS_DIN_ERR,
    STATUS_DOUT_ERR,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    STATUS_SW_ERR,
    WRITABLE,
    FaultAccess,
    FaultKind,
    Register,
)

ALWAYS_OPEN = frozenset({Register.STATUS, Register.CONFIG, Register.SOFT_RESET})
"""Written while the engine is busy too, and without locking it."""
INTERRUPTS = STATUS_OP_DONE_INTR.mask | STATUS_ERR_INTR.mask
STICKY = (INTERRUPTS | STATUS_SW_ERR.mask | STATUS_OPERATION_DONE.mask | STATUS_AXI_ERR.mask
          | STATUS_DIN_ERR.mask | STATUS_DOUT_ERR.mask)

_KEYS = tuple(Register(Register.ENCR_KEY0 + 4 * index) for index in range(8))
_COUNTERS = tuple(Register(Register.CNTR0_IV + 4 * index) for index in range(4))
_STORED = {Register.GOPROC: GOPROC_RESULTS_DUMP.mask, Register.ENCR_SEG_CFG: 0x7FF,
           Register.XTS_DU_SIZE: 0xFFFFF, Register.CONFIG: 0xF, Register.SRC_LIST_LENGTH: 0x7F,
           Register.DST_LIST_LENGTH: 0x7F, Register.SOFT_RESET: 0, Register.SRC_DOORBELL: 0,
           Register.DST_DOORBELL: 0}
"""Bits that a write leaves behind, where these are not all."""


@dataclass(frozen=True, slots=True)
class Access:
    """One access on the bus. ``value``: of a write; None for a read."""

    address: int
    value: int | None
    master: int
    privileged: bool = False


def checked(access: RegisterAccess, master: int) -> Access:
    """Raises ValueError for what does not fit on the bus."""
    if master not in (0, 1):
        raise ValueError(f"master {master}: there are 0 and 1")
    if not 0 <= access.address < 1 << 16:
        raise ValueError(f"address {access.address:#x} does not fit in 16 bits")
    if access.value is not None and not 0 <= access.value < 1 << 32:
        raise ValueError(f"value {access.value:#x} does not fit in 32 bits")
    return Access(access.address, access.value, master)


@dataclass(frozen=True, slots=True)
class ListPort:
    """The registers of one list."""

    address: Register
    length: Register
    doorbell: Register
    access: FaultAccess


SOURCE_LIST = ListPort(Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL,
                       FaultAccess.SOURCE_LIST)
DESTINATION_LIST = ListPort(Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL,
                            FaultAccess.DESTINATION_LIST)
_LIST_OF = {register: port for port in (SOURCE_LIST, DESTINATION_LIST)
            for register in (port.address, port.length, port.doorbell)}


@dataclass(frozen=True, slots=True)
class ArmedList:
    """A list that the engine has read. ``at``: the edge that armed it."""

    descriptors: tuple[Descriptor, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """An access is answered with SLVERR. ``fault``: what FAULT says afterwards, or None for what it said."""

    fault: Fault | None = None


class RegisterFile:
    """Registers, armed lists and the lock, as they are between two edges.

    ``shared``: the quirk SHARED_REGISTERS.
    """

    def __init__(self, *, shared: bool) -> None:
        self.values: dict[Register, int] = dict(RESET)
        self.armed: dict[ListPort, ArmedList] = {}
        self.lock: int | None = None
        """The master that holds it."""
        self.ended = False
        """Whether a request has ended under this lock."""
        self._shared = shared

    # -- what the engine wants to know ----------------------------------------------------------------

    def key(self, size: int) -> bytes:
        """The first ``size`` bytes."""
        return key_bytes([self.values[register] for register in _KEYS])[:size]

    def counters(self) -> tuple[int, int, int, int]:
        first, second, third, fourth = (self.values[register] for register in _COUNTERS)
        return first, second, third, fourth

    def interrupt(self) -> bool:
        """The level of the interrupt line."""
        status, masks = self.values[Register.STATUS], self.values[Register.CONFIG]
        return bool((STATUS_OP_DONE_INTR.get(status) and not CONFIG_MASK_OP_DONE_INTR.get(masks))
                    or (STATUS_ERR_INTR.get(status) and not CONFIG_MASK_ERR_INTR.get(masks)))

    # -- what the engine reports ----------------------------------------------------------------------

    def report(self, status: int, fault: Fault | None) -> None:
        """The end of a request: its lists are used up."""
        self.values[Register.STATUS] = status
        self.ended = self.lock is not None
        self.armed.clear()
        if fault is not None:
            self.fault(fault)

    def fault(self, fault: Fault) -> None:
        self.values[Register.FAULT] = FAULT_KIND.put(fault.kind) | FAULT_ACCESS.put(fault.access)
        self.values[Register.FAULT_ADDRESS] = fault.address

    def begin(self) -> None:
        """GO: what was reported is forgotten."""
        for register in (Register.STATUS, Register.FAULT, Register.FAULT_ADDRESS):
            self.values[register] = 0

    def arm(self, port: ListPort, descriptors: tuple[Descriptor, ...], at: int, master: int) -> None:
        """The list has been read. Its first descriptor may lock the registers."""
        self.armed[port] = ArmedList(descriptors, at)
        if self.lock is None and (not self._shared or descriptors[0].flags & DescriptorFlag.LOCK):
            self.lock, self.ended = master, False

    # -- accesses -------------------------------------------------------------------------------------

    def refusal(self, access: Access, *, busy: bool) -> Refusal | None:
        """Whether it is answered with SLVERR, and what that leaves behind."""
        try:
            register = Register(access.address)
        except ValueError:
            return Refusal()
        if access.value is None:
            return None
        port = _LIST_OF.get(register)
        if register not in WRITABLE or self._locked_out(access, register):
            return Refusal()
        if (busy and port is None and register not in ALWAYS_OPEN) or port in self.armed:
            return Refusal()
        return None if port is None or register is not port.doorbell else self._no_ring(port)

    def _locked_out(self, access: Access, register: Register) -> bool:
        if self.lock is None or self.lock == access.master:
            return False
        return not (register is Register.SOFT_RESET and access.privileged)

    def _no_ring(self, port: ListPort) -> Refusal | None:
        address = self.values[port.address]
        if address % LIST_ALIGNMENT:
            return Refusal(Fault(FaultKind.ALIGNMENT, port.access, address))
        return None if 0 < self.values[port.length] <= MAX_DESCRIPTORS else Refusal()

    def store(self, access: Access, value: int, *, busy: bool) -> ListPort | None:
        """A write that is not refused. Returns the list whose doorbell it rings."""
        register = Register(access.address)
        if register is Register.STATUS:
            self._write_status(value, busy)
        else:
            self.values[register] = value & _STORED.get(register, 0xFFFFFFFF)
        port = _LIST_OF.get(register)
        if port is not None and register is port.doorbell:
            return port
        if not self._shared and self.lock is None and register not in ALWAYS_OPEN:
            self.lock, self.ended = access.master, False
        return None

    def _write_status(self, value: int, busy: bool) -> None:
        """The lock is given back by who acknowledges the end of a request under it, and of no other."""
        before = self.values[Register.STATUS]
        after = self.values[Register.STATUS] = before & value & STICKY
        if not busy and self.ended and before & INTERRUPTS and not after & INTERRUPTS:
            self.lock = None
