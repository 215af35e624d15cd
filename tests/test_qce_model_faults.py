"""Faults and resets of the QCE's transaction-level model: at every beat, at every cycle."""

from contextlib import suppress

import pytest

from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_course import READ_ERROR, SOFTWARE_ERROR, SUCCESS, WRITE_ERROR
from pymodel.engines.qce_registers import FAULT_ACCESS, FAULT_KIND, RESET, FaultAccess, FaultKind, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.kernel import gather
from pymodel.memory import PAGE_BYTES
from tests.qce_model_bench import BELLS, DATA, DESTINATION_LIST, DST, SOURCE_LIST, SRC, Engine

BLOCKS = 20
SIZE = 16 * BLOCKS
WHOLE = SIZE + 128
"""With the dump."""
SPLIT = {"source": [Descriptor(SRC, 112), Descriptor(SRC + 112, 0), Descriptor(SRC + 112, SIZE - 112)],
         "destination": [Descriptor(DST, 48), Descriptor(DST + 48, 160), Descriptor(DST + 208, 1024)]}
"""Of 7 and 13 blocks, of 3, 10 and the rest."""
SCRIPT_CYCLES = 50
"""More than it takes to hand over lists and set a request going."""
CODE = {kind: FAULT_KIND.put(kind) for kind in FaultKind}
OF_DESTINATION = FAULT_ACCESS.put(FaultAccess.DESTINATION)


def engine_for_all_lengths(**timing):
    return Engine(without=Quirk.LENGTH_512_HANG, **timing)


# -- lists --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("odd", "where"), [
    (Descriptor(SRC + 8, 32), SRC + 8), (Descriptor(SRC, 24), SRC + 24), (Descriptor(SRC + 4, 24), SRC + 4),
    (Descriptor(0xFFFFFFF0, 24), 8)])
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_not_aligned_faults_before_anything_is_written(odd, where, place):
    for of_destination in (False, True):
        engine = Engine()
        lists = [[Descriptor(SRC, 64)], [Descriptor(DST, 64)]]
        lists[of_destination] = [*[Descriptor(SRC, 16)][:place], odd, Descriptor(SRC, 64)]
        outcome = engine.ask(48, *lists)
        assert outcome.status == SOFTWARE_ERROR
        assert outcome.fault == CODE[FaultKind.ALIGNMENT] | (OF_DESTINATION if of_destination else 0)
        assert (outcome.fault_address, outcome.bytes_done) == (where, 0)
        assert engine.memory.read(DST, 64) == bytes(64)
        assert engine.memory.read(SRC, len(DATA)) == DATA


def test_a_fault_of_the_source_goes_before_one_of_the_destination_and_both_before_a_short_list():
    short = [Descriptor(SRC, 16)]
    odd = [*short, Descriptor(1, 16)]
    assert Engine().ask(32, odd, [Descriptor(2, 16)]).fault_address == 1
    assert Engine().ask(32, short, [Descriptor(2, 16)]).fault_address == 2


def test_descriptors_that_are_not_used_are_not_checked():
    engine = Engine()
    outcome = engine.ask(32, [Descriptor(SRC, 32), Descriptor(1, 1)], [Descriptor(DST, 32), Descriptor(3, 3)])
    assert outcome.status == SUCCESS


# -- data ---------------------------------------------------------------------------------------------


def test_blocks_before_a_read_error_are_written():
    for beat in range(BLOCKS):
        engine = engine_for_all_lengths()
        engine.model.read_bus_errors.add(SRC + 16 * beat + 5)
        outcome = engine.ask(SIZE, SPLIT["source"], SPLIT["destination"], dump=True)
        assert (outcome.status, outcome.fault) == (READ_ERROR, CODE[FaultKind.BUS])
        assert (outcome.fault_address, outcome.bytes_done) == (SRC + 16 * beat, 16 * beat)
        assert engine.memory.read(DST, WHOLE) == engine.encrypted(16 * beat).ljust(WHOLE, b"\0")


def test_bursts_before_a_write_error_are_written():
    for beat in range(BLOCKS + 8):
        engine = engine_for_all_lengths()
        engine.model.write_bus_errors.add(DST + 16 * beat + 15)
        outcome = engine.ask(SIZE, SPLIT["source"], SPLIT["destination"], dump=True)
        # the bursts: each descriptor is one, the last one has 7 blocks and the dump, which fit into 16 beats
        burst = max(first for first in (0, 3, 13) if first <= beat)
        assert (outcome.status, outcome.fault) == (WRITE_ERROR, CODE[FaultKind.BUS] | OF_DESTINATION)
        assert (outcome.fault_address, outcome.bytes_done) == (DST + 16 * burst, 16 * burst)
        assert engine.memory.read(DST, WHOLE) == engine.encrypted(16 * burst).ljust(WHOLE, b"\0")


def test_an_error_in_the_dump_is_a_write_error_when_all_data_is_done():
    engine = engine_for_all_lengths()
    engine.model.write_bus_errors.add(DST + 0x1000)
    outcome = engine.ask(SIZE, None, [Descriptor(DST, SIZE), Descriptor(DST + 0x1000, 128)], dump=True)
    assert (outcome.status, outcome.fault_address, outcome.bytes_done) == (WRITE_ERROR, DST + 0x1000, SIZE)
    assert engine.memory.read(DST, SIZE) == engine.encrypted(SIZE)


