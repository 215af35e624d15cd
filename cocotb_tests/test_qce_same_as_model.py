"""The QCE against its transaction-level model: data, registers, refusals, interrupt, dump and every cycle.

No driver: raw register accesses, the same scene on both sides, equal logs.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import numpy as np

from cocotb_tests.qce_random import RandomScenes
from cocotb_tests.qce_scenes import ModelSide, RtlSide, Setting, Step

EFFORT = float(os.environ.get("ECBENCH_EFFORT", "1"))
"""Scales the number of random scenes."""


def generator(dut: Any, name: str) -> random.Random:
    """Random numbers of one test, from the seed of the regression, which is logged."""
    dut._log.info("%s: COCOTB_RANDOM_SEED %s", name, cocotb.RANDOM_SEED)
    return random.Random(f"{cocotb.RANDOM_SEED} {name}")


class Pair:
    """Both sides after power-on. ``agree`` plays a scene on both, ``finish`` judges memory and buses."""

    def __init__(self, rtl: RtlSide, model: ModelSide) -> None:
        self.rtl = rtl
        self.model = model

    @classmethod
    async def start(cls, dut: Any, setting: Setting) -> Pair:
        rtl = await RtlSide.start(dut, setting)
        return cls(rtl, ModelSide(rtl.memory.size, setting))

    async def agree(self, scene: list[Step]) -> list[Any]:
        observed = await self.rtl.play(scene)
        expected = self.model.play(scene)
        for seen, wanted in zip(observed, expected, strict=True):
            assert seen == wanted, f"RTL {seen}, model {wanted}"
        return observed

    def finish(self) -> None:
        assert np.array_equal(self.rtl.memory.bytes, self.model.memory.bytes)
        assert self.rtl.violations() == (0, 0)


@cocotb.test()
@cocotb.parametrize(part=[0, 1, 2])
async def random_requests_agree_in_data_registers_interrupt_and_cycles(dut, part):
    numbers = generator(dut, f"random requests {part}")
    pair = await Pair.start(dut, Setting())
    scenes = RandomScenes(numbers, pair.rtl.memory.size)
    for _ in range(round(12 * EFFORT)):
        await pair.agree(scenes.scene(requests=10))
    pair.finish()
