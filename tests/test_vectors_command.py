"""``ecbench vectors``: what is written is right, is read again, and is replayed, also by Verilog alone."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from conftest import ROOT
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel import cli, golden
from pymodel.jobs.case_file import parse_case, read_case_file
from pymodel.regress import simulators
from pymodel.vectors import response
from pymodel.vectors.generate import KEY_BITS, MAX_BLOCKS, generate
from pymodel.vectors.nist import vector_of
from pymodel.vectors.vector_file import read_readmemh, read_rsp

KINDS = [(mode, bits) for mode, sizes in KEY_BITS.items() for bits in sizes]
COUNT = 41
"""More encryptions than decryptions."""


@pytest.fixture
def written(tmp_path, capsys):
    """Runs ``ecbench vectors``; the text of its file."""

    def run(mode, key_bits, form="json", seed=3, count=COUNT):
        words = ["vectors", "--mode", mode, "--key-bits", key_bits, "--seed", seed, "--count", count,
                 "--format", form, tmp_path / "out"]
        assert cli.run_command_line([str(word) for word in words]) == 0
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        assert capsys.readouterr().out.endswith(f": {tmp_path}/out\n")
        return (tmp_path / "out").read_text()

    return run


def facts(vectors):
    """All but the names, which are the formats' own."""
    return [(vector.mode, vector.key, vector.iv, vector.data, vector.expected, vector.encrypt)
            for vector in vectors]


def in_order_of_rsp(vectors):
    return sorted(vectors, key=lambda vector: not vector.encrypt)


# -- what is in them --------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "key_bits"), KINDS)
def test_every_result_is_that_of_cryptography(mode, key_bits):
    for vector in generate(mode, key_bits, 5, COUNT):
        if mode == "xts" and key_bits == 384:
            # cryptography has no XTS with AES-192: the first block by its ECB, tweak and XOR by hand
            half, block = vector.key[:24], vector.data[:16]
            tweak = int.from_bytes(ecb(vector.key[24:], vector.iv, True))
            if len(vector.data) >= 32:
                mixed = (int.from_bytes(block) ^ tweak).to_bytes(16)
                result = (int.from_bytes(ecb(half, mixed, vector.encrypt)) ^ tweak).to_bytes(16)
                assert result == vector.expected[:16]
            continue
        chosen = {"ecb": lambda _: modes.ECB(), "cbc": modes.CBC, "ctr": modes.CTR, "xts": modes.XTS}[mode]
        cipher = Cipher(algorithms.AES(vector.key), chosen(vector.iv))
        context = cipher.encryptor() if vector.encrypt else cipher.decryptor()
        assert context.update(vector.data) + context.finalize() == vector.expected


def ecb(key, block, encrypt):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    context = cipher.encryptor() if encrypt else cipher.decryptor()
    return context.update(block)


@pytest.mark.parametrize("mode", KEY_BITS)
def test_lengths_and_directions_are_of_every_kind_the_mode_has(mode):
    made = list(generate(mode, KEY_BITS[mode][0], 1, 200))
    assert [vector.encrypt for vector in made] == [True, False] * 100
    lengths = {len(vector.data) for vector in made}
    assert {16 * blocks for blocks in range(1, MAX_BLOCKS + 1)} <= lengths
    partial = {length for length in lengths if length % 16}
    assert bool(partial) == (mode in ("ctr", "xts"))
    assert min(lengths) >= (16 if mode != "ctr" else 1)
    assert max(lengths) == 16 * MAX_BLOCKS
    assert len({vector.key for vector in made}) == 200


