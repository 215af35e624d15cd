"""The QCE and its driver under faults: pages, bus errors, lists that cannot be read, random back-pressure.

A request ends with the right bytes or with a precise error, and nothing is lost: after the cause
is removed the rest of the request gives the right result.
"""

import random

import cocotb
import pytest

from cocotb_tests.env.bench import RtlBench
from cocotb_tests.fault_region import READS, WRITES, Region, data_of, fault_of
from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers import qce_scripts as scripts
from pymodel.engines.qce import Descriptor, encode_list
from pymodel.engines.qce_registers import (
    FAULT_ACCESS,
    FAULT_KIND,
    STATUS_ENCR_BUSY,
    FaultAccess,
    FaultKind,
    Register,
)
from pymodel.errors import EngineFault
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Ctr, Xts

KEY = bytes(range(16))
NAMES = {"read": "source read", "write": "destination write"}


@cocotb.test()
async def a_page_fault_names_its_address_and_the_rest_can_be_done_after_it_is_mapped(dut):
    """On either side, in place and not, at every block of a request of 12."""
    bench = await RtlBench.start(dut)
    engine = bench.engine()
    key, expected = engine.key(KEY), golden.ecb_encrypt(KEY, data_of(12))

    async def scene(cut: int, access: str, in_place: bool) -> None:
        region = Region(bench, 12, cut, in_place)
        region.close(access)
        fault = await fault_of(engine.ecb(key, region.src, region.dst, decrypt=False))
        assert (fault.kind, fault.access, fault.address) == ("page", NAMES[access], region.boundary[access])
        assert (fault.completed, fault.restartable) == (16 * cut, True)
        region.close(access, open_again=True)
        rest = 16 * (12 - cut)
        assert region.dst.read(bench.memory)[:16 * cut] == expected[:16 * cut]
        await engine.ecb(key, region.src.part(16 * cut, rest), region.dst.part(16 * cut, rest), decrypt=False)
        assert region.dst.read(bench.memory) == expected
        region.free()

    for cut in range(12):
        for access in ("read", "write"):
            for in_place in (False, True):
                await bench.call(scene(cut, access, in_place))
    bench.check(at_least=12 * 8 - 4)


@cocotb.test()
async def a_bus_error_on_any_beat_is_reported_and_nothing_is_lost(dut):
    bench = await RtlBench.start(dut, BenchSpec(engine="qce", read_latency=4, write_latency=3))
    engine = bench.engine()
    key, expected = engine.key(KEY), golden.ecb_encrypt(KEY, data_of(21))

    async def scene(beat: int, kind: int, in_place: bool) -> None:
        region = Region(bench, 21, 21, in_place)
        buffers, access = (region.src, "read") if kind == READS else (region.dst, "write")
        start = buffers.pieces[0].address
        address = start + 16 * beat
        bench.inject_bus_error(address, reads=kind == READS, writes=kind == WRITES)
        fault = await fault_of(engine.ecb(key, region.src, region.dst, decrypt=False))
        assert (fault.kind, fault.access) == ("bus", NAMES[access])
        assert fault.address <= address < fault.address + 16 * (1 if kind == READS else 16)
        assert fault.completed == fault.address - start
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
    bench.check(at_least=21 * 8)


@cocotb.test()
async def a_list_that_cannot_be_read_is_refused_at_its_doorbell_and_armed_once_it_can(dut):
    """In a closed page, outside the memory, and with a bus error on any of its beats."""
    bench = await RtlBench.start(dut)
    memory, port = bench.memory, bench.port
    page = memory.allocate_pages(1)
    memory.write(page, encode_list([Descriptor(page, 16)] * 64))

    async def ring(address: int) -> None:
        await port.script(scripts.source_list(address, 64))

    async def refused(address: int, kind: FaultKind, at: int) -> None:
        with pytest.raises(EngineFault) as raised:
            await ring(address)
        assert (raised.value.kind, raised.value.address) == ("register", Register.SRC_DOORBELL)
        fault, where = await port.script(scripts.reads(scripts.REFUSAL_READS))
        assert (FAULT_KIND.get(fault), FAULT_ACCESS.get(fault)) == (kind, FaultAccess.SOURCE_LIST)
        assert where == at

    async def scene() -> None:
        await refused(page + 8, FaultKind.ALIGNMENT, page + 8)
        await refused(memory.size, FaultKind.BUS, memory.size)
        for beat in range(32):
            bench.inject_bus_error(page + 16 * beat, reads=True)
            await refused(page, FaultKind.BUS, page + 16 * beat)
        bench.inject_bus_error(None)
        memory.protect(page, PAGE_BYTES, readable=False, writable=True)
        await refused(page, FaultKind.PAGE, page)
        memory.protect(page, PAGE_BYTES, readable=True, writable=True)
        await ring(page)
        with pytest.raises(EngineFault):
            await ring(page)
        assert not STATUS_ENCR_BUSY.get(await port.read(Register.STATUS))

    await bench.call(scene())
    bench.check(at_least=0)


@cocotb.test()
async def an_error_where_the_dump_goes_is_an_error_of_the_destination_and_the_data_is_there(dut):
    bench = await RtlBench.start(dut)
    engine, memory = bench.engine(), bench.memory
    data, allocate = data_of(20), memory.allocate
    page = memory.allocate_pages(1)
    memory.protect(page, PAGE_BYTES, readable=True, writable=False)
    src, dst = Buffers.of(allocate(len(data)), len(data)), Buffers.of(allocate(len(data)), len(data))
    src.scatter(memory, data)
    memory.allocate = lambda length, align=16: page if length == 128 else allocate(length, align)
    free = memory.free
    memory.free = lambda address: None if address == page else free(address)
    fault = await fault_of(bench.call(engine.ecb(engine.key(KEY), src, dst, decrypt=False)))
    assert (fault.kind, fault.access, fault.address) == ("page", NAMES["write"], page)
    assert fault.completed == len(data)
    assert dst.read(memory) == golden.ecb_encrypt(KEY, data)
    bench.check()


@cocotb.test()
async def random_back_pressure_on_any_channel_changes_no_byte(dut):
    for mask in (1, 2, 4, 8, 16, 31):
        for rate in (60, 200):
            spec = BenchSpec(engine="qce", stall_seed=cocotb.RANDOM_SEED % (1 << 32) or 1, stall_mask=mask,
                             stall_rate=rate, read_latency=3, write_latency=2)
            bench = await RtlBench.start(dut, spec)
            engine, rng = bench.engine(), random.Random(cocotb.RANDOM_SEED + mask * rate)
            key, iv, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(592)
            for request, right in (
                    (Xts(engine, key).encrypt_bytes(iv, data), golden.xts_encrypt(key, iv, data)),
                    (Ctr(engine, key).crypt_bytes(iv, data), golden.ctr_crypt(key, iv, data)),
                    (Cbc(engine, key).decrypt_bytes(iv, data), golden.cbc_decrypt(key, iv, data))):
                assert await bench.call(request) == right
            bench.check(at_least=4)
