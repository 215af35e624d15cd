"""Jobs on the model and on the RTL: vectors, quirks, and the same figures in both worlds."""

from __future__ import annotations

import pytest

from pymodel.jobs import BenchSpec
from pymodel.jobs.vectors import SETS
from pymodel.regress import launch
from pymodel.regress.build import build
from pymodel.regress.config import known_top
from pymodel.regress.launch import JobRequest, JobResult, run_on_model, run_on_rtl
from pymodel.regress.run import seed_from_environment

SEED = seed_from_environment()
COMPARED = ("mode", "key_bits", "work", "requests", "blocks", "hardware_blocks", "engine_cycles", "verdict")


class Lines(list):
    """What a job reported."""

    def kind(self, kind: str) -> list[dict]:
        return [line for line in self if line["kind"] == kind]


def on_model(job: str, spec: dict, bench: BenchSpec | None = None) -> tuple[JobResult, Lines]:
    lines = Lines()
    return run_on_model(JobRequest(job, spec, bench or BenchSpec()), lines.append), lines


def on_rtl(sim, job: str, spec: dict, bench: BenchSpec | None = None) -> tuple[JobResult, Lines]:
    lines = Lines()
    bench = bench or BenchSpec()
    made = build(known_top("padlock_top").with_parameters(STAGES=bench.stages), sim, fast=True)
    return run_on_rtl(JobRequest(job, spec, bench), made, lines.append, seed=SEED), lines


def assert_passed(outcome: tuple[JobResult, Lines]) -> None:
    result, lines = outcome
    assert not result.problem, result.problem
    assert not lines.kind("failure"), lines.kind("failure")[:3]
    assert result.result["ok"], result.result


def test_all_published_vectors_pass_on_the_model_of_the_engine():
    outcome = on_model("vectors", {"sets": list(SETS)})
    assert_passed(outcome)
    counts = {row["set"]: row["passed"] for row in outcome[0].result["rows"]}
    assert (counts["nist-ecb"], counts["nist-cbc"], counts["nist-xts"]) == (2138, 2138, 2800)
    assert (counts["ieee-1619"], counts["wycheproof-xts"]) == (38, 246)


def test_standard_vectors_and_the_multi_block_files_pass_on_rtl(sim):
    sets = ["fips-197", "sp800-38a", "rfc-3686", "ieee-1619", "mmt-ecb", "mmt-cbc"]
    assert_passed(on_rtl(sim, "vectors", {"sets": sets}))


def test_a_seeded_sample_of_the_other_vectors_passes_on_rtl(sim):
    print(f"ECBENCH_SEED={SEED}")
    assert_passed(on_rtl(sim, "vectors", {"sets": ["nist-ecb", "nist-cbc", "nist-xts", "wycheproof-xts"],
                                          "sample": 150, "seed": SEED}))


def test_a_wrong_vector_is_reported(monkeypatch):
    """One bit of one expected result is turned over."""
    from dataclasses import replace

    from pymodel.jobs import vectors

    good = vectors.SETS["ieee-1619"]()
    broken = replace(good[7], expected=bytes([good[7].expected[0] ^ 1]) + good[7].expected[1:])
    monkeypatch.setitem(vectors.SETS, "ieee-1619", lambda: [*good[:7], broken, *good[8:]])
    result, lines = on_model("vectors", {"sets": ["ieee-1619"]})
    assert not result.result["ok"]
    assert [line["vector"] for line in lines.kind("failure")] == [broken.name]


@pytest.mark.parametrize("error", [ValueError("no such thing"), KeyError("thing"), AssertionError("thing")])
def test_any_error_of_a_job_on_the_model_is_its_problem(monkeypatch, error):
    """And no traceback, as on RTL, where cocotb catches it."""
    async def breaks(bench, spec, report):
        raise error

    monkeypatch.setattr(launch, "JOBS", {"breaks": breaks})
    result, _ = on_model("breaks", {})
    assert (result.result, result.problem) == (None, f"{type(error).__name__}: {error}")


@pytest.mark.parametrize("stages", [1, 2, 14])
@pytest.mark.parametrize("fetch_blocks", [2, 8])
def test_every_quirk_is_shown_three_ways_on_the_model(fetch_blocks, stages):
    assert_passed(on_model("quirks", {}, BenchSpec(fetch_blocks=fetch_blocks, stages=stages)))


@pytest.mark.parametrize("fetch_blocks", [2, 8])
def test_every_quirk_is_shown_three_ways_on_rtl(sim, fetch_blocks):
    outcome = on_rtl(sim, "quirks", {}, BenchSpec(fetch_blocks=fetch_blocks))
    assert_passed(outcome)
    assert [row["bit"] for row in outcome[0].result["rows"]] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("stages", [1, 14])
def test_model_and_rtl_give_the_same_figures(sim, stages):
    """Data, hardware blocks and engine cycles of random requests in every mode, on a slow memory."""
    bench = BenchSpec(read_latency=9, write_latency=30, fetch_blocks=8, stages=stages)
    print(f"ECBENCH_SEED={SEED}")
    for mode in ("xts", "cbc", "ecb", "ctr"):
        spec = {"mode": mode, "seed": SEED, "requests": 6}
        figures = []
        for outcome in (on_model("run", spec, bench), on_rtl(sim, "run", spec, bench)):
            assert_passed(outcome)
            figures.append([{name: row[name] for name in COMPARED} for row in outcome[1].kind("row")])
        assert figures[0] == figures[1]
