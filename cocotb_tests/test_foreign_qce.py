"""The bare QCE on the register master and the memory of cocotbext-axi, against the golden model."""

from __future__ import annotations

import random
from dataclasses import replace

import cocotb

from cocotb_tests.foreign import LIMIT, PAGE_BYTES, RATES, Outstanding
from cocotb_tests.foreign_qce import (
    DONE,
    DST_AT,
    DUMP_BYTES,
    LISTS_AT,
    LOCK,
    SRC_AT,
    UNLOCK,
    Engine,
    Request,
    dump,
    pieces,
    simple,
)
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import CryptoState, Register
from pymodel.engines.quirks import Quirk

FIPS_197 = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}
"""FIPS-197 appendix C: the plaintext 00112233..ff under the key 000102.. ."""
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
STALE = q.STATUS_ENCR_BUSY.mask | q.STATUS_CRYPTO_STATE.put(CryptoState.RUN)


def random_request(numbers: random.Random) -> Request:
    length = 16 * numbers.choice([1, 2, 3, 16, numbers.randrange(1, 33), 32, 64])
    counters = tuple(numbers.getrandbits(32) for _ in range(4))
    most = numbers.choice([1, 2, 5, 12])
    return Request(numbers.randbytes(numbers.choice([16, 32])), length, pieces(numbers, SRC_AT, length, most),
                   pieces(numbers, DST_AT, length, most), decrypt=numbers.random() < 0.5,
                   flags=numbers.choice([0, LOCK, LOCK | UNLOCK]), counters=counters)


@cocotb.test(**LIMIT)
async def the_examples_of_fips_197_come_out_in_both_directions(dut):
    engine = await Engine.start(dut, Quirk.all() & ~Quirk.NO_AES192)
    for size, text in FIPS_197.items():
        cipher = bytes.fromhex(text)
        for decrypt in (False, True):
            request = simple(16, key=bytes(range(size)), decrypt=decrypt)
            engine.memory.write(SRC_AT, cipher if decrypt else PLAIN)
            await engine.run(request)
            assert engine.memory.read(DST_AT, 16) == (PLAIN if decrypt else cipher)


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def random_requests_come_out_as_the_golden_model_says_and_touch_nothing_else(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    for _ in range(25):
        request = random_request(engine.numbers)
        if engine.numbers.random() < 0.5:
            await engine.run(request)
            continue
        at = DST_AT - PAGE_BYTES
        with_dump = replace(request, dump=True, destination=[*request.destination, (at, DUMP_BYTES)])
        locked = request.flags == LOCK
        engine.expect(request, dump_at=at, dump=dump(request, status=STALE, locked=locked))
        await engine.begin(with_dump)
        await engine.finish(with_dump)
        engine.memory.check()


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def reads_at_any_time_are_answered_and_change_nothing(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    numbers = engine.numbers
    for _ in range(8):
        request = replace(random_request(numbers), flags=LOCK)
        constant = {Register.VERSION: 0x05010000, Register.SEG_SIZE: request.length,
                    Register.ENCR_SEG_CFG: request.setup[Register.ENCR_SEG_CFG],
                    Register.SRC_LIST_ADDRESS: LISTS_AT["SRC"],
                    Register.DST_LIST_LENGTH: len(request.destination),
                    **dict.fromkeys(set(Register) - q.READABLE, 0)}
        engine.expect(request)
        await engine.begin(request)
        seen = set()
        while not int(dut.irq.value):
            chosen = numbers.sample(list(Register), 4)
            reads = [engine.master.init_read(register, 4, numbers.randrange(8)) for register in chosen]
            for register, event in zip(chosen, reads, strict=True):
                await event.wait()
                value = int.from_bytes(event.data.data, "little")
                assert event.data.resp == 0, register.name
                assert value == constant.get(register, value), register.name
                if register is Register.STATUS:
                    seen.add(value)
        assert seen <= {DONE, *(q.STATUS_ENCR_BUSY.mask | q.STATUS_CRYPTO_STATE.put(state)
                                for state in (CryptoState.CHECK, CryptoState.START, CryptoState.LISTS,
                                              CryptoState.RUN))}
        await engine.finish(request)
        engine.memory.check()


@cocotb.test(**LIMIT)
@cocotb.parametrize(follows=[False, True], stale=[False, True])
async def the_dump_is_where_its_quirk_puts_it_and_says_what_its_quirk_says(dut, follows, stale):
    quirks = Quirk.all()
    if not follows:
        quirks &= ~Quirk.DUMP_FOLLOWS_DATA
    if not stale:
        quirks &= ~Quirk.STALE_DUMP_STATUS
    engine = await Engine.start(dut, quirks)
    engine.hold_back(0.3)
    for length in (16, 160, 512):
        counters = tuple(engine.numbers.getrandbits(32) for _ in range(4))
        longer = [(DST_AT, length + 256), (DST_AT + PAGE_BYTES, DUMP_BYTES)]
        request = simple(length, counters=counters, dump=True, destination=longer)
        engine.expect(request, dump_at=DST_AT + length if follows else DST_AT + PAGE_BYTES,
                      dump=dump(request, status=STALE if stale else DONE))
        await engine.begin(request)
        await engine.finish(request)
        engine.memory.check()


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def after_a_soft_reset_at_any_time_everything_is_as_at_first(dut, rate):
    engine = await Engine.start(dut)
    engine.hold_back(rate)
    numbers, outstanding = engine.numbers, Outstanding(dut)
    partly = 0
    for _ in range(15):
        length = 1024  # twice what the reader and the writer can hold
        request = simple(length, key=numbers.randbytes(16), flags=LOCK,
                         destination=[(DST_AT + 16 * numbers.randrange(256), length)])
        at = request.destination[0][0]
        whole, before = request.transform(engine.gather(request.source)), engine.memory.read(at, length)
        await engine.begin(request)
        await engine.cycles(numbers.randrange(900))
        await engine.soft_reset()
        assert outstanding.idle()
        assert not int(dut.busy.value)
        assert not int(dut.irq.value)
        for register, value in q.RESET.items():
            assert await engine.read(register) == value, register.name
        left = engine.memory.read(at, length)
        ended = next((k for k in range(0, length, 16) if left[k:k + 16] != whole[k:k + 16]), length)
        assert left == whole[:ended] + before[ended:]
        partly += 0 < ended < length
        engine.memory.expect(at, left)
        engine.memory.check()
        await engine.run(random_request(numbers))
    assert partly, "no reset came in the middle"


@cocotb.test(**LIMIT)
async def go_before_the_lists_waits_for_them(dut):
    engine = await Engine.start(dut)
    engine.hold_back(0.3)
    for order in (("SRC", "DST"), ("DST", "SRC")):
        request = simple(64)
        engine.expect(request)
        await engine.write_all(request.setup)
        await engine.write(Register.GOPROC, request.go)
        for which in order:
            await engine.cycles(60)
            assert await engine.state() is CryptoState.WAIT_LISTS
            await engine.ring(which, request.source if which == "SRC" else request.destination)
        await engine.finish(request)
        engine.memory.check()
