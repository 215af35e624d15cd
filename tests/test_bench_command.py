"""ecbench bench: every layer has its rows, ratios are to the plain bench, and failures are no figures."""

import json
from types import SimpleNamespace

import pytest

from pymodel.cli import run_command_line
from pymodel.jobs.engines import ENGINES
from pymodel.regress import simulators
from pymodel.regress.bench_command import COLUMNS, REQUEST_BYTES
from pymodel.regress.plain import PlainBenchFailed, run_plain


@pytest.mark.parametrize("engine", ENGINES)
def test_every_layer_and_request_size_has_a_row(tmp_path, capsys, engine):
    file = tmp_path / "rows.json"
    code = run_command_line(["bench", "--engine", engine, "--seconds", "0.01", "--repeats", "1",
                             "--json", str(file)])
    assert code == 0, capsys.readouterr()
    written = json.loads(file.read_text())
    assert written["ok"] is True
    rows = written["rows"]
    layers = {(row["layer"], row["simulator"]) for row in rows}
    used = [simulator.name for simulator in simulators.installed()]
    assert layers == {("golden", ""), ("model", ""), *(("rtl", name) for name in used),
                      *(("plain", name) for name in used)}
    assert len(rows) == len(layers) * len(REQUEST_BYTES)
    for row in rows:
        assert set(row) == set(COLUMNS)
        assert row["blocks_per_second"] > 0
        assert (row["ratio_to_plain"] is None) == (row["layer"] in ("golden", "model"))
        assert row["layer"] != "plain" or row["ratio_to_plain"] == 1
        assert 0 <= row["python_share"] <= 1.01


@pytest.mark.parametrize("stages", ["0", "3", "15"])
def test_stages_that_do_not_exist_are_refused(capsys, stages):
    assert run_command_line(["bench", "--stages", stages]) == 2
    assert capsys.readouterr().err == f"ecbench: no core with {stages} stages: choose 1, 2 or 14\n"


@pytest.mark.parametrize(("printed", "message"), [
    ("BEGIN\nEND cycles 9 failures 1 violations 0 last 0\n", "1 failures and 0 AXI violations"),
    ("BEGIN\nEND cycles 9 failures 0 violations 2 last 0\n", "0 failures and 2 AXI violations"),
    ("BEGIN\n", "without its END"),
    ("END cycles 9 failures 0 violations 0 last 0\n", "without its END"),
])
def test_a_plain_bench_that_went_wrong_gives_no_figure(tmp_path, printed, message):
    program = tmp_path / "padlock_plain"
    program.write_text(f"#!/bin/sh\nprintf '{printed}'\n")
    program.chmod(0o755)
    simulator = SimpleNamespace(name="verilator", clean_environment=lambda: {"PATH": "/usr/bin:/bin"})
    made = SimpleNamespace(directory=tmp_path, simulator=simulator, top=SimpleNamespace(name="padlock_plain"))
    with pytest.raises(PlainBenchFailed, match=message):
        run_plain(made, 1, 1)
