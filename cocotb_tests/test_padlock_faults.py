"""Driver and engine under faults: pages, bus errors, back-pressure, interrupts, resets, silence.

A request ends with the right bytes or with a precise error, and nothing is lost: after the cause
is removed the rest of the request gives the right result.
"""

import random

import cocotb
import pytest

from cocotb_tests.env.bench import RtlBench
from cocotb_tests.fault_region import READS, WRITES, Region, data_of, fault_of
from pymodel import golden
from pymodel.engines.ports import Xcrypt
from pymodel.errors import EngineHang
from pymodel.jobs.bench import BenchSpec
from pymodel.modes import Cbc, Ctr, Xts

KEY = bytes(range(16))
WIDE_KEY = bytes(range(32))


@cocotb.test()
async def a_page_fault_names_its_address_and_the_rest_can_be_done_after_it_is_mapped(dut):
    """On either side, in place and not, at every block of a request of 12."""
    bench = await RtlBench.start(dut)
    engine = bench.engine()
    key = engine.key(KEY)
    expected = golden.ecb_encrypt(KEY, data_of(12))

    async def scene(cut: int, access: str, in_place: bool) -> None:
        region = Region(bench, 12, cut, in_place)
        region.close(access)
        fault = await fault_of(engine.ecb(key, region.src, region.dst, decrypt=False))
        assert (fault.kind, fault.access, fault.address) == ("page", access, region.boundary[access])
        assert fault.restartable
        assert fault.completed <= 16 * cut
        region.close(access, open_again=True)
        rest = 16 * 12 - fault.completed
        assert region.dst.read(bench.memory)[:fault.completed] == expected[:fault.completed]
        await engine.ecb(key, region.src.part(fault.completed, rest), region.dst.part(fault.completed, rest),
                         decrypt=False)
        assert region.dst.read(bench.memory) == expected
        region.free()

    for cut in range(12):
        for access in ("read", "write"):
            for in_place in (False, True):
                await bench.call(scene(cut, access, in_place))
    bench.check(at_least=12 * 4)


@cocotb.test()
async def a_bus_error_on_any_beat_is_reported_and_nothing_is_lost(dut):
    bench = await RtlBench.start(dut, BenchSpec(fetch_blocks=8))
    engine = bench.engine()
    key = engine.key(KEY)
    expected = golden.ecb_encrypt(KEY, data_of(21))

    async def scene(beat: int, kind: int, in_place: bool) -> None:
        region = Region(bench, 21, 21, in_place)
        buffers, access = (region.src, "read") if kind == READS else (region.dst, "write")
        address = buffers.pieces[0].address + 16 * beat
        bench.inject_bus_error(address, reads=kind == READS, writes=kind == WRITES)
        fault = await fault_of(engine.ecb(key, region.src, region.dst, decrypt=False))
        assert (fault.kind, fault.access) == ("bus", access)
        assert fault.address <= address < fault.address + 16 * 16
        assert fault.completed <= 16 * beat
        bench.inject_bus_error(None)
        rest = 16 * 21 - fault.completed
        await engine.ecb(key, region.src.part(fault.completed, rest), region.dst.part(fault.completed, rest),
                         decrypt=False)
        assert region.dst.read(bench.memory) == expected
        region.free()

    for beat in range(21):
        for kind in (READS, WRITES):
            for in_place in (False, True):
                await bench.call(scene(beat, kind, in_place))
    bench.check(at_least=21 * 4)


@cocotb.test()
async def a_bus_error_while_the_key_is_read_leaves_no_key_behind(dut):
    bench = await RtlBench.start(dut)
    engine = bench.engine()
    key = engine.key(WIDE_KEY)
    expected = golden.ecb_encrypt(WIDE_KEY, data_of(3))

    async def scene() -> None:
        region = Region(bench, 3, 3, False)
        await engine.ecb(key, region.src, region.dst, decrypt=False)
        schedule = key.placed(decrypt=False).key
        for beat in range(16):
            await bench.port.load_flags()
            bench.inject_bus_error(schedule + 16 * beat, reads=True)
            fault = await fault_of(engine.ecb(key, region.src, region.dst, decrypt=False))
            assert (fault.kind, fault.address, fault.completed) == ("bus", schedule + 16 * beat, 0)
            assert not await bench.port.key_loaded()
            bench.inject_bus_error(None)
            await engine.ecb(key, region.src, region.dst, decrypt=False)
            assert region.dst.read(bench.memory) == expected

    await bench.call(scene())
    bench.check(at_least=33)


