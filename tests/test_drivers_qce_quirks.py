"""Quirks of the QCE: the naive driver fails, the right one passes; without the quirk both do.

Those of the result dump and of shared registers have test files of their own.
"""

from __future__ import annotations

import pytest
from qce_driver_bench import QCE_QUIRKS, QceBench, some_data

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang, InvalidRequest
from pymodel.modes import Xts

KEY = bytes(range(32))


def without(quirk):
    return QceBench(quirks=QCE_QUIRKS & ~quirk)


def hang_of(bench, driver, data, *, length=None):
    """The hang of an encryption of ``data``, and its destination."""
    src, dst = bench.buffer(data), bench.buffer(bytes(len(data)))
    length = len(data) if length is None else length
    with pytest.raises(EngineHang) as caught:
        bench.run(driver.submit(driver.key(KEY), src, dst, length, decrypt=False))
    return caught.value, dst.read(bench.memory)


# -- 4 ALIGN_16 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["source", "destination"])
def test_pieces_that_are_not_aligned_fault_before_anything_is_written(side):
    bench, data = QceBench(), some_data(64)
    driver = bench.naive(Quirk.ALIGN_16)
    src = bench.buffer(data, 5 if side == "source" else 0)
    dst = bench.buffer(bytes(64), 5 if side == "destination" else 0)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    fault = caught.value
    access, odd = ("source read", src) if side == "source" else ("destination write", dst)
    assert (fault.kind, fault.access, fault.address) == ("alignment", access, odd.pieces[0].address)
    assert (fault.completed, fault.restartable) == (0, False)
    assert dst.read(bench.memory) == bytes(64)
    right = bench.driver()
    bench.run(right.ecb(right.key(KEY), src, dst, decrypt=False))
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, data)


def test_an_aligned_piece_of_an_odd_size_faults_at_its_end():
    bench, data = QceBench(), some_data(64)
    driver, base = bench.naive(Quirk.ALIGN_16), bench.memory.allocate(128)
    src, dst = Buffers([(base, 24), (base + 64, 40)]), bench.buffer(bytes(64))
    src.scatter(bench.memory, data)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    assert (caught.value.kind, caught.value.address) == ("alignment", base + 24)


@pytest.mark.parametrize("side", ["source", "destination", "both"])
def test_more_unaligned_pieces_than_a_list_holds_fault_too(side):
    bench = QceBench()
    driver, base = bench.naive(Quirk.ALIGN_16), bench.memory.allocate(4096)
    pieces, whole = Buffers([(base + 8 * number, 5) for number in range(160)]), bench.buffer(bytes(800))
    src, dst = whole if side == "destination" else pieces, whole if side == "source" else pieces
    with pytest.raises(EngineFault, match="alignment"):
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))


# -- 6 LENGTH_512_HANG ------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [528, 768, 4112])
def test_a_length_over_512_hangs_the_naive_driver_after_its_last_whole_unit(length):
    bench, data = QceBench(), some_data(length)
    hang, result = hang_of(bench, bench.naive(Quirk.LENGTH_512_HANG), data)
    done = length // 512 * 512
    assert (hang.completed, hang.state["CRYPTO_STATE"], hang.state["BYTES_DONE"]) == (done, "WAIT_UNIT", done)
    assert result == golden.ecb_encrypt(KEY, data)[:done] + bytes(length - done)


@pytest.mark.parametrize("length", [528, 768, 4112])
def test_xts_over_512_hangs_the_naive_driver_and_the_message_names_state_and_descriptors(length):
    bench = QceBench()
    with Xts(bench.naive(Quirk.LENGTH_512_HANG), KEY + bytes(32)) as xts, pytest.raises(EngineHang) as caught:
        bench.run(xts.encrypt_bytes(bytes(16), some_data(length)))
    for part in ("CRYPTO_STATE=WAIT_UNIT", "STATUS=", f"ENCR_SEG_SIZE={length:#x}", "source_descriptor=0x0",
                 f"source_size={length:#x}", "destination_address=0x"):
        assert part in str(caught.value)


