"""Bad input to ``ecbench crypt``: one clear line, exit code 2, no file written, no key shown."""

import os

import pytest

from pymodel import cli

KEY = "5ec4e7" * 5 + "00"
"""16 bytes, as hexadecimal."""
IV = "00" * 16

BAD_COMMANDS = [
    ("--mode gcm --key {key} in out", "unknown mode 'gcm': choose one of ecb, cbc, xts"),
    ("--mode ctr --key {key} in out", "unknown mode 'ctr': choose one of ecb, cbc, xts"),
    ("--key {key} in out", "Missing option '--mode'"),
    ("--mode ecb in out", "give the key with --key or with --key-file"),
    ("--mode ecb --key {key} --key-file key in out", "give the key with --key or with --key-file"),
    ("--mode ecb --key {key}0 in out", "--key: not pairs of hexadecimal digits"),
    ("--mode ecb --key {key}xy in out", "--key: not pairs of hexadecimal digits"),
    ("--mode ecb --key {key}00 in out", "a key of 17 bytes: ECB takes 16, 24 or 32"),
    ("--mode cbc --key {key}{key}{key} --iv {iv} in out", "a key of 48 bytes: CBC takes 16, 24 or 32"),
    ("--mode xts --key {key} in out", "a key of 16 bytes: XTS takes 32, 48 or 64"),
    ("--mode ecb --key-file missing in out", "cannot read missing: No such file or directory"),
    ("--mode ecb --key-file empty in out", "a key of 0 bytes: ECB takes 16, 24 or 32"),
    ("--mode ecb --key-file binary in out", "binary: not pairs of hexadecimal digits"),
    ("--mode cbc --key {key} in out", "CBC needs --iv"),
    ("--mode cbc --key {key} --iv 00 in out", "--iv has 1 bytes, needs 16"),
    ("--mode cbc --key {key} --iv {iv}0 in out", "--iv: not pairs of hexadecimal digits"),
    ("--mode ecb --key {key} --iv {iv} in out", "--iv: ECB has none"),
    ("--mode ecb --key {key} --data-unit 512 in out", "--data-unit: only XTS has data units"),
    ("--mode cbc --key {key} --iv {iv} --first 0 in out", "--first: only XTS has data units"),
    ("--mode xts --key {key}{key} --iv {iv} --first 0 in out", "it goes without --first"),
    ("--mode xts --key {key}{key} --first no in out", "--first: 'no' is not a number"),
    ("--mode xts --key {key}{key} --first -1 in out", "data-unit numbers -1 .. -1 are outside 0 .. 2**128"),
    ("--mode xts --key {key}{key} --first 0x1" + "0" * 32 + " in out", "are outside 0 .. 2**128 - 1"),
    ("--mode xts --key {key}{key} --data-unit 15 in out", "a data unit of 15 bytes: it has 16 to 16777216"),
    ("--mode xts --key {key}{key} --data-unit 16777217 in out", "a data unit of 16777217 bytes: it has 16"),
    ("--mode xts --key {key}{key} --data-unit half in out", "'--data-unit'"),
    ("--mode xts --key {key}{key} --iv {iv} huge out", "a data unit at most 16777216: give --data-unit"),
    ("--mode ecb --key {key} odd out", "odd has 527 bytes: ECB takes whole blocks of 16, and nothing is"),
    ("--mode cbc --key {key} --iv {iv} odd out", "odd has 527 bytes: CBC takes whole blocks of 16"),
    ("--mode xts --key {key}{key} odd out", "odd has 527 bytes: the last data unit would have 15, XTS needs"),
    ("--mode xts --key {key}{key} --iv {iv} binary out", "a data unit of 2 bytes: it has 16 to 16777216"),
    ("--mode ecb --key {key} missing out", "cannot read missing: No such file or directory"),
    ("--mode ecb --key {key} empty out", "empty is empty"),
    ("--mode ecb --key {key} folder out", "cannot read folder: Is a directory"),
    ("--mode ecb --key {key} pipe out", "pipe is not a regular file"),
    ("--mode ecb --key {key} in folder", "cannot write folder: it is a directory"),
    ("--mode ecb --key {key} in missing/out", "cannot write missing/out: No such file or directory"),
    ("--mode ecb --key {key} in pipe", "pipe is not a regular file: the result could not be renamed into"),
    ("--mode ecb --key {key} in in", "IN and OUT are the same file"),
    ("--mode ecb --key {key} in link", "IN and OUT are the same file"),
    ("--mode ecb --key {key} in hardlink", "IN and OUT are the same file"),
    ("--mode ecb --key-file key in key", "--key-file and OUT are the same file"),
    ("--mode ecb --key {key} in out --json in", "IN and --json are the same file"),
    ("--mode ecb --key {key} in out --json ./out", "OUT and --json are the same file"),
    ("--mode ecb --key {key} in out --json missing/rows", "cannot write missing/rows: No such file"),
    ("--mode ecb --key {key} in", "Missing argument 'OUT'"),
    ("--mode ecb --key {key} in out --engine enigma", "unknown engine 'enigma'"),
    ("--mode ecb --key {key} in out --sim questa", "unknown simulator 'questa'"),
    ("--mode ecb --key {key} in out --on moon", "cannot run on 'moon': choose model or rtl"),
    ("--mode ecb --key {key} in out --on model --waves", "the model has no waves"),
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The working directory, with files of every kind. ``huge`` has no blocks on the disk."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(bytes(512))
    (tmp_path / "odd").write_bytes(bytes(527))
    (tmp_path / "binary").write_bytes(b"\xff\x80")
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", (1 << 24) + 1)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("in")
    (tmp_path / "hardlink").hardlink_to("in")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(("command", "message"), BAD_COMMANDS, ids=[command for command, _ in BAD_COMMANDS])
def test_bad_input_is_one_line_and_exit_code_2(command, message, files, capsys):
    before = contents(files)
    words = ["crypt", *(word.format(key=KEY, iv=IV) for word in command.split())]
    assert cli.run_command_line(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ecbench: ")
    assert shown.err.count("\n") == 1
    assert message in shown.err
    assert KEY not in shown.err
    assert contents(files) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_output_is_refused(files, capsys):
    (files / "out").touch(0o400)
    assert cli.run_command_line(["crypt", "--mode", "ecb", "--key", KEY, "in", "out"]) == 2
    assert capsys.readouterr().err == "ecbench: cannot write out: it is read-only\n"


def test_an_output_that_cannot_be_renamed_into_place_is_told(files, capsys, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", refuse)
    before = contents(files)
    assert cli.run_command_line(["crypt", "--mode", "ecb", "--key", KEY, "in", "out", "--on", "model"]) == 2
    assert capsys.readouterr().err.endswith(f"ecbench: cannot write {files}/out: Operation not permitted\n")
    assert contents(files) == before
