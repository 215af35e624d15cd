"""GCM over the software engine and over the PadLock's model: bytes, layouts, calls, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from gcm_cases import AAD, IV, KEY, WRAPPING, iv_for, one_of_every_size, pyca
from mode_engines import padlock, software
from padlock_bench import PadlockBench
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import AuthenticationFailed, EcbenchError
from pymodel.golden.gcm import ghash
from pymodel.kernel import gather
from pymodel.modes import Gcm
from pymodel.modes.ghash import Ghash
from pymodel.vectors import nist_gcm, sample


@pytest.fixture(params=[software, padlock])
def engine(request):
    return request.param()


# -- known answers ------------------------------------------------------------------------------


def gives(engine, vector) -> bool:
    run = engine.kernel.run
    with Gcm(engine, vector.key) as gcm:
        if vector.encrypt:
            tag_bytes = len(vector.tag)
            return run(gcm.encrypt_bytes(vector.iv, vector.aad, vector.data, tag_bytes=tag_bytes)) == (
                vector.expected, vector.tag)
        try:
            result = run(gcm.decrypt_bytes(vector.iv, vector.aad, vector.data, vector.tag))
        except AuthenticationFailed:
            return vector.fails
        return not vector.fails and result == vector.expected


def test_over_software_a_nist_answer_of_every_combination_of_sizes_comes_out():
    """3150 of 47250."""
    engine = software()
    for vector in one_of_every_size(seed=2):
        assert gives(engine, vector), vector.name


def test_over_the_padlock_a_sample_of_nist_answers_comes_out():
    """400 of 47250, every size of an IV and refusals among them."""
    engine, chosen = padlock(), sample(nist_gcm(), 400, seed=3)
    assert {len(vector.iv) for vector in chosen} == {1, 12, 128}
    assert sum(vector.fails for vector in chosen) > 50
    for vector in chosen:
        assert gives(engine, vector), vector.name
    assert engine.counters.hardware_blocks > 400


@pytest.mark.parametrize("last", WRAPPING)
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_the_counter_wraps_after_32_bits_and_carries_nowhere(engine, key_bytes, last):
    rng = seeded(last)
    key, data = KEY[:key_bytes], rng.randbytes(75)
    iv = iv_for(key, b"\xff" * 12 + bytes.fromhex(last))
    gcm = Gcm(engine, key)
    expected = pyca(key, iv, data, AAD)
    assert engine.kernel.run(gcm.encrypt_bytes(iv, AAD, data)) == expected
    assert engine.kernel.run(gcm.decrypt_bytes(iv, AAD, *expected)) == data


def test_the_tables_of_ghash_agree_with_the_golden_sum_of_products():
    rng = seeded(6)
    for _ in range(20):
        subkey, data = rng.randbytes(16), rng.randbytes(16 * rng.randrange(9))
        expected = ghash(int.from_bytes(subkey, "big"), data)
        assert Ghash(subkey).of(data) == expected.to_bytes(16, "big")
    padded = b"a".ljust(16, b"\0") + b"bc".ljust(16, b"\0")
    assert Ghash(subkey).of(b"a", b"", b"bc") == Ghash(subkey).of(padded)


# -- layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("largest", [None, 1, 7, 40, 1500])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_every_length_and_layout_gives_the_bytes_of_both_references(engine, key_bytes, largest, in_place):
    rng = seeded(key_bytes, largest, in_place)
    lengths = [*range(0, 50, 3), 16, 32, 64, *([4095, 4112] if largest in (None, 1500) else [])]
    for length in lengths:
        key, iv = rng.randbytes(key_bytes), rng.randbytes(rng.choice((8, 12, 12, 16, 33)))
        data, aad = rng.randbytes(length), rng.randbytes(rng.choice((0, 1, 16, 37)))
        expected, tag = golden.gcm_encrypt(key, iv, data, aad)
        assert pyca(key, iv, data, aad) == (expected, tag)
        with Gcm(engine, key) as gcm:
            there = Layout(engine.memory, rng, data, in_place=in_place, largest=largest)
            assert engine.kernel.run(gcm.encrypt(iv, aad, there.src, there.dst)) == tag
            back = Layout(engine.memory, rng, expected, in_place=in_place, largest=largest)
            engine.kernel.run(gcm.decrypt(iv, aad, back.src, back.dst, tag))
        assert (there.result(), back.result()) == (expected, data), f"{length} bytes"
        for layout in (there, back):
            assert layout.untouched_elsewhere()
            layout.free()


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("largest", [None, 7])
@pytest.mark.parametrize("wrong", ["tag", "data", "aad", "iv"])
def test_a_wrong_tag_releases_nothing(engine, wrong, in_place, largest):
    """Source, destination and all that a request may write are as before; no plaintext is anywhere."""
    rng = seeded(wrong, in_place, largest)
    plaintext = rng.randbytes(200)
    given = {"iv": IV, "aad": AAD}
    given["data"], given["tag"] = golden.gcm_encrypt(KEY, IV, plaintext, AAD)
    place = rng.randrange(len(given[wrong]))
    given[wrong] = (given[wrong][:place] + bytes([given[wrong][place] ^ 1 << rng.randrange(8)])
                    + given[wrong][place + 1:])
    layout = Layout(engine.memory, rng, given["data"], in_place=in_place, largest=largest)
    gcm, before = Gcm(engine, KEY), engine.memory.bytes.copy()
    with pytest.raises(AuthenticationFailed, match=r"these 200 bytes.*; the destination is as it was"):
        engine.kernel.run(gcm.decrypt(given["iv"], given["aad"], layout.src, layout.dst, given["tag"]))
    for piece in (*layout.src.pieces, *layout.dst.pieces):
        part = slice(piece.address, piece.end)
        assert np.array_equal(engine.memory.bytes[part], before[part])
    assert layout.untouched_elsewhere()
    stream = bytes(a ^ b for a, b in zip(given["data"], plaintext, strict=True))
    image = engine.memory.bytes.tobytes()
    for secret in (plaintext, stream):
        assert not any(secret[i:i + 16] in image for i in range(0, 192, 16))
    if isinstance(engine, SoftwareEngine):  # the PadLock's driver keeps the key in memory
        assert image == before.tobytes()


def test_decrypt_bytes_with_a_wrong_tag_gives_nothing_and_keeps_no_memory():
    engine = software(pages=8)
    ciphertext, tag = golden.gcm_encrypt(KEY, IV, bytes(100), AAD, 4)
    with pytest.raises(AuthenticationFailed) as caught:
        engine.kernel.run(Gcm(engine, KEY).decrypt_bytes(IV, AAD, ciphertext, bytes(4)))
    assert isinstance(caught.value, EcbenchError)
    assert (caught.value.length, caught.value.aad_length) == (100, 6)
    assert tag.hex() not in str(caught.value)
    assert engine.memory.allocate(7 * 4096) == 4096


def test_a_tag_is_compared_in_constant_time(monkeypatch):
    seen = []
    monkeypatch.setattr("pymodel.modes.gcm.compare_digest", lambda a, b: seen.append((a, b)) or True)
    engine = software()
    ciphertext, tag = golden.gcm_encrypt(KEY, IV, b"data", AAD, 13)
    assert engine.kernel.run(Gcm(engine, KEY).decrypt_bytes(IV, AAD, ciphertext, bytes(13))) == b"data"
    assert seen == [(tag, bytes(13))]


# -- engine calls, memory, keys -------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 16, 17, 64, 1000])
@pytest.mark.parametrize("iv_bytes", [12, 16])
def test_a_key_costs_one_call_and_then_each_request_one(engine, length, iv_bytes):
    gcm, iv, data, blocks = Gcm(engine, KEY), bytes(iv_bytes), bytes(length), 1 + -(-length // 16)
    for calls, extra in ((2, 1), (1, 0), (1, 0)):
        before = engine.counters.copy()
        result = engine.kernel.run(gcm.encrypt_bytes(iv, b"", data))
        since = engine.counters.since(before)
        assert (since.calls, since.hardware_blocks + since.software_blocks) == (calls, blocks + extra)
    before = engine.counters.copy()
    assert engine.kernel.run(gcm.decrypt_bytes(iv, b"", *result)) == data
    assert engine.counters.since(before).calls == 1
    gcm.set_key(KEY[:16])
    before = engine.counters.copy()
    assert engine.kernel.run(gcm.encrypt_bytes(iv, b"", data)) == golden.gcm_encrypt(KEY[:16], iv, data, b"")
    assert engine.counters.since(before).calls == 2


@pytest.mark.parametrize("tag_bytes", [4, 8, 12, 13, 14, 15, 16])
def test_tags_of_every_size_are_made_and_checked(engine, tag_bytes):
    gcm, run = Gcm(engine, KEY[:24]), engine.kernel.run
    ciphertext, tag = run(gcm.encrypt_bytes(IV, AAD, b"plain", tag_bytes=tag_bytes))
    assert (ciphertext, tag) == golden.gcm_encrypt(KEY[:24], IV, b"plain", AAD, tag_bytes)
    assert run(gcm.decrypt_bytes(IV, AAD, ciphertext, tag)) == b"plain"
    with pytest.raises(AuthenticationFailed):
        run(gcm.decrypt_bytes(IV, AAD, ciphertext, tag[:-1] + bytes([tag[-1] ^ 1])))


def test_requests_and_closed_keys_leave_no_memory_allocated():
    engine = software(pages=8)
    with Gcm(engine, KEY) as gcm:
        result = engine.kernel.run(gcm.encrypt_bytes(IV, AAD, bytes(333)))
        assert engine.kernel.run(gcm.decrypt_bytes(IV, AAD, *result)) == bytes(333)
    assert engine.memory.allocate(7 * 4096) == 4096


def test_200_keys_one_after_another_fit_into_28_kilobytes_on_the_padlock():
    """The memory of a key and of a request is given back, whether the tag is right or wrong."""
    engine, rng = PadlockBench(pages=8).driver(), seeded(9)
    for _ in range(200):
        key = rng.randbytes(32)
        with Gcm(engine, key) as gcm:
            result = engine.kernel.run(gcm.encrypt_bytes(IV, AAD, bytes(333)))
            assert engine.kernel.run(gcm.decrypt_bytes(IV, AAD, *result)) == bytes(333)
            with pytest.raises(AuthenticationFailed):
                engine.kernel.run(gcm.decrypt_bytes(IV, b"", *result))


def test_requests_at_once_under_keys_old_and_new_each_give_their_own_bytes(engine):
    rng, gcm, kernel = seeded(8), Gcm(engine, KEY), engine.kernel
    data = [rng.randbytes(length) for length in (333, 40, 0, 64)]
    sealed = [golden.gcm_encrypt(KEY, IV[:5 + i], text, AAD) for i, text in enumerate(data)]

    async def play():
        tasks = []
        for i, text in enumerate(data):
            tasks.append(kernel.start(gcm.encrypt_bytes(IV[:5 + i], AAD, text), "seal"))
            tasks.append(kernel.start(gcm.decrypt_bytes(IV[:5 + i], AAD, *sealed[i]), "open"))
        await kernel.sleep(1)
        gcm.set_key(KEY[:16])
        new = await gather(kernel, gcm.encrypt_bytes(IV, b"", data[0]), gcm.encrypt_bytes(IV, AAD, data[1]))
        return [await task.join() for task in tasks], new

    old, new = kernel.run(play())
    assert old == [item for pair in zip(sealed, data, strict=True) for item in pair]
    assert new == [golden.gcm_encrypt(KEY[:16], IV, data[0], b""),
                   golden.gcm_encrypt(KEY[:16], IV, data[1], AAD)]
