"""What ecbench speed measures in each mode: literal cycles without a profile, so only the engine's."""

import hashlib
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pymodel.block_engine import EngineCounters
from pymodel.errors import AuthenticationFailed
from pymodel.jobs import BenchSpec, model_bench
from pymodel.jobs.engines import KINDS
from pymodel.jobs.speed import Cell, measure_speed_of_requests
from pymodel.jobs.speed_cell import SPEED_MODES, key_bits_of
from pymodel.jobs.speed_requests import Texts
from pymodel.modes import Ecb, Gcm

PADLOCK, QCE = BenchSpec(), BenchSpec(engine="qce")
KEY = bytes(range(32))


def tried(spec, *cells):
    """The rows, and the result, on a memory whose next free byte begins no page."""
    rows, bench = [], model_bench(spec)
    bench.memory.allocate(16)
    work = measure_speed_of_requests(bench, {"cells": [cell.to_json() for cell in cells]}, rows.append)
    return rows, bench.kernel.run(work)


def measured(spec, *cells):
    """The rows; all are right."""
    rows, result = tried(spec, *cells)
    assert result == {"ok": True, "problems": []}, rows
    return rows


def figures(row):
    return row["cycles"], row["engine_cycles"], row["calls"], row["hardware_blocks"], row["key_loads"]


@pytest.mark.parametrize(("cell", "wanted"), [
    (Cell("ecb", 128, 64), (66, 65, 1, 4, 0)),
    (Cell("ctr", 128, 60), (66, 65, 1, 4, 0)),
    (Cell("cbc", 128, 64), (132, 128, 4, 4, 0)),
    (Cell("cbc", 128, 64, decrypt=True), (66, 65, 1, 4, 0)),
    (Cell("xts", 256, 64), (139, 135, 2, 5, 2)),
    (Cell("xts", 256, 64, strategy="per-block"), (205, 198, 5, 5, 2)),
    (Cell("gcm", 128, 60), (99, 97, 1, 5, 0)),
    (Cell("gcm", 128, 60, decrypt=True), (99, 97, 1, 5, 0)),
    (Cell("essiv", 128, 64), (216, 209, 5, 5, 2)),
    (Cell("essiv", 128, 64, decrypt=True), (150, 146, 2, 5, 2)),
], ids=str)
def test_a_request_takes_these_cycles(cell, wanted):
    """(cycles, the engine's own, calls, blocks, key loads): the engine as a request like it has left it."""
    assert figures(measured(PADLOCK, cell)[0]) == wanted


def test_a_cell_says_when_and_how_keys_are_loaded():
    """A key of 128 bits that the host expands is read as a schedule."""
    cell = Cell("ecb", 128, 64)
    assert [figures(row) for row in measured(PADLOCK, cell, replace(cell, policy="always"),
                                             replace(cell, policy="always", host_expands=True))] == [
        (66, 65, 1, 4, 0), (86, 84, 1, 4, 1), (93, 91, 1, 4, 1)]
    assert figures(measured(replace(PADLOCK, policy="always"), cell)[0]) == (86, 84, 1, 4, 1)


@pytest.mark.parametrize(("spec", "threshold", "hardware"), [
    (QCE, None, 4), (QCE, 63, 4), (QCE, 64, 0), (replace(QCE, aes_sw_max_len=64), None, 0),
    (replace(QCE, aes_sw_max_len=64), 0, 4)])
def test_a_cell_says_what_the_qce_leaves_to_software(spec, threshold, hardware):
    row = measured(spec, Cell("ecb", 128, 64, aes_sw_max_len=threshold))[0]
    assert (row["hardware_blocks"], row["software_blocks"]) == (hardware, 4 - hardware)


