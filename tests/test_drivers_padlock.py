"""PadlockDriver on the model: right bytes everywhere, and no more key loads than needed."""

from __future__ import annotations

import pytest
from padlock_bench import PadlockBench
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.padlock import PadlockDriver
from pymodel.engines import rijndael
from pymodel.engines.padlock_model import PadlockModel
from pymodel.errors import InvalidRequest
from pymodel.kernel import Cpu, gather
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Ctr, Ecb, Xts

KEY_A, KEY_B = bytes(range(32)), bytes(range(200, 232))


def one_ecb(bench, driver, key, data, *, decrypt=False, where=None):
    """One contiguous, aligned request out of place; returns its result."""
    src = Buffers.of(where or bench.memory.allocate(len(data)), len(data))
    dst = Buffers.of(bench.memory.allocate(len(data)), len(data))
    src.scatter(bench.memory, data)
    bench.run(driver.ecb(key, src, dst, decrypt=decrypt))
    return dst.read(bench.memory)


@pytest.mark.parametrize("policy", ["engine-state", "always"])
@pytest.mark.parametrize("fetch_blocks", [1, 2, 8])
@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr", "xts"])
def test_random_requests_in_random_layouts_agree_with_the_golden_model(mode, fetch_blocks, policy):
    seed = f"{mode}/{fetch_blocks}/{policy}"
    rng, bench = seeded(seed), PadlockBench(fetch_blocks=fetch_blocks)
    driver = bench.driver(policy=policy)
    keys = [rng.randbytes(size * (2 if mode == "xts" else 1)) for size in (16, 24, 32, 16)]
    ciphers = [{"ecb": Ecb, "cbc": Cbc, "ctr": Ctr, "xts": Xts}[mode](driver, key) for key in keys]
    for number in range(60):
        which, encrypt, iv = rng.randrange(4), rng.random() < 0.5, rng.randbytes(16)
        length = rng.choice([16, 32, 48, 96, 144, 1040])
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


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("decrypt", [False, True])
def test_a_whole_request_of_whole_groups_is_one_xcrypt_and_one_key_load(size, decrypt):
    bench = PadlockBench()
    driver = bench.driver()
    data = seeded(size).randbytes(16 * 32)
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    key = driver.key(KEY_A[:size])
    assert one_ecb(bench, driver, key, data, decrypt=decrypt) == reference(key.data, data)
    assert [op.count for op in bench.port.requests()] == [32]
    counters = driver.counters
    assert (counters.calls, counters.hardware_blocks, counters.key_loads) == (1, 32, 1)
    assert (counters.bounced_blocks, counters.software_blocks) == (0, 0)
    assert counters.engine_cycles > 32 * rijndael.ROUNDS[size]


