"""QcePort: the RegisterPort protocol on the RTL, through ``qce_top``.

Per script Python wakes twice: to post all its accesses (one packed write and a toggle) and when the last
one has been answered. Accesses of master 0 go as scripts, one script at a time; those of master 1 and the
soft reset go one by one, in front of what is left of a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cocotb
from cocotb.triggers import ValueChange

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.kernel import CosimKernel
from cocotb_tests.env.power import power_ons
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce_registers import GOPROC_GO, SOFT_RESET_RESET, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.kernel import Event, Lock

STRAPS = ("slow_start_cycles",)
INPUTS = ("script", "script_post", "second", *STRAPS)
"""Of qce_top, besides those that every top has."""

SCRIPT_ENTRIES = 32
"""Accesses that one script can hold."""
_ENTRY_BITS = 49
_WORD = 0xFFFFFFFF
_DOORBELLS = frozenset({int(Register.SRC_DOORBELL), int(Register.DST_DOORBELL)})
_MOVING = _DOORBELLS | {int(Register.GOPROC), int(Register.SOFT_RESET)}
"""Writes to these may let the engine touch memory."""
_STATUS, _GOPROC, _GO = int(Register.STATUS), int(Register.GOPROC), GOPROC_GO.mask
_PRIVILEGED, _MASTER_SHIFT = 1, 1
"""Bits of AWPROT and ARPROT."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``values``: of the reads. ``done``: accesses answered, the last of them ``refused`` or not.

    ``irq``: the line when software sees it.
    """

    values: tuple[int, ...]
    done: int
    refused: bool
    irq: bool = False


class Witness(Protocol):
    """Who predicts and judges what happens at the port; times are cycles of the kernel."""

    def posted(self, accesses: Sequence[RegisterAccess], master: int, now: int) -> Any:
        """Returns what ``ended`` wants back."""

    def reset_posted(self, quirks: Quirk, now: int) -> Any:
        """A soft reset, which samples these straps; ends with ``ended``."""

    def ended(self, posted: Any, answer: Answer, now: int) -> None: ...

    def irq_rose(self, now: int) -> None: ...

    def syncing(self, now: int) -> None:
        """The mirror is about to become what the RTL's memory is."""

    def synced(self) -> None:
        """It has."""


class _Interrupt(Event):
    """What software sees of memory when it wakes is what the engine left there."""

    def __init__(self, port: QcePort, kernel: CosimKernel) -> None:
        super().__init__(kernel, "interrupt of qce")
        self._port = port

    def set(self) -> None:
        self._port.irq_rose()
        super().set()


