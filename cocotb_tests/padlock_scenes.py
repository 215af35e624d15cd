"""Scenes for the PadLock engine: the same steps on the RTL and on the model, and what each side saw.

A scene is a list of steps, plain data. ``play`` carries it out on a side and returns a log: of every
request its outcome, the cycle at which it was seen, and what it left in memory. Two sides agree
when their logs are equal.
"""

from __future__ import annotations

import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.padlock_port import INPUTS, PadlockPort
from cocotb_tests.env.power import make_kernel, power_on
from cocotb_tests.scenes import Protect, Write, play
from pymodel.engines.padlock_model import ALL_QUIRKS, PadlockModel
from pymodel.engines.ports import EngineReset, Xcrypt, XcryptPort, XcryptResult
from pymodel.engines.quirks import Quirk
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

STAGES = int(os.environ.get("ECBENCH_STAGES", "1"))
"""With which padlock_top has been built."""
SEEN = (slice(0, 1 << 18), slice(-(1 << 14), None))
"""The parts of memory that are compared after each request: where random requests go, and the end."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Straps of the engine (they take effect at a reset) and of the memory (at once)."""

    quirks: Quirk = ALL_QUIRKS
    fetch_blocks: int = 2
    setup_cycles: int = 8
    read_latency: int = 1
    write_latency: int = 1
    read_error: int | None = None
    """Address whose read is answered with a bus error."""
    write_error: int | None = None
    stall_seed: int = 0
    stall_mask: int = 31
    stall_rate: int = 0


class Side(ABC):
    """One of the two worlds."""

    kernel: Kernel
    memory: HostMemory
    port: XcryptPort

    @abstractmethod
    def set(self, setting: Setting) -> None:
        """Straps that take effect at the next reset, and what the memory does from now on."""

    def exact(self) -> bool:
        """Whether cycles mean anything."""
        return True


class ModelSide(Side):
    def __init__(self, size: int, setting: Setting) -> None:
        self.kernel = Kernel()
        self.memory = HostMemory(size)
        self.model = PadlockModel(self.kernel, self.memory, quirks=setting.quirks,
                                  fetch_blocks=setting.fetch_blocks, setup_cycles=setting.setup_cycles,
                                  stages=STAGES)
        self.port = self.model
        self.set(setting)

    def set(self, setting: Setting) -> None:
        for name in ("quirks", "fetch_blocks", "setup_cycles", "read_latency", "write_latency"):
            setattr(self.model, name, getattr(setting, name))
        for errors, address in ((self.model.read_bus_errors, setting.read_error),
                                (self.model.write_bus_errors, setting.write_error)):
            errors.clear()
            if address is not None:
                errors.add(address)

    def play(self, scene: Sequence[Step]) -> list[Any]:
        return self.kernel.run(play(self, scene))


class _NoPredictor:
    """These tests compare for themselves."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


class RtlSide(Side):
    """``padlock_top`` after power-on. Made by ``start``."""

    def __init__(self, dut: Any, setting: Setting) -> None:
        self.dut = dut
        self.kernel = make_kernel(dut)
        self.memory = mirror = MirrorMemory(dut)
        self.port = PadlockPort(dut, self.kernel, mirror, _NoPredictor(), quirks=setting.quirks,
                                fetch_blocks=setting.fetch_blocks)

    @classmethod
    async def start(cls, dut: Any, setting: Setting) -> RtlSide:
        await power_on(dut, INPUTS, _inputs(setting))
        return cls(dut, setting)

    def set(self, setting: Setting) -> None:
        self.port.quirks, self.port.fetch_blocks = setting.quirks, setting.fetch_blocks
        for name, value in _inputs(setting).items():
            getattr(self.dut, name).value = value

    def exact(self) -> bool:
        return not int(self.dut.stall_seed.value)

    async def play(self, scene: Sequence[Step]) -> list[Any]:
        return await self.kernel.drive(play(self, scene))

    def violations(self) -> tuple[int, int]:
        """How many, and the code of the first."""
        return int(self.dut.axi_violations.value), int(self.dut.axi_first_violation.value)


def _inputs(setting: Setting) -> dict[str, int]:
    """Every input of ``padlock_top`` that a setting names."""
    inputs = {name: int(getattr(setting, name))
              for name in ("fetch_blocks", "setup_cycles", "read_latency", "write_latency", "stall_seed",
                           "stall_mask", "stall_rate")}
    addresses = (setting.read_error, setting.write_error)
    chosen = {address for address in addresses if address is not None}
    if len(chosen) > 1:
        raise ValueError("the memory has one address for bus errors")
    enable = sum((address is not None) << bit for bit, address in enumerate(addresses))
    return {**inputs, "quirk": int(setting.quirks), "bus_error_enable": enable,
            "bus_error_address": max(chosen, default=0)}


# -- steps --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Set:
    """New straps, with ``reset`` also for the engine."""

    setting: Setting
    reset: bool = False

    async def play(self, side: Side, log: list[Any]) -> None:
        side.set(self.setting)
        if self.reset:
            started = side.kernel.now()
            await side.port.reset()
            log.append(("reset", side.kernel.now() - started, await side.port.key_loaded()))


@dataclass(frozen=True, slots=True)
class Request:
    """One xcrypt, ``gap`` cycles after the step before. ``actions``: (cycles after posting, what), ascending;
    what is ``interrupt``, ``load_flags``, ``key_loaded`` or ``reset``."""

    op: Xcrypt
    actions: tuple[tuple[int, str], ...] = ()
    gap: int = 0

    async def play(self, side: Side, log: list[Any]) -> None:
        await side.kernel.sleep(self.gap)
        started = side.kernel.now()
        task = side.kernel.start(self._outcome(side, started), "request")
        for at, what in self.actions:
            await side.kernel.sleep(started + at - side.kernel.now())
            seen = await getattr(side.port, what)()
            if side.exact():
                log.append((what, side.kernel.now() - started, seen))
        log.append(await task.join())
        side.memory.sync()
        log.append([zlib.crc32(side.memory.bytes[part]) for part in SEEN])

    async def _outcome(self, side: Side, started: int) -> Any:
        try:
            result = await side.port.xcrypt(self.op)
        except EngineReset:
            return self.op, "abandoned", side.kernel.now() - started
        ended = side.kernel.now() - started if side.exact() else 0
        return self.op, comparable(side, result), ended, await side.port.key_loaded()


Step = Write | Protect | Set | Request


def comparable(side: Side, result: XcryptResult) -> XcryptResult:
    return result if side.exact() else replace(result, cycles=0)
