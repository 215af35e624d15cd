"""The 576 cases on the model of the engine, and that they catch drivers and engines that are wrong."""

import copy
import re

import pytest
from conftest import CASE_FILE

from pymodel.drivers.software import SoftwareEngine
from pymodel.engines.quirks import Quirk
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.bench import ModelBench
from pymodel.jobs.case_file import parse_case, read_case_file
from pymodel.jobs.case_request import CaseFailure, perform
from pymodel.jobs.cases import replay_cases
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.placement import apart
from pymodel.modes import Xts
from pymodel.modes.xts import STRATEGIES

ALL = read_case_file(CASE_FILE)
BY_NAME = {case["name"]: case for case in ALL}


def replay(cases, bench=None):
    """The failing cases by name, with what is said about them."""
    bench = bench or model_bench(BenchSpec())
    lines = []
    result = bench.kernel.run(replay_cases(bench, {"cases": cases}, lines.append))
    assert len(lines) == sum(result.values()) == len(cases)
    return {line["name"]: line["text"] for line in lines if line["verdict"] == "fail"}


@pytest.mark.parametrize("fetch_blocks", [2, 8])
def test_all_cases_pass_on_the_model(fetch_blocks):
    bench = model_bench(BenchSpec(fetch_blocks=fetch_blocks))
    assert replay(ALL, bench) == {}


def test_the_cases_pass_with_the_policy_that_always_reloads():
    """All but four chains of 64 KiB, which would take longer than all others."""
    cases = [case for case in ALL if case["mode"] != "cbc" or len(parse_case(case).data) <= 8192]
    assert replay(cases, model_bench(BenchSpec(policy="always"))) == {}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_xts_cases_pass_with_every_strategy(engine, strategy):
    longest = 2048 if strategy == "per-block" else 1 << 20
    cases = [case for case in ALL
             if case["mode"] in ("xts", "xts_run") and len(parse_case(case).data) <= longest]
    assert {case["mode"] for case in cases} == {"xts", "xts_run"}
    assert len(cases) > 100
    assert replay(cases, model_bench(BenchSpec(engine=engine, strategy=strategy))) == {}


def test_data_units_of_a_batch_that_are_done_one_by_one_are_found(monkeypatch):
    run = [case for case in ALL if case["mode"] == "xts_run" and len(parse_case(case).data) > case["unit"]]
    monkeypatch.setattr(Xts, "_crypt_checked", one_by_one)
    failures = replay(run, model_bench(BenchSpec(strategy="batch")))
    assert set(failures) == {case["name"] for case in run} != set()
    assert all(text.endswith("engine calls for a batch") for text in failures.values())


async def one_by_one(xts, key_set, messages, decrypt):
    for message in messages:
        await xts._data_unit(key_set, bytes(message.iv), decrypt).crypt(message.src, message.dst)


@pytest.mark.parametrize(("quirk", "caught_by"), [
    (Quirk.STICKY_KEY, "seq-xts-same-key1"),
    (Quirk.KEYGEN_128_ONLY, "ieee1619-10-enc"),
    (Quirk.FETCH_AHEAD, "layout-pageend-xts-80"),
    (Quirk.ALIGN_16, "layout-align-cbc-off14"),
])
def test_a_naive_driver_is_caught(quirk, caught_by):
    cases = [*read_case_file(CASE_FILE, "core"), BY_NAME[caught_by]]
    assert caught_by in replay(cases, model_bench(BenchSpec(handles=int(Quirk.all() & ~quirk))))


def changed(which, **changes):
    case = copy.deepcopy(BY_NAME[which])
    case.update(changes)
    return case


def test_a_wrong_expectation_fails_in_one_line_each():
    wrong = {"out": {"hex": "00" * 48}}
    failures = replay([
        changed("xts-equal-keys-k48", expect=wrong),
        changed("xts-len0-enc", expect=wrong),
        changed("cbc-len16-k24-enc", expect={"error": "EINVAL"}),
        changed("cbc-len16-k24-enc", name="wrong iv", expect={"iv_out": "00" * 16}),
        changed("xts-unit-0x10000000000000000-len16", expect=wrong),
    ])
    assert failures == {
        "xts-equal-keys-k48": "wrong output (48 bytes)",
        "xts-len0-enc": "refused: XTS of 0 bytes: a data unit has at least 16",
        "cbc-len16-k24-enc": "accepted, should be refused",
        "wrong iv": failures["wrong iv"],
        "xts-unit-0x10000000000000000-len16": "wrong output (16 bytes)",
    }
    assert failures["wrong iv"].startswith("wrong output IV ")


def steps_of(name, change):
    case = copy.deepcopy(BY_NAME[name])
    change(case["steps"])
    return case


