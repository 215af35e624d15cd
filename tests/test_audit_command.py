"""``ecbench audit``: verdicts as in the catalogue, counterexamples that fail on the engine, and bad input."""

import json

import pytest

from pymodel.audit.catalogue import KEY_LOAD, XTS
from pymodel.cli import run_command_line


@pytest.fixture
def audit(tmp_path):
    """Runs ``ecbench audit`` with its builds shared and its files in a folder of the test."""
    def run(*words):
        file = tmp_path / "rows.json"
        code = run_command_line(["audit", *words, "--json", str(file)])
        return code, json.loads(file.read_text()) if file.exists() else None
    return run


@pytest.fixture
def own_build_root(tmp_path, monkeypatch):
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path))
    return tmp_path


def test_every_policy_gets_the_verdict_of_the_catalogue(audit, own_build_root):
    code, result = audit("padlock", "--on", "model")
    assert (code, result["ok"]) == (0, True)
    rows = {row["policy"]: row for row in result["rows"]}
    assert {name: row["verdict"] for name, row in rows.items()} == {**KEY_LOAD, **XTS}
    for row in rows.values():
        assert bool(row["counterexample"]) == (row["verdict"] == "wrong") == (row["replay"] == "confirmed")
    assert set(rows["context-pointer"]["hazards"]) == {"set_key", "direction", "cpu", "reuse"}
    assert all(rows["context-pointer"]["hazards"].values())


def test_the_qce_is_audited_for_what_it_has(audit, own_build_root):
    code, result = audit("qce", "--on", "model")
    assert code == 0
    assert {row["policy"] for row in result["rows"]} == set(XTS)


def test_a_saved_counterexample_passes_with_the_right_policy_and_fails_with_the_wrong_one(
        audit, own_build_root, capsys):
    audit("padlock", "--on", "model", "--policy", "context-pointer")
    file = str(own_build_root / "audit" / "padlock-context-pointer.json")
    assert run_command_line(["cases", file]) == 0
    assert run_command_line(["cases", file, "--policy", "always"]) == 0
    capsys.readouterr()
    assert run_command_line(["cases", file, "--policy", "context-pointer"]) == 1
    shown = capsys.readouterr().out
    assert "FAIL context-pointer cpu: step 8 crypt c1: wrong output" in shown
    assert "--policy context-pointer" in shown


def test_counterexamples_on_two_cpus_are_confirmed_on_rtl(audit, sim):
    code, result = audit("padlock", "--policy", "context-pointer", "--sim", sim.name)
    assert (code, result["rows"][0]["replay"]) == (0, "confirmed")


def test_a_short_search_proves_nothing(audit, own_build_root):
    code, result = audit("padlock", "--on", "model", "--policy", "always", "--depth", "3")
    assert (code, result["rows"][0]["verdict"]) == (1, "bounded")


@pytest.mark.parametrize(("words", "message"), [
    (["padlock", "--policy", "hope"], "unknown policy 'hope' of padlock: choose one of always, engine-state"),
    (["qce", "--policy", "always"], "unknown policy 'always' of qce: choose one of two-pass"),
    (["nano"], "unknown engine 'nano': choose one of padlock, qce"),
    (["padlock", "--depth", "0"], "a depth of 0 steps: at least 1"),
])
def test_bad_input_is_one_line_and_exit_2(audit, capsys, words, message):
    code, result = audit(*words)
    assert (code, result) == (2, None)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]


def test_a_policy_for_cases_that_is_none_is_refused(capsys, tmp_path):
    file = tmp_path / "cases.json"
    file.write_text('{"cases": [{"name": "a", "mode": "ecb", "key": "00", "input": {"zeros": 0}, '
                    '"expect": {"error": "key"}}]}')
    assert run_command_line(["cases", str(file), "--policy", "hope"]) == 2
    assert "unknown policy 'hope'" in capsys.readouterr().err
