"""What the bare QCE's registers take and refuse, seen from the register master of cocotbext-axi."""

from __future__ import annotations

import cocotb

from cocotb_tests.foreign import LIMIT
from cocotb_tests.foreign_qce import (
    DST_AT,
    LISTS_AT,
    LOCK,
    OKAY,
    SLVERR,
    SRC_AT,
    Engine,
    simple,
)
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import WRITABLE, CryptoState, Register

WHOLE = {Register.SEG_SIZE, Register.ENCR_SEG_SIZE, Register.ENCR_SEG_START, Register.CNTR0_IV,
         Register.CNTR1_IV, Register.CNTR2_IV, Register.CNTR3_IV, Register.SRC_LIST_ADDRESS,
         Register.DST_LIST_ADDRESS}
STORED = {**dict.fromkeys(WHOLE, 0xFFFF_FFFF), Register.ENCR_SEG_CFG: 0x7FF, Register.XTS_DU_SIZE: 0xF_FFFF,
          Register.CONFIG: 0xF, Register.GOPROC: 0x4, Register.SRC_LIST_LENGTH: 0x7F,
          Register.DST_LIST_LENGTH: 0x7F}
"""What a register keeps of what is written to it, bit by bit."""


@cocotb.test(**LIMIT)
async def every_register_has_its_reset_value(dut):
    engine = await Engine.start(dut)
    assert await engine.snapshot() == q.RESET
    assert not int(dut.irq.value)
    assert not int(dut.busy.value)


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=[0.0, 0.5])
async def a_register_keeps_what_is_written_and_touches_no_other(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    expected = dict(q.RESET)
    for _ in range(3):
        for register, mask in STORED.items():
            value = engine.numbers.getrandbits(32) & ~(q.GOPROC_GO.mask if register is Register.GOPROC else 0)
            await engine.write(register, value)
            expected[register] = value & mask
            assert await engine.read(register) == expected[register], register.name
        for k in range(8):
            await engine.write(Register[f"ENCR_KEY{k}"], engine.numbers.getrandbits(32))
        assert await engine.snapshot() == expected
    await engine.soft_reset()
    assert await engine.snapshot() == q.RESET


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=[0.0, 0.5])
async def outside_the_map_or_off_a_word_is_refused_without_effect(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    numbers = engine.numbers
    near = {register + step for register in Register for step in (-4, 4, 0x400, 0x1000, 0x8000)}
    outside = sorted({address & 0xFFFF for address in near} - set(Register))
    for address in [*outside, *(4 * numbers.randrange(1 << 14) for _ in range(60))]:
        if address not in set(Register):
            assert (await engine.master.read(address, 4)).resp == SLVERR, hex(address)
            assert await engine.refuses(address, numbers.getrandbits(32)), hex(address)
    for register in Register:
        ones = b"\xff" * 4
        for offset in (1, 2, 3):
            length = numbers.randrange(1, 5 - offset)
            assert (await engine.master.read(register + offset, length)).resp == SLVERR
            assert (await engine.master.write(register + offset, ones[:length])).resp == SLVERR
            assert (await engine.master.write(register, ones[:offset])).resp == SLVERR
        assert (await engine.master.read(register, 1)).resp == OKAY  # a read has no strobes
        if register not in WRITABLE:
            assert await engine.refuses(register, 0xFFFF_FFFF), register.name
    assert await engine.snapshot() == q.RESET


@cocotb.test(**LIMIT)
async def every_order_of_reads_and_writes_under_way_is_answered(dut):
    """Up to a dozen accesses at a time, with back-pressure; reads may pass writes, never their own kind."""
    engine = await Engine.start(dut)
    engine.hold_back(0.5)
    numbers = engine.numbers
    for _ in range(30):
        registers = [Register.SEG_SIZE, Register.XTS_DU_SIZE, Register.CNTR2_IV]
        written = {register: [await engine.read(register)] for register in registers}
        under_way = []
        for _ in range(12):
            register, value = numbers.choice(registers), numbers.getrandbits(20)
            if numbers.random() < 0.5:
                written[register].append(value)
                under_way.append((None, engine.master.init_write(register, value.to_bytes(4, "little"), 0)))
            else:
                under_way.append((register, engine.master.init_read(register, 4, 0)))
        for register, event in under_way:
            await event.wait()
            assert event.data.resp == OKAY
            if register is not None:
                assert int.from_bytes(event.data.data, "little") in written[register]
        for register, values in written.items():
            assert await engine.read(register) == values[-1]


@cocotb.test(**LIMIT)
async def status_bits_are_cleared_by_0_and_by_go(dut):
    engine = await Engine.start(dut)
    await engine.begin(simple(32))
    await engine.interrupted()
    done, interrupt = q.STATUS_OPERATION_DONE.mask, q.STATUS_OP_DONE_INTR.mask
    await engine.write(Register.STATUS, 0xFFFF_FFFF)
    assert await engine.read(Register.STATUS) == done | interrupt
    await engine.write(Register.STATUS, ~interrupt & 0xFFFF_FFFF)
    assert await engine.read(Register.STATUS) == done
    assert not int(dut.irq.value)
    bad = {Register.ENCR_SEG_START: 16}
    await engine.write_all(bad)
    await engine.write(Register.GOPROC, q.GOPROC_GO.mask)
    await engine.interrupted()
    failed = q.STATUS_SW_ERR.mask | q.STATUS_ERR_INTR.mask
    assert await engine.read(Register.STATUS) == failed
    assert await engine.read(Register.CYCLES) == 1
    await engine.write(Register.STATUS, ~q.STATUS_SW_ERR.mask & 0xFFFF_FFFF)
    assert await engine.read(Register.STATUS) == q.STATUS_ERR_INTR.mask
    await engine.run(simple(32))


@cocotb.test(**LIMIT)
async def the_interrupt_is_a_level_that_its_masks_hide(dut):
    engine = await Engine.start(dut)
    for bad, mask in ((False, q.CONFIG_MASK_OP_DONE_INTR.mask), (True, q.CONFIG_MASK_ERR_INTR.mask)):
        await engine.begin(simple(32, flags=LOCK))
        await engine.finish(simple(32))
        await engine.ring("SRC", simple(32).source)
        await engine.ring("DST", simple(32).destination)
        await engine.write(Register.SEG_SIZE, 16 if bad else 32)
        await engine.write(Register.CONFIG, mask)
        await engine.write(Register.GOPROC, q.GOPROC_GO.mask)
        await engine.cycles(300)
        assert not q.STATUS_ENCR_BUSY.get(await engine.read(Register.STATUS))
        assert not int(dut.irq.value)
        await engine.write(Register.CONFIG, 0xF & ~mask)
        assert int(dut.irq.value)
        await engine.write(Register.CONFIG, 0xF)
        assert not int(dut.irq.value)
        await engine.soft_reset()


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=[0.0, 0.5])
async def a_busy_engine_refuses_what_it_works_with(dut, rate):
    """It hangs here, so it is busy as long as it takes to try."""
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    await engine.write_all(simple(0).setup)
    await engine.write(Register.GOPROC, q.GOPROC_GO.mask)
    await engine.cycles(20)
    assert await engine.state() is CryptoState.WAIT_LENGTH
    before = await engine.snapshot()
    free = {Register.STATUS, Register.CONFIG, Register.SOFT_RESET}
    lists = {register for register in WRITABLE if register.name.startswith(("SRC_", "DST_"))}
    for register in sorted(WRITABLE - free - lists):
        assert await engine.refuses(register, 0xFFFF_FFFE), register.name
    await engine.write(Register.SOFT_RESET, 0)
    await engine.write(Register.STATUS, 0)
    await engine.write(Register.CONFIG, before[Register.CONFIG])
    changing = {Register.CYCLES: 0}
    assert await engine.snapshot() | changing == before | changing
    for which, pieces in (("SRC", [(SRC_AT, 16)]), ("DST", [(DST_AT, 16)])):
        await engine.ring(which, pieces)
        for name in ("LIST_ADDRESS", "LIST_LENGTH", "DOORBELL"):
            assert await engine.refuses(Register[f"{which}_{name}"], 16), (which, name)
        assert await engine.read(Register[f"{which}_LIST_ADDRESS"]) == LISTS_AT[which]
    assert await engine.state() is CryptoState.WAIT_LENGTH
    await engine.soft_reset()
    await engine.run(simple(32))
