"""PadlockPredictor: what each request must do, from the transaction-level model, and two more opinions.

The model tells status, pointers, cycles and key flag when a request is accepted. The data is judged
afterwards, for many requests at once (``opinions``). Where the destination begins inside the source,
what is written depends on what was written before, so the model then works on the mirror's own bytes,
in no simulated time, and the destination is put back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.opinions import Opinions
from cocotb_tests.env.scoreboard import Scoreboard
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.padlock_model import HeldKey, KeyState, PadlockModel
from pymodel.engines.padlock_timing import Timeline
from pymodel.engines.ports import Xcrypt, XcryptResult
from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench import BenchSpec
from pymodel.kernel import Kernel
from pymodel.memory import LINE_BYTES, ByteArray


@dataclass(frozen=True, slots=True)
class Completion:
    """One completed request, as compared. ``untouched``: the part of the destination that is not judged by
    opinions and must be exactly this: what is not done, or all of it."""

    result: XcryptResult
    key_loaded: bool
    untouched: bytes


class _Predicting(PadlockModel):
    """The model without the ciphering, where that can be left for later."""

    def _move(self, op: Xcrypt, planned: Timeline, blocks: int, held: HeldKey) -> None:
        if _feeds_itself(op):
            super()._move(op, planned, blocks, held)


class PadlockPredictor:
    """Feeds a scoreboard with expected and observed ``Completion`` items."""

    def __init__(self, memory: MirrorMemory, spec: BenchSpec) -> None:
        self.scoreboard = Scoreboard("padlock engine")
        self._opinions = Opinions()
        self._model = _Predicting(Kernel(), memory, quirks=Quirk(spec.quirks), fetch_blocks=spec.fetch_blocks,
                                  setup_cycles=spec.setup_cycles, read_latency=spec.read_latency,
                                  write_latency=spec.write_latency, stages=spec.stages)
        self._memory = memory
        self._compare_cycles = not spec.stall_seed
        self._requests = 0
        self._op: Xcrypt | None = None
        self._label = ""
        self._accepted_at = 0
        self._source = self._destination = np.zeros(0, np.uint8)
        self._key_state = self._model.key_state
        self._flags: list[int] = []
        """Cycles after acceptance at which EFLAGS were loaded."""
        self._flags_before: tuple[int, KeyState] | None = None
        """The last EFLAGS load without a request in flight: when, and the key before it."""

    def problems(self) -> list[str]:
        """Every failure so far; judges the data that still waits."""
        self._opinions.judge()
        return self.scoreboard.problems() + self._opinions.problems

    def check(self, at_least: int) -> None:
        """Raises ScoreboardError."""
        self._opinions.judge()
        for problem in self._opinions.problems:
            self.scoreboard.report(problem)
        self.scoreboard.check(at_least)

    def set_memory(self, *, read_latency: int, write_latency: int, read_errors: set[int],
                   write_errors: set[int]) -> None:
        """What the memory does from the next request on."""
        self._model.read_latency, self._model.write_latency = read_latency, write_latency
        for mine, theirs in ((self._model.read_bus_errors, read_errors),
                             (self._model.write_bus_errors, write_errors)):
            mine.clear()
            mine.update(theirs)

    def accepted(self, op: Xcrypt, now: int) -> None:
        self._requests += 1
        self._op, self._accepted_at = op, now
        self._source, self._destination = self._bytes(op.src, op).copy(), self._bytes(op.dst, op).copy()
        self._flags = []
        if self._flags_before is not None and self._flags_before[0] == now:  # at the edge of acceptance
            self._flags, self._model.key_state = [0], self._flags_before[1]
        self._key_state = self._model.key_state
        self._label = f"request {self._requests}, {op.count} blocks {op.src:#x} to {op.dst:#x}"
        self.scoreboard.expect(self._predict(op), self._label)

    def interrupted(self, now: int) -> None:
        """The interrupt line rises at the clock edge after cycle ``now``."""
        if self._op is None:  # a reset has already abandoned the request
            return
        edge = now - self._accepted_at
        if edge <= 0 or 0 < self._op.interrupt_at <= edge:
            return
        self._op = replace(self._op, interrupt_at=edge)
        self._predict_again(self._op)

    def completed(self, result: XcryptResult, key_loaded: bool) -> None:
        op = self._op
        if op is None:
            self.scoreboard.observe(result)
            return
        self._op = None
        destination = self._bytes(op.dst, op).copy()
        done = 0 if _feeds_itself(op) else (op.count - result.count) * BLOCK_BYTES
        untouched = destination[done:].tobytes()
        self.scoreboard.observe(Completion(self._comparable(result), key_loaded, untouched))
        held = self._model.key_state.held
        if done and held is not None:
            self._opinions.add(self._label, held, self._source[:done], destination[:done])
        self._check_strays(op)

    def flags_loaded(self, now: int) -> None:
        """EFLAGS are loaded at the clock edge after cycle ``now``."""
        if self._op is not None:
            self._flags.append(now - self._accepted_at)
            self._predict_again(self._op)
        else:
            self._flags_before = (now, self._model.key_state)
            self._model.forget_key()

    def reset(self, quirks: Quirk, fetch_blocks: int) -> None:
        """The straps are sampled; the request in flight is abandoned, its destination undefined."""
        self._op = None
        self.scoreboard.withdraw()
        self._model.quirks, self._model.fetch_blocks = quirks, fetch_blocks
        self._model.kernel.run(self._model.reset())

    def _predict(self, op: Xcrypt) -> Completion:
        """The bytes of source and destination are those from before the request, also afterwards."""
        result = self._model.kernel.run(self._with_flags(op))
        untouched = self._destination[(op.count - result.count) * BLOCK_BYTES:].tobytes()
        if _feeds_itself(op):
            destination = self._bytes(op.dst, op)
            untouched = destination.tobytes()
            destination[:] = self._destination
        return Completion(self._comparable(result), self._model.key_state.key_loaded, untouched)

    def _predict_again(self, op: Xcrypt) -> None:
        """Something has happened to the request in flight."""
        self._model.key_state = self._key_state
        source, destination = self._bytes(op.src, op), self._bytes(op.dst, op)
        seen = source.copy(), destination.copy()
        source[:], destination[:] = self._source, self._destination
        self.scoreboard.replace(self._predict(op))
        source[:], destination[:] = seen

    async def _with_flags(self, op: Xcrypt) -> XcryptResult:
        """The request on the model, and the EFLAGS loads under way."""
        kernel, model = self._model.kernel, self._model
        began = kernel.now()
        request = kernel.start(model.xcrypt(op), "predicted request")
        for cycle in self._flags:
            await kernel.sleep(began + cycle - kernel.now())
            if not request.done.is_set():
                await model.load_flags()
        return await request.join()

    def _comparable(self, result: XcryptResult) -> XcryptResult:
        return result if self._compare_cycles else replace(result, cycles=0)

    def _bytes(self, address: int, op: Xcrypt) -> ByteArray:
        """A view of the request's bytes from ``address`` on, as far as there is memory."""
        return self._memory.bytes[address:address + op.count * BLOCK_BYTES]

    def _check_strays(self, op: Xcrypt) -> None:
        """The engine must not have written anything but its destination."""
        lines, before = self._memory.written_lines, self._memory.before_pull
        if not lines:
            return
        start = lines[0] * LINE_BYTES
        changed = np.flatnonzero(before != self._memory.bytes[start:start + len(before)]) + start
        strays = changed[(changed < op.dst) | (changed >= op.dst + op.count * BLOCK_BYTES)]
        if len(strays):
            self.scoreboard.report(f"{self._label}: the engine changed {len(strays)} bytes outside its "
                                   f"destination, the first at {strays[0]:#x}")


def _feeds_itself(op: Xcrypt) -> bool:
    """Whether the destination begins inside the source, so that results may be read as source."""
    return 0 < op.dst - op.src < op.count * BLOCK_BYTES