def test_a_128_bit_key_is_given_raw_and_a_longer_one_as_its_schedule_for_the_direction():
    bench = PadlockBench()
    driver = bench.driver()
    for size, decrypt in ((16, False), (16, True), (24, True), (32, False)):
        key = driver.key(KEY_A[:size])
        one_ecb(bench, driver, key, bytes(32), decrypt=decrypt)
        op = bench.port.requests()[-1]
        word = int.from_bytes(bench.memory.read(op.cword, 16), "little")
        schedule = rijndael.expand(KEY_A[:size])
        expected = (rijndael.invert(schedule) if decrypt else schedule).tobytes() if size > 16 else KEY_A[:16]
        assert bench.memory.read(op.key, len(expected)) == expected
        assert word == rijndael.ROUNDS[size] | (size > 16) << 7 | decrypt << 9 | (size // 8 - 2) << 10
        assert op.key % 16 == op.cword % 16 == 0


@pytest.mark.parametrize(("fetch_blocks", "blocks", "counts"), [
    (1, 7, [7]), (2, 1, [1]), (2, 7, [1, 6]), (2, 6, [6]), (8, 3, [3]), (8, 19, [3, 16]), (4, 8, [8]),
])
def test_first_the_blocks_that_fill_no_fetch_group_then_whole_groups(fetch_blocks, blocks, counts):
    bench = PadlockBench(fetch_blocks=fetch_blocks)
    driver = bench.driver()
    where = bench.memory.allocate_pages(1)
    data = seeded(1).randbytes(16 * blocks)
    assert one_ecb(bench, driver, driver.key(KEY_A), data, where=where) == golden.ecb_encrypt(KEY_A, data)
    assert [op.count for op in bench.port.requests()] == counts
    assert driver.counters.bounced_blocks == 0


@pytest.mark.parametrize("fetch_blocks", [2, 4, 8])
def test_a_whole_fetch_group_across_two_pages_is_not_bounced(fetch_blocks):
    bench = PadlockBench(fetch_blocks=fetch_blocks)
    driver, data = bench.driver(), seeded(1).randbytes(16 * fetch_blocks)
    where = bench.memory.allocate_pages(2) + PAGE_BYTES - 16
    assert one_ecb(bench, driver, driver.key(KEY_A), data, where=where) == golden.ecb_encrypt(KEY_A, data)
    assert driver.counters.bounced_blocks == 0


@pytest.mark.parametrize("fetch_blocks", [2, 4, 8])
def test_data_that_ends_at_an_unmapped_page_is_never_read_beyond(fetch_blocks):
    bench = PadlockBench(fetch_blocks=fetch_blocks)
    driver = bench.driver()
    key, end = driver.key(KEY_A[:16]), bench.memory.allocate_pages(2) + PAGE_BYTES
    bench.memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    for blocks in range(1, 20):
        before = driver.counters.bounced_blocks
        data = seeded(blocks).randbytes(16 * blocks)
        result = one_ecb(bench, driver, key, data, where=end - 16 * blocks)
        assert result == golden.ecb_encrypt(KEY_A[:16], data), blocks
        assert driver.counters.bounced_blocks - before == (blocks if blocks < fetch_blocks else 0), blocks


def test_a_schedule_is_read_in_256_bytes_that_are_all_allocated():
    bench = PadlockBench()
    end = bench.memory.allocate_pages(2) + PAGE_BYTES
    bench.memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    asked = []
    driver = bench.driver(allocate=lambda length: asked.append(length) or end - length)
    data = seeded(2).randbytes(64)
    assert one_ecb(bench, driver, driver.key(KEY_A), data) == golden.ecb_encrypt(KEY_A, data)
    assert asked == [256]


# -- the key in the engine --------------------------------------------------------------------


def test_engine_state_reloads_only_when_key_or_direction_change():
    bench = PadlockBench()
    driver = bench.driver()
    a, b, twin = driver.key(KEY_A), driver.key(KEY_B), driver.key(KEY_A)
    loads = []
    for key, decrypt in ((a, False), (a, False), (a, True), (a, True), (b, True), (a, False), (twin, False)):
        before = driver.counters.key_loads
        data = seeded(len(loads)).randbytes(64)
        reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
        assert one_ecb(bench, driver, key, data, decrypt=decrypt) == reference(key.data, data)
        loads.append(driver.counters.key_loads - before)
    assert loads == [1, 0, 1, 0, 1, 1, 0]
    assert bench.port.log.count("popf") == 3


def test_always_loads_flags_before_every_xcrypt():
    bench = PadlockBench()
    driver = bench.driver(policy="always")
    for blocks in (4, 3):
        one_ecb(bench, driver, driver.key(KEY_A), bytes(16 * blocks))
    assert [item == "popf" for item in bench.port.log] == [True, False] * 3
    assert driver.counters.key_loads == 3


def test_a_new_key_in_the_memory_of_a_released_one_is_used():
    bench = PadlockBench()
    driver = bench.driver()
    old = driver.key(KEY_A)
    one_ecb(bench, driver, old, bytes(32))
    driver.release(old)
    new = driver.key(KEY_B)
    data = seeded(1).randbytes(64)
    assert one_ecb(bench, driver, new, data) == golden.ecb_encrypt(KEY_B, data)
    first, second = bench.port.requests()
    assert (first.key, first.cword) == (second.key, second.cword)


def test_a_key_that_is_set_again_on_one_mode_is_used():
    bench = PadlockBench()
    cbc = Cbc(bench.driver(), KEY_A)
    iv, data = bytes(16), bytes(range(64))
    for key in (KEY_A, KEY_B, KEY_A[:16], KEY_B[:24], KEY_A):
        cbc.set_key(key)
        assert bench.run(cbc.encrypt_bytes(iv, data)) == golden.cbc_encrypt(key, iv, data)
        assert bench.run(cbc.decrypt_bytes(iv, data)) == golden.cbc_decrypt(key, iv, data)


def test_popf_by_somebody_else_makes_the_engine_load_without_another_popf():
    bench = PadlockBench()
    driver = bench.driver()
    key = driver.key(KEY_A)
    one_ecb(bench, driver, key, bytes(32))
    bench.run(bench.model.load_flags())
    one_ecb(bench, driver, key, bytes(32))
    assert driver.counters.key_loads == 2
    assert "popf" not in bench.port.log


def test_two_drivers_of_one_engine_know_of_each_others_keys():
    bench = PadlockBench()
    one, other = bench.driver(), bench.driver(policy="always")
    data = seeded(1).randbytes(64)
    for _ in range(2):
        assert one_ecb(bench, one, one.key(KEY_A), data) == golden.ecb_encrypt(KEY_A, data)
        assert one_ecb(bench, other, other.key(KEY_B), data) == golden.ecb_encrypt(KEY_B, data)


def test_two_engines_hold_their_own_keys():
    bench, drivers = PadlockBench(), []
    for number in range(2):
        port, cpu = PadlockModel(bench.kernel, bench.memory), Cpu(bench.kernel, f"cpu{number}")
        drivers.append(PadlockDriver(port, bench.memory, bench.kernel, cpu))
    data = seeded(1).randbytes(64)
    for key in (KEY_A, KEY_B, KEY_A):
        for driver in drivers:
            assert one_ecb(bench, driver, driver.key(key), data) == golden.ecb_encrypt(key, data)


# -- requests at once -------------------------------------------------------------------------


def test_many_requests_at_once_with_different_keys_are_all_right():
    rng, bench = seeded(6), PadlockBench()
    driver = bench.driver()
    jobs, expected = [], []
    for number in range(16):
        key, iv = rng.randbytes(32 if number % 2 else 64), rng.randbytes(16)
        data = rng.randbytes(rng.choice([16, 33, 100, 300]))
        xts = Xts(driver, key, strategy="per-block" if number % 3 else "two-pass")
        jobs += [xts.encrypt_bytes(iv, data), xts.decrypt_bytes(iv, data)]
        expected += [golden.xts_encrypt(key, iv, data), golden.xts_decrypt(key, iv, data)]
        ctr = Ctr(driver, key[:24])
        jobs.append(ctr.crypt_bytes(iv, data))
        expected.append(golden.ctr_crypt(key[:24], iv, data))
    assert bench.run(gather(bench.kernel, *jobs)) == expected


def test_a_key_released_during_a_request_keeps_its_memory_until_the_end():
    bench = PadlockBench()
    driver = bench.driver()
    old, data = driver.key(KEY_A), seeded(1).randbytes(16 * 40)
    buffer = Buffers.of(bench.memory.allocate(len(data)), len(data))
    buffer.scatter(bench.memory, data)

    async def main():
        request = bench.kernel.start(driver.ecb(old, buffer, buffer, decrypt=False))
        await bench.kernel.sleep(30)
        driver.release(old)
        new = driver.key(KEY_B)
        new.placed(decrypt=False)
        await bench.port.interrupt()
        await request.join()

    bench.run(main())
    assert len(bench.port.requests()) > 1
    assert buffer.read(bench.memory) == golden.ecb_encrypt(KEY_A, data)


def test_all_memory_is_free_again_after_keys_are_released():
    bench = PadlockBench(pages=16)
    driver = bench.driver()
    for size in (16, 24, 32):
        key = driver.key(KEY_A[:size])
        buffer = Buffers.of(bench.memory.allocate(100), 96)
        unaligned = Buffers.of(buffer.pieces[0].address + 1, 96)
        for decrypt in (False, True):
            bench.run(driver.ecb(key, unaligned, unaligned, decrypt=decrypt))
        bench.memory.free(buffer.pieces[0].address)
        driver.release(key)
        driver.release(key)
    assert bench.memory.allocate(15 * PAGE_BYTES) == PAGE_BYTES


# -- refusals ---------------------------------------------------------------------------------


def test_bad_requests_are_refused_before_any_access():
    bench = PadlockBench()
    driver, other = bench.driver(), PadlockBench().driver()
    key, buffer = driver.key(KEY_A), Buffers.of(PAGE_BYTES * 4, 32)
    released = driver.key(KEY_A)
    driver.release(released)
    before = bench.memory.bytes.copy()
    for bad_key, src, dst, message in (
            (b"raw", buffer, buffer, "another engine"), (other.key(KEY_A), buffer, buffer, "another engine"),
            (released, buffer, buffer, "released"),
            (key, buffer.part(0, 17), buffer.part(0, 17), "multiple of 16"),
            (key, buffer, Buffers.of(PAGE_BYTES * 4 + 16, 32), "overlap"),
            (key, buffer, Buffers.of((1 << 32) - 16, 32), "32 bits")):
        with pytest.raises(InvalidRequest, match=message):
            bench.run(driver.ecb(bad_key, src, dst, decrypt=False))
    for size in (0, 15, 33, 64):
        with pytest.raises(InvalidRequest, match=f"not {size}"):
            driver.key(bytes(size))
    assert bench.port.log == []
    assert driver.counters.calls == 0
    assert (bench.memory.bytes == before).all()


def test_a_request_of_length_0_does_not_reach_the_engine():
    bench = PadlockBench()
    driver = bench.driver()
    bench.run(driver.ecb(driver.key(KEY_A), Buffers([]), Buffers([(5, 0)]), decrypt=False))
    assert bench.port.log == []
    assert driver.counters.calls == 0


def test_unknown_options_are_refused():
    bench = PadlockBench()
    with pytest.raises(InvalidRequest, match="engine-state, always"):
        bench.driver(policy="sometimes")
    with pytest.raises(InvalidRequest, match="fetch groups of 3"):
        bench.driver(fetch_blocks=3)
