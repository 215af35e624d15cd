"""What the QCE reads and writes in memory, descriptors, lists and the dump, and keys as register words."""

import pytest

from pymodel.engines.qce import (
    MAX_DESCRIPTOR_BYTES,
    MAX_DESCRIPTORS,
    Descriptor,
    DescriptorFlag,
    ResultDump,
    decode_list,
    encode_list,
    key_bytes,
    key_words,
)


def test_a_descriptor_is_address_size_and_flags_little_endian():
    descriptor = Descriptor(0x12345670, 0x0210, DescriptorFlag.LOCK | DescriptorFlag.EOT)
    assert descriptor.encode().hex() == "7056341210020044"
    assert Descriptor.decode(descriptor.encode()) == descriptor


def test_flags_are_the_bits_of_bam():
    assert [flag.bit_length() - 1 for flag in DescriptorFlag] == [15, 14, 13, 12, 11, 10, 9]


@pytest.mark.parametrize("wrong", [Descriptor(1 << 32, 16), Descriptor(-1, 16), Descriptor(0, 1 << 16),
                                   Descriptor(0, 16, 1 << 16)])
def test_a_field_that_is_too_wide_is_refused(wrong):
    with pytest.raises(ValueError, match="does not fit in a descriptor"):
        wrong.encode()


def test_a_list_is_its_descriptors_one_after_the_other():
    descriptors = tuple(Descriptor(16 * k, MAX_DESCRIPTOR_BYTES) for k in range(MAX_DESCRIPTORS))
    data = encode_list(descriptors)
    assert len(data) == 512
    assert decode_list(data) == descriptors


@pytest.mark.parametrize("length", [0, 65])
def test_a_list_of_no_descriptors_or_of_more_than_64_is_refused(length):
    with pytest.raises(ValueError, match=f"^{length} descriptors; a list has 1 to 64$"):
        encode_list([Descriptor(0, 16)] * length)


def test_the_dump_is_32_words_big_endian():
    dump = ResultDump((0x01020304, 5, 6, 0xA0B0C0D0), 0x1200, 4)
    data = dump.encode()
    assert len(data) == 128
    assert (data[:80], data[104:]) == (bytes(80), bytes(24))
    assert data[80:104].hex() == "010203040000000500000006a0b0c0d00000120000000004"
    assert ResultDump.decode(data) == dump


def test_byte_0_of_a_key_is_in_the_high_bits_of_the_first_word():
    assert key_words(bytes(range(16))) == (0x00010203, 0x04050607, 0x08090A0B, 0x0C0D0E0F)
    assert key_bytes(key_words(bytes(range(32)))) == bytes(range(32))
    with pytest.raises(ValueError, match="not 20"):
        key_words(bytes(20))
