"""``ecbench crypt`` in a simulator, and what a kill in the middle leaves behind."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import interruptible
import pytest

from pymodel import cli, golden
from pymodel.jobs.engines import ENGINES
from pymodel.regress import simulators
from pymodel.regress.output_file import TEMPORARY_PREFIX

KEY = bytes(range(64)).hex()
SECONDS = 60


def there_and_back(tmp_path, sim, data, *options):
    """The ciphertext; the test fails unless it becomes ``data`` again."""
    (tmp_path / "plain").write_bytes(data)
    for source, destination, direction in (("plain", "secret", []), ("secret", "again", ["--decrypt"])):
        words = ["crypt", *options, *direction, str(tmp_path / source), str(tmp_path / destination)]
        assert cli.run_command_line([*words, "--on", "rtl", "--sim", sim.name]) == 0
    assert (tmp_path / "again").read_bytes() == data
    assert {path.name for path in tmp_path.iterdir()} == {"plain", "secret", "again"}
    return (tmp_path / "secret").read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
def test_64_kib_in_sectors_go_there_and_back(sim, tmp_path, engine):
    data = random.Random(1).randbytes(65_536)
    secret = there_and_back(tmp_path, sim, data, "--engine", engine, "--mode", "xts", "--key", KEY,
                            "--first", "7")
    assert secret[512:1024] == golden.xts_encrypt(bytes.fromhex(KEY), bytes([8]) + bytes(15), data[512:1024])


def test_1_mib_goes_there_and_back_on_verilator(tmp_path):
    try:
        sim = simulators.find("verilator")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    data = random.Random(2).randbytes(1 << 20)
    there_and_back(tmp_path, sim, data, "--mode", "xts", "--key", KEY)


@pytest.mark.parametrize("options", [
    ["--mode", "ecb", "--key", KEY[:48]],
    ["--mode", "cbc", "--key", KEY[:64], "--iv", KEY[:32]],
    ["--mode", "xts", "--key", KEY, "--iv", KEY[:32], "--data-unit", "65"],
], ids=["ecb", "cbc", "xts"])
def test_every_mode_goes_there_and_back(sim, tmp_path, options):
    data = random.Random(3).randbytes(650 if "xts" in options else 656)
    secret = there_and_back(tmp_path, sim, data, *options)
    key, iv = bytes.fromhex(options[3]), bytes(range(16))
    if options[1] == "ecb":
        assert secret == golden.ecb_encrypt(key, data)
    elif options[1] == "cbc":
        assert secret == golden.cbc_encrypt(key, iv, data)[0]
    else:
        assert secret[:65] == golden.xts_encrypt(key, iv, data[:65])


# -- kills ------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path):
    """Begins ``ecbench crypt`` in the folder ``files``, and waits until a part of the result is written."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "in").write_bytes(bytes(1 << 22))
    started = []

    def begin(on):
        process = interruptible.begin(
            "crypt", "--mode", "ecb", "--key", KEY[:32], *interruptible.place(on),
            str(files / "in"), str(files / "out"), builds=tmp_path / "build")
        started.append(process)
        while not any(path.stat().st_size for path in files.glob(f"{TEMPORARY_PREFIX}*")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def names(tmp_path):
    return [path.name for path in (tmp_path / "files").iterdir()]


def children(tmp_path, name=""):
    """The processes of the simulation, which work in its directory; those with ``name`` in their command."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                working, command = os.readlink(entry / "cwd"), (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if working.startswith(str(tmp_path / "build")) and name.encode() in command:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("on", ["model", "rtl"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_no_file_behind(running, tmp_path, on, number):
    process = running(on)
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert errors.endswith("ecbench: interrupted\n")
    assert names(tmp_path) == ["in"]
    assert not children(tmp_path)
    assert not list(tmp_path.glob("build/runs/*/job.json")), "the key is still there"


@pytest.mark.parametrize("name", ["vvp", "runner_process"])
def test_a_simulation_that_is_killed_leaves_no_file_behind(running, tmp_path, name):
    process = running("rtl")
    for number in children(tmp_path, name if simulators.installed()[-1].name == "icarus" else ""):
        os.kill(number, signal.SIGKILL)
    output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert output.startswith("FAIL ")
    assert names(tmp_path) == ["in"]
    assert not children(tmp_path)


def test_a_kill_of_ecbench_itself_ends_the_simulation_and_leaves_no_output(running, tmp_path):
    process = running("rtl")
    process.kill()
    process.communicate(timeout=SECONDS)
    ends = time.monotonic() + SECONDS
    while children(tmp_path):
        assert time.monotonic() < ends, "the simulation goes on"
        time.sleep(0.05)
    left = sorted(names(tmp_path))
    assert left[-1] == "in"
    assert all(name.startswith(TEMPORARY_PREFIX) for name in left[:-1])
    assert len(left) == 2
