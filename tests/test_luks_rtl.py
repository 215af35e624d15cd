"""``ecbench luks`` in a simulator: the volumes of qemu, and where the passphrase must not be."""

from __future__ import annotations

import json
import signal
import stat
import time

import interruptible
import pytest
from luks_images import PASSPHRASE, STATE, patched, shipped

from pymodel import cli
from pymodel.jobs.engines import ENGINES
from pymodel.regress import launch, run
from pymodel.regress.output_file import TEMPORARY_PREFIX

SECONDS = 60


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The working directory, with a passphrase."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "passphrase").write_bytes(PASSPHRASE + b"\n")
    return tmp_path


VOLUMES = {"padlock": "aes128-xts-plain64", "qce": "aes256-cbc-essiv"}
"""By engine. In Icarus each has one, in Verilator and every night both."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", VOLUMES.values())
def test_key_slot_and_payload_of_a_volume_of_qemu_are_decrypted(files, sim, name, engine):
    if sim.name != "verilator" and VOLUMES[engine] != name:
        pytest.skip("in Icarus every night")
    decrypted(files, sim, name, engine)


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", VOLUMES.values())
def test_every_volume_of_qemu_is_decrypted_on_each_engine(files, sim, name, engine):
    decrypted(files, sim, name, engine)


def decrypted(files, sim, name, engine):
    (files / "image").write_bytes(shipped(f"{name}.luks1"))
    words = ["luks", "image", "--passphrase-file", "passphrase", "--engine", engine, "--sim", sim.name,
             "--json", "rows"]
    assert cli.run_command_line([*words, "decrypt", "out"]) == 0
    payload = (files / "out").read_bytes()
    assert len(payload) == 65_536
    assert payload[:1536] == b"\x00" * 512 + b"\xa5" * 512 + b"\x5a" * 512
    assert payload[8 * 512:16 * 512] == b"\x3c" * 4096
    assert payload[127 * 512:] == b"\xff" * 512
    row, = json.loads((files / "rows").read_text())["rows"]
    assert (row["engine"], row["simulator"]) == (engine, sim.name)
    assert row["hardware_blocks"] == 8000 + 4096 + 250 + 128, "a tweak or an IV for each sector"


@pytest.mark.parametrize(("passphrase", "code"), [(b"hunter2", 0), (b"hunter3", 2)])
def test_the_passphrase_is_private_while_the_simulation_runs_and_gone_afterwards(
        files, sim, monkeypatch, capfdbinary, passphrase, code):
    seen = []

    def simulate(*arguments, directory, **options):
        seen.append((stat.S_IMODE(directory.stat().st_mode),
                     passphrase.hex() in (directory / "job.json").read_text()))
        return run.simulate(*arguments, directory=directory, **options)

    monkeypatch.setattr(launch, "simulate", simulate)
    monkeypatch.setattr(run, "build_root", lambda: files / "build")
    (files / "image").write_bytes(shipped("aes128-xts-plain64.sha1.luks1"))
    (files / "passphrase").write_bytes(passphrase)
    words = ["luks", "image", "--passphrase-file", "passphrase", "--sim", sim.name, "sector", "11"]
    assert cli.run_command_line(words) == code
    shown = capfdbinary.readouterr()
    assert shown.out == (b"" if code else b"\xa9" * 512)
    assert seen == [(0o700, True)]
    left = [path for path in (files / "build").rglob("*") if path.is_file()]
    assert left
    for text in (shown.err, *(path.read_bytes() for path in left)):
        assert passphrase not in text
        assert passphrase.hex().encode() not in text
        assert b"\xa9" * 16 not in text
        assert b"a9" * 16 not in text


@pytest.mark.parametrize("on", ["model", "rtl"])
def test_an_interrupt_ends_even_billions_of_iterations(files, on):
    """A damaged number of iterations takes an hour; nobody has to wait for its end."""
    image = shipped("aes128-xts-plain64.luks1")
    (files / "image").write_bytes(patched(image, STATE + 4, b"\x7f\xff\xff\xff"))
    process = interruptible.begin("luks", "image", "--passphrase-file", "passphrase", "decrypt", "out",
                                  *interruptible.place(on), builds=files / "build")
    while not any(files.glob("build/runs/*/simulation.log" if on == "rtl" else f"{TEMPORARY_PREFIX}*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert errors.endswith("ecbench: interrupted\n")
    assert {path.name for path in files.iterdir()} <= {"image", "passphrase", "build"}
    assert not list(files.glob("build/runs/*/job.json")), "the passphrase is still there"
