"""Many XTS data units and many CBC streams in one call: the bytes, the engine calls, the refusals."""

from __future__ import annotations

import pytest
from mode_engines import padlock, software
from padlock_bench import PadlockBench
from refusal import nothing_changes, refused
from scatter import Layout, loaded
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.errors import EngineFault
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Message, Xts
from pymodel.modes.sectors import numbers, plain64
from pymodel.modes.xts import STRATEGIES
from pymodel.modes.xts_part import EMBEDDED_BYTES
from pymodel.vectors import ieee1619, wycheproof_xts

KEY = bytes(range(64))


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


def spent_by(engine, coroutine):
    before = engine.counters.copy()
    engine.kernel.run(coroutine)
    return engine.counters.since(before)


def golden_units(tweaks, unit_bytes, data, *, decrypt=False):
    crypt = golden.xts_decrypt if decrypt else golden.xts_encrypt
    return b"".join(crypt(KEY, tweak, data[index * unit_bytes:(index + 1) * unit_bytes])
                    for index, tweak in enumerate(tweaks))


# -- engine calls ---------------------------------------------------------------------------------

CALLS = {"batch": 2, "two-pass": 128, "cached": 128, "per-block": 2112}


def test_every_strategy_has_its_number_of_calls():
    assert set(CALLS) == set(STRATEGIES)


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize("strategy", CALLS)
def test_64_sectors_of_512_bytes_have_exactly_these_engine_calls(engine, strategy, decrypt):
    data, tweaks = seeded(1).randbytes(64 * 512), [plain64(n) for n in range(64)]
    src, xts = loaded(engine, data), Xts(engine, KEY, strategy=strategy)
    crypt = xts.decrypt_units if decrypt else xts.encrypt_units
    assert spent_by(engine, crypt(tweaks, 512, src, src)).calls == CALLS[strategy]
    assert src.read(engine.memory) == golden_units(tweaks, 512, data, decrypt=decrypt)


def test_64_sectors_in_a_batch_load_a_key_twice_and_a_pair_of_calls_has_all_blocks():
    bench = PadlockBench(pages=256)
    engine = bench.driver()
    src, tweaks = loaded(engine, bytes(64 * 512)), [plain64(n) for n in range(64)]
    spent = spent_by(engine, Xts(engine, KEY[:32], strategy="batch").encrypt_units(tweaks, 512, src, src))
    assert (spent.calls, spent.key_loads, spent.hardware_blocks) == (2, 2, 64 + 64 * 32)
    assert [op.count for op in bench.port.requests()] == [64, 64 * 32]


def test_a_batch_costs_fewer_cycles_than_one_unit_after_another():
    cycles = {}
    for strategy in ("batch", "two-pass", "per-block"):
        engine = padlock()
        src, tweaks = loaded(engine, bytes(16 * 512)), [plain64(n) for n in range(16)]
        xts = Xts(engine, KEY[:32], strategy=strategy)
        cycles[strategy] = spent_by(engine, xts.encrypt_units(tweaks, 512, src, src)).engine_cycles
    assert cycles["batch"] < cycles["two-pass"] < cycles["per-block"]


@pytest.mark.parametrize(("length", "calls"), [
    (16, 2), (4096, 2), (4112, 3), (8192, 3), (8192 + 16, 4), (8192 + 17, 5)])
def test_cached_calls_the_engine_with_at_most_a_page(length, calls):
    bench = PadlockBench(pages=256)
    engine = bench.driver()
    src = loaded(engine, bytes(length))
    spent = spent_by(engine, Xts(engine, KEY, strategy="cached").encrypt(bytes(16), src, src))
    assert spent.calls == calls
    assert max(op.count for op in bench.port.requests()) <= PAGE_BYTES // 16


@pytest.mark.parametrize(("length", "buffer"), [(128, None), (144, 144), (4096, 4096), (9000, 4096)])
def test_cached_allocates_a_buffer_for_its_tweaks_of_at_most_a_page(monkeypatch, length, buffer):
    engine = software()
    src, allocated = loaded(engine, bytes(length)), []
    allocate = engine.memory.allocate
    monkeypatch.setattr(engine.memory, "allocate",
                        lambda size, align=16: allocated.append(size) or allocate(size, align))
    engine.kernel.run(Xts(engine, KEY, strategy="cached").encrypt(bytes(16), src, src))
    embedded = 16 + EMBEDDED_BYTES
    assert sorted(size for size in allocated if size > 16) == sorted(filter(None, [buffer, embedded]))


def test_cached_without_memory_for_its_buffer_goes_on_with_128_bytes():
    engine = software(pages=3)
    src = loaded(engine, bytes(4096))
    engine.memory.allocate(4096 - 2 * (16 + EMBEDDED_BYTES))
    spent = spent_by(engine, Xts(engine, KEY, strategy="cached").encrypt(bytes(16), src, src))
    assert spent.calls == 1 + 4096 // EMBEDDED_BYTES
    assert src.read(engine.memory) == golden.xts_encrypt(KEY, bytes(16), bytes(4096))