@pytest.mark.parametrize("spec", [PADLOCK, QCE], ids=["padlock", "qce"])
@pytest.mark.parametrize(("cell", "calls", "blocks"), [
    (Cell("cbc", 128, 1024), 64, 64),
    (Cell("cbc", 128, 1024, unit_bytes=64), 4, 64),
    (Cell("cbc", 128, 1024, unit_bytes=16), 1, 64),
    (Cell("cbc", 128, 1024, unit_bytes=768), 48, 64),
    (Cell("cbc", 128, 1024, unit_bytes=64, decrypt=True), 1, 64),
    (Cell("essiv", 128, 1024, unit_bytes=512), 1 + 32, 2 + 64),
    (Cell("essiv", 128, 1024, unit_bytes=512, decrypt=True), 1 + 1, 2 + 64),
    (Cell("xts", 256, 1024, unit_bytes=512), 2 + 2, 2 + 64),
    (Cell("xts", 256, 1024, unit_bytes=512, strategy="batch"), 1 + 1, 2 + 64),
], ids=str)
def test_many_units_are_one_request(spec, cell, calls, blocks):
    """In lockstep: CBC encryption makes as many calls as the longest stream has blocks."""
    row = measured(spec, cell)[0]
    assert (row["calls"], row["hardware_blocks"]) == (calls, blocks)


def test_streams_in_lockstep_fill_a_pipeline_that_one_stream_leaves_empty():
    one, many = Cell("cbc", 128, 8192), Cell("cbc", 128, 8192, unit_bytes=512)
    assert [row["cycles"] for row in measured(PADLOCK, one, many)] == [16_896, 6_336]
    assert [row["cycles"] for row in measured(replace(PADLOCK, stages=14), one, many)] == [16_896, 2_016]


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize("mode", SPEED_MODES)
@pytest.mark.parametrize("spec", [PADLOCK, QCE], ids=["padlock", "qce"])
def test_every_mode_is_right_with_every_key(spec, mode, decrypt):
    """Where the QCE has no such key, all of the data is software's, but not the IVs of ESSIV."""
    sizes = (16, 528) if mode in ("ecb", "cbc", "essiv") else (17, 531)
    for row in measured(spec, *(Cell(mode, bits, size, decrypt=decrypt) for bits in key_bits_of(mode)
                                for size in sizes)):
        cell = Cell(mode, row["key_bits"], row["bytes"])
        aes_192 = row["key_bits"] == (384 if mode == "xts" else 192)
        software = cell.blocks() - (mode == "essiv") if aes_192 and spec is QCE else 0
        assert (row["hardware_blocks"], row["software_blocks"]) == (cell.blocks() - software, software)
        assert row["cycles"] >= row["engine_cycles"]


@pytest.mark.parametrize("mode", SPEED_MODES)
def test_software_needs_no_engine(mode):
    row = measured(PADLOCK, Cell(mode, 256, 64, software=True))[0]
    blocks = {"xts": 5, "gcm": 5, "essiv": 5}.get(mode, 4)
    assert figures(row) == (0, 0, row["calls"], 0, 0)
    assert row["software_blocks"] == row["host_work"]["fallback_block"] == blocks
    assert row["host_work"]["fallback_round"] == blocks * (10 if mode == "xts" else 14)


def _by_hand(cell, key, data, mode, ivs):
    """Unit after unit by ``cryptography``."""
    result, size = b"", cell.unit_bytes
    for number, iv in enumerate(ivs):
        cipher = Cipher(algorithms.AES(key), mode(iv))
        context = cipher.decryptor() if cell.decrypt else cipher.encryptor()
        result += context.update(data[number * size:(number + 1) * size]) + context.finalize()
    return result


@pytest.mark.parametrize("decrypt", [False, True])
def test_units_are_numbered_from_0_on(decrypt):
    numbers = [number.to_bytes(16, "little") for number in range(3)]
    for mode, made, key in (("xts", modes.XTS, KEY), ("cbc", modes.CBC, KEY[:16])):
        cell = Cell(mode, 8 * len(key), 80, decrypt=decrypt, unit_bytes=32)
        texts = Texts.of(cell, key)
        assert texts == Texts(texts.data, _by_hand(cell, key, texts.data, made, numbers))
        assert len(texts.data) == 80


