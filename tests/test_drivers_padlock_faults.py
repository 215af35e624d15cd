"""PadlockDriver when things go wrong: faults, interrupts, silence and resets. Nothing is lost."""

from __future__ import annotations

import pytest
from padlock_bench import PadlockBench
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.errors import EngineFault, EngineHang
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Xts

KEY = bytes(range(32))
BLOCKS = 12
DATA = seeded(1).randbytes(16 * BLOCKS)
EXPECTED = golden.ecb_encrypt(KEY, DATA)


class Scene:
    """A request of 12 blocks whose byte ``cut`` begins a new page on the side of ``access``."""

    def __init__(self, cut, access, *, in_place=False, fetch_blocks=2):
        self.bench = PadlockBench(fetch_blocks=fetch_blocks)
        self.driver = self.bench.driver()
        self.key = self.driver.key(KEY)
        memory = self.bench.memory
        self.boundary = memory.allocate_pages(2) + PAGE_BYTES
        faulty = Buffers.of(self.boundary - cut, len(DATA))
        other = faulty if in_place else Buffers.of(memory.allocate(len(DATA)), len(DATA))
        self.src, self.dst = (faulty, other) if access == "read" else (other, faulty)
        self.src.scatter(memory, DATA)
        self.untouched = self.dst.read(memory)

    def protect(self, *, readable, writable):
        self.bench.memory.protect(self.boundary, PAGE_BYTES, readable=readable, writable=writable)

    def bytes_at(self, buffers):
        return b"".join(self.bench.memory.bytes[p.address:p.end].tobytes() for p in buffers.pieces)

    def ecb(self, start=0):
        length = len(DATA) - start
        self.bench.run(self.driver.ecb(self.key, self.src.part(start, length), self.dst.part(start, length),
                                       decrypt=False))

    def fault(self):
        with pytest.raises(EngineFault) as caught:
            self.ecb()
        return caught.value

    def check_completed(self, fault):
        """Exactly ``completed`` bytes are done and, in place, the rest is still the source."""
        done = self.bytes_at(self.dst)
        assert done[:fault.completed] == EXPECTED[:fault.completed]
        if self.src is self.dst:
            assert done[fault.completed:] == DATA[fault.completed:]
        else:
            assert self.bytes_at(self.src) == DATA

    def finish(self, fault):
        self.ecb(fault.completed)
        assert self.bytes_at(self.dst) == EXPECTED


@pytest.mark.parametrize("fetch_blocks", [1, 2, 4, 8])
def test_data_up_to_8_blocks_in_front_of_a_closed_page_never_faults(fetch_blocks):
    """Every distance from the page, every count that fits."""
    bench = PadlockBench(fetch_blocks=fetch_blocks)
    driver = bench.driver()
    key = driver.key(KEY)
    boundary = bench.memory.allocate_pages(2) + PAGE_BYTES
    bench.memory.protect(boundary, PAGE_BYTES, readable=False, writable=False)
    dst = Buffers.of(bench.memory.allocate(8 * 16), 8 * 16)
    for distance in range(1, 9):
        for count in range(1, distance + 1):
            src = Buffers.of(boundary - 16 * distance, 16 * count)
            src.scatter(bench.memory, DATA[:16 * count])
            result = dst.part(0, 16 * count)
            bench.run(driver.ecb(key, src, result, decrypt=False))
            assert result.read(bench.memory) == EXPECTED[:16 * count], (distance, count)


@pytest.mark.parametrize("fetch_blocks", [1, 2, 8])
@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("offset", [0, 5], ids=["aligned", "unaligned"])
def test_a_page_fault_is_exact_and_what_is_left_can_be_done_later(access, in_place, fetch_blocks, offset):
    for block in range(BLOCKS):
        cut = 16 * block + offset
        scene = Scene(cut, access, in_place=in_place, fetch_blocks=fetch_blocks)
        scene.protect(readable=access != "read", writable=access != "write")
        fault = scene.fault()
        assert (fault.kind, fault.access, fault.restartable) == ("page", access, True)
        assert fault.address == scene.boundary
        assert cut - 16 * fetch_blocks < fault.completed <= cut
        scene.check_completed(fault)
        scene.protect(readable=True, writable=True)
        scene.finish(fault)


