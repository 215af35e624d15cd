"""ecbench reproduce, when something is outside its bound or goes wrong: exit code, text, JSON and page."""

import json
import re

import pytest

from pymodel.cli import run_command_line
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.speed import Cell
from pymodel.published.cells import FIT, JUDGE, ORDER, SHOWN, Condition, Outcome, Reproduction
from pymodel.published.experiment import Task
from pymodel.regress.launch import JobResult

COMMAND = "pymodel.regress.reproduce_command"
CELLS = (Cell("ecb", 128, 16), Cell("cbc", 192, 32, decrypt=True), Cell("xts", 256, 64, policy="always"))


class Made:
    """An experiment of so many ``tasks``, all with the same ``requests``. Its cells have the ``errors`` that
    it is told, and a bound of a quarter."""

    def __init__(self, *errors, parts=None, requests=CELLS, tasks=1, **more):
        self.errors, self.parts, self.more = errors or (0,), parts, more
        self.requests, self.count = requests, tasks

    def tasks(self):
        cells = {"cells": [cell.to_json() for cell in self.requests]}
        return [Task("speed", BenchSpec(profile="via-2008"), cells) for _ in range(self.count)]

    def judge(self, rows):
        assert len(rows) == len(self.requests) * self.count
        parts = self.parts or [JUDGE] * len(self.errors)
        cells = [Outcome({"size": 64}, 64, 64 * (1 + error), part, None if part == SHOWN else 0.25)
                 for part, error in zip(parts, self.errors, strict=True)]
        return Reproduction(self.name, "cycles", cells, **self.more)


@pytest.fixture
def reproduced(monkeypatch, capsys, tmp_path):
    """``reproduced(one=Made(...), two=...)``: the experiments by name; exit code, output, JSON and page."""
    def run(*arguments, **experiments):
        for name, experiment in experiments.items():
            experiment.name, experiment.title = name, f"Title of {name}"
        monkeypatch.setattr(f"{COMMAND}.EXPERIMENTS", experiments)
        files = tmp_path / "rows.json", tmp_path / "page.html"
        code = run_command_line(["reproduce", *arguments, "--json", str(files[0]), "--html", str(files[1])])
        return code, capsys.readouterr().out, json.loads(files[0].read_text()), files[1].read_text()
    return run


@pytest.fixture
def launched(monkeypatch):
    """``launched(result, rows)``: what every job returns and reports instead of being run."""
    def replace(result, rows):
        class Launcher:
            def __init__(self, *_):
                pass

            def run(self, _, report):
                for row in rows:
                    report({"kind": "row", **row})
                return result
        monkeypatch.setattr(f"{COMMAND}.Launcher", Launcher)
    return replace


@pytest.fixture
def only_ecb_is_right(monkeypatch):
    """What is expected of every other mode is wrong."""
    from pymodel.jobs import speed_requests
    right = speed_requests.reference
    monkeypatch.setattr(speed_requests, "reference", lambda mode, *rest, **more: (
        right(mode, *rest, **more) if mode == "ecb" else b""))


def summary(output):
    """Words of each experiment's line in the last table."""
    lines = output[output.rindex("experiment "):].splitlines()[2:]
    return {line.split()[0]: re.split(r"  +", line.strip()) for line in lines if line.startswith(" ")
            and line.strip()}


