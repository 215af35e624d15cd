"""QceDriver when memory fails: faults of data, bounce buffers, lists and the dump. Nothing is lost."""

from __future__ import annotations

import pytest
from qce_driver_bench import QceBench, some_data

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.memory import PAGE_BYTES, OutOfMemory

KEY = bytes(range(32))
BLOCKS = 40
DATA = some_data(16 * BLOCKS)
EXPECTED = golden.ecb_encrypt(KEY, DATA)
ACCESS = {"read": "source read", "write": "destination write"}


class Scene:
    """A request of 40 blocks, 32 and the rest, whose byte ``cut`` begins a page on the side of ``access``."""

    def __init__(self, cut, access, *, in_place=False, **options):
        self.bench = QceBench()
        self.driver = self.bench.driver(**options)
        self.key = self.driver.key(KEY)
        memory = self.bench.memory
        self.boundary = memory.allocate_pages(2) + PAGE_BYTES
        faulty = Buffers.of(self.boundary - cut, len(DATA))
        other = faulty if in_place else Buffers.of(memory.allocate(len(DATA)), len(DATA))
        self.src, self.dst = (faulty, other) if access == "read" else (other, faulty)
        self.src.scatter(memory, DATA)
        self.free = self.bench.free_bytes()

    def protect(self, *, readable, writable):
        self.bench.memory.protect(self.boundary, PAGE_BYTES, readable=readable, writable=writable)

    def bytes_at(self, buffers):
        return b"".join(self.bench.memory.bytes[p.address:p.end].tobytes() for p in buffers.pieces)

    def ecb(self, start=0):
        length = len(DATA) - start
        self.bench.run(self.driver.ecb(self.key, self.src.part(start, length), self.dst.part(start, length),
                                       decrypt=False))

    def fault(self):
        """The fault of the request, which has freed its memory and left exactly ``completed`` bytes done."""
        with pytest.raises(EngineFault) as caught:
            self.ecb()
        fault, done = caught.value, self.bytes_at(self.dst)
        assert self.bench.free_bytes() == self.free
        assert done[:fault.completed] == EXPECTED[:fault.completed]
        if self.src is self.dst:
            assert done[fault.completed:] == DATA[fault.completed:]
        else:
            assert self.bytes_at(self.src) == DATA
            assert done[fault.completed:] == bytes(len(DATA) - fault.completed)
        return fault

    def finish(self, fault):
        self.ecb(fault.completed)
        assert self.bytes_at(self.dst) == EXPECTED


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("offset", [0, 5], ids=["aligned", "unaligned"])
def test_a_page_fault_is_exact_and_what_is_left_can_be_done_later(access, in_place, offset):
    for block in range(BLOCKS):
        scene = Scene(16 * block + offset, access, in_place=in_place)
        scene.protect(readable=access != "read", writable=access != "write")
        fault = scene.fault()
        assert (fault.kind, fault.access, fault.restartable) == ("page", ACCESS[access], True)
        assert (fault.address, fault.completed) == (scene.boundary, 16 * block)
        scene.protect(readable=True, writable=True)
        scene.finish(fault)


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_a_bus_error_is_exact_and_the_request_goes_on_after_it_is_gone(access, in_place):
    for block in range(BLOCKS):
        scene = Scene(0, access, in_place=in_place)
        errors = scene.bench.model.read_bus_errors if access == "read" else scene.bench.model.write_bus_errors
        beat = (scene.src if access == "read" else scene.dst).pieces[0].address + 16 * block
        errors.add(beat)
        fault = scene.fault()
        assert (fault.kind, fault.access, fault.restartable) == ("bus", ACCESS[access], True)
        if access == "read":
            assert (fault.address, fault.completed) == (beat, 16 * block)
        else:
            assert beat - 16 * 16 < fault.address <= beat
            assert fault.completed == 16 * block - (beat - fault.address)
        errors.clear()
        scene.finish(fault)


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
def test_a_bus_error_in_a_bounce_buffer_still_counts_and_delivers_what_is_done(access, in_place):
    for block in range(32):
        scene = Scene(5, access, in_place=in_place)
        scene.ecb()
        (scene.dst if not in_place else scene.src).scatter(scene.bench.memory, bytes(len(DATA)))
        scene.src.scatter(scene.bench.memory, DATA)
        register = Register.SRC_LIST_ADDRESS if access == "read" else Register.DST_LIST_ADDRESS
        where = scene.bench.port.written(register)[0]
        bounce = int.from_bytes(scene.bench.memory.read(where, 4), "little")
        errors = scene.bench.model.read_bus_errors if access == "read" else scene.bench.model.write_bus_errors
        errors.add(bounce + 16 * block)
        before = scene.driver.counters.copy()
        fault = scene.fault()
        assert (fault.kind, fault.access) == ("bus", ACCESS[access])
        assert 0 <= 16 * block - fault.completed < 256
        assert scene.driver.counters.since(before).bounced_blocks == fault.completed // 16
        errors.clear()
        scene.finish(fault)


