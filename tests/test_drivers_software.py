"""SoftwareEngine: a BlockEngine on the host."""

from __future__ import annotations

import random

import pytest
from scatter import Layout

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.costs import Host, HostCosts, HostWork
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import EngineFault, InvalidRequest
from pymodel.kernel import Cpu, Kernel, gather
from pymodel.memory import PAGE_BYTES, HostMemory

KEY = bytes(range(32))


@pytest.fixture
def engine():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(32 * PAGE_BYTES), kernel, Cpu(kernel))


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("decrypt", [False, True])
def test_blocks_at_any_place_are_aes(engine, size, decrypt):
    rng, key = random.Random(size), engine.key(KEY[:size])
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    for largest in (None, 1, 20):
        data = rng.randbytes(16 * 20)
        layout = Layout(engine.memory, rng, data, in_place=largest == 20, largest=largest)
        engine.kernel.run(engine.ecb(key, layout.src, layout.dst, decrypt=decrypt))
        assert layout.result() == reference(KEY[:size], data)
        assert layout.untouched_elsewhere()
    assert engine.counters.calls == 3
    assert engine.counters.software_blocks == 60
    assert engine.counters.hardware_blocks == 0


def test_each_block_costs_its_cycles_on_the_cpu():
    kernel = Kernel()
    cpu = Cpu(kernel)
    engine = SoftwareEngine(HostMemory(8 * PAGE_BYTES), kernel, cpu,
                            host=Host(cpu, kernel, HostCosts({HostWork.FALLBACK_BLOCK: 7})))
    key, buffer = engine.key(KEY), Buffers.of(PAGE_BYTES, 160)
    kernel.run(gather(kernel, *(engine.ecb(key, buffer, buffer, decrypt=False) for _ in range(2))))
    assert kernel.now() == 2 * 10 * 7


def test_bad_requests_are_refused_and_write_nothing(engine):
    key, buffer = engine.key(KEY), Buffers.of(PAGE_BYTES, 32)
    before = engine.memory.bytes.copy()
    for bad_key, src, dst in ((b"bytes", buffer, buffer), (key, buffer.part(0, 17), buffer.part(0, 17)),
                              (key, buffer, Buffers.of(PAGE_BYTES + 8, 32))):
        with pytest.raises(InvalidRequest):
            engine.kernel.run(engine.ecb(bad_key, src, dst, decrypt=False))
    with pytest.raises(InvalidRequest, match="not 5"):
        engine.key(bytes(5))
    assert (engine.memory.bytes == before).all()
    assert engine.counters.calls == 0


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("in_place", [False, True])
def test_it_stops_exactly_at_a_page_it_cannot_touch_and_goes_on_from_there(engine, access, in_place):
    memory, data = engine.memory, random.Random(1).randbytes(96)
    areas = [memory.allocate_pages(2) for _ in range(2)]
    src = Buffers.of(areas[0] + PAGE_BYTES - 40, 96)
    dst = src if in_place else Buffers.of(areas[1] + PAGE_BYTES - 40, 96)
    src.scatter(memory, data)
    boundary = (src if access == "read" else dst).pieces[0].address + 40
    memory.protect(boundary, 1, readable=access != "read", writable=access != "write")
    key = engine.key(KEY)
    with pytest.raises(EngineFault) as caught:
        engine.kernel.run(engine.ecb(key, src, dst, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.access, fault.address, fault.completed) == ("page", access, boundary, 32)
    memory.protect(boundary, 1, readable=True, writable=True)
    engine.kernel.run(engine.ecb(key, src.part(32, 64), dst.part(32, 64), decrypt=False))
    assert dst.read(memory) == golden.ecb_encrypt(KEY, data)
