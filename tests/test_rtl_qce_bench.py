"""The QCE through driver and bench on RTL, in every simulator; all of it in one simulation each."""

from dataclasses import replace

import pytest

from cocotb_tests.qce_concurrent import EVERY_QUIRK, Variant, judge, play
from pymodel.engines.quirks import Quirk
from pymodel.jobs import BenchSpec, model_bench
from pymodel.regress.config import known_top

MODULES = ",".join(f"cocotb_tests.test_qce_{name}" for name in ("engine", "faults", "concurrent"))
VISIBLE = "cocotb_tests.test_qce_engine,cocotb_tests.test_byte_order"


def test_the_bench_of_the_qce_passes(run_rtl, sim):
    run_rtl("qce_top", MODULES, sim, fast=True)


@pytest.mark.nightly
def test_200_requests_at_once_and_every_length_pass_in_icarus_too(run_rtl, sim):
    run_rtl("qce_top", MODULES, sim, fast=True, environment={"ECBENCH_EFFORT": "2"})


def test_it_does_the_same_in_the_build_for_tests_and_without_a_file(run_rtl, sim):
    """Every signal visible, a clock of cocotb's, and memory line by line through VPI."""
    run_rtl(replace(known_top("qce_top"), image_bytes=0), VISIBLE, sim)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("variant", [Variant(), Variant(bus_errors=True), Variant(disturbed=True),
                                     Variant(bus_errors=True, disturbed=True)])
def test_200_requests_at_once_end_as_they_should_on_the_model(variant, seed):
    bench = model_bench(BenchSpec(engine="qce"))
    outcome = bench.kernel.run(play(bench, seed, variant))
    judge(outcome, variant)
    assert bool(outcome.faults) == variant.bus_errors


@pytest.mark.parametrize("seed", range(4))
def test_without_the_lock_another_master_spoils_some_of_them(seed):
    bench = model_bench(BenchSpec(engine="qce"))
    variant = Variant(disturbed=True, handles=EVERY_QUIRK & ~Quirk.SHARED_REGISTERS)
    outcome = bench.kernel.run(play(bench, seed, variant))
    assert outcome.stale
    assert len(outcome.wrong) > variant.hangs
