"""How requests of the QCE end, by its port: errors of setup, of lists, of data and of the dump."""

from __future__ import annotations

from collections.abc import Sequence

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.qce_raw import (
    AES,
    ALL_QUIRKS,
    BLOCK,
    DONE,
    DUMP,
    HANGS,
    KEY,
    SOURCE,
    SW_ERR,
    TARGET,
    UNIT,
    RawQce,
    Request,
    data,
    one,
)
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_registers import (
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_KEY_SIZE,
    ENCR_SEG_CFG_MODE,
    STATUS_AXI_ERR,
    STATUS_DIN_ERR,
    STATUS_DOUT_ERR,
    STATUS_ERR_INTR,
    CryptoState,
    FaultAccess,
    FaultKind,
    Register,
)
from pymodel.golden.modes import ecb_encrypt

READ_ERR = STATUS_AXI_ERR.mask | STATUS_DIN_ERR.mask | STATUS_ERR_INTR.mask
WRITE_ERR = STATUS_AXI_ERR.mask | STATUS_DOUT_ERR.mask | STATUS_ERR_INTR.mask


def pieces(address: int, sizes: Sequence[int]) -> list[Descriptor]:
    """One after the other, with a gap of 0x100."""
    made = []
    for size in sizes:
        made.append(Descriptor(address, size))
        address += size + 0x100
    return made


@cocotb.test()
async def a_setup_that_cannot_be_done_is_an_error_after_one_cycle(dut):
    qce = await RawQce.start(dut)
    config = ENCR_SEG_CFG_ALG.put(AES)
    for changes in ({Register.ENCR_SEG_CFG: ENCR_SEG_CFG_ALG.put(1)},
                    {Register.ENCR_SEG_CFG: config | ENCR_SEG_CFG_MODE.put(1)},
                    {Register.ENCR_SEG_CFG: config | ENCR_SEG_CFG_MODE.put(8)},
                    {Register.ENCR_SEG_CFG: config | ENCR_SEG_CFG_KEY_SIZE.put(3)},
                    {Register.ENCR_SEG_CFG: config | ENCR_SEG_CFG_KEY_SIZE.put(4)},
                    {Register.ENCR_SEG_START: 16}, {Register.ENCR_SEG_START: 16, Register.SEG_SIZE: 32},
                    {Register.SEG_SIZE: 32}, {Register.ENCR_SEG_SIZE: 0x8000_0010}):
        assert await qce.run(one(BLOCK, changes=changes)) == SW_ERR, changes
        assert await qce.read(Register.CYCLES) == 1
        assert await qce.fault() == (FaultKind.NONE, FaultAccess.SOURCE, 0)
        assert await qce.state() == CryptoState.IDLE
    assert int(dut.aw_bursts.value) == 0
    await qce.check_alive()


@cocotb.test()
async def what_is_not_aligned_is_an_error_before_anything_moves(dut):
    """The source's goes first, although it takes longer to find; 2 and a list of n: end at 3 + n."""
    qce = await RawQce.start(dut)
    good = pieces(SOURCE, [BLOCK] * 5)
    for number, bad, where in ((3, Descriptor(0x5008, BLOCK), 0x5008), (4, Descriptor(0x5000, 24), 0x5018),
                               (0, Descriptor(0x5001, 8), 0x5001)):
        wrong = [*good[:number], bad, *good[number:]]
        for source, destination, access, end in (
                (wrong, good, FaultAccess.SOURCE, 8), (good, wrong, FaultAccess.DESTINATION, 8),
                (wrong, [bad], FaultAccess.SOURCE, number + 4)):
            reads = int(dut.ar_bursts.value)
            assert await qce.run(Request(5 * BLOCK, source, destination)) == SW_ERR
            assert await qce.fault() == (FaultKind.ALIGNMENT, access, where)
            assert int(dut.ar_bursts.value) - reads == 2, "the lists alone"
            assert await qce.read(Register.CYCLES) == end
            assert await qce.read(Register.SRC_CURRENT) == (number if access == FaultAccess.SOURCE else 4)
            if destination == [bad]:
                break
    assert int(dut.aw_bursts.value) == 0
    unused = Request(5 * BLOCK, [*good, Descriptor(1, 1)], [*good, Descriptor(1, 1)])
    assert await qce.run(unused) == DONE, "descriptors that are not used are not looked at"
    empty = Request(5 * BLOCK, [Descriptor(1, 0), *good], [Descriptor(3, 0), *good])
    assert await qce.run(empty) == DONE, "nor is the address of an empty one"
    await qce.check_alive()


@cocotb.test()
async def a_read_error_ends_the_request_after_the_blocks_before_it(dut):
    qce = await RawQce.start(dut)
    size = 1024
    text = data(11, size)
    qce.store(SOURCE, text)
    for at, sizes in ((0, [size]), (5 * BLOCK, [size]), (37 * BLOCK, [size]), (5 * BLOCK, [48, 0, 48, 928]),
                      (1008, [32] * 32)):
        destination = pieces(TARGET, sizes)
        for kind in (FaultKind.BUS, FaultKind.PAGE):
            source, where = [Descriptor(SOURCE, size)], SOURCE + at
            if kind == FaultKind.BUS:
                dut.bus_error_enable.value, dut.bus_error_address.value = 1, where
            else:  # the same block, at the beginning of a page
                source, where = [Descriptor(SOURCE, at), Descriptor(0x8000, size - at)], 0x8000
                dut.ram.page_no_read.value = 1 << 8
            qce.store(TARGET, bytes(0x8000))
            request = Request(size, source, [*destination, Descriptor(0x9000, DUMP)], dump=True)
            assert await qce.run(request) == READ_ERR
            dut.bus_error_enable.value, dut.ram.page_no_read.value = 0, 0
            assert await qce.fault() == (kind, FaultAccess.SOURCE, where)
            assert await qce.read(Register.BYTES_DONE) == at
            written = b"".join(qce.load(piece.address, piece.size) for piece in destination if piece.size)
            assert written == ecb_encrypt(KEY, text[:at]) + bytes(size - at)
    await qce.check_alive()


