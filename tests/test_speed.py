"""ecbench speed: tcrypt's tables, CSV, JSON and a plot; the same cycles on the model and on RTL."""

import csv
import json
import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from conftest import ROOT

from pymodel.cli import run_command_line
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.engines import KINDS
from pymodel.jobs.speed import Cell, measure_speed_of_requests
from pymodel.regress import plot
from pymodel.regress.speed_command import COLUMNS

SVG = "{http://www.w3.org/2000/svg}"


def printed(capsys, *arguments):
    code = run_command_line(["speed", *arguments])
    captured = capsys.readouterr()
    assert code == 0, captured
    return captured.out


def rows_of(tmp_path, *arguments):
    file = tmp_path / "rows.json"
    assert run_command_line(["speed", *arguments, "--json", str(file)]) == 0
    written = json.loads(file.read_text())
    assert written["ok"] is True
    return written["rows"]


def test_a_table_is_in_the_format_of_tcrypt(capsys):
    assert printed(capsys, "--profile", "via-2008", "--policy", "always", "--strategy", "per-block",
                   "--direction", "decrypt", "--key-bits", "256", "--key-bits", "512",
                   "--bytes", "16", "--bytes", "64") == """\
testing speed of xts(aes) decryption
test 0 (256 bit key, 16 byte blocks): 1 operation in 941 cycles (16 bytes)
test 1 (256 bit key, 64 byte blocks): 1 operation in 1622 cycles (64 bytes)
test 2 (512 bit key, 16 byte blocks): 1 operation in 977 cycles (16 bytes)
test 3 (512 bit key, 64 byte blocks): 1 operation in 1712 cycles (64 bytes)
"""


def test_without_options_it_is_xts_in_both_directions_with_all_keys_and_sizes_of_tcrypt(capsys):
    lines = printed(capsys).splitlines()
    headings = [line for line in lines if not line.startswith("test ") and line]
    assert headings == ["testing speed of xts(aes) encryption", "testing speed of xts(aes) decryption"]
    tests = [re.fullmatch(r"test (\d+) \((\d+) bit key, (\d+) byte blocks\): 1 operation in \d+ cycles "
                          r"\((\d+) bytes\)", line) for line in lines if line.startswith("test ")]
    wanted = [(str(number), str(bits), str(size), str(size)) for _ in range(2) for number, (bits, size) in
              enumerate((bits, size) for bits in (256, 384, 512) for size in (16, 64, 256, 1024, 8192))]
    assert [test.groups() for test in tests] == wanted


