"""The bare PadLock engine on the memory of cocotbext-axi, against the golden model."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.foreign import (
    LIMIT,
    PAGE_BYTES,
    RATES,
    ForeignMemory,
    Outstanding,
    numbers_of_test,
    power_on,
    within,
)
from pymodel import golden
from pymodel.engines import rijndael
from pymodel.engines.padlock import ControlWord
from pymodel.engines.ports import Xcrypt, XcryptStatus
from pymodel.engines.quirks import Quirk

SIZE = 32 * PAGE_BYTES
WORD_AT, KEY_AT, DATA_AT = PAGE_BYTES, PAGE_BYTES + 512, 2 * PAGE_BYTES
LONGEST = 20_000
"""Cycles, at the highest rate of pauses."""

FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}
"""FIPS-197 appendix C: the plaintext 00112233..ff under the key 000102.. ."""


@dataclass(frozen=True)
class Done:
    """What the engine reports."""

    status: XcryptStatus
    src: int
    dst: int
    count: int
    address: int


class Engine:
    """The operand port, driven by hand, and the memory."""

    def __init__(self, dut: Any, numbers: random.Random) -> None:
        self.dut = dut
        self.numbers = numbers
        self.memory = ForeignMemory(dut, SIZE, numbers)

    @classmethod
    async def start(cls, dut: Any, *, fetch_blocks: int = 2) -> Engine:
        straps = {"quirk": int(Quirk.all()), "fetch_blocks": fetch_blocks, "setup_cycles": 8}
        operands = dict.fromkeys(("xcrypt_valid", "xcrypt_cword", "xcrypt_key", "xcrypt_src", "xcrypt_dst",
                                  "xcrypt_count", "done_ready", "flags_load", "irq", "soft_rst"), 0)
        await power_on(dut, straps | operands)
        return cls(dut, numbers_of_test(dut))

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await FallingEdge(self.dut.clk)

    async def pulse(self, name: str) -> None:
        signal = getattr(self.dut, name)
        signal.value = 1
        await self.cycles(1)
        signal.value = 0

    def load_key(self, key: bytes, *, decrypt: bool, expanded: bool) -> None:
        """Control word and key into memory; the engine is to be told by ``flags_load``."""
        schedule = rijndael.expand(key)
        material = (rijndael.invert(schedule) if decrypt else schedule).tobytes() if expanded else key
        word = ControlWord(rounds=rijndael.ROUNDS[len(key)], keygen=expanded, decrypt=decrypt,
                           ksize=len(key) // 8 - 2)
        self.memory.write(KEY_AT, material)
        self.memory.write(WORD_AT, word.encode().to_bytes(16, "little"))

    async def post(self, src: int, dst: int, count: int) -> None:
        """Until the operands are accepted."""
        dut, op = self.dut, Xcrypt(WORD_AT, KEY_AT, src, dst, count)
        for name in ("cword", "key", "src", "dst", "count"):
            getattr(dut, f"xcrypt_{name}").value = getattr(op, name)
        dut.xcrypt_valid.value = 1
        while not int(dut.xcrypt_ready.value):
            await FallingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.xcrypt_valid.value = 0

    async def done(self) -> Done:
        """Its result, which must not change while it is left waiting."""
        dut = self.dut
        while not int(dut.done_valid.value):
            await FallingEdge(dut.clk)
        first = self._result()
        await self.cycles(self.numbers.choice([0, 0, 1, 5]))
        assert int(dut.done_valid.value)
        assert self._result() == first
        await self.pulse("done_ready")
        return first

    def _result(self) -> Done:
        fields = (int(getattr(self.dut, f"done_{name}").value)
                  for name in ("status", "src", "dst", "count", "address"))
        return Done(XcryptStatus(next(fields)), *fields)

    async def xcrypt(self, src: int, dst: int, count: int) -> Done:
        await within(LONGEST, self.post(src, dst, count))
        return await within(LONGEST, self.done())


def transform(key: bytes, data: bytes, *, decrypt: bool) -> bytes:
    return (golden.ecb_decrypt if decrypt else golden.ecb_encrypt)(key, data)


@cocotb.test(**LIMIT)
async def the_examples_of_fips_197_come_out_in_both_directions(dut):
    engine = await Engine.start(dut)
    plain = bytes.fromhex("00112233445566778899aabbccddeeff")
    for bits, cipher in FIPS_197.items():
        for decrypt in (False, True):
            given, wanted = (bytes.fromhex(cipher), plain) if decrypt else (plain, bytes.fromhex(cipher))
            engine.load_key(bytes(range(bits // 8)), decrypt=decrypt, expanded=bits > 128)
            await engine.pulse("flags_load")
            engine.memory.write(DATA_AT, given)
            engine.memory.expect(DATA_AT + 64, wanted)
            done = await engine.xcrypt(DATA_AT, DATA_AT + 64, 1)
            assert done == Done(XcryptStatus.OK, DATA_AT + 16, DATA_AT + 80, 0, 0)
            engine.memory.check()


def place(numbers: random.Random, count: int) -> int:
    """Anywhere, or across or up to a page end."""
    last = SIZE // PAGE_BYTES - 3
    page = DATA_AT + PAGE_BYTES * numbers.randrange(1, last - 1)
    offset = numbers.choice([-16 * count, -16 * numbers.randrange(count + 1), 16 * numbers.randrange(256)])
    return page + offset


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def random_requests_come_out_as_the_golden_model_says_and_touch_nothing_else(dut, rate):
    engine = await Engine.start(dut)
    numbers, memory = engine.numbers, engine.memory
    memory.hold_back(numbers, rate)
    seen = set()
    for k in range(48):
        key, decrypt = numbers.randbytes((16, 24, 32)[k % 3]), bool(k // 3 % 2)
        all_sizes, groups = numbers.random() < 0.5, numbers.choice([1, 2, 4, 8])
        expanded = numbers.random() < 0.5 or (len(key) > 16 and not all_sizes)
        dut.quirk.value = int(Quirk.all() & ~Quirk.KEYGEN_128_ONLY if all_sizes else Quirk.all())
        dut.fetch_blocks.value = groups
        await engine.pulse("soft_rst")
        engine.load_key(key, decrypt=decrypt, expanded=expanded)
        for count in numbers.sample([0, 1, 2, 3, 8, 17, 30, 40], 2):
            src = place(numbers, count)
            dst = src if numbers.random() < 0.3 else place(numbers, count)
            if 0 < abs(dst - src) < 16 * count:
                continue
            memory.expect(dst, transform(key, memory.read(src, 16 * count), decrypt=decrypt))
            done = await engine.xcrypt(src, dst, count)
            assert done == Done(XcryptStatus.OK, src + 16 * count, dst + 16 * count, 0, 0), (k, count)
            memory.check()
            seen.add((len(key), decrypt))
    assert len(seen) == 6


@cocotb.test(**LIMIT)
async def a_long_request_comes_out_right_whatever_channel_is_held_back(dut):
    """80 blocks: more than the core and its FIFO hold, so each side has to wait for the other."""
    engine = await Engine.start(dut)
    memory, key = engine.memory, bytes(range(16))
    engine.load_key(key, decrypt=False, expanded=False)
    for rate in RATES:
        for channel in memory.channels:
            memory.hold_back(engine.numbers, 0)
            memory.hold_back(engine.numbers, rate, channel)
            src, dst = DATA_AT + 16 * engine.numbers.randrange(256), DATA_AT + 4 * PAGE_BYTES
            memory.expect(dst, transform(key, memory.read(src, 80 * 16), decrypt=False))
            assert (await engine.xcrypt(src, dst, 80)).status is XcryptStatus.OK
            memory.check()


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def an_error_answer_is_reported_with_the_blocks_that_were_done(dut, rate):
    engine = await Engine.start(dut, fetch_blocks=1)
    memory, key = engine.memory, bytes(range(16))
    engine.load_key(key, decrypt=False, expanded=False)
    memory.hold_back(engine.numbers, rate)
    src, dst = DATA_AT + PAGE_BYTES, DATA_AT + 8 * PAGE_BYTES
    for good in (0, 1, 5):
        memory.pages.closed = {(src + PAGE_BYTES) // PAGE_BYTES}
        start = src + PAGE_BYTES - 16 * good
        memory.expect(dst, transform(key, memory.read(start, 16 * good), decrypt=False))
        done = await engine.xcrypt(start, dst, 9)
        assert done == Done(XcryptStatus.READ_PAGE_FAULT, src + PAGE_BYTES, dst + 16 * good, 9 - good,
                            src + PAGE_BYTES)
        memory.check()

        memory.pages.closed = {(dst + PAGE_BYTES) // PAGE_BYTES}
        start = dst + PAGE_BYTES - 16 * good
        memory.expect(start, transform(key, memory.read(src, 16 * good), decrypt=False))
        done = await engine.xcrypt(src, start, 9)
        assert done == Done(XcryptStatus.WRITE_PAGE_FAULT, src + 16 * good, dst + PAGE_BYTES, 9 - good,
                            dst + PAGE_BYTES)
        memory.check()


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def after_a_soft_reset_at_any_time_the_next_request_is_right(dut, rate):
    """Whatever the bus still owes then is taken before the engine is ready again."""
    engine = await Engine.start(dut)
    numbers, memory, key = engine.numbers, engine.memory, bytes(range(16))
    memory.hold_back(numbers, rate)
    src, length = DATA_AT, 40 * 16
    written, outstanding = set(), Outstanding(dut)
    for _ in range(40):
        dst = DATA_AT + 8 * PAGE_BYTES - 16 * numbers.randrange(40)
        engine.load_key(key, decrypt=False, expanded=False)
        await engine.pulse("flags_load")
        whole, before = transform(key, memory.read(src, length), decrypt=False), memory.read(dst, length)
        await within(LONGEST, engine.post(src, dst, 40))
        await engine.cycles(numbers.randrange(600))
        await engine.pulse("soft_rst")
        while not int(dut.xcrypt_ready.value):
            await engine.cycles(1)
        assert outstanding.idle()
        key = numbers.randbytes(16)
        engine.load_key(key, decrypt=True, expanded=False)
        memory.expect(DATA_AT + 4 * PAGE_BYTES, transform(key, memory.read(src, 48), decrypt=True))
        done = await engine.xcrypt(src, DATA_AT + 4 * PAGE_BYTES, 3)
        assert done == Done(XcryptStatus.OK, src + 48, DATA_AT + 4 * PAGE_BYTES + 48, 0, 0)
        left = memory.read(dst, length)
        ended = next((at for at in range(0, length, 16) if left[at:at + 16] != whole[at:at + 16]), length)
        assert left == whole[:ended] + before[ended:]
        memory.expect(dst, left)
        memory.check()
        written.add(ended)
    assert any(0 < ended < length for ended in written), "no reset came in the middle"


@cocotb.test(**LIMIT)
@cocotb.parametrize(rate=RATES)
async def an_interrupted_request_goes_on_from_its_pointers(dut, rate):
    engine = await Engine.start(dut)
    numbers, memory, key = engine.numbers, engine.memory, bytes(range(100, 116))
    memory.hold_back(numbers, rate)
    engine.load_key(key, decrypt=True, expanded=False)
    src, dst = DATA_AT + 48, DATA_AT + 8 * PAGE_BYTES
    interrupted = 0
    for _ in range(10):
        memory.write(dst, numbers.randbytes(50 * 16))
        memory.expect(dst, transform(key, memory.read(src, 50 * 16), decrypt=True))
        left = Done(XcryptStatus.INTERRUPTED, src, dst, 50, 0)
        while left.count:
            await within(LONGEST, engine.post(left.src, left.dst, left.count))
            await engine.cycles(numbers.randrange(50, 900))
            await engine.pulse("irq")
            left = await within(LONGEST, engine.done())
            assert (left.status is XcryptStatus.INTERRUPTED) == (left.count > 0)
            interrupted += left.count > 0
        memory.check()
    assert interrupted
