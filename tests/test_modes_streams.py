"""Messages that come in pieces: update, finalise, copies, reuse; and copies of modes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from padlock_bench import PadlockBench
from refusal import nothing_changes
from seeded import seeded

from pymodel import golden
from pymodel.drivers.software import SoftwareEngine
from pymodel.drivers.software_ciphers import TRIPLE_DES
from pymodel.errors import EngineFault, InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory
from pymodel.modes import Cbc, Ctr, Ecb, Gcm, Xts
from pymodel.modes.xts import STRATEGIES

KEY = bytes(range(64))
IV = bytes(range(100, 116))
MODES = {"ecb": (Ecb, 16), "cbc": (Cbc, 24), "ctr": (Ctr, 32), "xts": (Xts, 64), "gcm": (Gcm, 16)}
NAMES = list(MODES)


def software(**options):
    kernel = Kernel()
    return SoftwareEngine(HostMemory(64 * PAGE_BYTES), kernel, Cpu(kernel), **options)


def padlock():
    return PadlockBench().driver()


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


def open_mode(name, engine, key=KEY):
    mode, size = MODES[name]
    return mode(engine, key[:size])


def stream_of(cipher, iv=IV, *, decrypt=False):
    arguments = () if isinstance(cipher, Ecb) else (iv,)
    return (cipher.decryptor if decrypt else cipher.encryptor)(*arguments)


def expected_of(name, data, *, decrypt=False, key=KEY, iv=IV):
    if name == "gcm":
        return golden.gcm_encrypt(key[:16], iv, data, b"")[0]
    return golden.crypt(name, key[:MODES[name][1]], iv, data, encrypt=not decrypt)[0]


async def fed(stream, data, cuts):
    """The result of data that comes in pieces."""
    parts = [await stream.update(data[start:end]) for start, end in pairwise([0, *cuts, len(data)])]
    return b"".join(parts) + await stream.finalise()


def lengths_of(name):
    return {"ecb": [0, 16, 160], "cbc": [0, 16, 160], "ctr": [0, 1, 16, 31, 170], "gcm": [0, 1, 16, 31, 170],
            "xts": [16, 17, 31, 32, 33, 47, 160, 175]}[name]


# -- pieces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "decrypt"), [(name, decrypt) for name in NAMES for decrypt in (False, True)
                                               if (name, decrypt) != ("gcm", True)])
def test_any_cut_into_pieces_gives_the_bytes_of_the_whole(engine, name, decrypt):
    rng = seeded(name, decrypt)
    with open_mode(name, engine) as cipher:
        for length in lengths_of(name):
            data = rng.randbytes(length)
            for _ in range(6):
                cuts = sorted(rng.randint(0, length) for _ in range(rng.randint(0, 6)))
                with stream_of(cipher, decrypt=decrypt) as stream:
                    result = engine.kernel.run(fed(stream, data, cuts))
                assert result == expected_of(name, data, decrypt=decrypt), (length, cuts)


@pytest.mark.parametrize("name", NAMES)
def test_one_byte_at_a_time_tells_what_it_can(engine, name):
    data, stream, run = bytes(48), stream_of(open_mode(name, engine)), engine.kernel.run
    told = [len(run(stream.update(data[index:index + 1]))) for index in range(48)]
    if name in ("ctr", "gcm"):
        assert told == [1] * 48
    else:
        late = 16 if name == "xts" else 0
        assert [index + 1 for index, count in enumerate(told) if count] == [
            end + late for end in (16, 32, 48) if end + late <= 48]
        assert set(told) == {0, 16}
    assert len(run(stream.finalise())) == 48 - sum(told)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_xts_in_pieces_is_the_same_with_every_strategy(engine, strategy):
    rng = seeded(strategy)
    data = rng.randbytes(519)
    with Xts(engine, KEY, strategy=strategy) as xts, xts.encryptor(IV) as stream:
        assert engine.kernel.run(fed(stream, data, [1, 150, 400])) == golden.xts_encrypt(KEY, IV, data)


def test_pieces_of_whole_blocks_cost_the_engine_calls_of_requests():
    engine = software()
    with Ctr(engine, KEY[:16]) as ctr, ctr.encryptor(IV) as stream:
        for _ in range(3):
            engine.kernel.run(stream.update(bytes(64)))
    assert (engine.counters.calls, engine.counters.software_blocks) == (3, 12)


def test_a_stream_of_8_byte_blocks_knows_its_cipher():
    engine, key, data = software(cipher=TRIPLE_DES), bytes(range(24)), bytes(range(40))
    cbc = Cbc(engine, key)
    whole, next_iv = engine.kernel.run(cbc.encrypt_bytes(bytes(8), data))
    with cbc.encryptor(bytes(8)) as stream:
        assert engine.kernel.run(fed(stream, data, [3, 9, 33])) == whole
        assert stream.iv == next_iv


def test_the_iv_to_go_on_with_is_that_of_the_blocks_told_so_far(engine):
    cbc, ctr, data = Cbc(engine, KEY[:16]), Ctr(engine, KEY[:16]), bytes(range(40))
    run = engine.kernel.run
    with cbc.encryptor(IV) as stream:
        assert stream.iv == IV
        run(stream.update(data))
        assert stream.iv == golden.cbc_encrypt(KEY[:16], IV, data[:32])[1]
    with ctr.encryptor(b"\xff" * 16) as stream:
        run(stream.update(data[:16]))
        assert stream.counter == bytes(16)
        run(stream.update(data[16:36]))
        assert stream.counter == bytes(15) + b"\x01"


# -- GCM ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("iv_bytes", [1, 12, 16])
@pytest.mark.parametrize("tag_bytes", [4, 13, 16])
def test_gcm_in_pieces_has_the_tag_of_the_whole(engine, iv_bytes, tag_bytes):
    rng = seeded(iv_bytes, tag_bytes)
    gcm, run = Gcm(engine, KEY[:32]), engine.kernel.run
    for length in (0, 1, 16, 50):
        iv, aad, data = rng.randbytes(iv_bytes), rng.randbytes(rng.randrange(40)), rng.randbytes(length)
        with gcm.encryptor(iv, tag_bytes=tag_bytes) as stream:
            stream.authenticate(aad[:7])
            stream.authenticate(aad[7:])
            result = run(fed(stream, data, sorted(rng.randint(0, length) for _ in range(3))))
            assert (result, stream.tag) == golden.gcm_encrypt(KEY[:32], iv, data, aad, tag_bytes)
            assert run(gcm.decrypt_bytes(iv, aad, result, stream.tag)) == data


def test_gcm_refuses_late_additional_data_and_an_early_tag(engine):
    with Gcm(engine, KEY[:16]).encryptor(IV) as stream:
        with pytest.raises(InvalidRequest, match="the tag of a stream is there after finalise"):
            stream.tag  # noqa: B018
        engine.kernel.run(stream.update(b"x"))
        with pytest.raises(InvalidRequest, match="additional data comes before"):
            stream.authenticate(b"late")
    for arguments, message in (((b"",), "an IV of 0 bytes"), ((IV, 5), "a tag of 5 bytes")):
        with pytest.raises(InvalidRequest, match=message):
            Gcm(engine, KEY[:16]).encryptor(arguments[0], tag_bytes=(*arguments[1:], 16)[0])


# -- copies and reuse -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_goes_on_from_where_the_stream_is_and_neither_minds_the_other(engine, name):
    """As a header that many messages share is encrypted once."""
    rng, run = seeded(name), engine.kernel.run
    header, ends = rng.randbytes(37), [rng.randbytes(43), rng.randbytes(27)]
    with open_mode(name, engine) as cipher, stream_of(cipher) as stream:
        begun = run(stream.update(header))
        twin = stream.copy()
        results = [begun + run(fed(one, end, [5])) for one, end in zip((twin, stream), ends, strict=True)]
        assert results == [expected_of(name, header + end) for end in ends]
        twin.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_outlives_the_stream_and_the_mode(engine, name):
    run, data = engine.kernel.run, bytes(range(64))
    with open_mode(name, engine) as cipher, stream_of(cipher) as stream:
        begun = run(stream.update(data[:37]))
        twin = stream.copy()
    with twin:
        assert begun + run(fed(twin, data[37:], [])) == expected_of(name, data)


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_begins_anew_after_its_end_and_in_the_middle(engine, name):
    data, other = bytes(range(64)), bytes(range(16))[::-1]
    run = engine.kernel.run
    arguments = () if name == "ecb" else (other,)
    with open_mode(name, engine) as cipher, stream_of(cipher) as stream:
        run(fed(stream, data, [20]))
        stream.restart(*arguments)
        run(stream.update(data[:37]))
        stream.restart(*arguments)
        assert run(fed(stream, data, [20])) == expected_of(name, data, iv=other)


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_keeps_the_key_it_began_with_until_it_is_closed(name):
    engine, released = software(), []
    engine.release = lambda key: released.append(key.data)
    cipher = open_mode(name, engine)
    stream = stream_of(cipher)
    cipher.set_key(bytes(MODES[name][1]))
    cipher.close()
    old = KEY[:MODES[name][1]]
    assert old not in b"".join(released)
    assert engine.kernel.run(fed(stream, bytes(48), [17])) == expected_of(name, bytes(48))
    stream.close()
    stream.close()
    assert b"".join(released).endswith(old)
    assert b"".join(released).count(old) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_a_mode_has_the_key_for_itself(engine, name):
    released = []
    release = engine.release
    engine.release = lambda key: (released.append(key.data), release(key))
    cipher = open_mode(name, engine)
    twin = cipher.copy()
    cipher.set_key(KEY[::-1][:MODES[name][1]])
    data = bytes(48)
    run = engine.kernel.run
    assert released == []
    for one, key in ((twin, KEY), (cipher, KEY[::-1])):
        with stream_of(one) as stream:
            assert run(fed(stream, data, [])) == expected_of(name, data, key=key)
    cipher.close()
    with stream_of(twin) as stream:
        assert run(fed(stream, data, [])) == expected_of(name, data)
    twin.close()
    assert b"".join(released) == KEY[::-1][:MODES[name][1]] + KEY[:MODES[name][1]]
    with pytest.raises(InvalidRequest, match="has been closed"):
        twin.copy()


# -- failures and refusals ------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_update_that_failed_may_be_tried_again(monkeypatch, name):
    engine = software()
    data, stream = seeded(9).randbytes(96), stream_of(open_mode(name, engine))

    async def broken(key, src, dst, *, decrypt):
        raise EngineFault("bus", 0, 0)

    async def main():
        first = await stream.update(data[:37])
        with monkeypatch.context() as patch:
            patch.setattr(engine, "ecb", broken)
            with pytest.raises(EngineFault):
                await stream.update(data[37:])
        second = await stream.update(data[37:])
        return first + second + await stream.finalise()

    assert engine.kernel.run(main()) == expected_of(name, data)


@pytest.mark.parametrize("name", ["ecb", "cbc"])
def test_a_message_of_no_whole_blocks_cannot_end_but_can_go_on(engine, name):
    run, stream = engine.kernel.run, stream_of(open_mode(name, engine))
    result = run(stream.update(bytes(30)))
    with nothing_changes(engine), pytest.raises(InvalidRequest, match="14 bytes are left over"):
        run(stream.finalise())
    result += run(stream.update(bytes(2))) + run(stream.finalise())
    assert result == expected_of(name, bytes(32))


def test_a_data_unit_of_less_than_a_block_cannot_end(engine):
    run, stream = engine.kernel.run, Xts(engine, KEY).encryptor(IV)
    run(stream.update(bytes(15)))
    with pytest.raises(InvalidRequest, match="XTS of 15 bytes"):
        run(stream.finalise())
    assert run(stream.update(bytes(1))) + run(stream.finalise()) == golden.xts_encrypt(KEY, IV, bytes(16))


@pytest.mark.parametrize("name", NAMES)
def test_after_its_end_a_stream_takes_nothing_more_but_can_be_copied(engine, name):
    run, stream = engine.kernel.run, stream_of(open_mode(name, engine))
    run(fed(stream, bytes(32), []))
    for one in (stream, stream.copy()):
        for call in (one.update(b"x"), one.finalise()):
            with nothing_changes(engine), pytest.raises(InvalidRequest, match="has been finalised"):
                run(call)


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_stream_is_refused(engine, name):
    stream = stream_of(open_mode(name, engine))
    stream.close()
    arguments = () if name == "ecb" else (IV,)
    for call in (lambda: engine.kernel.run(stream.update(b"x")), lambda: engine.kernel.run(stream.finalise()),
                 stream.copy, lambda: stream.restart(*arguments)):
        with pytest.raises(InvalidRequest, match="has been closed"):
            call()


@pytest.mark.parametrize(("name", "message"), [
    ("cbc", "an IV of 8 bytes"), ("ctr", "a counter of 8 bytes"), ("xts", "a tweak of 8 bytes")])
def test_an_iv_of_another_size_is_refused_at_the_start(engine, name, message):
    cipher = open_mode(name, engine)
    with stream_of(cipher) as stream, nothing_changes(engine):
        for begin in (cipher.encryptor, cipher.decryptor, stream.restart):
            with pytest.raises(InvalidRequest, match=message):
                begin(bytes(8))


@pytest.mark.parametrize("name", NAMES)
def test_two_calls_of_one_stream_at_once_are_refused(name):
    bench = PadlockBench()
    engine = bench.driver()
    stream, data = stream_of(open_mode(name, engine)), bytes(range(64))

    async def main():
        task = engine.kernel.start(stream.update(data))
        await engine.kernel.sleep(1)
        for call in (stream.update(data), stream.finalise()):
            with pytest.raises(InvalidRequest, match="another call of this stream is under way"):
                await call
        stream.close()
        return await task.join()

    result = engine.kernel.run(main())
    assert len(result) >= 48
    assert expected_of(name, data).startswith(result)
