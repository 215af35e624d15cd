"""The result dump of the QCE: where it goes (bit 11) and the status in it (bit 12).

The naive driver fails, the right one passes; without the quirk both do.
"""

from __future__ import annotations

import pytest
from qce_driver_bench import QCE_QUIRKS, QceBench, some_data
from seeded import seeded

from pymodel import golden
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault

KEY = bytes(range(32))


def without(quirk):
    return QceBench(quirks=QCE_QUIRKS & ~quirk)


# -- 11 DUMP_FOLLOWS_DATA: the GCM tag --------------------------------------------------------------


def tag_after(bench, driver, data, *, offset=0):
    """Encrypt GCM's counter blocks into a buffer in which its tag follows; the tag, and what follows then."""
    _, tag = golden.gcm_encrypt(KEY, bytes(12), data, b"header")
    counters = b"".join(bytes(11) + b"\1" + number.to_bytes(4, "big") for number in range(len(data) // 16))
    src = bench.buffer(counters)
    message = bench.buffer(bytes(len(data)) + tag, offset)
    bench.run(driver.submit(driver.key(KEY), src, message, len(data), decrypt=False))
    stream, after = message.read(bench.memory)[:len(data)], message.read(bench.memory)[len(data):]
    assert stream == golden.ecb_encrypt(KEY, counters)
    return tag, after


@pytest.mark.parametrize("length", [16, 496, 512, 528])
def test_a_tag_behind_the_data_is_overwritten_by_the_first_bytes_of_the_dump(length):
    bench = QceBench()
    tag, after = tag_after(bench, bench.naive(Quirk.DUMP_FOLLOWS_DATA), some_data(length))
    assert after == bytes(16) != tag


@pytest.mark.parametrize("length", [16, 496, 512, 528])
@pytest.mark.parametrize("offset", [0, 3])
def test_a_tag_behind_the_data_is_untouched_when_the_list_is_cut_at_the_length(length, offset):
    bench = QceBench()
    tag, after = tag_after(bench, bench.driver(), some_data(length), offset=offset)
    assert after == tag


@pytest.mark.parametrize("length", [16, 496, 512, 528])
def test_where_the_dump_begins_at_its_own_descriptor_the_naive_driver_leaves_the_tag(length):
    bench = without(Quirk.DUMP_FOLLOWS_DATA)
    tag, after = tag_after(bench, bench.naive(Quirk.DUMP_FOLLOWS_DATA), some_data(length))
    assert after == tag


def test_a_long_tail_takes_the_whole_dump_of_the_naive_driver_and_not_a_byte_more():
    bench, rng = QceBench(), seeded(1)
    driver, tail = bench.naive(Quirk.DUMP_FOLLOWS_DATA), rng.randbytes(200)
    data = some_data(64)
    message = bench.buffer(data + tail)
    bench.run(driver.submit(driver.key(KEY), message, message, 64, decrypt=False))
    after = message.read(bench.memory)
    assert after[:64] == golden.ecb_encrypt(KEY, data)
    assert after[64:64 + 96] == bytes(96)
    assert after[64 + 128:] == tail[128:]


@pytest.mark.parametrize("software", [0, 16])
def test_what_the_naive_driver_has_split_off_is_not_hit_by_the_dump_in_place(software):
    """Only the last part has what follows in its list, and only when the engine does it."""
    bench, data = QceBench(), some_data(528)
    driver = bench.naive(Quirk.DUMP_FOLLOWS_DATA, aes_sw_max_len=software)
    message = bench.buffer(data + bytes(range(16)))
    bench.run(driver.submit(driver.key(KEY), message, message, 528, decrypt=False))
    after = message.read(bench.memory)
    assert after[:528] == golden.ecb_encrypt(KEY, data)
    assert after[528:] == (bytes(range(16)) if software else bytes(16))


# -- 12 STALE_DUMP_STATUS ---------------------------------------------------------------------------


def test_the_status_in_the_dump_makes_the_naive_driver_report_a_failure_of_what_was_done():
    bench, data = QceBench(), some_data(64)
    driver = bench.naive(Quirk.STALE_DUMP_STATUS)
    src, dst = bench.buffer(data), bench.buffer(bytes(64))
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.address, fault.completed) == ("status", Register.STATUS, 64)
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, data)


@pytest.mark.parametrize("quirks", [QCE_QUIRKS, QCE_QUIRKS & ~Quirk.STALE_DUMP_STATUS])
def test_the_register_tells_the_status(quirks):
    bench, data = QceBench(quirks=quirks), some_data(64)
    driver = bench.driver()
    assert bench.ecb(driver, driver.key(KEY), data) == golden.ecb_encrypt(KEY, data)


def test_without_the_stale_status_the_naive_driver_is_right_about_success_and_failure():
    bench, data = without(Quirk.STALE_DUMP_STATUS), some_data(64)
    driver = bench.naive(Quirk.STALE_DUMP_STATUS)
    assert bench.ecb(driver, driver.key(KEY), data) == golden.ecb_encrypt(KEY, data)
    src = bench.buffer(data)
    bench.model.read_bus_errors.add(src.pieces[0].address + 32)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, bench.buffer(bytes(64)), decrypt=False))
    assert (caught.value.kind, caught.value.access, caught.value.completed) == ("bus", "source read", 32)
