"""``ecbench run --vectors``: published vectors through the engines, in one command."""

import json

import pytest

from pymodel.cli import run_command_line
from pymodel.jobs import vectors
from pymodel.jobs.vectors import EVERYTHING, SETS

COUNTS = {"nist-ecb": 2138, "nist-cbc": 2138, "nist-xts": 2800, "wycheproof-xts": 246, "mct-cbc": 6}


def run(tmp_path, *words):
    file = tmp_path / "rows.json"
    code = run_command_line(["run", *words, "--json", str(file)])
    return code, json.loads(file.read_text()) if file.exists() else None


def test_all_is_every_vector_once():
    assert {name: len(SETS[name]()) for name in COUNTS if name in SETS} == {
        name: count for name, count in COUNTS.items() if name in SETS}
    assert set(COUNTS) < set(EVERYTHING)
    names = [(vector.name, vector.source) for name in EVERYTHING if name in SETS for vector in SETS[name]()]
    assert len(names) > 7200


def test_both_engines_pass_the_vectors_of_the_standards_on_the_model(tmp_path):
    sets = ("fips-197", "sp800-38a", "rfc-3686", "ieee-1619")
    code, result = run(tmp_path, "--on", "model", *(word for name in sets for word in ("--vectors", name)))
    assert (code, result["ok"]) == (0, True)
    assert [(row["engine"], row["set"]) for row in result["rows"]] == [
        (engine, name) for engine in ("padlock", "qce") for name in sets]
    assert all(row["passed"] == row["vectors"] > 0 < row["hardware_blocks"] for row in result["rows"])


@pytest.mark.parametrize("engine", ["padlock", "qce"])
def test_the_first_count_of_each_monte_carlo_chain_passes_on_rtl(engine, tmp_path, sim):
    code, result = run(tmp_path, "--engine", engine, "--sim", sim.name, "--vectors", "mct-cbc",
                       "--vectors", "rfc-3686")
    assert code == 0
    chains, standard = result["rows"]
    assert (chains["vectors"], chains["passed"]) == (6, 6)
    assert chains["hardware_blocks"] + chains["software_blocks"] == 6000
    assert standard["passed"] == standard["vectors"]


def test_a_wrong_vector_is_a_failure_that_says_which(tmp_path, monkeypatch, capsys):
    right = SETS["fips-197"]

    def wrong():
        first, *others = right()
        return [type(first)(**{**{name: getattr(first, name) for name in first.__slots__},
                               "expected": bytes(16)}), *others]

    monkeypatch.setattr(vectors, "SETS", {**SETS, "fips-197": wrong})
    code, result = run(tmp_path, "--on", "model", "--engine", "qce", "--vectors", "fips-197")
    assert (code, result["ok"], result["rows"][0]["verdict"]) == (1, False, "fail")
    shown = capsys.readouterr().out
    assert f"FAIL qce fips-197 {right()[0].name}: expected 00000000" in shown
    assert "replay: ecbench run --vectors fips-197 --engine qce" in shown


@pytest.mark.parametrize(("words", "message"), [
    (["--vectors", "none"], "unknown vectors 'none': choose one of all, fips-197"),
    (["--vectors", "all", "--mode", "xts"], "leave --mode, --file, --requests, --strategy and --seed out"),
    (["--vectors", "all", "--engine", "nano"], "unknown engine 'nano'"),
])
def test_bad_input_is_one_line_and_exit_2(tmp_path, capsys, words, message):
    code, result = run(tmp_path, *words)
    assert (code, result) == (2, None)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]
