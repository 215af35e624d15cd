"""Accesses to the QCE's transaction-level model: who holds the lock, and until when."""

import pytest

from pymodel.engines.qce import Descriptor, DescriptorFlag
from pymodel.engines.qce_registers import (
    STATUS2_LOCKED,
    STATUS_ENCR_BUSY,
    STATUS_OPERATION_DONE,
    WRITABLE,
    Register,
)
from pymodel.engines.quirks import Quirk
from tests.qce_model_bench import DST, SOURCE_LIST, SRC, Engine, by_name, refused, started

ONES = 0xFFFFFFFF


def locked_by_master_0(**options):
    engine = Engine(**options)
    engine.run(engine.model.script(engine.ring(SOURCE_LIST, [Descriptor(SRC, 32, DescriptorFlag.LOCK)])))
    assert STATUS2_LOCKED.get(engine.read(Register.STATUS2))
    return engine


def test_a_lock_descriptor_keeps_other_masters_from_writing():
    engine = locked_by_master_0()
    for register in WRITABLE:
        assert refused(engine, register, 0, master=1)
    assert not refused(engine, Register.SEG_SIZE, 0, master=0)
    assert not refused(engine, Register.SEG_SIZE, master=1)


def test_only_the_first_descriptor_locks():
    engine = Engine()
    engine.run(engine.model.script(engine.ring(SOURCE_LIST, [Descriptor(SRC, 32),
                                                             Descriptor(SRC, 32, DescriptorFlag.LOCK)])))
    assert not refused(engine, Register.SEG_SIZE, 0, master=1)


def test_the_owner_lets_go_when_it_has_acknowledged_the_interrupt():
    engine = Engine()
    engine.run(started(engine, first=DescriptorFlag.LOCK))
    engine.run(engine.model.irq.wait())
    for value in (ONES, ONES ^ STATUS_OPERATION_DONE.mask):
        engine.write(Register.STATUS, value)
        assert refused(engine, Register.SEG_SIZE, 0, master=1)
    engine.write(Register.STATUS, 0)
    assert not refused(engine, Register.SEG_SIZE, 0, master=1)


def test_an_unlock_descriptor_lets_go_when_the_lists_have_been_checked():
    engine = Engine(slow_start_cycles=40)
    engine.run(started(engine, first=DescriptorFlag.LOCK | DescriptorFlag.UNLOCK))
    assert engine.read(Register.STATUS2) == STATUS2_LOCKED.mask
    engine.run(engine.kernel.sleep(50))
    assert engine.read(Register.STATUS2) == 0
    assert engine.read(Register.STATUS) & STATUS_ENCR_BUSY.mask


def test_the_dump_tells_whether_the_registers_are_locked():
    for flags, locked in ((DescriptorFlag.LOCK, 1), (DescriptorFlag.LOCK | DescriptorFlag.UNLOCK, 0), (0, 0)):
        engine = Engine()
        engine.ask(16, [Descriptor(SRC, 16, flags)], dump=True)
        assert engine.dump_at(DST + 16).status2 == STATUS2_LOCKED.put(locked)


def test_a_reset_by_the_system_passes_the_lock():
    engine = Engine()
    engine.run(engine.model.script(engine.ring(SOURCE_LIST, [Descriptor(SRC, 32, DescriptorFlag.LOCK)])))
    assert refused(engine, Register.SOFT_RESET, 1, master=1)
    engine.reset()
    assert not refused(engine, Register.SEG_SIZE, 0, master=1)


@pytest.mark.parametrize("register", sorted(WRITABLE - {Register.SRC_DOORBELL, Register.DST_DOORBELL}),
                         ids=by_name)
def test_without_that_quirk_the_first_write_locks(register):
    engine = Engine(without=Quirk.SHARED_REGISTERS)
    engine.write(register, 0, master=1)
    free = register in {Register.STATUS, Register.CONFIG, Register.SOFT_RESET}
    assert engine.read(Register.STATUS2) == STATUS2_LOCKED.put(not free)
    assert refused(engine, Register.SEG_SIZE, 0) == (not free)


def test_with_it_nothing_but_a_lock_descriptor_does():
    engine = Engine()
    engine.ask(32)
    assert not refused(engine, Register.SEG_SIZE, 0, master=1)
