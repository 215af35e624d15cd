"""What the modes ask of an engine, and what they refuse."""

from __future__ import annotations

import pytest
from padlock_bench import PadlockBench
from refusal import nothing_changes, refused
from seeded import seeded

from pymodel import golden
from pymodel.block_engine import EngineCounters, EngineLimits
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import Host
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory
from pymodel.modes import Cbc, Ctr, Ecb, Xts

KEY = bytes(range(64))
IV = bytes(range(100, 116))


@pytest.fixture
def engine():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))


@pytest.fixture
def buffer(engine):
    """64 bytes of data."""
    address = engine.memory.allocate(64)
    engine.memory.write(address, seeded(1).randbytes(64))
    return Buffers.of(address, 64)


def calls_of(engine, coroutine):
    before = engine.counters.calls
    engine.kernel.run(coroutine)
    return engine.counters.calls - before


# -- engine calls -----------------------------------------------------------------------------


def test_ecb_is_one_engine_call(engine, buffer):
    assert calls_of(engine, Ecb(engine, KEY[:16]).encrypt(buffer, buffer)) == 1


def test_cbc_encryption_is_one_call_per_block_and_decryption_one_call(engine, buffer):
    cbc = Cbc(engine, KEY[:16])
    assert calls_of(engine, cbc.encrypt(IV, buffer, buffer)) == 4
    assert calls_of(engine, cbc.decrypt(IV, buffer, buffer)) == 1


@pytest.mark.parametrize("length", [1, 15, 16, 17, 64])
def test_ctr_is_one_engine_call_for_any_length(engine, buffer, length):
    part = buffer.part(0, length)
    assert calls_of(engine, Ctr(engine, KEY[:16]).crypt(IV, part, part)) == 1


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize(("length", "two_pass", "per_block"),
                         [(16, 2, 2), (17, 3, 3), (48, 2, 4), (63, 3, 5), (64, 2, 5)])
def test_xts_calls_are_few_in_two_passes_and_one_per_block_otherwise(engine, buffer, decrypt, length,
                                                                     two_pass, per_block):
    part = buffer.part(0, length)
    for strategy, expected in (("two-pass", two_pass), ("per-block", per_block)):
        xts = Xts(engine, KEY, strategy=strategy)
        call = xts.decrypt if decrypt else xts.encrypt
        assert calls_of(engine, call(IV, part, part)) == expected


def test_requests_of_length_0_succeed_without_the_engine_and_leave_the_iv(engine):
    nothing = Buffers([])
    with nothing_changes(engine):
        for cipher in (Cbc(engine, KEY[:16]), Ctr(engine, KEY[:16])):
            for call in (cipher.encrypt, cipher.decrypt):
                assert engine.kernel.run(call(IV, nothing, nothing)) == IV
        engine.kernel.run(Ecb(engine, KEY[:16]).encrypt(nothing, nothing))


# -- keys -------------------------------------------------------------------------------------


def test_requests_in_flight_end_with_their_key_whatever_ends_first():
    """The key is set anew while a short and a long request use it; the long one still needs it."""
    bench = PadlockBench()
    driver = bench.driver()
    xts = Xts(driver, KEY, strategy="per-block")
    short, long = bytes(32), bytes(320)

    async def play():
        tasks = [bench.kernel.start(xts.encrypt_bytes(IV, data), "request") for data in (short, long)]
        await bench.kernel.sleep(20)
        xts.set_key(bytes(64))
        return [await task.join() for task in tasks]

    assert bench.run(play()) == [golden.xts_encrypt(KEY, IV, data) for data in (short, long)]


# -- chaining ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cipher", [Cbc, Ctr])
@pytest.mark.parametrize("encrypt", [True, False])
def test_a_request_continues_where_the_iv_of_the_last_one_left_off(engine, cipher, encrypt):
    data = seeded(3).randbytes(160)
    mode = cipher(engine, KEY[:24])
    call = mode.encrypt_bytes if encrypt else mode.decrypt_bytes

    async def in_parts():
        iv, done = IV, b""
        for start, end in ((0, 16), (16, 16), (16, 96), (96, 160)):
            part, iv = await call(iv, data[start:end])
            done += part
        return done, iv

    assert engine.kernel.run(in_parts()) == engine.kernel.run(call(IV, data))


