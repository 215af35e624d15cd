"""The PadLock's transaction-level model by itself. That it is the RTL to the cycle is shown in simulation."""

import pytest

from pymodel import golden
from pymodel.engines.padlock import ControlWord
from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.padlock_timing import Straps, timeline
from pymodel.engines.ports import EngineReset, Xcrypt, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.kernel import Kernel, gather
from pymodel.memory import PAGE_BYTES, HostAccessError, HostMemory

WORD_AT, KEY_AT, SRC, DST = 0x1000, 0x1200, 0x8000, 0x18000
KEY = bytes(range(16))
DATA = bytes(i * 7 & 255 for i in range(512 * 16))


class Engine:
    """A model with a key, a control word for it, and data in memory."""

    def __init__(self, **straps) -> None:
        self.kernel, self.memory = Kernel(), HostMemory(1 << 20)
        self.model = PadlockModel(self.kernel, self.memory, **straps)
        self.memory.write(WORD_AT, (0x00A).to_bytes(16, "little"))
        self.memory.write(KEY_AT, KEY)
        self.memory.write(SRC, DATA)

    def xcrypt(self, count, **changes):
        operands = {"cword": WORD_AT, "key": KEY_AT, "src": SRC, "dst": DST, "count": count, **changes}
        return self.kernel.run(self.model.xcrypt(Xcrypt(**operands)))

    def destination(self, blocks):
        return self.memory.read(DST, 16 * blocks)

    def encrypted(self, blocks):
        return golden.ecb_encrypt(KEY, DATA[:16 * blocks])


class NoErrors:
    def read_fault(self, address, beats):
        return None

    def write_error(self, address, beats):
        return None


@pytest.mark.parametrize(("name", "wrong", "message"), [
    ("fetch_blocks", (0, 3, 16), r"is not one of \(1, 2, 4, 8\)"),
    ("stages", (0, 3, 13), r"is not one of \(1, 2, 14\)"),
    ("setup_cycles", (-1, 65536), "is not from 0 to 65535"),
    ("read_latency", (0, 65536), "is not from 1 to 65535"),
    ("write_latency", (0, 65536), "is not from 1 to 65535"),
])
def test_straps_that_the_engine_does_not_have_are_refused(name, wrong, message):
    for value in wrong:
        with pytest.raises(ValueError, match=f"^{name} {value} {message}$"):
            Engine(**{name: value})
        engine = Engine()
        setattr(engine.model, name, value)
        with pytest.raises(ValueError, match=f"^{name} {value}"):
            engine.kernel.run(engine.model.reset())


@pytest.mark.parametrize(("rounds", "ksize", "word"), [(10, 0, 0x00A), (12, 1, 0x40C), (14, 2, 0x80E)])
def test_control_words_are_those_of_the_real_part(rounds, ksize, word):
    assert ControlWord(rounds, keygen=False, decrypt=False, ksize=ksize).encode() == word
    assert ControlWord(rounds, keygen=True, decrypt=True, ksize=ksize).encode() == word | 0x280


def test_every_control_word_decodes_to_what_encodes_it():
    for word in range(1 << 12):
        assert ControlWord.decode(word | 0xABC000).encode() == word


@pytest.mark.parametrize("field", ["rounds", "ksize", "algorithm"])
def test_a_field_that_is_too_wide_is_refused(field):
    fields = {"rounds": 10, "keygen": False, "decrypt": False, "ksize": 0, field: 16}
    with pytest.raises(ValueError, match=field):
        ControlWord(**fields).encode()


def test_512_blocks_take_5120_cycles_and_a_few():
    engine = Engine()
    result = engine.xcrypt(512)
    assert (result.status, result.count) == (XcryptStatus.OK, 0)
    assert (result.src, result.dst) == (SRC + 8192, DST + 8192)
    assert result.cycles <= 5120 + 200
    assert engine.destination(512) == engine.encrypted(512)


def test_time_passes_from_acceptance_to_the_cycle_after_completion():
    engine = Engine()
    result = engine.xcrypt(3)
    assert engine.kernel.now() == result.cycles + 1


def test_edges_of_one_block_are_in_the_order_of_its_way():
    op = Xcrypt(WORD_AT, KEY_AT, SRC, DST, 1)
    course = timeline(op, load=True, word=ControlWord.decode(0x00A), target=NoErrors(),
                      straps=Straps(Quirk.all(), 2, setup_cycles=8, read_latency=1, write_latency=1))
    assert [(burst.requested, burst.first) for burst in course.load_reads] == [(13, 14), (19, 20)]
    assert course.loaded_at == 22
    assert [(burst.requested, burst.first, burst.last) for burst in course.reads] == [(25, 26, 27)]
    assert course.entered == (22 + 13,)
    assert course.ended == (35 + 11,)
    (write,) = course.writes
    assert (write.requested, write.written(0), write.answered) == (48, 49, 50)
    assert course.cycles == 51


def test_count_0_ends_at_once_whatever_the_pointers():
    result = Engine().xcrypt(0, cword=1, key=2, src=3, dst=4)
    assert (result.status, result.cycles, result.src) == (XcryptStatus.OK, 1, 3)


@pytest.mark.parametrize("pointer", ["cword", "key", "src", "dst"])
def test_a_pointer_between_blocks_faults_before_any_access(pointer):
    engine = Engine()
    result = engine.xcrypt(2, **{pointer: 0x3008})
    assert (result.status, result.address, result.count) == (XcryptStatus.ALIGN_FAULT, 0x3008, 2)
    assert engine.destination(2) == bytes(32)


