"""Bad input: one clear line on stderr, exit code 2, no traceback, no file left behind."""

import json

import pytest
from conftest import CASE_FILE

from pymodel import cli
from pymodel.regress import simulators

BAD_COMMANDS = [
    ("run --sim questa", "unknown simulator 'questa': choose one of verilator, icarus"),
    ("run --sim questa --on model", "unknown simulator 'questa': choose one of verilator, icarus"),
    ("run --engine enigma", "unknown engine 'enigma': choose one of padlock, qce"),
    ("run --mode ccm", "unknown mode 'ccm': choose one of xts, cbc, ecb, ctr, gcm"),
    ("run --on moon", "cannot run on 'moon': choose model or rtl"),
    ("run --on model --waves", "the model has no waves: use --on rtl"),
    ("run --requests -3", "'--requests'"),
    ("run --requests many", "'--requests'"),
    ("run --seed x", "'--seed'"),
    ("run --on model --file /no/such/file", "cannot read /no/such/file: No such file or directory"),
    ("run --on model --file {tmp}", "cannot read {tmp}: Is a directory"),
    ("run --on model --file {tmp}/empty", "{tmp}/empty is empty"),
    ("run --on model --file {tmp}/short", "{tmp}/short has 15 bytes, XTS needs at least 16"),
    ("run --mode ecb --mode xts --file {tmp}/short", "{tmp}/short has 15 bytes, XTS needs at least 16"),
    ("run --on model --json /no/such/folder/rows.json", "cannot write /no/such/folder/rows.json: No such"),
    ("run --on model --json {tmp}", "cannot write {tmp}: it is a directory"),
    ("run --on model --json /proc/x.json", "cannot write /proc/x.json: No such file or directory"),
    ("run --on model --file {tmp}/long --json {tmp}/long", "--file and --json are the same file"),
    ("run --on model --file {tmp}/long --json {tmp}/link", "--file and --json are the same file"),
    ("run --on model --sim icarus", "the model needs no simulator: use --on rtl, or leave --sim out"),
    ("speed --sim icarus", "the model needs no simulator"),
    ("reproduce --sim icarus", "the model needs no simulator"),
    ("run --mode cbc --mode ecb --strategy batch", "--strategy is for xts, not for cbc, ecb"),
    ("run --strategy guess", "unknown strategy 'guess': choose one of two-pass, per-block, cached, batch"),
    ("run --vectors all --requests 5", "--vectors says which requests: leave --mode, --file, --requests"),
    ("run --vectors all --seed 5", "--vectors says which requests: leave --mode, --file, --requests"),
    ("run --vectors all --strategy batch", "--vectors says which requests: leave --mode, --file, --requests"),
    ("run --colour", "No such option: --colour"),
    ("cases", "Missing argument 'FILE'"),
    ("cases /no/such/file", "cannot read /no/such/file: No such file or directory"),
    ("cases {tmp}/empty", "{tmp}/empty is not JSON"),
    ("cases {tmp}/malformed.json", "{tmp}/malformed.json: case 1: 'second' has no 'mode'"),
    ("cases {cases} --subset bones", "{cases} has no subset 'bones'"),
    ("cases {tmp}/nothing.json", "{tmp}/nothing.json has no case: its list 'cases' is empty"),
    ("cases {cases} --engine enigma", "unknown engine 'enigma'"),
    ("cases {cases} --json {tmp}", "cannot write {tmp}: it is a directory"),
    ("cases {tmp}/good.json --json {tmp}/../{name}/good.json", "FILE and --json are the same file"),
    ("quirks --engine enigma", "unknown engine 'enigma'"),
    ("quirks --on moon", "cannot run on 'moon'"),
    ("test {tmp}/empty", "{tmp}/empty is empty"),
    ("test {cases}", "{cases} is not a Python module: its name does not end in .py"),
    ("test {tmp}/my-test.py", "{tmp}/my-test.py cannot be imported by Python: its name has a dash; "
                              "call it my_test.py"),
    ("test {tmp}/1st.py", "{tmp}/1st.py cannot be imported by Python: its name has a digit at the start; "
                          "call it test_1st.py"),
    ("test {tmp}/mine.py --only (", "'(' is not a regular expression"),
    ("test {tmp}/mine.py --top tower", "unknown top 'tower': choose one of padlock_top"),
    ("test {tmp}/mine.py --top padlock_plain", "unknown top 'padlock_plain': choose one of padlock_top"),
    ("test {tmp}/mine.py --json {tmp}/mine.py", "FILE and --json are the same file"),
    ("dance", "No such command 'dance'"),
]


