"""An XTS data unit that comes in parts is the data unit that comes in one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import EngineFault, InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory
from pymodel.modes import Xts
from pymodel.modes.xts import STRATEGIES

KEY = bytes(range(64))
TWEAK = bytes(range(100, 116))


@pytest.fixture
def engine():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))


def buffers(engine, data):
    address = engine.memory.allocate(len(data))
    engine.memory.write(address, data)
    return Buffers.of(address, len(data))


async def in_parts(engine, xts, data, cuts, decrypt):
    src = buffers(engine, data)
    last = cuts[-1] if cuts else 0
    with xts.data_unit(TWEAK, decrypt=decrypt) as unit:
        for start, end in pairwise([0, *cuts]):
            await unit.part(src.part(start, end - start), src.part(start, end - start))
        rest = src.part(last, len(data) - last)
        await unit.last(rest, rest)
    return src.read(engine.memory)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("length", [16, 17, 47, 48, 63, 160, 175])
def test_any_cut_at_whole_blocks_gives_the_same_bytes_in_both_directions(engine, strategy, length):
    draw = seeded(length)
    xts, data = Xts(engine, KEY, strategy=strategy), draw.randbytes(length)
    whole = golden.xts_encrypt(KEY, TWEAK, data)
    for _ in range(6):
        cuts = sorted(draw.sample(range(16, length - 15, 16), draw.randint(0, max(0, length // 16 - 1))))
        assert engine.kernel.run(in_parts(engine, xts, data, cuts, False)) == whole, cuts
        assert engine.kernel.run(in_parts(engine, xts, whole, cuts, True)) == data, cuts


def test_the_tweak_is_encrypted_once_for_all_parts(engine):
    engine.kernel.run(in_parts(engine, Xts(engine, KEY), bytes(64), [16, 32, 48], False))
    assert engine.counters.calls == 5


def test_all_parts_are_under_the_key_that_was_in_force_at_the_start(engine):
    xts, data = Xts(engine, KEY), bytes(48)

    async def main():
        src = buffers(engine, data)
        with xts.data_unit(TWEAK, decrypt=False) as unit:
            await unit.part(src.part(0, 16), src.part(0, 16))
            xts.set_key(KEY[::-1])
            await unit.last(src.part(16, 32), src.part(16, 32))
        return src.read(engine.memory)

    assert engine.kernel.run(main()) == golden.xts_encrypt(KEY, TWEAK, data)


def test_two_data_units_may_be_under_way_at_once(engine):
    xts, data = Xts(engine, KEY), seeded(5).randbytes(64)

    async def main():
        src = buffers(engine, data + data)
        halves = src.part(0, 64), src.part(64, 64)
        with xts.data_unit(TWEAK, decrypt=False) as one, xts.data_unit(bytes(16), decrypt=False) as two:
            for unit, half in ((one, halves[0]), (two, halves[1])):
                await unit.part(half.part(0, 32), half.part(0, 32))
            for unit, half in ((one, halves[0]), (two, halves[1])):
                await unit.last(half.part(32, 32), half.part(32, 32))
        return src.read(engine.memory)

    assert engine.kernel.run(main()) == \
        golden.xts_encrypt(KEY, TWEAK, data) + golden.xts_encrypt(KEY, bytes(16), data)


def test_a_part_that_failed_may_be_tried_again(engine, monkeypatch):
    xts, data = Xts(engine, KEY), seeded(6).randbytes(64)
    src, dst = buffers(engine, data), buffers(engine, bytes(64))

    async def broken(key, src, dst, *, decrypt):
        raise EngineFault("bus", 0, 0)

    async def main():
        with xts.data_unit(TWEAK, decrypt=False) as unit:
            await unit.part(src.part(0, 32), dst.part(0, 32))
            with monkeypatch.context() as patch:
                patch.setattr(engine, "ecb", broken)
                with pytest.raises(EngineFault, match="the source is intact"):
                    await unit.part(src.part(32, 16), dst.part(32, 16))
            await unit.part(src.part(32, 16), dst.part(32, 16))
            await unit.last(src.part(48, 16), dst.part(48, 16))
        return dst.read(engine.memory)

    assert engine.kernel.run(main()) == golden.xts_encrypt(KEY, TWEAK, data)


@pytest.mark.parametrize(("call", "length", "message"), [
    ("part", 0, "0 bytes as a part of a data unit"),
    ("part", 17, "17 bytes as a part of a data unit"),
    ("last", 15, "XTS of 15 bytes: a data unit has at least 16"),
])
def test_what_cannot_be_a_part_is_refused_before_anything_is_written(engine, call, length, message):
    src = buffers(engine, bytes(range(32)))
    before = engine.memory.bytes.copy()

    async def main():
        with Xts(engine, KEY).data_unit(TWEAK, decrypt=False) as unit:
            await getattr(unit, call)(src.part(0, length), src.part(0, length))

    with pytest.raises(InvalidRequest, match=message):
        engine.kernel.run(main())
    assert np.array_equal(engine.memory.bytes, before)
    assert engine.counters.calls == 0


def test_a_tweak_of_another_size_is_refused(engine):
    with pytest.raises(InvalidRequest, match="a tweak of 8 bytes, needs 16"), \
            Xts(engine, KEY).data_unit(bytes(8), decrypt=False):
        pass
