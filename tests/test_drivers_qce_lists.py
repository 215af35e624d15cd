"""Scatter lists as the QCE's descriptors: what is bounced, and what the engine takes where it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymodel.buffers import Buffers
from pymodel.drivers.qce_lists import (
    Stream,
    bounced_in_either,
    descriptors,
    locked,
    reachable,
    stretches,
)
from pymodel.engines.qce import MAX_DESCRIPTOR_BYTES, Descriptor, DescriptorFlag

BOUNCE = 0x100000


@st.composite
def lists(draw, blocks=40):
    """Pieces of any size at any place, not overlapping, of whole blocks in all."""
    address, pieces = 0x1000, []
    for length in draw(st.lists(st.sampled_from([0, 1, 5, 8, 15, 16, 16, 24, 32, 48, 100]), max_size=blocks)):
        address += draw(st.sampled_from([0, 0, 8, 11, 16, 32]))
        pieces.append((address, length))
        address += length
    pieces.append((address + draw(st.integers(0, 20)), -sum(length for _, length in pieces) % 16))
    return Buffers(draw(st.permutations(pieces)))


def addresses(buffers):
    """One for each byte of the stream."""
    return [piece.address + offset for piece in buffers.pieces for offset in range(piece.length)]


def taken_directly(stream):
    """The address of each byte as the engine sees it, None where it is bounced."""
    return [address if address < BOUNCE else None for address in addresses(stream.as_seen(BOUNCE))]


@given(lists())
def test_exactly_the_blocks_that_are_not_whole_and_aligned_in_memory_are_bounced(buffers):
    at, seen = addresses(buffers), taken_directly(Stream.of(buffers))
    assert len(seen) == len(at)
    for start in range(0, len(at), 16):
        block = at[start:start + 16]
        whole = block[0] % 16 == 0 and block == list(range(block[0], block[0] + 16))
        assert seen[start:start + 16] == (block if whole else [None] * 16)


@given(lists())
def test_the_bounce_buffer_holds_the_bounced_bytes_in_order_without_gaps(buffers):
    stream, at = Stream.of(buffers), addresses(buffers)
    seen = addresses(stream.as_seen(BOUNCE))
    bounced = [position for position, address in enumerate(seen) if address >= BOUNCE]
    assert [seen[position] - BOUNCE for position in bounced] == list(range(len(bounced)))
    assert addresses(stream.bounced) == [at[position] for position in bounced]
    assert [stream.position_of(number) for number in range(len(bounced))] == bounced
    for position in range(0, len(at) + 16, 16):
        assert stream.bounced_before(position) == sum(other < position for other in bounced)
    with pytest.raises(ValueError, match="beyond"):
        stream.position_of(len(bounced))


@given(lists(), lists())
def test_a_block_that_is_bounced_on_both_sides_counts_once(one, other):
    sides = [Stream.of(one), Stream.of(other)]
    for end in (0, 16, 32, 160, 4000):
        positions = {position for side in sides for position, address in enumerate(taken_directly(side)[:end])
                     if address is None}
        assert bounced_in_either(*sides, end) == len(positions)


@given(lists())
def test_without_an_alignment_every_piece_is_taken_as_it_is(buffers):
    stream = Stream.of(buffers, 1)
    assert stream.as_seen(BOUNCE).runs == buffers.runs
    assert len(stream.bounced) == 0


@given(lists())
def test_descriptors_name_the_bytes_in_order_and_none_could_be_joined_to_the_next(buffers):
    stream = Stream.of(buffers).as_seen(BOUNCE)
    items = descriptors(stream)
    assert addresses(Buffers([(item.address, item.size) for item in items])) == addresses(stream)
    for item in items:
        assert item.address % 16 == item.size % 16 == item.flags == 0
        assert 0 < item.size <= MAX_DESCRIPTOR_BYTES
    assert all(one.address + one.size != two.address for one, two in pairwise(items))


@pytest.mark.parametrize(("length", "sizes"), [
    (16, [16]), (65520, [65520]), (65536, [65520, 16]), (3 * 65520, [65520] * 3), (0, []),
])
def test_a_piece_too_long_for_a_descriptor_takes_as_few_as_it_can(length, sizes):
    items = descriptors(Buffers.of(0x10000, length))
    assert [item.size for item in items] == sizes
    assert [item.address for item in items] == [0x10000 + 65520 * number for number in range(len(sizes))]


@given(lists(), st.integers(0, 30), st.sampled_from([0, 16, 48, 512, 4096]))
def test_what_is_reachable_fits_and_a_block_more_would_not(buffers, count, bounce):
    reached = reachable(stretches(buffers), count, bounce)

    def fits(length):
        stream = Stream.of(buffers.part(0, length))
        separate = sum(-(-part.length // MAX_DESCRIPTOR_BYTES) for part in stream.parts)
        return separate <= count and len(stream.bounced) <= bounce

    assert reached % 16 == 0
    assert fits(reached)
    assert reached == len(buffers) or not fits(reached + 16)


def test_a_long_piece_is_reached_in_part_when_descriptors_run_out():
    parts = list(stretches(Buffers([(0x1000, 32), (0x100000, 1 << 20)])))
    assert [reachable(parts, count, 0) for count in (0, 1, 2, 3, 18)] == [
        0, 32, 32 + 65520, 32 + 2 * 65520, 32 + (1 << 20)]


def test_a_long_piece_takes_its_descriptors_from_those_that_follow():
    parts = list(stretches(Buffers([(0x10000, 2 * 65520), (0x1000, 16), (0x2000, 16)])))
    assert [reachable(parts, count, 0) for count in (2, 3, 4)] == [131040, 131056, 131072]


def test_the_bounce_buffer_limits_what_is_reached():
    parts = list(stretches(Buffers([(0x1000, 32), (0x2001, 160), (0x3000, 32)])))
    assert [reachable(parts, 9, bounce) for bounce in (0, 64, 159, 160)] == [32, 96, 32 + 159, 224]


@settings(max_examples=20)
@given(lists(blocks=5))
def test_lock_is_a_flag_of_the_first_descriptor_only(buffers):
    items = descriptors(Stream.of(buffers).as_seen(BOUNCE)) or [Descriptor(0, 0)]
    first, *rest = locked(items)
    assert (first.address, first.size, first.flags) == (items[0].address, items[0].size, DescriptorFlag.LOCK)
    assert rest == items[1:]
