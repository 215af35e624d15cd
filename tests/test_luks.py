"""``ecbench luks`` on the model: volumes of every kind, and nothing wrong under OUT's name."""

from __future__ import annotations

import json
import os

import pytest
from disturbed import disturbed, flip_a_bit
from luks_images import DATA, PASSPHRASE, STATE, patched, shipped, volume
from seeded import seeded

from pymodel import cli, golden
from pymodel.drivers.padlock import PadlockDriver
from pymodel.errors import EngineFault, Unsupported
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.luks_sectors import VolumeSectors
from pymodel.luks.ciphers import volume_cipher
from pymodel.luks.hashes import HASHES, check_hash
from pymodel.luks.header import HEADER_BYTES, parse_header
from pymodel.regress import luks_command

SECTORS = json.loads((DATA / "luks_sectors.json").read_text())
"""Entries of tests/data/luks/luks_sectors.json."""
PAYLOAD = seeded(7).randbytes(130 * 512)
"""A little more than a chunk."""


@pytest.fixture
def luks(tmp_path):
    """Runs ``ecbench luks`` on the model on an image; what ``decrypt`` made, or None."""

    def run(image, passphrase, *words, code=0):
        (tmp_path / "image").write_bytes(image)
        (tmp_path / "passphrase").write_bytes(passphrase)
        if not {"decrypt", "sector"} & set(words):
            words = (*words, "decrypt", tmp_path / "out")
        command = ["luks", str(tmp_path / "image"), "--passphrase-file", str(tmp_path / "passphrase"),
                   "--on", "model", *map(str, words)]
        assert cli.run_command_line(command) == code
        assert {path.name for path in tmp_path.iterdir()} <= {"image", "passphrase", "out", "rows"}
        return (tmp_path / "out").read_bytes() if (tmp_path / "out").exists() else None

    return run


def pattern(name):
    """(sector number, its plaintext) of what luks_sectors.json says of a volume."""
    entry = next(entry for entry in SECTORS if entry["name"] == name)
    return [(sector["sector"], bytes.fromhex(sector["plain_byte"]) * 512) for sector in entry["sectors"]]


# -- known answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["aes128-xts-plain64", "aes256-cbc-essiv"])
def test_a_volume_of_qemu_becomes_its_pattern(luks, name):
    payload = luks(shipped(f"{name}.luks1"), PASSPHRASE)
    assert len(payload) == 65_536
    for number, plaintext in pattern("aes128-xts-plain64"):
        assert payload[number * 512:number * 512 + 512] == plaintext


def test_a_hash_shorter_than_the_key_merges_as_qemu_split(luks):
    assert luks(shipped("aes128-xts-plain64.sha1.luks1"), b"hunter2") == b"\xa9" * 12 * 512


def test_key_slots_and_payload_may_lie_without_a_gap_between_them():
    image = volume(PAYLOAD[:512], {0: b"one", 1: b"other"}, key_bytes=32)
    tight = patched(patched(image, STATE + 48 + 40, b"\0\0\1\2"), 104, b"\0\0\1\xfc")
    header = parse_header(tight[:HEADER_BYTES], len(tight))
    assert [slot.first_sector for slot in header.active_slots] == [8, 258]
    assert (header.material_sectors, header.payload_sector) == (250, 508)


def test_what_a_disabled_key_slot_says_does_not_matter():
    image = patched(volume(PAYLOAD[:512], {0: b"one"}), STATE + 48 + 4, bytes(40) + b"\0\0\0\1")
    assert len(parse_header(image[:HEADER_BYTES], len(image)).active_slots) == 1


def test_names_of_ciphers_may_be_in_either_case():
    assert volume_cipher("AES", "XTS-plain64", 64) == volume_cipher("aes", "xts-plain64", 64)


@pytest.mark.parametrize("entry", SECTORS, ids=[entry["name"] for entry in SECTORS])
def test_sectors_that_qemu_wrote_are_decrypted_by_engine_and_reference(entry):
    bench = model_bench(BenchSpec())
    key = bytes.fromhex(entry["master_key"])
    with VolumeSectors(bench.engine(), volume_cipher("aes", entry["mode"], len(key)), key) as cipher:
        for sector in entry["sectors"]:
            data, wanted = bytes.fromhex(sector["cipher"]), bytes.fromhex(sector["plain_byte"]) * 512
            assert bench.kernel.run(cipher.decrypt(sector["sector"], data)) == wanted
            assert cipher.expected(sector["sector"], data) == wanted


# -- every kind of volume ---------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "key_bytes"), [
    ("xts-plain64", 32), ("xts-plain", 64), ("cbc-plain", 16), ("cbc-plain64", 24), ("cbc-essiv:sha256", 16),
    ("cbc-essiv:sha256", 32), ("ecb", 24), ("ecb-plain64", 32),
])
def test_every_cipher_is_decrypted(luks, mode, key_bytes):
    image = volume(PAYLOAD, {0: b"secret"}, mode=mode, key_bytes=key_bytes)
    assert luks(image, b"secret") == PAYLOAD


