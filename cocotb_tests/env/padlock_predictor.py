"""PadlockPredictor: what each request must do, from the transaction-level model, and two more opinions.

The model tells status, pointers, cycles and key flag when a request is accepted. The data is judged
afterwards, for many requests at once (``opinions``). Where the destination begins inside the source,
what is written depends on what was written before, so the model then works on the mirror's own bytes,
in no simulated time, and the destination is put back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.judge import Judge
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.padlock import CONTROL_WORD_BYTES, SCHEDULE_READ_BYTES
from pymodel.engines.padlock_cpus import PadlockCpus
from pymodel.engines.padlock_model import HeldKey, KeyState, PadlockModel
from pymodel.engines.padlock_timing import Timeline
from pymodel.engines.ports import Xcrypt, XcryptResult, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.kernel import Kernel
from pymodel.memory import ByteArray


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


class PadlockPredictor(Judge):
    """Feeds a scoreboard with expected and observed ``Completion`` items."""

    def __init__(self, memory: MirrorMemory, spec: BenchSpec) -> None:
        kernel = Kernel()
        self._cpus = PadlockCpus([
            _Predicting(kernel, memory, quirks=Quirk(spec.quirks), fetch_blocks=spec.fetch_blocks,
                        setup_cycles=spec.setup_cycles, read_latency=spec.read_latency,
                        write_latency=spec.write_latency, stages=spec.stages) for _ in range(spec.cpus)])
        super().__init__("padlock", memory, self._cpus)
        self._compare_cycles = not spec.stall_seed
        self._requests = 0
        self._op: Xcrypt | None = None
        self._label = ""
        self._accepted_at = 0
        self._source = self._destination = np.zeros(0, np.uint8)
        self._before: list[tuple[ByteArray | NDArray[np.bool_], ByteArray | NDArray[np.bool_]]] = []
        """What a prediction reads, as views and as copies from the time of acceptance."""
        self._key_state = self._model.key_state
        self._flags: list[int] = []
        """Cycles after acceptance at which EFLAGS were loaded."""
        self._flags_before: tuple[int, KeyState] | None = None
        """The last EFLAGS load without a request in flight: when, and the key before it."""

    @property
    def _model(self) -> PadlockModel:
        return self._cpus.models[self._cpus.cpu]

    def turn(self, cpu: int) -> None:
        """What comes is of the engine of this CPU. Raises ValueError when there is no such one."""
        if cpu >= len(self._cpus.models):
            raise ValueError(f"no CPU {cpu}: there are {len(self._cpus.models)}")
        self._cpus.cpu, self._flags_before = cpu, None

    def accepted(self, op: Xcrypt, now: int) -> None:
        self._requests += 1
        self._op, self._accepted_at = op, now
        self._before = [(view, view.copy()) for view in self._reads(op)]
        self._source, self._destination = self._before[0][1], self._before[1][1]
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

    def completed(self, result: XcryptResult, key_loaded: bool, now: int) -> None:
        """``now``: the cycle in which software sees the completion."""
        op = self._op
        if op is None:
            self.scoreboard.observe(result)
            return
        if result.cycles != now - self._accepted_at - 1:
            self.scoreboard.report(f"{self._label}: {result.cycles} cycles reported, but it took "
                                   f"{now - self._accepted_at - 1}")
        if not self._compare_cycles and (op.interrupt_at or self._flags):
            self._follow(op, result, key_loaded)
        self._count_traffic(result)
        self._op = None
        destination = self._bytes(op.dst, op).copy()
        done = 0 if _feeds_itself(op) else (op.count - result.count) * BLOCK_BYTES
        untouched = destination[done:].tobytes()
        self.scoreboard.observe(Completion(self._comparable(result), key_loaded, untouched))
        held = self._model.key_state.held
        if done and held is not None:
            self.opinions.add(self._label, held.schedule, held.decrypt, self._source[:done],
                              destination[:done])
        self.check_strays(self._label, [(op.dst, op.dst + op.count * BLOCK_BYTES)])

    def flags_loaded(self, now: int) -> None:
        """EFLAGS are loaded at the clock edge after cycle ``now``."""
        if self._op is not None:
            self._flags.append(now - self._accepted_at)
            self._predict_again(self._op)
        else:
            if self._flags_before is None or self._flags_before[0] != now:
                self._flags_before = (now, self._model.key_state)
            self._model.forget_key()

    def reset(self, quirks: Quirk, fetch_blocks: int) -> None:
        """The straps are sampled; the request in flight is abandoned, its destination undefined."""
        if self._op is not None:
            self.traffic = None
        self._op = None
        self.scoreboard.withdraw()
        self._cpus.quirks, self._cpus.fetch_blocks = quirks, fetch_blocks
        self._model.kernel.run(self._cpus.reset())

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
        """Something has happened to the request in flight. It goes on with what memory was when it began."""
        self._model.key_state = self._key_state
        now = [view.copy() for view, _ in self._before]
        for view, copy in self._before:
            view[:] = copy
        self.scoreboard.replace(self._predict(op))
        for (view, _), copy in zip(self._before, now, strict=True):
            view[:] = copy

    def _reads(self, op: Xcrypt) -> list[ByteArray | NDArray[np.bool_]]:
        """All of memory that the course of a request depends on: source, destination, then the rest."""
        memory = self._memory
        return [self._bytes(op.src, op), self._bytes(op.dst, op),
                memory.bytes[op.cword:op.cword + CONTROL_WORD_BYTES],
                memory.bytes[op.key:op.key + SCHEDULE_READ_BYTES], memory.readable, memory.writable]

    def _follow(self, op: Xcrypt, result: XcryptResult, key_loaded: bool) -> None:
        """Under random back-pressure nobody knows at which block an event finds a request.

        So the report is believed if it is one that can be; what is done and what is not is judged as ever.
        """
        left, done = result.count, op.count - result.count
        status = XcryptStatus.INTERRUPTED if left else XcryptStatus.OK
        possible = replace(result, status=status, src=op.src + done * BLOCK_BYTES,
                           dst=op.dst + done * BLOCK_BYTES, address=0)
        self._op = replace(op, interrupt_at=0)
        self._flags = []
        self._predict_again(self._op)
        if not op.interrupt_at and left:
            return  # only EFLAGS were loaded: that stops nothing
        self._model.key_state = replace(self._model.key_state, key_loaded=key_loaded)
        untouched = self._destination[done * BLOCK_BYTES:].tobytes()
        self.scoreboard.replace(Completion(self._comparable(possible), key_loaded, untouched))

    def _count_traffic(self, result: XcryptResult) -> None:
        if not self._compare_cycles and result.status is not XcryptStatus.OK:
            self.traffic = None  # what was under way when the request ended depends on the back-pressure
        course = self._model.last_course
        if self.traffic is not None and course is not None:
            self.traffic = self.traffic.after([*course.load_reads, *course.reads], course.writes)

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


def _feeds_itself(op: Xcrypt) -> bool:
    """Whether the destination begins inside the source, so that results may be read as source."""
    return 0 < op.dst - op.src < op.count * BLOCK_BYTES
