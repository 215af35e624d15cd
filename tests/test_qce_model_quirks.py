"""The QCE's transaction-level model: the result dump, and each quirk with its strap on and off."""

import pytest

from pymodel.engines.qce import STALE_STATUS, Descriptor, ResultDump
from pymodel.engines.qce_course import SOFTWARE_ERROR, SUCCESS
from pymodel.engines.qce_registers import CryptoState
from pymodel.engines.quirks import Quirk
from tests.qce_model_bench import DST, SRC, Engine

# -- the dump -----------------------------------------------------------------------------------------


def test_the_dump_tells_counters_and_a_status_from_before_the_end():
    engine = Engine()
    engine.ask(32, dump=True, CNTR0_IV=0x01020304, CNTR3_IV=7)
    assert engine.dump_at(DST + 32) == ResultDump((0x01020304, 0, 0, 7), STALE_STATUS, 0)


def test_without_that_quirk_it_tells_the_status_of_the_end():
    engine = Engine(without=Quirk.STALE_DUMP_STATUS)
    engine.ask(32, dump=True)
    assert engine.dump_at(DST + 32).status == SUCCESS


def test_the_dump_follows_the_data_in_the_same_descriptor():
    engine = Engine()
    engine.ask(32, destination=[Descriptor(DST, 64), Descriptor(DST + 0x1000, 128)], dump=True)
    dump = ResultDump((0, 0, 0, 0), STALE_STATUS, 0).encode()
    assert engine.memory.read(DST + 32, 32) == dump[:32]
    assert engine.memory.read(DST + 0x1000, 128) == dump[32:] + bytes(32)


def test_without_that_quirk_it_begins_at_the_next_descriptor():
    engine = Engine(without=Quirk.DUMP_FOLLOWS_DATA)
    engine.memory.write(DST + 32, b"untouched bytes!" * 2)
    engine.ask(32, destination=[Descriptor(DST, 64), Descriptor(DST + 0x1000, 128)], dump=True)
    assert engine.memory.read(DST + 32, 32) == b"untouched bytes!" * 2
    assert engine.dump_at(DST + 0x1000).status == STALE_STATUS


def test_no_dump_is_written_unless_asked_for():
    engine = Engine()
    engine.ask(32)
    assert engine.memory.read(DST + 32, 128) == bytes(128)


# -- quirks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [528, 768, 4112])
def test_over_512_bytes_and_no_multiple_the_engine_waits_for_ever(size):
    engine = Engine()
    outcome = engine.ask(size, dump=True)
    done = size // 512 * 512
    assert (outcome.state, outcome.bytes_done) == (CryptoState.WAIT_UNIT, done)
    engine.reset()
    assert engine.memory.read(DST, size + 128) == engine.encrypted(done) + bytes(size + 128 - done)


@pytest.mark.parametrize("size", [16, 496, 512, 1024])
def test_up_to_512_bytes_or_in_multiples_it_does_not(size):
    assert Engine().ask(size).status == SUCCESS


def test_without_that_quirk_any_number_of_blocks_is_done():
    engine = Engine(without=Quirk.LENGTH_512_HANG)
    assert engine.ask(768).status == SUCCESS
    assert engine.memory.read(DST, 768) == engine.encrypted(768)


def test_a_request_of_no_bytes_waits_for_ever():
    assert Engine().ask(0, [Descriptor(SRC, 16)]).state is CryptoState.WAIT_LENGTH


def test_without_that_quirk_it_is_done_and_dumped():
    engine = Engine(without=Quirk.ZERO_LENGTH_HANG)
    assert engine.ask(0, [Descriptor(SRC, 16)], dump=True).status == SUCCESS
    assert engine.dump_at(DST).status == STALE_STATUS


def test_a_last_block_that_is_not_whole_is_waited_for():
    engine = Engine()
    outcome = engine.ask(40)
    assert (outcome.state, outcome.bytes_done) == (CryptoState.WAIT_BLOCK, 32)
    engine.reset()
    assert engine.memory.read(DST, 48) == engine.encrypted(32) + bytes(16)


def test_without_that_quirk_it_is_an_error_at_once():
    engine = Engine(without=Quirk.PARTIAL_BLOCK_HANG)
    outcome = engine.ask(40)
    assert (outcome.status, outcome.cycles, outcome.fault) == (SOFTWARE_ERROR, 1, 0)
    assert engine.memory.read(DST, 48) == bytes(48)


def test_a_key_of_192_bits_is_taken_for_its_first_128():
    engine = Engine()
    engine.ask(32, key=bytes(range(24)))
    assert engine.memory.read(DST, 32) == engine.encrypted(32, bytes(range(16)))


def test_the_start_is_slow():
    cycles = [Engine(slow_start_cycles=64, without=without).ask(512).cycles
              for without in (Quirk(0), Quirk.SLOW_START)]
    assert cycles[0] - cycles[1] == 64 - 6  # six of them the first block would have waited for its key
