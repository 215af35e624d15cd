"""The walk over scatter lists, page-end arithmetic, and how far the host reaches."""

from __future__ import annotations

import pytest
from scatter import Layout
from seeded import seeded

from pymodel.buffers import Buffers
from pymodel.drivers.access import Reach, reach
from pymodel.drivers.walk import Span, leaves_page, walk
from pymodel.memory import PAGE_BYTES, HostMemory


def spans_of(src, dst, *, alignment=16, chunk=4096):
    return list(walk(Buffers(src), Buffers(dst), block=16, alignment=alignment, chunk=chunk))


def test_aligned_contiguous_data_is_one_direct_span():
    assert spans_of([(0x1000, 512)], [(0x2000, 512)]) == [Span(0, 512, True, 0x1000, 0x2000)]


def test_adjacent_pieces_are_one_span():
    pieces = [(0x1000, 5), (0x1005, 11), (0x1010, 0), (0x1010, 16)]
    assert spans_of(pieces, [(0x2000, 32)]) == [Span(0, 32, True, 0x1000, 0x2000)]


@pytest.mark.parametrize(("src", "dst"), [(0x1001, 0x2000), (0x1000, 0x200F), (0x1008, 0x2008)])
def test_unaligned_data_is_bounced_in_chunks(src, dst):
    assert spans_of([(src, 160)], [(dst, 160)], chunk=64) == [
        Span(0, 64, False), Span(64, 64, False), Span(128, 32, False)]


def test_unaligned_data_is_direct_when_the_engine_does_not_mind():
    assert spans_of([(0x1001, 32)], [(0x2007, 32)], alignment=1) == [Span(0, 32, True, 0x1001, 0x2007)]


def test_only_the_blocks_that_pieces_cut_are_bounced():
    assert spans_of([(0x1000, 40), (0x3008, 56)], [(0x2000, 96)]) == [
        Span(0, 32, True, 0x1000, 0x2000), Span(32, 16, False), Span(48, 48, True, 0x3010, 0x2030)]


def test_an_empty_request_has_no_spans():
    assert spans_of([(0x1000, 0)], []) == []


def can_be_direct(src, dst, position):
    """Whether the block at ``position`` is whole and aligned on both sides, found byte by byte."""
    sides = [[piece.address + i for piece in buffers.pieces for i in range(piece.length)]
             for buffers in (src, dst)]
    return all(side[position] % 16 == 0 and side[position:position + 16] == list(
        range(side[position], side[position] + 16)) for side in sides)


@pytest.mark.parametrize("largest", [1, 9, 16, 40, 200])
def test_spans_cover_the_request_in_order_at_their_addresses(largest):
    memory, rng = HostMemory(64 * PAGE_BYTES), seeded(largest)
    for _ in range(40):
        layout = Layout(memory, rng, bytes(16 * rng.randrange(30)), in_place=rng.random() < 0.3,
                        largest=largest)
        position = 0
        for span in walk(layout.src, layout.dst, block=16, alignment=16, chunk=64):
            assert span.position == position
            assert span.length > 0
            assert span.length % 16 == 0
            assert span.direct or span.length <= 64
            if span.direct:
                for buffers, address in ((layout.src, span.src), (layout.dst, span.dst)):
                    assert buffers.part(position, span.length).same_bytes(Buffers.of(address, span.length))
            position = span.end
        assert position == len(layout.src)
        layout.free()


def random_list(rng, length):
    pieces, address = [], 0x1000
    while length:
        size = min(length, rng.choice([8, 16, 16, 24, 32]))
        address += rng.choice([0, 0, 8, 16])
        pieces.append((address, size))
        address, length = address + size, length - size
    return Buffers(pieces)


def test_a_block_is_direct_exactly_when_it_is_whole_and_aligned_on_both_sides():
    rng, seen = seeded(8), set()
    for _ in range(200):
        src, dst = random_list(rng, 96), random_list(rng, 96)
        for span in walk(src, dst, block=16, alignment=16, chunk=4096):
            for position in range(span.position, span.end, 16):
                possible = can_be_direct(src, dst, position)
                assert span.direct == possible, (src, dst, position)
                seen.add(possible)
    assert seen == {True, False}


@pytest.mark.parametrize(("address", "length", "leaves"), [
    (0x1000, 4096, False), (0x1000, 4097, True), (0x1FF0, 16, False), (0x1FF0, 32, True), (0x1FE0, 32, False),
])
def test_leaving_a_page_is_reaching_beyond_its_end(address, length, leaves):
    assert leaves_page(address, length) == leaves


@pytest.fixture
def memory():
    memory = HostMemory(8 * PAGE_BYTES)
    memory.protect(3 * PAGE_BYTES, 1, readable=False, writable=True)
    memory.protect(5 * PAGE_BYTES, 1, readable=True, writable=False)
    return memory


def test_the_host_reaches_to_the_first_page_it_may_not_touch_in_whole_blocks(memory):
    low = 3 * PAGE_BYTES - 40
    assert reach(memory, Buffers([(low, 80)]), "read", 16) == Reach(32, "page", 3 * PAGE_BYTES)
    assert reach(memory, Buffers([(low, 80)]), "write", 16) == Reach(80)
    assert reach(memory, Buffers([(low, 40), (5 * PAGE_BYTES + 7, 40)]), "write", 16) == Reach(
        32, "page", 5 * PAGE_BYTES + 7)


def test_nothing_is_reached_in_the_null_page_nor_outside_the_memory(memory):
    assert reach(memory, Buffers.of(0, 16), "read", 16) == Reach(0, "page", 0)
    assert reach(memory, Buffers.of(8 * PAGE_BYTES - 16, 32), "read", 16) == Reach(16, "bus", 8 * PAGE_BYTES)