@pytest.mark.parametrize(("counter", "length", "after"), [
    ("ff" * 16, 1, "00" * 16),
    ("ff" * 15 + "fe", 17, "00" * 16),
    ("00" * 7 + "ff" * 9, 32, "00" * 6 + "01" + "00" * 8 + "01"),
])
def test_the_counter_carries_through_the_whole_block_and_wraps(engine, counter, length, after):
    data = bytes(length)
    result, next_counter = engine.kernel.run(Ctr(engine, KEY[:16]).crypt_bytes(bytes.fromhex(counter), data))
    assert next_counter.hex() == after
    assert (result, next_counter) == golden.ctr_crypt(KEY[:16], bytes.fromhex(counter), data)


def test_bytes_go_in_and_come_out(engine):
    data = seeded(9).randbytes(48)
    run = engine.kernel.run
    assert run(Ecb(engine, KEY[:32]).encrypt_bytes(data)) == golden.ecb_encrypt(KEY[:32], data)
    assert run(Ecb(engine, KEY[:32]).decrypt_bytes(data)) == golden.ecb_decrypt(KEY[:32], data)
    assert run(Cbc(engine, KEY[:32]).encrypt_bytes(IV, data)) == golden.cbc_encrypt(KEY[:32], IV, data)
    assert run(Cbc(engine, KEY[:32]).decrypt_bytes(IV, data)) == golden.cbc_decrypt(KEY[:32], IV, data)
    assert run(Xts(engine, KEY).encrypt_bytes(IV, data[:47])) == golden.xts_encrypt(KEY, IV, data[:47])
    assert run(Xts(engine, KEY).decrypt_bytes(IV, data[:47])) == golden.xts_decrypt(KEY, IV, data[:47])


# -- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [Ecb, Cbc, Ctr])
@pytest.mark.parametrize("size", [0, 8, 15, 17, 48, 64])
def test_key_sizes_that_aes_does_not_have_are_refused(engine, mode, size):
    with nothing_changes(engine), pytest.raises(InvalidRequest, match=f"not {size}"):
        mode(engine, bytes(size))


@pytest.mark.parametrize("size", [0, 16, 24, 31, 33, 40, 63, 65, 96])
def test_xts_key_sizes_other_than_two_aes_keys_are_refused(engine, size):
    with nothing_changes(engine), pytest.raises(InvalidRequest, match=f"XTS key of {size} bytes"):
        Xts(engine, bytes(size))


def test_equal_halves_are_refused_only_when_strict(engine):
    with pytest.raises(InvalidRequest, match="halves are equal"):
        Xts(engine, bytes(32), strict=True)
    xts = Xts(engine, bytes(range(16)) * 2)
    assert engine.kernel.run(xts.encrypt_bytes(IV, bytes(20))) == golden.xts_encrypt(
        bytes(range(16)) * 2, IV, bytes(20))
    strict = Xts(engine, KEY, strict=True)
    with pytest.raises(InvalidRequest, match="halves are equal"):
        strict.set_key(bytes(64))
    assert engine.kernel.run(strict.encrypt_bytes(IV, bytes(16))) == golden.xts_encrypt(KEY, IV, bytes(16))


def test_an_unknown_strategy_is_refused(engine):
    with pytest.raises(InvalidRequest, match="two-pass, per-block, cached, batch"):
        Xts(engine, KEY, strategy="one-pass")


@pytest.mark.parametrize("size", [0, 8, 15, 17])
def test_ivs_of_another_size_are_refused(engine, buffer, size):
    iv, cbc = bytes(size), Cbc(engine, KEY[:16])
    refused(engine, f"of {size} bytes, needs 16",
            cbc.encrypt(iv, buffer, buffer), cbc.decrypt(iv, buffer, buffer),
            Ctr(engine, KEY[:16]).crypt(iv, buffer, buffer),
            Xts(engine, KEY).encrypt(iv, buffer, buffer), Xts(engine, KEY).decrypt(iv, buffer, buffer))