def test_keys_that_the_engine_does_not_have_are_left_to_software_and_said(luks, capsys):
    image = volume(PAYLOAD[:512], {0: b"secret"}, key_bytes=24, mode="cbc-plain64")
    assert luks(image, b"secret", "--engine", "qce") == PAYLOAD[:512]
    assert ", 0 hardware blocks, 6,048 software blocks: " in capsys.readouterr().err


@pytest.mark.parametrize("hash_name", HASHES)
def test_every_hash_opens(luks, hash_name):
    try:
        check_hash(hash_name)
    except Unsupported as error:
        pytest.skip(str(error))
    image = volume(PAYLOAD[:1024], {0: b"secret"}, hash_name=hash_name, key_bytes=64)
    assert luks(image, b"secret") == PAYLOAD[:1024]


@pytest.mark.parametrize(("passphrase", "slot"), [(b"one", 1), (b"seven", 7)])
def test_any_key_slot_opens_the_volume_with_its_own_passphrase(luks, capsys, passphrase, slot):
    image = volume(PAYLOAD[:512], {1: b"one", 4: b"four", 7: b"seven"}, key_bytes=16, mode="ecb")
    assert luks(image, passphrase) == PAYLOAD[:512]
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"key slot {slot} opened, ")


def test_a_disabled_key_slot_opens_nothing(luks, capsys):
    image = volume(PAYLOAD[:512], {1: b"one", 4: b"four"}, key_bytes=16, mode="ecb")
    image = patched(image, STATE + 48, b"\x00\x00\xde\xad")
    assert luks(image, b"one", code=2) is None
    assert luks(image, b"four") == PAYLOAD[:512]
    assert "4,000 blocks; decrypted 32 blocks" in capsys.readouterr().err


# -- the passphrase ---------------------------------------------------------------------------


@pytest.mark.parametrize(("passphrase", "in_file"), [
    (b"secret", b"secret"), (b"secret", b"secret\n"), (b"secret\n", b"secret\n"),
    (b"secret\n", b"secret\n\n"), (b"two\nlines", b"two\nlines"), (b" \x00\xff", b" \x00\xff"), (b"", b"\n"),
])
def test_one_line_end_behind_the_passphrase_may_belong_to_it_or_not(luks, passphrase, in_file):
    image = volume(PAYLOAD[:512], {0: passphrase}, key_bytes=16, mode="ecb")
    assert luks(image, in_file) == PAYLOAD[:512]


@pytest.mark.parametrize("in_file", [b"secret\n\n", b"secret\r\n", b" secret", b"secret ", b"\n"])
def test_nothing_else_is_taken_off_the_passphrase(luks, in_file):
    image = volume(PAYLOAD[:512], {0: b"secret"}, key_bytes=16, mode="ecb")
    assert luks(image, in_file, code=2) is None


# -- what is shown, and the files -------------------------------------------------------------


def test_a_sector_is_512_raw_bytes_on_stdout_and_nothing_else(luks, capfdbinary):
    payload = bytes(range(256)) * 2 + PAYLOAD[:1024]
    image = volume(payload, {0: b"secret"})
    for number in (0, 2):
        luks(image, b"secret", "sector", number)
        shown = capfdbinary.readouterr()
        assert shown.out == payload[number * 512:number * 512 + 512]
        assert shown.err.endswith(b" s\n")


@pytest.mark.parametrize(("mode", "extra"), [
    ("xts-plain64", 250 + 3), ("cbc-plain64", 0), ("cbc-essiv:sha256", 250 + 3), ("ecb", 0),
])
def test_the_rows_count_every_block_of_payload_key_slot_and_iv(luks, tmp_path, mode, extra):
    image = volume(PAYLOAD[:3 * 512], {2: b"secret"}, mode=mode)
    luks(image, b"secret", "decrypt", tmp_path / "out", "--json", tmp_path / "rows")
    contents = json.loads((tmp_path / "rows").read_text())
    assert contents["ok"]
    row, = contents["rows"]
    assert (row["key_slot_blocks"], row["blocks"]) == (8000, 96)
    assert row["hardware_blocks"] == 8000 + 96 + extra
    assert row["engine_cycles"] > 10 * row["hardware_blocks"]
    assert (row["engine"], row["simulator"], row["key_bits"]) == ("padlock", "model", 256)
    assert (row["work"], row["slot"], row["first_sector"], row["sectors"]) == ("decrypt", 2, 0, 3)
    assert row["verdict"] == "pass"


def test_info_shows_the_header_without_a_passphrase(tmp_path, capsys):
    (tmp_path / "image").write_bytes(shipped("aes256-cbc-essiv.luks1"))
    command = ["luks", str(tmp_path / "image"), "info", "--json", str(tmp_path / "rows")]
    assert cli.run_command_line(command) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.splitlines()[:6] == [
        "LUKS1, aes-cbc-essiv:sha256, key of 256 bits, sha256",
        "UUID f84c7a7a-56ae-42f4-935d-2468482e8135",
        "master key digest: 7380 iterations",
        "payload: from sector 2056 of the image on, 128 sectors of 512 bytes",
        "key slot 0: enabled, 58514 iterations, key material in sectors 8 .. 257",
        "key slot 1: disabled",
    ]
    row, = json.loads((tmp_path / "rows").read_text())["rows"]
    assert (row["cipher"], row["key_bits"], row["sectors"]) == ("aes-cbc-essiv:sha256", 256, 128)
    assert [slot["enabled"] for slot in row["slots"]] == [True] + [False] * 7


