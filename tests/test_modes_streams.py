"""Messages that come in pieces: update and finalise."""

from __future__ import annotations

import pytest
from mode_engines import padlock, software
from seeded import seeded
from stream_cases import IV, KEY, NAMES, expected_of, fed, lengths_of, open_mode, stream_of

from pymodel import golden
from pymodel.drivers.software_ciphers import TRIPLE_DES
from pymodel.errors import InvalidRequest
from pymodel.modes import Cbc, Ctr, Gcm, Xts
from pymodel.modes.xts import STRATEGIES


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


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
