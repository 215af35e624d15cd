"""Each quirk of the PadLock: the naive driver fails, the right one passes; without the quirk both do."""

from __future__ import annotations

import numpy as np
import pytest
from padlock_bench import PADLOCK_QUIRKS, PadlockBench
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines import rijndael
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.memory import PAGE_BYTES

KEY_A, KEY_B = bytes(range(32)), bytes(range(200, 232))
DATA = seeded(1).randbytes(16 * 9)


def naive(bench, quirk, **options):
    return bench.driver(handles=Quirk.all() & ~quirk, **options)


def without(quirk):
    return PadlockBench(quirks=PADLOCK_QUIRKS & ~quirk)


def ecb(bench, driver, key, data=DATA, *, decrypt=False, src=None):
    src = src or Buffers.of(bench.memory.allocate(len(data)), len(data))
    dst = Buffers.of(bench.memory.allocate(len(data)), len(data))
    src.scatter(bench.memory, data)
    bench.run(driver.ecb(key, src, dst, decrypt=decrypt))
    return dst.read(bench.memory)


def fault_of(call):
    with pytest.raises(EngineFault) as caught:
        call()
    return caught.value


# -- 0 STICKY_KEY -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["engine-state", "always"])
def test_without_reloads_the_engine_keeps_the_first_key_and_direction(policy):
    bench = PadlockBench()
    driver = naive(bench, Quirk.STICKY_KEY, policy=policy)
    assert ecb(bench, driver, driver.key(KEY_A)) == golden.ecb_encrypt(KEY_A, DATA)
    assert ecb(bench, driver, driver.key(KEY_B)) == golden.ecb_encrypt(KEY_A, DATA)
    assert ecb(bench, driver, driver.key(KEY_A), decrypt=True) == golden.ecb_encrypt(KEY_A, DATA)


@pytest.mark.parametrize("policy", ["engine-state", "always"])
def test_with_reloads_every_key_and_direction_is_used(policy):
    bench = PadlockBench()
    driver = bench.driver(policy=policy)
    assert ecb(bench, driver, driver.key(KEY_A)) == golden.ecb_encrypt(KEY_A, DATA)
    assert ecb(bench, driver, driver.key(KEY_B)) == golden.ecb_encrypt(KEY_B, DATA)
    assert ecb(bench, driver, driver.key(KEY_B), decrypt=True) == golden.ecb_decrypt(KEY_B, DATA)


def test_an_engine_that_reads_its_key_for_every_request_needs_no_reloads():
    bench = without(Quirk.STICKY_KEY)
    driver = naive(bench, Quirk.STICKY_KEY)
    assert ecb(bench, driver, driver.key(KEY_A)) == golden.ecb_encrypt(KEY_A, DATA)
    assert ecb(bench, driver, driver.key(KEY_B)) == golden.ecb_encrypt(KEY_B, DATA)
    assert ecb(bench, driver, driver.key(KEY_B), decrypt=True) == golden.ecb_decrypt(KEY_B, DATA)
    assert "popf" not in bench.port.log


# -- 1 KEYGEN_128_ONLY ------------------------------------------------------------------------

both_sizes_and_directions = pytest.mark.parametrize(("size", "decrypt"), [
    (24, False), (24, True), (32, False), (32, True)])


@both_sizes_and_directions
def test_a_raw_key_of_192_or_256_bits_is_a_bad_control_word(size, decrypt):
    bench = PadlockBench()
    driver = naive(bench, Quirk.KEYGEN_128_ONLY)
    fault = fault_of(lambda: ecb(bench, driver, driver.key(KEY_A[:size]), decrypt=decrypt))
    assert (fault.kind, fault.completed, fault.restartable) == ("control word", 0, False)
    assert fault.address == bench.port.requests()[-1].cword


@both_sizes_and_directions
def test_a_schedule_serves_every_key_size(size, decrypt):
    bench = PadlockBench()
    driver = bench.driver()
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    assert ecb(bench, driver, driver.key(KEY_A[:size]), decrypt=decrypt) == reference(KEY_A[:size], DATA)


@both_sizes_and_directions
def test_an_engine_that_expands_every_size_takes_raw_keys(size, decrypt):
    bench = without(Quirk.KEYGEN_128_ONLY)
    driver = naive(bench, Quirk.KEYGEN_128_ONLY)
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    assert ecb(bench, driver, driver.key(KEY_A[:size]), decrypt=decrypt) == reference(KEY_A[:size], DATA)


