"""The QCE's transaction-level model: answers, cycles, and what it cannot do."""

import pytest

from pymodel import golden
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor
from pymodel.engines.qce_registers import (
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_KEY_SIZE,
    ENCR_SEG_CFG_MODE,
    STATUS_ERR_INTR,
    STATUS_OP_DONE_INTR,
    STATUS_OPERATION_DONE,
    STATUS_SW_ERR,
    CryptoState,
    KeySize,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.memory import HostAccessError
from tests.qce_model_bench import DATA, DST, KEY, SRC, Engine

SUCCESS = STATUS_OPERATION_DONE.mask | STATUS_OP_DONE_INTR.mask
SW_ERR = STATUS_SW_ERR.mask | STATUS_ERR_INTR.mask
PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
FIPS_197 = {16: "69c4e0d86a7b0430d8cdb78070b4c55a", 24: "dda97ca4864cdfe06eaf70a0ec0d7191",
            32: "8ea2b7ca516745bfeafc49904b496089"}
"""FIPS-197 appendix C: ciphertexts by size of the key 00 01 02 ..."""


# -- answers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key_bytes", FIPS_197)
@pytest.mark.parametrize("decrypt", [False, True])
def test_the_examples_of_fips_197_come_out(key_bytes, decrypt):
    engine = Engine(without=Quirk.NO_AES192)
    given, wanted = (PLAINTEXT, bytes.fromhex(FIPS_197[key_bytes]))[::-1 if decrypt else 1]
    engine.memory.write(SRC, given)
    outcome = engine.ask(16, key=bytes(range(key_bytes)), decrypt=decrypt)
    assert (outcome.status, outcome.bytes_done, outcome.fault) == (SUCCESS, 16, 0)
    assert engine.memory.read(DST, 16) == wanted


def test_data_is_one_stream_through_both_lists():
    engine = Engine()
    source = [Descriptor(SRC + 64, 48), Descriptor(5, 0), Descriptor(SRC, 32), Descriptor(SRC + 512, 4096)]
    destination = [Descriptor(DST, 16), Descriptor(DST + 256, 80), Descriptor(DST + 1024, 400)]
    outcome = engine.ask(160, source, destination)
    stream = DATA[64:112] + DATA[:32] + DATA[512:592]
    result = golden.ecb_encrypt(KEY, stream)
    assert outcome.status == SUCCESS
    assert (outcome.source_current, outcome.destination_current) == (3, 2)
    assert engine.memory.read(DST, 16) == result[:16]
    assert engine.memory.read(DST + 256, 80) == result[16:96]
    assert engine.memory.read(DST + 1024, 400) == result[96:] + bytes(336)


def test_in_place_the_source_becomes_the_result():
    engine = Engine()
    engine.ask(1024, destination=[Descriptor(SRC, 1024)])
    assert engine.memory.read(SRC, 1024) == engine.encrypted(1024)


def test_a_request_starts_as_soon_as_both_lists_are_there_if_go_came_first():
    engine = Engine()
    engine.run(engine.model.script(engine.setup(32)))
    engine.run(engine.kernel.sleep(100))
    assert engine.run(engine.outcome()).state is CryptoState.WAIT_LISTS
    for at, address in ((0x1000, SRC), (0x1400, DST)):
        engine.run(engine.model.script(engine.ring(at, [Descriptor(address, 32)])))
    assert engine.run(engine.model.irq.wait(1000))
    assert engine.memory.read(DST, 32) == engine.encrypted(32)


def test_lists_are_used_once():
    engine = Engine()
    engine.ask(32)
    engine.run(engine.model.script(engine.setup(32)))
    engine.run(engine.kernel.sleep(1000))
    assert engine.run(engine.outcome()).state is CryptoState.WAIT_LISTS


# -- cycles -------------------------------------------------------------------------------------------


def test_one_block_takes_31_cycles_from_go():
    """Edge 2: START is left. 4: LISTS is (one descriptor, and one edge to decide). 5 commands, 6 burst
    decided, 7 AR, 8 R. The key, taken at 2, is ready at 15, where the block enters. 26: it is in the FIFO.
    27 burst decided, 28 AW, 29 W, 30 B, 31 done."""
    assert Engine(slow_start_cycles=0).ask(16).cycles == 31


@pytest.mark.parametrize(("change", "cycles"), [
    ({"key": bytes(32)}, 31 + 4 + 4),  # four more rounds to expand the key, four more for the block
    ({"slow_start_cycles": 100}, 31 + 100 - 6),  # the key waits for the block, which would have entered at 9
    ({"read_latency": 50}, 31 + 50 - 7),  # the block comes 49 edges later, 43 after its key
    ({"write_latency": 50}, 31 + 49),
    ({"dump": True}, 31 + 8 + 8),  # eight beats more that come before the burst goes out, and go out in it
], ids=str)
def test_each_part_of_a_request_takes_its_cycles(change, cycles):
    timing = {name: change.pop(name) for name in list(change) if name.endswith(("latency", "cycles"))}
    engine = Engine(**{"slow_start_cycles": 0, **timing})
    assert engine.ask(16, **change).cycles == cycles


def test_512_blocks_take_5120_cycles_and_a_few():
    engine = Engine()
    assert engine.ask(8192).cycles <= 5120 + 200
    assert engine.memory.read(DST, 8192) == engine.encrypted(8192)


def test_a_descriptor_costs_a_command_of_its_own():
    """It is accepted when the one before is drained: its first beat is 4 edges behind the last of that one.

    Edge 67: LISTS is left, after 64 descriptors. 68 command, 71 R; the last R at 71 + 63 * 4 = 323, 324 into
    the core, 335 into the FIFO, 336 the last burst decided, 337 AW, 338 to 353 W, 354 B, 355 done."""
    engine = Engine(slow_start_cycles=0, stages=14)
    assert engine.ask(1024, [Descriptor(SRC + 16 * k, 16) for k in range(64)]).cycles == 355


def test_an_empty_descriptor_costs_an_edge_unless_the_bus_is_not_ready_anyway():
    """Edge 15: LISTS is left. 16 command, 19 R, meanwhile ten are passed over, 17 to 26; 27 command, 30 R,
    31 into the core, 42 into the FIFO, 43 burst decided, 44 AW, 45 and 46 W, 47 B, 48 done."""
    engine = Engine(slow_start_cycles=0)
    apart = [Descriptor(SRC, 16), *[Descriptor(0, 0)] * 10, Descriptor(SRC + 16, 16)]
    assert engine.ask(32, apart).cycles == 48


def test_the_interrupt_is_seen_one_cycle_after_the_end():
    engine = Engine()
    engine.ask(16)

    async def again() -> int:
        rings = [*engine.ring(0x1000, [Descriptor(SRC, 16)]), *engine.ring(0x1400, [Descriptor(DST, 16)])]
        await engine.model.write(Register.STATUS, 0)
        await engine.model.script([*rings, *engine.setup(16)])
        went = engine.kernel.now() - 2  # GO: one edge for its answer, one until that is seen
        await engine.model.irq.wait()
        return engine.kernel.now() - went

    assert engine.run(again()) == engine.read(Register.CYCLES) + 1


# -- what it cannot do --------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [
    {"ENCR_SEG_CFG": ENCR_SEG_CFG_ALG.put(1)},
    {"ENCR_SEG_CFG": ENCR_SEG_CFG_ALG.put(2) | ENCR_SEG_CFG_MODE.put(1)},
    {"ENCR_SEG_CFG": ENCR_SEG_CFG_ALG.put(2) | ENCR_SEG_CFG_KEY_SIZE.put(max(KeySize) + 1)},
    {"ENCR_SEG_START": 16}, {"SEG_SIZE": 16},
], ids=str)
def test_a_setup_that_it_cannot_do_is_an_error_after_one_cycle(change):
    engine = Engine()
    outcome = engine.ask(32, **change)
    assert (outcome.status, outcome.cycles, outcome.fault) == (SW_ERR, 1, 0)
    assert engine.memory.read(DST, 32) == bytes(32)
    assert engine.ask(32).status == SUCCESS