async def requests_in_all_modes(bench: RtlBench, rng: random.Random, rounds: int) -> None:
    """Random requests; each result compared with the golden model."""
    engine = bench.engine()
    for _ in range(rounds):
        key, iv = rng.randbytes(rng.choice((16, 24, 32))), rng.randbytes(16)
        data = rng.randbytes(rng.randrange(16, 700))
        whole = data[:len(data) // 16 * 16]
        xts, cbc, ctr = Xts(engine, key + key[::-1]), Cbc(engine, key), Ctr(engine, key)
        assert await xts.encrypt_bytes(iv, data) == golden.xts_encrypt(key + key[::-1], iv, data)
        assert await cbc.decrypt_bytes(iv, whole) == golden.cbc_decrypt(key, iv, whole)
        assert await ctr.crypt_bytes(iv, data) == golden.ctr_crypt(key, iv, data)
        for mode in (xts, cbc, ctr):
            mode.close()


@cocotb.test()
@cocotb.parametrize(mask=[0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111], rate=[64, 230])
async def back_pressure_changes_no_byte(dut, mask: int, rate: int):
    seed = cocotb.RANDOM_SEED & 0xFFFFFFFF
    dut._log.info("seed %d", seed)
    bench = await RtlBench.start(dut, BenchSpec(stall_seed=seed | 1, stall_mask=mask, stall_rate=rate))
    await bench.call(requests_in_all_modes(bench, random.Random(seed), 6))
    bench.check(at_least=20)


@cocotb.test()
async def an_interrupt_at_every_cycle_of_a_request_loses_nothing(dut):
    bench = await RtlBench.start(dut)
    engine = bench.engine()
    key = engine.key(WIDE_KEY)
    expected = golden.ecb_encrypt(WIDE_KEY, data_of(5))

    async def request(region: Region, interrupt_after: int) -> int:
        """The request with an interrupt so many cycles after it was made; how long it took."""
        await bench.port.load_flags()
        began = bench.kernel.now()
        task = bench.kernel.start(engine.ecb(key, region.src, region.dst, decrypt=False), "request")
        await bench.kernel.sleep(interrupt_after)
        await bench.port.interrupt()
        await task.join()
        assert region.dst.read(bench.memory) == expected, f"interrupt after {interrupt_after} cycles"
        return bench.kernel.now() - began

    async def scene() -> None:
        region = Region(bench, 5, 5, False)
        loads = []
        longest = await request(region, 0)
        for cycle in range(1, longest + 60):
            region.dst.scatter(bench.memory, bytes(16 * 5))
            before = engine.counters.key_loads
            await request(region, cycle)
            loads.append(engine.counters.key_loads - before)
        assert max(loads) >= 2, "no interrupt ever cost a key load"

    await bench.call(scene())
    bench.check(at_least=100)


@cocotb.test()
async def a_request_that_never_completes_is_a_hang_and_the_engine_works_afterwards(dut):
    """A memory that answers after 60,000 cycles, and a watchdog of 2,000."""
    bench = await RtlBench.start(dut)
    engine = bench.engine(watchdog=lambda blocks: 2000)
    key = engine.key(KEY)

    async def scene() -> None:
        region = Region(bench, 4, 4, False)
        bench.set_latency(read=60_000)
        with pytest.raises(EngineHang, match="4 blocks") as raised:
            await engine.ecb(key, region.src, region.dst, decrypt=False)
        assert raised.value.cycles >= 2000
        assert raised.value.completed == 0
        assert raised.value.state
        bench.set_latency(read=1)
        await engine.ecb(key, region.src, region.dst, decrypt=False)
        assert region.dst.read(bench.memory) == golden.ecb_encrypt(KEY, data_of(4))

    await bench.call(scene())
    bench.check()


@cocotb.test()
async def a_reset_at_every_cycle_of_a_request_leaves_the_engine_usable(dut):
    bench = await RtlBench.start(dut)
    engine, port = bench.engine(), bench.port
    old, new = engine.key(KEY), engine.key(WIDE_KEY)

    async def scene() -> None:
        region = Region(bench, 20, 7, False)
        for cycle in range(1, 260, 3):
            task = bench.kernel.start(engine.ecb(old, region.src, region.dst, decrypt=False), "doomed")
            await bench.kernel.sleep(cycle)
            await engine.reset()
            try:
                await task.join()
            except EngineHang:
                pass
            else:
                assert region.dst.read(bench.memory) == golden.ecb_encrypt(KEY, data_of(20))
            assert not await port.key_loaded()
            assert region.src.read(bench.memory) == data_of(20)
            await engine.ecb(new, region.src, region.dst, decrypt=False)
            assert region.dst.read(bench.memory) == golden.ecb_encrypt(WIDE_KEY, data_of(20)), cycle

    await bench.call(scene())
    bench.check(at_least=80)


@cocotb.test()
async def a_request_of_no_blocks_touches_nothing(dut):
    bench = await RtlBench.start(dut)

    def bursts() -> tuple[int, int]:
        return int(dut.ar_bursts.value), int(dut.aw_bursts.value)

    async def scene() -> None:
        before = bursts()
        result = await bench.port.xcrypt(Xcrypt(3, 5, 7, 9, 0))
        assert (int(result.status), result.src, result.dst, result.count) == (0, 7, 9, 0)
        assert bursts() == before

    await bench.call(scene())
    bench.check()
