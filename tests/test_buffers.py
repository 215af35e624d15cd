"""Buffers: scatter lists, their parts, and which placements are refused."""

from __future__ import annotations

import pytest
from seeded import seeded

from pymodel.buffers import Buffers, Piece, check_placement
from pymodel.errors import InvalidRequest
from pymodel.memory import PAGE_BYTES, HostMemory

BASE = PAGE_BYTES


@pytest.fixture
def memory():
    memory = HostMemory(4 * PAGE_BYTES)
    memory.write(BASE, bytes(range(256)))
    return memory


def test_pieces_are_read_in_their_order(memory):
    buffers = Buffers([(BASE + 8, 2), (BASE, 3), (BASE + 200, 0), (BASE + 100, 1)])
    assert len(buffers) == 6
    assert buffers.read(memory) == bytes([8, 9, 0, 1, 2, 100])


def test_bytes_are_scattered_over_the_pieces_in_their_order(memory):
    Buffers([(BASE + 8, 2), (BASE, 3), (BASE + 5, 0)]).scatter(memory, b"abcde")
    assert memory.read(BASE, 11) == b"cde" + bytes([3, 4, 5, 6, 7]) + b"ab" + bytes([10])


def test_scattering_another_length_is_refused_and_writes_nothing(memory):
    for data in (b"", b"abc"):
        with pytest.raises(ValueError, match="into buffers of 2"):
            Buffers.of(BASE, 2).scatter(memory, data)
    assert memory.read(BASE, 3) == bytes([0, 1, 2])


def test_empty_buffers_read_nothing(memory):
    assert Buffers([]).read(memory) == b""
    assert Buffers([(0, 0), (5, 0)]).read(memory) == b""
    Buffers([(0, 0)]).scatter(memory, b"")


def test_runs_join_adjacent_pieces_and_drop_empty_ones():
    buffers = Buffers([(100, 4), (7, 0), (104, 4), (108, 1), (50, 2), (52, 0)])
    assert buffers.runs == (Piece(100, 9), Piece(50, 2))


def test_any_part_reads_the_same_bytes_as_a_slice(memory):
    rng = seeded(3)
    for _ in range(200):
        pieces = [(BASE + rng.randrange(200), rng.randrange(6)) for _ in range(rng.randrange(6))]
        buffers = Buffers(pieces)
        whole = buffers.read(memory)
        start = rng.randrange(len(whole) + 1)
        length = rng.randrange(len(whole) - start + 1)
        part = buffers.part(start, length)
        assert len(part) == length
        assert part.read(memory) == whole[start:start + length], (pieces, start, length)


@pytest.mark.parametrize(("start", "length"), [(-1, 1), (0, 6), (5, 1), (3, -1)])
def test_a_part_outside_is_refused(start, length):
    with pytest.raises(ValueError, match="of 5"):
        Buffers([(10, 3), (20, 2)]).part(start, length)


def test_negative_pieces_are_refused():
    for piece in ((-1, 4), (4, -1)):
        with pytest.raises(InvalidRequest):
            Buffers([piece])


def test_the_same_bytes_in_other_splits_are_the_same():
    whole = Buffers.of(100, 10)
    assert whole.same_bytes(Buffers([(100, 1), (101, 0), (101, 9)]))
    assert not whole.same_bytes(Buffers([(105, 5), (100, 5)]))
    assert not whole.same_bytes(Buffers.of(100, 9))


def test_overlap_is_found_as_sets_of_bytes_find_it():
    rng = seeded(5)
    outcomes = set()
    for _ in range(400):
        longest = rng.choice([5, 40])
        lists = [[(rng.randrange(60), rng.randrange(longest)) for _ in range(rng.randrange(1, 5))]
                 for _ in range(2)]
        a, b = (Buffers(pieces) for pieces in lists)
        sets = [[x for start, length in pieces for x in range(start, start + length)] for pieces in lists]
        expected = bool(set(sets[0]) & set(sets[1]))
        outcomes.add(expected)
        assert a.overlaps(b) == b.overlaps(a) == expected, lists
        assert a.overlaps_itself() == (len(sets[0]) != len(set(sets[0]))), lists
    assert outcomes == {True, False}


def test_in_place_disjoint_and_empty_placements_are_accepted():
    check_placement(Buffers.of(100, 32), Buffers([(100, 5), (105, 27)]))
    check_placement(Buffers([(100, 8), (300, 8)]), Buffers([(108, 8), (292, 8)]))
    check_placement(Buffers([]), Buffers([(5, 0)]))


@pytest.mark.parametrize(("src", "dst", "message"), [
    ([(100, 16)], [(200, 32)], "16 bytes, destination of 32"),
    ([(100, 32)], [(116, 32)], "overlap in part"),
    ([(100, 16), (116, 16)], [(116, 16), (100, 16)], "overlap in part"),
    ([(100, 32)], [(200, 16), (215, 16)], "names a byte twice"),
    ([(100, 16), (100, 16)], [(100, 16), (100, 16)], "names a byte twice"),
])
def test_other_placements_are_refused(src, dst, message):
    with pytest.raises(InvalidRequest, match=message):
        check_placement(Buffers(src), Buffers(dst))


def test_a_source_may_name_a_byte_twice():
    check_placement(Buffers([(100, 16), (100, 16)]), Buffers.of(200, 32))