@pytest.mark.parametrize(("size", "without", "state", "current"), [
    (48, "source", CryptoState.WAIT_SOURCE, (2, 0)),
    (48, "destination", CryptoState.WAIT_DESTINATION, (0, 2)),
    (0xFFFFFFF0, "both", CryptoState.WAIT_SOURCE, (1, 1)),
])
def test_a_list_that_is_too_short_is_waited_for(size, without, state, current):
    engine = Engine(without=Quirk.LENGTH_512_HANG)
    short = [Descriptor(SRC, 16), Descriptor(DST, 16)]
    lists = {"source": (short, None), "destination": (None, short),
             "both": ([Descriptor(SRC, 0xFFF0)], [Descriptor(DST, 0xFFF0)])}[without]
    whole = [Descriptor(0x20000, 48)]
    outcome = engine.ask(size, *(each or whole for each in lists), timeout=1000)
    assert outcome.state is state
    assert (outcome.source_current, outcome.destination_current) == current
    engine.reset()
    assert engine.memory.read(DST, 64) == bytes(64)


@pytest.mark.parametrize(("name", "wrong"), [
    ("stages", (0, 3)), ("slow_start_cycles", (-1, 65536)), ("read_latency", (0, 65536)),
    ("write_latency", (0, 65536))])
def test_straps_that_the_engine_does_not_have_are_refused(name, wrong):
    for value in wrong:
        with pytest.raises(ValueError, match=f"^{name} {value} is not in"):
            Engine(**{name: value})


