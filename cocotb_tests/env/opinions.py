"""Opinions on data: what the engine wrote, judged by three implementations that share no code.

Each alone takes longer for one request than the simulation does; over many blocks at once they are
fast. So requests are collected and judged together, at the latest when somebody asks for problems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.memory import ByteArray

WAITING_BLOCKS = 8192
"""When so many wait they are judged."""


@dataclass(frozen=True, slots=True)
class _Sample:
    label: str
    source: ByteArray
    observed: ByteArray


class Opinions:
    """Collects what requests made of their sources. ``problems`` grows as they are judged."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.judged = 0
        """Requests."""
        self._waiting: dict[tuple[bytes, bool], list[_Sample]] = {}
        self._blocks = 0

    def add(self, label: str, schedule: rijndael.Bytes2d, decrypt: bool, source: ByteArray,
            observed: ByteArray) -> None:
        """``schedule``: round keys in order of use. ``source`` and ``observed``: the blocks that the engine
        reports as done; kept, not copied."""
        samples = self._waiting.setdefault((schedule.tobytes(), decrypt), [])
        samples.append(_Sample(label, source, observed))
        self._blocks += len(source) // BLOCK_BYTES
        if self._blocks >= WAITING_BLOCKS:
            self.judge()

    def judge(self) -> None:
        """Judge everything that waits."""
        waiting, self._waiting, self._blocks = self._waiting, {}, 0
        for (schedule, decrypt), samples in waiting.items():
            source = np.concatenate([sample.source for sample in samples])
            observed = np.concatenate([sample.observed for sample in samples])
            for name, expected in _opinions(schedule, decrypt, source):
                if not np.array_equal(expected, observed):
                    self.problems += _differences(name, samples, expected)
            self.judged += len(samples)


def _opinions(schedule: bytes, decrypt: bool, source: ByteArray) -> list[tuple[str, ByteArray]]:
    """A schedule that belongs to no key is known to the transaction-level model only."""
    rounds = np.frombuffer(schedule, np.uint8).reshape(-1, BLOCK_BYTES)
    blocks = rijndael.cipher(rounds, source.reshape(-1, BLOCK_BYTES), decrypt)
    opinions = [("the transaction-level model", blocks.reshape(-1))]
    key = rijndael.key_of_schedule(rounds, decrypt)
    if key is not None:
        data = source.tobytes()
        specified = golden.ecb_decrypt(key, data) if decrypt else golden.ecb_encrypt(key, data)
        cipher = Cipher(algorithms.AES(key), modes.ECB())
        library = (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)
        opinions += [("the golden model", np.frombuffer(specified, np.uint8)),
                     ("cryptography", np.frombuffer(library, np.uint8))]
    return opinions


def _differences(name: str, samples: list[_Sample], expected: ByteArray) -> list[str]:
    """Which of the requests differ from this opinion."""
    found, position = [], 0
    for sample in samples:
        part = expected[position:position + len(sample.observed)]
        wrong = np.flatnonzero(part != sample.observed)
        if len(wrong):
            found.append(f"{sample.label}: data differs from {name} in {len(wrong)} bytes, "
                         f"the first in block {wrong[0] // BLOCK_BYTES}")
        position += len(sample.observed)
    return found
