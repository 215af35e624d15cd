"""Many data units and many streams in one call on the RTL: the bytes, and how often the engine is called."""

import hashlib
import random

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.modes import Cbc, Ctr, Ecb, Essiv, Gcm, Message, SectorCipher, Xts
from pymodel.modes.sectors import plain, plain64

KEY = bytes(range(32))
"""For XTS two keys of 128 bits, for other modes one of 256: both engines have them."""
FEW = cocotb.SIM_NAME.lower().startswith("icarus")
"""Requests cost most there: where a count is not what a test is about, there are fewer."""
SECTOR = 512


async def started(dut, data):
    """A bench, its engine, and the data in its memory."""
    bench = await RtlBench.start(dut)
    return bench, bench.engine(), placed(bench, data)


def placed(bench, data):
    buffer = Buffers.of(bench.memory.allocate(len(data)), len(data))
    buffer.scatter(bench.memory, data)
    return buffer


def sectors(data, size=SECTOR):
    return [data[start:start + size] for start in range(0, len(data), size)]


def xts_of(data, tweaks, size=SECTOR):
    return b"".join(golden.xts_encrypt(KEY, tweak, unit)
                    for tweak, unit in zip(tweaks, sectors(data, size), strict=True))


def cbc_of(data, ivs, size=SECTOR):
    return b"".join(golden.cbc_encrypt(KEY, iv, unit)[0]
                    for iv, unit in zip(ivs, sectors(data, size), strict=True))


def random_bytes(count):
    return random.Random(cocotb.RANDOM_SEED).randbytes(count)


@cocotb.test()
async def xts_of_64_sectors_in_a_batch_is_two_engine_calls_and_at_most_two_key_loads(dut):
    data = random_bytes(64 * SECTOR)
    bench, engine, src = await started(dut, data)
    tweaks = [plain64(number) for number in range(1000, 1064)]
    with Xts(engine, KEY, strategy="batch") as xts:
        for call, wanted in ((xts.encrypt_units, xts_of(data, tweaks)), (xts.decrypt_units, data)):
            before = engine.counters.copy()
            await bench.call(call(tweaks, SECTOR, src, src))
            spent = engine.counters.since(before)
            assert src.read(bench.memory) == wanted
            assert (spent.calls, spent.hardware_blocks) == (2, 64 + 64 * 32)
            assert spent.key_loads <= 2
    bench.check(at_least=4)


@cocotb.test()
async def xts_block_by_block_is_a_call_for_every_block_and_every_tweak(dut):
    count = 4 if FEW else 64
    data = random_bytes(count * SECTOR)
    bench, engine, src = await started(dut, data)
    tweaks = [plain64(number) for number in range(count)]
    with Xts(engine, KEY, strategy="per-block") as xts:
        await bench.call(xts.encrypt_units(tweaks, SECTOR, src, src))
    assert src.read(bench.memory) == xts_of(data, tweaks)
    assert engine.counters.calls == count * 33
    assert FEW or engine.counters.calls == 2112
    bench.check(at_least=count * 33)