def test_data_outside_the_memory_is_a_bus_fault_on_either_side_aligned_or_not():
    for offset in (0, 5):
        for access in ("read", "write"):
            bench = QceBench()
            driver, inside = bench.driver(), bench.buffer(DATA[:160])
            end = bench.memory.size
            outside = Buffers([(end - 64 - offset, 64), (end + 4096 + offset, 96)])
            src, dst = (outside, inside) if access == "read" else (inside, outside)
            with pytest.raises(EngineFault) as caught:
                bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
            fault = caught.value
            assert (fault.kind, fault.access, fault.completed) == ("bus", ACCESS[access], 64)
            assert fault.address == end + 4096 + offset


def test_the_earlier_one_of_two_faults_is_reported():
    bench = QceBench()
    driver, pages = bench.driver(), [bench.memory.allocate_pages(2) + PAGE_BYTES for _ in range(2)]
    bench.memory.protect(pages[0], 1, readable=False, writable=True)
    bench.memory.protect(pages[1], 1, readable=True, writable=False)
    for ahead, behind, access, address in ((37, 101, "source read", pages[0]),
                                           (101, 37, "destination write", pages[1]),
                                           (37, 37, "source read", pages[0])):
        src, dst = Buffers.of(pages[0] - ahead, 160), Buffers.of(pages[1] - behind, 160)
        with pytest.raises(EngineFault) as caught:
            bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
        fault = caught.value
        assert (fault.kind, fault.access, fault.address, fault.completed) == ("page", access, address, 32)


@pytest.mark.parametrize("access", ["read", "write"])
def test_a_bounced_block_that_the_host_cannot_touch_is_found_where_it_is_in_the_request(access):
    bench = QceBench()
    driver, end = bench.driver(), bench.memory.allocate_pages(3) + 2 * PAGE_BYTES
    bench.memory.protect(end, 1, readable=access != "read", writable=access != "write")
    faulty = Buffers([(end - 4096, 64), (end - 4001, 32), (end - 2048, 512), (end - 40, 80),
                      (end - 1024, 32)])
    other = bench.buffer(bytes(720))
    src, dst = (faulty, other) if access == "read" else (other, faulty)
    src.part(0, 640).scatter(bench.memory, DATA)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.access, fault.address) == ("page", ACCESS[access], end)
    assert fault.completed == 640
    assert dst.part(0, 640).read(bench.memory) == EXPECTED
    assert bench.port.requests() == [512, 128]


# -- lists and dump ---------------------------------------------------------------------------------


