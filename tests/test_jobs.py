"""Jobs on the model and on the RTL: vectors, quirks, and the same figures in both worlds."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineHang, InvalidRequest
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.vectors import SETS
from pymodel.modes import Ecb
from pymodel.regress import launch
from pymodel.regress.launch import JobRequest, run_on_model
from pymodel.regress.run import seed_from_environment

SEED = seed_from_environment()
KEY = bytes(range(16))
COMPARED = ("mode", "key_bits", "work", "requests", "blocks", "hardware_blocks", "software_blocks",
            "engine_cycles", "verdict")


@pytest.mark.parametrize("engine", ENGINES)
def test_all_published_vectors_pass_on_the_model_of_the_engine(run_job, engine):
    ended = run_job("vectors", {"sets": list(SETS)}, None, BenchSpec(engine=engine))
    ended.assert_passed()
    counts = {row["set"]: row["passed"] for row in ended.result["rows"]}
    assert (counts["nist-ecb"], counts["nist-cbc"], counts["nist-xts"]) == (2138, 2138, 2800)
    assert (counts["ieee-1619"], counts["wycheproof-xts"]) == (38, 246)


@pytest.mark.parametrize("engine", ENGINES)
def test_standard_vectors_and_the_multi_block_files_pass_on_rtl(run_job, sim, engine):
    sets = ["fips-197", "sp800-38a", "rfc-3686", "ieee-1619", "mmt-ecb", "mmt-cbc"]
    run_job("vectors", {"sets": sets}, sim, BenchSpec(engine=engine)).assert_passed()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_seeded_sample_of_the_other_vectors_passes_on_rtl(run_job, sim, engine):
    print(f"ECBENCH_SEED={SEED}")
    spec = {"sets": ["nist-ecb", "nist-cbc", "nist-xts", "wycheproof-xts"], "sample": 100, "seed": SEED}
    run_job("vectors", spec, sim, BenchSpec(engine=engine)).assert_passed()


def test_a_wrong_vector_is_reported(run_job, monkeypatch):
    """One bit of one expected result is turned over."""
    from pymodel.jobs import vectors

    good = vectors.SETS["ieee-1619"]()
    broken = replace(good[7], expected=bytes([good[7].expected[0] ^ 1]) + good[7].expected[1:])
    monkeypatch.setitem(vectors.SETS, "ieee-1619", lambda: [*good[:7], broken, *good[8:]])
    ended = run_job("vectors", {"sets": ["ieee-1619"]})
    assert not ended.result["ok"]
    assert [line["vector"] for line in ended.of_kind("failure")] == [broken.name]


@pytest.mark.parametrize("error", [ValueError("no such thing"), KeyError("thing"), AssertionError("thing")])
def test_any_error_of_a_job_on_the_model_is_its_problem(monkeypatch, error):
    """And no traceback, as on RTL, where cocotb catches it."""
    async def breaks(bench, spec, report):
        raise error

    monkeypatch.setattr(launch, "JOBS", {"breaks": breaks})
    result = run_on_model(JobRequest("breaks", {}), lambda line: None)
    assert (result.result, result.problem) == (None, f"{type(error).__name__}: {error}")


@pytest.mark.parametrize(("name", "lowest", "highest"), [
    ("setup_cycles", 0, 65535), ("read_latency", 1, 65535), ("write_latency", 1, 65535),
    ("stall_rate", 0, 255), ("stall_mask", 0, 31), ("stall_seed", 0, 2**32 - 1),
    ("quirks", 0, 2**14 - 1), ("handles", 0, 2**14 - 1), ("slow_start_cycles", 0, 65535),
    ("aes_sw_max_len", 0, 2**32 - 1), ("memory_bytes", 4096, 2**32),
])
def test_settings_of_a_bench_have_the_range_of_their_straps(name, lowest, highest):
    for value in (lowest, highest):
        assert getattr(BenchSpec.from_json({name: value}), name) == value
    for value in (lowest - 1, highest + 1):
        with pytest.raises(InvalidRequest, match=f"^{name} {value}: from {lowest} to {highest}$"):
            BenchSpec.from_json({name: value})


@pytest.mark.parametrize(("name", "choices"), [("fetch_blocks", (1, 2, 4, 8)), ("stages", (1, 2, 14))])
def test_settings_of_a_bench_are_what_the_engine_has(name, choices):
    for value in range(-1, 17):
        if value in choices:
            assert getattr(BenchSpec(**{name: value}), name) == value
        else:
            with pytest.raises(InvalidRequest, match=f"^{name} {value}: choose one of 1, 2, "):
                BenchSpec(**{name: value})


@pytest.mark.parametrize(("name", "value", "message"), [
    ("engine", "qat", "unknown engine 'qat': choose one of padlock, qce"),
    ("policy", "never", "unknown policy 'never': choose one of engine-state, always"),
    ("policy", ["always"], "unknown policy '['always']': choose one of "),
    ("memory_bytes", 5000, "memory_bytes 5000: a multiple of 4096"),
])
def test_other_settings_of_a_bench_are_checked_too(name, value, message):
    with pytest.raises(InvalidRequest, match="^" + re.escape(message)):
        BenchSpec.from_json({name: value})


@pytest.mark.parametrize("value", ["8", 8.0, None, True, [8]])
def test_a_setting_of_a_bench_that_is_no_whole_number_is_one_line(value):
    with pytest.raises(InvalidRequest, match=f"^fetch_blocks {re.escape(repr(value))} is not a whole"):
        BenchSpec.from_json({"fetch_blocks": value})


@pytest.mark.parametrize("blocks", [1, 4, 33])
def test_the_watchdog_leaves_a_healthy_engine_with_the_slowest_straps_alone(blocks):
    """Every load of the key and every burst waits as long as it can."""
    bench = model_bench(BenchSpec(setup_cycles=65535, read_latency=65535, write_latency=65535))
    data = bytes(range(16)) * blocks
    result = bench.kernel.run(Ecb(bench.engine(), KEY).encrypt_bytes(data))
    assert result == golden.ecb_encrypt(KEY, data)
    assert bench.kernel.now() > 4 * 65535


def test_the_watchdog_follows_the_latency_of_the_memory():
    bench = model_bench(BenchSpec())
    mode = Ecb(bench.engine(), KEY)
    bench.set_latency(read=65535, write=65535)
    data = bytes(range(256)) * 2
    assert bench.kernel.run(mode.encrypt_bytes(data)) == golden.ecb_encrypt(KEY, data)
    assert bench.kernel.now() > 4 * 65535


def test_the_watchdog_of_the_caller_is_the_one_in_force():
    bench = model_bench(BenchSpec(setup_cycles=65535))
    with pytest.raises(EngineHang, match="in 102 cycles"):
        bench.kernel.run(Ecb(bench.engine(watchdog=lambda blocks: 100), KEY).encrypt_bytes(bytes(16)))


QUIRK_BITS = {"padlock": [0, 1, 2, 3, 4, 5], "qce": [4, 6, 7, 8, 9, 10, 11, 12, 13]}
QUIRK_BENCHES = [BenchSpec(fetch_blocks=2), BenchSpec(fetch_blocks=8), BenchSpec(engine="qce"),
                 BenchSpec(engine="qce", slow_start_cycles=700, read_latency=9, write_latency=30)]


@pytest.mark.parametrize("stages", [1, 2, 14])
@pytest.mark.parametrize("bench", QUIRK_BENCHES)
def test_every_quirk_is_shown_three_ways_on_the_model(run_job, bench, stages):
    ended = run_job("quirks", {}, None, replace(bench, stages=stages))
    ended.assert_passed()
    assert [row["bit"] for row in ended.result["rows"]] == QUIRK_BITS[bench.engine]


@pytest.mark.parametrize("bench", QUIRK_BENCHES)
def test_every_quirk_is_shown_three_ways_on_rtl(run_job, sim, bench):
    ended = run_job("quirks", {}, sim, bench)
    ended.assert_passed()
    assert [row["bit"] for row in ended.result["rows"]] == QUIRK_BITS[bench.engine]


def test_a_hang_names_registers_state_and_descriptor_in_its_message():
    """528 bytes in two pieces: the engine stops in the second descriptor of each side."""
    bench = model_bench(BenchSpec(engine="qce", handles=int(Quirk.all() & ~Quirk.LENGTH_512_HANG)))
    engine, area = bench.engine(), bench.memory.allocate(2048)
    src, dst = (Buffers([(at, 256), (at + 512, 272)]) for at in (area, area + 1024))
    with pytest.raises(EngineHang) as hang:
        bench.kernel.run(engine.ecb(engine.key(KEY), src, dst, decrypt=False))
    assert hang.value.completed == 512
    for words in ("AES-128 ECB encryption of 528 bytes", "STATUS=0x2200", "CRYPTO_STATE=WAIT_UNIT",
                  "BYTES_DONE=0x200", "SRC_CURRENT=0x1", f"source_address={area + 512:#x}, source_size=0x110",
                  f"destination_address={area + 1536:#x}, destination_size=0x110"):
        assert words in str(hang.value)


@pytest.mark.parametrize("stages", [1, 14])
@pytest.mark.parametrize("engine", ENGINES)
def test_model_and_rtl_give_the_same_figures(run_job, sim, engine, stages):
    """Data, hardware blocks and engine cycles of random requests in every mode, on a slow memory."""
    bench = BenchSpec(engine=engine, read_latency=9, write_latency=30, fetch_blocks=8, stages=stages)
    print(f"ECBENCH_SEED={SEED}")
    for mode in ("xts", "cbc", "ecb", "ctr"):
        spec = {"mode": mode, "seed": SEED, "requests": 6}
        figures = []
        for where in (None, sim):
            ended = run_job("run", spec, where, bench)
            ended.assert_passed()
            figures.append([{name: row[name] for name in COMPARED} for row in ended.of_kind("row")])
        assert figures[0] == figures[1]