@pytest.mark.parametrize("length", [528, 768, 4112])
@pytest.mark.parametrize("long_lengths", ["split", "fallback"])
def test_a_length_over_512_is_split_or_left_to_software(length, long_lengths):
    bench, data = QceBench(), some_data(length)
    driver = bench.driver(long_lengths=long_lengths)
    assert bench.ecb(driver, driver.key(KEY), data) == golden.ecb_encrypt(KEY, data)
    expected = [length // 512 * 512, length % 512] if long_lengths == "split" else []
    assert bench.port.requests() == expected
    assert driver.counters.software_blocks == (0 if expected else length // 16)


@pytest.mark.parametrize("length", [528, 768, 4112])
def test_without_the_hang_the_naive_driver_sends_any_length(length):
    bench, data = without(Quirk.LENGTH_512_HANG), some_data(length)
    driver = bench.naive(Quirk.LENGTH_512_HANG)
    assert bench.ecb(driver, driver.key(KEY), data) == golden.ecb_encrypt(KEY, data)
    assert bench.port.requests() == [length]


# -- 7 ZERO_LENGTH_HANG -----------------------------------------------------------------------------


def zero(bench, driver, how):
    key, nothing = driver.key(KEY), Buffers([])
    if how == "ecb":
        bench.run(driver.ecb(key, nothing, nothing, decrypt=False))
    else:
        bench.run(driver.submit(key, bench.buffer(bytes(32)), bench.buffer(bytes(32)), 0, decrypt=False))


@pytest.mark.parametrize("how", ["ecb", "submit"])
def test_length_0_hangs_the_naive_driver(how):
    bench = QceBench()
    driver = bench.naive(Quirk.ZERO_LENGTH_HANG, retry="software")
    with pytest.raises(EngineHang) as caught:
        zero(bench, driver, how)
    assert (caught.value.completed, caught.value.state["CRYPTO_STATE"]) == (0, "WAIT_LENGTH")
    assert driver.counters.calls == 0


@pytest.mark.parametrize("how", ["ecb", "submit"])
def test_length_0_is_answered_by_the_driver(how):
    bench = QceBench()
    driver = bench.driver()
    zero(bench, driver, how)
    assert bench.port.log == []
    assert driver.counters.calls == 0


@pytest.mark.parametrize("how", ["ecb", "submit"])
def test_without_the_hang_length_0_completes(how):
    bench = without(Quirk.ZERO_LENGTH_HANG)
    zero(bench, bench.naive(Quirk.ZERO_LENGTH_HANG), how)
    assert bench.port.requests() == [0]


# -- 8 PARTIAL_BLOCK_HANG ---------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "offset"), [(24, 0), (17, 0), (1, 0), (24, 3), (500, 0), (1000, 7)])
def test_part_of_a_block_hangs_the_naive_driver_after_the_whole_blocks(length, offset):
    bench, room = QceBench(), some_data(1024)
    driver = bench.naive(Quirk.PARTIAL_BLOCK_HANG)
    src, dst = bench.buffer(room, offset), bench.buffer(bytes(1024), offset)
    with pytest.raises(EngineHang) as caught:
        bench.run(driver.ecb(driver.key(KEY), src.part(0, length), dst.part(0, length), decrypt=False))
    done = length // 16 * 16
    assert (caught.value.completed, caught.value.state["CRYPTO_STATE"]) == (done, "WAIT_BLOCK")
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, room)[:done] + bytes(1024 - done)


def test_part_of_a_block_hangs_even_when_software_would_finish_it():
    bench = QceBench()
    driver = bench.naive(Quirk.PARTIAL_BLOCK_HANG, retry="software")
    hang, _ = hang_of(bench, driver, some_data(64), length=24)
    assert hang.completed == 16


def test_part_of_a_block_is_refused_before_any_access():
    bench, buffer = QceBench(), Buffers.of(4096, 24)
    driver = bench.driver()
    with pytest.raises(InvalidRequest, match="24 bytes are not a multiple of 16"):
        bench.run(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False))
    assert bench.port.log == []


def test_without_the_hang_part_of_a_block_is_an_error_at_once_and_nothing_is_written():
    bench = without(Quirk.PARTIAL_BLOCK_HANG)
    driver, dst = bench.naive(Quirk.PARTIAL_BLOCK_HANG), bench.buffer(bytes(64))
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.submit(driver.key(KEY), bench.buffer(some_data(64)), dst, 24, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.access, fault.completed) == ("configuration", "setup", 0)
    assert not fault.restartable
    assert dst.read(bench.memory) == bytes(64)


# -- 9 NO_AES192 ------------------------------------------------------------------------------------


def test_a_192_bit_key_is_used_as_128_bits_by_the_naive_driver():
    bench, data = QceBench(), some_data(64)
    driver = bench.naive(Quirk.NO_AES192)
    assert bench.ecb(driver, driver.key(KEY[:24]), data) == golden.ecb_encrypt(KEY[:16], data)


@pytest.mark.parametrize("decrypt", [False, True])
def test_a_192_bit_key_is_used_in_software(decrypt):
    bench, data = QceBench(), some_data(64)
    driver = bench.driver()
    expected = (golden.ecb_decrypt if decrypt else golden.ecb_encrypt)(KEY[:24], data)
    assert bench.ecb(driver, driver.key(KEY[:24]), data, decrypt=decrypt) == expected
    assert (bench.port.log, driver.counters.software_blocks) == ([], 4)


@pytest.mark.parametrize("decrypt", [False, True])
def test_where_the_engine_has_192_bits_the_naive_driver_is_right(decrypt):
    bench, data = without(Quirk.NO_AES192), some_data(64)
    driver = bench.naive(Quirk.NO_AES192)
    expected = (golden.ecb_decrypt if decrypt else golden.ecb_encrypt)(KEY[:24], data)
    assert bench.ecb(driver, driver.key(KEY[:24]), data, decrypt=decrypt) == expected
    assert driver.counters.hardware_blocks == 4


# -- 10 SLOW_START ----------------------------------------------------------------------------------


def cycles_of_a_block(quirks, handles, slow_start_cycles):
    bench = QceBench(quirks=quirks, slow_start_cycles=slow_start_cycles)
    driver, data = bench.driver(handles=handles, aes_sw_max_len=512), some_data(16)
    assert bench.ecb(driver, driver.key(KEY), data) == golden.ecb_encrypt(KEY, data)
    return driver.counters.engine_cycles


def test_a_short_request_of_the_naive_driver_pays_the_whole_start():
    naive = QCE_QUIRKS & ~Quirk.SLOW_START
    start = [cycles_of_a_block(QCE_QUIRKS, naive, cycles) for cycles in (100, 4000)]
    assert start[1] - start[0] == 3900
    assert start[1] > 4000


def test_a_short_request_is_done_in_software():
    assert cycles_of_a_block(QCE_QUIRKS, QCE_QUIRKS, 4000) == 0


def test_without_the_slow_start_a_short_request_of_the_naive_driver_is_short():
    assert 0 < cycles_of_a_block(QCE_QUIRKS & ~Quirk.SLOW_START, QCE_QUIRKS & ~Quirk.SLOW_START, 4000) < 100
