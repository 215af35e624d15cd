"""Messages in pieces: copies, reuse, failures; and copies of modes."""

from __future__ import annotations

import pytest
from mode_engines import padlock, software
from padlock_bench import PadlockBench
from refusal import nothing_changes
from seeded import seeded
from stream_cases import IV, KEY, MODES, NAMES, expected_of, fed, open_mode, stream_of

from pymodel import golden
from pymodel.errors import EngineFault, InvalidRequest
from pymodel.modes import Gcm, Xts


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


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


def test_gcm_begun_anew_has_neither_the_additional_data_nor_the_tag_of_the_message_before(engine):
    run, another = engine.kernel.run, bytes(12)
    with Gcm(engine, KEY[:16]) as gcm, gcm.encryptor(IV) as stream:
        for _ in range(2):
            stream.restart(another)
            with pytest.raises(InvalidRequest, match="after finalise"):
                assert stream.tag
            expected = golden.gcm_encrypt(KEY[:16], another, b"message", b"")
            assert (run(fed(stream, b"message", [3])), stream.tag) == expected
            stream.restart(IV)
            stream.authenticate(b"of this message only")
            run(fed(stream, b"another", []))


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


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_that_is_closed_during_a_call_gives_its_key_back_at_the_end_of_the_call(name):
    engine, released = PadlockBench().driver(), []
    release, data = engine.release, bytes(range(64))
    with open_mode(name, engine) as cipher:
        stream = stream_of(cipher)
    engine.release = lambda key: (released.append(key), release(key))

    async def main():
        task = engine.kernel.start(stream.update(data))
        await engine.kernel.sleep(1)
        stream.close()
        assert not released
        return await task.join()

    result = engine.kernel.run(main())
    assert result
    assert expected_of(name, data).startswith(result)
    assert len(released) == (2 if name == "xts" else 1)
