"""The command ``ecbench speed``: tables as tcrypt prints them, from simulated hardware."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.ciphers import KEY_BYTES
from pymodel.jobs.profiles import NONE, PROFILES
from pymodel.jobs.speed import Cell
from pymodel.modes.xts import STRATEGIES
from pymodel.published.cells import Curves
from pymodel.regress.display import Display, check_writable, write_json, write_text
from pymodel.regress.launch import JobRequest
from pymodel.regress.options import check_strategy
from pymodel.regress.plot import svg
from pymodel.regress.target import Launcher, Target

SIZES = (16, 64, 256, 1024, 8192)
"""Of tcrypt up to Linux 4.19, in bytes."""
DIRECTIONS: Mapping[str, tuple[bool, ...]] = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}
COLUMNS = ("mode", "direction", "key_bits", "bytes", "strategy", "unit_bytes", "policy", "aes_sw_max_len",
           "profile", "cycles", "engine_cycles", "calls", "key_loads", "hardware_blocks", "software_blocks",
           "bounced_blocks", "bytes_per_second")
"""Of the CSV; a JSON row has ``host_work`` (units by kind) and ``ok`` besides."""


@dataclass(frozen=True, slots=True)
class SpeedOptions:
    """Empty ``key_bits``: all of the mode. ``policy``, ``threshold``: None for the bench's own."""

    target: Target
    modes: tuple[str, ...]
    direction: str
    key_bits: tuple[int, ...]
    sizes: tuple[int, ...]
    strategy: str
    unit_bytes: int
    policy: str | None
    host_expands: bool
    threshold: int | None
    profile: str
    json: Path | None
    csv: Path | None
    plot: Path | None

    def cells(self) -> list[Cell]:
        """In the order of the tables. Raises InvalidRequest."""
        if self.direction not in DIRECTIONS:
            raise InvalidRequest(f"unknown direction '{self.direction}': choose one of "
                                 f"{', '.join(DIRECTIONS)}")
        check_strategy(self.strategy)
        for name, given in (("--strategy", self.strategy != STRATEGIES[0]), ("--data-unit", self.unit_bytes)):
            if given and "xts" not in self.modes:
                raise InvalidRequest(f"{name} is for xts, not for {', '.join(self.modes)}")
        return [Cell(mode, bits, size, decrypt=decrypt, strategy=self.strategy, unit_bytes=self.unit_bytes,
                     host_expands=self.host_expands or None)
                for mode in self.modes for decrypt in DIRECTIONS[self.direction]
                for bits in self._key_bits(mode) for size in self.sizes]

    def _key_bits(self, mode: str) -> tuple[int, ...]:
        return self.key_bits or tuple(8 * size for size in KEY_BYTES.get(mode, (16,)))

    def _check_engine(self) -> None:
        """Options of one engine do not go with another. Raises InvalidRequest."""
        for name, given, engine in (("--policy", self.policy is not None, "padlock"),
                                    ("--host-expands", self.host_expands, "padlock"),
                                    ("--threshold", self.threshold is not None, "qce")):
            if given and self.target.engine != engine:
                raise InvalidRequest(f"{name} is for {engine}, not for {self.target.engine}")

    def bench(self) -> BenchSpec:
        """Raises InvalidRequest."""
        if self.profile not in PROFILES:
            raise InvalidRequest(f"unknown profile '{self.profile}': choose one of {', '.join(PROFILES)}")
        self._check_engine()
        settings = {"policy": self.policy, "aes_sw_max_len": self.threshold,
                    **PROFILES[self.profile].settings()}
        given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        return replace(self.target.bench(), profile=self.profile, **given)


def print_speed(options: SpeedOptions, display: Display) -> int:
    """Print the tables; 0 when every request gave the right bytes, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    options.target.check()
    cells, bench = options.cells(), options.bench()
    outputs = (("--json", options.json), ("--csv", options.csv), ("--plot", options.plot))
    for number, (name, path) in enumerate(outputs):
        check_writable(path, *outputs[:number], name=name)
    rows: list[dict[str, Any]] = []
    table = _Table(display)

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append(_row(line, bench))
            table.line(rows[-1])

    with display:
        result = Launcher(options.target, display).run(
            JobRequest("speed", {"cells": [cell.to_json() for cell in cells]}, bench), report)
    ok = bool(not result.problem and result.result and result.result["ok"])
    if not ok:
        for problem in [result.problem, *(result.result or {}).get("problems", [])]:
            if problem:
                display.out(f"FAIL: {problem}")
    _write(options, ok, rows)
    return 0 if ok else 1


def _row(line: dict[str, Any], bench: BenchSpec) -> dict[str, Any]:
    """A row of the job, with what it took from the bench and, where there is a clock, the rate."""
    hertz = PROFILES[bench.profile].hertz
    rate = None if hertz is None or not line["cycles"] else round(
        line["bytes"] * hertz.value / line["cycles"])
    own = {"policy": bench.policy if bench.engine == "padlock" else None,
           "aes_sw_max_len": bench.aes_sw_max_len if bench.engine == "qce" else None}
    return {**line, **own, "direction": "decryption" if line["decrypt"] else "encryption",
            "profile": bench.profile, "bytes_per_second": rate,
            "quirks_off": [quirk.name for quirk in Quirk if not bench.quirks & quirk]}


class _Table:
    """tcrypt's lines: a heading for each mode and direction, tests numbered across key sizes."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._heading = ""
        self._number = 0

    def line(self, row: Mapping[str, Any]) -> None:
        heading = f"testing speed of {row['mode']}(aes) {row['direction']}"
        if heading != self._heading:
            self._display.out(f"\n{heading}" if self._heading else heading)
            self._heading, self._number = heading, 0
        wrong = "" if row["ok"] else f"  FAIL: {row['text']}"
        self._display.out(f"test {self._number} ({row['key_bits']} bit key, {row['bytes']} byte blocks): "
                          f"1 operation in {row['cycles']} cycles ({row['bytes']} bytes){wrong}")
        self._number += 1


def _write(options: SpeedOptions, ok: bool, rows: Sequence[Mapping[str, Any]]) -> None:
    if options.json is not None:
        write_json(options.json, ok, rows)
    if options.csv is not None:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_text(options.csv, text.getvalue())
    if options.plot is not None and rows:
        write_text(options.plot, svg(_curves(options, rows)))


def _curves(options: SpeedOptions, rows: Sequence[Mapping[str, Any]]) -> Curves:
    series: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        lines = series.setdefault(f"{row['mode']}(aes), {row['key_bits']} bit key", {})
        lines.setdefault(row["direction"], []).append((row["bytes"], row["cycles"]))
    host = "no host work" if options.profile == NONE else f"host work as {options.profile}"
    return Curves(f"{options.target.engine}, {host}", "request (bytes)", "time (cycles)",
                  {name: {direction: sorted(points) for direction, points in lines.items()}
                   for name, lines in series.items()})
