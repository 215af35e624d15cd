"""How the QCE's registers become errors: what failed, where, and after how many bytes. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pymodel.drivers.qce_scripts import ERRORS
from pymodel.engines import qce_registers as qce
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_registers import FaultAccess, FaultKind, Register
from pymodel.errors import EngineFault

Values = Mapping[Register, int]

_KINDS = {FaultKind.ALIGNMENT: "alignment", FaultKind.PAGE: "page", FaultKind.BUS: "bus"}
_ACCESSES = {
    FaultAccess.SOURCE: "source read",
    FaultAccess.DESTINATION: "destination write",
    FaultAccess.SOURCE_LIST: "source list read",
    FaultAccess.DESTINATION_LIST: "destination list read",
}
_LISTS = {Register.SRC_DOORBELL: FaultAccess.SOURCE_LIST, Register.DST_DOORBELL: FaultAccess.DESTINATION_LIST}


def fault_of(values: Values, completed: int) -> EngineFault:
    """Of a request that did not end well, from STATUS, FAULT and FAULT_ADDRESS.

    ``configuration``: the engine does not take the registers as they are. ``status``: it reports
    no error, nor that it is done. Memory faults can be repaired and the request go on.
    """
    if not values[Register.STATUS] & ERRORS:
        return EngineFault("status", Register.STATUS, completed, access="completion", restartable=False)
    return (_memory_fault(values, completed)
            or EngineFault("configuration", Register.STATUS, completed, access="setup", restartable=False))


def _memory_fault(values: Values, completed: int) -> EngineFault | None:
    kind, access = qce.FAULT_KIND.get(values[Register.FAULT]), qce.FAULT_ACCESS.get(values[Register.FAULT])
    if kind == FaultKind.NONE:
        return None
    return EngineFault(_KINDS[FaultKind(kind)], values[Register.FAULT_ADDRESS], completed,
                       access=_ACCESSES[FaultAccess(access)], restartable=kind != FaultKind.ALIGNMENT)


def list_fault(register: int, values: Values, address: int, length: int,
               completed: int) -> EngineFault | None:
    """Why a doorbell was refused, if its list, ``length`` bytes at ``address``, could not be read.

    ``register``: the one whose write was refused. None when there is another reason.
    """
    access = _LISTS.get(Register(register))
    inside = address <= values[Register.FAULT_ADDRESS] < address + length
    if access is None or access != qce.FAULT_ACCESS.get(values[Register.FAULT]) or not inside:
        return None
    return _memory_fault(values, completed)


def register_fault(register: int, completed: int, what: str) -> EngineFault:
    """A write that was refused, or did not last: another master was there."""
    return EngineFault("register", register, completed, access=f"{what} {Register(register).name}")


def stopped_at(values: Values, source: Sequence[Descriptor], destination: Sequence[Descriptor]) -> dict[
        str, int | str]:
    """The descriptors the engine took up last; only an index where it has come to the end of a list, and
    nothing where it could not be read."""
    state: dict[str, int | str] = {}
    for name, register, items in (("source", Register.SRC_CURRENT, source),
                                  ("destination", Register.DST_CURRENT, destination)):
        if register not in values:
            continue
        index = state[f"{name}_descriptor"] = values[register]
        if index < len(items):
            state[f"{name}_address"] = items[index].address
            state[f"{name}_size"] = items[index].size
    return state
