"""The bare QCE between the register master and the memory of cocotbext-axi: a driver of a few lines."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cocotb.triggers import Event, FallingEdge

from cocotb_tests.foreign import (
    PAGE_BYTES,
    ForeignMemory,
    hold_back,
    numbers_of_test,
    power_on,
    register_channels,
    register_master,
    within,
)
from pymodel import golden
from pymodel.engines import qce_registers as q
from pymodel.engines.qce_registers import CryptoState, KeySize, Register
from pymodel.engines.quirks import Quirk

SIZE = 64 * PAGE_BYTES
LISTS_AT = {"SRC": PAGE_BYTES, "DST": 2 * PAGE_BYTES}
SRC_AT, DST_AT = 4 * PAGE_BYTES, 32 * PAGE_BYTES
"""Where sources and destinations lie, up to half of the memory each."""
LOCK, UNLOCK = 1 << 10, 1 << 9
DUMP_BYTES = 128
LONGEST = 20_000
"""Cycles that anything may take, at the highest rate of pauses."""
KEY_SIZES = {16: KeySize.AES128, 24: KeySize.AES192, 32: KeySize.AES256}
UNMASKED = q.CONFIG_MASK_DIN_INTR.mask | q.CONFIG_MASK_DOUT_INTR.mask
DONE = q.STATUS_OPERATION_DONE.mask | q.STATUS_OP_DONE_INTR.mask

OKAY, SLVERR = 0, 2
SECURE, PRIVILEGED, NONSECURE = 0, 1, 2
"""Bits of AWPROT. NONSECURE makes it the second master."""

Pieces = Sequence[tuple[int, int]]
"""Of a list: address and size in bytes of each descriptor."""


class Refused(Exception):
    """SLVERR."""


@dataclass(frozen=True)
class Request:
    """ECB of ``length`` bytes. A list may be longer than that. ``flags``: of the first source descriptor."""

    key: bytes
    length: int
    source: Pieces
    destination: Pieces
    decrypt: bool = False
    dump: bool = False
    flags: int = 0
    counters: tuple[int, int, int, int] = field(default=(0, 0, 0, 0))

    @property
    def setup(self) -> dict[Register, int]:
        """What is written before the doorbells, by register."""
        config = (q.ENCR_SEG_CFG_ALG.put(q.Alg.AES) | q.ENCR_SEG_CFG_MODE.put(q.Mode.ECB)
                  | q.ENCR_SEG_CFG_KEY_SIZE.put(KEY_SIZES[len(self.key)])
                  | q.ENCR_SEG_CFG_ENCODE.put(not self.decrypt))
        words = [int.from_bytes(self.key[at:at + 4], "big") for at in range(0, len(self.key), 4)]
        keys = {Register[f"ENCR_KEY{k}"]: word for k, word in enumerate(words)}
        counters = {Register[f"CNTR{k}_IV"]: word for k, word in enumerate(self.counters)}
        return {Register.STATUS: 0, Register.CONFIG: UNMASKED, **keys, **counters,
                Register.ENCR_SEG_CFG: config, Register.ENCR_SEG_SIZE: self.length,
                Register.ENCR_SEG_START: 0, Register.SEG_SIZE: self.length}

    @property
    def go(self) -> int:
        return q.GOPROC_GO.mask | q.GOPROC_RESULTS_DUMP.put(self.dump)

    def transform(self, data: bytes, key: bytes | None = None) -> bytes:
        return (golden.ecb_decrypt if self.decrypt else golden.ecb_encrypt)(key or self.key, data)


KEY = bytes(range(16))


def simple(length: int, **changes: Any) -> Request:
    """One descriptor for either side."""
    return replace(Request(KEY, length, [(SRC_AT, length)], [(DST_AT, length)]), **changes)


class Engine:
    """Made by ``start``."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.numbers = numbers_of_test(dut)
        self.memory = ForeignMemory(dut, SIZE, self.numbers)
        self.master = register_master(dut)

    @classmethod
    async def start(cls, dut: Any, quirks: Quirk | None = None, *, slow_start_cycles: int = 5) -> Engine:
        """After power-on; by default with all quirks."""
        quirks = Quirk.all() if quirks is None else quirks
        inputs = {f"s_axil_{name}": 0 for name in ("awaddr", "awprot", "awvalid", "wdata", "wstrb", "wvalid",
                                                   "bready", "araddr", "arprot", "arvalid", "rready")}
        await power_on(dut, inputs | {"quirk": int(quirks), "slow_start_cycles": slow_start_cycles})
        return cls(dut)

    def hold_back(self, rate: float) -> None:
        """On every channel of both buses."""
        self.memory.hold_back(self.numbers, rate)
        hold_back(register_channels(self.master), self.numbers, rate)

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await FallingEdge(self.dut.clk)

    # -- registers --------------------------------------------------------------------------------

    async def write(self, register: int, value: int, prot: int = SECURE) -> None:
        """Raises: Refused."""
        answer = await within(LONGEST, self.master.write(register, value.to_bytes(4, "little"), prot))
        _judge(answer.resp, register)

    async def read(self, register: int, prot: int = SECURE) -> int:
        """Raises: Refused."""
        answer = await within(LONGEST, self.master.read(register, 4, prot))
        _judge(answer.resp, register)
        return int.from_bytes(answer.data, "little")

    async def refuses(self, register: int, value: int, prot: int = SECURE) -> bool:
        """Whether a write is."""
        try:
            await self.write(register, value, prot)
        except Refused:
            return True
        return False

    async def write_all(self, values: dict[Register, int], prot: int = SECURE) -> None:
        """Without waiting for the answer of one before the next is sent. Raises: Refused."""
        events = [self.master.init_write(register, value.to_bytes(4, "little"), prot)
                  for register, value in values.items()]
        await self.answers(*events)
        for register, event in zip(values, events, strict=True):
            _judge(event.data.resp, register)

    async def snapshot(self) -> dict[Register, int]:
        """The value of every register."""
        return {register: await self.read(register) for register in Register}

    async def answers(self, *events: Event) -> None:
        """To accesses that have been sent."""
        for event in events:
            await within(LONGEST, event.wait())

    # -- requests ---------------------------------------------------------------------------------

    async def ring(self, which: str, pieces: Pieces, flags: int = 0, prot: int = SECURE) -> None:
        """Write a list into memory and have the engine read it. Raises: Refused."""
        self.write_list(which, pieces, flags)
        await self.write_all({Register[f"{which}_LIST_ADDRESS"]: LISTS_AT[which],
                              Register[f"{which}_LIST_LENGTH"]: len(pieces)}, prot)
        await self.write(Register[f"{which}_DOORBELL"], 0, prot)

    def write_list(self, which: str, pieces: Pieces, flags: int = 0) -> None:
        for number, (address, size) in enumerate(pieces):
            word = address | size << 32 | (0 if number else flags) << 48
            self.memory.write(LISTS_AT[which] + 8 * number, word.to_bytes(8, "little"))

    async def begin(self, request: Request, prot: int = SECURE) -> None:
        """Everything up to GO."""
        await self.ring("SRC", request.source, request.flags, prot)
        await self.write_all(request.setup, prot)
        await self.ring("DST", request.destination, 0, prot)
        await self.write(Register.GOPROC, request.go, prot)

    async def interrupted(self) -> None:
        """Until the interrupt line is high. Raises: SimTimeoutError."""
        await within(LONGEST, self._high())

    async def _high(self) -> None:
        while not int(self.dut.irq.value):
            await FallingEdge(self.dut.clk)

    async def finish(self, request: Request) -> None:
        """It ends well, reports so, and the interrupt can be acknowledged."""
        await self.interrupted()
        assert await self.read(Register.STATUS) == DONE
        assert await self.read(Register.BYTES_DONE) == request.length
        assert await self.read(Register.FAULT) == 0
        await self.acknowledge()

    async def acknowledge(self) -> None:
        await self.write(Register.STATUS, 0)
        assert await self.read(Register.STATUS) == 0
        assert not int(self.dut.irq.value)

    def expect(self, request: Request, *, key: bytes | None = None, dump_at: int | None = None,
               dump: bytes = b"") -> None:
        """What the request is to leave in memory."""
        result = request.transform(self.gather(request.source)[:request.length], key)
        for address, size in request.destination:
            part, result = result[:size], result[size:]
            self.memory.expect(address, part)
        assert not result, "a destination that is too short"
        if dump_at is not None:
            self.memory.expect(dump_at, dump)

    def gather(self, pieces: Pieces) -> bytes:
        return b"".join(self.memory.read(address, size) for address, size in pieces)

    async def run(self, request: Request) -> None:
        """A request without a dump, from its setup to the last byte of memory."""
        self.expect(request)
        await self.begin(request)
        await self.finish(request)
        self.memory.check()

    async def soft_reset(self, prot: int = SECURE) -> None:
        await self.write(Register.SOFT_RESET, q.SOFT_RESET_RESET.mask, prot)

    async def state(self) -> CryptoState:
        return CryptoState(q.STATUS_CRYPTO_STATE.get(await self.read(Register.STATUS)))


