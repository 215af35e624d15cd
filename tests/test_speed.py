"""ecbench speed: tcrypt's tables, CSV, JSON and a plot; the same cycles on the model and on RTL."""

import csv
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from conftest import ROOT

from pymodel.cli import run_command_line
from pymodel.errors import EngineHang
from pymodel.jobs import model_bench
from pymodel.modes import Cbc
from pymodel.regress import plot
from pymodel.regress.launch import JobResult
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
    assert printed(capsys, "--mode", "ecb", "--mode", "essiv", "--mode", "gcm", "--direction", "decrypt",
                   "--key-bits", "128", "--key-bits", "256", "--bytes", "16", "--bytes", "64") == """\
testing speed of ecb(aes) decryption
test 0 (128 bit key, 16 byte blocks): 1 operation in 33 cycles (16 bytes)
test 1 (128 bit key, 64 byte blocks): 1 operation in 66 cycles (64 bytes)
test 2 (256 bit key, 16 byte blocks): 1 operation in 37 cycles (16 bytes)
test 3 (256 bit key, 64 byte blocks): 1 operation in 82 cycles (64 bytes)

testing speed of essiv(cbc(aes),sha256) decryption
test 0 (128 bit key, 16 byte blocks): 1 operation in 117 cycles (16 bytes)
test 1 (128 bit key, 64 byte blocks): 1 operation in 150 cycles (64 bytes)
test 2 (256 bit key, 16 byte blocks): 1 operation in 128 cycles (16 bytes)
test 3 (256 bit key, 64 byte blocks): 1 operation in 173 cycles (64 bytes)

testing speed of gcm(aes) decryption
test 0 (128 bit key, 16 byte blocks): 1 operation in 44 cycles (16 bytes)
test 1 (128 bit key, 64 byte blocks): 1 operation in 99 cycles (64 bytes)
test 2 (256 bit key, 16 byte blocks): 1 operation in 52 cycles (16 bytes)
test 3 (256 bit key, 64 byte blocks): 1 operation in 119 cycles (64 bytes)
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


def test_a_rate_is_given_where_the_profile_has_a_clock(tmp_path):
    row = rows_of(tmp_path, "--profile", "ipq-2020", "--engine", "qce", "--bytes", "512", "--key-bits",
                  "256")[0]
    assert row["bytes_per_second"] == round(512 * 125e6 / row["cycles"])
    assert rows_of(tmp_path, "--bytes", "512", "--key-bits", "256")[0]["bytes_per_second"] is None


def test_the_csv_has_the_rows_of_the_json(tmp_path, capsys):
    file = tmp_path / "rows.csv"
    rows = rows_of(tmp_path, "--bytes", "64", "--key-bits", "256", "--csv", str(file))
    with file.open(newline="") as text:
        written = list(csv.DictReader(text))
    assert tuple(written[0]) == COLUMNS
    assert [[row[name] for name in COLUMNS] for row in written] == [
        ["" if row[name] is None else str(row[name]) for name in COLUMNS] for row in rows]


def test_tables_are_by_mode_as_asked_for_and_then_by_direction(capsys):
    arguments = ["--mode", "gcm", "--mode", "ecb", "--bytes", "64", "--key-bits", "128"]
    assert [line for line in printed(capsys, *arguments).splitlines() if line.startswith("testing")] == [
        f"testing speed of {mode}(aes) {direction}ryption" for mode in ("gcm", "ecb")
        for direction in ("enc", "dec")]


@pytest.mark.parametrize(("chosen", "title"), [
    (["--key-bits", "256", "--key-bits", "512"], "padlock, no host work"),
    (["--engine", "software", "--mode", "xts", "--mode", "essiv", "--key-bits", "256", "--data-unit", "32",
      "--profile", "x86-2018"], "software, host work as x86-2018, data units of 32 bytes")])
def test_the_plot_has_a_line_for_each_mode_direction_and_key_with_a_point_for_each_size(
        monkeypatch, tmp_path, chosen, title):
    figures, make = [], plot.figure
    monkeypatch.setattr(plot, "figure", lambda curves: figures.append(make(curves)) or figures[-1])
    file = tmp_path / "plot.svg"
    made = rows_of(tmp_path, "--bytes", "64", "--bytes", "16", "--bytes", "256", *chosen, "--plot", str(file))
    [axes] = figures[0].axes
    drawn = {line.get_label(): [*zip(*line.get_data(), strict=True)] for line in axes.lines}
    wanted = {}
    for row in made:
        name = f"{row['mode']}, {row['key_bits']} bit key, {row['direction']}"
        wanted.setdefault(name, []).append((row["bytes"], row["cycles"]))
    assert drawn == {name: sorted(points) for name, points in wanted.items()}
    texts = [text.text for text in ElementTree.parse(file).getroot().iter(f"{SVG}text")]
    assert len(wanted) == 4
    assert {*wanted, title, "request (bytes)", "time (cycles)", "16", "256"} <= set(texts)


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


def failed(capsys, tmp_path, *arguments):
    """What is printed, and the rows of both files."""
    files = tmp_path / "rows.json", tmp_path / "rows.csv"
    code = run_command_line(["speed", *arguments, "--json", str(files[0]), "--csv", str(files[1])])
    captured, written = capsys.readouterr(), json.loads(files[0].read_text())
    assert (code, written["ok"]) == (1, False)
    assert captured.err.endswith(", on model\n")
    with files[1].open(newline="") as text:
        return captured.out.splitlines(), written["rows"], list(csv.DictReader(text))


ECB = ["--mode", "ecb", "--bytes", "64", "--key-bits", "128", "--direction", "encrypt"]


def test_a_wrong_request_is_marked_and_makes_it_fail(capsys, tmp_path):
    """Two keys in a row under context-pointer: the second is set, and the engine goes on with the first."""
    lines, rows, table = failed(capsys, tmp_path, "--policy", "context-pointer", *ECB, "--key-bits", "256")
    assert [line.partition(" bytes)")[2] for line in lines[1:]] == ["", "  FAIL: wrong output"]
    assert [(row["ok"], row["text"]) for row in rows] == [(True, ""), (False, "wrong output")]
    assert [row["ok"] for row in table] == ["True", "False"]


def test_a_complaint_of_the_bench_makes_it_fail_though_every_result_is_right(capsys, monkeypatch, tmp_path):
    def complaining(spec):
        bench = model_bench(spec)
        bench.problems = lambda: ["a beat too many"]
        return bench

    monkeypatch.setattr("pymodel.regress.launch.model_bench", complaining)
    lines, rows, _ = failed(capsys, tmp_path, *ECB)
    assert lines[-1] == "FAIL: a beat too many"
    assert rows[0]["ok"] is True


def test_an_error_ends_the_table_and_makes_it_fail(capsys, monkeypatch, tmp_path):
    async def hang(*_):
        raise EngineHang("request 1", {}, 100)

    monkeypatch.setattr(Cbc, "encrypt", hang)
    lines, rows, table = failed(capsys, tmp_path, *ECB, "--mode", "cbc")
    assert lines[0] == "testing speed of ecb(aes) encryption"
    assert len(lines) == 3
    assert lines[2].startswith("FAIL: EngineHang: ")
    assert len(rows) == len(table) == 1


@pytest.mark.parametrize("result", [None, {"ok": True, "problems": []}])
def test_a_simulator_that_ends_badly_makes_it_fail(capsys, monkeypatch, tmp_path, result):
    monkeypatch.setattr("pymodel.regress.target.run_on_model", lambda *_: JobResult(result, "it crashed"))
    plot = tmp_path / "plot.svg"
    lines, rows, table = failed(capsys, tmp_path, *ECB, "--plot", str(plot))
    assert (lines, rows, table) == (["FAIL: it crashed"], [], [])
    assert not plot.exists()


def test_matplotlib_and_jinja_are_imported_by_what_draws_only():
    code = "import sys, pymodel.cli; sys.exit(bool({'matplotlib', 'jinja2'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("engine", ["padlock", "qce"])
def test_on_rtl_every_request_takes_the_same_cycles(sim, tmp_path, engine, monkeypatch):
    profile = {"padlock": "via-2008", "qce": "ipq-2020"}[engine]
    tables = [["--mode", "xts", "--mode", "cbc", "--bytes", "64", "--bytes", "512", "--direction", "decrypt"],
              ["--mode", "gcm", "--bytes", "40"],
              ["--mode", "essiv", "--mode", "cbc", "--bytes", "160", "--data-unit", "64", "--key-bits",
               "128"]]
    for table in tables:
        arguments = ["--engine", engine, "--profile", profile, *table]
        on_model = rows_of(tmp_path, *arguments)
        with monkeypatch.context() as patch:
            patch.setattr("pymodel.regress.target.run_on_model", None)
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