@cocotb.test()
async def a_read_error_leaves_nothing_behind(dut):
    """With 5 blocks written one by one, much slower than they come, or the last of them at the end of a
    piece; then a request without any command ends as ever, and CURRENT does not follow a changed list."""
    qce = await RawQce.start(dut, quirks=ALL_QUIRKS & ~HANGS)
    text = data(15, UNIT)
    qce.store(SOURCE, text)
    for latency, sizes, current in ((200, [16] * 32, 4), (1, [80, 432], 0), (1, [48, 464], 1)):
        dut.write_latency.value = latency
        dut.bus_error_enable.value, dut.bus_error_address.value = 1, SOURCE + 5 * BLOCK
        qce.store(TARGET, bytes(0x4000))
        destination = pieces(TARGET, sizes)
        assert await qce.run(Request(UNIT, [Descriptor(SOURCE, UNIT)], destination)) == READ_ERR
        dut.bus_error_enable.value = 0
        written = b"".join(qce.load(piece.address, piece.size) for piece in destination)
        assert written == ecb_encrypt(KEY, text[:5 * BLOCK]) + bytes(UNIT - 5 * BLOCK)
        for length in (current, current + 1, current + 2):
            await qce.write(Register.DST_LIST_LENGTH, length)
            assert await qce.read(Register.DST_CURRENT) == current
        assert await qce.run(one(0, BLOCK)) == DONE
        assert await qce.read(Register.CYCLES) == 4
    await qce.check_alive()


@cocotb.test()
async def a_write_error_wins_and_counts_what_was_written_before(dut):
    qce = await RawQce.start(dut)
    size = 1024
    text = data(12, size)
    qce.store(SOURCE, text)
    for at in (0, 256, 512, 768):
        qce.store(TARGET, bytes(size))
        dut.bus_error_enable.value, dut.bus_error_address.value = 2, TARGET + at + 32
        assert await qce.run(one(size)) == WRITE_ERR
        dut.bus_error_enable.value = 0
        assert await qce.fault() == (FaultKind.BUS, FaultAccess.DESTINATION, TARGET + at)
        assert await qce.read(Register.BYTES_DONE) == at
        assert qce.load(TARGET, size) == ecb_encrypt(KEY, text[:at]) + bytes(size - at)
    dut.ram.page_no_write.value = 1 << (TARGET >> 12)
    dut.bus_error_enable.value, dut.bus_error_address.value = 1, SOURCE + 512
    assert await qce.run(one(size)) == WRITE_ERR
    assert await qce.fault() == (FaultKind.PAGE, FaultAccess.DESTINATION, TARGET)
    dut.ram.page_no_write.value, dut.bus_error_enable.value = 0, 0
    await qce.check_alive()


@cocotb.test()
async def an_error_in_the_dump_is_a_write_error_with_all_data_done(dut):
    qce = await RawQce.start(dut)
    dut.ram.page_no_write.value = 1 << 9
    request = Request(UNIT, [Descriptor(SOURCE, UNIT)],
                      [Descriptor(TARGET, UNIT), Descriptor(0x9000, DUMP)], dump=True)
    assert await qce.run(request) == WRITE_ERR
    assert await qce.fault() == (FaultKind.PAGE, FaultAccess.DESTINATION, 0x9000)
    assert await qce.read(Register.BYTES_DONE) == UNIT
    dut.ram.page_no_write.value = 0
    await qce.check_alive()


@cocotb.test()
async def go_forgets_what_the_request_before_left(dut):
    qce = await RawQce.start(dut)
    assert await qce.run(one(BLOCK, changes={Register.SEG_SIZE: 1})) == SW_ERR
    request = Request(BLOCK, [Descriptor(1, BLOCK)], [Descriptor(TARGET, BLOCK)])
    assert await qce.run(request) == SW_ERR
    assert (await qce.fault())[0] == FaultKind.ALIGNMENT
    await qce.check_alive()
    assert await qce.fault() == (FaultKind.NONE, FaultAccess.SOURCE, 0)


@cocotb.test()
async def empty_descriptors_in_front_of_either_list_only_cost_time(dut):
    """After an abandoned request, whose beats still wait behind the reader, and after a write error."""
    qce = await RawQce.start(dut)
    empty = [Descriptor(0, 0)] * 60
    for trouble in ("reset", "write error", "none"):
        for source_empty, destination_empty in ((empty, []), ([], empty), (empty, empty[:30])):
            if trouble == "reset":
                await qce.begin(one(4096))
                for _ in range(150):
                    await FallingEdge(dut.clk)
                await qce.reset()
            elif trouble == "write error":
                dut.ram.page_no_write.value = 1 << (TARGET >> 12)
                assert await qce.run(one(4096)) == WRITE_ERR
                dut.ram.page_no_write.value = 0
            text = data(13, UNIT)
            qce.store(SOURCE, text)
            request = Request(UNIT, [*source_empty, Descriptor(SOURCE, UNIT)],
                              [*destination_empty, Descriptor(TARGET, UNIT)])
            assert await qce.run(request) == DONE
            assert qce.load(TARGET, UNIT) == ecb_encrypt(KEY, text), trouble
    qce.check()


