"""Endpoints that nobody of this project wrote: the AXI memory and register master of cocotbext-axi.

They read the rules of the bus independently of our memory, our adapter and our checker, and hold back on
every channel as their own pause generators say.
"""

from __future__ import annotations

import itertools
import logging
import random
import warnings
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.|cocotb_bus\.")

PERIOD_NS = 10
PAGE_BYTES = 4096
LIMIT: dict[str, Any] = {"timeout_time": 3, "timeout_unit": "ms"}
"""Of each test; several times what the longest one takes."""
RATES = (0.0, 0.3, 0.8)
"""Parts of all cycles in which a channel is held back."""


class Pages:
    """Memory of ``size`` bytes at address 0, in an address space of 32 bits. An access outside of it or to a
    closed page fails, which the foreign endpoint answers with SLVERR."""

    def __init__(self, size: int) -> None:
        self.bytes = bytearray(size)
        self.closed: set[int] = set()
        """Numbers of pages."""

    def __len__(self) -> int:
        return 1 << 32

    def __getitem__(self, place: slice) -> bytearray:
        return self.bytes[self._allowed(place)]

    def __setitem__(self, place: slice, data: bytes) -> None:
        place = self._allowed(place)
        if len(data) != place.stop - place.start:
            raise ValueError("a write that is not as long as its place")
        self.bytes[place] = data

    def _allowed(self, place: slice) -> slice:
        if place.stop > len(self.bytes) or place.start // PAGE_BYTES in self.closed:
            raise IndexError(f"no memory at {place.start:#x}")
        return place


class ForeignMemory:
    """An AxiRam at ``m_axi`` over ``Pages``, and what should be in it: ``expect`` says what an engine is to
    write, ``check`` compares every byte of the memory."""

    def __init__(self, dut: Any, size: int, numbers: random.Random) -> None:
        self.pages = Pages(size)
        self.pages.bytes[:] = numbers.randbytes(size)
        self.expected = bytearray(self.pages.bytes)
        self._ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, mem=self.pages)
        _quieten(self._ram.write_if, self._ram.read_if)
        write, read = self._ram.write_if, self._ram.read_if
        self.channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)

    def hold_back(self, numbers: random.Random, rate: float, *channels: Any) -> None:
        """These channels or all, for a random part ``rate`` of the cycles from now on."""
        hold_back(channels or self.channels, numbers, rate)

    def write(self, address: int, data: bytes) -> None:
        """By the host, past the bus."""
        for place in (self.pages.bytes, self.expected):
            place[address:address + len(data)] = data

    def read(self, address: int, length: int) -> bytes:
        return bytes(self.pages.bytes[address:address + length])

    def expect(self, address: int, data: bytes) -> None:
        self.expected[address:address + len(data)] = data

    def check(self) -> None:
        """Raises: AssertionError, with the first wrong byte."""
        if self.pages.bytes != self.expected:
            pairs = enumerate(zip(self.pages.bytes, self.expected, strict=True))
            wrong = next(address for address, (seen, wanted) in pairs if seen != wanted)
            seen, wanted = self.read(wrong, 16).hex(), bytes(self.expected[wrong:wrong + 16]).hex()
            raise AssertionError(f"memory at {wrong:#x}: {seen}, should be {wanted}")


class Outstanding:
    """Counts what the bus at ``m_axi`` owes: beats of reads, and answers to writes."""

    def __init__(self, dut: Any) -> None:
        self.beats = 0
        self.answers = 0
        self._dut = dut
        cocotb.start_soon(self._watch())

    def idle(self) -> bool:
        return self.beats == self.answers == 0

    async def _watch(self) -> None:
        dut = self._dut
        while True:
            await RisingEdge(dut.clk)
            if self._taken("ar"):
                self.beats += int(dut.m_axi_arlen.value) + 1
            self.beats -= self._taken("r")
            self.answers += self._taken("aw") - self._taken("b")

    def _taken(self, channel: str) -> bool:
        valid, ready = (getattr(self._dut, f"m_axi_{channel}{name}") for name in ("valid", "ready"))
        return bool(int(valid.value) and int(ready.value))


def register_master(dut: Any) -> AxiLiteMaster:
    """An AxiLiteMaster at ``s_axil``."""
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    _quieten(master.write_if, master.read_if)
    return master


def register_channels(master: AxiLiteMaster) -> tuple[Any, ...]:
    write, read = master.write_if, master.read_if
    return write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel


def hold_back(channels: tuple[Any, ...], numbers: random.Random, rate: float) -> None:
    """For a random part ``rate`` of the cycles from now on, of each channel by itself."""
    for channel in channels:
        channel.clear_pause_generator()
        channel.pause = False
        if rate:
            channel.set_pause_generator(_pauses(random.Random(numbers.random()), rate))


def _pauses(numbers: random.Random, rate: float) -> Iterator[bool]:
    return (numbers.random() < rate for _ in itertools.count())


def _quieten(*interfaces: Any) -> None:
    """They tell every burst."""
    for interface in interfaces:
        interface.log.setLevel(logging.WARNING)


def numbers_of_test(dut: Any) -> random.Random:
    """Random numbers from the seed of the regression, which is logged."""
    dut._log.info("COCOTB_RANDOM_SEED %s", cocotb.RANDOM_SEED)
    return random.Random(cocotb.RANDOM_SEED)


async def power_on(dut: Any, inputs: dict[str, int]) -> None:
    """Clock and reset. The endpoints are made after it: before, there are unknown levels on the bus."""
    for name, value in inputs.items():
        getattr(dut, name).value = value
    for name in ("arready", "rvalid", "rid", "rdata", "rresp", "rlast", "awready", "wready", "bvalid", "bid",
                 "bresp"):
        getattr(dut, f"m_axi_{name}").value = 0
    dut.rst.value = 1
    Clock(dut.clk, PERIOD_NS, "ns", impl="gpi").start()
    await ClockCycles(dut.clk, 4)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)


async def within(cycles: int, waiting: Any) -> Any:
    """The result of ``waiting``. Raises: SimTimeoutError after so many cycles."""
    return await with_timeout(waiting, cycles * PERIOD_NS, "ns")
