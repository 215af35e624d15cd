"""PadlockPredictor: what each request must do, from the transaction-level model, and two more opinions.

The model runs on the mirror's own bytes in no simulated time, its result is kept, and the
destination is put back: so the prediction sees exactly what the RTL sees and costs no second
memory. Where the engine holds a genuine schedule, the observed data is also compared with the
golden model and with ``cryptography``, which share no code with the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.scoreboard import Scoreboard
from pymodel import golden
from pymodel.engines import rijndael
from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import Xcrypt, XcryptResult
from pymodel.engines.quirks import Quirk
from pymodel.memory import LINE_BYTES

BLOCK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Completion:
    """One completed request, as compared: the engine's report and the whole destination."""

    result: XcryptResult
    key_loaded: bool
    destination: bytes


class PadlockPredictor:
    """Feeds a scoreboard with expected and observed ``Completion`` items.

    ``compare_cycles`` is off under random back-pressure.
    """

    def __init__(self, model: PadlockModel, memory: MirrorMemory, *, compare_cycles: bool = True) -> None:
        self.scoreboard = Scoreboard("padlock engine")
        self._model = model
        self._memory = memory
        self._compare_cycles = compare_cycles
        self._requests = 0
        self._op: Xcrypt | None = None
        self._accepted_at = 0
        self._before: list[tuple[slice, np.ndarray]] = []
        self._state = model.key_state

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
        self._before = self._copies(self._range(op.src, op), self._range(op.dst, op))
        self._state = self._model.key_state
        label = f"request {self._requests}, {op.count} blocks {op.src:#x} to {op.dst:#x}"
        self.scoreboard.expect(self._predict(op), label)

    def interrupted(self, now: int) -> None:
        """The interrupt line rises at the clock edge after cycle ``now``."""
        if self._op is None:  # a reset has already abandoned the request
            return
        edge = now - self._accepted_at
        if edge <= 0 or 0 < self._op.interrupt_at <= edge:
            return
        self._op = replace(self._op, interrupt_at=edge)
        self._model.key_state = self._state
        current = self._copies(*(part for part, _ in self._before))
        self._install(self._before)
        self.scoreboard.replace(self._predict(self._op))
        self._install(current)

    def completed(self, result: XcryptResult, key_loaded: bool) -> None:
        op = self._op
        if op is None:
            self.scoreboard.observe(result)
            return
        self._op = None
        destination = self._memory.bytes[self._range(op.dst, op)].tobytes()
        self.scoreboard.observe(Completion(self._comparable(result), key_loaded, destination))
        self._check_strays(op)
        self._check_references(op, result, destination)

    def flags_loaded(self) -> None:
        self._model.forget_key()

    def reset(self, quirks: Quirk, fetch_blocks: int) -> None:
        """The straps are sampled; the request in flight is abandoned, its destination undefined."""
        self._op = None
        self.scoreboard.withdraw()
        self._model.quirks, self._model.fetch_blocks = quirks, fetch_blocks
        self._model.kernel.run(self._model.reset())

    def _predict(self, op: Xcrypt) -> Completion:
        part = self._range(op.dst, op)
        result = self._model.kernel.run(self._model.xcrypt(op))
        destination = self._memory.bytes[part].tobytes()
        self._install(self._before)
        return Completion(self._comparable(result), self._model.key_state.key_loaded, destination)

    def _comparable(self, result: XcryptResult) -> XcryptResult:
        return result if self._compare_cycles else replace(result, cycles=0)

    def _copies(self, *parts: slice) -> list[tuple[slice, np.ndarray]]:
        return [(part, self._memory.bytes[part].copy()) for part in parts]

    def _install(self, parts: list[tuple[slice, np.ndarray]]) -> None:
        for part, data in parts:
            self._memory.bytes[part] = data

    def _range(self, address: int, op: Xcrypt) -> slice:
        start = min(address, self._memory.size)
        return slice(start, min(start + op.count * BLOCK_BYTES, self._memory.size))

    def _check_strays(self, op: Xcrypt) -> None:
        part = self._range(op.dst, op)
        allowed = range(part.start // LINE_BYTES, -(-part.stop // LINE_BYTES))
        strays = [line for line in self._memory.written_lines if line not in allowed]
        if strays:
            self.scoreboard.report(f"the engine wrote outside its destination, lines {strays[:8]}")

    def _check_references(self, op: Xcrypt, result: XcryptResult, destination: bytes) -> None:
        """Golden model and ``cryptography`` on the blocks that the engine reports as done."""
        held = self._model.key_state.held
        done = (op.count - result.count) * BLOCK_BYTES
        if held is None or not done:
            return
        key = rijndael.key_of_schedule(held.schedule, held.decrypt)
        if key is None:
            return
        source = self._before[0][1][:done].tobytes()
        cipher = Cipher(algorithms.AES(key), modes.ECB())
        context = cipher.decryptor() if held.decrypt else cipher.encryptor()
        specified = golden.ecb_decrypt(key, source) if held.decrypt else golden.ecb_encrypt(key, source)
        for name, expected in (("the golden model", specified), ("cryptography", context.update(source))):
            if destination[:done] != expected:
                self.scoreboard.report(f"{op}: data differs from {name}")
