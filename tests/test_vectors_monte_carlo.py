"""The Monte Carlo chains: NIST's results from `cryptography` in full, from the golden model in part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel import golden
from pymodel.vectors import (
    BlockRequest,
    MonteCarlo,
    chain,
    follow,
    follow_async,
    monte_carlo,
    monte_carlo_checkpoints,
)

CHAINS = {test.name: test for mode in ("ecb", "cbc") for test in monte_carlo(mode)}
chains = pytest.mark.parametrize("test", CHAINS.values(), ids=CHAINS)


def golden_block(request: BlockRequest) -> bytes:
    result, _ = golden.crypt(request.mode, request.key, request.iv, request.data, encrypt=request.encrypt)
    return result


def pyca_block() -> Callable[[BlockRequest], bytes]:
    """Single blocks by ``cryptography``'s ECB, the chaining XOR done here; one context per key."""
    contexts = {}

    def crypt(request: BlockRequest) -> bytes:
        context = contexts.get(request.key)
        if context is None:
            cipher = Cipher(algorithms.AES(request.key), modes.ECB())
            context = contexts[request.key] = cipher.encryptor() if request.encrypt else cipher.decryptor()
        iv = int.from_bytes(request.iv, "big")
        if request.encrypt:
            return context.update((int.from_bytes(request.data, "big") ^ iv).to_bytes(16, "big"))
        return (int.from_bytes(context.update(request.data), "big") ^ iv).to_bytes(16, "big")

    return crypt


def test_there_are_six_chains_per_mode_with_the_results_that_nist_gives():
    assert sorted(CHAINS) == sorted(
        f"{mode}MCT{bits} {direction}"
        for mode in ("ECB", "CBC")
        for bits in (128, 192, 256)
        for direction in ("encrypt", "decrypt")
    )
    for test in CHAINS.values():
        assert list(test.expected) == ([99] if test.mode == "ecb" else list(range(100))), test.name


@chains
def test_a_whole_chain_of_100_000_blocks_ends_where_nist_says(test: MonteCarlo):
    results = follow(test.chain(), pyca_block())
    assert len(results) == 100
    assert {number: results[number] for number in test.expected} == test.expected


@chains
def test_golden_follows_the_chain(test: MonteCarlo):
    rounds = 2
    assert follow(test.chain(rounds), golden_block) == follow(test.chain(rounds), pyca_block())


@pytest.mark.parametrize("number", [99, 199, 299, 399, 499, 599])
def test_golden_gives_the_last_round_of_each_cbc_chain(number: int):
    vector = monte_carlo_checkpoints()[number]
    assert vector.name.endswith("99")
    steps = chain("cbc", vector.key, vector.iv, vector.data, encrypt=vector.encrypt, outer_rounds=1)
    assert follow(steps, golden_block) == [vector.expected]


def test_cbc_checkpoints_are_the_rounds_of_the_chain():
    """The next checkpoint's IV is the result before it, and so are the low 128 bits of the key change."""
    checkpoints = monte_carlo_checkpoints()
    for number in range(599):
        this, following = checkpoints[number : number + 2]
        if number % 100 == 99:
            continue
        assert following.iv == this.expected, this.name
        changed = bytes(a ^ b for a, b in zip(this.key, following.key, strict=True))
        assert changed[-16:] == this.expected, this.name


def test_an_awaitable_function_follows_the_same_chain():
    async def crypt(request: BlockRequest) -> bytes:
        await asyncio.sleep(0)
        return golden_block(request)

    def short():
        return chain("cbc", bytes(24), bytes(16), bytes(16), encrypt=False, outer_rounds=3, inner_rounds=4)

    assert asyncio.run(follow_async(short(), crypt)) == follow(short(), golden_block)


def test_an_error_of_the_function_reaches_the_caller():
    def broken(request: BlockRequest) -> bytes:
        raise RuntimeError("the engine hangs")

    with pytest.raises(RuntimeError, match="the engine hangs"):
        follow(CHAINS["ECBMCT128 encrypt"].chain(1), broken)


def test_a_chain_of_one_inner_round_is_refused():
    with pytest.raises(ValueError, match="at least 2 inner rounds, not 1"):
        follow(chain("ecb", bytes(32), b"", bytes(16), encrypt=True, inner_rounds=1), golden_block)
