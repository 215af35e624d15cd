"""What the bare QCE's registers take and refuse, seen from the register master of cocotbext-axi."""

from __future__ import annotations

import cocotb

from cocotb_tests.foreign import LIMIT
from cocotb_tests.foreign_qce import (
    DST_AT,
    LISTS_AT,
    LOCK,
    NONSECURE,
    OKAY,
    PRIVILEGED,
    SLVERR,
    SRC_AT,
    UNLOCK,
    Engine,
    Request,
)
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import WRITABLE, CryptoState, Register
from pymodel.engines.quirks import Quirk

KEY, OTHER_KEY = bytes(range(16)), bytes(range(1, 17))
WHOLE = {Register.SEG_SIZE, Register.ENCR_SEG_SIZE, Register.ENCR_SEG_START, Register.CNTR0_IV,
         Register.CNTR1_IV, Register.CNTR2_IV, Register.CNTR3_IV, Register.SRC_LIST_ADDRESS,
         Register.DST_LIST_ADDRESS}
STORED = {**dict.fromkeys(WHOLE, 0xFFFF_FFFF), Register.ENCR_SEG_CFG: 0x7FF, Register.XTS_DU_SIZE: 0xF_FFFF,
          Register.CONFIG: 0xF, Register.GOPROC: 0x4, Register.SRC_LIST_LENGTH: 0x7F,
          Register.DST_LIST_LENGTH: 0x7F}
"""What a register keeps of what is written to it, bit by bit."""


def request(length: int = 32, flags: int = 0, key: bytes = KEY) -> Request:
    return Request(key, length, [(SRC_AT, length)], [(DST_AT, length)], flags=flags)


async def snapshot(engine: Engine) -> dict[Register, int]:
    return {register: await engine.read(register) for register in Register}


@cocotb.test(**LIMIT)
async def every_register_has_its_reset_value(dut):
    engine = await Engine.start(dut)
    assert await snapshot(engine) == q.RESET
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
        assert await snapshot(engine) == expected
    await engine.soft_reset()
    assert await snapshot(engine) == q.RESET


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
    assert await snapshot(engine) == q.RESET


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
    await engine.begin(request())
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
    await engine.run(request())


@cocotb.test(**LIMIT)
async def the_interrupt_is_a_level_that_its_masks_hide(dut):
    engine = await Engine.start(dut)
    for bad, mask in ((False, q.CONFIG_MASK_OP_DONE_INTR.mask), (True, q.CONFIG_MASK_ERR_INTR.mask)):
        await engine.begin(request(flags=LOCK))
        await engine.finish(request())
        await engine.ring("SRC", request().source)
        await engine.ring("DST", request().destination)
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
    await engine.write_all(request(0).setup)
    await engine.write(Register.GOPROC, q.GOPROC_GO.mask)
    await engine.cycles(20)
    assert await engine.state() is CryptoState.WAIT_LENGTH
    before = await snapshot(engine)
    free = {Register.STATUS, Register.CONFIG, Register.SOFT_RESET}
    lists = {register for register in WRITABLE if register.name.startswith(("SRC_", "DST_"))}
    for register in sorted(WRITABLE - free - lists):
        assert await engine.refuses(register, 0xFFFF_FFFE), register.name
    await engine.write(Register.SOFT_RESET, 0)
    await engine.write(Register.STATUS, 0)
    await engine.write(Register.CONFIG, before[Register.CONFIG])
    changing = {Register.CYCLES: 0}
    assert await snapshot(engine) | changing == before | changing
    for which, pieces in (("SRC", [(SRC_AT, 16)]), ("DST", [(DST_AT, 16)])):
        await engine.ring(which, pieces)
        for name in ("LIST_ADDRESS", "LIST_LENGTH", "DOORBELL"):
            assert await engine.refuses(Register[f"{which}_{name}"], 16), (which, name)
        assert await engine.read(Register[f"{which}_LIST_ADDRESS"]) == LISTS_AT[which]
    assert await engine.state() is CryptoState.WAIT_LENGTH
    await engine.soft_reset()
    await engine.run(request())


# -- two masters ------------------------------------------------------------------------------------


async def locked(engine: Engine) -> bool:
    return bool(q.STATUS2_LOCKED.get(await engine.read(Register.STATUS2, NONSECURE)))