@cocotb.test()
async def sectors_of_every_size_and_numbering_have_their_own_tweaks(dut):
    data = random_bytes((2 if FEW else 4) * 4096)  # at 4096 the second one is the first after 2**32
    bench, engine, src = await started(dut, data)
    first = (1 << 32) - 8
    with Xts(engine, KEY, strategy="batch") as xts:
        for size in (512, 1024, 2048, 4096):
            for ivs, wrap in ((plain, 1 << 32), (plain64, 1 << 64)):
                for counting, step in (("sectors", size // 512), ("units", 1)):
                    cipher = SectorCipher(xts, ivs, unit_bytes=size, counting=counting)
                    numbers = [(first + index * step) % wrap for index in range(len(data) // size)]
                    tweaks = [number.to_bytes(16, "little") for number in numbers]
                    await bench.call(cipher.encrypt(first, src, src))
                    assert src.read(bench.memory) == xts_of(data, tweaks, size), (size, ivs, counting)
                    await bench.call(cipher.decrypt(first, src, src))
                    assert src.read(bench.memory) == data, (size, ivs, counting)
    bench.check(at_least=64)


@cocotb.test()
async def units_that_end_in_a_part_of_a_block_cost_a_batch_one_call_more(dut):
    data = random_bytes(3 * 100)
    bench, engine, src = await started(dut, data)
    tweaks = [plain64(number) for number in range(3)]
    with Xts(engine, KEY, strategy="batch") as xts:
        await bench.call(xts.encrypt_units(tweaks, 100, src, src))
        assert src.read(bench.memory) == xts_of(data, tweaks, 100)
        assert engine.counters.calls == 3
        await bench.call(xts.decrypt_units(tweaks, 100, src, src))
    assert src.read(bench.memory) == data
    bench.check(at_least=6)


@cocotb.test()
async def cbc_of_64_streams_of_32_blocks_in_lockstep_is_32_engine_calls_and_back_is_one(dut):
    data = random_bytes(64 * SECTOR)
    bench, engine, src = await started(dut, data)
    ivs = [plain64(number) for number in range(64)]
    with Cbc(engine, KEY) as cbc:
        await bench.call(cbc.encrypt_units(ivs, SECTOR, src, src))
        assert src.read(bench.memory) == cbc_of(data, ivs)
        assert (engine.counters.calls, engine.counters.hardware_blocks) == (32, 64 * 32)
        await bench.call(cbc.decrypt_units(ivs, SECTOR, src, src))
    assert src.read(bench.memory) == data
    assert engine.counters.calls == 33
    bench.check(at_least=33)


@cocotb.test()
async def sectors_in_cbc_with_essiv_have_the_ivs_of_their_numbers(dut):
    data = random_bytes(8 * SECTOR)
    bench, engine, src = await started(dut, data)
    digest = hashlib.sha256(KEY).digest()
    ivs = [golden.ecb_encrypt(digest, number.to_bytes(16, "little")) for number in range(77, 85)]
    with Cbc(engine, KEY) as cbc, Essiv(engine, KEY) as essiv:
        cipher = SectorCipher(cbc, essiv)
        await bench.call(cipher.encrypt(77, src, src))
        assert src.read(bench.memory) == cbc_of(data, ivs)
        assert engine.counters.calls == 1 + 32
        await bench.call(cipher.decrypt(77, src, src))
    assert src.read(bench.memory) == data
    bench.check(at_least=35)


@cocotb.test()
async def streams_of_different_lengths_each_give_the_iv_to_go_on_with(dut):
    data = random_bytes(2 * 240)
    bench, engine, whole = await started(dut, data)
    lengths = (160, 0, 16, 64)
    first = whole.split([*lengths, 240])
    messages = [Message(plain64(number), part, part) for number, part in enumerate(first[:4])]
    with Cbc(engine, KEY) as cbc:
        ivs = await bench.call(cbc.encrypt_many(messages))
        assert engine.counters.calls == 10
        position = 0
        for number, length in enumerate(lengths):
            wanted = golden.cbc_encrypt(KEY, plain64(number), data[position:position + length])
            assert (first[number].read(bench.memory), ivs[number]) == wanted
            position += length
        again = await bench.call(cbc.encrypt(ivs[0], first[4], first[4]))
    assert (first[4].read(bench.memory), again) == golden.cbc_encrypt(KEY, ivs[0], data[240:])
    bench.check(at_least=25)


MODES = {"ecb": Ecb, "cbc": Cbc, "ctr": Ctr, "gcm": Gcm, "xts": Xts}


def whole_of(name, iv, data):
    if name == "gcm":
        return golden.gcm_encrypt(KEY, iv, data, b"")[0]
    return golden.crypt(name, KEY, iv, data, encrypt=True)[0]


@cocotb.test()
async def messages_in_pieces_and_a_copy_from_their_middle_give_the_bytes_of_the_whole(dut):
    bench = await RtlBench.start(dut)
    engine, rng, iv = bench.engine(), random.Random(cocotb.RANDOM_SEED), bytes(range(16))

    async def fed(stream, data):
        """In pieces of 0 to 70 bytes, to the end."""
        result = b""
        while data:
            size = rng.randint(0, 70)
            result += await stream.update(data[:size])
            data = data[size:]
        return result + await stream.finalise()

    async def both(name, start, mine, other):
        ivs = () if name == "ecb" else (iv,)
        with MODES[name](engine, KEY) as cipher, cipher.encryptor(*ivs) as stream:
            begun = await stream.update(start)
            with stream.copy() as twin:
                return begun + await fed(stream, mine), begun + await fed(twin, other)

    for name in MODES:
        tail = 0 if name in ("ecb", "cbc") else 5
        start, mine, other = rng.randbytes(41), rng.randbytes(23 + 128 + tail), rng.randbytes(23 + 80 + tail)
        results = await bench.call(both(name, start, mine, other))
        assert results == (whole_of(name, iv, start + mine), whole_of(name, iv, start + other)), name
    bench.check(at_least=20)
