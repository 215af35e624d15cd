"""What the QCE's driver writes, word by word, and what it makes of the registers it reads."""

from __future__ import annotations

import pytest

from pymodel.drivers.qce_faults import fault_of, list_fault, register_fault
from pymodel.drivers.qce_memory import work_memory
from pymodel.drivers.qce_scripts import ACKNOWLEDGE, GO, destination_list, failed, setup, source_list
from pymodel.engines.qce_registers import Register
from pymodel.memory import PAGE_BYTES, HostMemory

KEY = bytes(range(32))


def words(accesses):
    return [(Register(access.address).name, access.value) for access in accesses]


def test_a_request_is_set_up_in_the_order_of_linux_with_both_interrupts_open():
    assert words(setup(KEY[:16], 0x210, decrypt=False)) == [
        ("STATUS", 0), ("CONFIG", 0b1100),
        ("ENCR_KEY0", 0x00010203), ("ENCR_KEY1", 0x04050607),
        ("ENCR_KEY2", 0x08090A0B), ("ENCR_KEY3", 0x0C0D0E0F),
        ("ENCR_SEG_CFG", 0x402), ("ENCR_SEG_SIZE", 0x210), ("ENCR_SEG_START", 0), ("SEG_SIZE", 0x210)]
    assert words([GO, ACKNOWLEDGE]) == [("GOPROC", 0b101), ("STATUS", 0)]


@pytest.mark.parametrize(("size", "decrypt", "config"), [
    (16, True, 0x002), (24, False, 0x40A), (24, True, 0x00A), (32, False, 0x412), (32, True, 0x012)])
def test_the_configuration_tells_key_size_and_direction_and_the_whole_key_is_written(size, decrypt, config):
    accesses = words(setup(KEY[:size], 16, decrypt=decrypt))
    assert ("ENCR_SEG_CFG", config) in accesses
    assert [name for name, _ in accesses if "KEY" in name] == [f"ENCR_KEY{n}" for n in range(size // 4)]


def test_lists_are_rung_after_address_and_length():
    assert words(source_list(0x1230, 5)) == [
        ("SRC_LIST_ADDRESS", 0x1230), ("SRC_LIST_LENGTH", 5), ("SRC_DOORBELL", 1)]
    assert words(destination_list(0x1230, 5)) == [
        ("DST_LIST_ADDRESS", 0x1230), ("DST_LIST_LENGTH", 5), ("DST_DOORBELL", 1)]


@pytest.mark.parametrize(("status", "fails"), [
    (0b10, False), (0b100010, False), (0, True), (0b11, True), (1 << 14 | 0b10, True), (1 << 9, True)])
def test_success_is_done_without_an_error(status, fails):
    assert failed(status) == fails


def seen(fault=0, address=0, status=0):
    return {Register.STATUS: status, Register.FAULT: fault, Register.FAULT_ADDRESS: address}


@pytest.mark.parametrize(("status", "fault", "kind", "access", "restartable"), [
    (1, 0, "configuration", "setup", False), (0, 0, "status", "completion", False),
    (1, 0x11, "alignment", "destination write", False), (1 << 14, 0x02, "page", "source read", True),
    (1 << 14, 0x13, "bus", "destination write", True)])
def test_the_fault_registers_tell_kind_and_access(status, fault, kind, access, restartable):
    error = fault_of(seen(fault, 0x2000, status), 48)
    assert (error.kind, error.access, error.restartable, error.completed) == (kind, access, restartable, 48)


@pytest.mark.parametrize(("register", "fault", "address", "found"), [
    (Register.SRC_DOORBELL, 0x23, 0x1000, True), (Register.SRC_DOORBELL, 0x22, 0x101F, True),
    (Register.SRC_DOORBELL, 0x33, 0x1000, False), (Register.SRC_DOORBELL, 0x23, 0x1020, False),
    (Register.SRC_DOORBELL, 0x23, 0xFFF, False), (Register.SRC_DOORBELL, 0x20, 0x1000, False),
    (Register.DST_DOORBELL, 0x33, 0x1000, True), (Register.DST_DOORBELL, 0x23, 0x1000, False),
    (Register.SRC_LIST_ADDRESS, 0x23, 0x1000, False)])
def test_a_refused_doorbell_is_a_fault_of_its_list_only_if_it_was_in_it(register, fault, address, found):
    error = list_fault(register, seen(fault, address), 0x1000, 32, 512)
    assert (error is not None) == found
    if error is not None:
        assert (error.address, error.completed) == (address, 512)
        assert error.access == f"{'source' if register == Register.SRC_DOORBELL else 'destination'} list read"


def test_a_refused_write_is_named():
    error = register_fault(Register.ENCR_SEG_CFG, 512, "write of")
    assert str(error) == "register fault on write of ENCR_SEG_CFG at 0x00000200 after 512 bytes"


@pytest.mark.parametrize(("bounces", "in_place", "sizes"), [
    ((16, 256), True, (256, 256)), ((16, 256), False, (16, 256)), ((256, 16), True, (256, 256))])
def test_bounce_buffers_are_as_large_as_their_side_needs_and_one_in_place(bounces, in_place, sizes):
    memory = HostMemory(4 * PAGE_BYTES)
    with work_memory(memory, bounces, in_place=in_place) as work:
        found = work.source_bounce, work.destination_bounce
        assert tuple(memory._allocated[address] for address in found) == sizes
        assert (found[0] == found[1]) == in_place
    assert memory._allocated == {}
