"""The QCE against its transaction-level model: data, registers, refusals, interrupt, dump and every cycle.

No driver: raw register accesses, the same scene on both sides, equal logs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb
import numpy as np

from cocotb_tests.qce_random import RandomScenes
from cocotb_tests.qce_scenes import READ_OUT, ModelSide, RtlSide, Setting, Step
from pymodel.engines.qce_course import READ_ERROR, SOFTWARE_ERROR, SUCCESS
from pymodel.engines.qce_registers import (
    FAULT_ACCESS,
    FAULT_KIND,
    STATUS_CRYPTO_STATE,
    CryptoState,
    FaultAccess,
    FaultKind,
)

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
async def random_requests_agree_in_data_registers_interrupt_and_cycles(dut):
    numbers = generator(dut, "random requests")
    pair = await Pair.start(dut, Setting())
    scenes = RandomScenes(numbers, pair.rtl.memory.size)
    told = []
    for _ in range(round(36 * EFFORT)):
        told += list(read_out(await pair.agree(scenes.scene(requests=10))))
    if EFFORT >= 1:
        assert {STATUS_CRYPTO_STATE.get(found[0]) for found in told} >= COMMON_STATES
        assert {found[0] for found in told} >= {SUCCESS, SOFTWARE_ERROR, READ_ERROR}
        assert {found[4] for found in told} >= COMMON_FAULTS
    pair.finish()


COMMON_STATES = {CryptoState.IDLE, CryptoState.RUN, CryptoState.WAIT_LISTS, CryptoState.WAIT_SOURCE,
                 CryptoState.WAIT_DESTINATION}
COMMON_FAULTS = {0, FAULT_KIND.put(FaultKind.ALIGNMENT), FAULT_KIND.put(FaultKind.BUS),
                 FAULT_KIND.put(FaultKind.ALIGNMENT) | FAULT_ACCESS.put(FaultAccess.DESTINATION)}
"""What comes up in a few hundred random requests. The others have tests of their own."""


def read_out(log: list[Any]) -> Iterator[list[int]]:
    """What was found wherever all of READ_OUT was read."""
    for entry in log:
        if isinstance(entry, tuple) and isinstance(entry[0], list):
            yield entry[0]
        elif isinstance(entry, list) and isinstance(entry[0], tuple):
            yield from (outcome for _, _, outcome, _ in entry
                        if isinstance(outcome, list) and len(outcome) == len(READ_OUT))
