"""The QCE against its model where something meets a request at each of its edges, beats or accesses."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import cocotb

from cocotb_tests.qce_accesses import DESTINATION_BELL, SOURCE_BELL, Plain, go, ring
from cocotb_tests.qce_scenes import (
    READ_OUT,
    Act,
    Action,
    Interrupt,
    ModelSide,
    Protect,
    Reset,
    Script,
    Set,
    Setting,
    Step,
    Write,
)
from cocotb_tests.test_qce_same_as_model import EFFORT, Pair
from pymodel import golden
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import MAX_DESCRIPTORS, Descriptor, DescriptorFlag
from pymodel.engines.qce_course import READ_ERROR, SUCCESS, WRITE_ERROR
from pymodel.engines.qce_registers import (
    FAULT_ACCESS,
    STATUS_CRYPTO_STATE,
    CryptoState,
    FaultAccess,
    FaultKind,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.memory import PAGE_BYTES

SRC, DST = 0x8000, 0x18000
DATA = random.Random(1).randbytes(64 << 10)
MEMORY = 4 << 20

SETTINGS = [
    Setting(),
    Setting(slow_start_cycles=0, write_latency=5, quirks=Quirk.all() & ~Quirk.DUMP_FOLLOWS_DATA),
    Setting(read_latency=7, quirks=Quirk.all() & ~Quirk.SHARED_REGISTERS & ~Quirk.STALE_DUMP_STATUS),
    Setting(read_latency=3, write_latency=30, quirks=Quirk(0)),
]
STATES = {"waits for the rest of a unit": CryptoState.WAIT_UNIT,
          "waits for the rest of a block": CryptoState.WAIT_BLOCK, "no data": CryptoState.WAIT_LENGTH,
          "a source that is too short": CryptoState.WAIT_SOURCE,
          "a destination that is too short": CryptoState.WAIT_DESTINATION}
"""In which the requests of these names are at last, with all quirks."""
FAST = cocotb.SIM_NAME.lower().startswith("verilator") or EFFORT > 1
some_settings = cocotb.parametrize(setting=range(len(SETTINGS)) if FAST else [2])
"""All of them, or one in a simulator that is several times slower."""

EMPTY = [Descriptor(SRC, 0)] * 10
PIECES = Plain(
    5 * 16, dump=True,
    source=[Descriptor(SRC + PAGE_BYTES - 16, 32, DescriptorFlag.LOCK), Descriptor(SRC, 0),
            Descriptor(SRC + 0x100, 16), Descriptor(0, 0, DescriptorFlag.UNLOCK), Descriptor(3, 0),
            Descriptor(SRC + 0x200, 64)],
    destination=[Descriptor(0, 0), Descriptor(DST, 16), Descriptor(DST + PAGE_BYTES - 32, 64),
                 Descriptor(DST + 0x300, 16), Descriptor(DST + 0x400, 48), Descriptor(DST + 0x500, 256)])
"""Small, with everything that lists can have."""
REQUESTS = {
    "pieces": PIECES,
    "a key of 256 bits": replace(PIECES, key=bytes(range(32)), decrypt=True),
    "waits for the rest of a unit": Plain(528, [Descriptor(SRC, 528)], [Descriptor(DST, 704)], dump=True),
    "waits for the rest of a block": replace(PIECES, size=5 * 16 - 3),
    "many empty descriptors": Plain(
        48, dump=True, source=[*EMPTY[:3], Descriptor(SRC, 16), *EMPTY, Descriptor(SRC + 64, 32)],
        destination=[*EMPTY[:6], Descriptor(DST, 32), *EMPTY * 3, Descriptor(DST + 64, 16), *EMPTY,
                     Descriptor(DST + 128, 128)]),
    "no data": replace(PIECES, size=0),
    "a source that is too short": replace(PIECES, size=9 * 16),
    "a destination that is too short": replace(PIECES, destination=PIECES.destination[:3]),
    "a source that is not aligned": replace(PIECES, source=[*PIECES.source[:3], Descriptor(SRC + 8, 64)]),
    "a destination that is not aligned": replace(PIECES, destination=[*PIECES.destination[:2],
                                                                      Descriptor(DST + 16, 72)]),
}


def begin(setting: Setting, request: Plain) -> list[Step]:
    return [Set(setting, reset=True), *request.lists(), Write(SRC, DATA[:2 * PAGE_BYTES])]


def length(setting: Setting, request: Plain, limit: int = 400) -> int:
    """Cycles that the request takes on the model, from its first access until its interrupt is seen."""
    log = ModelSide(MEMORY, setting).play([*begin(setting, request), request.act(timeout=limit)])
    return min(log[1][1][1], limit)


def read_out(log: list[Any]) -> list[list[int]]:
    """What requests told at their end, before it was acknowledged."""
    return [entry[-1][2] for entry in log if isinstance(entry, list) and isinstance(entry[0], tuple)]


@cocotb.test()
@cocotb.parametrize(setting=[0, 3] if FAST else [0], name=list(REQUESTS))
async def what_registers_tell_at_every_edge_of_a_request_agrees(dut, setting, name):
    chosen, request = SETTINGS[setting], REQUESTS[name]
    pair = await Pair.start(dut, chosen)
    limit = 160 if FAST else 60
    scene = begin(chosen, request)
    for gap in range(0, limit, 1 if FAST else 3):
        scene.append(request.act(polls=[Script(READ_OUT, gap=gap)], timeout=500))
    log = await pair.agree(scene)
    if not setting:
        assert {STATUS_CRYPTO_STATE.get(found[0]) for found in read_out(log)} == {STATES.get(name, 0)}
    pair.finish()


@cocotb.test()
@some_settings
@cocotb.parametrize(name=["pieces", "waits for the rest of a unit", "no data"])
async def a_reset_at_every_edge_of_a_request_agrees_and_leaves_nothing_behind(dut, setting, name):
    chosen, request = SETTINGS[setting], REQUESTS[name]
    pair = await Pair.start(dut, chosen)
    scene = begin(chosen, request)
    for gap in range(0, length(chosen, request, 200) + 3, 1 if FAST else 3):
        scene += [*request.lists(), request.act((Reset(gap),), timeout=30), *PIECES.lists(), PIECES.act()]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
@some_settings
@cocotb.parametrize(access=["read STATUS", "write STATUS", "write a key", "ring", "reset by hand"])
async def an_access_of_the_other_master_at_every_edge_agrees(dut, setting, access):
    chosen = SETTINGS[setting]
    accesses = {"read STATUS": [RegisterAccess(Register.STATUS)],
                "write STATUS": [RegisterAccess(Register.STATUS, 0)],
                "write a key": [RegisterAccess(Register.ENCR_KEY0, 0x12345678)],
                "ring": ring(DESTINATION_BELL, PIECES.lists_at[0], 3),
                "reset by hand": [RegisterAccess(Register.SOFT_RESET, 1)]}[access]
    pair = await Pair.start(dut, chosen)
    scene = begin(chosen, PIECES)
    for gap in range(0, length(chosen, PIECES) + 12, 1 if FAST else 3):
        scene.append(PIECES.act((Script(tuple(accesses), 1, gap),), timeout=300, reset=True))
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
@some_settings
async def an_error_at_any_beat_agrees(dut, setting):
    """Bus errors on data, dump and lists; closed pages before each block of either side."""
    chosen = SETTINGS[setting]
    pair = await Pair.start(dut, chosen)
    src, dst = SRC + PAGE_BYTES - 3 * 16, DST + PAGE_BYTES - 5 * 16
    request = Plain(24 * 16, [Descriptor(src, 8 * 16), Descriptor(0, 0), Descriptor(src + 8 * 16, 16 * 16)],
                    [Descriptor(dst, 9 * 16), Descriptor(dst + 9 * 16, 15 * 16), Descriptor(dst + 384, 128)],
                    dump=True, lists_at=(0x2000 - 16, 0x3000 - 16))
    scene = [*begin(chosen, request), Write(src, DATA[:24 * 16])]
    for kind, base, beats in (("read_error", src, 25), ("write_error", dst, 33),
                              ("read_error", request.lists_at[0], 2), ("read_error", request.lists_at[1], 2)):
        for beat in range(beats):
            scene += [Set(replace(chosen, **{kind: base + 16 * beat})), request.act(reset=True)]
    scene.append(Set(chosen))
    for page in (0x2000, 0x3000):
        scene += [Protect(page, False, True), request.act(reset=True), Protect(page, True, True)]
    for readable, page in ((False, SRC + PAGE_BYTES), (True, DST + PAGE_BYTES)):
        scene.append(Protect(page, readable, not readable))
        for cut in range(1, 22):
            dst = DST + PAGE_BYTES - 16 * cut
            moved = replace(request, source=[Descriptor(SRC + PAGE_BYTES - 16 * cut, 22 * 16)], size=22 * 16,
                            destination=[Descriptor(dst, 22 * 16), Descriptor(dst + 22 * 16, 128)])
            scene += [*moved.lists(), moved.act(reset=True)]
        scene.append(Protect(page, True, True))
    log = await pair.agree(scene)
    kinds = (FaultKind.PAGE, FaultKind.BUS)
    data = {(status, kind | FAULT_ACCESS.put(access)) for kind in kinds for status, access in (
        (READ_ERROR, FaultAccess.SOURCE), (WRITE_ERROR, FaultAccess.DESTINATION))}
    lists = {(0, kind | FAULT_ACCESS.put(access)) for kind in kinds
             for access in (FaultAccess.SOURCE_LIST, FaultAccess.DESTINATION_LIST)}
    assert {(status, fault) for status, _, _, _, fault, *_ in read_out(log)} == {(SUCCESS, 0)} | data | lists
    pair.finish()


@cocotb.test()
@cocotb.parametrize(latency=[1, 60, 400])
async def errors_while_blocks_wait_for_room_agree(dut, latency):
    setting = Setting(write_latency=latency, slow_start_cycles=0)
    pair = await Pair.start(dut, setting)
    dst = DST + PAGE_BYTES - 5 * 16
    request = Plain(128 * 16, [Descriptor(SRC, 45 * 16), Descriptor(SRC + 45 * 16, 83 * 16)],
                    [Descriptor(dst, 7 * 16), Descriptor(dst + 7 * 16, 129 * 16)], dump=True)
    scene: list[Step] = [*request.lists(), Write(SRC, DATA[:128 * 16])]
    for kind, base in (("read_error", SRC), ("write_error", dst)):
        for beat in range(0, 136, 3 if FAST else 19):
            scene += [Set(replace(setting, **{kind: base + 16 * beat})), request.act(timeout=20000)]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
async def a_destination_inside_the_source_reads_back_what_was_written_in_time(dut):
    pair = await Pair.start(dut, Setting(slow_start_cycles=0))
    scene: list[Step] = []
    for distance in (*range(1, 36, 1 if FAST else 5), 40, 47, 48, 49, 64):
        for latency in (1, 25):
            request = Plain(64 * 16, [Descriptor(SRC, 20 * 16), Descriptor(SRC + 20 * 16, 44 * 16)],
                            [Descriptor(SRC + 16 * distance, 33 * 16),
                             Descriptor(SRC + 16 * (distance + 33), 31 * 16)])
            scene += [Set(Setting(read_latency=latency, write_latency=26 - latency)), *request.lists(),
                      Write(SRC, DATA[:128 * 16]), request.act()]
    backwards = Plain(64 * 16, [Descriptor(SRC + 16 * k, 16) for k in range(63, -1, -1)],
                      [Descriptor(SRC, 64 * 16)])
    twice = Plain(32 * 16, [Descriptor(SRC, 256)] * 2, [Descriptor(SRC, 128)] * 4)
    for request in (backwards, twice):
        scene += [*request.lists(), Write(SRC, DATA[:128 * 16]), request.act()]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
@cocotb.parametrize(bits=[128, 256], decrypt=[False, True])
async def the_longest_lists_and_a_long_request_agree(dut, bits, decrypt):
    pair = await Pair.start(dut, Setting())
    size = 512 * MAX_DESCRIPTORS if FAST else 64 * MAX_DESCRIPTORS
    piece = size // MAX_DESCRIPTORS
    source = [Descriptor(SRC + piece * k, piece) for k in range(MAX_DESCRIPTORS)]
    request = Plain(size, source, [Descriptor(DST, 0xFFF0), Descriptor(DST + 0xFFF0, 256)], dump=True,
                    key=bytes(range(bits // 8)), decrypt=decrypt)
    scene: list[Step] = [*request.lists(), Write(SRC, DATA[:size]), request.act(timeout=100_000)]
    scattered = replace(request, source=request.destination,
                        destination=[*source[:-1], Descriptor(source[-1].address, piece + 128)])
    scene += [*scattered.lists(), scattered.act(timeout=100_000)]
    await pair.agree(scene)
    ecb = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    assert pair.rtl.memory.read(DST, size) == ecb(request.key, DATA[:size])
    pair.finish()


@cocotb.test()
async def a_key_waits_for_the_expansion_of_the_one_before(dut):
    """A request without data is over before its key is expanded; GO comes again before the next doorbells."""
    pair = await Pair.start(dut, Setting(quirks=Quirk(0)))
    request = Plain(32, [Descriptor(SRC, 32)], [Descriptor(DST, 32)], key=bytes(range(32)))
    scene: list[Step] = [*begin(Setting(quirks=Quirk(0)), request)]
    sizes = (RegisterAccess(Register.ENCR_SEG_SIZE, 32), RegisterAccess(Register.SEG_SIZE, 32))
    for gap in range(20):
        again = Script((*sizes, go(), *request.rings()), gap=gap)
        scene.append(Act(((replace(request, size=0).script(), again, Interrupt(200), Script(READ_OUT)),)))
    log = await pair.agree(scene)
    assert len({found[2] for found in read_out(log)}) == 2  # only the closest one has to wait
    pair.finish()


@cocotb.test()
async def lists_that_come_after_go_agree(dut):
    """Both, one, or one after a failed try, at every distance from GO."""
    pair = await Pair.start(dut, Setting(slow_start_cycles=10))
    scene: list[Step] = begin(Setting(slow_start_cycles=10), PIECES)
    source_at, destination_at = PIECES.lists_at
    source = tuple(ring(SOURCE_BELL, source_at, len(PIECES.source)))
    destination = tuple(ring(DESTINATION_BELL, destination_at, len(PIECES.destination)))
    wrong = (*ring(DESTINATION_BELL, 0, 2), *ring(DESTINATION_BELL, MEMORY, 2))
    for gap in range(0, 24, 1 if FAST else 5):
        for before, after in (((), (*destination, *source)), (source, destination), (destination, source)):
            begun = Script((*before, *PIECES.setup(), go(dump=True)))
            tries = [Script(wrong[:3], gap=1), Script(wrong[3:])] if after == destination else []
            look = Script(READ_OUT)
            late: list[Action] = [begun, *tries, Script(after, gap=gap), look, Interrupt(400), look]
            scene.append(Act((tuple(late),), reset=True))
    await pair.agree(scene)
    pair.finish()
