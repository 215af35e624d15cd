"""Scenes: steps that are played on the RTL and on the model alike, and the comparison of what came of them.

The steps that every engine has are here; an engine's own are in its ``*_scenes`` module.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import cocotb
import numpy as np

from pymodel.memory import HostMemory


def generator(dut: Any, name: str) -> random.Random:
    """Random numbers of one test, from the seed of the regression, which is logged."""
    dut._log.info("%s: COCOTB_RANDOM_SEED %s", name, cocotb.RANDOM_SEED)
    return random.Random(f"{cocotb.RANDOM_SEED} {name}")


class Side(Protocol):
    """One of the two worlds, as far as the steps here go."""

    memory: HostMemory


class Step(Protocol):
    """``play`` adds to ``log`` what both worlds must agree in."""

    async def play(self, side: Any, log: list[Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Write:
    """The host writes."""

    address: int
    data: bytes

    async def play(self, side: Side, log: list[Any]) -> None:
        side.memory.write(self.address, self.data)


@dataclass(frozen=True, slots=True)
class Protect:
    """Access rights of the page at ``address``."""

    address: int
    readable: bool
    writable: bool

    async def play(self, side: Side, log: list[Any]) -> None:
        side.memory.protect(self.address, 1, readable=self.readable, writable=self.writable)


async def play(side: Any, scene: Sequence[Step]) -> list[Any]:
    log: list[Any] = []
    for step in scene:
        await step.play(side, log)
    return log


class Pair:
    """Both sides after power-on. ``agree`` plays a scene on both, ``finish`` judges memory and buses."""

    RTL: ClassVar[Any]
    MODEL: ClassVar[Any]

    def __init__(self, rtl: Any, model: Any) -> None:
        self.rtl = rtl
        self.model = model

    @classmethod
    async def start(cls, dut: Any, setting: Any) -> Pair:
        rtl = await cls.RTL.start(dut, setting)
        return cls(rtl, cls.MODEL(rtl.memory.size, setting))

    async def agree(self, scene: Sequence[Step]) -> list[Any]:
        observed = await self.rtl.play(scene)
        expected = self.expected(scene)
        for seen, wanted in zip(observed, expected, strict=True):
            assert seen == wanted, f"RTL {seen}, model {wanted}"
        return observed

    def expected(self, scene: Sequence[Step]) -> list[Any]:
        """What the model makes of a scene that the RTL has played."""
        return self.model.play(scene)

    def finish(self) -> None:
        assert np.array_equal(self.rtl.memory.bytes, self.model.memory.bytes)
        assert self.rtl.violations() == (0, 0)
