"""Bad input to ``ecbench luks``: one clear line, exit code 2, no file written, no passphrase shown."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from luks_images import STATE, patched, volume

from pymodel import cli

PASSPHRASE = b"rosebud-1941"
IMAGE = volume(bytes(512) * 2, {0: PASSPHRASE, 5: b"other"}, mode="ecb", key_bytes=16)
PAYLOAD = len(IMAGE) - 1024
"""Byte of the image where the payload begins."""

COMMAND = ("image", "--passphrase-file", "pass")

BAD_COMMANDS = [
    ("image --passphrase-file wrong decrypt out", "image: no key slot opens with this passphrase"),
    ("image --passphrase-file wrong sector 0", "image: no key slot opens with this passphrase"),
    ("image decrypt out", "give the passphrase with --passphrase-file"),
    ("image --passphrase-file missing decrypt out", "cannot read missing: No such file or directory"),
    ("image --passphrase-file folder decrypt out", "cannot read folder: Is a directory"),
    ("image --passphrase-file empty decrypt out", "empty is empty"),
    ("image --passphrase-file huge decrypt out", "huge has more than 8388608 bytes: no passphrase"),
    ("image --passphrase-file pass decrypt image", "IMAGE and OUT are the same file"),
    ("image --passphrase-file pass decrypt link", "IMAGE and OUT are the same file"),
    ("link --passphrase-file pass decrypt image", "IMAGE and OUT are the same file"),
    ("image --passphrase-file pass decrypt pass", "--passphrase-file and OUT are the same file"),
    ("image --passphrase-file pass decrypt out --json out", "OUT and --json are the same file"),
    ("image --passphrase-file pass decrypt out --json image", "IMAGE and --json are the same file"),
    ("image --passphrase-file pass sector 0 --json pass", "--passphrase-file and --json are the same file"),
    ("image info --json image", "IMAGE and --json are the same file"),
    ("image info --json missing/rows", "cannot write missing/rows: No such file or directory"),
    ("image --passphrase-file pass decrypt folder", "cannot write folder: it is a directory"),
    ("image --passphrase-file pass decrypt missing/out", "cannot write missing/out: No such file"),
    ("image --passphrase-file pass decrypt pipe", "pipe is not a regular file: the result could not be"),
    ("image --passphrase-file pass decrypt", "decrypt needs OUT"),
    ("image --passphrase-file pass sector", "sector needs N"),
    ("image --passphrase-file pass sector 2", "sector 2: the payload of image has sectors 0 .. 1"),
    ("image --passphrase-file pass sector 18446744073709551616", "the payload of image has sectors 0 .. 1"),
    ("image --passphrase-file pass sector " + "9" * 5000, f"sector {'9' * 20}...: the payload of image has"),
    ("image --passphrase-file pass sector -- -1", "sector '-1' is not a number"),
    ("image --passphrase-file pass sector -1", "No such option: -1"),
    ("image --passphrase-file pass sector 0x1", "sector '0x1' is not a number"),
    ("image --passphrase-file pass sector one", "sector 'one' is not a number"),
    ("image info out", "info takes nothing behind it, not 'out'"),
    ("image --passphrase-file pass encrypt out", "cannot 'encrypt' a volume: choose info, decrypt OUT or"),
    ("image", "Missing argument 'info|decrypt|sector'"),
    ("missing info", "cannot read missing: No such file or directory"),
    ("folder info", "cannot read folder: Is a directory"),
    ("empty info", "empty is empty"),
    ("pipe info", "pipe is not a regular file"),
    ("pass info", "pass: not a LUKS volume"),
    ("image info --engine enigma", "unknown engine 'enigma'"),
    ("image --passphrase-file pass decrypt out --engine enigma", "unknown engine 'enigma'"),
    ("image --passphrase-file pass decrypt out --sim questa", "unknown simulator 'questa'"),
    ("image --passphrase-file pass decrypt out --on moon", "cannot run on 'moon': choose model or rtl"),
    ("image --passphrase-file pass decrypt out --waves", "the model has no waves"),
]

BAD_IMAGES = {
    "a LUKS2 volume": (patched(IMAGE, 6, b"\0\2"), "LUKS version 2 is not supported, only version 1"),
    "another magic number": (patched(IMAGE, 3, b"T"), "not a LUKS volume"),
    "the magic number alone": (IMAGE[:6], "truncated: 6 bytes, and the header alone has 592"),
    "a part of the header": (IMAGE[:591], "truncated: 591 bytes, and the header alone has 592"),
    "the header alone": (IMAGE[:592], f"truncated: 592 bytes, and the payload begins at byte {PAYLOAD}"),
    "no payload": (IMAGE[:PAYLOAD], f"truncated: {PAYLOAD} bytes, and the payload begins at byte {PAYLOAD}"),
    "half a sector": (IMAGE[:-256], "truncated: the payload has 768 bytes, not whole sectors of 512"),
    "another cipher": (patched(IMAGE, 8, b"serpent"), "cipher serpent-ecb is not supported, only aes-xts"),
    "another mode": (patched(IMAGE, 40, b"cbc-essiv:sha1"), "cipher aes-cbc-essiv:sha1 is not supported"),
    "another hash": (patched(IMAGE, 72, b"whirlpool\0"), "hash whirlpool is not supported, only sha1, sha"),
    "no cipher": (patched(IMAGE, 8, b"\0"), "damaged: the name of the cipher is not text"),
    "an unprintable mode": (patched(IMAGE, 40, b"\x1b"), "damaged: the name of the cipher mode is not text"),
    "a hash that is no ASCII": (patched(IMAGE, 72, b"\xff"), "damaged: the name of the hash is not text"),
    "a key of 17 bytes": (patched(IMAGE, 108, b"\0\0\0\x11"), "damaged: a key of 17 bytes, and aes-ecb has"),
    "a huge key": (patched(IMAGE, 108, b"\xff" * 4), "damaged: a key of 4294967295 bytes"),
    "a detached header": (patched(IMAGE, 104, bytes(4)), "a detached header is not supported"),
    "a payload far away": (patched(IMAGE, 104, b"\xff" * 4), "and the payload begins at byte 2199023255040"),
    "a payload in a key slot": (patched(IMAGE, 104, b"\0\0\0\x10"), "damaged: key slot 0 has its key"),
    "a digest of 0 iterations": (patched(IMAGE, 164, bytes(4)), "damaged: the master key's digest has 0"),
    "a slot in no state": (patched(IMAGE, STATE, b"\1"), "damaged: key slot 0 is neither enabled nor"),
    "a slot of 0 iterations": (patched(IMAGE, STATE + 4, bytes(4)), "damaged: key slot 0 has 0 iterations"),
    "a slot of 2**31": (patched(IMAGE, STATE + 4, b"\x80\0\0\0"), "key slot 0 has 2147483648 iterations"),
    "a slot in the header": (patched(IMAGE, STATE + 40, bytes(4)), "damaged: key slot 0 has its key"),
    "a slot behind the payload": (patched(IMAGE, STATE + 40, b"\xff" * 4), "damaged: key slot 0 has its key"),
    "slots in one place": (patched(IMAGE, STATE + 5 * 48 + 40, IMAGE[STATE + 40:STATE + 44]),
                           "damaged: the key material of slot 5 begins inside that of slot 0"),
    "other stripes": (patched(IMAGE, STATE + 44, b"\0\0\0\1"), "damaged: key slot 0 has 1 stripes instead"),
}

DAMAGED = {
    "no enabled slot": (volume(bytes(512), {}, mode="ecb"), "no key slot is enabled: nothing can open"),
    "another digest": (patched(IMAGE, 112, b"\0\0"), "no key slot opens with this passphrase"),
    "another salt": (patched(IMAGE, STATE + 8, b"\0\0"), "no key slot opens with this passphrase"),
    "other key material": (patched(IMAGE, 8 * 512, b"\0\0"), "no key slot opens with this passphrase"),
}
"""Volumes whose headers look healthy: ``info`` shows them, and nothing opens them."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The working directory, with files of every kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "image").write_bytes(IMAGE)
    (tmp_path / "link").symlink_to("image")
    (tmp_path / "pass").write_bytes(PASSPHRASE + b"\n")
    (tmp_path / "wrong").write_bytes(PASSPHRASE + b"x")
    (tmp_path / "empty").touch()
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", (8 << 20) + 1)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.fixture
def refused(files, capfd):
    """Runs a command that must be refused; the line on stderr."""

    def run(words):
        before = {path: path.read_bytes() for path in files.iterdir() if path.is_file()}
        on_model = [] if "--on" in words or "--sim" in words else ["--on", "model"]
        assert cli.run_command_line(["luks", *on_model, *words]) == 2
        shown = capfd.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("ecbench: ")
        assert shown.err.count("\n") == 1
        assert PASSPHRASE.decode() not in shown.err
        assert PASSPHRASE.hex() not in shown.err
        assert {path: path.read_bytes() for path in files.iterdir() if path.is_file()} == before
        return shown.err

    return run