async def refused_everywhere(engine: Engine, prot: int) -> None:
    for register in sorted(WRITABLE):
        assert await engine.refuses(register, 0, prot), register.name


@cocotb.test(**LIMIT)
@cocotb.parametrize(owner=[0, NONSECURE])
async def a_lock_keeps_the_other_master_out_until_the_end_is_acknowledged(dut, owner):
    engine = await Engine.start(dut)
    other = owner ^ NONSECURE
    engine.hold_back(0.3)
    chosen = request(flags=LOCK)
    engine.expect(chosen)
    await engine.ring("SRC", chosen.source, LOCK, owner)
    assert await locked(engine)
    await refused_everywhere(engine, other)
    await engine.write_all(chosen.setup, owner)
    await engine.ring("DST", chosen.destination, 0, owner)
    await engine.write(Register.GOPROC, chosen.go, owner)
    await engine.interrupted()
    engine.memory.check()
    await refused_everywhere(engine, other)
    interrupt = q.STATUS_OP_DONE_INTR.mask
    await engine.write(Register.STATUS, 0xFFFF_FFFF, owner)
    assert await locked(engine)
    await engine.write(Register.STATUS, ~interrupt & 0xFFFF_FFFF, owner)
    assert not await locked(engine)
    await engine.write(Register.SEG_SIZE, 5, other)


@cocotb.test(**LIMIT)
async def only_a_privileged_reset_passes_the_lock(dut):
    engine = await Engine.start(dut)
    await engine.ring("SRC", request().source, LOCK)
    assert await engine.refuses(Register.SOFT_RESET, 1, NONSECURE)
    assert await locked(engine)
    assert await engine.refuses(Register.SEG_SIZE, 1, NONSECURE | PRIVILEGED)
    await engine.soft_reset(NONSECURE | PRIVILEGED)
    assert await snapshot(engine) == q.RESET
    await engine.write(Register.SEG_SIZE, 1, NONSECURE)


@cocotb.test(**LIMIT)
async def unlock_gives_the_registers_back_while_the_request_runs(dut):
    engine = await Engine.start(dut)
    chosen = request(512, flags=LOCK | UNLOCK)
    engine.expect(chosen)
    await engine.begin(chosen)
    while await engine.state() is not CryptoState.RUN:
        assert not int(dut.irq.value)
    assert not await locked(engine)
    assert await engine.refuses(Register.SEG_SIZE, 0, NONSECURE)  # busy
    await engine.write(Register.CONFIG, 0xF, NONSECURE)
    await engine.write(Register.CONFIG, 0xC)
    await engine.finish(chosen)
    engine.memory.check()


@cocotb.test(**LIMIT)
async def without_a_lock_the_other_master_can_spoil_a_request(dut):
    """SHARED_REGISTERS: it changes the key between the setup and GO."""
    engine = await Engine.start(dut)
    chosen = request()
    engine.expect(chosen, key=OTHER_KEY)
    await engine.ring("SRC", chosen.source)
    await engine.write_all(chosen.setup)
    for register, value in request(key=OTHER_KEY).setup.items():
        if register.name.startswith("ENCR_KEY"):
            await engine.write(register, value, NONSECURE)
    await engine.ring("DST", chosen.destination)
    await engine.write(Register.GOPROC, chosen.go)
    await engine.finish(chosen)
    engine.memory.check()


@cocotb.test(**LIMIT)
async def with_its_quirk_off_the_first_write_locks(dut):
    engine = await Engine.start(dut, Quirk.all() & ~Quirk.SHARED_REGISTERS)
    await engine.write(Register.CONFIG, 0xF, NONSECURE)
    await engine.write(Register.STATUS, 0, NONSECURE)
    assert not await locked(engine)
    assert await engine.refuses(Register.VERSION, 0)
    assert not await locked(engine)
    chosen = request()
    engine.expect(chosen)
    await engine.write_all(chosen.setup)
    assert not int(dut.busy.value)
    assert await locked(engine)
    await refused_everywhere(engine, NONSECURE)
    await engine.ring("SRC", chosen.source)
    await engine.ring("DST", chosen.destination)
    await engine.write(Register.GOPROC, chosen.go)
    await engine.finish(chosen)
    assert not await locked(engine)
    engine.memory.check()
