"""Events of the processor at awkward cycles, and what one bench leaves to the next one."""

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel.engines.ports import Xcrypt, XcryptStatus

KEY = bytes(range(16))


async def write_word_and_key(bench: RtlBench) -> Xcrypt:
    """A request of two blocks that expands a raw key, in memory of its own."""
    memory = bench.memory
    word, key, src, dst = (memory.allocate(64) for _ in range(4))
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
