"""The QCE's registers by its port: reset values, refusals, interrupt, and the cycles of accesses."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, ValueChange

from cocotb_tests.qce_raw import BLOCK, DONE, SOURCE, SOURCE_LIST, SW_ERR, RawQce, cycle, one
from pymodel.engines.qce import Descriptor, encode_list
from pymodel.engines.qce_registers import (
    CONFIG_MASK_ERR_INTR,
    CONFIG_MASK_OP_DONE_INTR,
    READABLE,
    RESET,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    WRITABLE,
    CryptoState,
    FaultAccess,
    FaultKind,
    Register,
)

STORED = {Register.STATUS: 0, Register.GOPROC: 4, Register.ENCR_SEG_CFG: 0x7FF, Register.XTS_DU_SIZE: 0xFFFFF,
          Register.CONFIG: 0xF, Register.SRC_LIST_LENGTH: 0x7F, Register.DST_LIST_LENGTH: 0x7F}
"""Bits of a register that keep what is written, where not all do."""
DOORBELLS = (Register.SRC_DOORBELL, Register.DST_DOORBELL)
OF_LISTS = (Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.DST_LIST_ADDRESS,
            Register.DST_LIST_LENGTH)


@cocotb.test()
async def registers_keep_what_they_hold_and_a_reset_clears_it(dut):
    qce = await RawQce.start(dut)
    for register in READABLE:
        assert await qce.read(register) == RESET[register], register.name
    plain = [register for register in WRITABLE if register not in (*DOORBELLS, Register.SOFT_RESET)]
    for value in (0x5A5A5A58, 0xA5A5A5A4):  # without GO
        for register in plain:
            await qce.write(register, value)
        for register in plain:
            held = value & STORED.get(register, 0xFFFFFFFF) if register in READABLE else 0
            assert await qce.read(register) == held, register.name
    await qce.reset()
    for register in READABLE:
        assert await qce.read(register) == RESET[register], register.name
    qce.check()


@cocotb.test()
async def what_is_not_in_the_map_or_has_no_such_access_is_refused(dut):
    qce = await RawQce.start(dut)
    for address in range(0, 0x5000, 4):
        known = address in list(Register)
        if known or address % 0x40 == 0:
            assert await qce.refuses(address, None) == (not known), hex(address)
            if address not in (*DOORBELLS, Register.SOFT_RESET):
                assert await qce.refuses(address, 0) == (address not in list(WRITABLE)), hex(address)
    for address in (Register.CONFIG + 1, Register.CONFIG + 2, Register.CONFIG | 0x8000):
        assert await qce.refuses(address, None)
        assert await qce.refuses(address, 0)
    assert await qce.read(Register.CONFIG) == 0
    qce.check()


@cocotb.test()
async def an_access_takes_two_cycles_and_a_script_ends_at_the_first_that_is_refused(dut):
    qce = await RawQce.start(dut)
    for count in (1, 5, 32):
        answer = await qce.script([(Register.XTS_DU_SIZE, k) if k % 2 else (Register.XTS_DU_SIZE, None)
                                   for k in range(count)])
        assert (answer.refused, answer.done, answer.cycles) == (False, count, 2 * count + 1)
        assert answer.values == [0 if k % 2 else max(k - 1, 0) for k in range(count)]
        await qce.write(Register.XTS_DU_SIZE, 0)
    answer = await qce.script([(Register.XTS_DU_SIZE, 5), (0x108, 1), (Register.XTS_DU_SIZE, 6)])
    assert (answer.refused, answer.done, answer.cycles) == (True, 2, 5)
    assert await qce.read(Register.XTS_DU_SIZE) == 5
    qce.check()


@cocotb.test()
async def a_second_access_goes_before_what_is_left_of_a_script(dut):
    """Posted while the third of six is on the bus: it is the fourth, and the script takes two cycles more."""
    qce = await RawQce.start(dut)
    posted = qce.post([(Register.XTS_DU_SIZE, None)] * 6)
    await qce.idle(6)
    qce.post_second(Register.XTS_DU_SIZE, 7)
    await ValueChange(dut.second_event)
    await FallingEdge(dut.clk)
    assert cycle() == posted + 9
    assert int(dut.second_result.value) == 0
    answer = await qce.answered(posted)
    assert answer.values == [0, 0, 0, 7, 7, 7]
    assert answer.cycles == 2 * 7 + 1


@cocotb.test()
async def a_doorbell_is_answered_when_its_list_has_been_read(dut):
    """Put on the bus at 1, taken at 2, AR at 5, first beat at 6, the end one edge after the last beat."""
    qce = await RawQce.start(dut)
    qce.store(SOURCE_LIST, encode_list([Descriptor(SOURCE, BLOCK)] * 64))
    for length, beats in ((1, 1), (2, 1), (3, 2), (32, 16), (64, 32)):
        await qce.write(Register.SRC_LIST_ADDRESS, SOURCE_LIST)
        await qce.write(Register.SRC_LIST_LENGTH, length)
        before = int(dut.r_beats.value)
        answer = await qce.script([(Register.SRC_DOORBELL, 0)])
        assert (answer.refused, int(dut.r_beats.value) - before) == (False, beats)
        assert answer.cycles == 1 + 3 + beats + 1 + 1 + 1, length
        await qce.reset()
    qce.check()


@cocotb.test()
async def a_list_that_is_armed_cannot_be_changed_until_the_request_ends(dut):
    qce = await RawQce.start(dut)
    await qce.script([(Register.CONFIG, 0), *one(BLOCK).registers(), *qce.place_lists(one(BLOCK))])
    for register in (*OF_LISTS, *DOORBELLS):
        assert await qce.refuses(register, 1), register.name
    assert await qce.read(Register.FAULT) == 0
    await qce.script([one(BLOCK).go()])
    await qce.end()
    for register in OF_LISTS:
        await qce.write(register, 0x20)
    qce.check()


@cocotb.test()
async def while_busy_only_status_masks_reset_and_lists_can_be_written(dut):
    qce = await RawQce.start(dut)
    await qce.script([*one(BLOCK).registers(), one(BLOCK).go()])
    assert await qce.state() == CryptoState.WAIT_LISTS
    always = {Register.STATUS, Register.CONFIG, Register.SOFT_RESET, *OF_LISTS}
    for register in WRITABLE - set(DOORBELLS):
        assert await qce.refuses(register, 0) == (register not in always), register.name
    await qce.script([(Register.CONFIG, 0), *qce.place_lists(one(BLOCK))])
    await qce.end()
    assert await qce.read(Register.STATUS) == DONE
    qce.check()


@cocotb.test()
async def a_doorbell_is_refused_for_a_bad_list_and_leaves_a_fault_only_if_it_is_misaligned_or_unreadable(dut):
    qce = await RawQce.start(dut)
    for address, length, doorbell, access in (
            (Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL,
             FaultAccess.SOURCE_LIST),
            (Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL,
             FaultAccess.DESTINATION_LIST)):
        dut.ram.page_no_read.value = 1 << 3
        for at, count, kind, where in (
                (0x2008, 1, FaultKind.ALIGNMENT, 0x2008), (0x2008, 0, FaultKind.ALIGNMENT, 0x2008),
                (0x2000, 0, FaultKind.NONE, 0), (0x2000, 65, FaultKind.NONE, 0),
                (0x2FE0, 6, FaultKind.PAGE, 0x3000), (0xFFFF_FF00, 64, FaultKind.BUS, 0xFFFF_FF00)):
            await qce.script([(address, at), (length, count)])
            assert await qce.refuses(doorbell, 1), (hex(at), count)
            expected = (kind, access if kind else FaultAccess.SOURCE, where)
            assert await qce.fault() == expected, (hex(at), count)
            assert await qce.read(Register.STATUS) == 0
            assert not await qce.refuses(address, 0), "the list is not armed"
            await qce.reset()
        dut.ram.page_no_read.value = 0
    qce.check()


@cocotb.test()
async def the_interrupt_is_a_level_that_follows_status_and_masks(dut):
    qce = await RawQce.start(dut)
    for mask, request, status in (
            (CONFIG_MASK_OP_DONE_INTR, one(BLOCK), DONE),
            (CONFIG_MASK_ERR_INTR, one(BLOCK, changes={Register.SEG_SIZE: 0}), SW_ERR)):
        other = 0xF & ~mask.mask
        await qce.script([(Register.CONFIG, 0xF), *request.registers(), *qce.place_lists(request),
                          request.go()])
        await qce.idle(60)
        assert await qce.read(Register.STATUS) == status
        assert not int(dut.irq.value)
        for config, level in ((mask.mask, 0), (other, 1), (0, 1), (mask.mask, 0), (other, 1)):
            await qce.write(Register.CONFIG, config)
            assert int(dut.irq.value) == level
        await qce.write(Register.STATUS, status & ~(STATUS_OP_DONE_INTR.mask | STATUS_ERR_INTR.mask))
        assert not int(dut.irq.value)
        assert await qce.read(Register.STATUS) == status & ~(STATUS_OP_DONE_INTR.mask | STATUS_ERR_INTR.mask)
        await qce.reset()
    qce.check()


@cocotb.test()
async def done_event_changes_once_for_whatever_changes_at_an_edge(dut):
    """Here a read is answered at the edge at which the request of one block ends, 31 edges after GO."""
    qce = await RawQce.start(dut)
    setup = [(Register.CONFIG, 0), *one(BLOCK).registers(), *qce.place_lists(one(BLOCK))]
    await qce.script(setup)
    await qce.script([one(BLOCK).go()])
    go = cycle() - 1
    before = [int(dut.done_event.value), int(dut.script_event.value), int(dut.irq.value)]
    while cycle() < go + 31 - 3:
        await FallingEdge(dut.clk)
    qce.post([(Register.STATUS, None)])
    await qce.idle(2)
    assert int(dut.done_event.value) == before[0]
    await qce.idle(1)
    after = [int(dut.done_event.value), int(dut.script_event.value), int(dut.irq.value)]
    assert after == [1 - value for value in before]
    assert cycle() == go + 31
    qce.check()
