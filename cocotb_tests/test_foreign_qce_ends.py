"""How requests to the bare QCE end that do not end well, or not at all, on the endpoints of cocotbext-axi."""

from __future__ import annotations

import cocotb

from cocotb_tests.foreign import LIMIT, PAGE_BYTES, RATES
from cocotb_tests.foreign_qce import (
    DONE,
    DST_AT,
    DUMP_BYTES,
    KEY,
    LISTS_AT,
    SRC_AT,
    Engine,
    Request,
    dump,
    simple,
)
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import CryptoState, FaultAccess, FaultKind, Register
from pymodel.engines.quirks import Quirk

READ_ERROR = q.STATUS_AXI_ERR.mask | q.STATUS_DIN_ERR.mask | q.STATUS_ERR_INTR.mask
WRITE_ERROR = q.STATUS_AXI_ERR.mask | q.STATUS_DOUT_ERR.mask | q.STATUS_ERR_INTR.mask
REFUSED = q.STATUS_SW_ERR.mask | q.STATUS_ERR_INTR.mask


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def error_answers_are_reported_with_what_was_done(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    memory = engine.memory

    async def fails(request: Request, status: int, kind: FaultKind, access: FaultAccess, address: int,
                    done: int) -> None:
        await engine.begin(request)
        await engine.interrupted()
        assert await engine.read(Register.STATUS) == status
        assert await engine.read(Register.FAULT) == q.FAULT_KIND.put(kind) | q.FAULT_ACCESS.put(access)
        assert await engine.read(Register.FAULT_ADDRESS) == address
        assert await engine.read(Register.BYTES_DONE) == done
        await engine.acknowledge()
        memory.check()
        memory.pages.closed.clear()

    for good in (0, 16, 80):
        at = SRC_AT + PAGE_BYTES - good
        request = simple(512, source=[(at, 512)])
        memory.pages.closed = {(SRC_AT + PAGE_BYTES) // PAGE_BYTES}
        memory.expect(DST_AT, request.transform(memory.read(at, good)))
        await fails(request, READ_ERROR, FaultKind.PAGE, FaultAccess.SOURCE, SRC_AT + PAGE_BYTES, good)

        at = DST_AT + PAGE_BYTES - good
        request = simple(512, destination=[(at, 512)])
        memory.pages.closed = {(DST_AT + PAGE_BYTES) // PAGE_BYTES}
        memory.expect(at, request.transform(memory.read(SRC_AT, good)))
        await fails(request, WRITE_ERROR, FaultKind.PAGE, FaultAccess.DESTINATION, DST_AT + PAGE_BYTES, good)

        request = simple(32, destination=[(DST_AT, 32), (DST_AT + 8 + good, DUMP_BYTES)], dump=True)
        await fails(request, REFUSED, FaultKind.ALIGNMENT, FaultAccess.DESTINATION, DST_AT + 8 + good, 0)
        await engine.run(simple(48))

        size = 24 + good
        request = simple(64, source=[(SRC_AT, 32), (DST_AT, size)])
        await fails(request, REFUSED, FaultKind.ALIGNMENT, FaultAccess.SOURCE, DST_AT + size, 0)


@cocotb.test(**LIMIT)
async def a_list_that_cannot_be_read_is_refused_and_can_be_rung_again(dut):
    engine = await Engine.start(dut)
    engine.hold_back(0.3)
    for which, access in (("SRC", FaultAccess.SOURCE_LIST), ("DST", FaultAccess.DESTINATION_LIST)):
        list_at, address = LISTS_AT[which], Register[f"{which}_LIST_ADDRESS"]
        length, doorbell = Register[f"{which}_LIST_LENGTH"], Register[f"{which}_DOORBELL"]
        page_end = list_at + PAGE_BYTES - 16
        engine.memory.pages.closed = {page_end // PAGE_BYTES + 1}
        for start, count, kind, at in ((list_at + 8, 1, FaultKind.ALIGNMENT, list_at + 8),
                                       (page_end, 3, FaultKind.PAGE, page_end + 16)):
            await engine.write_all({address: start, length: count})
            assert await engine.refuses(doorbell, 0)
            assert await engine.read(Register.FAULT) == q.FAULT_KIND.put(kind) | q.FAULT_ACCESS.put(access)
            assert await engine.read(Register.FAULT_ADDRESS) == at
        for count in (0, 65):
            await engine.write_all({address: list_at, length: count})
            assert await engine.refuses(doorbell, 0)
        engine.memory.pages.closed.clear()
        assert await engine.read(Register.STATUS) == 0
    await engine.run(simple(32))


@cocotb.test(**LIMIT)
@cocotb.parametrize(case=[(528, CryptoState.WAIT_UNIT, 512), (1040, CryptoState.WAIT_UNIT, 1024),
                          (40, CryptoState.WAIT_BLOCK, 32), (0, CryptoState.WAIT_LENGTH, 0)])
async def a_length_that_hangs_stands_in_its_state_until_the_reset(dut, case):
    length, state, done = case
    engine = await Engine.start(dut)
    engine.hold_back(0.3)
    covered = -(-length // 16) * 16 or 16
    request = simple(length, source=[(SRC_AT, covered)], destination=[(DST_AT, covered)])
    engine.memory.expect(DST_AT, request.transform(engine.memory.read(SRC_AT, done)))
    await engine.begin(request)
    await engine.cycles(3000)
    assert await engine.state() is state
    assert await engine.read(Register.BYTES_DONE) == done
    assert int(dut.busy.value)
    assert not int(dut.irq.value)
    engine.memory.check()
    await engine.soft_reset()
    await engine.run(simple(512))


@cocotb.test(**LIMIT)
@cocotb.parametrize(which=["SRC", "DST"])
async def a_list_that_is_too_short_stands_with_nothing_done(dut, which):
    engine = await Engine.start(dut)
    short = {"SRC": "source", "DST": "destination"}[which]
    await engine.begin(simple(64, **{short: [({"SRC": SRC_AT, "DST": DST_AT}[which], 16)] * 3}))
    await engine.cycles(200)
    assert await engine.state() is CryptoState[f"WAIT_{short.upper()}"]
    assert await engine.read(Register[f"{which}_CURRENT"]) == 3
    engine.memory.check()
    await engine.soft_reset()
    await engine.run(simple(64))


@cocotb.test(**LIMIT)
async def with_their_quirks_off_the_same_lengths_end(dut):
    off = Quirk.LENGTH_512_HANG | Quirk.PARTIAL_BLOCK_HANG | Quirk.ZERO_LENGTH_HANG | Quirk.STALE_DUMP_STATUS
    engine = await Engine.start(dut, Quirk.all() & ~off)
    engine.hold_back(0.3)
    for length in (528, 1040, 0):
        request = simple(length, dump=True, destination=[(DST_AT, length), (DST_AT + PAGE_BYTES, DUMP_BYTES)])
        engine.expect(request, dump_at=DST_AT + PAGE_BYTES, dump=dump(request, status=DONE))
        await engine.begin(request)
        await engine.finish(request)
        engine.memory.check()
    await engine.begin(simple(40, source=[(SRC_AT, 48)], destination=[(DST_AT, 48)]))
    await engine.interrupted()
    assert await engine.read(Register.STATUS) == REFUSED
    assert await engine.read(Register.FAULT) == 0
    engine.memory.check()


@cocotb.test(**LIMIT)
async def a_setup_that_is_wrong_is_refused_at_once(dut):
    engine = await Engine.start(dut)
    right = simple(32).setup[Register.ENCR_SEG_CFG]
    wrong = [{Register.ENCR_SEG_CFG: right ^ q.ENCR_SEG_CFG_ALG.put(value)} for value in range(1, 8)]
    wrong += [{Register.ENCR_SEG_CFG: right | q.ENCR_SEG_CFG_KEY_SIZE.put(value)} for value in range(3, 8)]
    wrong += [{Register.ENCR_SEG_CFG: right | q.ENCR_SEG_CFG_MODE.put(value)} for value in range(1, 16)]
    wrong += [{Register.ENCR_SEG_START: 1 << bit} for bit in (0, 4, 31)]
    wrong += [{Register.SEG_SIZE: 32 ^ 1 << bit} for bit in (0, 5, 31)]
    for changes in wrong:
        await engine.write_all(simple(32).setup | changes)
        await engine.write(Register.GOPROC, q.GOPROC_GO.mask)
        await engine.interrupted()
        assert await engine.read(Register.STATUS) == REFUSED, changes
        assert await engine.read(Register.CYCLES) == 1
    await engine.run(simple(32))


@cocotb.test(**LIMIT)
async def a_key_of_192_bits_is_taken_for_its_first_128(dut):
    engine = await Engine.start(dut)
    request = simple(64, key=KEY + b"ignored.")
    engine.expect(request, key=KEY)
    await engine.begin(request)
    await engine.finish(request)
    engine.memory.check()