def test_counters_roll_over_in_each_width_on_the_way():
    rolled = set()
    for vector in generate("ctr", 128, 1, 400):
        blocks = -(-len(vector.data) // 16)
        for bits in (32, 64, 128):
            low = int.from_bytes(vector.iv) % (1 << bits)
            if low + blocks > 1 << bits:
                rolled.add((bits, vector.encrypt))
    assert rolled == {(bits, encrypt) for bits in (32, 64, 128) for encrypt in (True, False)}


def test_the_seed_and_nothing_else_decides(written):
    first = written("cbc", 128)
    assert written("cbc", 128) == first
    assert written("cbc", 128, seed=4) != first
    assert written("cbc", 128, count=COUNT + 1).startswith(first.split('"cases"')[0].replace("41", "42"))
    longer = list(generate("cbc", 128, 3, COUNT + 7))
    assert longer[:COUNT] == list(generate("cbc", 128, 3, COUNT))


# -- the formats ------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "key_bits"), KINDS)
def test_json_is_a_case_file_with_these_vectors(written, tmp_path, mode, key_bits):
    contents = json.loads(written(mode, key_bits))
    assert contents["made_by"] == \
        f"ecbench vectors --mode {mode} --key-bits {key_bits} --seed 3 --count {COUNT}"
    cases = [parse_case(values) for values in read_case_file(tmp_path / "out")]
    made = list(generate(mode, key_bits, 3, COUNT))
    assert [(case.mode, case.key, case.iv, case.data, case.encrypt) for case in cases] == \
        [(vector.mode, vector.key, vector.iv, vector.data, vector.encrypt) for vector in made]
    for case, vector in zip(cases, made, strict=True):
        assert case.expect.out == {"hex": vector.expected.hex()}


@pytest.mark.parametrize("mode", KEY_BITS)
def test_json_is_replayed_by_ecbench_cases(written, tmp_path, capsys, mode):
    written(mode, KEY_BITS[mode][-1])
    assert cli.run_command_line(["cases", str(tmp_path / "out"), "--on", "model"]) == 0
    assert capsys.readouterr().out == f"{COUNT} passed, 0 failed, 0 skipped\n"


@pytest.mark.parametrize(("mode", "key_bits"), KINDS)
def test_rsp_is_read_again(written, mode, key_bits):
    made = list(generate(mode, key_bits, 3, COUNT))
    assert facts(read_rsp(written(mode, key_bits, "rsp"), mode)) == facts(in_order_of_rsp(made))


@pytest.mark.parametrize("mode", ["ecb", "cbc"])
def test_rsp_is_read_by_the_reader_of_nist_s_own_files(written, mode):
    records = list(response.records(written(mode, 256, "rsp")))
    assert [record.fields["COUNT"] for record in records] == [*map(str, range(21)), *map(str, range(20))]
    made = in_order_of_rsp(generate(mode, 256, 3, COUNT))
    assert facts(vector_of(record, mode, "ours") for record in records) == facts(made)


def test_rsp_of_xts_has_nist_s_names_and_the_length_in_bits(written):
    text = written("xts", 256, "rsp", count=3)
    first = next(generate("xts", 256, 3, 1))
    assert text.startswith(
        "# ecbench vectors --mode xts --key-bits 256 --seed 3 --count 3\n\n[ENCRYPT]\n\nCOUNT = 0\n"
        f"DataUnitLen = {8 * len(first.data)}\nKey = {first.key.hex()}\ni = {first.iv.hex()}\n"
        f"PT = {first.data.hex()}\nCT = {first.expected.hex()}\n\nCOUNT = 1\n")
    decryption = text.split("[DECRYPT]\n\n")[1].splitlines()
    assert [line.split(" = ")[0] for line in decryption] == ["COUNT", "DataUnitLen", "Key", "i", "CT", "PT"]


def test_rsp_of_one_vector_has_no_empty_section(written):
    assert "[DECRYPT]" not in written("ecb", 128, "rsp", count=1)


@pytest.mark.parametrize(("mode", "key_bits"), KINDS)
def test_readmemh_is_read_again(written, mode, key_bits):
    assert facts(read_readmemh(written(mode, key_bits, "readmemh"))) == \
        facts(generate(mode, key_bits, 3, COUNT))


@pytest.mark.parametrize("damage", [
    lambda lines: lines[:-1], lambda lines: [*lines, lines[-1]], lambda lines: lines[1:],
    lambda lines: [lines[0].replace("45434256", "45434257"), *lines[1:]], lambda lines: [],
    lambda lines: [lines[0].replace("0001", "0002", 1), *lines[1:]],
    lambda lines: [*lines[:-1], lines[-1][2:]],
])
def test_another_layout_or_length_is_not_read(written, damage):
    lines = written("ecb", 128, "readmemh", count=2).splitlines()[2:]
    assert len(list(read_readmemh("\n".join(lines)))) == 2
    with pytest.raises(ValueError, match=r"not a file of vectors|not \d+ vectors of|not 2 vectors"):
        list(read_readmemh("\n".join(damage(lines))))


# -- Verilog alone ----------------------------------------------------------------------------


@pytest.fixture
def by_icarus(tmp_path):
    """Reads a file of vectors with tests/rtl/vector_file.v; the lines it prints."""
    try:
        simulators.find("icarus")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))

    def run(text, count):
        (tmp_path / "vectors.hex").write_text(text)
        sources = sorted((ROOT / "hdl" / "aes").glob("*.v"))
        command = ["iverilog", "-g2005", "-Wall", "-I", ROOT / "hdl", "-I", ROOT / "hdl" / "aes", "-s",
                   "vector_file", f"-Pvector_file.COUNT={count}", "-o", tmp_path / "run",
                   ROOT / "tests" / "rtl" / "vector_file.v", *sources]
        subprocess.run([str(word) for word in command], check=True)
        ended = subprocess.run(["vvp", "-n", str(tmp_path / "run"), f"+vectors={tmp_path}/vectors.hex"],
                               capture_output=True, text=True, check=True, timeout=60)
        return [line for line in ended.stdout.splitlines() if "$finish" not in line]

    return run


