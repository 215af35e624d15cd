"""GCM on the RTL: known answers, refusals, the wrap of the counter, scattered data, requests at once."""

import random

import cocotb
import pytest

from cocotb_tests.env.bench import RtlBench
from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.errors import AuthenticationFailed
from pymodel.golden.gcm import hash_subkey, multiply_blocks
from pymodel.kernel import gather
from pymodel.modes import Gcm
from pymodel.vectors import nist_gcm, sample

KEY = bytes(range(32))
IV = bytes(range(100, 112))
AAD = b"header"


@cocotb.test()
async def a_sample_of_nist_answers_comes_out(dut):
    bench = await RtlBench.start(dut)
    engine, chosen = bench.engine(), sample(nist_gcm(), 40, seed=5)
    assert {len(vector.iv) for vector in chosen} == {1, 12, 128}
    assert 5 < sum(vector.fails for vector in chosen) < 35
    for vector in chosen:
        with Gcm(engine, vector.key) as gcm:
            if vector.encrypt:
                sealed = await bench.call(gcm.encrypt_bytes(vector.iv, vector.aad, vector.data,
                                                            tag_bytes=len(vector.tag)))
                assert sealed == (vector.expected, vector.tag), vector.name
                continue
            opening = gcm.decrypt_bytes(vector.iv, vector.aad, vector.data, vector.tag)
            if vector.fails:
                with pytest.raises(AuthenticationFailed):
                    await bench.call(opening)
            else:
                assert await bench.call(opening) == vector.expected, vector.name
    bench.check(at_least=2 * sum(len(vector.key) in engine.limits.key_bytes for vector in chosen))


def iv_before_the_wrap() -> bytes:
    """16 bytes that make J0 end in 32 ones, all bits before them 1 too: (IV * H + 128) * H = J0."""
    inverse, power = 1 << 127, hash_subkey(KEY)
    for _ in range(127):
        power = multiply_blocks(power, power)
        inverse = multiply_blocks(inverse, power)
    first = multiply_blocks((1 << 128) - 1, inverse) ^ 128
    return multiply_blocks(first, inverse).to_bytes(16, "big")


@cocotb.test()
async def the_counter_wraps_after_32_bits(dut):
    bench = await RtlBench.start(dut)
    gcm, iv, data = Gcm(bench.engine(), KEY), iv_before_the_wrap(), bytes(range(75))
    sealed = await bench.call(gcm.encrypt_bytes(iv, AAD, data))
    assert sealed == golden.gcm_encrypt(KEY, iv, data, AAD)
    stream = bytes(a ^ b for a, b in zip(data[:16], sealed[0], strict=False))
    assert stream == golden.ecb_encrypt(KEY, b"\xff" * 12 + bytes(4))
    assert await bench.call(gcm.decrypt_bytes(iv, AAD, *sealed)) == data
    bench.check(at_least=3)


@cocotb.test()
async def a_wrong_tag_leaves_source_and_destination_as_they_were(dut):
    """In place and not, in pieces of 1 to 40 bytes that nothing aligns."""
    bench = await RtlBench.start(dut)
    memory, gcm, rng = bench.memory, Gcm(bench.engine(), KEY), random.Random(cocotb.RANDOM_SEED)
    plaintext = rng.randbytes(300)
    ciphertext, tag = golden.gcm_encrypt(KEY, IV, plaintext, AAD)
    bad = bytes([tag[0] ^ 1]) + tag[1:]

    def pieces() -> Buffers:
        left, made, address = 300, [], memory.allocate(2048) + 3
        while left:
            size = min(left, rng.randint(1, 40))
            made.append((address, size))
            address += size + rng.randrange(5)
            left -= size
        return Buffers(made)

    src, apart = pieces(), pieces()
    for dst in (apart, src):
        src.scatter(memory, ciphertext)
        if dst is apart:
            dst.scatter(memory, bytes(300))
        held = dst.read(memory)
        with pytest.raises(AuthenticationFailed):
            await bench.call(gcm.decrypt(IV, AAD, src, dst, bad))
        assert (src.read(memory), dst.read(memory)) == (ciphertext, held)
        await bench.call(gcm.decrypt(IV, AAD, src, dst, tag))
        assert dst.read(memory) == plaintext
    bench.check(at_least=5)


@cocotb.test()
async def requests_at_once_under_two_keys_each_give_their_own_bytes(dut):
    bench = await RtlBench.start(dut)
    engine, rng = bench.engine(), random.Random(cocotb.RANDOM_SEED)
    requests, expected = [], []
    for key in (KEY[:16], KEY):
        gcm = Gcm(engine, key)
        for length in (0, 33, 640):
            data = rng.randbytes(length)
            sealed = golden.gcm_encrypt(key, IV, data, AAD)
            requests += [gcm.encrypt_bytes(IV, AAD, data), gcm.decrypt_bytes(IV, AAD, *sealed)]
            expected += [sealed, data]
    assert await bench.call(gather(bench.kernel, *requests)) == expected
    bench.check(at_least=len(requests))
