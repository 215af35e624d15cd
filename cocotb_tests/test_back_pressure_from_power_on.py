"""Random back-pressure from the first power-on of a simulation, and the same again after the next one."""

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel.jobs.bench import BenchSpec
from pymodel.modes import Ecb

cycles: list[int] = []


@cocotb.test()
@cocotb.parametrize(power_on=[1, 2, 3])
async def stalls_follow_from_the_seed_alone(dut, power_on: int):
    spec = BenchSpec(fetch_blocks=8, read_latency=20, stall_seed=7, stall_rate=200)
    bench = await RtlBench.start(dut, spec)
    engine = bench.engine()
    await bench.call(Ecb(engine, bytes(16)).encrypt_bytes(bytes(60 * 16)))
    cycles.append(engine.counters.engine_cycles)
    assert len(cycles) == power_on
    assert cycles[0] == cycles[-1] > 60 * 10
    bench.check()
