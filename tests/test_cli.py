"""The command line: tables, JSON, exit codes, failures that say how to replay them, and interrupts."""

import itertools
import json
import os
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import interruptible
import pytest
from command import rows_of, run

from pymodel import __main__
from pymodel.jobs import run as run_job_module
from pymodel.jobs.ciphers import KEY_BYTES
from pymodel.jobs.engines import ENGINES
from pymodel.modes.xts import STRATEGIES
from pymodel.regress import run_command, simulators


def test_run_on_the_models_prints_a_row_for_each_engine_mode_and_key_size(tmp_path, capsys):
    assert run("run", "--on", "model", "--requests", 2, "--json", tmp_path / "rows.json") == 0
    ok, rows = rows_of(tmp_path / "rows.json")
    assert ok
    assert {(row["engine"], row["mode"], row["key_bits"]) for row in rows} == \
        {(engine, mode, 8 * size)
         for engine in ENGINES for mode, sizes in KEY_BYTES.items() for size in sizes}
    assert all(set(run_command.COLUMNS) <= set(row) for row in rows)
    for row in rows:
        assert (row["simulator"], row["verdict"]) == ("model", "pass")
        assert row["cycles_per_block"] == pytest.approx(row["engine_cycles"] / row["blocks"], abs=0.01)
        if row["engine"] == "qce" and row["key_bits"] == (384 if row["mode"] == "xts" else 192):
            assert row["software_blocks"] >= row["blocks"] > row["hardware_blocks"] == 0
        else:
            assert row["hardware_blocks"] >= row["blocks"] > row["software_blocks"] == 0
    shown = capsys.readouterr()
    for engine in ENGINES:
        assert len(re.findall(rf"^ {engine} ", shown.out, re.MULTILINE)) == len(rows) // len(ENGINES)
        assert f"{engine} xts on model: " in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["rows.json"]


