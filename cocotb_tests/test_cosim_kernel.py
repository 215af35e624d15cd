"""CosimKernel: the same order and the same cycle stamps as the kernel without a simulator."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from cocotb_tests.env.kernel import CosimKernel
from pymodel.kernel import HARDWARE, Deadlock, Event, Kernel, Queue, gather

PERIOD_NS = 10


def start_clock(dut) -> None:
    Clock(dut.clk, PERIOD_NS, "ns", impl="gpi").start()


async def race(kernel: Kernel) -> list[tuple[int, str]]:
    """Timeouts that meet completions, two masters and a queue: all in the same cycles."""
    log: list[tuple[int, str]] = []
    queue: Queue[int] = Queue(kernel, "work")

    async def hardware(name: str, cycles: int, done: Event) -> None:
        await kernel.sleep(cycles, HARDWARE)
        log.append((kernel.now() - start, f"{name} done"))
        done.set()

    async def software(name: str, cycles: int, timeout: int) -> None:
        done = kernel.event(name)
        kernel.start(hardware(name, cycles, done), f"{name} engine")
        level = await done.wait(timeout)
        log.append((kernel.now() - start, f"{name} {'in time' if level else 'timeout'}"))
        queue.put(cycles)

    async def consumer() -> None:
        for _ in range(3):
            log.append((0, f"got {await queue.get()}"))

    start = kernel.now()
    await gather(kernel, software("a", 7, 7), software("b", 7, 6), software("c", 5, 7), consumer())
    await kernel.sleep(5)
    return log


@cocotb.test()
async def order_and_cycle_stamps_are_those_of_the_model_kernel(dut):
    start_clock(dut)
    expected_kernel = Kernel()
    expected = expected_kernel.run(race(expected_kernel))
    kernel = CosimKernel(dut.clk, PERIOD_NS)
    observed = await kernel.drive(race(kernel))
    assert observed == expected
    assert (5, "c in time") in observed
    assert (7, "a in time") in observed
    assert (6, "b timeout") in observed


@cocotb.test()
async def many_cocotb_tasks_call_at_any_time(dut):
    start_clock(dut)
    kernel = CosimKernel(dut.clk, PERIOD_NS)

    async def nap(cycles: int) -> int:
        before = kernel.now()
        await kernel.sleep(cycles)
        return kernel.now() - before

    async def caller(delay_ns: int, cycles: int) -> int:
        await Timer(delay_ns, "ns")
        await RisingEdge(dut.clk)
        return await kernel.call(nap(cycles))

    tasks = [cocotb.start_soon(caller(3 * n + 1, 10 + n)) for n in range(6)]
    assert [await task for task in tasks] == [10 + n for n in range(6)]


@cocotb.test()
async def a_kernel_task_can_await_a_cocotb_coroutine(dut):
    start_clock(dut)
    kernel = CosimKernel(dut.clk, PERIOD_NS)

    async def two_edges() -> str:
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        return "seen"

    async def body() -> tuple[str, int]:
        before = kernel.now()
        result = await kernel.hardware(two_edges())
        return result, kernel.now() - before

    assert await kernel.drive(body()) == ("seen", 2)


@cocotb.test()
async def errors_reach_the_caller_and_stray_errors_are_not_lost(dut):
    start_clock(dut)
    kernel = CosimKernel(dut.clk, PERIOD_NS)

    async def failing() -> None:
        await kernel.sleep(2)
        raise ValueError("from inside")

    async def forgetful() -> None:
        kernel.start(failing(), "stray")
        await kernel.sleep(4)

    for coroutine in (failing(), forgetful()):
        with pytest.raises(ValueError, match="from inside"):
            await kernel.drive(coroutine)


@cocotb.test(expect_error=Deadlock)
async def a_hang_names_the_task_that_waits(dut):
    start_clock(dut)
    kernel = CosimKernel(dut.clk, PERIOD_NS, idle_limit=1000)
    try:
        await kernel.drive(kernel.event("an interrupt that never comes").wait(), "driver")
    finally:
        assert "driver waits for 'an interrupt that never comes'" in kernel.waiting()