@pytest.mark.parametrize(("command", "message"), BAD_COMMANDS, ids=[command for command, _ in BAD_COMMANDS])
def test_bad_input_is_one_line_and_exit_code_2(refused, command, message):
    assert message in refused(command.split())


@pytest.mark.parametrize("work", ["info", "decrypt", "sector"])
@pytest.mark.parametrize("name", BAD_IMAGES)
def test_an_image_that_is_no_healthy_luks1_volume_is_refused_by_all_work(files, refused, name, work):
    image, message = BAD_IMAGES[name]
    (files / "image").write_bytes(image)
    operands = {"info": [], "decrypt": ["out"], "sector": ["0"]}[work]
    line = refused([*COMMAND, work, *operands])
    assert line.startswith("ecbench: image: ")
    assert message in line


@pytest.mark.parametrize("name", DAMAGED)
def test_a_volume_that_nothing_opens_is_refused_but_shown(files, refused, name):
    image, message = DAMAGED[name]
    (files / "image").write_bytes(image)
    assert message in refused([*COMMAND, "decrypt", "out"])
    assert cli.run_command_line(["luks", "image", "info"]) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_files_without_rights_are_refused(files, refused):
    (files / "out").touch(0o400)
    assert "cannot write out: it is read-only" in refused([*COMMAND, "decrypt", "out"])
    (files / "pass").chmod(0)
    assert "cannot read pass: Permission denied" in refused([*COMMAND, "sector", "0"])


