"""The PadLock engine at the ends of what its operands and straps can be, against its model."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import cocotb

from cocotb_tests.padlock_scenes import Protect, Set, Setting, Write
from cocotb_tests.test_padlock_engine import DATA, DST, KEYS, SRC, Pair, key_steps, outcomes, request
from pymodel import golden
from pymodel.engines.ports import XcryptStatus
from pymodel.memory import PAGE_BYTES

LONGEST = int(os.environ.get("ECBENCH_LONGEST", "600"))
"""Blocks of the longest request."""


@cocotb.test()
async def the_longest_setup_agrees(dut):
    setting = Setting(setup_cycles=65535)
    pair = await Pair.start(dut, setting)
    log = await pair.agree([*key_steps(128, keygen=False), Write(SRC, DATA), request(1)])
    assert outcomes(log)[0].cycles > 65535
    pair.finish()


@cocotb.test()
async def a_count_that_no_memory_has_room_for_ends_in_the_first_fault(dut):
    """Rounded up to a fetch group it does not fit in 32 bits."""
    pair = await Pair.start(dut, Setting())
    page = SRC + PAGE_BYTES
    scene = [*key_steps(128, keygen=False), Write(SRC, DATA), Protect(page, False, False)]
    for fetch_blocks in (1, 2, 4, 8):
        scene.append(Set(replace(Setting(), fetch_blocks=fetch_blocks), reset=True))
        scene += [request(count, src=page - 5 * 16) for count in (0xFFFF_FFFF, 0xFFFF_FFFE)]
    for result in outcomes(await pair.agree(scene)):
        assert (result.status, result.address) == (XcryptStatus.READ_PAGE_FAULT, page)
    pair.finish()


@cocotb.test()
async def a_request_as_long_as_the_test_allows_is_done_to_its_last_block(dut):
    pair = await Pair.start(dut, Setting())
    data = random.Random(2).randbytes(16 * LONGEST)
    log = await pair.agree([*key_steps(128, keygen=False), Write(DST, data), request(LONGEST, src=DST)])
    assert outcomes(log)[0].src == DST + 16 * LONGEST
    assert pair.rtl.memory.read(DST, len(data)) == golden.ecb_encrypt(KEYS[128], data)
    pair.finish()
