"""What the bench on RTL needs to know of each engine: its inputs, its port, and who predicts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cocotb_tests.env import padlock_port, qce_port
from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.judge import Judge
from cocotb_tests.env.kernel import CosimKernel
from cocotb_tests.env.padlock_predictor import PadlockPredictor
from cocotb_tests.env.qce_follower import QceFollower
from cocotb_tests.env.qce_predictor import QcePredictor
from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.engines import ENGINES, KINDS, Port


@dataclass(frozen=True, slots=True)
class EngineTop:
    """``inputs``: of its top, besides those that every top has; ``straps``: settings of a bench among them.

    ``connect`` makes port and predictor.
    """

    inputs: tuple[str, ...]
    straps: tuple[str, ...]
    connect: Callable[[Any, CosimKernel, MirrorMemory, BenchSpec], tuple[Port, Judge]]


def _padlock(dut: Any, kernel: CosimKernel, memory: MirrorMemory, spec: BenchSpec) -> tuple[Port, Judge]:
    predictor = PadlockPredictor(memory, spec)
    port = padlock_port.PadlockPort(dut, kernel, memory, predictor, quirks=Quirk(spec.quirks),
                                    fetch_blocks=spec.fetch_blocks)
    return port, predictor


def _qce(dut: Any, kernel: CosimKernel, memory: MirrorMemory, spec: BenchSpec) -> tuple[Port, Judge]:
    if not spec.stall_seed:
        predictor = QcePredictor(memory, spec)
        return qce_port.QcePort(dut, kernel, memory, predictor, quirks=Quirk(spec.quirks)), predictor
    follower = QceFollower(memory, spec, lambda: bool(int(dut.busy.value)))
    port = qce_port.QcePort(dut, kernel, memory, follower, quirks=Quirk(spec.quirks))
    follower.script_so_far = port.script_answer
    return port, follower


ENGINE_TOPS: Mapping[str, EngineTop] = {
    "padlock": EngineTop(padlock_port.INPUTS, padlock_port.STRAPS, _padlock),
    "qce": EngineTop(qce_port.INPUTS, qce_port.STRAPS, _qce),
}


def spec_for(dut: Any, spec: BenchSpec | None) -> BenchSpec:
    """The spec, or the default one of the top's engine. Raises InvalidRequest for another engine's."""
    found = [name for name in ENGINES if KINDS[name].top == dut._name]
    if spec is None:
        return BenchSpec(engine=found[0] if found else ENGINES[0])
    if found and spec.engine != found[0]:
        raise InvalidRequest(f"{dut._name} has the engine {found[0]}: BenchSpec(engine='{found[0]}', ...)")
    return spec
