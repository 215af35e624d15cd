"""Sectors as dm-crypt numbers them, through XTS and CBC, with ESSIV."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from padlock_bench import PadlockBench
from refusal import nothing_changes, refused
from scatter import loaded
from seeded import seeded

from pymodel import golden
from pymodel.errors import InvalidRequest
from pymodel.modes import Cbc, Essiv, SectorCipher, Xts
from pymodel.modes.sectors import data_unit, numbers, plain, plain64

KEY = bytes(range(64))


@pytest.fixture
def engine():
    return PadlockBench(pages=256).driver()


# -- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unit_bytes", "counting", "expected"), [
    (512, "units", [7, 8, 9, 10, 11, 12, 13, 14]), (512, "sectors", [7, 8, 9, 10, 11, 12, 13, 14]),
    (1024, "units", [7, 8, 9, 10]), (1024, "sectors", [7, 9, 11, 13]),
    (2048, "units", [7, 8]), (2048, "sectors", [7, 11]), (4096, "units", [7]), (4096, "sectors", [7])])
def test_a_number_counts_units_or_sectors_of_512_bytes(unit_bytes, counting, expected):
    assert numbers(7, 4096, unit_bytes, counting) == expected


@pytest.mark.parametrize(("arguments", "message"), [
    ((0, 513), "513 bytes are not whole data units of 512"), ((0, 512, 0), "data units of 0 bytes"),
    ((0, 520, 520, "sectors"), "data units of 520 bytes"), ((0, 512, 512, "bytes"), "counting 'bytes'")])
def test_what_cannot_be_counted_is_refused(arguments, message):
    with pytest.raises(InvalidRequest, match=message):
        numbers(*arguments)


def test_an_iv_has_the_size_of_the_ciphers_block():
    assert plain(0x1_0000_0002, 8).hex() == "0200000000000000"
    assert plain64(0x1_0000_0002, 8).hex() == "0200000001000000"
    assert data_unit(2**64 - 1, 8) == b"\xff" * 8
    with pytest.raises(InvalidRequest, match="outside"):
        data_unit(2**64, 8)


# -- XTS ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counting", ["units", "sectors"])
@pytest.mark.parametrize("unit_bytes", [512, 1024, 2048, 4096])
@pytest.mark.parametrize("numbering", [plain, plain64])
def test_sectors_around_2_to_the_32_are_those_of_the_golden_model(engine, numbering, unit_bytes, counting):
    first, data = 2**32 - 4, seeded(unit_bytes).randbytes(16384)
    step = unit_bytes // 512 if counting == "sectors" else 1
    expected = b"".join(
        golden.xts_encrypt(KEY, numbering(first + step * index), data[unit_bytes * index:][:unit_bytes])
        for index in range(len(data) // unit_bytes))
    xts = Xts(engine, KEY, strategy="batch")
    disk = SectorCipher(xts, numbering, unit_bytes=unit_bytes, counting=counting)
    src, dst = loaded(engine, data), loaded(engine, bytes(len(data)))
    engine.kernel.run(disk.encrypt(first, src, dst))
    assert engine.counters.calls == 2
    assert dst.read(engine.memory) == expected
    engine.kernel.run(disk.decrypt(first, dst, dst))
    assert dst.read(engine.memory) == data


def test_units_written_at_once_are_read_one_by_one_in_any_order(engine):
    """By two disks in turn, as dm-crypt's requests come."""
    rng = seeded(6)
    disks = [SectorCipher(Xts(engine, rng.randbytes(64), strategy="batch"), plain64) for _ in range(2)]
    texts = [rng.randbytes(16 * 512) for _ in disks]
    areas = [loaded(engine, text) for text in texts]
    for disk, area in zip(disks, areas, strict=True):
        engine.kernel.run(disk.encrypt(1000, area, area))
    for number in rng.sample(range(16), 16):
        for disk, area, text in zip(disks, areas, texts, strict=True):
            unit = area.part(512 * number, 512)
            engine.kernel.run(disk.decrypt(1000 + number, unit, unit))
            assert unit.read(engine.memory) == text[512 * number:512 * number + 512]


# -- CBC and ESSIV --------------------------------------------------------------------------------


def by_cryptography(algorithm, mode, data):
    encryptor = Cipher(algorithm, mode).encryptor()
    return encryptor.update(data) + encryptor.finalize()


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_essiv_is_the_number_under_the_hash_of_the_key(engine, key_bytes):
    key = KEY[:key_bytes]
    salt = algorithms.AES(hashlib.sha256(key).digest())
    sectors = [0, 1, 2**32, 2**64 - 1]
    expected = [by_cryptography(salt, modes.ECB(), n.to_bytes(16, "little")) for n in sectors]
    with Essiv(engine, key) as essiv:
        assert engine.kernel.run(essiv.ivs(sectors)) == expected
        assert engine.counters.calls == 1
        assert engine.kernel.run(essiv.ivs([])) == []


def test_a_disk_in_cbc_with_essiv_is_that_of_cryptography(engine):
    """8 sectors: a call for all IVs and one per block position; decryption is a call for the IVs and one
    for the data."""
    key, data, first = KEY[:32], seeded(7).randbytes(8 * 512), 2**33
    salt = algorithms.AES(hashlib.sha256(key).digest())
    expected = b""
    for index in range(8):
        iv = by_cryptography(salt, modes.ECB(), (first + index).to_bytes(16, "little"))
        expected += by_cryptography(algorithms.AES(key), modes.CBC(iv), data[512 * index:512 * index + 512])
    area = loaded(engine, data)
    disk = SectorCipher(Cbc(engine, key), Essiv(engine, key))
    engine.kernel.run(disk.encrypt(first, area, area))
    assert engine.counters.calls == 1 + 32
    assert area.read(engine.memory) == expected
    engine.kernel.run(disk.decrypt(first, area, area))
    assert engine.counters.calls == 33 + 2
    assert area.read(engine.memory) == data


def test_essiv_refuses_hashes_that_give_no_key(engine):
    with pytest.raises(InvalidRequest, match="'sha-2', which is not known"):
        Essiv(engine, KEY[:16], "sha-2")
    with pytest.raises(InvalidRequest, match="ESSIV with sha1: an AES key has 16, 24 or 32 bytes, not 20"):
        Essiv(engine, KEY[:16], "sha1")


def test_a_disk_refuses_before_anything_is_written(engine):
    area, other = loaded(engine, bytes(1024)), loaded(engine, bytes(1024))
    disks = [SectorCipher(Xts(engine, KEY), plain64),
             SectorCipher(Cbc(engine, KEY[:16]), Essiv(engine, KEY[:16]))]
    for disk in disks:
        refused(engine, "513 bytes are not whole", disk.encrypt(0, area.part(0, 513), area.part(0, 513)))
        refused(engine, "source of 1024 bytes", disk.encrypt(0, area, other.part(0, 512)))
        refused(engine, "overlap in part", disk.decrypt(0, area.part(0, 512), area.part(256, 512)))
        refused(engine, "outside 0", disk.encrypt(2**64 - 1, area, other), disk.decrypt(-1, area, other))
    with nothing_changes(engine), pytest.raises(InvalidRequest, match="sectors of 520 bytes"):
        SectorCipher(Xts(engine, KEY), plain64, unit_bytes=520)