# -- 2 SCHEDULE_OVERREAD ----------------------------------------------------------------------


def page_end(bench):
    end = bench.memory.allocate_pages(2) + PAGE_BYTES
    bench.memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    return end


@pytest.mark.parametrize("size", [24, 32])
def test_a_schedule_that_just_fits_before_an_unmapped_page_faults(size):
    bench = PadlockBench()
    end = page_end(bench)
    driver = naive(bench, Quirk.SCHEDULE_OVERREAD, allocate=lambda length: end - length)
    fault = fault_of(lambda: ecb(bench, driver, driver.key(KEY_A[:size])))
    assert (fault.kind, fault.access, fault.address, fault.completed) == ("page", "read", end, 0)


@pytest.mark.parametrize("size", [24, 32])
def test_a_schedule_with_room_behind_it_does_not_fault(size):
    bench = PadlockBench()
    end = page_end(bench)
    driver = bench.driver(allocate=lambda length: end - length)
    assert ecb(bench, driver, driver.key(KEY_A[:size])) == golden.ecb_encrypt(KEY_A[:size], DATA)


@pytest.mark.parametrize("size", [24, 32])
def test_an_engine_that_reads_only_the_schedule_needs_no_room(size):
    bench = without(Quirk.SCHEDULE_OVERREAD)
    end = page_end(bench)
    driver = naive(bench, Quirk.SCHEDULE_OVERREAD, allocate=lambda length: end - length)
    assert ecb(bench, driver, driver.key(KEY_A[:size])) == golden.ecb_encrypt(KEY_A[:size], DATA)


# -- 3 FETCH_AHEAD ----------------------------------------------------------------------------


def before(end, blocks):
    return Buffers.of(end - 16 * blocks, 16 * blocks)


@pytest.mark.parametrize("blocks", [1, 3, 9])
def test_an_odd_number_of_blocks_before_an_unmapped_page_faults(blocks):
    bench = PadlockBench()
    end = page_end(bench)
    driver = naive(bench, Quirk.FETCH_AHEAD)
    data, src = DATA[:16 * blocks], before(end, blocks)
    fault = fault_of(lambda: ecb(bench, driver, driver.key(KEY_A), data, src=src))
    assert (fault.kind, fault.access, fault.address) == ("page", "read", end)
    assert fault.completed == 16 * (blocks - 1)


@pytest.mark.parametrize("blocks", range(1, 10))
def test_the_right_driver_never_lets_the_engine_read_beyond_the_page(blocks):
    bench = PadlockBench()
    end = page_end(bench)
    driver = bench.driver()
    data, src = DATA[:16 * blocks], before(end, blocks)
    assert ecb(bench, driver, driver.key(KEY_A), data, src=src) == golden.ecb_encrypt(KEY_A, data)


@pytest.mark.parametrize("blocks", [1, 3, 9])
def test_an_engine_that_does_not_fetch_ahead_needs_no_care(blocks):
    bench = without(Quirk.FETCH_AHEAD)
    end = page_end(bench)
    driver = naive(bench, Quirk.FETCH_AHEAD)
    data, src = DATA[:16 * blocks], before(end, blocks)
    assert ecb(bench, driver, driver.key(KEY_A), data, src=src) == golden.ecb_encrypt(KEY_A, data)
    assert len(bench.port.requests()) == 1


# -- 4 ALIGN_16 (no strap) --------------------------------------------------------------------


@pytest.mark.parametrize(("src_offset", "dst_offset", "wrong"), [
    (1, 0, "src"), (0, 8, "dst"), (15, 15, "src")])
def test_unaligned_pointers_fault_and_nothing_is_written(src_offset, dst_offset, wrong):
    bench = PadlockBench()
    driver = naive(bench, Quirk.ALIGN_16)
    src = Buffers.of(bench.memory.allocate(256) + src_offset, len(DATA))
    dst = Buffers.of(bench.memory.allocate(256) + dst_offset, len(DATA))
    src.scatter(bench.memory, DATA)
    fault = fault_of(lambda: bench.run(driver.ecb(driver.key(KEY_A), src, dst, decrypt=False)))
    assert (fault.kind, fault.completed, fault.restartable) == ("alignment", 0, False)
    assert fault.address == {"src": src, "dst": dst}[wrong].pieces[0].address
    assert dst.read(bench.memory) == bytes(len(DATA))


