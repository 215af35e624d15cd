"""The command ``ecbench speed``: tables as tcrypt prints them, from simulated hardware."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.profiles import PROFILES
from pymodel.jobs.speed_cell import ESSIV
from pymodel.published.cells import Curves
from pymodel.regress.display import Display, check_writable, write_json, write_text
from pymodel.regress.launch import JobRequest
from pymodel.regress.plot import svg
from pymodel.regress.speed_notes import measured, notes
from pymodel.regress.speed_options import SOFTWARE, SpeedOptions
from pymodel.regress.target import Launcher

COLUMNS = ("engine", "stages", "mode", "direction", "key_bits", "bytes", "strategy", "unit_bytes", "policy",
           "host_expands", "aes_sw_max_len", "profile", "cycles", "engine_cycles", "calls", "engine_requests",
           "key_loads", "hardware_blocks", "software_blocks", "bounced_blocks", "bytes_per_second", "ok")
"""Of the CSV; a JSON row has ``host_work`` (units by kind) and ``text`` besides."""


def print_speed(options: SpeedOptions, display: Display) -> int:
    """Print the tables; 0 when every request gave the right bytes, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    target = options.where()
    cells, bench = options.cells(), options.bench()
    outputs = (("--json", options.json), ("--csv", options.csv), ("--plot", options.plot))
    for number, (name, path) in enumerate(outputs):
        check_writable(path, *outputs[:number], name=name)
    if options.plot is not None and options.plot.suffix not in ("", ".svg"):
        raise InvalidRequest(f"--plot writes SVG: {options.plot} does not end in .svg")
    display.say(f"{measured(options)}, on {target.label}")
    rows: list[dict[str, Any]] = []
    table = _Table(display)

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append(_row(line, bench, options.target.engine))
            table.line(rows[-1])

    with display:
        result = Launcher(target, display).run(
            JobRequest("speed", {"cells": [cell.to_json() for cell in cells]}, bench), report)
    ok = bool(not result.problem and result.result and result.result["ok"])
    if not ok:
        for problem in [result.problem, *(result.result or {}).get("problems", [])]:
            if problem:
                display.out(f"FAIL: {problem}")
    for note in notes(options, rows):
        display.say(f"note: {note}")
    _write(options, ok, rows)
    return 0 if ok else 1


def _row(line: dict[str, Any], bench: BenchSpec, engine: str) -> dict[str, Any]:
    """A row of the job, with what it took from the bench and, where there is a clock, the rate. None: what
    the engine or mode does not have."""
    hertz = PROFILES[bench.profile].hertz
    rate = None if hertz is None or not line["cycles"] else round(
        line["bytes"] * hertz.value / line["cycles"])
    own = {"engine": engine, "stages": None if engine == SOFTWARE else bench.stages,
           "strategy": line["strategy"] if line["mode"] == "xts" else None,
           "policy": bench.policy if engine == "padlock" else None,
           "host_expands": bool(line["host_expands"]) if engine == "padlock" else None,
           "aes_sw_max_len": bench.aes_sw_max_len if engine == "qce" else None,
           "engine_requests": line["host_work"].get(HostWork.CALL, 0)}
    return {**line, **own, "direction": "decryption" if line["decrypt"] else "encryption",
            "profile": bench.profile, "bytes_per_second": rate}


def _cipher(mode: str) -> str:
    """Its name in the Linux kernel."""
    return "essiv(cbc(aes),sha256)" if mode == ESSIV else f"{mode}(aes)"


class _Table:
    """tcrypt's lines: a heading for each mode and direction, tests numbered across key sizes."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._heading = ""
        self._number = 0

    def line(self, row: Mapping[str, Any]) -> None:
        heading = f"testing speed of {_cipher(row['mode'])} {row['direction']}"
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
        lines = series.setdefault(f"{row['mode']}, {row['key_bits']} bit key", {})
        lines.setdefault(row["direction"], []).append((row["bytes"], row["cycles"]))
    return Curves(measured(options), "request (bytes)", "time (cycles)",
                  {name: {direction: sorted(points) for direction, points in lines.items()}
                   for name, lines in series.items()})
