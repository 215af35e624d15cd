"""Events of the processor at awkward cycles, and what one bench leaves to the next one."""

from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import ReadWrite

from cocotb_tests.env.bench import RtlBench
from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines.ports import Xcrypt, XcryptStatus
from pymodel.jobs.bench import BenchSpec
from pymodel.kernel import gather
from pymodel.memory import HostAccessError

KEY = bytes(range(16))


async def write_word_and_key(bench: RtlBench) -> Xcrypt:
    """A request of two blocks that expands a raw key, in memory of its own."""
    memory = bench.memory
    word, key, src, dst = (memory.allocate(1024, 512) for _ in range(4))
    memory.write(word, (0x00A).to_bytes(16, "little"))
    memory.write(key, KEY)
    memory.write(src, bytes(range(32)))
    return Xcrypt(word, key, src, dst, 2)


@cocotb.test()
async def two_events_of_one_cycle_are_not_none(dut):
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = await write_word_and_key(bench)
        task = bench.kernel.start(bench.port.xcrypt(op))
        await bench.kernel.sleep(20)
        await bench.port.interrupt()
        await bench.port.interrupt()
        assert (await task.join()).status is XcryptStatus.INTERRUPTED
        await bench.port.xcrypt(op)
        assert await bench.port.key_loaded()
        loads = [bench.kernel.start(bench.port.load_flags()) for _ in range(2)]
        for load in loads:
            await load.join()
        assert not await bench.port.key_loaded()

    await bench.call(scene())
    bench.check(at_least=2)


@cocotb.test()
async def an_eflags_load_at_any_cycle_of_a_request_is_predicted(dut):
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = await write_word_and_key(bench)
        for held in (False, True):
            for cycle in range(0, 70):
                if not held:
                    await bench.port.load_flags()
                task = bench.kernel.start(bench.port.xcrypt(op))
                if cycle:
                    await bench.kernel.sleep(cycle)
                await bench.port.load_flags()
                await task.join()
                await bench.port.xcrypt(op)

    await bench.call(scene())
    bench.check(at_least=280)


