"""Interrupts at every block boundary of 1 to 16 blocks, exhaustively."""

from dataclasses import replace

import pytest

from cocotb_tests.padlock_interrupts import MOST_BLOCKS, SPEC, boundaries, interrupt_everywhere
from pymodel.engines.padlock import STAGES
from pymodel.jobs import model_bench


@pytest.mark.parametrize("stages", STAGES)
def test_an_interrupt_at_any_block_boundary_costs_one_reload_and_nothing_else(stages):
    bench = model_bench(replace(SPEC, stages=stages))
    assert bench.kernel.run(interrupt_everywhere(bench)) == MOST_BLOCKS * (MOST_BLOCKS + 1) // 2
    assert {(case.blocks, case.done) for case in boundaries(stages)} == {
        (blocks, done) for blocks in range(1, MOST_BLOCKS + 1) for done in range(blocks)}


def test_so_it_is_on_rtl(run_rtl, sim):
    run_rtl("padlock_top", "cocotb_tests.test_padlock_interrupts", sim, fast=True)