@pytest.mark.parametrize("blocks", [0, 1, 5, 19])
def test_a_closed_page_is_a_page_fault(blocks):
    for of_destination in (False, True):
        engine = engine_for_all_lengths()
        page = (DST if of_destination else SRC) + PAGE_BYTES
        engine.memory.write(SRC + PAGE_BYTES - 16 * blocks, DATA[:16 * blocks])
        engine.memory.protect(page, 1, readable=of_destination, writable=not of_destination)
        at = page - 16 * blocks
        lists = ([Descriptor(SRC, SIZE)], [Descriptor(at, SIZE)]) if of_destination else (
            [Descriptor(at, SIZE)], [Descriptor(DST, SIZE)])
        outcome = engine.ask(SIZE, *lists)
        access = OF_DESTINATION if of_destination else 0
        assert (outcome.status, outcome.fault) == (
            WRITE_ERROR if of_destination else READ_ERROR, CODE[FaultKind.PAGE] | access)
        # of a write it is the burst's address; behind 16 beats a second one begins
        assert outcome.fault_address == page
        assert outcome.bytes_done == 16 * blocks
        assert engine.memory.read(at if of_destination else DST, 16 * blocks) == engine.encrypted(16 * blocks)


def test_a_write_error_wins_over_a_read_error():
    engine = engine_for_all_lengths()
    engine.model.read_bus_errors.add(SRC + 64)
    engine.model.write_bus_errors.add(DST)
    outcome = engine.ask(SIZE)
    assert (outcome.status, outcome.fault_address) == (WRITE_ERROR, DST)


def test_the_end_of_memory_is_a_bus_error():
    engine = engine_for_all_lengths()
    outcome = engine.ask(64, [Descriptor((1 << 20) - 32, 64)])
    assert (outcome.status, outcome.fault) == (READ_ERROR, CODE[FaultKind.BUS])
    assert (outcome.fault_address, outcome.bytes_done) == (1 << 20, 32)


def test_after_an_error_the_next_request_is_as_any():
    engine = engine_for_all_lengths()
    engine.model.write_bus_errors.add(DST)
    engine.ask(SIZE)
    engine.model.write_bus_errors.clear()
    fresh = engine_for_all_lengths()
    assert engine.ask(SIZE) == fresh.ask(SIZE)


# -- resets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write_latency", [1, 40])
def test_a_reset_at_any_cycle_leaves_a_clean_engine_and_whole_bursts(write_latency):
    """Of the destination's bursts of 3, 10 and 15 blocks and beats, those are there that were under way."""
    ends = set()
    for cycle in range(0, 330, 1 if write_latency == 1 else 3):
        engine = engine_for_all_lengths(write_latency=write_latency, slow_start_cycles=1)

        async def request(engine=engine):
            accesses = [*engine.ring(SOURCE_LIST, SPLIT["source"]),
                        *engine.ring(DESTINATION_LIST, SPLIT["destination"]), *engine.setup(SIZE, dump=True)]
            with suppress(EngineFault):  # a list that the reset has forgotten
                await engine.model.script(accesses)

        async def reset(engine=engine, cycle=cycle):
            await engine.kernel.sleep(cycle)
            began = engine.kernel.now()
            await engine.model.reset()
            return engine.kernel.now() - began

        _, took = engine.run(gather(engine.kernel, request(), reset()))
        assert 4 <= took <= 4 + 18 + write_latency
        written = engine.memory.read(DST, WHOLE)
        # what is looked at is not zero when its burst has been written: a block, or the status in the dump
        last_bytes = {0: b"?", 3: written[32:48], 13: written[192:208], 28: written[SIZE + 96:SIZE + 112]}
        done = max(beats for beats, found in last_bytes.items() if found.strip(b"\0"))
        ends.add(done)
        assert written[:min(16 * done, SIZE)] == engine.encrypted(min(16 * done, SIZE))
        assert not written[16 * done:].strip(b"\0")
        if cycle < SCRIPT_CYCLES:  # what was left of the script came after the reset
            engine.reset()
        assert {register: engine.read(register) for register in Register} == dict(RESET)
        assert engine.ask(SIZE).status == SUCCESS
        assert engine.memory.read(DST, SIZE) == engine.encrypted(SIZE)
    assert ends == {0, 3, 13, 28}


def test_a_reset_by_hand_drains_the_bus_too():
    engine = Engine(read_latency=100)
    rings = [*engine.ring(SOURCE_LIST, [Descriptor(SRC, 512)]),
             *engine.ring(DESTINATION_LIST, [Descriptor(DST, 512)])]
    engine.run(engine.model.script([*rings, *engine.setup(512)]))
    engine.run(engine.kernel.sleep(20))
    began = engine.kernel.now()
    engine.write(Register.SOFT_RESET, 1)
    assert engine.kernel.now() - began > 100
    assert engine.read(Register.STATUS) == 0


def test_writing_0_to_the_reset_register_does_nothing():
    engine = Engine()
    engine.write(Register.SEG_SIZE, 7)
    engine.write(Register.SOFT_RESET, 0xFFFFFFFE)
    assert engine.read(Register.SEG_SIZE) == 7


def test_a_doorbell_under_way_is_answered_before_a_reset():
    engine = Engine(read_latency=50)

    async def ring():
        await engine.model.script(engine.ring(SOURCE_LIST, [Descriptor(SRC, 16)]))
        return engine.kernel.now()

    async def reset():
        await engine.kernel.sleep(7)
        await engine.model.reset()
        return engine.kernel.now()

    rung, done = engine.run(gather(engine.kernel, ring(), reset()))
    assert done - rung == 3  # loaded at the edge of the answer, one before that is seen
    assert not engine.run(engine.model.script([RegisterAccess(BELLS[SOURCE_LIST][0], 0)]))
