"""``ecbench crypt`` on the model: what must never get the name of the output."""

from __future__ import annotations

import json
import os

import pytest
from crypt_command import crypt_in
from disturbed import disturbed, flip_a_bit
from seeded import seeded

from pymodel import golden
from pymodel.drivers.padlock import PadlockDriver
from pymodel.errors import EngineFault
from pymodel.jobs import crypt as crypt_job
from pymodel.jobs import model_bench
from pymodel.jobs.bench import BenchSpec
from pymodel.jobs.crypt_modes import CHUNK_BYTES

KEY = bytes(range(64)).hex()


@pytest.fixture
def crypt(tmp_path):
    return crypt_in(tmp_path)


@pytest.mark.parametrize(("mode", "options", "call", "at"), [
    ("ecb", [], 2, CHUNK_BYTES + 37),
    ("xts", ["--iv", "00" * 16], 3, CHUNK_BYTES + 37),
    ("xts", ["--data-unit", 4096], 2 * 2, CHUNK_BYTES + 37),
])
def test_one_wrong_bit_in_a_later_chunk_is_a_failure_without_output(crypt, monkeypatch, capsys, mode, options,
                                                                    call, at):
    disturbed(monkeypatch, call, flip_a_bit)
    data = seeded(5).randbytes(CHUNK_BYTES + 4096)
    assert crypt(data, "--mode", mode, "--key", KEY[:64], *options, code=1) is None
    assert capsys.readouterr().out == f"FAIL wrong result at byte {at}\n"


def test_a_failure_leaves_an_older_output_as_it_was(crypt, monkeypatch, tmp_path):
    (tmp_path / "out").write_text("older")
    disturbed(monkeypatch, 1, flip_a_bit)
    assert crypt(bytes(64), "--mode", "ecb", "--key", KEY[:32], code=1) == b"older"


def test_an_engine_that_did_not_do_the_blocks_is_a_failure(crypt, monkeypatch, capsys, tmp_path):
    async def in_software(self, key, src, dst, *, decrypt):
        dst.scatter(self.memory, golden.ecb_encrypt(key.data, src.read(self.memory)))

    monkeypatch.setattr(PadlockDriver, "ecb", in_software)
    rows = tmp_path.parent / f"{tmp_path.name}.json"
    assert crypt(bytes(64), "--mode", "ecb", "--key", KEY[:32], "--json", rows, code=1) is None
    assert capsys.readouterr().out == "FAIL the engine did 0 of 4 blocks\n"
    contents = json.loads(rows.read_text())
    assert (contents["ok"], contents["rows"][0]["verdict"]) == (False, "fail")


def test_an_engine_fault_is_a_failure(crypt, monkeypatch, capsys):
    async def faulty(self, key, src, dst, *, decrypt):
        raise EngineFault("page", 0x1000, 0)

    monkeypatch.setattr(PadlockDriver, "ecb", faulty)
    assert crypt(bytes(64), "--mode", "ecb", "--key", KEY[:32], code=1) is None
    assert capsys.readouterr().out.startswith("FAIL EngineFault: page fault")


@pytest.mark.parametrize("change", ["longer", "shorter", "other"])
def test_an_input_that_changes_on_the_way_is_a_failure(crypt, monkeypatch, capsys, tmp_path, change):
    def disturb(*_):
        if change == "other":
            os.utime(tmp_path / "in", (1, 1))
        else:
            os.truncate(tmp_path / "in", CHUNK_BYTES * (4 if change == "longer" else 1))

    disturbed(monkeypatch, 1, disturb)
    assert crypt(bytes(2 * CHUNK_BYTES), "--mode", "ecb", "--key", KEY[:32], code=1) is None
    assert capsys.readouterr().out == f"FAIL {tmp_path}/in changed while it was read\n"


def job(bench, tmp_path, destination):
    (tmp_path / "in").write_bytes(bytes(64))
    spec = {"source": str(tmp_path / "in"), "destination": destination, "length": 64, "mode": "ecb",
            "key": KEY[:32], "encrypt": True}
    return bench.kernel.run(crypt_job.crypt_file(bench, spec, lambda _: None))


def test_a_complaint_of_the_scoreboard_is_a_failure(tmp_path):
    bench = model_bench(BenchSpec())
    bench.problems = lambda: ["unmatched: request 3"]
    (tmp_path / "out").touch()
    result = job(bench, tmp_path, str(tmp_path / "out"))
    assert (result["ok"], result["text"]) == (False, "unmatched: request 3")
    assert (tmp_path / "out").stat().st_size == 0


def test_a_full_disk_is_a_failure(tmp_path):
    result = job(model_bench(BenchSpec()), tmp_path, "/dev/full")
    assert not result["ok"]
    assert "No space left on device" in result["text"]