def test_cbc_encryption_of_64_streams_of_32_blocks_is_32_calls_of_64_blocks():
    bench = PadlockBench(pages=256)
    engine = bench.driver()
    data, ivs = seeded(2).randbytes(64 * 512), [plain64(n) for n in range(64)]
    src = loaded(engine, data)
    spent = spent_by(engine, Cbc(engine, KEY[:16]).encrypt_units(ivs, 512, src, src))
    assert (spent.calls, spent.key_loads) == (32, 1)
    assert [op.count for op in bench.port.requests()] == [64] * 32
    assert src.read(engine.memory) == b"".join(
        golden.cbc_encrypt(KEY[:16], iv, data[512 * n:512 * n + 512])[0] for n, iv in enumerate(ivs))
    assert spent_by(engine, Cbc(engine, KEY[:16]).decrypt_units(ivs, 512, src, src)).calls == 1
    assert src.read(engine.memory) == data


# -- bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_answers_of_ieee_1619_and_wycheproof_come_out_with_every_strategy(engine, strategy):
    for vector in ieee1619() + wycheproof_xts():
        with Xts(engine, vector.key, strategy=strategy) as xts:
            crypt = xts.encrypt_bytes if vector.encrypt else xts.decrypt_bytes
            assert engine.kernel.run(crypt(vector.iv, vector.data)) == vector.expected, vector.name


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_units_of_any_size_scattered_anyhow_are_those_of_the_golden_model(engine, strategy, in_place):
    """With a shorter last unit and with ciphertext stealing in each."""
    seed = f"{strategy}/{in_place}"
    rng = seeded(seed)
    for unit_bytes, length in ((16, 80), (17, 85), (31, 31), (512, 1536), (520, 2600), (48, 160), (33, 65)):
        tweaks = [rng.randbytes(16) for _ in range(-(-length // unit_bytes))]
        data = rng.randbytes(length)
        for decrypt in (False, True):
            layout = Layout(engine.memory, rng, data, in_place=in_place, largest=rng.choice([None, 7, 100]))
            xts = Xts(engine, KEY, strategy=strategy)
            crypt = xts.decrypt_units if decrypt else xts.encrypt_units
            engine.kernel.run(crypt(tweaks, unit_bytes, layout.src, layout.dst))
            where = f"seed {seed!r}, {length} bytes in {unit_bytes}, {decrypt=}"
            assert layout.result() == golden_units(tweaks, unit_bytes, data, decrypt=decrypt), where
            assert layout.untouched_elsewhere(), where
            layout.free()


def messages_of(engine, rng, lengths):
    """Messages of these lengths, every other one in place; and their data."""
    texts = [rng.randbytes(length) for length in lengths]
    messages = []
    for number, text in enumerate(texts):
        src = loaded(engine, text)
        messages.append(Message(rng.randbytes(16), src, src if number % 2 else loaded(engine, text[::-1])))
    return messages, texts


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("decrypt", [False, True])
def test_data_units_of_any_lengths_some_of_them_in_place(engine, strategy, decrypt):
    rng = seeded(3)
    messages, texts = messages_of(engine, rng, [16, 512, 17, 47, 16, 100, 512, 600, 31])
    xts = Xts(engine, KEY, strategy=strategy)
    engine.kernel.run((xts.decrypt_many if decrypt else xts.encrypt_many)(messages))
    crypt = golden.xts_decrypt if decrypt else golden.xts_encrypt
    for message, text in zip(messages, texts, strict=True):
        assert message.dst.read(engine.memory) == crypt(KEY, message.iv, text)


@pytest.mark.parametrize("decrypt", [False, True])
def test_cbc_streams_of_any_lengths_some_of_them_in_place(engine, decrypt):
    rng = seeded(4)
    messages, texts = messages_of(engine, rng, [16, 0, 512, 48, 0, 160, 16, 512])
    cbc = Cbc(engine, KEY[:24])
    spent = engine.counters.copy()
    ivs = engine.kernel.run((cbc.decrypt_many if decrypt else cbc.encrypt_many)(messages))
    assert engine.counters.since(spent).calls == (1 if decrypt else 32)
    crypt = golden.cbc_decrypt if decrypt else golden.cbc_encrypt
    for message, text, iv in zip(messages, texts, ivs, strict=True):
        assert (message.dst.read(engine.memory), iv) == crypt(KEY[:24], message.iv, text)


def test_nothing_to_do_is_done_without_the_engine(engine):
    nothing = Buffers([])
    xts, cbc = Xts(engine, KEY, strategy="batch"), Cbc(engine, KEY[:16])
    with nothing_changes(engine):
        engine.kernel.run(xts.encrypt_units([], 512, nothing, nothing))
        assert engine.kernel.run(cbc.encrypt_units([], 512, nothing, nothing)) == []
        for call in (cbc.encrypt_many, cbc.decrypt_many):
            assert engine.kernel.run(call([Message(bytes(16), nothing, nothing)])) == [bytes(16)]


# -- failures and refusals ------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_request_of_many_units_leaves_no_memory_and_no_tweak_behind(strategy):
    engine = software(pages=16)
    data = seeded(5).randbytes(5 * 520)
    src = loaded(engine, data)
    tweaks = [plain64(n) for n in numbers(7, len(data), 520)]
    with Xts(engine, KEY, strategy=strategy) as xts:
        engine.kernel.run(xts.encrypt_units(tweaks, 520, src, src))
    engine.memory.free(src.pieces[0].address)
    src.scatter(engine.memory, bytes(len(data)))
    assert not engine.memory.bytes.any()
    assert engine.memory.allocate(15 * PAGE_BYTES) == PAGE_BYTES


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_failure_on_the_way_says_what_became_of_all_units(monkeypatch, strategy, in_place):
    engine = software()
    src = loaded(engine, bytes(64))
    dst = src if in_place else loaded(engine, bytes(64))
    ecb, calls = engine.ecb, []

    async def breaking(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            raise EngineFault("bus", 0x1000, 16)
        await ecb(*args, **options)

    monkeypatch.setattr(engine, "ecb", breaking)
    consequence = "its data is undefined" if in_place else "the source is intact, the destination undefined"
    with pytest.raises(EngineFault, match=consequence) as caught:
        engine.kernel.run(Xts(engine, KEY, strategy=strategy).encrypt_units([bytes(16)] * 2, 32, src, dst))
    assert (caught.value.completed, caught.value.restartable) == (0, False)


def test_a_failure_of_messages_some_of_which_are_in_place_does_not_promise_their_sources(monkeypatch):
    engine = software()
    src, dst = loaded(engine, bytes(64)), loaded(engine, bytes(64))

    async def broken(*_, **__):
        raise EngineFault("bus", 0x1000, 0)

    monkeypatch.setattr(engine, "ecb", broken)
    halves = src.split([32, 32])
    messages = [Message(bytes(16), halves[0], dst.part(0, 32)), Message(bytes(16), halves[1], halves[1])]
    for crypt in (Xts(engine, KEY, strategy="batch").encrypt_many, Cbc(engine, KEY[:16]).decrypt_many):
        with pytest.raises(EngineFault, match="in place: its data is undefined"):
            engine.kernel.run(crypt(messages))


def test_units_that_cannot_be_are_refused_before_anything_is_written(engine):
    src, dst = loaded(engine, bytes(64)), loaded(engine, bytes(64))
    xts, cbc = Xts(engine, KEY, strategy="batch"), Cbc(engine, KEY[:16])
    two, iv = [bytes(16)] * 2, bytes(16)
    refused(engine, "units of 0 bytes", xts.encrypt_units(two, 0, src, dst))
    refused(engine, "2 IVs or tweaks for 4 units of 16 bytes", xts.encrypt_units(two, 16, src, dst),
            cbc.encrypt_units(two, 16, src, dst), cbc.decrypt_units(two, 16, src, dst))
    refused(engine, "XTS of 4 bytes", xts.encrypt_units(two, 60, src, dst))
    refused(engine, "a tweak of 15 bytes", xts.decrypt_units([iv, bytes(15)], 32, src, dst))
    refused(engine, "40 bytes are not a multiple of 16", cbc.encrypt_units(two, 40, src, dst))
    refused(engine, "source of 64 bytes, destination of 32", xts.encrypt_units(two, 32, src, dst.part(0, 32)))


def test_messages_in_each_others_way_are_refused(engine):
    src, dst = loaded(engine, bytes(64)), loaded(engine, bytes(64))
    xts, cbc, iv = Xts(engine, KEY, strategy="batch"), Cbc(engine, KEY[:16]), bytes(16)
    for message, pairs in (
            ("two of the destinations overlap", [(src.part(0, 32), dst.part(0, 32)),
                                                 (src.part(32, 32), dst.part(16, 32))]),
            ("the source of one overlaps the destination of another", [(src.part(0, 16), dst.part(0, 16)),
                                                                       (dst.part(0, 16), src.part(16, 16))]),
            ("the source of one overlaps", [(src.part(0, 16), src.part(0, 16)),
                                            (src.part(0, 16), dst.part(16, 16))]),
            ("overlap in part", [(src.part(0, 32), src.part(16, 32))])):
        messages = [Message(iv, *pair) for pair in pairs]
        refused(engine, message, xts.encrypt_many(messages), xts.decrypt_many(messages),
                cbc.encrypt_many(messages), cbc.decrypt_many(messages))
