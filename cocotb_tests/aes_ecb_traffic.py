"""Random traffic for aes_ecb, one cycle at a time: what is offered, and what must come out for it."""

from __future__ import annotations

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from cocotb_tests.aes_ecb_ports import Seen
from cocotb_tests.aes_ecb_timing import ROUNDS, Inputs
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael

PHASE_EDGES = 120
"""Every so often the rates change."""

IN_RATES = (0.03, 0.3, 1.0, 1.0)
OUT_RATES = (0.05, 0.5, 1.0, 1.0)
KEY_RATES = (0.0, 0.01, 0.01, 0.05)
BEAT_RATES = (0.5, 1.0)
RESET_RATE = 0.006


@dataclass(frozen=True, slots=True)
class Key:
    """A key on offer, at the key port or as a schedule. ``beats``: its round keys in order of use."""

    key: bytes
    decrypt: bool

    @property
    def bits(self) -> int:
        return len(self.key) // 8 - 2

    @property
    def beats(self) -> list[bytes]:
        forward = rijndael.expand(self.key)
        return [row.tobytes() for row in (rijndael.invert(forward) if self.decrypt else forward)]

    def cipher(self) -> CipherContext:
        cipher = Cipher(algorithms.AES(self.key), modes.ECB())
        return cipher.decryptor() if self.decrypt else cipher.encryptor()


@dataclass(slots=True)
class Traffic:
    """Offers keys, schedules and blocks at random; what is offered stays so until it is accepted.

    ``counts``: of what has been accepted, by name.
    """

    numbers: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    _edges: int = 0
    _rates: tuple[float, float, float, float] = (1.0, 1.0, 0.1, 1.0)
    _key: Key | None = None
    _schedule: Key | None = None
    _beats: deque[bytes] = field(default_factory=deque)
    _beat_offered: bool = False
    _block: bytes | None = None
    _cipher: CipherContext | None = None
    _results: deque[bytes] = field(default_factory=deque)

    def offer(self) -> Inputs:
        """The handshake inputs of the next cycle."""
        numbers = self.numbers
        if self._edges % PHASE_EDGES == 0:
            self._rates = tuple(map(numbers.choice, (IN_RATES, OUT_RATES, KEY_RATES, BEAT_RATES)))
        self._edges += 1
        in_rate, out_rate, key_rate, beat_rate = self._rates
        if self._key is None and numbers.random() < key_rate:
            self._key = self._new_key()
        if not self._beats and (numbers.random() < key_rate or self._cipher is None):
            self._schedule = self._new_key()
            self._beats.extend(self._schedule.beats)
        self._beat_offered = self._beat_offered or (bool(self._beats) and numbers.random() < beat_rate)
        if self._block is None and numbers.random() < in_rate:
            self._block = numbers.randbytes(BLOCK_BYTES)
        return Inputs(
            key_valid=self._key is not None,
            key_bits=self._key.bits if self._key else 0,
            rk_valid=self._beat_offered,
            rk_last=len(self._beats) == 1,
            rk_rounds=ROUNDS[self._schedule.bits] if self._schedule else 0,
            in_valid=self._block is not None,
            out_ready=numbers.random() < out_rate,
        )

    def levels(self, inputs: Inputs) -> dict[str, int]:
        """All inputs but clk and rst, the data of what is not offered as it was."""
        levels: dict[str, int] = {"key_valid": inputs.key_valid, "rk_valid": inputs.rk_valid,
                                  "in_valid": inputs.in_valid, "out_ready": inputs.out_ready}
        if self._key is not None:
            levels |= {"key": int.from_bytes(self._key.key, "little"), "key_bits": self._key.bits,
                       "key_decrypt": self._key.decrypt}
        if self._beat_offered and self._schedule is not None:
            levels |= {"rk_data": int.from_bytes(self._beats[0], "little"), "rk_last": inputs.rk_last,
                       "rk_decrypt": self._schedule.decrypt, "rk_rounds": inputs.rk_rounds}
        if self._block is not None:
            levels["in_block"] = int.from_bytes(self._block, "little")
        return levels

    def passed(self, inputs: Inputs, seen: Seen) -> None:
        """Check the result on the port and note what was accepted at this edge."""
        if seen.out_valid:
            assert self._results, f"edge {seen.edge}: a result without a block"
            assert seen.out_block == self._results[0], f"edge {seen.edge}: wrong result"
            if inputs.out_ready:
                self._results.popleft()
                self.counts["results"] += 1
        if inputs.in_valid and seen.in_ready:
            assert self._cipher is not None, f"edge {seen.edge}: a block without a key"
            self._results.append(self._cipher.update(self._block))
            self._block = None
            self.counts["blocks"] += 1
        if inputs.rk_valid and seen.rk_ready:
            self._beats.popleft()
            self._beat_offered = False
            self._cipher = None if self._beats else self._schedule.cipher()
            self.counts["schedules"] += not self._beats
        if inputs.key_valid and seen.key_ready:
            self.counts["keys in a schedule"] += self._cipher is None and bool(self._beats)
            self._cipher = self._key.cipher()
            self._key = None
            self._drop_schedule()
            self.counts["keys"] += 1

    def reset(self) -> None:
        """Everything on offer, in flight and in force is forgotten."""
        self._key = self._block = self._cipher = None
        self._drop_schedule()
        self._results.clear()

    def _drop_schedule(self) -> None:
        self._schedule = None
        self._beats.clear()
        self._beat_offered = False

    def _new_key(self) -> Key:
        return Key(self.numbers.randbytes(self.numbers.choice((16, 24, 32))), self.numbers.random() < 0.5)
