"""PadlockPort: the XcryptPort protocol on the RTL, through ``padlock_top``.

Per request Python wakes twice: to post the operands (one packed write and a toggle) and when the
engine reports completion.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import cocotb
from cocotb.triggers import ValueChange

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.kernel import CosimKernel
from cocotb_tests.env.padlock_predictor import PadlockPredictor
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.ports import EngineReset, Xcrypt, XcryptResult, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.kernel import Event

STRAPS = ("fetch_blocks", "setup_cycles")
INPUTS = ("soft_rst", "cpu", "op", "op_interrupt_at", "irq_toggle", "flags_toggle", *STRAPS)
"""Of padlock_top, besides those that every top has."""


class PadlockPort:
    """``predictor`` judges each request. ``quirks`` and ``fetch_blocks`` take effect at a reset."""

    def __init__(self, dut: Any, kernel: CosimKernel, memory: MirrorMemory, predictor: PadlockPredictor, *,
                 quirks: Quirk, fetch_blocks: int) -> None:
        self.quirks = quirks
        self.fetch_blocks = fetch_blocks
        self._dut = dut
        self._kernel = kernel
        self._memory = memory
        self._predictor = predictor
        self._done = kernel.event("completion of xcrypt")
        self._ready = kernel.event("padlock to be ready after its reset")
        self._ready.set()
        self._pulses = 0
        self._in_flight: Xcrypt | None = None
        self._abandoned = False
        self._toggles = {"irq_toggle": 0, "flags_toggle": 0}
        self._toggled_at: dict[str, int] = {}
        self._post_toggle = 0
        self._cpu = 0
        self._interrupt_at = 0
        memory.in_flight = lambda: self._in_flight is not None
        cocotb.start_soon(self._watch(dut.done_event, self._done))

    @property
    def cpu(self) -> int:
        return self._cpu

    @cpu.setter
    def cpu(self, number: int) -> None:
        """Raises RuntimeError while a request is in flight, ValueError for a CPU that is not there."""
        if self._in_flight is not None:
            raise RuntimeError("a change of CPU while a request is in flight")
        self._predictor.turn(number)
        self._cpu = number
        self._dut.cpu.value = number

    async def _watch(self, signal: Any, event: Event) -> None:
        """The monitor: one wake per change of ``signal``."""
        while True:
            await ValueChange(signal)
            self._kernel.notify(event)

    def _toggle(self, name: str) -> None:
        """A pulse at the next edge. Asked for twice in one cycle it is still one, as on a wire."""
        now = self._kernel.now()
        if self._toggled_at.get(name) == now:
            return
        self._toggled_at[name] = now
        self._toggles[name] ^= 1
        getattr(self._dut, name).value = self._toggles[name]

    async def xcrypt(self, op: Xcrypt) -> XcryptResult:
        if self._in_flight is not None:
            raise RuntimeError("xcrypt while another one is in flight: callers hold the Cpu")
        await self._ready.wait()
        self._memory.sync()
        self._predictor.accepted(op, self._kernel.now())
        length = op.count * BLOCK_BYTES
        self._memory.may_be_written(op.dst, length)
        self._post(op)
        self._in_flight, self._abandoned = op, False
        with ExitStack() as stack:
            stack.callback(setattr, self, "_in_flight", None)
            stack.enter_context(self._memory.owned((op.src, length), (op.dst, length)))
            await self._done.wait()
        if self._abandoned:
            raise EngineReset
        self._memory.sync()
        result, key_loaded = self._result()
        self._predictor.completed(result, key_loaded, self._kernel.now())
        return result

    def _post(self, op: Xcrypt) -> None:
        packed = self._post_toggle = self._post_toggle ^ 1
        for value in (op.count, op.dst, op.src, op.key, op.cword):
            if not 0 <= value < 1 << 32:
                raise ValueError(f"operand {value:#x} does not fit in 32 bits")
            packed = packed << 32 | value
        if op.interrupt_at != self._interrupt_at:
            self._interrupt_at = op.interrupt_at
            self._dut.op_interrupt_at.value = op.interrupt_at
        self._done.clear()
        self._dut.op.value = packed

    def _result(self) -> tuple[XcryptResult, bool]:
        packed = int(self._dut.result.value)
        src, dst, count, address, cycles = (packed >> 32 * word & 0xFFFFFFFF for word in range(5))
        status = XcryptStatus(packed >> 160 & 7)
        return XcryptResult(status, src, dst, count, address, cycles), bool(packed >> 163 & 1)

    async def load_flags(self) -> None:
        self._toggle("flags_toggle")
        self._predictor.flags_loaded(self._kernel.now())
        await self._kernel.sleep(1)

    async def key_loaded(self) -> bool:
        return bool(int(self._dut.key_loaded.value))

    async def interrupt(self) -> None:
        self._toggle("irq_toggle")
        if self._in_flight is not None:
            self._predictor.interrupted(self._kernel.now())

    async def reset(self) -> None:
        doomed = self._in_flight
        self._dut.quirk.value = int(self.quirks)
        self._dut.fetch_blocks.value = self.fetch_blocks
        self._dut.soft_rst.value = 1
        self._predictor.reset(self.quirks, self.fetch_blocks)
        self._ready.clear()
        self._pulses += 1
        await self._kernel.sleep(1)
        self._pulses -= 1
        if not self._pulses:
            self._dut.soft_rst.value = 0
        while int(self._dut.busy.value):
            await self._kernel.hardware(_change(self._dut.busy), "padlock to be idle")
        self._ready.set()
        if doomed is not None and self._in_flight is doomed:  # not one that has waited for this reset
            self._abandoned = True
            self._done.set()

    def state(self) -> dict[str, int | str]:
        state: dict[str, int | str] = {name: int(getattr(self._dut, name).value)
                                       for name in ("busy", "ar_bursts", "r_beats", "aw_bursts", "w_beats")}
        if self._in_flight is not None:
            state["count"] = self._in_flight.count
        return state


async def _change(signal: Any) -> None:
    await ValueChange(signal)
