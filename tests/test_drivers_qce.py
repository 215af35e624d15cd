"""QceDriver on the model: right bytes everywhere, few accesses, nothing copied that need not be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qce_driver_bench import QceBench, some_data
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines.qce import DescriptorFlag, decode_list
from pymodel.engines.qce_registers import Register
from pymodel.errors import EngineFault, InvalidRequest
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Ctr, Ecb, Gcm, Xts

KEY_A, KEY_B = bytes(range(32)), bytes(range(200, 232))


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr", "xts"])
@pytest.mark.parametrize("aes_sw_max_len", [0, 64, 512])
def test_random_requests_in_random_layouts_agree_with_the_golden_model(mode, aes_sw_max_len):
    seed = f"{mode}/{aes_sw_max_len}"
    rng, bench = seeded(seed), QceBench()
    driver = bench.driver(aes_sw_max_len=aes_sw_max_len)
    keys = [rng.randbytes(size * (2 if mode == "xts" else 1)) for size in (16, 24, 32, 16)]
    ciphers = [{"ecb": Ecb, "cbc": Cbc, "ctr": Ctr, "xts": Xts}[mode](driver, key) for key in keys]
    for number in range(40):
        which, encrypt, iv = rng.randrange(4), rng.random() < 0.5, rng.randbytes(16)
        length = rng.choice([16, 32, 48, 96, 144, 528, 1040, 1024])
        length += rng.randrange(16) if mode in ("ctr", "xts") else 0
        data = rng.randbytes(length)
        layout = Layout(bench.memory, rng, data, in_place=rng.random() < 0.5,
                        largest=rng.choice([None, 1, 16, 100]))
        call = ciphers[which].encrypt if encrypt else ciphers[which].decrypt
        bench.run(call(layout.src, layout.dst) if mode == "ecb" else call(iv, layout.src, layout.dst))
        expected, _ = golden.crypt(mode, keys[which], iv, data, encrypt=encrypt)
        assert layout.result() == expected, (seed, number)
        assert layout.untouched_elsewhere(), (seed, number)
        layout.free()
    assert driver.counters.hardware_blocks > 0 or (mode, aes_sw_max_len) == ("cbc", 512)
    assert driver.counters.software_blocks > 0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 32), blocks=st.integers(1, 260),
       largest=st.sampled_from([None, 1, 8, 24, 90, 700]), in_place=st.booleans(), decrypt=st.booleans())
def test_any_scatter_list_gives_the_bytes_of_the_golden_model(seed, blocks, largest, in_place, decrypt):
    rng, bench = seeded(seed), QceBench()
    driver, data = bench.driver(), rng.randbytes(16 * blocks)
    layout = Layout(bench.memory, rng, data, in_place=in_place, largest=largest)
    bench.run(driver.ecb(driver.key(KEY_A), layout.src, layout.dst, decrypt=decrypt))
    assert layout.result() == (golden.ecb_decrypt if decrypt else golden.ecb_encrypt)(KEY_A, data)
    assert layout.untouched_elsewhere()
    assert driver.counters.hardware_blocks == blocks
    layout.free()
    assert bench.free_bytes() == bench.memory.size


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("decrypt", [False, True])
def test_a_request_is_four_scripts_one_key_load_and_nothing_bounced(size, decrypt):
    bench, data = QceBench(), some_data(16 * 32)
    driver = bench.driver()
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    key = driver.key(KEY_A[:size])
    assert bench.ecb(driver, key, data, decrypt=decrypt) == reference(key.data, data)
    assert [len(script) for script in bench.port.log] == [3, 3, 6 + size // 4 + 4, 6]
    counters = driver.counters
    assert (counters.calls, counters.hardware_blocks, counters.key_loads) == (1, 32, 1)
    assert (counters.bounced_blocks, counters.software_blocks) == (0, 0)
    assert counters.engine_cycles > 32 * 10
    once = counters.engine_cycles
    bench.ecb(driver, key, data, decrypt=decrypt)
    assert counters.engine_cycles == 2 * once


def lists_of(bench):
    """(source, destination) descriptors of the last request, from memory."""
    return [decode_list(bench.memory.bytes[address:address + 8 * length].tobytes()) for address, length in (
        [(bench.port.written(Register[f"{side}_LIST_ADDRESS"])[-1],
          bench.port.written(Register[f"{side}_LIST_LENGTH"])[-1]) for side in ("SRC", "DST")])]


def test_only_the_pieces_that_are_not_aligned_are_bounced_and_each_side_by_itself():
    bench, data = QceBench(), some_data(256)
    driver, base = bench.driver(), bench.memory.allocate(4096)
    src = Buffers([(base, 64), (base + 129, 32), (base + 256, 160)])
    dst = Buffers.of(base + 1024, 256)
    src.scatter(bench.memory, data)
    bench.run(driver.ecb(driver.key(KEY_A), src, dst, decrypt=False))
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY_A, data)
    source, destination = lists_of(bench)
    assert [(item.address, item.size) for item in source[::2]] == [(base, 64), (base + 256, 160)]
    assert source[1].size == 32
    assert [item.flags for item in source] == [DescriptorFlag.LOCK, 0, 0]
    assert [(item.address, item.size) for item in destination[:-1]] == [(base + 1024, 256)]
    assert destination[-1].size == 128
    assert driver.counters.bounced_blocks == 2


def test_64_descriptors_and_no_more_are_in_a_list():
    bench = QceBench()
    driver, base = bench.driver(), bench.memory.allocate(8192)
    scattered = Buffers([(base + 32 * number, 16) for number in range(96)])
    data = some_data(len(scattered))
    scattered.scatter(bench.memory, data)
    dst = bench.buffer(bytes(len(data)))
    key = driver.key(KEY_A)
    bench.run(driver.ecb(key, scattered, dst, decrypt=False))
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY_A, data)
    bench.run(driver.ecb(key, dst, scattered, decrypt=True))
    assert scattered.read(bench.memory) == data
    assert bench.port.written(Register.SRC_LIST_LENGTH) == [64, 32, 1, 1, 1]
    assert bench.port.written(Register.DST_LIST_LENGTH) == [2, 2, 33, 33, 33]


def test_a_megabyte_goes_through_in_one_request_and_unaligned_in_pieces_of_the_bounce_buffer():
    bench, data = QceBench(pages=1024), some_data(1 << 20)
    driver = bench.driver()
    key = driver.key(KEY_A)
    expected = golden.ecb_encrypt(KEY_A, data)
    assert bench.ecb(driver, key, data, in_place=True) == expected
    assert bench.port.requests() == [1 << 20]
    assert bench.ecb(driver, key, data, in_place=True, offset=3) == expected
    assert bench.port.requests()[1:] == [32768] * 32


def test_gcm_and_keys_of_192_bits_work():
    bench = QceBench()
    driver = bench.driver()
    for key in (KEY_A, KEY_A[:24], KEY_A[:16]):
        before = driver.counters.copy()
        with Gcm(driver, key) as gcm:
            sealed = bench.run(gcm.encrypt_bytes(bytes(12), b"header", some_data(700)))
            assert sealed == golden.gcm_encrypt(key, bytes(12), some_data(700), b"header")
        since = driver.counters.since(before)
        assert (since.hardware_blocks == 0) == (len(key) == 24) == (since.software_blocks > 0)


# -- keys and refusals ------------------------------------------------------------------------------


def test_bad_requests_are_refused_before_any_access():
    bench = QceBench()
    driver, other = bench.driver(), bench.driver()
    key, buffer = driver.key(KEY_A), Buffers.of(PAGE_BYTES * 4, 32)
    released = driver.key(KEY_A)
    driver.release(released)
    before = bench.memory.bytes.copy()
    for bad_key, src, dst, message in (
            (b"raw", buffer, buffer, "another engine"), (other.key(KEY_A), buffer, buffer, "another engine"),
            (released, buffer, buffer, "released"), (released, Buffers([]), Buffers([]), "released"),
            (key, buffer.part(0, 17), buffer.part(0, 17), "multiple of 16"),
            (key, buffer, buffer.part(0, 16), "source of 32 bytes, destination of 16"),
            (key, buffer, Buffers.of(PAGE_BYTES * 4 + 16, 32), "overlap"),
            (key, buffer, Buffers.of((1 << 32) - 16, 32), "32 bits")):
        with pytest.raises(InvalidRequest, match=message):
            bench.run(driver.ecb(bad_key, src, dst, decrypt=False))
    longer = Buffers.of(PAGE_BYTES * 5, 64)
    for src, dst, length, message in (
            (buffer, longer, 48, "48 bytes, source of 32 bytes, destination of 64"),
            (longer, buffer, 48, "48 bytes, source of 64 bytes, destination of 32"),
            (buffer, buffer, -16, "-16 bytes"), (buffer, buffer, 17, "multiple of 16")):
        with pytest.raises(InvalidRequest, match=message):
            bench.run(driver.submit(key, src, dst, length, decrypt=False))
    for size in (0, 15, 33, 64):
        with pytest.raises(InvalidRequest, match=f"not {size}"):
            driver.key(bytes(size))
    assert bench.port.log == []
    assert driver.counters.calls == 0
    assert (bench.memory.bytes == before).all()


def test_unknown_options_are_refused():
    bench = QceBench()
    for options, message in (({"long_lengths": "pad"}, "split, fallback"), ({"master": 2}, "master 2"),
                             ({"retry": "never"}, "raise, software"), ({"aes_sw_max_len": -1}, "negative")):
        with pytest.raises(InvalidRequest, match=message):
            bench.driver(**options)


def test_a_fault_in_software_counts_from_the_start_of_the_request():
    bench = QceBench()
    driver = bench.driver(aes_sw_max_len=512)
    end = bench.memory.allocate_pages(2) + PAGE_BYTES
    bench.memory.protect(end, 1, readable=True, writable=False)
    data = some_data(768)
    src, dst = bench.buffer(data), Buffers.of(end - 512 - 40, 768)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY_A), src, dst, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.access, fault.address) == ("page", "destination write", end)
    assert fault.completed == 544
    assert (driver.counters.hardware_blocks, driver.counters.software_blocks) == (32, 2)
