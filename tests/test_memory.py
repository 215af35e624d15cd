"""HostMemory: access rights, ownership, and the allocator."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from seeded import seeded

from pymodel.memory import PAGE_BYTES, HostAccessError, HostMemory, OutOfMemory


@pytest.fixture
def memory():
    return HostMemory(16 * PAGE_BYTES)


def test_what_is_written_is_read(memory):
    memory.write(0x1234, b"ecbench")
    assert memory.read(0x1234, 7) == b"ecbench"
    assert memory.view(0x1236, 3).tobytes() == b"ben"


def test_a_view_cannot_be_written_and_shows_later_writes(memory):
    view = memory.view(PAGE_BYTES, 4)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    memory.write(PAGE_BYTES, b"abcd")
    assert view.tobytes() == b"abcd"


def test_the_null_page_can_be_neither_read_nor_written(memory):
    with pytest.raises(HostAccessError, match="unmapped"):
        memory.read(PAGE_BYTES - 1, 2)
    with pytest.raises(HostAccessError, match="unmapped"):
        memory.write(0, b"x")


def test_nothing_is_accessible_outside_the_memory(memory):
    for address, length in ((memory.size, 1), (memory.size - 1, 2), (-1, 1)):
        with pytest.raises(HostAccessError, match="outside"):
            memory.read(address, length)
        with pytest.raises(HostAccessError, match="outside"):
            memory.write(address, bytes(length))


def test_protection_is_by_page_and_by_direction(memory):
    memory.protect(3 * PAGE_BYTES + 17, 1, readable=True, writable=False)
    memory.write(3 * PAGE_BYTES - 1, b"x")
    memory.write(4 * PAGE_BYTES, b"x")
    assert memory.read(3 * PAGE_BYTES, PAGE_BYTES) == bytes(PAGE_BYTES)
    with pytest.raises(HostAccessError, match="write"):
        memory.write(3 * PAGE_BYTES - 1, b"xy")
    memory.protect(3 * PAGE_BYTES, 1, readable=False, writable=True)
    memory.write(3 * PAGE_BYTES, b"y")
    with pytest.raises(HostAccessError, match="read"):
        memory.read(3 * PAGE_BYTES, 1)


def test_a_refused_write_changes_nothing(memory):
    memory.protect(3 * PAGE_BYTES, 1, readable=True, writable=False)
    with pytest.raises(HostAccessError):
        memory.write(3 * PAGE_BYTES - 4, b"abcdefgh")
    assert memory.read(3 * PAGE_BYTES - 4, 8) == bytes(8)


def test_the_host_may_read_but_not_write_what_an_engine_owns(memory):
    base = 2 * PAGE_BYTES
    with memory.owned((base, 16), (base + 64, 16)):
        assert memory.read(base, 16) == bytes(16)
        for address in (base, base + 15, base + 60, base + 79):
            with pytest.raises(HostAccessError, match="owns"):
                memory.write(address, bytes(8))
        memory.write(base + 16, bytes(48))
        memory.write(base + 80, bytes(8))
    memory.write(base, bytes(96))


def test_two_engines_may_own_the_same_bytes_and_each_gives_back_its_own(memory):
    base = 2 * PAGE_BYTES
    with memory.owned((base, 16)):
        with memory.owned((base, 16)):
            pass
        with pytest.raises(HostAccessError, match="owns"):
            memory.write(base, b"x")
    memory.write(base, b"x")


def test_ownership_ends_with_an_error(memory):
    with pytest.raises(KeyError), memory.owned((PAGE_BYTES, 16)):
        raise KeyError
    memory.write(PAGE_BYTES, b"x")


def test_allocations_are_aligned_apart_and_outside_the_null_page(memory):
    rng = seeded(7)
    taken: list[tuple[int, int]] = []
    for _ in range(60):
        length, align = rng.randrange(0, 300), 1 << rng.randrange(0, 8)
        address = memory.allocate(length, align)
        assert address % align == 0
        assert address >= PAGE_BYTES
        taken.append((address, address + max(length, 1)))
    taken.sort()
    assert all(a[1] <= b[0] for a, b in pairwise(taken))
    assert taken[-1][1] <= memory.size


def test_a_freed_block_is_reused_for_the_next_request_of_its_length_with_its_bytes(memory):
    first = memory.allocate(256)
    memory.write(first, b"old schedule")
    other = memory.allocate(256)
    memory.free(first)
    assert memory.allocate(128) not in (first, other)
    again = memory.allocate(256)
    assert again == first
    assert memory.read(again, 12) == b"old schedule"


def test_freed_blocks_of_other_sizes_are_joined_when_memory_runs_out(memory):
    quarter = 15 * PAGE_BYTES // 4
    blocks = [memory.allocate(quarter) for _ in range(4)]
    with pytest.raises(OutOfMemory, match="no 16 bytes left"):
        memory.allocate(16)
    for block in blocks[1:3]:
        memory.free(block)
    assert memory.allocate(2 * quarter) == blocks[1]


def test_random_allocation_and_freeing_never_overlaps_and_loses_nothing(memory):
    rng, held = seeded(11), {}
    for _ in range(2000):
        if held and rng.random() < 0.5:
            address = rng.choice(list(held))
            del held[address]
            memory.free(address)
            continue
        length = rng.choice([16, 208, 256, 1000, 4096])
        try:
            address = memory.allocate(length)
        except OutOfMemory:
            continue
        assert all(address + length <= start or stop <= address for start, stop in held.values())
        held[address] = (address, address + length)
    for address in held:
        memory.free(address)
    assert memory.allocate(15 * PAGE_BYTES) == PAGE_BYTES


def test_what_is_not_allocated_cannot_be_freed(memory):
    address = memory.allocate(16)
    memory.free(address)
    for wrong in (address, address + 1):
        with pytest.raises(ValueError, match="not allocated"):
            memory.free(wrong)


def test_bad_sizes_and_alignments_are_refused(memory):
    for size in (0, -PAGE_BYTES, PAGE_BYTES + 1):
        with pytest.raises(ValueError, match="multiple"):
            HostMemory(size)
    for align in (0, 3, -16):
        with pytest.raises(ValueError, match="power of two"):
            memory.allocate(16, align)


def test_whole_pages_are_page_aligned(memory):
    memory.allocate(1)
    assert memory.allocate_pages(2) % PAGE_BYTES == 0


def test_arrays_and_bytes_are_written_alike(memory):
    memory.write(PAGE_BYTES, np.arange(4, dtype=np.uint8))
    memory.write(PAGE_BYTES + 4, bytearray(b"\x04\x05"))
    memory.write(PAGE_BYTES + 6, memoryview(b"\x06\x07"))
    assert memory.read(PAGE_BYTES, 8) == bytes(range(8))