@cocotb.test()
async def a_new_bench_finds_zeros_where_the_one_before_it_left_data(dut):
    bench = await RtlBench.start(dut)
    address = bench.memory.allocate(512, 512)
    bench.memory.write(address, bytes(range(256)) * 2)
    bench.memory.sync()
    await bench.call(bench.kernel.sleep(3))
    line = dut.ram.mem[address // 512]
    assert int(line.value) != 0
    again = await RtlBench.start(dut)
    again.memory.sync()
    await again.call(again.kernel.sleep(3))
    assert int(line.value) == 0


@cocotb.test()
async def what_two_tasks_write_in_the_cycle_of_a_completion_reaches_the_engine(dut):
    """One writes while the other's request is in flight; that one writes again as it ends, and goes on."""
    bench = await RtlBench.start(dut)
    memory, engine = bench.memory, bench.engine()
    key, data = engine.key(KEY), bytes(range(100, 164))
    mine, other = (Buffers.of(memory.allocate(512, 512), 64) for _ in range(2))

    async def first() -> None:
        mine.scatter(memory, bytes(64))
        await engine.ecb(key, mine, mine, decrypt=False)
        mine.scatter(memory, data)
        await engine.ecb(key, mine, mine, decrypt=False)

    async def second() -> None:
        await bench.kernel.sleep(20)
        other.scatter(memory, data)
        await bench.kernel.sleep(1000)
        await engine.ecb(key, other, other, decrypt=False)

    await bench.call(gather(bench.kernel, first(), second()))
    assert mine.read(memory) == other.read(memory) == golden.ecb_encrypt(KEY, data)
    bench.check(at_least=3)


@cocotb.test()
@cocotb.parametrize(distance=[3, 97, 500])
async def many_scattered_writes_at_one_falling_edge_all_arrive(dut, distance: int):
    """More runs of lines than one push has, and a second push before and after the RTL saw the first."""
    bench = await RtlBench.start(dut)
    memory = bench.memory
    lines = [40 + distance * number for number in range(12)]
    for line in lines:
        memory.write(512 * line, bytes([line & 255]) * 512)
        memory.sync()
    await ReadWrite()
    for line in lines:
        memory.write(512 * line + 7, b"again")
        memory.sync()
    await bench.call(bench.kernel.sleep(2))
    for line in lines:
        seen = int(dut.ram.mem[line].value).to_bytes(512, "little")
        assert seen == memory.read(512 * line, 512), line


@cocotb.test()
async def lines_do_not_move_under_a_request(dut):
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = await write_word_and_key(bench)
        task = bench.kernel.start(bench.port.xcrypt(op))
        await bench.kernel.sleep(5)
        with pytest.raises(HostAccessError, match="in flight"):
            bench.memory.sync()
        await task.join()
        bench.memory.sync()

    await bench.call(scene())
    bench.check()


@cocotb.test()
async def a_request_that_waits_for_two_resets_is_run(dut):
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = await write_word_and_key(bench)
        resets = [bench.kernel.start(bench.port.reset()) for _ in range(2)]
        request = bench.kernel.start(bench.port.xcrypt(op))
        for reset in resets:
            await reset.join()
        assert (await request.join()).status is XcryptStatus.OK
        assert (await bench.port.xcrypt(op)).status is XcryptStatus.OK

    await bench.call(scene())
    bench.check(at_least=2)


@cocotb.test()
async def the_key_that_was_there_when_the_request_began_is_the_one_predicted(dut):
    """The host changes key memory and page rights under a request, and then interrupts it."""
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = replace(await write_word_and_key(bench), count=40)
        for cycle in (60, 61, 100, 333):
            await bench.port.load_flags()
            bench.memory.write(op.key, KEY)
            task = bench.kernel.start(bench.port.xcrypt(op))
            await bench.kernel.sleep(cycle)
            bench.memory.write(op.key, bytes(16))
            bench.memory.protect(0x300000, 16, readable=False, writable=False)
            await bench.port.interrupt()
            await bench.port.load_flags()
            assert (await task.join()).status is XcryptStatus.INTERRUPTED

    await bench.call(scene())
    bench.check(at_least=4)


@cocotb.test()
async def interrupts_under_random_back_pressure_are_judged_by_what_is_done(dut):
    bench = await RtlBench.start(dut, BenchSpec(stall_seed=5, stall_rate=200))

    async def scene() -> None:
        op = replace(await write_word_and_key(bench), count=60)
        for cycle in range(20, 700, 40):
            task = bench.kernel.start(bench.port.xcrypt(op))
            await bench.kernel.sleep(cycle)
            await bench.port.interrupt()
            await task.join()

    await bench.call(scene())
    bench.check(at_least=17)


@cocotb.test()
async def the_memory_is_not_changed_under_a_request(dut):
    bench = await RtlBench.start(dut)

    async def scene() -> None:
        op = await write_word_and_key(bench)
        task = bench.kernel.start(bench.port.xcrypt(op))
        await bench.kernel.sleep(5)
        for change in (lambda: bench.set_latency(read=9), lambda: bench.inject_bus_error(0, reads=True)):
            with pytest.raises(RuntimeError, match="between requests"):
                change()
        await task.join()
        bench.set_latency(read=9)
        await bench.port.xcrypt(op)

    await bench.call(scene())
    bench.check(at_least=2)


@cocotb.test()
@cocotb.parametrize(part=[1, 2])
async def a_test_that_ends_under_a_request_leaves_nothing_to_the_next_one(dut, part: int):
    bench = await RtlBench.start(dut)
    memory = bench.memory
    word, key, area, out = 0x1000, 0x1040, 0x20000, 0x40000
    memory.write(word, (0x00A).to_bytes(16, "little"))
    memory.write(key, KEY)
    if part == 1:
        cocotb.start_soon(bench.call(bench.port.xcrypt(Xcrypt(word, key, 0x10000, area, 128))))
        await bench.call(bench.kernel.sleep(900))
    else:
        await bench.call(bench.port.xcrypt(Xcrypt(word, key, area, out, 128)))
        assert memory.read(out, 16) == golden.ecb_encrypt(KEY, bytes(16))
        bench.check()


@cocotb.test()
async def a_push_after_lines_that_went_both_ways_at_one_edge_arrives(dut):
    """At one falling edge lines by the file and lines by handles; later lines by the file again."""
    bench = await RtlBench.start(dut)
    memory = bench.memory
    memory.sync()  # what earlier tests left
    await bench.call(bench.kernel.sleep(2))
    near, far, later = [40], [500 + 97 * number for number in range(12)], [60]
    for lines in (near, far):
        for line in lines:
            memory.write(512 * line, bytes([line & 255]) * 512)
        memory.sync()
    await bench.call(bench.kernel.sleep(2))
    for line in later:
        memory.write(512 * line, bytes([line]) * 512)
    memory.sync()
    await bench.call(bench.kernel.sleep(2))
    for line in near + far + later:
        seen = int(dut.ram.mem[line].value).to_bytes(512, "little")
        assert seen == memory.read(512 * line, 512), line
