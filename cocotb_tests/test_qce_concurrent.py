"""200 requests at once from 8 contexts on the RTL: right, in order, and cycle for cycle as on the model.

In Icarus they are 64, and all every night.
"""

import os

import cocotb

from cocotb_tests.env.bench import RtlBench
from cocotb_tests.qce_concurrent import Outcome, Variant, judge, play
from pymodel.engines.quirks import Quirk
from pymodel.jobs import BenchSpec, model_bench

SPEC = BenchSpec(engine="qce")
FEW = cocotb.SIM_NAME.lower().startswith("icarus") and float(os.environ.get("ECBENCH_EFFORT", "1")) <= 1
REQUESTS = 64 if FEW else 200


async def same_on_both(dut, variant: Variant, spec: BenchSpec = SPEC) -> Outcome:
    seed = cocotb.RANDOM_SEED
    dut._log.info("seed %d", seed)
    model = model_bench(spec)
    expected = model.kernel.run(play(model, seed, variant))
    bench = await RtlBench.start(dut, spec)
    observed = await bench.kernel.drive(play(bench, seed, variant))
    for one, other in zip(expected.log, observed.log, strict=False):
        assert one == other, f"model {one}, RTL {other}"
    assert expected == observed
    bench.check(at_least=REQUESTS)
    return observed


@cocotb.test()
async def every_request_completes_with_the_right_bytes_or_hangs_as_it_should(dut):
    variant = Variant(requests=REQUESTS)
    judge(await same_on_both(dut, variant), variant)


@cocotb.test()
async def requests_that_meet_a_bus_error_say_exactly_where(dut):
    slow = BenchSpec(engine="qce", read_latency=5, write_latency=11)
    variant = Variant(bus_errors=True, requests=REQUESTS)
    outcome = await same_on_both(dut, variant, slow)
    judge(outcome, variant)
    assert outcome.faults


@cocotb.test()
async def another_master_that_writes_anywhere_does_no_harm_while_the_lock_is_used(dut):
    variant = Variant(disturbed=True, requests=REQUESTS)
    judge(await same_on_both(dut, variant), variant)


@cocotb.test()
async def without_the_lock_results_have_the_other_masters_key_in_them(dut):
    variant = Variant(disturbed=True, handles=Quirk.all() & ~Quirk.SHARED_REGISTERS, requests=REQUESTS)
    outcome = await same_on_both(dut, variant)
    assert outcome.stale or FEW  # of 64 requests once in a while none is, neither on the model
    assert len(outcome.wrong) > variant.hangs


@cocotb.test()
async def under_back_pressure_they_complete_as_well(dut):
    """On the RTL alone: when is not predicted."""
    bench = await RtlBench.start(dut, BenchSpec(engine="qce", stall_seed=cocotb.RANDOM_SEED % (1 << 32) or 1))
    variant = Variant(disturbed=True, requests=REQUESTS)
    judge(await bench.kernel.drive(play(bench, cocotb.RANDOM_SEED, variant)), variant)
    bench.check(at_least=REQUESTS)