def test_a_wrong_step_is_named():
    def wrong_crypt(steps):
        steps[2]["expect"] = {"out": {"hex": "00"}}

    def wrong_setkey(steps):
        del next(s for s in steps if "error" in s.get("expect", {}))["expect"]

    def wrong_queue(steps):
        next(s for s in steps if s["op"] == "queue")["reqs"][1]["expect"] = {"out": {"hex": "00"}}

    def no_context(steps):
        steps[0]["ctx"] = "another"

    failures = replay([
        steps_of("seq-size-32-16", wrong_crypt),
        steps_of("seq-bad-setkey-ecb16", wrong_setkey),
        steps_of("seq-queue-two-ctx-cbc16", wrong_queue),
        steps_of("seq-reset-ecb16", no_context),
    ])
    assert failures["seq-size-32-16"] == "step 2 crypt A: wrong output (16 bytes)"
    assert failures["seq-bad-setkey-ecb16"].endswith("setkey A: refused")
    assert "queue: request of B: wrong output" in failures["seq-queue-two-ctx-cbc16"]
    assert failures["seq-reset-ecb16"] == "step 1 setkey A: there is no context A"


def test_partly_overlapping_buffers_may_be_refused_but_must_stay_as_they_are():
    assert replay([BY_NAME["layout-cbc-overlap+8-dec"]]) == {}
    strict = changed("layout-cbc-overlap+8-dec", may_refuse=False)
    assert replay([strict]) == {strict["name"]: "refused: source and destination overlap in part"}


def test_a_mode_that_does_not_exist_is_skipped():
    bench = model_bench(BenchSpec())
    lines = []
    cases = [changed("cbc-len16-k24-enc", mode="gcm")]
    result = bench.kernel.run(replay_cases(bench, {"cases": cases}, lines.append))
    assert result == {"passed": 0, "failed": 0, "skipped": 1}
    assert lines[0]["text"] == "mode gcm does not exist"


def test_work_that_did_not_go_to_the_engine_fails():
    bench = model_bench(BenchSpec())
    software = SoftwareEngine(bench.memory, bench.kernel, bench.cpus[0])
    outcome = bench.kernel.run(perform(software, "cbc", bytes(16), bytes(16), bytes(32), True, apart(32)))
    with pytest.raises(CaseFailure, match=r"^the engine did not do a single block$"):
        outcome.check_accepted()


class ResettableSoftwareEngine(SoftwareEngine):
    async def reset(self):
        pass


class SoftwareBench(ModelBench):
    """No engine at all, but right results."""

    def engine(self):
        return ResettableSoftwareEngine(self.memory, self.kernel, self.cpus[0])


def needs_the_engine(case):
    """Whether something in the case must succeed and has data."""
    if case.mode == "seq":
        steps = [request for step in case.steps for request in (*step.requests, step)]
        return any(step.data and not step.expect.error for step in steps if step.op == "crypt")
    return bool(case.data) and not case.expect.error and not case.may_refuse


def test_every_case_that_must_succeed_fails_without_the_engine():
    hardware = model_bench(BenchSpec())
    bench = SoftwareBench(hardware.kernel, hardware.memory, hardware.cpus, hardware.port,
                          hardware.spec)
    needing = {case["name"] for case in ALL if needs_the_engine(parse_case(case))}
    assert len(needing) > 500
    failures = replay(ALL, bench)
    assert needing <= set(failures)
    assert all(text.endswith("the engine did not do a single block") for text in failures.values())


class CallingBench(ModelBench):
    """Its driver goes to the engine to make a key."""

    def engine(self):
        driver = super().engine()
        make = driver.key

        def key(data):
            driver.counters.calls += 1
            return make(data)

        driver.key = key
        return driver


def test_a_key_is_set_without_the_engine():
    hardware = model_bench(BenchSpec())
    bench = CallingBench(hardware.kernel, hardware.memory, hardware.cpus, hardware.port,
                         hardware.spec)
    sequences = [case for case in ALL if any(step["op"] == "setkey" for step in case.get("steps", []))]
    failures = replay(sequences, bench)
    assert set(failures) == {case["name"] for case in sequences}
    assert all(re.search(r"setkey \w+: the engine was used$", text) for text in failures.values())


def test_every_case_starts_from_a_reset_engine():
    name = "cbc-len4112-k16-enc"
    alone = model_bench(BenchSpec())
    replay([BY_NAME[name]], alone)
    after_others = model_bench(BenchSpec())
    replay([BY_NAME["xts-len528-k32-enc"]], after_others)
    began = after_others.kernel.now()
    replay([BY_NAME[name]], after_others)
    assert after_others.kernel.now() - began == alone.kernel.now()


def test_each_problem_of_the_bench_fails_the_case_it_came_up_in():
    bench = model_bench(BenchSpec())
    problems = []

    def complaining():
        if len(problems) < 3:
            problems.append("the scoreboard has seen something")
        return list(problems)

    bench.problems = complaining
    failures = replay([BY_NAME["cbc-len16-k24-enc"], BY_NAME["ecb-len1-k16"], BY_NAME["xts-len1-enc"]], bench)
    assert failures["cbc-len16-k24-enc"] == "the scoreboard has seen something"
    assert "xts-len1-enc" not in failures
