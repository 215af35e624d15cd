"""The QCE through its driver on RTL: limits, lengths, resets at any cycle, polling, latencies."""

import contextlib
import os
import random

import cocotb
import pytest

from cocotb_tests.env.bench import RtlBench
from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers import qce_scripts as scripts
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import (
    DUMP_BYTES,
    MAX_DESCRIPTOR_BYTES,
    MAX_DESCRIPTORS,
    Descriptor,
    ResultDump,
    encode_list,
)
from pymodel.engines.qce_registers import (
    CONFIG_MASK_OP_DONE_INTR,
    STATUS_ENCR_BUSY,
    STATUS_OPERATION_DONE,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang
from pymodel.jobs import BenchSpec, model_bench
from pymodel.kernel import gather
from pymodel.memory import HostAccessError
from pymodel.modes import Ecb

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
FEW = cocotb.SIM_NAME.lower().startswith("icarus") and float(os.environ.get("ECBENCH_EFFORT", "1")) <= 1
"""Where requests cost most; all of them every night."""


def data_of(length: int) -> bytes:
    return bytes((37 * i + 11) & 255 for i in range(length))


@cocotb.test()
async def every_length_up_to_three_units_and_around_four_comes_out_of_the_engine(dut):
    """With either size of key, the other one on the way back; AES-192 is not the engine's. In Icarus a
    third of the lengths, and those around a unit."""
    bench = await RtlBench.start(dut)
    engine = bench.engine()
    units = (31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129)
    first = random.Random(cocotb.RANDOM_SEED).randrange(1, 4)
    lengths = sorted({*range(first, 98, 3), *units} if FEW else {*range(1, 98), *units})
    keys = bytes(range(16)), bytes(range(32))
    for blocks in lengths:
        there, back, data = keys[blocks % 2], keys[1 - blocks % 2], data_of(16 * blocks)
        assert await bench.call(Ecb(engine, there).encrypt_bytes(data)) == golden.ecb_encrypt(there, data)
        assert await bench.call(Ecb(engine, back).decrypt_bytes(data)) == golden.ecb_decrypt(back, data)
    assert (engine.counters.hardware_blocks, engine.counters.software_blocks) == (2 * sum(lengths), 0)
    key = bytes(range(24))
    assert await bench.call(Ecb(engine, key).encrypt_bytes(data)) == golden.ecb_encrypt(key, data)
    assert (engine.counters.hardware_blocks, engine.counters.software_blocks) == (2 * sum(lengths), 129)
    bench.check(at_least=2 * len(lengths))


@cocotb.test()
async def lists_of_64_descriptors_and_pieces_of_any_size_come_out(dut):
    """More pieces than a list can hold, of one block each, out of order and unaligned; the end of memory."""
    bench = await RtlBench.start(dut)
    engine, memory, rng = bench.engine(), bench.memory, random.Random(cocotb.RANDOM_SEED)
    key = engine.key(KEY)
    for count, step in ((MAX_DESCRIPTORS, 32), (MAX_DESCRIPTORS + 1, 32), (200, 32), (90, 33)):
        area = memory.allocate(2 * count * step + 64)
        places = [area + step * index for index in range(2 * count)]
        rng.shuffle(places)
        src, dst = (Buffers([(at, 16) for at in part]) for part in (places[:count], places[count:]))
        data = rng.randbytes(16 * count)
        src.scatter(memory, data)
        await bench.call(engine.ecb(key, src, dst, decrypt=False))
        assert dst.read(memory) == golden.ecb_encrypt(KEY, data)
    end = Buffers.of(memory.size - 1024, 1024)
    end.scatter(memory, data_of(1024))
    await bench.call(engine.ecb(key, end, end, decrypt=False))
    assert end.read(memory) == golden.ecb_encrypt(KEY, data_of(1024))
    bench.check(at_least=5)


@cocotb.test()
async def a_piece_longer_than_a_descriptor_can_say_is_cut(dut):
    bench = await RtlBench.start(dut)
    engine, memory = bench.engine(), bench.memory
    length = MAX_DESCRIPTOR_BYTES + 528
    src, dst = (Buffers.of(memory.allocate(length), length) for _ in range(2))
    src.scatter(memory, data_of(length))
    await bench.call(engine.ecb(engine.key(KEY), src, dst, decrypt=True))
    assert dst.read(memory) == golden.ecb_decrypt(KEY, data_of(length))
    bench.check()


@cocotb.test()
async def a_reset_at_any_cycle_ends_one_request_and_the_next_one_is_right(dut):
    """Also while the registers are set up, with another request waiting; as on the model, to the cycle."""
    spec = BenchSpec(engine="qce", slow_start_cycles=5, read_latency=3, write_latency=9)

    async def program(bench) -> list[tuple[int, str]]:
        log, engine = [], bench.engine()
        began = bench.kernel.now()
        for delay in range(1, 420, 7):
            async def request(name: str) -> None:
                try:
                    out = await Ecb(engine, KEY).encrypt_bytes(data_of(400))
                    text = "right" if out == golden.ecb_encrypt(KEY, data_of(400)) else "wrong"
                except EngineHang as hang:
                    text = f"reset, {hang.completed} done, {hang.state['CRYPTO_STATE']}"
                log.append((bench.kernel.now() - began, f"{name} {text}"))

            async def reset(after: int) -> None:
                await bench.kernel.sleep(after)
                await engine.reset()

            await gather(bench.kernel, request("first"), request("second"), reset(delay))
        return log

    model = model_bench(spec)
    expected = model.kernel.run(program(model))
    bench = await RtlBench.start(dut, spec)
    observed = await bench.kernel.drive(program(bench))
    assert observed == expected
    assert not any("wrong" in text for _, text in observed)
    assert {text.split()[-1] for _, text in observed if "reset" in text} >= {"START", "RUN"}
    bench.check(at_least=60)


@cocotb.test()
async def a_request_can_be_polled_with_the_interrupt_masked_and_dumps_what_the_registers_held(dut):
    bench = await RtlBench.start(dut)
    memory, port, counters = bench.memory, bench.port, (1, 0x89ABCDEF, 3, 0xFFFFFFFF)
    lists, area = memory.allocate(1024), memory.allocate(1024)
    memory.write(area, data_of(64))
    memory.write(lists, encode_list([Descriptor(area, 64)]))
    memory.write(lists + 512, encode_list([Descriptor(area + 256, 64), Descriptor(area + 512, DUMP_BYTES)]))
    setup = [access for access in scripts.setup(KEY, 64, decrypt=False) if access.address != Register.CONFIG]

    async def scene() -> int:
        await port.script([*(RegisterAccess(Register.CNTR0_IV + 4 * index, value)
                             for index, value in enumerate(counters)), *setup])
        await port.script(scripts.source_list(lists, 1))
        await port.script([*scripts.destination_list(lists + 512, 2), scripts.GO])
        assert CONFIG_MASK_OP_DONE_INTR.get(await port.read(Register.CONFIG))
        polls = 0
        while STATUS_ENCR_BUSY.get(status := await port.read(Register.STATUS)):
            polls += 1
        assert STATUS_OPERATION_DONE.get(status)
        assert not port.irq.is_set()
        await port.write(Register.CONFIG, 0)
        await bench.kernel.sleep(1)
        assert port.irq.is_set()
        await port.write(Register.STATUS, 0)
        assert not port.irq.is_set()
        return polls

    assert await bench.call(scene()) > 10
    assert memory.read(area + 256, 64) == golden.ecb_encrypt(KEY, data_of(64))
    dump = ResultDump.decode(memory.read(area + 512, DUMP_BYTES))
    assert dump.counters == counters
    assert STATUS_ENCR_BUSY.get(dump.status)
    bench.check()


@cocotb.test()
async def the_host_cannot_write_to_the_buffers_of_a_request_in_flight(dut):
    bench = await RtlBench.start(dut)
    engine, memory = bench.engine(), bench.memory
    area = memory.allocate(2048)

    async def scene() -> None:
        request = bench.kernel.start(engine.ecb(engine.key(KEY), Buffers.of(area, 1024),
                                                Buffers.of(area + 1024, 1024), decrypt=False), "the request")
        await bench.kernel.sleep(300)
        for address in (area, area + 1023, area + 1024, area + 2047):
            with pytest.raises(HostAccessError, match="which an engine owns"):
                memory.write(address, b"x")
        with pytest.raises(RuntimeError):
            bench.set_latency(read=9)
        await request.join()
        memory.write(area, b"x")

    await bench.call(scene())
    bench.check()


@cocotb.test()
async def a_slower_memory_is_waited_for_and_an_engine_that_hangs_on_it_is_still_found(dut):
    bench = await RtlBench.start(dut)
    engine, naive = bench.engine(), bench.engine(handles=Quirk.all() & ~Quirk.LENGTH_512_HANG)
    bench.set_latency(read=9_000, write=5_000)
    out = await bench.call(Ecb(engine, KEY).encrypt_bytes(data_of(64)))
    assert out == golden.ecb_encrypt(KEY, data_of(64))
    bench.set_latency()
    with pytest.raises(EngineHang) as hang:
        await bench.call(Ecb(naive, KEY).encrypt_bytes(data_of(528)))
    assert hang.value.cycles < 9_000
    bench.check(at_least=2)


@cocotb.test()
async def an_interrupt_that_another_master_left_does_not_give_the_lock_away(dut):
    """The driver clears STATUS before it writes the key: that acknowledges no request of its own."""
    bench = await RtlBench.start(dut)
    data = data_of(160)

    async def interfered(cycle: int) -> bytes:
        await bench.port.write(Register.GOPROC, 1, 1)  # ends at once, in SW_ERR and ERR_INTR
        await bench.kernel.sleep(20)
        with Ecb(bench.engine(), KEY) as ecb:
            request = bench.kernel.start(ecb.encrypt_bytes(data))
            await bench.kernel.sleep(cycle)
            with contextlib.suppress(EngineFault):
                await bench.port.write(Register.ENCR_KEY0, 0xBAD, 1)
            return await request.join()

    for cycle in range(20, 70, 5):
        await bench.call(bench.port.reset())
        assert await bench.call(interfered(cycle)) == golden.ecb_encrypt(KEY, data), cycle
    bench.check(at_least=10)
