"""cocotb tests on counter.v: one for each way in which a simulation can end."""

import os
import time

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


async def reset(dut) -> None:
    Clock(dut.clk, 10, "ns", impl="gpi").start()
    dut.complain.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


@cocotb.test()
async def counts(dut):
    await reset(dut)
    for expected in range(1, 6):
        await FallingEdge(dut.clk)
        assert int(dut.count.value) == expected


@cocotb.test()
async def tells_its_environment(dut):
    dut._log.info("variable %s", os.environ.get("ECBENCH_WORD"))
    dut._log.info("width %d smuggled %s", len(dut.count), os.environ.get("ECBENCH_SMUGGLED"))


@cocotb.test()
async def fails(dut):
    assert dut is None, "this test always fails"


@cocotb.test()
async def complains(dut):
    await reset(dut)
    dut.complain.value = 1
    await FallingEdge(dut.clk)


@cocotb.test()
async def hangs(dut):
    while True:
        time.sleep(0.1)


@cocotb.test()
async def dies(dut):
    os._exit(3)
