"""The command ``ecbench bench``: how fast each layer is, as ratios in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import EcbenchError
from pymodel.jobs.engines import KINDS
from pymodel.jobs.throughput import KEY, TWEAK
from pymodel.regress import simulators
from pymodel.regress.build import Build, build
from pymodel.regress.config import known_top
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, run_on_model, run_on_rtl
from pymodel.regress.plain import run_plain
from pymodel.regress.simulators import Simulator
from pymodel.regress.target import Target

REQUEST_BYTES = (16, 512, 4096, 65536)
COLUMNS = {
    "layer": "layer", "simulator": "simulator", "request_bytes": "request bytes", "stages": "stages",
    "blocks_per_second": "blocks/s", "ratio_to_plain": "ratio to plain", "python_share": "Python share",
}
Repeat = dict[int, tuple[float, float]]
"""For each request size blocks per second and the share of Python in the time."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """``repeats``: of everything, interleaved; medians count. ``seconds``: for each size and repeat."""

    target: Target
    repeats: int
    seconds: float
    profile: bool
    json: Path | None


@dataclass(slots=True)
class _Series:
    """The repeats of one row."""

    rates: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Layer:
    """``measure`` adds one repeat of every size."""

    name: str
    simulator: str
    measure: Callable[[], Repeat]


def measure_speed(options: BenchOptions, display: Display) -> int:
    """Print the table; 0 unless something went wrong while measuring.

    Raises: InvalidRequest, SimulatorError, BuildError, PlainBenchFailed.
    """
    options.target.check()
    check_writable(options.json)
    used = simulators.installed()
    series: dict[tuple[str, str, int], _Series] = {}
    profiles: dict[str, str] = {}
    with display:
        layers = _layers(options, used, display, profiles)
        for repeat in range(options.repeats):
            for number, layer in enumerate(layers):
                display.progress(f"{layer.name} {layer.simulator}".strip(), repeat * len(layers) + number + 1,
                                 options.repeats * len(layers))
                for size, (rate, share) in layer.measure().items():
                    one = series.setdefault((layer.name, layer.simulator, size), _Series())
                    one.rates.append(rate)
                    one.shares.append(share)
    rows = _rows(series, options.target.stages)
    display.table(COLUMNS, rows)
    for label, text in profiles.items():
        display.out(f"where the time goes, {label}:\n{text}")
    if options.json is not None:
        write_json(options.json, True, rows)
    return 0


def _layers(options: BenchOptions, used: list[Simulator], display: Display,
            profiles: dict[str, str]) -> list[_Layer]:
    kind = KINDS[options.target.engine]
    layers = [_Layer("golden", "", partial(_golden, options.seconds)),
              _Layer("model", "", partial(_job, options, None, profiles))]
    for simulator in used:
        rtl = _built(kind.top, options.target.stages, simulator, display)
        plain = _built(kind.plain, options.target.stages, simulator, display)
        layers.append(_Layer("rtl", simulator.name, partial(_job, options, rtl, profiles)))
        layers.append(_Layer("plain", simulator.name, _Plain(plain, options.seconds)))
    return layers


def _built(top: str, stages: int, simulator: Simulator, display: Display) -> Build:
    chosen = known_top(top).with_parameters(STAGES=stages)
    return build(chosen, simulator, fast=True, announce=display.waiting)


def _golden(seconds: float) -> Repeat:
    rates = {}
    for size in REQUEST_BYTES:
        data, began, requests = bytes(i & 255 for i in range(size)), time.perf_counter(), 0
        while time.perf_counter() - began < seconds or not requests:
            golden.xts_encrypt(KEY, TWEAK, data)
            requests += 1
        rates[size] = (requests * size // BLOCK_BYTES / (time.perf_counter() - began), 1.0)
    return rates


def _job(options: BenchOptions, made: Build | None, profiles: dict[str, str]) -> Repeat:
    label = "model" if made is None else made.simulator.name
    spec = {"request_bytes": REQUEST_BYTES, "seconds": options.seconds,
            "profile": options.profile and label not in profiles}
    request = JobRequest("throughput", spec, options.target.bench())
    rows: list[dict[str, Any]] = []
    outcome = run_on_model(request, rows.append) if made is None else run_on_rtl(request, made, rows.append)
    if outcome.problem or outcome.result is None or not outcome.result["ok"]:
        found = (outcome.result or {}).get("problems") or [outcome.problem]
        raise EcbenchError(f"throughput on {label}: {found[0]}")
    if spec["profile"]:
        profiles[label] = outcome.result["profile"]
    return {row["request_bytes"]: (row["blocks_per_second"], row["python_share"]) for row in rows}


class _Plain:
    """As many requests of each size as take about ``seconds``."""

    def __init__(self, made: Build, seconds: float) -> None:
        self._made = made
        self._seconds = seconds
        self._requests: dict[int, int] = {}

    def __call__(self) -> Repeat:
        rates = {}
        for size in REQUEST_BYTES:
            blocks = size // BLOCK_BYTES
            requests = self._requests.get(size) or self._calibrate(size, blocks)
            rates[size] = (requests * blocks / run_plain(self._made, requests, blocks), 0.0)
        return rates

    def _calibrate(self, size: int, blocks: int) -> int:
        requests, spent = 1, run_plain(self._made, 1, blocks)
        while spent < self._seconds / 10:
            requests *= 10
            spent = run_plain(self._made, requests, blocks)
        self._requests[size] = max(1, round(requests * self._seconds / spent))
        return self._requests[size]


def _rows(series: dict[tuple[str, str, int], _Series], stages: int) -> list[dict[str, Any]]:
    """``ratio_to_plain``: median of a layer on a simulator over that of the plain bench on it."""
    rows = []
    for (layer, simulator, size), one in series.items():
        rate = statistics.median(one.rates)
        plain = series.get(("plain", simulator, size))
        rows.append({"layer": layer, "simulator": simulator, "request_bytes": size, "stages": stages,
                     "blocks_per_second": round(rate, 1),
                     "ratio_to_plain": round(rate / statistics.median(plain.rates), 3) if plain else None,
                     "python_share": round(statistics.median(one.shares), 3)})
    return rows
