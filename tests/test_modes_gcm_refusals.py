"""What GCM refuses before anything happens."""

from __future__ import annotations

import pytest
from gcm_cases import AAD, IV, KEY
from mode_engines import padlock, software
from refusal import refused
from scatter import loaded

from pymodel.block_engine import EngineCounters, EngineLimits
from pymodel.buffers import Buffers
from pymodel.errors import InvalidRequest
from pymodel.modes import Gcm
from pymodel.modes.gcm import MAX_BYTES


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


@pytest.mark.parametrize("size", [0, 1, 3, 5, 7, 9, 11, 17, 32])
def test_tags_of_other_sizes_are_refused(engine, size):
    buffer, gcm = loaded(engine, bytes(20)), Gcm(engine, KEY)
    refused(engine, f"a tag of {size} bytes", gcm.encrypt(IV, AAD, buffer, buffer, tag_bytes=size),
            gcm.decrypt(IV, AAD, buffer, buffer, bytes(size)))


def test_an_empty_iv_is_refused(engine):
    buffer, gcm = loaded(engine, bytes(20)), Gcm(engine, KEY)
    refused(engine, "IV of 0 bytes", gcm.encrypt(b"", AAD, buffer, buffer),
            gcm.decrypt(b"", AAD, buffer, buffer, bytes(16)))


def test_bad_placement_and_closed_keys_are_refused(engine):
    buffer, gcm = loaded(engine, bytes(64)), Gcm(engine, KEY)
    first, second, short = buffer.part(0, 40), buffer.part(20, 40), buffer.part(40, 24)
    for src, dst, match in ((first, second, "overlap"), (first, short, "destination of 24"),
                            (Buffers.of(0, MAX_BYTES + 1),) * 2 + ("at most 68719476704",)):
        refused(engine, match, gcm.encrypt(IV, AAD, src, dst), gcm.decrypt(IV, AAD, src, dst, bytes(16)))
    gcm.close()
    refused(engine, "this Gcm has been closed", gcm.encrypt(IV, AAD, first, first),
            gcm.decrypt(IV, AAD, first, first, bytes(16)))


def test_a_request_and_a_stream_may_have_as_many_bytes_as_there_are_and_no_more(engine, monkeypatch):
    for module in ("gcm", "gcm_stream"):
        monkeypatch.setattr(f"pymodel.modes.{module}.MAX_BYTES", 60)
    gcm, buffer, run = Gcm(engine, KEY), loaded(engine, bytes(61)), engine.kernel.run
    run(gcm.encrypt(IV, AAD, buffer.part(0, 60), buffer.part(0, 60)))
    refused(engine, "GCM of 61 bytes", gcm.encrypt(IV, AAD, buffer, buffer))
    stream = gcm.encryptor(IV)
    run(stream.update(bytes(48)))
    refused(engine, "GCM of 61 bytes: a message has at most 60", stream.update(bytes(13)))
    assert len(run(stream.update(bytes(12)))) == 12
    refused(engine, "GCM of 61 bytes", stream.update(bytes(1)))


@pytest.mark.parametrize("size", [0, 8, 15, 17, 48, 64])
def test_key_sizes_that_aes_does_not_have_are_refused(engine, size):
    with pytest.raises(InvalidRequest, match=f"not {size}"):
        Gcm(engine, bytes(size))


class EightByteEngine:
    name = "toy"
    block_size = 8
    limits = EngineLimits(key_bytes=(8,), length_multiple=8)
    counters = EngineCounters()


def test_an_engine_whose_block_is_not_16_bytes_is_refused():
    with pytest.raises(InvalidRequest, match="GCM needs a block of 16 bytes, engine toy has 8"):
        Gcm(EightByteEngine(), bytes(8))