@pytest.mark.parametrize(("experiment", "check"), [
    (Made(0.2501), "FAIL: cells within their bounds: 0 of 1"),
    (Made(-0.2501, 0), "FAIL: cells within their bounds: 1 of 2"),
    (Made(0.2, -0.2, mean_bound=0.19), "FAIL: mean error within 19.0 %: 20.00 %"),
    (Made(conditions=[Condition("the moon", "cheese", False)]), "FAIL: the moon: cheese"),
])
@pytest.mark.parametrize("others", [("before",), ("after",), ()])
def test_one_check_that_fails_ends_in_1_and_is_shown(reproduced, experiment, check, others):
    experiments = {"before": Made(), "bad": experiment, "after": Made()}
    code, output, written, page = reproduced(**{name: one for name, one in experiments.items()
                                                if name == "bad" or name in others})
    assert (code, written["ok"]) == (1, False)
    right = {row["experiment"]: row["ok"] for row in written["rows"]}
    assert right == {"bad": False, **dict.fromkeys(others, True)}
    assert check in output.splitlines()
    assert f'<p class="fail">{check}</p>' in page
    results = {name: line[-1] for name, line in summary(output).items()}
    assert results == {"bad": "OUTSIDE", **dict.fromkeys(others, "inside")}
    assert f'<td><a href="#bad">bad</a></td>\n<td class="number">{len(experiment.errors)}</td>' in page
    assert "<td>OUTSIDE</td>" in page


def test_all_inside_ends_in_0(reproduced):
    one = Made(0.25, -0.25, mean_bound=0.25, conditions=[Condition("the moon", "rock", True)])
    code, output, written, page = reproduced(one=one, two=Made())
    assert (code, written["ok"], [row["ok"] for row in written["rows"]]) == (0, True, [True, True])
    for check in ("ok: cells within their bounds: 2 of 2", "ok: mean error within 25.0 %: 25.00 %",
                  "ok: the moon: rock"):
        assert check in output.splitlines()
        assert f"<p>{check}</p>" in page
    assert not re.search("FAIL|OUTSIDE", output)
    assert not re.search("FAIL|OUTSIDE", page)


def test_the_line_of_a_cell_outside_its_bound_says_so(reproduced):
    _, output, _, _ = reproduced(one=Made(0.125, 0.5))
    found = re.findall(r"^ *64 +judge .* ([+-].*?) *$", output, re.MULTILINE)
    assert [re.split("  +", line) for line in found] == [["+12.5 %", "25.0 %"], ["+50.0 %", "25.0 % FAIL"]]


def test_the_summary_counts_as_judged_what_the_fit_did_not_use(reproduced):
    parts = [FIT, FIT, ORDER, JUDGE, JUDGE, SHOWN]
    _, output, written, page = reproduced(one=Made(0.25, 0.125, 0.0625, 0.125, 0, 9, parts=parts))
    row = ["one", "6", "25.0 %", "11.2 %", "2: 25.0 %, 18.8 %", "1: 6.2 %, 6.2 %", "2: 12.5 %, 6.2 %",
           "inside"]
    assert summary(output)["one"] == row
    in_page = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert re.findall(r">([^<>\n]+)</", in_page) == row
    assert written["rows"] == [{"experiment": "one", "cells": 6, "max_error": 0.25, "mean_error": 0.1125,
                                "ok": True}]
    assert ("fit: constants were fitted to the cell; order: the fit used only which of two such cells is "
            "faster; judge: the fit did not use the cell; shown: the cell is neither fitted nor judged"
            ) in output.splitlines()


def test_of_the_parts_those_that_occur_are_explained(reproduced):
    _, output, _, _ = reproduced(one=Made(0, 0, parts=[SHOWN, JUDGE]))
    line = "judge: the fit did not use the cell; shown: the cell is neither fitted nor judged"
    assert line in output.splitlines()


def test_the_constants_of_the_profile_are_shown_and_which_are_fitted(reproduced):
    _, output, _, page = reproduced(one=Made())
    [line] = re.findall(r"^- Constants of via-2008, in cycles of its engine: (.*)\.$", output, re.MULTILINE)
    assert re.search(r"request [\d.]+ fitted, ", line)
    assert re.search(r"xor [\d.]+, ", line)
    assert line in page