def scattered(memory, data):
    """Enough pieces for a list of several beats."""
    base = memory.allocate(2 * len(data))
    buffers = Buffers([(base + 2 * start, 16) for start in range(0, len(data), 16)])
    buffers.scatter(memory, data)
    return buffers


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize("side", ["SRC", "DST"])
def test_a_list_that_cannot_be_read_is_a_fault_and_the_engine_is_fit_for_the_next_request(side, locks):
    for beat in range(16):
        bench, data = QceBench(), DATA[:16 * 31]
        driver = bench.driver() if locks else bench.naive(Quirk.SHARED_REGISTERS)
        key, src, dst = driver.key(KEY), scattered(bench.memory, data), scattered(bench.memory, data)
        bench.run(driver.ecb(key, src, dst, decrypt=True))
        where = bench.port.written(Register[f"{side}_LIST_ADDRESS"])[0] + 16 * beat
        bench.model.read_bus_errors.add(where)
        with pytest.raises(EngineFault) as caught:
            bench.run(driver.ecb(key, src, dst, decrypt=False))
        fault = caught.value
        name = "source list read" if side == "SRC" else "destination list read"
        assert (fault.kind, fault.access, fault.address, fault.completed) == ("bus", name, where, 0)
        assert fault.restartable
        assert bench.port.log[-1] == "reset"
        assert bench.port.log.count("reset") == 1
        bench.model.read_bus_errors.clear()
        bench.run(driver.ecb(key, src, dst, decrypt=False))
        assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, data)


def test_lists_in_a_page_the_engine_cannot_read_are_a_page_fault():
    bench = QceBench()
    driver = bench.driver()
    src, dst = bench.buffer(DATA), bench.buffer(DATA)
    next_page = bench.memory.allocate(16)
    bench.memory.free(next_page)
    bench.memory.allocate(-next_page % PAGE_BYTES)
    bench.memory.protect(next_page + -next_page % PAGE_BYTES, 1, readable=False, writable=True)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    assert (caught.value.kind, caught.value.access) == ("page", "source list read")


def test_an_error_in_the_dump_is_a_fault_after_all_data():
    bench = QceBench()
    driver = bench.driver()
    key, src, dst = driver.key(KEY), bench.buffer(DATA[:512]), bench.buffer(bytes(512))
    bench.run(driver.ecb(key, src, dst, decrypt=True))
    where = bench.port.written(Register.DST_LIST_ADDRESS)[0]
    dump = int.from_bytes(bench.memory.read(where + 8, 4), "little")
    bench.model.write_bus_errors.add(dump + 64)
    with pytest.raises(EngineFault) as caught:
        bench.run(driver.ecb(key, src, dst, decrypt=False))
    fault = caught.value
    assert (fault.kind, fault.access, fault.completed) == ("bus", "destination write", 512)
    assert dump <= fault.address <= dump + 64
    assert dst.read(bench.memory) == EXPECTED[:512]


def test_requests_behind_a_fault_all_complete():
    bench = QceBench()
    driver = bench.driver()
    key = driver.key(KEY)
    buffers = [bench.buffer(DATA, offset) for offset in (0, 0, 3, 0, 7, 0)]
    bench.model.read_bus_errors.add(buffers[1].pieces[0].address + 16 * 9)

    async def main():
        tasks = [bench.kernel.start(driver.ecb(key, buffer, buffer, decrypt=False)) for buffer in buffers]
        failed = []
        for number, task in enumerate(tasks):
            try:
                await task.join()
            except EngineFault as fault:
                failed.append((number, fault.completed))
        return failed

    assert bench.run(main()) == [(1, 144)]
    assert [number for number, buffer in enumerate(buffers) if buffer.read(bench.memory) != EXPECTED] == [1]
    assert buffers[1].read(bench.memory) == EXPECTED[:144] + DATA[144:]


def test_memory_that_does_not_suffice_is_said_before_any_access():
    bench = QceBench(pages=16)
    driver = bench.driver()
    key, buffer = driver.key(KEY), bench.buffer(some_data(14 * PAGE_BYTES + 3000), 8)
    before, free = bench.memory.bytes.copy(), bench.free_bytes()
    whole = buffer.part(0, len(buffer) // 16 * 16)
    with pytest.raises(OutOfMemory):
        bench.run(driver.ecb(key, whole, whole, decrypt=False))
    assert bench.port.log == []
    assert (bench.memory.bytes == before).all()
    assert bench.free_bytes() == free