def test_every_byte_of_the_header_may_be_anything_without_a_crash(files, capfd):
    """Whatever is patched, the command ends with 0 or with one line and 2."""
    for at in range(0, 592, 3):
        (files / "image").write_bytes(patched(IMAGE, at, b"\xff\x01"))
        code = cli.run_command_line(["luks", "image", "info"])
        shown = capfd.readouterr()
        assert (code, shown.err.count("\n")) in ((0, 0), (2, 1)), (at, shown)


def test_an_empty_name_of_the_output_is_refused(refused):
    assert "OUT is empty" in refused([*COMMAND, "decrypt", ""])


@pytest.mark.parametrize(("shell", "code", "says"), [
    ("sector 0 >&-", 2, "ecbench: sector N writes to stdout, which is closed"),
    ("sector 0 --json /dev/stdout >both", 2,
     "ecbench: sector N writes to stdout, and --json is the same file"),
    ("sector 0 >/dev/full", 1, "FAIL cannot write the sector to stdout: No space left on device"),
])
def test_a_sector_that_cannot_be_written_is_one_line(files, shell, code, says):
    ended = subprocess.run(f"{sys.executable} -m pymodel luks {' '.join(COMMAND)} --on model {shell}",
                           shell=True, capture_output=True, text=True, check=False, cwd=files)
    assert ended.returncode == code, ended.stderr
    assert says in ended.stderr.splitlines()