def _judge(answer: int, register: int) -> None:
    if answer == SLVERR:
        raise Refused(f"{register:#x}")
    assert answer == OKAY, f"{register:#x} answers {answer}"


def dump(request: Request, *, status: int, locked: bool = False) -> bytes:
    """The result dump: 32 words, each big endian."""
    words = [0] * 20 + [*request.counters, status, q.STATUS2_LOCKED.put(locked)] + [0] * 6
    return b"".join(word.to_bytes(4, "big") for word in words)


def pieces(numbers: random.Random, at: int, length: int, most: int) -> list[tuple[int, int]]:
    """A list of at most ``most`` descriptors, some of 0 bytes, that covers ``length`` bytes from ``at`` on
    with gaps in between; its parts lie anywhere in a page or across the ends of pages."""
    cuts = sorted(numbers.choices(range(length // 16 + 1), k=numbers.randrange(most)))
    bounds = [0, *cuts, length // 16]
    return list(_spread(numbers, at, [16 * (end - begin) for begin, end in itertools.pairwise(bounds)]))


def _spread(numbers: random.Random, at: int, sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    for size in sizes:
        at += 16 * numbers.choice([0, 1, 3, 100, 256])
        if numbers.random() < 0.4:
            at += -(at + 16 * numbers.randrange(size // 16 + 1)) % PAGE_BYTES  # its end, or some place in it
        yield at, size
        at += size
