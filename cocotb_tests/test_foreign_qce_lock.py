"""Two masters at the bare QCE: who may write when, on the register master of cocotbext-axi."""

from __future__ import annotations

import cocotb

from cocotb_tests.foreign import LIMIT
from cocotb_tests.foreign_qce import (
    LISTS_AT,
    LOCK,
    NONSECURE,
    OKAY,
    PRIVILEGED,
    SLVERR,
    UNLOCK,
    Engine,
    simple,
)
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import WRITABLE, CryptoState, Register
from pymodel.engines.quirks import Quirk

OTHER_KEY = bytes(range(1, 17))


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
    chosen = simple(32, flags=LOCK)
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
@cocotb.parametrize(owner=[0, NONSECURE])
async def a_write_that_waits_behind_a_doorbell_meets_its_lock(dut, owner):
    engine = await Engine.start(dut)
    engine.write_list("SRC", simple(32).source, LOCK)
    await engine.write_all({Register.SRC_LIST_ADDRESS: LISTS_AT["SRC"], Register.SRC_LIST_LENGTH: 1}, owner)
    doorbell = engine.master.init_write(Register.SRC_DOORBELL, bytes(4), owner)
    write = engine.master.init_write(Register.SEG_SIZE, b"\1\2\3\4", owner ^ NONSECURE)
    await engine.answers(doorbell, write)
    assert (doorbell.data.resp, write.data.resp) == (OKAY, SLVERR)
    assert await engine.read(Register.SEG_SIZE) == 0
    assert not await engine.refuses(Register.SEG_SIZE, 7, owner)


@cocotb.test(**LIMIT)
async def only_a_privileged_reset_passes_the_lock(dut):
    engine = await Engine.start(dut)
    await engine.ring("SRC", simple(32).source, LOCK)
    assert await engine.refuses(Register.SOFT_RESET, 1, NONSECURE)
    assert await locked(engine)
    assert await engine.refuses(Register.SEG_SIZE, 1, NONSECURE | PRIVILEGED)
    await engine.soft_reset(NONSECURE | PRIVILEGED)
    assert await engine.snapshot() == q.RESET
    await engine.write(Register.SEG_SIZE, 1, NONSECURE)


@cocotb.test(**LIMIT)
async def unlock_gives_the_registers_back_while_the_request_runs(dut):
    engine = await Engine.start(dut)
    chosen = simple(512, flags=LOCK | UNLOCK)
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
    chosen = simple(32)
    engine.expect(chosen, key=OTHER_KEY)
    await engine.ring("SRC", chosen.source)
    await engine.write_all(chosen.setup)
    for register, value in simple(32, key=OTHER_KEY).setup.items():
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
    chosen = simple(32)
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