@pytest.mark.parametrize("src_offset", [0, 1, 8, 15])
@pytest.mark.parametrize("dst_offset", [0, 1, 8, 15])
def test_the_right_driver_bounces_what_is_not_aligned(src_offset, dst_offset):
    bench = PadlockBench()
    driver = bench.driver()
    src = Buffers.of(bench.memory.allocate(256) + src_offset, len(DATA))
    dst = Buffers.of(bench.memory.allocate(256) + dst_offset, len(DATA))
    src.scatter(bench.memory, DATA)
    bench.run(driver.ecb(driver.key(KEY_A), src, dst, decrypt=False))
    assert dst.read(bench.memory) == golden.ecb_encrypt(KEY_A, DATA)
    assert driver.counters.bounced_blocks == (9 if src_offset or dst_offset else 0)


# -- 5 IRQ_FORGETS_KEY ------------------------------------------------------------------------


def interrupted(bench, driver, cycle, key=KEY_A):
    """Eight blocks in one xcrypt, interrupted at ``cycle``; returns the result and the blocks done then."""
    data = DATA[:128]
    bench.port.interrupts = [cycle]
    bench.port.log.clear()
    result = ecb(bench, driver, driver.key(key), data)
    first, *more = bench.port.requests()
    return result, (more[0].src - first.src) // 16 if more else 8


def wiped(key):
    """What the engine makes of eight blocks with key memory of zeros: a raw key, or a schedule as it is."""
    if len(key) == 16:
        return golden.ecb_encrypt(bytes(16), DATA[:128])
    blocks = np.frombuffer(DATA[:128], np.uint8).reshape(-1, 16)
    return rijndael.cipher(np.zeros((rijndael.ROUNDS[len(key)] + 1, 16), np.uint8), blocks, False).tobytes()


def request_cycles(key):
    bench = PadlockBench()
    driver = bench.driver()
    interrupted(bench, driver, 0, key)
    return driver.counters.engine_cycles


@pytest.mark.parametrize("size", [16, 32])
def test_a_driver_that_wipes_its_key_memory_goes_on_with_the_wiped_key_after_an_interrupt(size):
    key, done_at = KEY_A[:size], set()
    right, wrong = golden.ecb_encrypt(key, DATA[:128]), wiped(key)
    for cycle in range(1, request_cycles(key) + 2):
        bench = PadlockBench()
        result, done = interrupted(bench, naive(bench, Quirk.IRQ_FORGETS_KEY), cycle, key)
        expected = right if done in (0, 8) else right[:16 * done] + wrong[16 * done:]
        assert result == expected, (cycle, done)
        done_at.add(done)
    assert done_at >= set(range(9))


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("policy", ["engine-state", "always"])
def test_the_right_driver_goes_on_after_an_interrupt_at_any_cycle(size, policy):
    key, done_at = KEY_A[:size], set()
    for cycle in range(1, request_cycles(key) + 2):
        bench = PadlockBench()
        driver = bench.driver(policy=policy)
        result, done = interrupted(bench, driver, cycle, key)
        assert result == golden.ecb_encrypt(key, DATA[:128]), cycle
        assert driver.counters.hardware_blocks == 8
        done_at.add(done)
    assert done_at >= set(range(9))


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("policy", ["engine-state", "always"])
def test_on_an_engine_that_keeps_its_key_wiping_does_no_harm(size, policy):
    key = KEY_A[:size]
    for cycle in range(1, request_cycles(key) + 2):
        bench = without(Quirk.IRQ_FORGETS_KEY)
        result, _ = interrupted(bench, naive(bench, Quirk.IRQ_FORGETS_KEY, policy=policy), cycle, key)
        assert result == golden.ecb_encrypt(key, DATA[:128]), cycle


def test_the_naive_driver_is_right_as_long_as_nothing_interrupts():
    bench = PadlockBench()
    driver = naive(bench, Quirk.IRQ_FORGETS_KEY)
    for key in (KEY_A, KEY_B[:16], KEY_A[:24], KEY_A):
        for decrypt in (False, True):
            reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
            assert ecb(bench, driver, driver.key(key), decrypt=decrypt) == reference(key, DATA)