@pytest.fixture
def places(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "short").write_bytes(bytes(15))
    (tmp_path / "long").write_bytes(bytes(16))
    (tmp_path / "link").symlink_to("long")
    (tmp_path / "nothing.json").write_text('{"cases": []}')
    for name in ("mine.py", "my-test.py", "1st.py"):
        (tmp_path / name).write_text("import cocotb\n")
    first = json.loads(CASE_FILE.read_text())["cases"][0]
    (tmp_path / "malformed.json").write_text(json.dumps({"cases": [first, {"name": "second"}]}))
    (tmp_path / "good.json").write_text(json.dumps({"cases": [first]}))
    return {"tmp": str(tmp_path), "name": tmp_path.name, "cases": str(CASE_FILE)}


@pytest.mark.parametrize(("command", "message"), BAD_COMMANDS, ids=[command for command, _ in BAD_COMMANDS])
def test_bad_input_is_one_line_and_exit_code_2(command, message, places, tmp_path, capsys):
    before = contents(tmp_path)
    arguments = [word.format(**places) for word in command.split()]
    code = cli.run_command_line(arguments)
    shown = capsys.readouterr()
    assert code == 2
    assert shown.out == ""
    assert shown.err.startswith("ecbench: ")
    assert shown.err.count("\n") == 1
    assert message.format(**places) in shown.err
    assert contents(tmp_path) == before


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir()}


def test_rows_that_cannot_be_written_at_the_end_are_one_line_and_exit_code_2(capsys):
    arguments = ["run", "--on", "model", "--mode", "ctr", "--requests", "0", "--json", "/dev/full"]
    assert cli.run_command_line(arguments) == 2
    shown = capsys.readouterr()
    assert "ctr" in shown.out
    assert shown.err.splitlines()[-1] == "ecbench: cannot write /dev/full: No space left on device"


@pytest.mark.parametrize(("place", "message"), [
    ("/dev/null", "File exists: /dev/null"),
    ("/dev/null/x", "Not a directory: /dev/null"),
    ("/proc/nope", "No such file or directory: /proc/nope"),
    ("{tmp}/two words", "Verilator cannot build in a directory whose path contains a space: {tmp}/two"),
])
def test_a_place_for_builds_that_is_none_is_one_line_and_exit_code_2(place, message, monkeypatch, tmp_path,
                                                                     capsys):
    monkeypatch.setenv("ECBENCH_BUILD", place.format(tmp=tmp_path))
    assert cli.run_command_line(["run", "--requests", "0"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"ecbench: {message.format(tmp=tmp_path)}")


@pytest.fixture
def old_verilator(tmp_path, monkeypatch):
    path = tmp_path / "verilator"
    path.write_text("#!/bin/sh\necho 'Verilator 5.006 2023-01-22 rev (Debian 5.006-3)'\n")
    path.chmod(0o755)
    monkeypatch.setenv("ECBENCH_VERILATOR", str(path))
    simulators.find.cache_clear()
    yield
    simulators.find.cache_clear()


def test_a_simulator_that_is_too_old_is_one_line_and_exit_code_2(old_verilator, tmp_path, capsys):
    output = tmp_path / "rows.json"
    for command in (["run"], ["cases", str(CASE_FILE), "--on", "rtl"], ["quirks", "--on", "rtl"]):
        assert cli.run_command_line([*command, "--sim", "verilator", "--json", str(output)]) == 2
        shown = capsys.readouterr()
        assert shown.err.startswith("ecbench: Verilator 5.006 (")
        assert "too old: 5.036 or newer is needed" in shown.err
        assert shown.err.count("\n") == 1
        assert not output.exists()


def test_a_verilator_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setenv("ECBENCH_VERILATOR", "/nonexistent")
    simulators.find.cache_clear()
    try:
        assert cli.run_command_line(["run"]) == 2
    finally:
        simulators.find.cache_clear()
    assert capsys.readouterr().err == "ecbench: ECBENCH_VERILATOR: no program /nonexistent\n"


def test_a_missing_simulator_is_one_line_and_exit_code_2(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    simulators.find.cache_clear()
    try:
        assert cli.run_command_line(["run", "--sim", "icarus"]) == 2
    finally:
        simulators.find.cache_clear()
    assert capsys.readouterr().err == "ecbench: Icarus Verilog not found (apt-get install iverilog)\n"
