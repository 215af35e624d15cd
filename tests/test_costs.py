"""Host work: what modes and drivers report, what it costs, and that without costs nothing changes."""

from dataclasses import replace

import pytest

from pymodel.costs import Host, HostCosts, HostWork
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.profiles import NONE, PROFILES, Constant, Profile
from pymodel.jobs.speed import Cell, measure_speed_of_requests
from pymodel.kernel import Cpu, Kernel, gather

QCE = BenchSpec(engine="qce")
REQUESTS = {
    "ecb": Cell("ecb", 128, 256),
    "cbc encrypt": Cell("cbc", 128, 256),
    "cbc decrypt": Cell("cbc", 256, 256, decrypt=True),
    "ctr": Cell("ctr", 128, 250),
    "per-block": Cell("xts", 256, 250, strategy="per-block"),
    "two-pass": Cell("xts", 256, 250, decrypt=True),
    "cached": Cell("xts", 256, 5000, strategy="cached"),
    "batch": Cell("xts", 256, 1000, strategy="batch", unit_bytes=256),
    "always": Cell("xts", 384, 250, policy="always"),
}


def measured(spec, cell):
    rows = []
    bench = model_bench(spec)
    result = bench.kernel.run(measure_speed_of_requests(bench, {"cells": [cell.to_json()]}, rows.append))
    assert result["ok"], result
    return rows[0]


def with_costs(monkeypatch, costs, spec):
    """A spec whose profile costs this, in cycles for each kind."""
    made = Profile("a test", host={work: Constant(value, "", "") for work, value in costs.items()})
    monkeypatch.setattr("pymodel.jobs.engines.PROFILES", {**PROFILES, "x86-2018": made})
    return replace(spec, profile="x86-2018")


@pytest.mark.parametrize("spec", [BenchSpec(), QCE, replace(QCE, aes_sw_max_len=512)],
                         ids=["padlock", "qce", "qce to 512 in software"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_takes_longer_by_exactly_what_its_host_work_costs(monkeypatch, spec, name):
    cell = REQUESTS[name] if spec.engine == "padlock" else replace(REQUESTS[name], policy=None)
    free = measured(spec, cell)
    costs = {work: 3 + 2 * index for index, work in enumerate(HostWork)}
    dear = measured(with_costs(monkeypatch, costs, spec), cell)
    assert dear["host_work"] == free["host_work"]
    spent = sum(costs[HostWork(work)] * amount for work, amount in free["host_work"].items())
    assert spent > 0
    assert dear["cycles"] - free["cycles"] == spent
    assert dear["engine_cycles"] == free["engine_cycles"]


def test_always_loads_for_every_call_and_says_so():
    row = measured(BenchSpec(), Cell("xts", 256, 160, strategy="per-block", policy="always"))
    assert row["host_work"]["key_load"] == row["host_work"]["call"] == row["key_loads"] == 11


def test_work_of_two_requests_on_one_cpu_is_done_one_after_another():
    kernel = Kernel()
    cpu = Cpu(kernel)
    host = Host(cpu, kernel, HostCosts({HostWork.XOR: 5}))

    async def request():
        await host.spend(HostWork.XOR, 20)
        return kernel.now()

    assert kernel.run(gather(kernel, request(), request())) == [100, 200]
    assert host.done[HostWork.XOR] == 40


def test_parts_of_a_cycle_wait_for_more_of_their_kind():
    """A hundred times 0.3 is 30, whether they are spent at once or one by one."""
    kernel = Kernel()
    host = Host(Cpu(kernel), kernel, HostCosts({HostWork.DOUBLING: 0.3, HostWork.XOR: 0.4}))

    async def spend_times():
        times = [kernel.now()]
        for _ in range(100):
            await host.spend(HostWork.DOUBLING)
            await host.spend(HostWork.XOR, 0)
            times.append(kernel.now())
        await host.spend(HostWork.DOUBLING, 100)
        return [*times, kernel.now()]

    times = kernel.run(spend_times())
    assert times[:11] == [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3]
    assert times[100:] == [30, 60]


@pytest.mark.parametrize("cost", [-1, float("nan"), float("inf")])
def test_what_is_no_cost_is_refused(cost):
    with pytest.raises(ValueError, match=f"xor costs {cost} cycles"):
        HostCosts({HostWork.XOR: cost})


def test_the_default_profile_costs_nothing():
    assert BenchSpec().profile == NONE
    assert not PROFILES[NONE].constants()
    assert all(PROFILES[NONE].costs().of(work, 1000) == 0 for work in HostWork)


@pytest.mark.parametrize("name", [name for name in PROFILES if name != NONE])
def test_a_profile_has_a_cost_for_every_kind_of_work_that_its_engine_gives_the_host(name):
    engine, used = PROFILES[name].engine, set()
    for cell in REQUESTS.values():
        if engine == "software":
            used |= set(measured(BenchSpec(), replace(cell, policy=None, software=True))["host_work"])
        elif engine == "padlock":
            used |= set(measured(BenchSpec(), cell)["host_work"])
        else:
            for threshold in (0, 1 << 20):
                spec = replace(QCE, aes_sw_max_len=threshold)
                used |= set(measured(spec, replace(cell, policy=None))["host_work"])
    assert {HostWork.REQUEST, HostWork.XOR, HostWork.DOUBLING, HostWork.ALLOCATION} < used
    assert used == set(PROFILES[name].host)


@pytest.mark.parametrize("name", PROFILES)
def test_every_constant_of_a_profile_has_a_meaning_and_a_source_and_a_bench_takes_it(name):
    for constant in PROFILES[name].constants().values():
        assert constant.meaning
        assert constant.source
    assert BenchSpec.of(name).profile == name


def test_a_bench_of_a_machine_has_its_engine_and_all_its_settings_unless_told_otherwise():
    assert BenchSpec.of("via-2008") == BenchSpec(engine="padlock", profile="via-2008", setup_cycles=71,
                                                 read_latency=24, write_latency=24)
    assert BenchSpec.of("ipq-2020", stages=2) == BenchSpec(engine="qce", profile="ipq-2020",
                                                           slow_start_cycles=64, stages=2)
    assert BenchSpec.of("x86-2018", engine="qce") == BenchSpec(engine="qce", profile="x86-2018")
    assert BenchSpec.of("via-2008", read_latency=3).read_latency == 3
    assert BenchSpec.of(NONE) == BenchSpec()


def test_a_machine_that_does_not_exist_is_refused():
    with pytest.raises(InvalidRequest, match="unknown profile 'pentium': choose one of none, via-2008"):
        BenchSpec.of("pentium")