@pytest.mark.parametrize("access", ["read", "write"])
def test_a_bus_error_is_exact_and_the_request_goes_on_after_it_is_gone(access):
    for block in range(BLOCKS):
        scene = Scene(0, access, in_place=False)
        errors = scene.bench.model.read_bus_errors if access == "read" else scene.bench.model.write_bus_errors
        side = scene.src if access == "read" else scene.dst
        errors.add(side.pieces[0].address + 16 * block)
        fault = scene.fault()
        assert (fault.kind, fault.access, fault.restartable) == ("bus", access, True)
        assert fault.completed <= 16 * block
        scene.check_completed(fault)
        errors.clear()
        scene.finish(fault)


def test_a_bus_error_in_the_bounce_buffer_still_counts_what_is_done():
    scene = Scene(5, "write", in_place=True)
    bounce = scene.bench.memory.allocate(4096 + 7 * 16)
    scene.bench.memory.free(bounce)
    scene.bench.model.read_bus_errors.add(bounce + 16 * 7)
    fault = scene.fault()
    assert (fault.kind, fault.address, fault.completed) == ("bus", bounce + 16 * 7, 16 * 6)
    scene.check_completed(fault)
    scene.bench.model.read_bus_errors.clear()
    scene.finish(fault)


def test_a_key_in_an_unreadable_page_faults_and_is_loaded_after_it_is_repaired():
    scene = Scene(0, "read")
    placed = scene.key.placed(decrypt=False)
    page = placed.key // PAGE_BYTES * PAGE_BYTES
    scene.bench.memory.protect(page, 1, readable=False, writable=True)
    fault = scene.fault()
    assert (fault.kind, fault.access, fault.completed) == ("page", "read", 0)
    scene.bench.memory.protect(page, 1, readable=True, writable=True)
    scene.finish(fault)


# -- interrupts -------------------------------------------------------------------------------


@pytest.mark.parametrize("fetch_blocks", [2, 8])
def test_an_interrupted_request_at_the_end_of_a_page_never_reads_beyond_it_when_it_goes_on(fetch_blocks):
    cycle, uninterrupted = 0, False
    while not uninterrupted:
        cycle += 1
        scene = Scene(16 * BLOCKS, "read", fetch_blocks=fetch_blocks)
        scene.protect(readable=False, writable=False)
        scene.bench.port.interrupts = [0, cycle] if BLOCKS % fetch_blocks else [cycle]
        scene.ecb()
        assert scene.bytes_at(scene.dst) == EXPECTED, cycle
        uninterrupted = len(scene.bench.port.requests()) == (2 if BLOCKS % fetch_blocks else 1)
    assert cycle > 8 * 14


def test_an_interrupt_line_raised_by_another_task_at_any_cycle_loses_nothing():
    length, cycle = None, 0
    while length is None or cycle <= length:
        scene = Scene(0, "read", in_place=True)
        kernel = scene.bench.kernel

        async def main(scene=scene, kernel=kernel, cycle=cycle):
            request = kernel.start(scene.driver.ecb(scene.key, scene.src, scene.dst, decrypt=False))
            await kernel.sleep(cycle)
            await scene.bench.port.interrupt()
            await request.join()

        scene.bench.run(main())
        assert scene.bytes_at(scene.dst) == EXPECTED, cycle
        length = length or scene.bench.kernel.now()
        cycle += 1


@pytest.mark.parametrize("policy", ["engine-state", "always"])
def test_a_storm_of_interrupts_over_scattered_requests_of_several_keys_loses_nothing(policy):
    rng, bench = seeded(policy), PadlockBench(fetch_blocks=8)
    driver = bench.driver(policy=policy)
    for number in range(60):
        key, iv = rng.randbytes(rng.choice([32, 48, 64])), rng.randbytes(16)
        data = rng.randbytes(rng.randrange(16, 700))
        layout = Layout(bench.memory, rng, data, in_place=rng.random() < 0.5, largest=rng.choice([None, 300]))
        bench.port.interrupts = [rng.randrange(1, 400) for _ in range(rng.randrange(12))]
        with Xts(driver, key) as xts:
            bench.run(xts.encrypt(iv, layout.src, layout.dst))
        assert layout.result() == golden.xts_encrypt(key, iv, data), number
        assert layout.untouched_elsewhere()
        layout.free()


# -- silence and resets -----------------------------------------------------------------------


