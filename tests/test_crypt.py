"""``ecbench crypt`` on the model: known answers, every mode and size, and nothing wrong under OUT's name."""

from __future__ import annotations

import json
import os
import re
import stat

import pytest
from conftest import CASE_FILE
from crypt_command import crypt_in
from openssl_enc import openssl_lines
from seeded import seeded

from pymodel import cli, golden
from pymodel.jobs.case_file import parse_case
from pymodel.jobs.crypt_modes import CHUNK_BYTES
from pymodel.jobs.engines import ENGINES
from pymodel.modes.sectors import data_unit
from pymodel.vectors import ieee1619

KEY = bytes(range(64)).hex()
RUNS = [parse_case(case) for case in json.loads(CASE_FILE.read_text())["cases"]
        if case["mode"] == "xts_run" and case["wrap_bits"] == 128]


@pytest.fixture
def crypt(tmp_path):
    return crypt_in(tmp_path)


def units(data, size):
    return [data[start:start + size] for start in range(0, len(data), size)]


# -- known answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("line", [line for line in openssl_lines() if line.mode != "ctr"],
                         ids=lambda line: line.name)
def test_the_result_is_that_of_openssl_enc(crypt, line):
    options = ["--mode", line.mode, "--key", line.key.hex()] + (["--iv", line.iv.hex()] if line.iv else [])
    result = crypt(line.data, *options)
    assert line.matches(result)
    assert crypt(result, *options, "--decrypt") == line.data


@pytest.mark.parametrize("vector", ieee1619()[::3], ids=lambda vector: vector.name)
def test_a_file_that_is_one_data_unit_gives_the_answer_of_ieee_1619(crypt, vector):
    options = ["--mode", "xts", "--key", vector.key.hex(), "--iv", vector.iv.hex()]
    direction = [] if vector.encrypt else ["--decrypt"]
    assert crypt(vector.data, *options, *direction) == vector.expected


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_data_units_in_a_row_give_the_answer_of_the_case(crypt, case):
    result = crypt(case.data, "--mode", "xts", "--key", case.key.hex(), "--data-unit", case.unit,
                   "--first", hex(case.first), *([] if case.encrypt else ["--decrypt"]))
    assert case.expect.matches(result)


# -- data units -------------------------------------------------------------------------------


def test_a_data_unit_is_a_sector_of_512_bytes_and_the_first_has_number_0(crypt):
    data = seeded(1).randbytes(3 * 512 + 16)
    expected = b"".join(golden.xts_encrypt(bytes.fromhex(KEY), data_unit(number), part)
                        for number, part in enumerate(units(data, 512)))
    assert crypt(data, "--mode", "xts", "--key", KEY) == expected
    assert crypt(data, "--mode", "xts", "--key", KEY, "--first", 0, "--data-unit", 512) == expected


@pytest.mark.parametrize("key_bytes", [32, 48, 64])
@pytest.mark.parametrize(("unit", "length"), [
    (16, 64), (17, 51), (520, 5 * 520 + 33), (4096, CHUNK_BYTES + 4096 + 31), (CHUNK_BYTES, CHUNK_BYTES + 17),
    (CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 18), (100_000, 100_000 + 65_537),
])
def test_any_size_of_data_unit_goes_there_and_back(crypt, key_bytes, unit, length):
    data, key = seeded(unit).randbytes(length), bytes.fromhex(KEY)[:key_bytes]
    options = ["--mode", "xts", "--key", key.hex(), "--data-unit", unit, "--first", (1 << 64) - 1]
    expected = b"".join(golden.xts_encrypt(key, data_unit((1 << 64) - 1 + number), part)
                        for number, part in enumerate(units(data, unit)))
    assert crypt(data, *options) == expected
    assert crypt(expected, *options, "--decrypt") == data


def test_a_file_of_several_chunks_can_be_one_data_unit(crypt):
    data = seeded(2).randbytes(3 * CHUNK_BYTES + 15)
    tweak = bytes(range(16))
    expected = golden.xts_encrypt(bytes.fromhex(KEY), tweak, data)
    assert crypt(data, "--mode", "xts", "--key", KEY, "--iv", tweak.hex()) == expected
    assert crypt(expected, "--mode", "xts", "--key", KEY, "--iv", tweak.hex(), "--decrypt") == data


def test_data_units_after_one_with_a_given_tweak_count_up_from_it(crypt):
    data, tweak = seeded(3).randbytes(96), bytes.fromhex("ff" * 15 + "00")
    result = crypt(data, "--mode", "xts", "--key", KEY, "--iv", tweak.hex(), "--data-unit", 32)
    first = int.from_bytes(tweak, "little")
    assert result == b"".join(golden.xts_encrypt(bytes.fromhex(KEY), data_unit(first + number), part)
                              for number, part in enumerate(units(data, 32)))


