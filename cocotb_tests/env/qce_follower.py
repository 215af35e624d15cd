"""QceFollower: predicts the QCE under random back-pressure, where nobody knows when a request ends.

The model goes on only as far as the RTL has shown that it has got: it makes each access when the RTL has
answered it, and comes to the end of a request when the RTL's interrupt, its status or a write that it
took say that this is over. Its memory is so slow that no request ends earlier by itself. Values,
refusals, data and dump are compared, times are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.qce_port import Answer
from cocotb_tests.env.qce_predictor import different, named
from cocotb_tests.env.qce_requests import QceRequests
from pymodel.engines.padlock import LATENCIES
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce_access import ALWAYS_OPEN
from pymodel.engines.qce_registers import (
    GOPROC_GO,
    SOFT_RESET_RESET,
    STATUS_CRYPTO_STATE,
    STATUS_ENCR_BUSY,
    CryptoState,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.jobs.bench_spec import BenchSpec

_SLOWEST = LATENCIES[-1]
_A_LONG_TIME = 1 << 40
"""Cycles in which the model comes to the end of everything that ends."""
_HUNG = frozenset({CryptoState.WAIT_SOURCE, CryptoState.WAIT_DESTINATION, CryptoState.WAIT_UNIT,
                   CryptoState.WAIT_BLOCK, CryptoState.WAIT_LENGTH})
_MOVING = frozenset({Register.STATUS, Register.BYTES_DONE, Register.SRC_CURRENT, Register.DST_CURRENT,
                     Register.STATUS2})
"""Read differently while a request runs."""
_LISTS = frozenset({Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL,
                    Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL})


@dataclass(slots=True, eq=False)
class _Posted:
    """Accesses on their way; the first ``made`` of them the model has made, with ``read`` of their values."""

    number: int
    accesses: Sequence[RegisterAccess]
    master: int
    at: int
    quiet_after: int | None
    """The engine had nothing to do when they were posted, after so many GO."""
    made: int = 0
    read: int = 0

    @property
    def label(self) -> str:
        return f"{named(self.accesses)} of master {self.master}, number {self.number}"


class QceFollower(QceRequests):
    """A ``Witness``. ``busy``: whether the RTL is, ``script_so_far``: what it has answered of the script."""

    def __init__(self, memory: MirrorMemory, spec: BenchSpec, busy: Callable[[], bool]) -> None:
        super().__init__(memory, spec, exact=False, slow_start_cycles=spec.slow_start_cycles,
                         read_latency=_SLOWEST, write_latency=_SLOWEST)
        self._kernel = self._model.kernel
        self._busy = busy
        self.script_so_far: Callable[[Sequence[RegisterAccess]], Answer] | None = None
        self._posts = 0
        self._script: _Posted | None = None
        self._starts = 0
        """How often GO has been written."""
        self._settled = True
        """The model has come to the end of all that it was told to do."""

    def set_memory(self, *, read_latency: int, write_latency: int, read_errors: set[int],
                   write_errors: set[int]) -> None:
        super().set_memory(read_latency=_SLOWEST, write_latency=_SLOWEST, read_errors=read_errors,
                           write_errors=write_errors)

    # -- Witness --------------------------------------------------------------------------------------

    def posted(self, accesses: Sequence[RegisterAccess], master: int, now: int) -> _Posted:
        self._posts += 1
        posted = _Posted(self._posts, accesses, master, now, None if self._busy() else self._starts)
        if not master:
            self._script = posted
        return posted

    def reset_posted(self, quirks: Quirk, now: int) -> Quirk:
        return quirks

    def ended(self, posted: _Posted | Quirk, answer: Answer, now: int) -> None:
        if posted is not self._script:
            self._catch_up(now)
        if isinstance(posted, Quirk):
            self._model.quirks = posted
            self._kernel.run(self._model.reset(), "predicted reset")
            self._settled = True
            return
        if posted is self._script:
            self._script = None
        self._make(posted, answer)
        if self._settled and self._model.irq.is_set() != answer.irq:
            self.scoreboard.report(f"{posted.label}: interrupt: expected {self._model.irq.is_set()}, "
                                   f"observed {answer.irq}")

    def irq_rose(self, now: int) -> None:
        self._settle()
        if not self._model.irq.is_set():
            self.scoreboard.report(f"the interrupt rose in cycle {now}, which the model's did not")

    def syncing(self, now: int) -> None:
        """Only done while the engine has nothing to do."""
        if not self._busy():
            self._settle()

    def _catch_up(self, now: int) -> None:
        """Make what has been answered of the script under way, before what came between its accesses."""
        script = self._script
        if script is not None and script.at < now and self.script_so_far is not None:
            self._make(script, self.script_so_far(script.accesses))

    # -- the model ------------------------------------------------------------------------------------

    def _settle(self) -> None:
        self._kernel.advance(self._kernel.now() + _A_LONG_TIME)
        self._settled = True

    def _make(self, posted: _Posted, answer: Answer) -> None:
        """Let the model make what has been answered since, and compare."""
        if posted.quiet_after == self._starts and not posted.made:
            self._settle()
        for index in range(posted.made, answer.done):
            access = posted.accesses[index]
            refused = answer.refused and index == answer.done - 1
            value = None
            if access.value is None and not refused:
                value = answer.values[posted.read]
                posted.read += 1
            if _shows_the_end(access, value, refused):
                self._settle()
            self._make_one(posted, access, value, refused)
        posted.made = answer.done

    def _make_one(self, posted: _Posted, access: RegisterAccess, value: int | None, refused: bool) -> None:
        expected: list[int] = []
        try:
            expected = self._kernel.run(self._model.script([access], posted.master), "predicted access")
            model_refused = False
        except EngineFault:
            model_refused = True
        if model_refused != refused:
            self.scoreboard.report(f"{posted.label}: {named([access])}: refused: expected {model_refused}, "
                                   f"observed {refused}")
        elif value is not None and self._comparable(access) and value != expected[0]:
            self.scoreboard.report(f"{posted.label}: {different([access.address], expected, [value])}")
        if access.address == Register.GOPROC and GOPROC_GO.get(access.value or 0) and not refused:
            self._starts += 1
            self._settled = False

    def _comparable(self, access: RegisterAccess) -> bool:
        if access.address == Register.CYCLES:
            return False
        return self._settled or access.address not in _MOVING


def _shows_the_end(access: RegisterAccess, value: int | None, refused: bool) -> bool:
    """Whether the RTL has come to the end of what it was told to do, or to where it hangs."""
    if value is not None:
        if access.address != Register.STATUS:
            return False
        return not STATUS_ENCR_BUSY.get(value) or STATUS_CRYPTO_STATE.get(value) in _HUNG
    if access.value is None or refused or access.address in ALWAYS_OPEN or access.address in _LISTS:
        return False
    return access.address != Register.SOFT_RESET or not SOFT_RESET_RESET.get(access.value)
