"""The QCE against its transaction-level model: data, registers, refusals, interrupt, dump and every cycle.

No driver: raw register accesses, the same scene on both sides, equal logs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import cocotb

from cocotb_tests import scenes
from cocotb_tests.qce_random import RandomScenes
from cocotb_tests.qce_scenes import READ_OUT, ModelSide, RtlSide, Setting
from cocotb_tests.scenes import generator
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


class Pair(scenes.Pair):
    """Of the QCE."""

    RTL, MODEL = RtlSide, ModelSide


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
