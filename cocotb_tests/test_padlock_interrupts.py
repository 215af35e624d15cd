"""Interrupts at every block boundary, on the RTL."""

import cocotb

from cocotb_tests.env.bench import RtlBench
from cocotb_tests.padlock_interrupts import MOST_BLOCKS, SPEC, interrupt_everywhere


@cocotb.test()
async def an_interrupt_at_any_block_boundary_costs_one_reload_and_nothing_else(dut):
    bench = await RtlBench.start(dut, SPEC)
    count = await bench.call(interrupt_everywhere(bench))
    assert count == MOST_BLOCKS * (MOST_BLOCKS + 1) // 2
    bench.check(at_least=2 * count)
