"""What a test on RTL ends with: the verdict must hear every judge."""

from types import SimpleNamespace

import numpy as np
import pytest

from cocotb_tests.env.bench import RtlBench
from cocotb_tests.env.judge import Traffic
from cocotb_tests.env.padlock_predictor import PadlockPredictor
from cocotb_tests.env.scoreboard import ScoreboardError
from pymodel.engines.ports import Xcrypt, XcryptResult, XcryptStatus
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.memory import LINE_BYTES, HostMemory

WORD, KEY, SRC, DST = 0x1000, 0x1010, 0x2000, 0x4000
OP = Xcrypt(WORD, KEY, SRC, DST, 4)


class Memory(HostMemory):
    """A mirror without a simulator."""

    def __init__(self) -> None:
        super().__init__(1 << 16)
        self.written_lines = range(0)
        self.before_pull = np.zeros(0, np.uint8)


@pytest.fixture
def memory() -> Memory:
    memory = Memory()
    memory.write(WORD, (0x00A).to_bytes(16, "little"))
    memory.write(SRC, bytes(range(64)))
    return memory


def play(predictor: PadlockPredictor, memory: Memory, lines: range, **spoiled: bytes | int) -> None:
    """One request as a right engine would do it, or not quite."""
    from pymodel import golden

    predictor.accepted(OP, 0)
    memory.written_lines = lines
    memory.before_pull = memory.bytes[lines[0] * LINE_BYTES:(lines[-1] + 1) * LINE_BYTES].copy()
    memory.bytes[DST:DST + 64] = np.frombuffer(golden.ecb_encrypt(bytes(16), bytes(range(64))), np.uint8)
    if "stray" in spoiled:
        memory.bytes[spoiled["stray"]] ^= 1
    cycles = predictor.scoreboard._expected[-1].item.result.cycles
    result = XcryptResult(XcryptStatus.OK, SRC + 64, DST + 64, 0, 0, cycles)
    predictor.completed(result, True, cycles + 1 + spoiled.get("late", 0))


def test_a_right_request_passes(memory):
    predictor = PadlockPredictor(memory, BenchSpec())
    play(predictor, memory, range(DST // LINE_BYTES, DST // LINE_BYTES + 1))
    predictor.check(1)


@pytest.mark.parametrize("stray", [DST + 64, DST + LINE_BYTES - 1, DST + LINE_BYTES, DST - 1])
def test_a_byte_changed_beside_the_destination_is_found(memory, stray):
    """In the same line as the destination, and in the lines around it."""
    predictor = PadlockPredictor(memory, BenchSpec())
    play(predictor, memory, range(DST // LINE_BYTES - 1, DST // LINE_BYTES + 2), stray=stray)
    message = f"changed 1 bytes outside its destination, the first at {stray:#x}"
    with pytest.raises(ScoreboardError, match=message):
        predictor.check(1)


def test_a_wrong_byte_in_the_destination_is_found_at_the_latest_by_check(memory):
    predictor = PadlockPredictor(memory, BenchSpec())
    play(predictor, memory, range(DST // LINE_BYTES, DST // LINE_BYTES + 1), stray=DST + 17)
    with pytest.raises(ScoreboardError, match="data differs from the golden model in 1 bytes"):
        predictor.check(1)


def test_cycles_that_the_engine_reports_wrongly_are_found(memory):
    """By the clock of the simulation, whatever the model thinks."""
    predictor = PadlockPredictor(memory, BenchSpec())
    play(predictor, memory, range(DST // LINE_BYTES, DST // LINE_BYTES + 1), late=5)
    with pytest.raises(ScoreboardError, match=r"(\d+) cycles reported, but it took \d+"):
        predictor.check(1)


def bench_with(violations: int, problems: list[str], traffic: Traffic | None = None) -> RtlBench:
    bench = RtlBench.__new__(RtlBench)
    values = {"axi_violations": SimpleNamespace(value=violations),
              "axi_first_violation": SimpleNamespace(value=8)}
    counters = {name: SimpleNamespace(value=7) for name in ("ar_bursts", "r_beats", "aw_bursts", "w_beats")}
    bench.dut = SimpleNamespace(**values, **counters)
    bench.predictor = SimpleNamespace(check=lambda at_least: None, problems=lambda: problems, traffic=traffic)
    bench.memory = SimpleNamespace(in_flight=lambda: False)
    return bench


def test_violations_of_the_bus_rules_are_a_problem_and_fail_the_check():
    bench = bench_with(2, ["another"])
    message = "2 violations of the AXI rules, the first of kind 8"
    assert bench._problems() == ["another", message]
    with pytest.raises(AssertionError, match=message):
        bench.check()


def test_a_beat_too_many_on_the_bus_is_a_problem_and_fails_the_check():
    expected, seen = Traffic(7, 6, 7, 7), Traffic(7, 7, 7, 7)
    bench = bench_with(0, [], expected)
    assert bench._problems() == [f"bus traffic: expected {expected}, observed {seen}"]
    with pytest.raises(AssertionError, match="bus traffic"):
        bench.check()


def test_without_violations_there_is_no_problem():
    bench = bench_with(0, [], Traffic(7, 7, 7, 7))
    assert bench._problems() == []
    bench.check()
