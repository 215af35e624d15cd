"""The QCE where it waits, for ever or for a list, by its port; and soft resets, which end that."""

from __future__ import annotations

import random
from dataclasses import replace

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.qce_raw import (
    ALL_QUIRKS,
    BLOCK,
    DONE,
    DUMP,
    HANGS,
    KEY,
    SOURCE,
    SOURCE_LIST,
    SW_ERR,
    TARGET,
    UNIT,
    RawQce,
    Request,
    cycle,
    data,
    one,
)
from pymodel.engines.qce import Descriptor, DescriptorFlag
from pymodel.engines.qce_registers import (
    READABLE,
    RESET,
    SOFT_RESET_RESET,
    CryptoState,
    FaultKind,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.golden.modes import ecb_encrypt

TRAFFIC = ("ar_bursts", "r_beats", "aw_bursts", "w_beats")


@cocotb.test()
async def lengths_that_hang_do_what_is_whole_and_wait(dut):
    """And without the quirks they end, or are refused at once."""
    for size, state, done in ((528, CryptoState.WAIT_UNIT, UNIT), (1023, CryptoState.WAIT_UNIT, UNIT),
                              (24, CryptoState.WAIT_BLOCK, BLOCK), (500, CryptoState.WAIT_BLOCK, 496),
                              (8, CryptoState.WAIT_BLOCK, 0), (0, CryptoState.WAIT_LENGTH, 0)):
        qce = await RawQce.start(dut)
        text = data(size, 1024)
        qce.store(SOURCE, text)
        qce.store(TARGET, bytes(1024))
        assert await qce.settle(one(size, 1024 + DUMP, dump=True)) == state, size
        assert await qce.read(Register.BYTES_DONE) == done
        assert not int(dut.irq.value)
        written = qce.load(TARGET, 1024)
        assert written[:done] == ecb_encrypt(KEY, text[:done])
        assert not any(written[done:])
        await qce.reset()
        await qce.check_alive()

        qce = await RawQce.start(dut, quirks=ALL_QUIRKS & ~HANGS)
        status = await qce.run(one(size))
        assert status == (SW_ERR if size % BLOCK else DONE), size
        assert await qce.read(Register.BYTES_DONE) == (0 if size % BLOCK else size)
        assert (await qce.read(Register.CYCLES) == 1) == (size % BLOCK != 0)
        assert (await qce.fault())[0] == FaultKind.NONE


@cocotb.test()
async def up_to_512_bytes_and_at_multiples_of_them_nothing_hangs(dut):
    qce = await RawQce.start(dut)
    for size in (16, 496, 512, 1024, 4096):
        assert await qce.run(one(size)) == DONE
        assert await qce.read(Register.BYTES_DONE) == size
    qce.check()


@cocotb.test()
async def nothing_at_all_ends_after_its_lists_and_its_dump(dut):
    """Lists left at 3, end 4. With a dump at 4; write command 5, beats 6 to 13, decided 14, B 24, end 25."""
    qce = await RawQce.start(dut, quirks=ALL_QUIRKS & ~HANGS)
    for request, cycles in ((one(0, BLOCK), 4), (one(0, DUMP, dump=True), 25)):
        for follows in (True, False):
            dut.quirk.value = int(ALL_QUIRKS & ~HANGS & ~(Quirk(0) if follows else Quirk.DUMP_FOLLOWS_DATA))
            await qce.reset()
            bursts = int(dut.aw_bursts.value)
            assert await qce.run(request) == DONE
            assert await qce.read(Register.CYCLES) == cycles
            assert int(dut.aw_bursts.value) - bursts == request.dump
            assert await qce.read(Register.BYTES_DONE) == 0
    qce.check()


@cocotb.test()
async def it_waits_for_lists_that_are_not_rung_and_ends_when_they_are(dut):
    """The list is armed one edge before the doorbell is answered; then it is as from START, at 2, but for the
    expansion of the key, which is over."""
    qce = await RawQce.start(dut)
    request = one(BLOCK)
    doorbells = qce.place_lists(request)
    await qce.script([(Register.CONFIG, 0), *request.registers(), request.go()])
    await qce.idle(50)
    assert await qce.state() == CryptoState.WAIT_LISTS
    await qce.script(doorbells[3:])
    assert await qce.state() == CryptoState.WAIT_LISTS
    await qce.script(doorbells[:3])
    armed = cycle() - 1
    await qce.end()
    assert cycle() - armed == 1 + 29 - 6
    assert await qce.read(Register.STATUS) == DONE
    qce.check()


@cocotb.test()
async def lists_that_are_too_short_hang_before_anything_moves(dut):
    qce = await RawQce.start(dut)
    two, one_block = [Descriptor(SOURCE, BLOCK), Descriptor(SOURCE, BLOCK)], [Descriptor(TARGET, BLOCK)]
    for source, destination, dump, state, at in (
            (one_block, two, False, CryptoState.WAIT_SOURCE, (1, 1)),
            (two, one_block, False, CryptoState.WAIT_DESTINATION, (1, 1)),
            (one_block, one_block, False, CryptoState.WAIT_SOURCE, (1, 1)),
            (two, [*two, Descriptor(0, 0)], True, CryptoState.WAIT_DESTINATION, (1, 3))):
        reads = int(dut.ar_bursts.value)
        assert await qce.settle(Request(2 * BLOCK, source, destination, dump=dump), 100) == state
        assert int(dut.ar_bursts.value) - reads == 2, "the lists alone"
        assert int(dut.aw_bursts.value) == 0
        assert (await qce.read(Register.SRC_CURRENT), await qce.read(Register.DST_CURRENT)) == at
        await qce.reset()
    await qce.check_alive()


@cocotb.test()
async def a_partial_block_needs_whole_ones_in_the_lists(dut):
    qce = await RawQce.start(dut)
    request = Request(24, [Descriptor(SOURCE, 2 * BLOCK)], [Descriptor(TARGET, BLOCK)])
    assert await qce.settle(request, 100) == CryptoState.WAIT_DESTINATION


@cocotb.test()
async def a_soft_reset_at_any_time_leaves_an_idle_engine_with_reset_values(dut):
    """Answered when the bus is idle. If it is at once, that takes one cycle more than other writes."""
    numbers = random.Random(cocotb.RANDOM_SEED)
    qce = await RawQce.start(dut, read_latency=5, write_latency=30)
    assert await qce.reset() == 4
    for _ in range(25):
        request = one(1024, 1024 + DUMP, dump=True)
        request = replace(request, source=[Descriptor(SOURCE, 1024, DescriptorFlag.LOCK)])
        await qce.begin(request)
        for _ in range(numbers.choice((0, 1, 2, 3, 4, 5, 7, 30, 60, 150, 300, 420))):
            await FallingEdge(dut.clk)
        await qce.reset()
        assert not int(dut.busy.value)
        assert not int(dut.irq.value)
        traffic = [int(getattr(dut, name).value) for name in TRAFFIC]
        for register in READABLE:
            assert await qce.read(register) == RESET[register], register.name
        assert traffic == [int(getattr(dut, name).value) for name in TRAFFIC]
    await qce.check_alive()


@cocotb.test()
async def a_soft_reset_samples_the_straps_and_nothing_else_does(dut):
    qce = await RawQce.start(dut)
    dut.quirk.value = int(ALL_QUIRKS & ~HANGS)
    assert await qce.settle(one(528)) == CryptoState.WAIT_UNIT
    await qce.write(Register.SOFT_RESET, 0)
    assert await qce.state() == CryptoState.WAIT_UNIT, "bit 0 was not written"
    await qce.reset()
    assert await qce.run(one(528)) == DONE


@cocotb.test()
async def a_soft_reset_during_a_doorbell_waits_until_that_is_answered(dut):
    """The list is armed before it is disarmed again."""
    qce = await RawQce.start(dut, read_latency=40)
    request = one(BLOCK)
    doorbell = qce.place_lists(request)[:3]
    posted = qce.post(doorbell)
    await qce.idle(12)
    assert int(dut.busy.value)
    qce.post_second(Register.SOFT_RESET, SOFT_RESET_RESET.mask)
    answer = await qce.answered(posted)
    assert (answer.refused, answer.done) == (False, 3)
    assert answer.cycles == 2 * 2 + 1 + 3 + 40 + 1 + 1 + 1
    while int(dut.busy.value):
        await FallingEdge(dut.clk)
    assert await qce.read(Register.SRC_LIST_ADDRESS) == 0
    await qce.write(Register.SRC_LIST_ADDRESS, SOURCE_LIST)
    await qce.check_alive()