def test_pointers_that_are_not_used_are_not_checked():
    engine = Engine()
    engine.xcrypt(1)
    assert engine.xcrypt(1, cword=1, key=2).status is XcryptStatus.OK


def test_fetch_ahead_faults_on_the_page_behind_the_source():
    engine = Engine()
    page = SRC + PAGE_BYTES
    engine.memory.protect(page, 1, readable=False, writable=True)
    result = engine.xcrypt(3, src=page - 48)
    assert (result.status, result.address, result.count) == (XcryptStatus.READ_PAGE_FAULT, page, 1)
    assert result.src == page - 16
    plain = Engine(quirks=Quirk.all() & ~Quirk.FETCH_AHEAD)
    plain.memory.protect(page, 1, readable=False, writable=True)
    assert plain.xcrypt(3, src=page - 48).status is XcryptStatus.OK


def test_blocks_in_a_failed_write_burst_are_not_done():
    engine = Engine()
    engine.model.write_bus_errors.add(DST + 20 * 16 + 3)
    result = engine.xcrypt(40)
    assert (result.status, result.address, result.count) == (XcryptStatus.WRITE_BUS_FAULT, DST + 256, 24)
    assert engine.destination(40) == engine.encrypted(16) + bytes(24 * 16)


def test_an_interrupted_request_continues_where_it_stopped():
    engine = Engine()
    first = engine.xcrypt(20, interrupt_at=120)
    assert first.status is XcryptStatus.INTERRUPTED
    assert 0 < first.count < 20
    assert not engine.kernel.run(engine.model.key_loaded())
    second = engine.xcrypt(first.count, src=first.src, dst=first.dst)
    assert second.status is XcryptStatus.OK
    assert engine.destination(20) == engine.encrypted(20)


def test_an_interrupt_that_is_called_is_one_that_is_named():
    named = Engine().xcrypt(20, interrupt_at=100)
    engine = Engine()

    async def late() -> None:
        await engine.kernel.sleep(100)
        await engine.model.interrupt()
        await engine.model.interrupt()

    async def both():
        engine.kernel.start(late())
        return await engine.model.xcrypt(Xcrypt(WORD_AT, KEY_AT, SRC, DST, 20))

    assert engine.kernel.run(both()) == named


def test_an_interrupt_without_a_request_does_nothing():
    engine = Engine()
    engine.kernel.run(engine.model.interrupt())
    assert engine.xcrypt(2).status is XcryptStatus.OK


def test_a_reset_of_an_idle_engine_takes_two_cycles_and_forgets_the_key():
    engine = Engine()
    engine.xcrypt(1)
    before = engine.kernel.now()
    engine.kernel.run(engine.model.reset())
    assert engine.kernel.now() - before == 2
    assert not engine.kernel.run(engine.model.key_loaded())


def test_a_reset_abandons_the_request_and_lets_its_write_burst_end():
    engine = Engine(write_latency=50)

    async def reset_in_the_burst() -> int:
        await engine.kernel.sleep(220)
        await engine.model.reset()
        return engine.kernel.now()

    async def both() -> int:
        reset = engine.kernel.start(reset_in_the_burst())
        with pytest.raises(EngineReset):
            await engine.model.xcrypt(Xcrypt(WORD_AT, KEY_AT, SRC, DST, 40))
        return await reset.join()

    assert engine.kernel.run(both()) > 222
    assert engine.destination(40) == engine.encrypted(16) + bytes(24 * 16)


def test_a_request_posted_during_a_reset_waits_for_its_end():
    engine = Engine()

    async def both():
        reset = engine.kernel.start(engine.model.reset())
        await engine.kernel.sleep(1)
        result = await engine.model.xcrypt(Xcrypt(WORD_AT, KEY_AT, SRC, DST, 1))
        await reset.join()
        return result, engine.kernel.now()

    result, ended = engine.kernel.run(both())
    assert result.status is XcryptStatus.OK
    assert ended == 2 + result.cycles + 1


def test_straps_are_sampled_at_a_reset():
    engine = Engine()
    engine.model.setup_cycles = 100
    assert engine.xcrypt(1).cycles == 51
    engine.kernel.run(engine.model.reset())
    assert engine.xcrypt(1).cycles == 51 + 92


def test_the_host_cannot_write_to_the_buffers_of_a_request_in_flight():
    engine = Engine()

    async def host() -> None:
        await engine.kernel.sleep(10)
        engine.memory.write(DST + 16, b"x")

    async def both() -> None:
        await gather(engine.kernel, host(), engine.model.xcrypt(Xcrypt(WORD_AT, KEY_AT, SRC, DST, 2)))

    with pytest.raises(HostAccessError, match="owns"):
        engine.kernel.run(both())


def test_two_requests_at_a_time_are_refused():
    engine = Engine()
    op = Xcrypt(WORD_AT, KEY_AT, SRC, DST, 2)

    async def both() -> None:
        await gather(engine.kernel, engine.model.xcrypt(op), engine.model.xcrypt(op))

    with pytest.raises(RuntimeError, match="in flight"):
        engine.kernel.run(both())


@pytest.mark.parametrize("operand", [-1, 1 << 32])
def test_an_operand_of_more_than_32_bits_is_refused(operand):
    with pytest.raises(ValueError, match="32 bits"):
        Engine().xcrypt(1, src=operand)


@pytest.mark.parametrize("blocks", [0, 3, 16])
def test_a_fetch_group_that_does_not_exist_is_refused(blocks):
    with pytest.raises(ValueError, match="fetch_blocks"):
        Engine(fetch_blocks=blocks)