def test_straps_are_sampled_at_a_reset():
    engine = Engine()
    before = engine.ask(32).cycles
    engine.model.slow_start_cycles, engine.model.quirks = 200, Quirk.all() & ~Quirk.NO_AES192
    engine.write(Register.STATUS, 0)
    assert engine.ask(32).cycles == before
    engine.reset()
    assert engine.ask(32, key=bytes(range(24))).cycles > before + 150
    assert engine.memory.read(DST, 32) == engine.encrypted(32, bytes(range(24)))


def test_the_host_cannot_write_to_the_data_of_a_request_in_flight():
    engine = Engine()

    async def host() -> None:
        rings = [*engine.ring(0x1000, [Descriptor(SRC, 512)]), *engine.ring(0x1400, [Descriptor(DST, 512)])]
        await engine.model.script([*rings, *engine.setup(512)])
        for address in (SRC + 500, DST):
            with pytest.raises(HostAccessError, match="owns"):
                engine.memory.write(address, b"x")
        engine.memory.write(SRC + 512, b"x")
        await engine.model.irq.wait()
        engine.memory.write(DST, b"x")

    engine.run(host())


def test_registers_tell_how_far_a_request_is():
    engine = Engine(slow_start_cycles=0)

    async def look() -> list[int]:
        rings = [*engine.ring(0x1000, [Descriptor(SRC, 1024)]), *engine.ring(0x1400, [Descriptor(DST, 1024)])]
        await engine.model.script([*rings, *engine.setup(1024)])
        await engine.kernel.sleep(300)
        registers = (Register.CYCLES, Register.BYTES_DONE, Register.STATUS)
        return await engine.model.script([RegisterAccess(register) for register in registers])

    cycles, done, status = engine.run(look())
    assert cycles == 302  # seen 2 cycles after GO's edge, read at the edge 301 later, as it was before that
    assert done == 256  # a burst of 16 blocks, ten cycles each
    assert engine.run(engine.outcome()).state is CryptoState.RUN
    assert not status & SUCCESS
