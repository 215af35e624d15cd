"""Two outputs of one command never go to one file, and what is no Python is not simulated."""

import json
import os
import threading

import pytest

from pymodel.cli import run_command_line


@pytest.mark.parametrize("words", [
    ["speed", "--json", "OUT", "--csv", "OUT"],
    ["speed", "--csv", "OUT", "--plot", "OUT"],
    ["reproduce", "--json", "OUT", "--html", "OUT"],
])
def test_one_file_for_two_outputs_is_refused(tmp_path, capsys, words):
    out = tmp_path / "out"
    assert run_command_line([str(out) if word == "OUT" else word for word in words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "are the same file" in lines[0]
    assert not out.exists()


def test_a_test_file_that_is_no_python_is_refused_before_anything_is_built(tmp_path, capsys):
    file = tmp_path / "broken.py"
    file.write_text("x = 1\nthis is no python(\n")
    assert run_command_line(["test", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "broken.py: line 2:" in lines[0]


def test_no_end_of_requests_is_refused(capsys):
    assert run_command_line(["run", "--requests", "99999999999999999999", "--on", "model"]) == 2
    assert "'--requests': Input should be less than or equal to 1000000" in capsys.readouterr().err


def test_the_catalogue_of_quirks_is_shown_whole(tmp_path):
    assert run_command_line(["quirks", "--json", str(tmp_path / "rows.json")]) == 0
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert {row["bit"] for row in rows} == set(range(14))
    assert {row["engine"] for row in rows} == {"padlock", "qce"}
    assert all({"bit", "name", "engine", "naive", "right", "off"} <= set(row) for row in rows)


@pytest.mark.parametrize("option", ["--json", "--csv", "--plot"])
def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path, option):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run_command_line(["speed", "--bytes", "64", "--key-bits", "256", option, str(pipe)]) == 0
    reader.join(10)
    assert pipe.is_fifo()
    assert "64" in got[0]
