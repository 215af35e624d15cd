"""Scenes for the QCE: the same steps on the RTL and on the model, and what each side saw.

A scene is a list of steps, plain data. ``play`` carries it out on a side and returns a log: of every access
its outcome and the cycles at which it began and ended, when the interrupt was seen, and what is in memory.
Two sides agree when their logs are equal.
"""

from __future__ import annotations

import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.power import make_kernel, power_on
from cocotb_tests.env.qce_port import INPUTS, QcePort
from cocotb_tests.scenes import Protect, Write, play
from pymodel.engines.ports import RegisterAccess, RegisterPort
from pymodel.engines.qce_model import ALL_QUIRKS, QceModel
from pymodel.engines.qce_registers import STATUS_ENCR_BUSY, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

STAGES = int(os.environ.get("ECBENCH_STAGES", "1"))
"""With which qce_top has been built."""
SEEN = (slice(0, 1 << 18), slice(-(1 << 14), None))
"""The parts of memory that are compared after each scene: where random requests go, and the end."""
READ_OUT = tuple(RegisterAccess(register) for register in (
    Register.STATUS, Register.STATUS2, Register.CYCLES, Register.BYTES_DONE, Register.FAULT,
    Register.FAULT_ADDRESS, Register.SRC_CURRENT, Register.DST_CURRENT))
"""What tells how a request stands."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Straps of the engine (they take effect at a reset) and of the memory (at once)."""

    quirks: Quirk = ALL_QUIRKS
    slow_start_cycles: int = 4
    read_latency: int = 1
    write_latency: int = 1
    read_error: int | None = None
    """Address whose read is answered with a bus error."""
    write_error: int | None = None


class Side(ABC):
    """One of the two worlds."""

    kernel: Kernel
    memory: HostMemory
    port: RegisterPort

    @abstractmethod
    def set(self, setting: Setting) -> None:
        """Straps that take effect at the next reset, and what the memory does from now on."""


class ModelSide(Side):
    def __init__(self, size: int, setting: Setting) -> None:
        self.kernel = Kernel()
        self.memory = HostMemory(size)
        self.port = self.model = QceModel(self.kernel, self.memory, quirks=setting.quirks,
                                          slow_start_cycles=setting.slow_start_cycles, stages=STAGES)
        self.set(setting)

    def set(self, setting: Setting) -> None:
        for name in ("quirks", "slow_start_cycles", "read_latency", "write_latency"):
            setattr(self.model, name, getattr(setting, name))
        for errors, address in ((self.model.read_bus_errors, setting.read_error),
                                (self.model.write_bus_errors, setting.write_error)):
            errors.clear()
            if address is not None:
                errors.add(address)

    def play(self, scene: Sequence[Step]) -> list[Any]:
        return self.kernel.run(play(self, scene))


class _NoWitness:
    """These tests compare for themselves."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


class _Port(QcePort):
    """Memory moves only where a scene says so: between requests."""

    def _sync(self) -> None:
        pass


class RtlSide(Side):
    """``qce_top`` after power-on. Made by ``start``."""

    def __init__(self, dut: Any, setting: Setting) -> None:
        self.dut = dut
        self.kernel = make_kernel(dut)
        self.memory = mirror = MirrorMemory(dut)
        self.port = _Port(dut, self.kernel, mirror, _NoWitness(), quirks=setting.quirks)
        mirror.in_flight = lambda: bool(int(dut.busy.value))

    @classmethod
    async def start(cls, dut: Any, setting: Setting) -> RtlSide:
        await power_on(dut, INPUTS, _inputs(setting))
        return cls(dut, setting)

    def set(self, setting: Setting) -> None:
        self.port.quirks = setting.quirks
        for name, value in _inputs(setting).items():
            getattr(self.dut, name).value = value

    async def play(self, scene: Sequence[Step]) -> list[Any]:
        return await self.kernel.drive(play(self, scene))

    def violations(self) -> tuple[int, int]:
        """How many, and the code of the first."""
        return int(self.dut.axi_violations.value), int(self.dut.axi_first_violation.value)


def _inputs(setting: Setting) -> dict[str, int]:
    """Every input of ``qce_top`` that a setting names."""
    inputs = {name: getattr(setting, name) for name in ("slow_start_cycles", "read_latency", "write_latency")}
    addresses = (setting.read_error, setting.write_error)
    chosen = {address for address in addresses if address is not None}
    if len(chosen) > 1:
        raise ValueError("the memory has one address for bus errors")
    enable = sum((address is not None) << bit for bit, address in enumerate(addresses))
    return {**inputs, "quirk": int(setting.quirks), "bus_error_enable": enable,
            "bus_error_address": max(chosen, default=0)}


# -- what masters do ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Script:
    """Accesses of one master, ``gap`` cycles after what it did before."""

    accesses: tuple[RegisterAccess, ...]
    master: int = 0
    gap: int = 0

    async def act(self, side: Side) -> Any:
        try:
            return await side.port.script(self.accesses, self.master)
        except EngineFault as fault:
            return str(fault)


@dataclass(frozen=True, slots=True)
class Reset:
    gap: int = 0

    async def act(self, side: Side) -> Any:
        await side.port.reset()
        return "reset"


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Wait for the interrupt, so many cycles at most."""

    timeout: int
    gap: int = 0

    async def act(self, side: Side) -> Any:
        return await side.port.irq.wait(self.timeout)


Action = Script | Reset | Interrupt


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
            log.append(("reset", side.kernel.now() - started))


@dataclass(frozen=True, slots=True)
class Act:
    """``tracks``: what several masters do at the same time. At the end the engine is read out, reset if it
    is still busy or ``reset`` says so, and memory is compared."""

    tracks: tuple[tuple[Action, ...], ...]
    reset: bool = False

    async def play(self, side: Side, log: list[Any]) -> None:
        side.memory.sync()
        started = side.kernel.now()
        tasks = [side.kernel.start(self._follow(side, track, started), f"track {number}")
                 for number, track in enumerate(self.tracks)]
        for task in tasks:
            log.append(await task.join())
        found = await side.port.script(READ_OUT)
        log.append((found, side.port.irq.is_set(), side.kernel.now() - started))
        if self.reset or STATUS_ENCR_BUSY.get(found[0]):
            await side.port.reset()
            log.append(("reset", side.kernel.now() - started, await side.port.script(READ_OUT)))
        side.memory.sync()
        log.append([zlib.crc32(side.memory.bytes[part]) for part in SEEN])

    async def _follow(self, side: Side, track: Sequence[Action], started: int) -> list[Any]:
        log = []
        for action in track:
            await side.kernel.sleep(action.gap)
            began = side.kernel.now() - started
            outcome = await action.act(side)
            log.append((began, side.kernel.now() - started, outcome, side.port.irq.is_set()))
        return log


Step = Write | Protect | Set | Act