@pytest.mark.parametrize("mode", ["xts", "cbc", "ecb", "ctr"])
@pytest.mark.parametrize("engine", ["padlock", "qce"])
def test_every_engine_and_mode_has_a_table(tmp_path, engine, mode):
    rows = rows_of(tmp_path, "--engine", engine, "--mode", mode, "--bytes", "64", "--bytes", "512")
    assert all(row["cycles"] >= row["engine_cycles"] for row in rows)
    in_software = [row for row in rows if not row["hardware_blocks"]]
    sizes = {row["key_bits"] // (2 if mode == "xts" else 1) for row in in_software}
    assert sizes == ({192} if engine == "qce" else set())


def test_a_threshold_sends_short_requests_to_software_and_takes_no_engine_cycles(tmp_path):
    rows = rows_of(tmp_path, "--engine", "qce", "--mode", "ecb", "--key-bits", "128", "--direction",
                   "encrypt", "--bytes", "512", "--bytes", "1024", "--threshold", "512", "--profile",
                   "ipq-2020")
    assert [(row["hardware_blocks"], row["software_blocks"]) for row in rows] == [(0, 32), (64, 0)]
    assert rows[0]["engine_cycles"] == 0
    assert rows[0]["cycles"] == 132 + int(16.9 * 32 + 0.5) + int(9.88 * 320 + 0.5)
    assert rows[1]["aes_sw_max_len"] == 512


def test_a_rate_is_given_where_the_profile_has_a_clock(tmp_path):
    row = rows_of(tmp_path, "--profile", "via-nano-2010", "--bytes", "512", "--key-bits", "256")[0]
    assert row["bytes_per_second"] == round(512 * 1.288e9 / row["cycles"])
    assert rows_of(tmp_path, "--bytes", "512", "--key-bits", "256")[0]["bytes_per_second"] is None


def test_the_csv_has_the_rows_of_the_json(tmp_path, capsys):
    file = tmp_path / "rows.csv"
    rows = rows_of(tmp_path, "--bytes", "64", "--key-bits", "256", "--csv", str(file))
    with file.open(newline="") as text:
        written = list(csv.DictReader(text))
    assert tuple(written[0]) == COLUMNS
    assert [[row[name] for name in COLUMNS] for row in written] == [
        ["" if row[name] is None else str(row[name]) for name in COLUMNS] for row in rows]


def test_the_plot_has_a_line_for_each_direction_and_key_with_a_point_for_each_size(monkeypatch, tmp_path):
    figures, make = [], plot.figure
    monkeypatch.setattr(plot, "figure", lambda curves: figures.append(make(curves)) or figures[-1])
    file = tmp_path / "plot.svg"
    arguments = ["--bytes", "64", "--bytes", "16", "--bytes", "256", "--key-bits", "256", "--key-bits", "512"]
    made = rows_of(tmp_path, *arguments, "--plot", str(file))
    [axes] = figures[0].axes
    drawn = {line.get_label(): [*zip(*line.get_data(), strict=True)] for line in axes.lines}
    wanted = {}
    for row in made:
        name = f"xts(aes), {row['key_bits']} bit key, {row['direction']}"
        wanted.setdefault(name, []).append((row["bytes"], row["cycles"]))
    assert drawn == {name: sorted(points) for name, points in wanted.items()}
    texts = [text.text for text in ElementTree.parse(file).getroot().iter(f"{SVG}text")]
    assert {*wanted, "padlock, no host work", "request (bytes)", "time (cycles)", "16", "256"} <= set(texts)


def test_the_same_rows_give_the_same_plot_without_a_date(capsys, tmp_path):
    files = [tmp_path / name for name in ("once.svg", "again.svg")]
    for file in files:
        printed(capsys, "--bytes", "64", "--key-bits", "256", "--plot", str(file))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert b"date" not in files[0].read_bytes()


@pytest.mark.parametrize("keys", [["--key-bits", "384"], []])
def test_requests_that_take_no_cycles_have_a_plot(capsys, tmp_path, keys):
    """The QCE has no AES-192, and software costs nothing without a profile."""
    file = tmp_path / "plot.svg"
    printed(capsys, "--engine", "qce", "--bytes", "64", *keys, "--plot", str(file))
    assert "0" in [text.text for text in ElementTree.parse(file).getroot().iter(f"{SVG}text")]


def test_a_plot_that_cannot_be_drawn_leaves_the_older_one(monkeypatch, tmp_path):
    file = tmp_path / "plot.svg"
    file.write_text("older")
    monkeypatch.setattr(plot, "figure", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_command_line(["speed", "--bytes", "64", "--plot", str(file)])
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("plot.svg", "older")]


def test_matplotlib_and_jinja_are_imported_by_what_draws_only():
    code = "import sys, pymodel.cli; sys.exit(bool({'matplotlib', 'jinja2'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_same_request_takes_the_same_cycles_again():
    cell = Cell("xts", 256, 500, strategy="two-pass").to_json()
    rows = []
    bench = model_bench(BenchSpec(profile="via-2008"))
    bench.kernel.run(measure_speed_of_requests(bench, {"cells": [cell] * 3}, rows.append))
    assert rows[0] == rows[1] == rows[2]


def test_an_engine_that_leaves_its_work_to_software_makes_it_fail(capsys, monkeypatch):
    """The QCE's driver, at a threshold that nobody asked for."""
    made = KINDS["qce"].driver
    idle = replace(KINDS["qce"],
                   driver=lambda bench, options: made(bench, {**options, "aes_sw_max_len": 512}))
    monkeypatch.setattr("pymodel.jobs.bench.KINDS", {**KINDS, "qce": idle})
    assert run_command_line(["speed", "--engine", "qce", "--mode", "ecb", "--bytes", "64", "--key-bits",
                             "128", "--direction", "encrypt"]) == 1
    assert capsys.readouterr().out.endswith("(64 bytes)  FAIL: the engine did 0 of 4 blocks\n")


def test_a_policy_that_uses_an_old_key_makes_it_fail(capsys):
    """Two keys in a row under context-pointer: the second is set, and the engine goes on with the first."""
    arguments = ["speed", "--policy", "context-pointer", "--mode", "ecb", "--bytes", "64", "--key-bits",
                 "128", "--key-bits", "256", "--direction", "encrypt"]
    assert run_command_line(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("FAIL: wrong output") for line in lines[1:3]] == [False, True]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--mode", "lrw"], "unknown mode 'lrw': choose one of xts, cbc, ecb, ctr"),
    (["--key-bits", "128"], "xts with a key of 128 bits: choose one of 256, 384, 512"),
    (["--bytes", "15"], "xts of 15 bytes: 16 to 1048576"),
    (["--bytes", "1048577"], "xts of 1048577 bytes: 16 to 1048576"),
    (["--bytes", "0", "--mode", "ctr"], "ctr of 0 bytes: 1 to 1048576"),
    (["--mode", "ecb", "--strategy", "batch"], "--strategy is for xts, not for ecb"),
    (["--mode", "ecb", "--mode", "cbc", "--data-unit", "512"], "--data-unit is for xts, not for ecb, cbc"),
    (["--mode", "cbc", "--bytes", "17"],
     "cbc of 17 bytes: whole blocks of 16"),
    (["--strategy", "fast"], "unknown strategy 'fast': choose one of two-pass, per-block, cached, batch"),
    (["--data-unit", "8"], "data units of 8 bytes: at least 16"),
    (["--data-unit", "512", "--bytes", "520"], "the last data unit would have 8 bytes: at least 16"),
    (["--direction", "up"], "unknown direction 'up': choose one of encrypt, decrypt, both"),
    (["--profile", "pentium"], "unknown profile 'pentium': choose one of none, via-2008, via-nano-2010, "
                               "ipq-2020, x86-2018"),
    (["--policy", "often"], "unknown policy 'often': choose one of engine-state, always, context-pointer, "
                            "control-word-pointer"),
    (["--engine", "qce", "--policy", "always"], "--policy is for padlock, not for qce"),
    (["--engine", "qce", "--host-expands"], "--host-expands is for padlock, not for qce"),
    (["--threshold", "0"], "--threshold is for qce, not for padlock"),
    (["--engine", "abacus"], "unknown engine 'abacus': choose one of padlock, qce"),
])
def test_bad_input_is_refused_in_one_line(capsys, arguments, message):
    assert run_command_line(["speed", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"ecbench: {message}\n"


def test_a_plot_that_cannot_be_written_is_refused_before_anything_runs(capsys, tmp_path):
    assert run_command_line(["speed", "--plot", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"ecbench: cannot write {tmp_path}: it is a directory\n"


@pytest.mark.parametrize("engine", ["padlock", "qce"])
def test_on_rtl_every_request_takes_the_same_cycles(sim, tmp_path, engine):
    profile = {"padlock": "via-2008", "qce": "ipq-2020"}[engine]
    arguments = ["--engine", engine, "--profile", profile, "--mode", "xts", "--mode", "cbc", "--bytes", "64",
                 "--bytes", "512", "--direction", "decrypt"]
    on_model = rows_of(tmp_path, *arguments)
    assert rows_of(tmp_path, *arguments, "--on", "rtl", "--sim", sim.name) == on_model


def test_the_worked_example_of_the_manual_is_what_the_command_prints(capsys):
    page = (ROOT / "docs" / "timing.md").read_text()
    command = re.search(r"^    ecbench speed (.*?)\n\n", page, re.DOTALL | re.MULTILINE)[1]
    line = re.search(r"prints `(1 operation in \d+ cycles \(\d+ bytes\))`", page)[1]
    assert printed(capsys, *command.replace("\\\n", " ").split()).splitlines()[1].endswith(line)
    parts = [int(part.replace(",", "")) for part in
             re.findall(r"^\| (?:host|engine|between) \|.*\| ([\d,]+) \|$", page, re.MULTILINE)]
    assert sum(parts) == int(re.search(r"^\| \| \| ([\d,]+) \|$", page, re.MULTILINE)[1].replace(",", ""))
    assert f"in {sum(parts)} cycles" in line