def test_an_engine_that_does_not_answer_is_reset_and_the_error_says_what_was_asked_and_seen():
    scene = Scene(0, "read")
    scene.ecb()
    scene.bench.port.silent = True
    began = scene.bench.kernel.now()
    with pytest.raises(EngineHang) as caught:
        scene.ecb()
    hang = caught.value
    assert hang.cycles >= 50_000 + 1_000 * BLOCKS
    assert scene.bench.kernel.now() - began >= hang.cycles
    assert hang.completed == 0
    assert hang.state["asked"] == len(scene.bench.port.log) - 1
    assert hang.state["key_loaded"] == 1
    assert f"xcryptecb of {BLOCKS} blocks from {scene.src.pieces[0].address:#x}" in str(hang)
    assert scene.bench.port.log[-1] == "reset"


def test_after_a_hang_the_next_request_loads_its_key_and_succeeds():
    scene = Scene(0, "read")
    scene.ecb()
    scene.bench.port.silent = True
    with pytest.raises(EngineHang):
        scene.ecb()
    scene.bench.port.silent = False
    scene.finish(EngineFault("none", 0, 0))
    assert scene.driver.counters.key_loads == 2


def test_a_hang_in_the_second_xcrypt_counts_what_the_first_one_did():
    scene = Scene(0, "read", fetch_blocks=8)
    original = scene.bench.port.xcrypt

    async def silent_after_the_first(op):
        scene.bench.port.silent = len(scene.bench.port.requests()) == 1
        return await original(op)

    scene.bench.port.xcrypt = silent_after_the_first
    with pytest.raises(EngineHang) as caught:
        scene.ecb()
    assert caught.value.completed == 16 * 4


def test_a_hang_in_the_bounce_buffer_counts_and_delivers_what_an_interrupted_xcrypt_did():
    scene = Scene(5, "read", in_place=True)
    original = scene.bench.port.xcrypt

    async def silent_after_the_interrupt(op):
        scene.bench.port.silent = len(scene.bench.port.requests()) == 1
        return await original(op)

    scene.bench.port.interrupts = [120]
    scene.bench.port.xcrypt = silent_after_the_interrupt
    with pytest.raises(EngineHang) as caught:
        scene.ecb()
    assert 0 < caught.value.completed < len(DATA)
    scene.check_completed(caught.value)


def test_a_completion_in_the_last_cycle_of_the_watchdog_is_no_hang():
    reference = Scene(0, "read")
    reference.ecb()
    exact = reference.bench.kernel.now()
    for limit, hangs in ((exact, False), (exact - 1, True)):
        scene = Scene(0, "read")
        scene.driver = scene.bench.driver(watchdog=lambda blocks, limit=limit: limit)
        scene.key = scene.driver.key(KEY)
        if hangs:
            with pytest.raises(EngineHang):
                scene.ecb()
        else:
            scene.ecb()
            assert scene.bytes_at(scene.dst) == EXPECTED


def test_a_reset_during_a_request_ends_it_and_those_that_wait_go_on():
    scene = Scene(0, "read")
    bench, cbc = scene.bench, Cbc(scene.driver, KEY)

    async def main():
        first = bench.kernel.start(scene.driver.ecb(scene.key, scene.src, scene.dst, decrypt=False))
        second = bench.kernel.start(cbc.encrypt_bytes(bytes(16), DATA))
        await bench.kernel.sleep(60)
        await scene.driver.reset()
        with pytest.raises(EngineHang, match="xcryptecb of 12 blocks"):
            await first.join()
        return await second.join()

    assert bench.run(main()) == golden.cbc_encrypt(KEY, bytes(16), DATA)
    assert scene.bytes_at(scene.src) == DATA
    scene.finish(EngineFault("none", 0, 0))


def test_a_reset_of_an_idle_engine_makes_it_load_its_key_again():
    scene = Scene(0, "read")
    scene.ecb()
    scene.bench.run(scene.driver.reset())
    scene.finish(EngineFault("none", 0, 0))
    assert scene.driver.counters.key_loads == 2
    assert "popf" not in scene.bench.port.log


def test_scratch_and_bounce_memory_are_free_again_after_a_fault_and_after_a_hang():
    bench = PadlockBench(pages=16)
    driver = bench.driver()
    xts = Xts(driver, KEY)
    for silent in (False, True):
        bench.port.silent = silent
        buffer = Buffers.of(bench.memory.allocate(100) + 1, 99)
        if not silent:
            bench.model.write_bus_errors |= set(range(PAGE_BYTES, bench.memory.size, 16))
        with pytest.raises(EngineHang if silent else EngineFault):
            bench.run(xts.encrypt(bytes(16), buffer, buffer))
        bench.model.write_bus_errors.clear()
        bench.memory.free(buffer.pieces[0].address - 1)
    xts.close()
    assert bench.memory.allocate(15 * PAGE_BYTES) == PAGE_BYTES