def test_one_mode_and_a_file_of_one_s_own(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_bytes(b"x" * 5003)
    assert run("run", "--engine", "padlock", "--on", "model", "--mode", "cbc", "--requests", 0,
               "--file", file, "--json", tmp_path / "rows.json") == 0
    rows = rows_of(tmp_path / "rows.json")[1]
    assert {row["mode"] for row in rows} == {"cbc"}
    assert rows[-1]["work"] == "file letter.txt, padded"
    assert rows[-1]["blocks"] == 2 * 313
    assert rows[-1]["requests"] == 4


@pytest.mark.parametrize(("length", "blocks"), [(1, 1), (15, 1), (16, 2), (4096, 257), (8191, 512)])
def test_a_file_goes_through_every_mode_there_and_back(tmp_path, length, blocks):
    """``blocks``: of the padded file. XTS does not exist under a block."""
    file, output = tmp_path / "file", tmp_path / "rows.json"
    file.write_bytes(bytes(i & 255 for i in range(length)))
    modes = [mode for mode in KEY_BYTES if mode != "xts" or length >= 16]
    only = [word for mode in modes for word in ("--mode", mode)]
    assert run("run", "--on", "model", *only, "--requests", 0, "--file", file, "--json", output) == 0
    in_file = {(row["engine"], row["mode"]): (row["work"], row["blocks"], row["key_bits"])
               for row in rows_of(output)[1] if row["work"].startswith("file")}
    for engine, mode in itertools.product(ENGINES, modes):
        padded = mode in ("ecb", "cbc")
        assert in_file.pop((engine, mode)) == \
            ("file file, padded" if padded else "file file",
             2 * (blocks if padded else -(-length // 16)), 8 * KEY_BYTES[mode][-1])
    assert not in_file


def test_the_same_seed_gives_the_same_figures_and_another_seed_others(tmp_path):
    figures = []
    for seed in (5, 5, 6):
        assert run("run", "--on", "model", "--mode", "ecb", "--requests", 5, "--seed", seed,
                   "--json", tmp_path / "rows.json") == 0
        figures.append([(row["blocks"], row["engine_cycles"]) for row in rows_of(tmp_path / "rows.json")[1]])
    assert figures[0] == figures[1] != figures[2]


def test_every_strategy_of_xts_passes_and_has_figures_of_its_own(tmp_path, capsys):
    calls = set()
    for strategy in STRATEGIES:
        assert run("run", "--on", "model", "--mode", "xts", "--requests", 3, "--strategy", strategy,
                   "--json", tmp_path / "rows.json") == 0
        calls.add(sum(row["engine_cycles"] for row in rows_of(tmp_path / "rows.json")[1]))
    assert len(calls) > 1


def test_the_strategy_is_in_the_line_that_replays_a_failure(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_job_module, "expected",
                        lambda mode, key, iv, data, **more: (bytes(len(data)), None))
    assert run("run", "--engine", "padlock", "--on", "model", "--mode", "xts", "--requests", 1,
               "--strategy", "batch") == 1
    assert re.search(r"^replay: .* --strategy batch$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_result_fails_with_the_line_that_replays_it(tmp_path, monkeypatch, capsys, engine):
    right = run_job_module.expected

    def wrong_for_one(mode, key, iv, data, **more):
        result, next_iv = right(mode, key, iv, data, **more)
        return (result if len(key) != 48 else bytes([result[0] ^ 1]) + result[1:]), next_iv

    monkeypatch.setattr(run_job_module, "expected", wrong_for_one)
    output = tmp_path / "rows.json"
    assert run("run", "--engine", engine, "--on", "model", "--mode", "xts", "--requests", 7, "--seed", 3,
               "--json", output) == 1
    ok, rows = rows_of(output)
    assert not ok
    assert [(row["verdict"], row["failures"]) for row in rows] == \
        [("pass", 0), ("fail", 7), ("pass", 0), ("pass", 0)]
    shown = capsys.readouterr().out
    lines = [f"FAIL {engine} xts-384-{k}: wrong output from byte 0 on, 1 bytes differ\n" for k in range(5)]
    assert "".join([*lines, f"and 2 more in {engine} xts-384, requests\nreplay: "]) in shown
    replay = re.search(r"^replay: ecbench (.*)$", shown, re.MULTILINE)[1]
    assert run(*shlex.split(replay)) == 1
    again = capsys.readouterr().out
    assert f"FAIL {engine} xts-384-0: wrong output from byte 0 on, 1 bytes differ\n" in again


def test_an_error_of_the_job_is_a_failed_row_and_no_traceback(tmp_path, monkeypatch, capsys):
    def broken(path, mode, seed):
        raise ValueError("no more file")

    monkeypatch.setattr(run_job_module, "file_requests", broken)
    output = tmp_path / "rows.json"
    assert run("run", "--on", "model", "--mode", "ecb", "--requests", 1, "--json", output) == 1
    assert [(row["work"], row["verdict"]) for row in rows_of(output)[1]] == \
        [*[("requests", "pass")] * 3, ("file aes_ecb.v, padded", "fail")] * 2
    shown = capsys.readouterr().out
    for engine in ENGINES:
        assert f"FAIL {engine} ecb: ValueError: no more file\nreplay: ecbench run --engine {engine} " in shown


def test_run_on_rtl_has_the_figures_of_the_model(sim, tmp_path, capsys):
    figures = []
    for where in (["--on", "model"], ["--on", "rtl", "--sim", sim.name]):
        output = tmp_path / "rows.json"
        assert run("run", *where, "--mode", "xts", "--requests", 3, "--seed", 11, "--json", output) == 0
        ok, rows = rows_of(output)
        assert ok
        figures.append([(row["engine"], row["key_bits"], row["work"], row["hardware_blocks"],
                         row["software_blocks"], row["engine_cycles"]) for row in rows])
    assert figures[0] == figures[1]
    shown = capsys.readouterr().out
    for engine in ENGINES:
        log = re.search(rf"^log {engine} xts: (.*)$", shown, re.MULTILINE)[1]
        assert "cocotb" in Path(log).read_text()


@pytest.mark.parametrize(("engine", "bits", "name"), [
    ("padlock", [0, 1, 2, 3, 4, 5], "STICKY_KEY"),
    ("qce", [4, 6, 7, 8, 9, 10, 11, 12, 13], "STALE_DUMP_STATUS"),
])
def test_quirks_are_shown(tmp_path, capsys, engine, bits, name):
    assert run("quirks", "--engine", engine, "--json", tmp_path / "rows.json") == 0
    ok, rows = rows_of(tmp_path / "rows.json")
    assert ok
    assert [(row["engine"], row["bit"]) for row in rows] == [(engine, bit) for bit in bits]
    assert name in capsys.readouterr().out


OWN_TEST = """
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def passes(dut):
    pass

@cocotb.test()
async def fails(dut):
    await Timer(1, "ns")
    assert dut is None, "on purpose"
"""


def test_own_tests_run_with_the_verdict_in_the_exit_code(sim, tmp_path, capsys):
    file = tmp_path / "own.py"
    file.write_text(OWN_TEST)
    assert run("test", file, "--sim", sim.name, "--only", "passes") == 0
    shown = capsys.readouterr().out
    assert "own.passes" in shown
    assert re.search(r"^seed: +1$", shown, re.MULTILINE)
    assert run("test", file, "--sim", sim.name, "--seed", 7, "--json", tmp_path / "rows.json") == 1
    shown = capsys.readouterr().out
    assert "own.fails failed: on purpose" in shown
    assert re.search(r"^seed: +7$", shown, re.MULTILINE)
    assert f"replay: ecbench test {file} --only 'own\\.fails$' --top padlock_top --seed 7 --sim {sim.name} " \
        "--waves\n" in shown
    assert {row["name"]: row["status"] for row in rows_of(tmp_path / "rows.json")[1]} == \
        {"own.passes": "passed", "own.fails": "failed"}
    assert run("test", file, "--sim", sim.name, "--only", "nothing") == 1
    assert "no test matched 'nothing'" in capsys.readouterr().out


QCE_TEST = """
import cocotb
from cocotb_tests.env.bench import RtlBench
from pymodel import golden
from pymodel.modes import Xts

@cocotb.test()
async def a_sector(dut):
    bench = await RtlBench.start(dut)
    out = await bench.call(Xts(bench.engine(), bytes(range(32))).encrypt_bytes(bytes(16), bytes(528)))
    assert out == golden.xts_encrypt(bytes(range(32)), bytes(16), bytes(528))
    bench.check(at_least=3)
"""


def test_an_own_test_has_the_engine_of_its_top(sim, tmp_path):
    (tmp_path / "own.py").write_text(QCE_TEST)
    assert run("test", tmp_path / "own.py", "--top", "qce_top", "--sim", sim.name) == 0


def test_the_line_that_replays_an_own_test_runs_only_what_failed(tmp_path, capsys):
    (tmp_path / "own.py").write_text(OWN_TEST)
    quick = simulators.installed()[-1].name
    assert run("test", tmp_path / "own.py", "--sim", quick) == 1
    replay = re.search(r"^replay: ecbench (.*)$", capsys.readouterr().out, re.MULTILINE)[1]
    assert run(*shlex.split(replay), "--json", tmp_path / "rows.json") == 1
    assert [row["name"] for row in rows_of(tmp_path / "rows.json")[1]] == ["own.fails"]
    assert re.search(r"^waves: +\S+$", capsys.readouterr().out, re.MULTILINE)


def test_json_can_go_to_a_pipe_and_through_a_link(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with os.fdopen(os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)) as reader:
        assert run("quirks", "--json", tmp_path / "pipe") == 0
        assert json.loads(reader.read())["ok"]
    (tmp_path / "link.json").symlink_to(tmp_path / "rows.json")
    assert run("quirks", "--json", tmp_path / "link.json") == 0
    assert (tmp_path / "link.json").is_symlink()
    assert rows_of(tmp_path / "rows.json")[0]


def test_the_version_is_shown(capsys):
    assert run("--version") == 0
    assert re.fullmatch(r"ecbench \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_everything(number, tmp_path):
    quick = simulators.installed()[-1]
    output = tmp_path / "rows.json"
    process = interruptible.begin("run", "--sim", quick.name, "--requests", "100000", "--json", str(output),
                                  builds=tmp_path / "build")
    try:
        while not list(tmp_path.glob("build/runs/*/results.jsonl")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert errors.endswith("ecbench: interrupted\n")
    assert not output.exists()
    assert not _commands_naming(tmp_path)


def _commands_naming(directory):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(directory / "build").encode() in line:
                found.append(line)
    return found


class Interrupted:
    """A module that SIGINT meets while it is imported."""

    @property
    def run_command_line(self):
        raise KeyboardInterrupt


def test_an_interrupt_while_it_starts_is_one_line_and_130(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pymodel.cli", Interrupted())
    with pytest.raises(SystemExit) as end:
        __main__.main()
    assert (end.value.code, capsys.readouterr().err) == (130, "ecbench: interrupted\n")
