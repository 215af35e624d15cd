"""What goes to the QCE and what to software, and how requests are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_drivers_qce_lists import addresses, lists

from pymodel.buffers import Buffers
from pymodel.drivers.qce_lists import Stream, descriptors
from pymodel.drivers.qce_plan import BOUNCE_BYTES, Rules, plan, whole_blocks, with_room
from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest

ALL = Quirk.all()
HARDWARE = Rules(ALL, aes_sw_max_len=0)
LINUX = Rules(ALL)


def split(length, rules=HARDWARE):
    src, dst = Buffers.of(0x10000, whole_blocks(length)), Buffers.of(0x900000, whole_blocks(length))
    return [part.length for part in plan(src, dst, length, rules)]


@pytest.mark.parametrize(("length", "lengths"), [
    (16, [16]), (496, [496]), (512, [512]), (528, [512, 16]), (768, [512, 256]), (1024, [1024]),
    (4112, [4096, 16]), (65536, [65536]), (66000, [65536, 464]),
])
def test_a_length_over_512_is_split_at_its_last_multiple_of_512(length, lengths):
    assert split(length) == lengths
    assert split(length, Rules(ALL & ~Quirk.LENGTH_512_HANG, 0)) == [length]


@pytest.mark.parametrize(("length", "key_bytes", "engine_bytes"), [
    (16, 16, 0), (512, 32, 0), (1024, 16, 1024), (1024, 24, 0), (528, 16, 512), (1536 + 496, 32, 1536),
    (0, 16, 0),
])
def test_like_linux_short_requests_and_192_bit_keys_are_for_software(length, key_bytes, engine_bytes):
    assert LINUX.engine_bytes(length, key_bytes) == engine_bytes


@pytest.mark.parametrize(("limit", "length", "engine_bytes"), [
    (0, 16, 16), (0, 528, 528), (16, 16, 0), (16, 32, 32), (16, 528, 512), (16, 544, 544), (2000, 2000, 0),
    (2000, 2048, 2048), (2000, 2064, 2048),
])
def test_short_is_what_is_not_over_aes_sw_max_len_the_rest_of_a_split_too(limit, length, engine_bytes):
    assert Rules(ALL, limit).engine_bytes(length, 16) == engine_bytes
    assert Rules(ALL & ~Quirk.SLOW_START, limit).engine_bytes(length, 16) == length


@pytest.mark.parametrize(("length", "engine_bytes"), [
    (16, 16), (496, 496), (512, 512), (528, 0), (1024, 1024), (1040, 0)])
def test_fallback_leaves_a_request_that_would_be_split_to_software(length, engine_bytes):
    assert Rules(ALL, 0, "fallback").engine_bytes(length, 16) == engine_bytes
    assert Rules(ALL & ~Quirk.LENGTH_512_HANG, 0, "fallback").engine_bytes(length, 16) == length


def test_a_192_bit_key_goes_to_the_engine_when_its_missing_code_is_not_known():
    assert Rules(ALL & ~Quirk.NO_AES192, 0).engine_bytes(64, 24) == 64


def test_lengths_that_are_not_of_whole_blocks_are_refused_or_all_for_the_engine():
    for rules in (HARDWARE, LINUX):
        for length in (1, 15, 17, 1000 - 9):
            with pytest.raises(InvalidRequest, match=f"{length} bytes are not a multiple of 16"):
                rules.check_length(length)
    naive = Rules(ALL & ~Quirk.PARTIAL_BLOCK_HANG)
    naive.check_length(17)
    assert naive.engine_bytes(17, 24) == 17
    for rules in (HARDWARE, naive):
        with pytest.raises(InvalidRequest, match="-16 bytes"):
            rules.check_length(-16)


def test_a_length_of_0_needs_nothing_unless_the_hang_is_not_known():
    assert LINUX.needs_nothing(0)
    assert not LINUX.needs_nothing(16)
    assert not Rules(ALL & ~Quirk.ZERO_LENGTH_HANG).needs_nothing(0)
    (part,) = plan(Buffers([]), Buffers([]), 0, HARDWARE)
    assert (part.length, len(part.src), len(part.dst)) == (0, 0, 0)


def test_4_mib_are_two_requests_because_a_list_ends():
    assert split(64 * 65536) == [63 * 65520 // 512 * 512, 64 * 65536 - 63 * 65520 // 512 * 512]


def test_unaligned_data_is_cut_to_the_bounce_buffer():
    src, dst = Buffers.of(0x10001, 80000), Buffers.of(0x90000, 80000)
    assert [part.length for part in plan(src, dst, 80000, HARDWARE)] == [32768, 32768, 14336, 128]


@settings(max_examples=60, deadline=None)
@given(lists(blocks=300), st.sampled_from([ALL, ALL & ~Quirk.LENGTH_512_HANG]), st.booleans(), st.data())
def test_parts_cover_the_request_in_order_and_each_fits_into_its_lists(src, handles, scattered, data):
    length = len(src)
    dst = data.draw(lists(blocks=300)) if scattered else Buffers.of(0x800000, length)
    length = min(length, len(dst))
    src, dst = src.part(0, length), dst.part(0, length)
    position = 0
    for part in plan(src, dst, length, Rules(handles, 0)):
        assert part.position == position
        assert part.position % 512 == 0
        for whole, side, limit in ((src, part.src, 64), (dst, part.dst, 63)):
            assert addresses(side) == addresses(whole.part(position, part.length))
            assert len(descriptors(Stream.of(side).as_seen(0x2000000))) <= limit
            assert len(Stream.of(side).bounced) <= BOUNCE_BYTES
        if Quirk.LENGTH_512_HANG in handles:
            assert part.length <= 512 or part.length % 512 == 0
        position += part.length
    assert position == length


def test_lists_of_many_short_pieces_are_cut_at_multiples_of_512():
    src = Buffers([(0x10000 + 32 * number, 16) for number in range(200)])
    dst = Buffers.of(0x90000, 3200)
    assert [part.length for part in plan(src, dst, 3200, HARDWARE)] == [1024, 1024, 1024, 128]
    assert [part.length for part in plan(dst, src, 3200, HARDWARE)] == [512] * 6 + [128]


def test_a_destination_that_goes_on_is_given_to_the_last_part_as_far_as_its_list_has_room():
    src, dst = Buffers.of(0x10000, 528), Buffers.of(0x90000, 700)
    assert [(part.length, len(part.dst)) for part in plan(src, dst, 528, HARDWARE)] == [(512, 512), (16, 176)]
    scattered = Buffers([(0x90000, 16), *((0xA0000 + 32 * number, 16) for number in range(100))])
    (only,) = plan(src.part(0, 16), scattered, 16, HARDWARE)
    assert len(only.dst) == 63 * 16


def test_unaligned_pieces_taken_as_they_are_end_with_the_list():
    src = Buffers([(0x10000 + 8 * number, 5) for number in range(160)])
    naive = Rules(ALL & ~Quirk.ALIGN_16, 0)
    (only,) = plan(src, Buffers.of(0x90000, 800), 800, naive)
    assert (only.length, len(only.src)) == (800, 64 * 5)


def test_room_is_added_to_the_last_piece_only_where_a_list_is_too_short():
    assert with_room(Buffers([(64, 16), (96, 4)]), 20).runs == Buffers([(64, 16), (96, 16)]).runs
    for enough in (Buffers([(64, 16), (96, 16)]), Buffers.of(64, 40)):
        assert with_room(enough, 20) is enough