class QcePort:
    """``witness`` judges each access and request. ``quirks`` take effect at a reset."""

    def __init__(self, dut: Any, kernel: CosimKernel, memory: MirrorMemory, witness: Witness, *,
                 quirks: Quirk) -> None:
        self.quirks = quirks
        self.irq: Event = _Interrupt(self, kernel)
        self._quirk = dut.quirk
        self._script_entries, self._script_post = dut.script, dut.script_post
        self._script_result = dut.script_result
        self._second_post, self._second_result = dut.second, dut.second_result
        self._busy, self._line = dut.busy, dut.irq
        self._kernel = kernel
        self._memory = memory
        self._witness = witness
        self._script_turn, self._second_turn = Lock(kernel, "script of qce"), Lock(kernel, "access to qce")
        self._script_done, self._second_done = kernel.event("end of script"), kernel.event("end of access")
        self._script_toggle = self._second_toggle = 0
        self._armed: set[int] = set()
        """Doorbells rung since the last request ended."""
        self._gone = False
        """GO has been written since then."""
        self._moves_under_way = 0
        """Access lists not yet answered that let the engine touch memory."""
        memory.in_flight = self._moving
        cocotb.start_soon(self._watch(dut))

    # -- RegisterPort -----------------------------------------------------------------------------

    async def read(self, address: int, master: int = 0) -> int:
        return (await self.script([RegisterAccess(address)], master))[0]

    async def write(self, address: int, value: int, master: int = 0) -> None:
        await self.script([RegisterAccess(address, value)], master)

    async def script(self, accesses: Sequence[RegisterAccess], master: int = 0) -> list[int]:
        values: list[int] = []
        if master:
            for access in accesses:
                values += await self._second(access, master)
            return values
        async with self._script_turn:
            for start in range(0, len(accesses), SCRIPT_ENTRIES):
                values += await self._script(accesses[start:start + SCRIPT_ENTRIES])
        return values

    async def reset(self) -> None:
        async with self._second_turn:
            self._quirk.value = int(self.quirks)
            posted = self._witness.reset_posted(self.quirks, self._kernel.now())
            self._moves_under_way += 1
            await self._post_second(RegisterAccess(Register.SOFT_RESET, SOFT_RESET_RESET.mask), _PRIVILEGED)
            self._moves_under_way -= 1
            self._armed.clear()
            self._gone = False
            self._answered(posted, Answer((), 1, False))
        self._sync()

    def irq_rose(self) -> None:
        """Called when software is about to see it."""
        self._witness.irq_rose(self._kernel.now())
        self._sync()

    # -- accesses -----------------------------------------------------------------------------------

    async def _script(self, accesses: Sequence[RegisterAccess]) -> list[int]:
        """At most SCRIPT_ENTRIES accesses of master 0."""
        packed = sum(_packed(access) << _ENTRY_BITS * index for index, access in enumerate(accesses))
        with self._moves(accesses):
            posted = self._witness.posted(accesses, 0, self._kernel.now())
            self._script_toggle ^= 1
            self._script_done.clear()
            self._script_entries.value = packed
            self._script_post.value = self._script_toggle << 9 | len(accesses)
            await self._script_done.wait()
            answer = self.script_answer(accesses)
            self._note(accesses, answer)
        self._answered(posted, answer)
        return self._outcome(accesses, answer)

    def script_answer(self, accesses: Sequence[RegisterAccess]) -> Answer:
        """What has been answered so far."""
        result = int(self._script_result.value)
        done, refused = result >> 1024 & 0x3F, bool(result >> 1030)
        values = tuple(result >> 32 * index & _WORD for index, access in enumerate(accesses[:done])
                       if access.value is None and not (refused and index == done - 1))
        return Answer(values, done, refused)

    async def _second(self, access: RegisterAccess, master: int) -> list[int]:
        async with self._second_turn:
            with self._moves([access]):
                posted = self._witness.posted([access], master, self._kernel.now())
                await self._post_second(access, master << _MASTER_SHIFT)
                result = int(self._second_result.value)
                refused = bool(result >> 32)
                values = (result & _WORD,) if access.value is None and not refused else ()
                answer = Answer(values, 1, refused)
                self._note([access], answer)
            self._answered(posted, answer)
            return self._outcome([access], answer)

    async def _post_second(self, access: RegisterAccess, protection: int) -> None:
        self._second_toggle ^= 1
        self._second_done.clear()
        self._second_post.value = (self._second_toggle << 3 | protection) << _ENTRY_BITS | _packed(access)
        await self._second_done.wait()

    def _answered(self, posted: Any, answer: Answer) -> None:
        level = bool(int(self._line.value))
        if not level:
            self.irq.clear()
        self._witness.ended(posted, replace(answer, irq=level), self._kernel.now())

    def _outcome(self, accesses: Sequence[RegisterAccess], answer: Answer) -> list[int]:
        """What the caller gets, with memory as it should see it. Raises EngineFault."""
        if any(access.address == _STATUS and access.value is None for access in accesses):
            self._sync()
        if answer.refused:
            access = accesses[answer.done - 1]
            raise EngineFault("register", access.address, 0, restartable=False,
                              access="read" if access.value is None else "write")
        return list(answer.values)

    async def _watch(self, dut: Any) -> None:
        """The monitor: one wake for everything that changes at an edge. The interrupt is reported first.

        It ends when the test switches the power on again: what happens then is another port's.
        """
        power = power_ons()
        changed = ValueChange(dut.done_event)
        script, second = dut.script_event, dut.second_event
        level, script_seen, second_seen = 0, int(script.value), int(second.value)
        while True:
            await changed
            if power_ons() != power:
                return
            before, level = level, int(self._line.value)
            if level > before:
                self._kernel.notify(self.irq)
            if (value := int(script.value)) != script_seen:
                script_seen = value
                self._kernel.notify(self._script_done)
            if (value := int(second.value)) != second_seen:
                second_seen = value
                self._kernel.notify(self._second_done)

    # -- memory -----------------------------------------------------------------------------------

    def _moving(self) -> bool:
        """Whether the engine may touch memory. It waits without doing so for a list that is not armed."""
        if self._moves_under_way:
            return True
        if not int(self._busy.value):
            if self._gone:
                self._gone = False
                self._armed.clear()
            return False
        return len(self._armed) == len(_DOORBELLS)

    def _sync(self) -> None:
        if not self._moving():
            self._witness.syncing(self._kernel.now())
            self._memory.sync()
            self._witness.synced()

    @contextmanager
    def _moves(self, accesses: Sequence[RegisterAccess]) -> Iterator[None]:
        """Around accesses: those that make the engine read or write memory find it up to date."""
        if not any(map(_moves_data, accesses)):
            yield
            return
        self._sync()
        self._moves_under_way += 1
        try:
            yield
        finally:
            self._moves_under_way -= 1

    def _note(self, accesses: Sequence[RegisterAccess], answer: Answer) -> None:
        for access in accesses[:answer.done - answer.refused]:
            if access.address in _DOORBELLS:
                self._armed.add(access.address)
            elif _moves_data(access):
                self._gone = True


def _packed(access: RegisterAccess) -> int:
    """{write, address, data}. Raises ValueError for what does not fit."""
    value = access.value or 0
    if not 0 <= access.address < 1 << 16 or not 0 <= value <= _WORD:
        raise ValueError(f"{access} does not fit a register access")
    return (access.value is not None) << 48 | access.address << 32 | value


def _moves_data(access: RegisterAccess) -> bool:
    """A doorbell, GO, or a reset by hand."""
    if access.value is None or access.address not in _MOVING:
        return False
    return access.address != _GOPROC or bool(access.value & _GO)