@pytest.mark.parametrize("decrypt", [False, True])
def test_the_iv_of_a_sector_is_its_number_encrypted_under_the_sha_256_of_the_key(decrypt):
    key, cell = KEY[:16], Cell("essiv", 128, 80, decrypt=decrypt, unit_bytes=32)
    texts = Texts.of(cell, key)
    encryptor = Cipher(algorithms.AES(hashlib.sha256(key).digest()), modes.ECB()).encryptor()
    ivs = [encryptor.update(number.to_bytes(16, "little")) for number in range(3)]
    assert texts == Texts(texts.data, _by_hand(cell, key, texts.data, modes.CBC, ivs))


def test_gcm_has_an_iv_of_12_bytes_a_header_of_8_and_a_tag_of_16(monkeypatch):
    seen, encrypt, decrypt = [], Gcm.encrypt, Gcm.decrypt

    async def encrypted(self, iv, aad, src, dst):
        seen.append(("encrypt", iv, aad, len(src)))
        return await encrypt(self, iv, aad, src, dst)

    async def decrypted(self, iv, aad, src, dst, tag):
        data = src.read(self.engine.memory)
        await decrypt(self, iv, aad, src, dst, tag)
        plaintext, key = dst.read(self.engine.memory), bytes(7 * index for index in range(16))
        assert AESGCM(key).encrypt(iv, plaintext, aad) == data + tag
        seen.append(("decrypt", iv, aad, len(tag)))

    monkeypatch.setattr(Gcm, "encrypt", encrypted)
    monkeypatch.setattr(Gcm, "decrypt", decrypted)
    measured(PADLOCK, Cell("gcm", 128, 100), Cell("gcm", 128, 100, decrypt=True))
    iv, aad = bytes(range(1, 13)), bytes.fromhex("a0a1a2a3a4a5a6a7")
    assert seen == [("encrypt", iv, aad, 100)] * 2 + [("decrypt", iv, aad, 16)] * 2


def test_another_tag_than_the_references_have_is_wrong(monkeypatch):
    encrypt = Gcm.encrypt

    async def with_another_tag(self, iv, aad, src, dst):
        tag = await encrypt(self, iv, aad, src, dst)
        return tag[:15] + bytes([tag[15] ^ 1])

    monkeypatch.setattr(Gcm, "encrypt", with_another_tag)
    rows, result = tried(PADLOCK, Cell("gcm", 128, 64), Cell("gcm", 128, 64, decrypt=True))
    assert [(row["ok"], row["text"]) for row in rows] == [(False, "wrong tag"), (True, "")]
    assert result == {"ok": False, "problems": []}


def test_a_right_tag_that_is_refused_is_wrong_and_the_next_request_is_measured(monkeypatch):
    async def refused(self, iv, aad, src, dst, tag):
        raise AuthenticationFailed(len(src), len(aad))

    monkeypatch.setattr(Gcm, "decrypt", refused)
    rows, result = tried(PADLOCK, Cell("gcm", 128, 64, decrypt=True), Cell("ecb", 128, 64))
    assert [row["text"] for row in rows] == ["the right tag was refused", ""]
    assert result["ok"] is False


@pytest.mark.parametrize(("cell", "text"), [
    (Cell("ecb", 128, 64), "wrong output"), (Cell("ctr", 128, 64), "wrong output"),
    (Cell("cbc", 128, 64, unit_bytes=32), "wrong output"),
    (Cell("gcm", 128, 64), "wrong output"), (Cell("gcm", 128, 64, decrypt=True), "the right tag was refused"),
], ids=str)
def test_an_engine_that_uses_an_old_key_makes_it_fail(cell, text):
    """Under context-pointer: the second key is set in the place of the first, and the first is used."""
    first = Cell("ecb", 256, 64)
    rows, result = tried(replace(PADLOCK, policy="context-pointer"), first, cell)
    assert [(row["ok"], row["text"]) for row in rows] == [(True, ""), (False, text)]
    assert result == {"ok": False, "problems": []}