def test_a_name_in_the_header_cannot_control_the_terminal(tmp_path, capsys):
    image = patched(volume(PAYLOAD[:512], {0: b"secret"}), 168, b"\x1b[2J")
    (tmp_path / "image").write_bytes(image)
    assert cli.run_command_line(["luks", str(tmp_path / "image"), "info"]) == 0
    assert "\x1b" not in capsys.readouterr().out


# -- what must never get the name of the output ------------------------------------------------


@pytest.mark.parametrize(("call", "text"), [
    (2, "wrong result at byte 65573 of key slot 3"), (4, "wrong result at byte 65573 of the payload"),
])
def test_one_wrong_bit_in_a_later_chunk_is_a_failure_without_output(luks, monkeypatch, capsys, call, text):
    image = volume(PAYLOAD, {3: b"secret"}, mode="ecb")
    disturbed(monkeypatch, call, flip_a_bit)
    assert luks(image, b"secret", code=1) is None
    assert capsys.readouterr().out == f"FAIL {text}\n"


def test_a_wrong_encrypted_iv_is_a_failure(luks, monkeypatch, capsys):
    image = volume(PAYLOAD[:2048], {0: b"secret"}, mode="cbc-essiv:sha256")
    disturbed(monkeypatch, 1, flip_a_bit)
    assert luks(image, b"secret", code=1) is None
    assert capsys.readouterr().out == "FAIL wrong result at byte 1029 of key slot 0\n"


def test_a_failed_sector_leaves_stdout_empty(luks, monkeypatch, capfdbinary):
    image = volume(PAYLOAD[:512], {0: b"secret"}, mode="ecb")
    disturbed(monkeypatch, 3, flip_a_bit)
    luks(image, b"secret", "sector", 0, code=1)
    shown = capfdbinary.readouterr()
    assert shown.out == b""
    assert b"FAIL wrong result at byte 37 of the payload\n" in shown.err


def test_a_failure_leaves_an_older_output_as_it_was(luks, monkeypatch, tmp_path):
    (tmp_path / "out").write_text("older")
    disturbed(monkeypatch, 3, flip_a_bit)
    assert luks(volume(PAYLOAD[:512], {0: b"secret"}, mode="ecb"), b"secret", code=1) == b"older"


def test_an_engine_that_did_not_do_the_blocks_is_a_failure(luks, monkeypatch, capsys):
    async def in_software(self, key, src, dst, *, decrypt):
        call = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
        dst.scatter(self.memory, call(key.data, src.read(self.memory)))

    monkeypatch.setattr(PadlockDriver, "ecb", in_software)
    assert luks(volume(PAYLOAD[:512], {0: b"secret"}, mode="ecb"), b"secret", code=1) is None
    assert capsys.readouterr().out == "FAIL the engine did 0 of 8032 blocks\n"


def test_an_engine_fault_is_a_failure(luks, monkeypatch, capsys):
    async def faulty(self, key, src, dst, *, decrypt):
        raise EngineFault("page", 0x1000, 0)

    monkeypatch.setattr(PadlockDriver, "ecb", faulty)
    assert luks(volume(PAYLOAD[:512], {0: b"secret"}), b"secret", code=1) is None
    assert capsys.readouterr().out.startswith("FAIL EngineFault: page fault")


@pytest.mark.parametrize("change", ["shorter", "other"])
def test_an_image_that_changes_on_the_way_is_a_failure(luks, monkeypatch, capsys, tmp_path, change):
    image = volume(PAYLOAD, {0: b"secret"}, mode="ecb")

    def disturb(*_):
        if change == "other":
            os.utime(tmp_path / "image", (1, 1))
        else:
            os.truncate(tmp_path / "image", len(image) - 512)

    disturbed(monkeypatch, 1, disturb)
    assert luks(image, b"secret", code=1) is None
    assert capsys.readouterr().out == f"FAIL {tmp_path}/image changed while it was read\n"


def test_another_volume_in_its_place_once_the_header_was_read_is_a_failure(luks, monkeypatch, capsys,
                                                                           tmp_path):
    run = luks_command._run

    def replaced(*arguments):
        (tmp_path / "other").write_bytes(volume(PAYLOAD, {0: b"secret"}, mode="ecb", seed=2))
        os.replace(tmp_path / "other", tmp_path / "image")
        return run(*arguments)

    monkeypatch.setattr(luks_command, "_run", replaced)
    assert luks(volume(PAYLOAD, {0: b"secret"}, mode="ecb"), b"secret", code=1) is None
    assert capsys.readouterr().out == f"FAIL {tmp_path}/image changed while it was read\n"