def test_a_request_with_wrong_output_fails_its_experiment_and_is_named(reproduced, only_ecb_is_right):
    code, output, written, page = reproduced(one=Made())
    reason = ("FAILED: request 2 (mode cbc, key bits 192, bytes 32, decrypt): wrong output, and 1 more are "
              "wrong")
    assert code == 1
    assert output.splitlines()[1:3] == ["Title of one", reason]
    assert summary(output)["one"][-1] == "FAILED"
    assert output.splitlines()[-1] == reason.replace("FAILED", "FAILED one")
    assert written == {"ok": False, "rows": [
        {"experiment": "one", "cells": 0, "max_error": None, "mean_error": None, "ok": False}]}
    assert f'<p class="fail">{reason}</p>' in page
    assert f"<td>{reason}</td>" in page


def test_what_failed_stands_beside_what_did_not(reproduced, only_ecb_is_right):
    code, output, written, page = reproduced(
        one=Made(0.125, requests=CELLS[:1]), two=Made(requests=CELLS[1:2]),
        three=Made(0.125, requests=CELLS[:1]))
    assert (code, written["ok"]) == (1, False)
    assert written["rows"] == [
        {"experiment": "one", "cells": 1, "max_error": 0.125, "mean_error": 0.125, "ok": True},
        {"experiment": "two", "cells": 0, "max_error": None, "mean_error": None, "ok": False},
        {"experiment": "three", "cells": 1, "max_error": 0.125, "mean_error": 0.125, "ok": True}]
    lines = summary(output)
    assert [lines[name][-1] for name in ("one", "two", "three")] == ["inside", "FAILED", "inside"]
    assert output.splitlines()[-1].startswith("FAILED two: request 1 (mode cbc, ")
    for name in ("one", "two", "three"):
        assert page.count(f'<h2 id="{name}">Title of {name}</h2>') == 1


@pytest.mark.parametrize(("result", "rows", "reason"), [
    (JobResult(None, "the simulator ended without a result"), [{"ok": True, "text": ""}] * 2,
     "the simulator ended without a result, requests done before: 2"),
    (JobResult(None, "TimeoutError: no end"), [{"ok": True, "text": ""}, {**Cell("ctr", 128, 5).to_json(),
                                                                        "ok": False, "text": "late"}],
     "TimeoutError: no end, requests done before: 2; request 2 (mode ctr, key bits 128, bytes 5): late"),
    (JobResult({"ok": False, "problems": ["a fault", "a page"]}, ""), [{"ok": True, "text": ""}],
     "a fault; a page"),
    (JobResult({"ok": False, "problems": []}, ""), [{"ok": False}], "its job says so, but not why"),
    (JobResult({"ok": True, "problems": []}, "the simulator left with 1"), [{"ok": True, "text": ""}],
     "the simulator left with 1, requests done before: 1"),
    (JobResult(None, ""), [], "its job says so, but not why"),
    (JobResult({"ok": False, "problems": []}, ""), [
        {**Cell("xts", 512, 48, policy="always").to_json(), "ok": False, "text": "wrong output"}],
     "request 1 (mode xts, key bits 512, bytes 48, strategy two-pass, policy always): wrong output"),
])
def test_the_reason_of_a_failure_is_what_was_found(reproduced, launched, result, rows, reason):
    launched(result, rows)
    code, output, written, page = reproduced(one=Made())
    assert (code, written["ok"], written["rows"][0]["ok"]) == (1, False, False)
    assert f"FAILED: {reason}" in output.splitlines()
    assert f"<td>FAILED: {reason}</td>" in page


def test_requests_are_numbered_through_all_tasks_of_an_experiment(reproduced, launched):
    rows = [{"ok": True, "text": ""}] * 3
    launched(JobResult({"ok": True, "problems": []}, ""), rows)
    assert reproduced(one=Made(tasks=2))[0] == 0
    launched(JobResult(None, "gone"), rows)
    assert "FAILED: gone, requests done before: 3" in reproduced(one=Made(tasks=2))[1]


def test_only_the_experiment_that_is_named_is_run(reproduced):
    code, output, written, _ = reproduced("two", one=Made(9), two=Made())
    assert (code, [row["experiment"] for row in written["rows"]]) == (0, ["two"])
    assert "Title of one" not in output