@pytest.mark.parametrize(("mode", "key_bits"), [("cbc", 192), ("ctr", 128), ("xts", 256), ("xts", 512)])
def test_readmemh_of_icarus_finds_every_field_in_its_place(written, by_icarus, mode, key_bits):
    header, *lines, end = by_icarus(written(mode, key_bits, "readmemh"), COUNT)
    assert header == f"header 45434256 1 {['ecb', 'cbc', 'ctr', 'xts'].index(mode)} {COUNT} {MAX_BLOCKS}"
    for number, (line, vector) in enumerate(zip(lines, generate(mode, key_bits, 3, COUNT), strict=True)):
        assert line.split() == [
            "vector", str(number), str(int(not vector.encrypt)), str(key_bits), str(len(vector.data)),
            vector.key.hex().ljust(128, "0"), vector.iv.hex(), vector.data.hex().ljust(256, "0"),
            vector.expected.hex().ljust(256, "0")]
    assert end == "blocks 0 passed 0 failed"


@pytest.mark.parametrize("key_bits", KEY_BITS["ecb"])
def test_a_bench_in_verilog_alone_runs_the_vectors_on_the_core(written, by_icarus, key_bits):
    text = written("ecb", key_bits, "readmemh")
    blocks = sum(len(vector.data) // 16 for vector in generate("ecb", key_bits, 3, COUNT))
    assert by_icarus(text, COUNT)[-1] == f"blocks {blocks} passed 0 failed"
    lines = text.splitlines()
    lines[2 + 1 + 6 + MAX_BLOCKS] = "0" * 32  # the first block's result
    assert by_icarus("\n".join(lines), COUNT)[-1] == f"blocks {blocks - 1} passed 1 failed"


# -- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "message"), [
    ("--mode gcm --key-bits 128 out", "unknown mode 'gcm': choose one of ecb, cbc, ctr, xts"),
    ("--key-bits 128 out", "Missing option '--mode'"),
    ("--mode ecb out", "Missing option '--key-bits'"),
    ("--mode ecb --key-bits 256", "Missing argument 'OUT'"),
    ("--mode ecb --key-bits 512 out", "a key of 512 bits: ECB takes 128, 192 or 256"),
    ("--mode xts --key-bits 128 out", "a key of 128 bits: XTS takes 256, 384 or 512, both halves together"),
    ("--mode ecb --key-bits many out", "'--key-bits'"),
    ("--mode ecb --key-bits 128 --count 0 out", "'--count'"),
    ("--mode ecb --key-bits 128 --count -1 out", "'--count'"),
    ("--mode ecb --key-bits 128 --count 1000001 out", "1000001 vectors: at most 1000000 go into a file"),
    ("--mode ecb --key-bits 128 --seed -1 out", "'--seed'"),
    ("--mode ecb --key-bits 128 --format csv out", "unknown format 'csv': choose one of json, rsp, readmemh"),
    ("--mode ecb --key-bits 128 folder", "cannot write folder: it is a directory"),
    ("--mode ecb --key-bits 128 missing/out", "cannot write missing/out: No such file or directory"),
    ("--mode ecb --key-bits 128 pipe", "pipe is not a regular file"),
])
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, command, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert cli.run_command_line(["vectors", *command.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ecbench: ")
    assert shown.err.count("\n") == 1
    assert message in shown.err
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "pipe"}


def test_a_wrong_golden_model_is_a_failure_and_leaves_an_older_file(tmp_path, monkeypatch, capsys):
    right = golden.crypt

    def wrong(mode, key, iv, data, *, encrypt):
        result, next_iv = right(mode, key, iv, data, encrypt=encrypt)
        return (result[:-1] + bytes([result[-1] ^ 1]) if not encrypt else result), next_iv

    monkeypatch.setattr(golden, "crypt", wrong)
    (tmp_path / "out").write_text("older")
    words = ["vectors", "--mode", "cbc", "--key-bits", "128", str(tmp_path / "out")]
    assert cli.run_command_line(words) == 1
    assert capsys.readouterr().out == \
        "FAIL cbc-128 seed 1 vector 1: the golden model and cryptography disagree\n"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "older")]
