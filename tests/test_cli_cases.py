"""The command ``ecbench cases``: what it prints, and its exit codes."""

import json
import shlex
import subprocess
import sys

import pytest
from command import rows_of, run
from conftest import CASE_FILE

from pymodel.jobs.engines import ENGINES

FAILING_CASE = {"name": "wrong on purpose", "mode": "ecb", "key": "00" * 16, "input": {"zeros": 16},
                "expect": {"out": {"hex": "00" * 16}}}


def test_a_failing_case_whose_name_cannot_be_written_is_shown(tmp_path):
    """In a process of its own, whose output is strict as that of a terminal is."""
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [{**FAILING_CASE, "name": "\ud800"}]}))
    ended = subprocess.run([sys.executable, "-m", "pymodel", "cases", tmp_path / "cases.json"],
                           capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout.startswith("FAIL \\ud800: wrong output")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_cases_on_the_model_end_with_the_count(capsys, engine):
    assert run("cases", CASE_FILE, "--engine", engine, "--on", "model", "--subset", "core") == 0
    assert capsys.readouterr().out == "25 passed, 0 failed, 0 skipped\n"


def test_each_failing_case_is_one_line_and_exit_code_1(tmp_path, capsys):
    file = tmp_path / "cases.json"
    core = json.loads(CASE_FILE.read_text())["cases"][:3]
    later = {**FAILING_CASE, "name": "a mode of the future", "mode": "gcm"}
    file.write_text(json.dumps({"cases": [*core, FAILING_CASE, later]}))
    assert run("cases", file, "--json", tmp_path / "rows.json") == 1
    failure, replay, count = capsys.readouterr().out.splitlines()
    assert failure == "FAIL wrong on purpose: wrong output (16 bytes)"
    assert count == "3 passed, 1 failed, 1 skipped"
    ok, rows = rows_of(tmp_path / "rows.json")
    assert not ok
    assert [row["verdict"] for row in rows] == ["pass"] * 3 + ["fail", "skip"]
    assert replay.startswith(f"replay: ecbench cases {file} --engine padlock ")
    assert run(*shlex.split(replay)[2:]) == 1
    assert capsys.readouterr().out.splitlines() == [failure, replay, count]


def test_cases_that_are_all_skipped_are_no_success(tmp_path, capsys):
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"cases": [{**FAILING_CASE, "mode": "gcm", "name": name} for name in "ab"]}))
    assert run("cases", file, "--json", tmp_path / "rows.json") == 1
    assert capsys.readouterr().out == ("FAIL nothing was run: mode gcm does not exist\n"
                                       "0 passed, 0 failed, 2 skipped\n")
    assert not rows_of(tmp_path / "rows.json")[0]


def test_cases_on_rtl(sim, tmp_path, capsys):
    file = tmp_path / "cases.json"
    by_name = {case["name"]: case for case in json.loads(CASE_FILE.read_text())["cases"]}
    file.write_text(json.dumps({"cases": [by_name["seq-abort-ecb16"], FAILING_CASE]}))
    assert run("cases", file, "--on", "rtl", "--sim", sim.name) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("FAIL wrong on purpose: wrong output (16 bytes)\nreplay: ecbench cases ")
    assert f" --on rtl --sim {sim.name} --waves\nlog: " in shown
    assert shown.endswith("1 passed, 1 failed, 0 skipped\n")
