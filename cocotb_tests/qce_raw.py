"""qce_top without the bench: scripts of register accesses, its memory, and one request as registers."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge, ValueChange
from cocotb.utils import get_sim_time

from cocotb_tests.env.power import PERIOD_NS, power_on
from pymodel.engines.qce import Descriptor, encode_list, key_words
from pymodel.engines.qce_registers import (
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_ENCODE,
    ENCR_SEG_CFG_KEY_SIZE,
    FAULT_ACCESS,
    FAULT_KIND,
    GOPROC_GO,
    GOPROC_RESULTS_DUMP,
    SOFT_RESET_RESET,
    STATUS_CRYPTO_STATE,
    STATUS_ENCR_BUSY,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    STATUS_SW_ERR,
    CryptoState,
    FaultAccess,
    FaultKind,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.golden.modes import ecb_encrypt
from pymodel.memory import LINE_BYTES

AES = 2
KEY = bytes(range(16))
SOURCE_LIST, DESTINATION_LIST = 0x2000, 0x2400
SOURCE, TARGET = 0x1_0000, 0x2_0000
BLOCK, UNIT, DUMP = 16, 512, 128
"""Bytes."""
DONE = STATUS_OPERATION_DONE.mask | STATUS_OP_DONE_INTR.mask
SW_ERR = STATUS_SW_ERR.mask | STATUS_ERR_INTR.mask
ALL_QUIRKS = Quirk.all()
HANGS = Quirk.LENGTH_512_HANG | Quirk.ZERO_LENGTH_HANG | Quirk.PARTIAL_BLOCK_HANG

Access = tuple[Register | int, int | None]
"""An address, and what is written or None for a read."""


@dataclass
class Answer:
    """``done``: accesses answered, the refused one included."""

    refused: bool
    done: int
    values: list[int]
    cycles: int
    """Between the falling edges at which it was posted and at which its end is seen."""


@dataclass
class Request:
    """The registers of one request, and its lists."""

    size: int
    source: Sequence[Descriptor]
    destination: Sequence[Descriptor]
    key: bytes = KEY
    encrypt: bool = True
    dump: bool = False
    changes: dict[Register, int] = field(default_factory=dict)
    """Registers that are to hold something else than they should."""

    def registers(self) -> list[Access]:
        """All but the doorbells and GO."""
        config = (ENCR_SEG_CFG_ALG.put(AES) | ENCR_SEG_CFG_KEY_SIZE.put((len(self.key) - 16) // 8)
                  | ENCR_SEG_CFG_ENCODE.put(self.encrypt))
        values = {Register.ENCR_SEG_CFG: config, Register.ENCR_SEG_SIZE: self.size,
                  Register.SEG_SIZE: self.size, Register.ENCR_SEG_START: 0} | self.changes
        keys = [(Register(Register.ENCR_KEY0 + 4 * index), word)
                for index, word in enumerate(key_words(self.key))]
        return [*keys, *values.items()]

    def go(self) -> Access:
        return Register.GOPROC, GOPROC_GO.mask | (GOPROC_RESULTS_DUMP.mask if self.dump else 0)


def one(size: int, room: int | None = None, **more: Any) -> Request:
    """A request with a descriptor on each side; ``room``: bytes of the destination's, else just enough."""
    whole = -(-size // BLOCK) * BLOCK
    return Request(size, [Descriptor(SOURCE, whole)],
                   [Descriptor(TARGET, whole if room is None else room)], **more)


class RawQce:
    """Everything happens at falling edges, like everything that Python does to a top."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut

    @classmethod
    async def start(cls, dut: Any, *, quirks: Quirk = ALL_QUIRKS, slow_start_cycles: int = 0,
                    read_latency: int = 1, write_latency: int = 1) -> RawQce:
        await power_on(dut, ("script", "script_post", "second", "slow_start_cycles"),
                       {"quirk": int(quirks), "slow_start_cycles": slow_start_cycles,
                        "read_latency": read_latency, "write_latency": write_latency})
        dut.ram.page_no_read.value = dut.ram.page_no_write.value = 0
        return cls(dut)

    # -- registers -----------------------------------------------------------------------------------

    def post(self, accesses: Sequence[Access], master: int = 0, privileged: bool = False) -> int:
        """Post a script and return; the cycle of the falling edge."""
        packed = sum(((value is not None) << 48 | address << 32 | (value or 0)) << 49 * index
                     for index, (address, value) in enumerate(accesses))
        self.dut.script.value = packed
        toggle = 1 ^ int(self.dut.script_post.value) >> 9
        self.dut.script_post.value = toggle << 9 | (master << 1 | privileged) << 6 | len(accesses)
        return cycle()

    async def answered(self, posted: int) -> Answer:
        """The end of the script that was posted in that cycle."""
        await ValueChange(self.dut.script_event)
        await FallingEdge(self.dut.clk)
        result = int(self.dut.script_result.value)
        done = result >> 1024 & 0x3F
        return Answer(bool(result >> 1030), done, [result >> 32 * k & 0xFFFFFFFF for k in range(done)],
                      cycle() - posted)

    async def script(self, accesses: Sequence[Access], master: int = 0, privileged: bool = False) -> Answer:
        return await self.answered(self.post(accesses, master, privileged))

    def post_second(self, address: int, value: int | None, master: int = 1) -> None:
        toggle = 1 ^ int(self.dut.second.value) >> 52
        self.dut.second.value = (toggle << 52 | master << 50 | (value is not None) << 48 | address << 32
                                 | (value or 0))

    async def read(self, address: int) -> int:
        answer = await self.script([(address, None)])
        assert not answer.refused, hex(address)
        return answer.values[0]

    async def refuses(self, address: int, value: int | None, master: int = 0) -> bool:
        return (await self.script([(address, value)], master)).refused

    async def write(self, address: int, value: int, master: int = 0) -> None:
        assert not await self.refuses(address, value, master), hex(address)

    async def reset(self) -> int:
        """By a privileged write; the cycles it took."""
        answer = await self.script([(Register.SOFT_RESET, SOFT_RESET_RESET.mask)], privileged=True)
        assert not answer.refused
        return answer.cycles

    # -- requests ------------------------------------------------------------------------------------

    def place_lists(self, request: Request) -> list[Access]:
        """Put the lists into memory; the accesses that ring their doorbells."""
        self.store(SOURCE_LIST, encode_list(request.source))
        self.store(DESTINATION_LIST, encode_list(request.destination))
        return [(Register.SRC_LIST_ADDRESS, SOURCE_LIST),
                (Register.SRC_LIST_LENGTH, len(request.source)),
                (Register.SRC_DOORBELL, 1),
                (Register.DST_LIST_ADDRESS, DESTINATION_LIST),
                (Register.DST_LIST_LENGTH, len(request.destination)),
                (Register.DST_DOORBELL, 1)]

    async def begin(self, request: Request) -> None:
        """With the interrupt of its success and of its failure unmasked."""
        setup = [(Register.CONFIG, 0), *request.registers(), *self.place_lists(request), request.go()]
        answer = await self.script(setup)
        assert not answer.refused, setup[answer.done - 1]

    async def end(self, limit: int = 100_000) -> None:
        """Until the interrupt. Raises AssertionError after ``limit`` cycles."""
        last = cycle() + limit
        while not int(self.dut.irq.value):
            assert cycle() < last, f"no interrupt, state {await self.state()!r}"
            await RisingEdge(self.dut.clk)
            await FallingEdge(self.dut.clk)

    async def run(self, request: Request) -> int:
        """Begin and end it; its STATUS."""
        await self.begin(request)
        await self.end()
        return await self.read(Register.STATUS)

    async def settle(self, request: Request, cycles: int = 1000) -> CryptoState:
        """Begin it; the state in which it is after so many cycles."""
        await self.begin(request)
        await self.idle(cycles)
        return await self.state()

    async def state(self) -> CryptoState:
        """While busy, and IDLE else."""
        status = await self.read(Register.STATUS)
        state = CryptoState(STATUS_CRYPTO_STATE.get(status))
        assert (state != CryptoState.IDLE) == STATUS_ENCR_BUSY.get(status)
        return state

    # -- memory --------------------------------------------------------------------------------------

    def store(self, address: int, data: bytes) -> None:
        for line, old in self._lines(address, len(data)):
            start = max(address - line * LINE_BYTES, 0)
            taken = data[max(line * LINE_BYTES - address, 0):][:LINE_BYTES - start]
            new = old[:start] + taken + old[start + len(taken):]
            self.dut.ram.mem[line].value = int.from_bytes(new, "little")

    def load(self, address: int, length: int) -> bytes:
        lines = list(self._lines(address, length))
        start = address - lines[0][0] * LINE_BYTES
        return b"".join(old for _, old in lines)[start:start + length]

    def _lines(self, address: int, length: int) -> Iterable[tuple[int, bytes]]:
        for line in range(address // LINE_BYTES, -(-(address + length) // LINE_BYTES)):
            yield line, int(self.dut.ram.mem[line].value).to_bytes(LINE_BYTES, "little")

    async def fault(self) -> tuple[FaultKind, FaultAccess, int]:
        """FAULT and FAULT_ADDRESS."""
        word = await self.read(Register.FAULT)
        return (FaultKind(FAULT_KIND.get(word)), FaultAccess(FAULT_ACCESS.get(word)),
                await self.read(Register.FAULT_ADDRESS))

    async def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)

    async def check_alive(self) -> None:
        """It does a request, and no rule of either bus has been broken."""
        text = data(99, 3 * BLOCK)
        self.store(SOURCE, text)
        assert await self.run(one(3 * BLOCK)) == DONE
        assert self.load(TARGET, 3 * BLOCK) == ecb_encrypt(KEY, text)
        self.check()

    def check(self) -> None:
        """No rule of either bus has been broken."""
        assert (int(self.dut.axi_violations.value), int(self.dut.axi_first_violation.value)) == (0, 0)


def cycle() -> int:
    """Number of the clock cycle."""
    return int(get_sim_time("ns")) // PERIOD_NS


def data(seed: int, length: int) -> bytes:
    return random.Random(seed).randbytes(length)
