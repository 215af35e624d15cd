"""Data-unit numbers and the doubling of tweaks."""

from __future__ import annotations

import numpy as np
import pytest
from seeded import seeded

from pymodel.errors import InvalidRequest
from pymodel.modes import sectors, tweaks


@pytest.mark.parametrize(("sector", "plain", "plain64"), [
    (0, "00" * 16, "00" * 16),
    (1, "01" + "00" * 15, "01" + "00" * 15),
    (0x12345678, "78563412" + "00" * 12, "78563412" + "00" * 12),
    (2**32 - 1, "ff" * 4 + "00" * 12, "ff" * 4 + "00" * 12),
    (2**32, "00" * 16, "0000000001" + "00" * 11),
    (2**64 - 1, "ff" * 4 + "00" * 12, "ff" * 8 + "00" * 8),
])
def test_sector_numbers_are_little_endian_and_plain_wraps_at_32_bits(sector, plain, plain64):
    assert sectors.plain(sector).hex() == plain
    assert sectors.plain64(sector).hex() == plain64
    assert sectors.data_unit(sector).hex() == plain64


def test_data_unit_numbers_have_128_bits():
    assert sectors.data_unit(2**128 - 1) == b"\xff" * 16
    assert sectors.data_unit(1 << 120) == bytes(15) + b"\x01"


@pytest.mark.parametrize(("number_to_tweak", "number"), [
    (sectors.plain, -1), (sectors.plain, 2**64), (sectors.plain64, -1), (sectors.plain64, 2**64),
    (sectors.data_unit, -1), (sectors.data_unit, 2**128),
])
def test_numbers_outside_are_refused(number_to_tweak, number):
    with pytest.raises(InvalidRequest, match="outside"):
        number_to_tweak(number)


def test_doubling_shifts_towards_the_last_byte_and_folds_back_0x87():
    assert tweaks.advance(b"\x80" + bytes(15), 1) == b"\x00\x01" + bytes(14)
    assert tweaks.advance(bytes(15) + b"\x80", 1) == b"\x87" + bytes(15)
    assert tweaks.advance(bytes(15) + b"\xc0", 2) == bytes([0x0e ^ 0x87, 1]) + bytes(14)


def test_a_sequence_is_what_single_steps_give():
    first = bytes(range(0xF0, 0x100))
    blocks = tweaks.sequence(first, 300).reshape(300, 16)
    assert all(blocks[i].tobytes() == tweaks.advance(first, i) for i in range(300))
    assert tweaks.sequence(first, 0).size == 0


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 64, 65, 300])
def test_many_sequences_at_once_are_the_single_ones(count):
    firsts = np.frombuffer(seeded(count).randbytes(5 * 16), np.uint8).reshape(5, 16)
    at_once = tweaks.sequences(firsts, count)
    assert at_once.shape == (5, count * 16)
    for row, first in zip(at_once, firsts, strict=True):
        assert row.tobytes() == tweaks.sequence(first.tobytes(), count).tobytes()
