"""Where the data of a case lies, and that anything that changes around it is seen."""

import pytest

from pymodel.jobs.placement import GUARD_BYTES, POISON, Layout, Placement, Spot, apart
from pymodel.memory import PAGE_BYTES, HostAccessError, HostMemory, OutOfMemory

DATA = bytes(range(48))
RESULT = bytes(reversed(DATA))


@pytest.fixture
def memory():
    return HostMemory()


def place(memory, layout, iv=b""):
    return Placement(memory, layout, DATA, iv)


def pieces_of(placement):
    return [*placement.src.pieces, *placement.dst.pieces]


SCATTERED = Layout((Spot(4090, 17), Spot(0, 0), Spot(5, 31)), (Spot(3, 47), Spot(100, 1)))


def test_each_piece_lies_at_its_offset_in_two_pages_of_its_own(memory):
    placement = place(memory, SCATTERED)
    assert [(p.address % PAGE_BYTES, p.length) for p in pieces_of(placement)] == \
        [(4090, 17), (0, 0), (5, 31), (3, 47), (100, 1)]
    pages = [p.address // PAGE_BYTES for p in pieces_of(placement)]
    assert all(abs(a - b) >= 2 for i, a in enumerate(pages) for b in pages[:i])
    assert placement.src.read(memory) == DATA


def test_poison_lies_behind_each_destination_piece(memory):
    placement = place(memory, SCATTERED)
    for piece in placement.dst.pieces:
        assert memory.read(piece.end, GUARD_BYTES) == bytes([POISON]) * GUARD_BYTES


def test_a_page_end_is_followed_by_a_page_that_nobody_may_touch(memory):
    placement = place(memory, Layout((Spot(0, 48),), (Spot(0, 48),), page_end=True))
    for piece in pieces_of(placement):
        assert piece.end % PAGE_BYTES == 0
        with pytest.raises(HostAccessError):
            memory.read(piece.end, 1)
        with pytest.raises(HostAccessError):
            memory.write(piece.end, b"x")
    placement.release()
    for piece in pieces_of(placement):
        assert memory.read(piece.end, 1)


def test_in_place_is_the_same_list_or_an_equal_one(memory):
    same = place(memory, Layout((Spot(0, 48),)))
    assert same.src is same.dst
    equal = place(memory, Layout((Spot(0, 48),), separate_lists=True))
    assert equal.src is not equal.dst
    assert equal.src.pieces == equal.dst.pieces


@pytest.mark.parametrize("shift", [-8, 8, 16])
def test_an_overlapping_destination_is_the_source_moved(memory, shift):
    placement = place(memory, Layout((Spot(0, 48),), overlap=shift))
    assert placement.dst.pieces[0].address - placement.src.pieces[0].address == shift
    assert placement.src.read(memory) == DATA
    assert placement.damage(None) == ""


def test_the_iv_lies_behind_the_destination_in_the_line_of_its_tail(memory):
    iv = bytes(range(16))
    placement = place(memory, Layout((Spot(0, 48),), (Spot(0, 48),), iv_behind_dst=True), iv)
    end = placement.dst.pieces[-1].end
    assert placement.iv_address == end
    assert (end - 1) // 64 == (end + 15) // 64
    assert memory.read(end, 16) == iv


def test_the_right_result_and_nothing_else_is_no_damage(memory):
    for layout in (apart(48), SCATTERED, Layout((Spot(9, 40), Spot(0, 8)))):
        placement = place(memory, layout)
        assert placement.damage(None) == ""
        placement.dst.scatter(memory, RESULT)
        assert placement.damage(RESULT) == ""
        assert placement.damage(None) != ""
        assert placement.result() == RESULT


@pytest.mark.parametrize(("where", "message"), [
    (lambda p: p.dst.pieces[0].address + 5, "wrong output from byte 5 on, 1 bytes differ"),
    (lambda p: p.dst.pieces[0].end, "memory outside the destination changed"),
    (lambda p: p.dst.pieces[0].end + GUARD_BYTES - 1, "memory outside the destination changed"),
    (lambda p: p.dst.pieces[-1].address - 1, "memory outside the destination changed"),
    (lambda p: p.src.pieces[0].address + 1, "the source changed"),
])
def test_one_changed_byte_is_seen(memory, where, message):
    placement = place(memory, SCATTERED)
    placement.dst.scatter(memory, RESULT)
    address = where(placement)
    memory.write(address, bytes([memory.read(address, 1)[0] ^ 1]))
    assert placement.damage(RESULT).startswith(message)


def test_memory_is_given_back(memory):
    small = HostMemory(16 * PAGE_BYTES)
    for _ in range(50):
        place(small, SCATTERED).release()
    held = [place(small, apart(48)) for _ in range(3)]
    with pytest.raises(OutOfMemory):
        place(small, apart(48))
    assert [placement.damage(None) for placement in held] == ["", "", ""]