def test_a_request_is_done_once_before_it_counts_on_the_same_data(monkeypatch):
    seen, encrypt = [], Ecb.encrypt

    async def recorded(self, src, dst):
        seen.append((src.read(self.engine.memory), src == dst, src.runs[0].address % 4096, len(src.runs)))
        await encrypt(self, src, dst)

    monkeypatch.setattr(Ecb, "encrypt", recorded)
    measured(PADLOCK, Cell("ecb", 128, 32))
    assert seen == [(bytes(31 * index & 0xFF for index in range(32)), True, 0, 1)] * 2


def test_the_same_request_takes_the_same_cycles_again():
    rows = measured(replace(PADLOCK, profile="via-2008"), *[Cell("xts", 256, 500)] * 3)
    assert rows[0] == rows[1] == rows[2]
    assert rows[0]["cycles"] > rows[0]["engine_cycles"]


def test_requests_give_back_their_memory():
    """Four of them would fill it."""
    assert len(measured(PADLOCK, *[Cell("ecb", 128, 1 << 20)] * 6)) == 6


@pytest.mark.parametrize(("cell", "blocks"), [
    (Cell("ecb", 128, 64), 4), (Cell("ctr", 128, 65), 5), (Cell("gcm", 128, 64), 5),
    (Cell("xts", 256, 72), 6), (Cell("xts", 512, 72), 6), (Cell("xts", 256, 72, unit_bytes=36), 8),
    (Cell("cbc", 256, 64, unit_bytes=16, decrypt=True), 4),
    (Cell("essiv", 128, 96, unit_bytes=32), 9)], ids=str)
def test_an_engine_that_leaves_its_work_to_software_makes_it_fail(monkeypatch, cell, blocks):
    """The QCE's driver, at a threshold that nobody asked for."""
    made = KINDS["qce"].driver
    idle = replace(KINDS["qce"],
                   driver=lambda bench, options: made(bench, {**options, "aes_sw_max_len": 512}))
    monkeypatch.setattr("pymodel.jobs.bench.KINDS", {**KINDS, "qce": idle})
    rows, result = tried(QCE, cell)
    text = f"the engine did 0 of {blocks} blocks"
    assert (rows[0]["ok"], rows[0]["text"], result["ok"]) == (False, text, False)


@pytest.mark.parametrize(("spec", "cell", "who"), [
    (replace(QCE, aes_sw_max_len=64), Cell("ecb", 128, 64), "engine and software"),
    (QCE, Cell("ecb", 192, 64), "engine and software"),
    (PADLOCK, Cell("ecb", 128, 64, software=True), "software"),
    (PADLOCK, Cell("ecb", 128, 64), "the engine"),
    (replace(PADLOCK, aes_sw_max_len=64), Cell("ecb", 128, 64), "the engine")], ids=str)
def test_blocks_that_nobody_has_counted_make_it_fail(monkeypatch, spec, cell, who):
    monkeypatch.setattr(EngineCounters, "since", lambda self, earlier: EngineCounters())
    rows, result = tried(spec, cell)
    assert (rows[0]["text"], result["ok"]) == (f"{who} did 0 of 4 blocks", False)


def test_what_the_bench_complains_of_makes_it_fail():
    bench = model_bench(PADLOCK)
    bench.problems = lambda: ["a beat too many"]
    work = measure_speed_of_requests(bench, {"cells": [Cell("ecb", 128, 64).to_json()]}, lambda _: None)
    assert bench.kernel.run(work) == {"ok": False, "problems": ["a beat too many"]}
