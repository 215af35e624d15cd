"""The command ``ecbench reproduce``: published measurements, done again on the bench, side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodel.errors import InvalidRequest
from pymodel.published import EXPERIMENTS, Experiment
from pymodel.published.cells import FIT, JUDGE, Outcome, Reproduction, mean
from pymodel.regress.display import Display, check_writable, write_json, write_text
from pymodel.regress.launch import JobRequest
from pymodel.regress.reproduce_page import page, per_cent
from pymodel.regress.target import Launcher, Target

SUMMARY = {"experiment": "experiment", "cells": "cells", "max": "max error", "mean": "mean error",
           "fit": "of cells fitted", "judge": "of cells judged", "result": "result"}


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
    failed = False
    with display:
        for number, experiment in enumerate(chosen):
            display.progress(experiment.name, number, len(chosen))
            try:
                rows = _run(experiment, options, launchers, display)
            except ExperimentFailed as error:
                display.out(f"FAIL {experiment.name}: {error}")
                failed = True
                continue
            done.append(experiment.judge(rows))
            _show(experiment, done[-1], display)
    _summary(done, display)
    ok = not failed and all(one.ok for one in done)
    if options.json is not None:
        write_json(options.json, ok, [one.to_json() for one in done])
    if options.html is not None:
        write_text(options.html, page(done, {one.name: one.title for one in chosen}))
    return 0 if ok else 1


class ExperimentFailed(Exception):
    """Its requests did not all give the right bytes, or did not end."""


def _run(experiment: Experiment, options: ReproduceOptions, launchers: dict[str, Launcher],
         display: Display) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def report(line: dict[str, Any]) -> None:
        if line.pop("kind") == "row":
            rows.append(line)

    for task in experiment.tasks():
        engine = task.bench.engine
        if engine not in launchers:
            launchers[engine] = Launcher(Target(engine, options.on, options.sim), display)
        began = time.monotonic()
        result = launchers[engine].run(JobRequest(task.job, task.spec, task.bench), report)
        if result.problem or result.result is None or not result.result["ok"]:
            found = [result.problem, *(result.result or {}).get("problems", []), "wrong output"]
            raise ExperimentFailed(next(text for text in found if text))
        display.say(f"{experiment.name}: {len(rows)} requests in {time.monotonic() - began:.1f} s")
    return rows


def _show(experiment: Experiment, done: Reproduction, display: Display) -> None:
    display.out(f"\n{experiment.title}")
    columns = {name: name.replace("_", " ") for name in done.outcomes[0].labels}
    columns |= {"part": "part", "published": f"published {done.unit}", "simulated": f"simulated {done.unit}",
                "error": "error"}
    display.table(columns, [_cells(outcome) for outcome in done.outcomes])
    for condition in done.conditions:
        display.out(f"{'ok' if condition.ok else 'FAIL'}: {condition.text}: {condition.found}")
    for note in done.notes:
        display.out(f"- {note}")


def _cells(outcome: Outcome) -> dict[str, Any]:
    labels = {name: value if isinstance(value, str) else str(value) for name, value in outcome.labels.items()}
    return {**labels, "part": outcome.part, "published": outcome.published,
            "simulated": float(outcome.simulated), "error": per_cent(outcome.error, sign=True),
            "verdict": "pass" if outcome.ok else "fail"}


def _summary(done: Sequence[Reproduction], display: Display) -> None:
    rows = [{"experiment": one.experiment, "cells": len(one.outcomes), "max": per_cent(one.max_error),
             "mean": per_cent(one.mean_error), "fit": _part(one, FIT), "judge": _part(one, JUDGE),
             "result": "inside" if one.ok else "OUTSIDE", "verdict": "pass" if one.ok else "fail"}
            for one in done]
    display.table(SUMMARY, rows)


def _part(one: Reproduction, part: str) -> str:
    """Largest and mean error of the cells of a part that have a bound."""
    errors = one.errors(part)
    return f"{len(errors)}: {per_cent(max(errors))}, {per_cent(mean(errors))}" if errors else "-"
