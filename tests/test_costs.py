"""Host work: what modes and drivers report, what it costs, and that without costs nothing changes."""

from dataclasses import replace

import pytest

from pymodel.buffers import Buffers
from pymodel.costs import Host, HostCosts, HostWork
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.profiles import NONE, PROFILES, Constant, Profile
from pymodel.jobs.speed import Cell, measure_speed_of_requests
from pymodel.kernel import Cpu, Kernel, gather
from pymodel.modes import Xts

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
    made = Profile("a test", {work: Constant(value, "", "") for work, value in costs.items()})
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


@pytest.mark.parametrize(("strategy", "size", "work"), [
    ("per-block", 160, {"request": 1, "call": 11, "doubling": 10, "xor": 20, "key_load": 2}),
    ("two-pass", 160, {"request": 1, "call": 2, "doubling": 20, "xor": 20, "key_load": 2}),
    ("cached", 128, {"request": 1, "call": 2, "doubling": 8, "xor": 16, "copy": 8, "key_load": 2}),
    ("cached", 8192, {"request": 1, "call": 3, "doubling": 512, "xor": 1024, "copy": 512, "key_load": 2,
                      "allocation": 1}),
    ("batch", 160, {"request": 1, "call": 2, "doubling": 10, "xor": 20, "key_load": 2, "allocation": 1}),
])
def test_the_work_of_a_strategy_is_what_its_description_says(strategy, size, work):
    assert {kind: amount for kind, amount in measured(
        BenchSpec(), Cell("xts", 256, size, strategy=strategy))["host_work"].items() if amount} == work


def test_always_loads_for_every_call_and_says_so():
    row = measured(BenchSpec(), Cell("xts", 256, 160, strategy="per-block", policy="always"))
    assert row["host_work"]["key_load"] == row["host_work"]["call"] == row["key_loads"] == 11


@pytest.mark.parametrize(("key_bits", "accesses"), [(128, 26), (256, 30)])
def test_each_access_to_a_register_of_the_qce_is_counted(key_bits, accesses):
    """Three for the source list, three to see whose lock it is, ten and the key, three for the destination,
    GO, and six at the end."""
    assert 3 + 3 + 6 + key_bits // 32 + 3 + 1 + 6 == accesses
    assert measured(QCE, Cell("ecb", key_bits, 256))["host_work"]["register"] == accesses


@pytest.mark.parametrize(("key_bits", "rounds"), [(128, 10), (192, 12), (256, 14)])
def test_a_fallback_counts_blocks_and_rounds_and_no_registers(key_bits, rounds):
    work = measured(replace(QCE, aes_sw_max_len=512), Cell("ecb", key_bits, 512))["host_work"]
    assert work == {"request": 1, "call": 1, "fallback_block": 32, "fallback_round": 32 * rounds}


def test_a_bounced_block_is_copied_in_and_out():
    bench = model_bench(BenchSpec())
    engine = bench.engine()
    address = bench.memory.allocate(4096, 4096) + 8
    xts = Xts(engine, bytes(range(32)))
    buffers = Buffers.of(address, 160)
    bench.kernel.run(xts.encrypt(bytes(16), buffers, buffers))
    assert engine.host.done[HostWork.COPY] == 2 * engine.counters.bounced_blocks == 20


def test_each_part_of_a_data_unit_is_a_request():
    bench = model_bench(BenchSpec())
    engine = bench.engine()
    buffers = Buffers.of(bench.memory.allocate(96), 96)

    async def in_parts():
        with Xts(engine, bytes(range(32))).data_unit(bytes(16), decrypt=False) as unit:
            await unit.part(buffers.part(0, 32), buffers.part(0, 32))
            await unit.part(buffers.part(32, 32), buffers.part(32, 32))
            await unit.last(buffers.part(64, 32), buffers.part(64, 32))

    bench.kernel.run(in_parts())
    assert engine.host.done[HostWork.REQUEST] == 3
    assert engine.host.done[HostWork.CALL] == 4


def test_work_of_two_requests_on_one_cpu_is_done_one_after_another():
    kernel = Kernel()
    cpu = Cpu(kernel)
    host = Host(cpu, kernel, HostCosts({HostWork.XOR: 5}))

    async def request():
        await host.spend(HostWork.XOR, 20)
        return kernel.now()

    assert kernel.run(gather(kernel, request(), request())) == [100, 200]
    assert host.done[HostWork.XOR] == 40


def test_parts_of_a_cycle_are_rounded_once_for_all_the_work_of_a_step():
    costs = HostCosts({HostWork.DOUBLING: 0.3})
    assert [costs.of(HostWork.DOUBLING, amount) for amount in (1, 2, 10, 1000)] == [0, 1, 3, 300]


def test_a_cost_below_zero_is_refused():
    with pytest.raises(ValueError, match="xor costs -1 cycles"):
        HostCosts({HostWork.XOR: -1})


def test_the_default_profile_costs_nothing():
    assert BenchSpec().profile == NONE
    assert not PROFILES[NONE].constants()
    assert all(PROFILES[NONE].costs().of(work, 1000) == 0 for work in HostWork)


@pytest.mark.parametrize("name", PROFILES)
def test_every_constant_of_a_profile_has_a_meaning_and_a_source_and_a_bench_takes_it(name):
    for constant in PROFILES[name].constants().values():
        assert constant.meaning
        assert constant.source
    assert replace(BenchSpec(profile=name), **PROFILES[name].settings()).profile == name