@pytest.mark.parametrize("length", [1, 15, 17, 63])
def test_partial_blocks_are_refused_in_ecb_and_cbc(engine, buffer, length):
    part, ecb, cbc = buffer.part(0, length), Ecb(engine, KEY[:16]), Cbc(engine, KEY[:16])
    refused(engine, f"{length} bytes are not a multiple of 16",
            ecb.encrypt(part, part), ecb.decrypt(part, part), ecb.encrypt_bytes(bytes(length)),
            cbc.encrypt(IV, part, part), cbc.decrypt(IV, part, part), cbc.encrypt_bytes(IV, bytes(length)))


@pytest.mark.parametrize("length", [0, 1, 15])
def test_xts_refuses_less_than_a_block(engine, buffer, length):
    part, xts = buffer.part(0, length), Xts(engine, KEY)
    refused(engine, f"XTS of {length} bytes", xts.encrypt(IV, part, part), xts.decrypt(IV, part, part),
            xts.encrypt_bytes(IV, bytes(length)))


@pytest.mark.parametrize("shift", [1, 16, -16])
def test_partial_overlap_is_refused(engine, shift):
    address = engine.memory.allocate(256) + 64
    src, dst = Buffers.of(address, 48), Buffers.of(address + shift, 48)
    ecb, cbc = Ecb(engine, KEY[:16]), Cbc(engine, KEY[:16])
    refused(engine, "overlap",
            ecb.encrypt(src, dst), cbc.encrypt(IV, src, dst), cbc.decrypt(IV, src, dst),
            Ctr(engine, KEY[:16]).crypt(IV, src, dst), Xts(engine, KEY).encrypt(IV, src, dst),
            Xts(engine, KEY).decrypt(IV, src, dst))


def test_a_destination_of_another_length_is_refused(engine, buffer):
    longer = Buffers.of(engine.memory.allocate(80), 80)
    refused(engine, "64 bytes, destination of 80",
            Ecb(engine, KEY[:16]).encrypt(buffer, longer), Cbc(engine, KEY[:16]).decrypt(IV, buffer, longer),
            Ctr(engine, KEY[:16]).crypt(IV, buffer, longer), Xts(engine, KEY).encrypt(IV, buffer, longer))


# -- engines with other blocks ----------------------------------------------------------------


class ToyEngine:
    """An 8-byte block cipher of the simplest kind: XOR with the key, then turn the block round."""

    name = "toy"
    block_size = 8
    limits = EngineLimits(key_bytes=(8,), length_multiple=8)

    def __init__(self) -> None:
        self.memory, self.kernel, self.counters = HostMemory(4 * 4096), Kernel(), EngineCounters()
        self.host = Host(Cpu(self.kernel), self.kernel)

    def key(self, data):
        return data

    def release(self, key):
        pass

    async def ecb(self, key, src, dst, *, decrypt):
        check_placement(src, dst)
        dst.scatter(self.memory, b"".join(
            self.block(key, block, decrypt) for block in self.blocks(src.read(self.memory))))

    @staticmethod
    def blocks(data):
        return [data[i:i + 8] for i in range(0, len(data), 8)]

    @staticmethod
    def xor(a, b):
        return bytes(x ^ y for x, y in zip(a, b, strict=False))

    def block(self, key, block, decrypt):
        return self.xor(block[::-1], key) if decrypt else self.xor(block, key)[::-1]


def test_cbc_and_ctr_work_with_a_block_of_8_bytes():
    toy, key, iv = ToyEngine(), b"8 bytes!", b"\xff" * 8
    data = bytes(range(24))
    chain, expected = iv, b""
    for block in toy.blocks(data):
        chain = toy.block(key, toy.xor(block, chain), False)
        expected += chain
    cbc, ctr = Cbc(toy, key), Ctr(toy, key)
    assert toy.kernel.run(cbc.encrypt_bytes(iv, data)) == (expected, chain)
    assert toy.kernel.run(cbc.decrypt_bytes(iv, expected)) == (data, chain)
    stream = b"".join(toy.block(key, counter, False) for counter in (iv, bytes(8), bytes(7) + b"\x01"))
    assert toy.kernel.run(ctr.crypt_bytes(iv, data[:20])) == (toy.xor(data[:20], stream), bytes(7) + b"\x02")


def test_xts_refuses_an_engine_whose_block_is_not_16_bytes():
    with pytest.raises(InvalidRequest, match="engine toy has 8"):
        Xts(ToyEngine(), bytes(16))
