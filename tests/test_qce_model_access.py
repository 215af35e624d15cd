"""Accesses to the QCE's transaction-level model: the map, refusals, bus and interrupt."""

import pytest

from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_registers import (
    CONFIG_MASK_ERR_INTR,
    CONFIG_MASK_OP_DONE_INTR,
    FAULT_ACCESS,
    FAULT_KIND,
    RESET,
    STATUS_ENCR_BUSY,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    WRITABLE,
    CryptoState,
    FaultAccess,
    FaultKind,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.kernel import gather
from tests.qce_model_bench import (
    BELLS,
    DESTINATION_LIST,
    SOURCE_LIST,
    SRC,
    Engine,
    by_name,
    refused,
    started,
)

ONES = 0xFFFFFFFF
DONE = STATUS_OPERATION_DONE.mask | STATUS_OP_DONE_INTR.mask
STORED = {Register.GOPROC: 4, Register.ENCR_SEG_CFG: 0x7FF, Register.XTS_DU_SIZE: 0xFFFFF,
          Register.CONFIG: 0xF, Register.SRC_LIST_LENGTH: 0x7F, Register.DST_LIST_LENGTH: 0x7F,
          **dict.fromkeys(range(Register.ENCR_KEY0, Register.ENCR_KEY7 + 4, 4), 0)}
"""What remains of a word of ones, where that is not all of it."""
ACTS = {Register.GOPROC, Register.SRC_DOORBELL, Register.DST_DOORBELL, Register.SOFT_RESET, Register.STATUS}


# -- the map ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("register", Register, ids=by_name)
def test_every_register_has_its_value_after_a_reset(register):
    engine = Engine()
    assert engine.read(register) == RESET[register]
    engine.ask(32)
    engine.reset()
    assert engine.read(register) == RESET[register]


@pytest.mark.parametrize("register", sorted(set(Register) - ACTS), ids=by_name)
def test_a_register_keeps_its_bits_or_refuses_a_write(register):
    engine = Engine()
    assert refused(engine, register, ONES) == (register not in WRITABLE)
    expected = STORED.get(register, ONES) if register in WRITABLE else RESET[register]
    assert engine.read(register) == expected


@pytest.mark.parametrize("address", [0x0101, 0x0004, 0x3020, 0x4001, 0xFFFC])
def test_there_is_nothing_outside_the_map(address):
    engine = Engine()
    assert refused(engine, address)
    assert refused(engine, address, 0)


@pytest.mark.parametrize(("address", "value"), [(1 << 16, None), (-4, None), (0x110, 1 << 32), (0x110, -1)])
def test_what_does_not_fit_on_the_bus_is_refused_before_it(address, value):
    engine = Engine()
    with pytest.raises(ValueError, match="does not fit in"):
        engine.run(engine.model.script([RegisterAccess(address, value)]))


def test_there_are_two_masters():
    with pytest.raises(ValueError, match="master 2"):
        Engine().write(Register.SEG_SIZE, 0, master=2)


def test_writing_0_to_a_sticky_bit_clears_it_and_1_leaves_it():
    engine = Engine()
    engine.ask(32)
    engine.write(Register.STATUS, ONES ^ STATUS_OP_DONE_INTR.mask)
    assert engine.read(Register.STATUS) == STATUS_OPERATION_DONE.mask
    engine.write(Register.STATUS, 0)
    assert engine.read(Register.STATUS) == 0


# -- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("register", sorted(WRITABLE - {Register.SOFT_RESET}), ids=by_name)
def test_while_busy_only_status_and_masks_can_be_written(register):
    engine = Engine()
    engine.run(started(engine))
    assert refused(engine, register, 0) == (register not in {Register.STATUS, Register.CONFIG})
    assert STATUS_ENCR_BUSY.get(engine.read(Register.STATUS))


@pytest.mark.parametrize("at", BELLS)
def test_a_list_that_is_armed_can_neither_be_changed_nor_rung_again(at):
    engine = Engine()
    engine.run(engine.model.script(engine.ring(at, [Descriptor(SRC, 16)])))
    for register in BELLS[at]:
        assert refused(engine, register, 1)
    other = BELLS[SOURCE_LIST + DESTINATION_LIST - at]
    assert not refused(engine, other[0], 16)


def test_lists_are_disarmed_when_a_request_ends():
    engine = Engine()
    engine.ask(32)
    assert not refused(engine, Register.SRC_LIST_ADDRESS, 0)
    assert not refused(engine, Register.DST_LIST_ADDRESS, 0)


@pytest.mark.parametrize(("at", "access"), [(SOURCE_LIST, FaultAccess.SOURCE_LIST),
                                            (DESTINATION_LIST, FaultAccess.DESTINATION_LIST)])
@pytest.mark.parametrize(("address", "kind", "where"), [
    (0x1808, FaultKind.ALIGNMENT, 0x1808), (0x2000 - 16, FaultKind.PAGE, 0x2000),
    (1 << 20, FaultKind.BUS, 1 << 20)])
def test_a_list_that_cannot_be_read_is_refused_with_a_fault(at, access, address, kind, where):
    engine = Engine()
    engine.memory.protect(0x2000, 1, readable=False, writable=True)
    bell = BELLS[at]
    engine.write(bell[0], address)
    engine.write(bell[1], 3)
    assert refused(engine, bell[2], 1)
    assert engine.read(Register.FAULT) == FAULT_KIND.put(kind) | FAULT_ACCESS.put(access)
    assert engine.read(Register.FAULT_ADDRESS) == where
    assert (engine.read(Register.STATUS), engine.read(Register.STATUS2)) == (0, 0)
    assert engine.ask(32).status == DONE


@pytest.mark.parametrize("length", [0, 65, 127])
def test_a_list_of_a_wrong_length_is_refused_without_a_fault(length):
    engine = Engine()
    engine.write(Register.SRC_LIST_ADDRESS, SOURCE_LIST)
    engine.write(Register.SRC_LIST_LENGTH, length)
    assert refused(engine, Register.SRC_DOORBELL, 1)
    assert engine.read(Register.FAULT) == 0


def test_a_refused_access_ends_its_script_and_has_no_effect():
    engine = Engine()
    accesses = [RegisterAccess(Register.SEG_SIZE, 5), RegisterAccess(Register.VERSION, 6),
                RegisterAccess(Register.SEG_SIZE, 7)]
    with pytest.raises(EngineFault, match=r"^register fault on write at 0x00000000"):
        engine.run(engine.model.script(accesses))
    assert engine.kernel.now() == 2 * 2 + 1
    assert engine.read(Register.SEG_SIZE) == 5


# -- the bus ------------------------------------------------------------------------------------------


def test_an_access_takes_three_cycles_and_a_script_two_each_and_one():
    engine = Engine()
    engine.read(Register.STATUS)
    assert engine.kernel.now() == 3
    engine.run(engine.model.script([RegisterAccess(Register.SEG_SIZE, k) for k in range(10)]))
    assert engine.kernel.now() == 3 + 21


def test_a_script_that_is_too_long_for_one_is_posted_in_parts():
    engine = Engine()
    values = engine.run(engine.model.script([RegisterAccess(Register.VERSION)] * 70))
    assert values == [RESET[Register.VERSION]] * 70
    assert engine.kernel.now() == 65 + 65 + 13


@pytest.mark.parametrize(("length", "latency"), [(1, 1), (2, 1), (3, 1), (64, 1), (64, 20)])
def test_a_doorbell_takes_as_long_as_the_list_is_read(length, latency):
    """The access at 1, command 2, burst decided 3, AR 4, R at 4 + latency, answer 2 edges after the last."""
    engine = Engine(read_latency=latency)
    accesses = engine.ring(SOURCE_LIST, [Descriptor(SRC, 16)] * length)
    engine.run(engine.model.script(accesses[:2]))
    began = engine.kernel.now()
    engine.run(engine.model.script(accesses[2:]))
    beats = (length + 1) // 2
    # the second burst of a long list is requested one edge after the first, so it follows without a gap
    assert engine.kernel.now() - began == 4 + latency + beats - 1 + 2 + 1


def test_a_reset_of_an_idle_engine_takes_four_cycles():
    engine = Engine()
    engine.reset()
    assert engine.kernel.now() == 4


def test_a_single_access_goes_before_what_is_left_of_a_script():
    engine = Engine()

    async def script():
        await engine.model.script([RegisterAccess(Register.SEG_SIZE, k) for k in range(1, 11)])
        return engine.kernel.now()

    async def single():
        await engine.kernel.sleep(6)
        found = await engine.model.read(Register.SEG_SIZE, master=1)
        return found, engine.kernel.now()

    ended, (found, seen) = engine.run(gather(engine.kernel, script(), single()))
    assert ended == 2 * 11 + 1
    # posted at 6, loaded at 6, where the third access is answered; read at 7 and answered at 8
    assert (found, seen) == (3, 9)


def test_scripts_and_accesses_of_one_master_wait_for_their_turn():
    engine = Engine()

    async def one(register, master):
        await engine.model.write(register, 1, master)
        return engine.kernel.now()

    ends = engine.run(gather(engine.kernel, *(one(Register.SEG_SIZE, master) for master in (0, 0, 1, 1))))
    # 1 goes first, at 3; its second is posted then, but 0's first has been loaded one edge before
    assert ends == [5, 9, 3, 7]


# -- the interrupt ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "mask"), [(32, CONFIG_MASK_OP_DONE_INTR), (40, CONFIG_MASK_ERR_INTR)])
def test_a_masked_interrupt_comes_when_its_mask_is_lifted(size, mask):
    engine = Engine(without=Quirk.PARTIAL_BLOCK_HANG)
    engine.run(started(engine, size=512) if size == 32 else started(engine, size=512, SEG_SIZE=0))
    engine.reset()
    engine.ask(32, timeout=500, CONFIG=mask.mask, SEG_SIZE=32 if size == 32 else 0)
    assert not engine.model.irq.is_set()
    engine.write(Register.CONFIG, 0)
    assert engine.model.irq.is_set()
    engine.write(Register.CONFIG, mask.mask)
    assert not engine.model.irq.is_set()


def test_the_interrupt_falls_when_the_access_that_clears_it_returns():
    engine = Engine()
    engine.ask(32)

    async def acknowledge():
        levels = []
        task = engine.kernel.start(engine.model.write(Register.STATUS, 0))
        for _ in range(4):
            levels.append(engine.model.irq.is_set())
            await engine.kernel.sleep(1)
        await task.join()
        return levels

    assert engine.run(acknowledge()) == [True, True, True, False]


def test_go_forgets_what_the_last_request_reported():
    engine = Engine()
    engine.ask(32)
    engine.run(engine.model.script(engine.setup(32)))
    engine.run(engine.kernel.sleep(50))
    outcome = engine.run(engine.outcome())
    assert outcome.state is CryptoState.WAIT_LISTS
    assert (outcome.bytes_done, outcome.fault, outcome.source_current) == (0, 0, 0)
    assert not engine.model.irq.is_set()