def test_equal_halves_are_accepted_as_linux_does(crypt):
    key = bytes(range(16)) * 2
    assert crypt(bytes(40), "--mode", "xts", "--key", key.hex(), "--iv", "00" * 16) == \
        golden.xts_encrypt(key, bytes(16), bytes(40))


# -- chains -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["ecb", "cbc"])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_a_file_of_several_chunks_goes_there_and_back(crypt, mode, key_bytes):
    data, key = seeded(4).randbytes(CHUNK_BYTES + 48), bytes.fromhex(KEY)[:key_bytes]
    iv = bytes(range(16))
    options = ["--mode", mode, "--key", key.hex()] + (["--iv", iv.hex()] if mode == "cbc" else [])
    expected, _ = golden.crypt(mode, key, iv if mode == "cbc" else b"", data, encrypt=True)
    assert crypt(data, *options) == expected
    assert crypt(expected, *options, "--decrypt") == data


@pytest.mark.parametrize(("mode", "options"), [
    ("ecb", []), ("cbc", ["--iv", "5a" * 16]), ("xts", ["--data-unit", 528]), ("xts", ["--iv", "5a" * 16]),
])
def test_every_engine_gives_the_same_file(crypt, mode, options):
    data = seeded(6).randbytes(5 * 528 + 16)
    options = ["--mode", mode, "--key", KEY[:64], *options]
    results = {crypt(data, "--engine", engine, *options) for engine in ENGINES}
    assert len(results) == 1
    assert crypt(results.pop(), "--engine", "qce", *options, "--decrypt") == data


# -- what is shown, and the files ------------------------------------------------------------


def test_the_last_line_has_the_figures(crypt, capsys, tmp_path):
    json_file = tmp_path.parent / f"{tmp_path.name}.json"
    crypt(bytes(1030), "--mode", "xts", "--key", KEY, "--data-unit", 1030, "--json", json_file)
    shown = capsys.readouterr()
    assert re.search(r"^encrypted 65 blocks, 66 hardware blocks: [\d,]+ blocks/s\n\Z", shown.out, re.M)
    assert "xts on model, blocks: 65 of 65\n" in shown.err
    contents = json.loads(json_file.read_text())
    assert contents["ok"]
    row, = contents["rows"]
    assert row.pop("engine_cycles") > 65 * 14
    assert row.pop("blocks_per_second") > 0
    assert row == {"engine": "padlock", "simulator": "model", "mode": "xts", "key_bits": 512,
                   "work": "encrypt", "blocks": 65, "hardware_blocks": 66, "software_blocks": 0,
                   "verdict": "pass"}


def test_blocks_of_a_key_that_the_engine_does_not_have_are_those_of_software(crypt, capsys):
    data = bytes(range(64))
    result = crypt(data, "--engine", "qce", "--mode", "ecb", "--key", KEY[:48])
    assert result == golden.ecb_encrypt(bytes.fromhex(KEY[:48]), data)
    assert "encrypted 4 blocks, 0 hardware blocks, 4 software blocks: " in capsys.readouterr().out


def test_the_key_can_come_from_a_file_or_a_pipe(crypt, tmp_path):
    wanted = crypt(bytes(32), "--mode", "ecb", "--key", KEY[:32])
    key_file = tmp_path.parent / f"{tmp_path.name}.key"
    key_file.write_text(f"{KEY[:16].upper()}\n{KEY[16:32]}\n")
    assert crypt(bytes(32), "--mode", "ecb", "--key-file", key_file) == wanted
    read, write = os.pipe()
    os.write(write, KEY[:32].encode())
    os.close(write)
    assert crypt(bytes(32), "--mode", "ecb", "--key-file", f"/dev/fd/{read}") == wanted


def test_a_new_output_has_ordinary_rights_and_an_old_one_keeps_its_own(crypt, tmp_path):
    mask = os.umask(0o027)
    try:
        crypt(bytes(16), "--mode", "ecb", "--key", KEY[:32])
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    (tmp_path / "out").chmod(0o600)
    assert len(crypt(bytes(32), "--mode", "ecb", "--key", KEY[:32])) == 32
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


def test_an_output_that_is_a_link_is_written_through_it(tmp_path):
    (tmp_path / "in").write_bytes(bytes(16))
    (tmp_path / "folder").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "folder" / "real")
    words = ["crypt", "--mode", "ecb", "--key", KEY[:32], "--on", "model"]
    assert cli.run_command_line([*words, f"{tmp_path}/in", f"{tmp_path}/out"]) == 0
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "folder" / "real").stat().st_size == 16
