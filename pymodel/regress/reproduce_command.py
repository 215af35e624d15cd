"""The command ``ecbench reproduce``: published measurements, done again on the bench, side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.jobs.profiles import PROFILES
from pymodel.jobs.speed import Cell
from pymodel.published import EXPERIMENTS, Experiment
from pymodel.published.cells import BOUNDED, PARTS, Outcome, Reproduction
from pymodel.published.experiment import Task
from pymodel.published.words import figure, label, per_cent
from pymodel.regress.display import Display, check_writable, write_json, write_text
from pymodel.regress.launch import JobRequest, JobResult
from pymodel.regress.reproduce_page import page
from pymodel.regress.target import Launcher, Target

SUMMARY = {"experiment": "experiment", "cells": "cells", "max": "max error", "mean": "mean error",
           **{part: f"of cells marked {part}" for part in BOUNDED}, "result": "result"}


@dataclass(frozen=True, slots=True)
class ReproduceOptions:
    """``name``: one experiment, or None for all. ``on``, ``sim``: as in Target."""

    name: str | None
    on: str
    sim: str
    json: Path | None
    html: Path | None

    def chosen(self) -> list[Experiment]:
        """Raises InvalidRequest for an unknown name."""
        if self.name is None:
            return list(EXPERIMENTS.values())
        if self.name not in EXPERIMENTS:
            raise InvalidRequest(f"unknown experiment '{self.name}': choose one of {', '.join(EXPERIMENTS)}")
        return [EXPERIMENTS[self.name]]


def reproduce(options: ReproduceOptions, display: Display) -> int:
    """Run the experiments and print them; 0 when all are inside their bounds, else 1.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    chosen = options.chosen()
    Target("padlock", options.on, options.sim).check()
    check_writable(options.json)
    check_writable(options.html, ("--json", options.json), name="--html")
    launchers: dict[str, Launcher] = {}
    done: list[Reproduction] = []
    with display:
        for number, experiment in enumerate(chosen):
            display.progress(experiment.name, number, len(chosen))
            done.append(_done_again(experiment, options, launchers, display))
            _show(experiment, done[-1], display)
    _summary(done, display)
    ok = all(one.ok for one in done)
    if options.json is not None:
        write_json(options.json, ok, [one.to_json() for one in done])
    if options.html is not None:
        write_text(options.html, page(done, {one.name: one.title for one in chosen}))
    return 0 if ok else 1


class ExperimentFailed(Exception):
    """Its requests did not all give the right bytes, or did not end."""


def _done_again(experiment: Experiment, options: ReproduceOptions, launchers: dict[str, Launcher],
                display: Display) -> Reproduction:
    tasks = experiment.tasks()
    try:
        rows = _run(experiment.name, tasks, options, launchers, display)
    except ExperimentFailed as error:
        return Reproduction(experiment.name, "", [], failure=str(error))
    judged = experiment.judge(rows)
    return replace(judged, notes=[*judged.notes, *_constants(tasks)])


def _run(name: str, tasks: Sequence[Task], options: ReproduceOptions, launchers: dict[str, Launcher],
         display: Display) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append(line)

    for task in tasks:
        engine = task.bench.engine
        if engine not in launchers:
            launchers[engine] = Launcher(Target(engine, options.on, options.sim), display)
        began = time.monotonic()
        result = launchers[engine].run(JobRequest(task.job, task.spec, task.bench), report)
        if result.problem or result.result is None or not result.result["ok"]:
            raise ExperimentFailed(_reasons(result, rows))
        display.say(f"{name}: {len(rows)} requests in {time.monotonic() - began:.1f} s")
    return rows


def _reasons(result: JobResult, rows: Sequence[dict[str, Any]]) -> str:
    """What ended the job early; the first request that was wrong; what the job complained of."""
    wrong = [(number, row) for number, row in enumerate(rows, 1) if not row["ok"] and row.get("text")]
    reasons = [f"{result.problem}, requests done before: {len(rows)}"] if result.problem else []
    if wrong:
        number, row = wrong[0]
        others = f", and {len(wrong) - 1} more are wrong" if len(wrong) > 1 else ""
        reasons.append(f"request {number} ({_request_in_words(row)}): {row['text']}{others}")
    reasons += (result.result or {}).get("problems", [])
    return "; ".join(reasons) or "its job says so, but not why"


def _request_in_words(row: dict[str, Any]) -> str:
    """Those settings of a Cell that are not the usual ones, and the strategy of XTS."""
    usual = {field.name: field.default for field in fields(Cell)}
    said = [name for name in usual if name in row and (
        row[name] != usual[name] or (name, row.get("mode")) == ("strategy", "xts"))]
    return ", ".join(name if row[name] is True else f"{name.replace('_', ' ')} {row[name]}" for name in said)


def _constants(tasks: Sequence[Task]) -> list[str]:
    """A line for each profile that the tasks use."""
    lines = []
    for name in dict.fromkeys(task.bench.profile for task in tasks):
        constants = ", ".join(f"{key} {one.value:,.10g}{' fitted' if one.fitted else ''}"
                              for key, one in PROFILES[name].constants().items())
        if constants:
            lines.append(f"Constants of {name}, in cycles of its engine: {constants}.")
    return lines


def _show(experiment: Experiment, done: Reproduction, display: Display) -> None:
    display.out(f"\n{experiment.title}")
    if done.failure:
        display.out(f"{done.result}: {done.failure}")
        return
    labels = done.outcomes[0].labels
    columns = {name: name.replace("_", " ") for name in labels}
    columns |= {"part": "part", "published": f"published {done.unit}", "simulated": f"simulated {done.unit}",
                "error": "error", "bound": "bound"}
    numbers = [name for name, value in labels.items() if isinstance(value, int | float)
               and not isinstance(value, bool)]
    display.table(columns, [_cells(outcome, done.unit) for outcome in done.outcomes],
                  right=[*numbers, "published", "simulated", "error", "bound"])
    parts = dict.fromkeys(outcome.part for outcome in done.outcomes)
    display.out("; ".join(f"{part}: {PARTS[part]}" for part in PARTS if part in parts))
    for check in done.checks:
        display.out(f"{'ok' if check.ok else 'FAIL'}: {check.text}: {check.found}")
    for note in done.notes:
        display.out(f"- {note}")


def _cells(outcome: Outcome, unit: str) -> dict[str, Any]:
    return {**{name: label(value) for name, value in outcome.labels.items()}, "part": outcome.part,
            "published": figure(outcome.published, unit), "simulated": figure(outcome.simulated, unit),
            "error": per_cent(outcome.error, sign=True),
            "bound": per_cent(outcome.bound) + ("" if outcome.ok else " FAIL"),
            "verdict": "pass" if outcome.ok else "fail"}


def _summary(done: Sequence[Reproduction], display: Display) -> None:
    rows = [{"experiment": one.experiment, "cells": len(one.outcomes), "max": per_cent(one.max_error),
             "mean": per_cent(one.mean_error), **{part: one.errors_in_words(part) for part in BOUNDED},
             "result": one.result, "verdict": "pass" if one.ok else "fail"} for one in done]
    display.table(SUMMARY, rows)
    for one in done:
        if one.failure:
            display.out(f"{one.result} {one.experiment}: {one.failure}")

