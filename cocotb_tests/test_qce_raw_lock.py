"""Who may write the QCE's registers, by its port: LOCK, UNLOCK, and without SHARED_REGISTERS."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.qce_raw import BLOCK, SOURCE, SOURCE_LIST, SW_ERR, TARGET, RawQce, Request
from pymodel.engines.qce import Descriptor, DescriptorFlag
from pymodel.engines.qce_registers import (
    SOFT_RESET_RESET,
    STATUS2_LOCKED,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    WRITABLE,
    CryptoState,
    FaultKind,
    Register,
)
from pymodel.engines.quirks import Quirk

LOCK, UNLOCK = DescriptorFlag.LOCK, DescriptorFlag.UNLOCK


def block(*, flags: int = 0, **more: Any) -> Request:
    """Of one block; ``flags`` of its source descriptor."""
    return Request(BLOCK, [Descriptor(SOURCE, BLOCK, flags)], [Descriptor(TARGET, BLOCK)], **more)


async def locked(qce: RawQce) -> bool:
    return await qce.read(Register.STATUS2) == STATUS2_LOCKED.mask


@cocotb.test()
async def lock_in_the_first_descriptor_keeps_the_other_master_out_until_completion_is_acknowledged(dut):
    qce = await RawQce.start(dut)
    request = block(flags=LOCK)
    await qce.script([*request.registers(), *qce.place_lists(request)[:3]])
    await qce.write(Register.DST_LIST_ADDRESS, 0x2008)
    await qce.write(Register.STATUS, 0)
    assert await locked(qce), "there was nothing to acknowledge"
    for register in WRITABLE:
        assert await qce.refuses(register, 0, master=1), register.name
    assert (await qce.fault())[0] == FaultKind.NONE, "the doorbell was not refused for its list"
    assert not await qce.refuses(Register.STATUS, None, master=1), "it can read"
    await qce.script([(Register.CONFIG, 0), *qce.place_lists(request)[3:], request.go()])
    await qce.end()
    assert await locked(qce)
    assert await qce.refuses(Register.STATUS, 0, master=1)
    await qce.write(Register.STATUS, STATUS_OP_DONE_INTR.mask)
    assert await locked(qce), "the interrupt is still there"
    await qce.write(Register.STATUS, 0)
    assert not await locked(qce)
    assert not await qce.refuses(Register.XTS_DU_SIZE, 9, master=1)

    assert await qce.run(block(flags=LOCK, changes={Register.SEG_SIZE: 0})) == SW_ERR
    await qce.write(Register.STATUS, STATUS_ERR_INTR.mask)
    assert await locked(qce), "the interrupt of the error is still there"
    await qce.write(Register.STATUS, 0)
    assert not await locked(qce)
    qce.check()


@cocotb.test()
async def the_lock_belongs_to_the_master_that_rang(dut):
    qce = await RawQce.start(dut)
    request = block(flags=LOCK)
    answer = await qce.script(qce.place_lists(request)[:3], master=1)
    assert not answer.refused
    assert await locked(qce)
    assert await qce.refuses(Register.XTS_DU_SIZE, 1)
    assert not await qce.refuses(Register.XTS_DU_SIZE, 1, master=1)
    assert await qce.refuses(Register.SOFT_RESET, SOFT_RESET_RESET.mask)
    assert await qce.reset()
    assert not await locked(qce)
    qce.check()


@cocotb.test()
async def a_lock_in_a_later_descriptor_is_none(dut):
    qce = await RawQce.start(dut)
    request = Request(BLOCK, [Descriptor(SOURCE, BLOCK), Descriptor(SOURCE, BLOCK, LOCK)],
                      [Descriptor(TARGET, BLOCK)])
    await qce.script(qce.place_lists(request)[:3])
    assert not await locked(qce)


@cocotb.test()
async def unlock_in_a_used_descriptor_ends_the_lock_when_data_begins_to_move(dut):
    qce = await RawQce.start(dut, read_latency=200)
    unused = [Descriptor(SOURCE, BLOCK, LOCK), Descriptor(SOURCE, BLOCK, UNLOCK)]
    used = [Descriptor(SOURCE, BLOCK, LOCK), Descriptor(0, 0, UNLOCK), Descriptor(SOURCE, BLOCK)]
    locking, target = [Descriptor(SOURCE, BLOCK, LOCK)], [Descriptor(TARGET, 2 * BLOCK)]
    unlocking = [Descriptor(TARGET, BLOCK, UNLOCK)]
    for source, destination, size, still in ((unused, target, BLOCK, True), (used, target, 2 * BLOCK, False),
                                             (locking, unlocking, BLOCK, False)):
        request = Request(size, source, destination)
        assert await qce.settle(request, cycles=30) == CryptoState.RUN
        assert await locked(qce) == still
        await qce.end()
        await qce.write(Register.STATUS, 0)
        assert not await locked(qce)
    qce.check()


@cocotb.test()
async def without_shared_registers_the_first_write_locks(dut):
    qce = await RawQce.start(dut, quirks=Quirk.all() & ~Quirk.SHARED_REGISTERS)
    for register in (Register.STATUS, Register.CONFIG, Register.SOFT_RESET):
        await qce.write(register, 0)
    assert await qce.refuses(Register.VERSION, 0)
    assert await qce.refuses(Register.SRC_DOORBELL, 0)
    assert not await locked(qce), "what is refused does not lock"
    await qce.write(Register.XTS_DU_SIZE, 1, master=1)
    assert await locked(qce)
    assert await qce.refuses(Register.XTS_DU_SIZE, 2)
    await qce.reset()
    await qce.begin(block())
    assert await qce.refuses(Register.STATUS, 0, master=1)
    await qce.end()
    await qce.write(Register.STATUS, 0)
    assert not await locked(qce)
    dut.ram.page_no_read.value = 1 << (SOURCE_LIST >> 12)
    assert await qce.refuses(Register.SRC_DOORBELL, 1)
    assert not await locked(qce), "nor does a doorbell whose list cannot be read"
    dut.ram.page_no_read.value = 0
    await qce.write(Register.SRC_DOORBELL, 1, master=1)
    assert await locked(qce)
    assert await qce.refuses(Register.DST_DOORBELL, 1)
    qce.check()


