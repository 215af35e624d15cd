"""How much work each mode and driver reports, in figures that were counted by hand."""

import pytest

from pymodel.buffers import Buffers
from pymodel.errors import AuthenticationFailed
from pymodel.jobs import BenchSpec, model_bench
from pymodel.modes import Cbc, Ctr, Ecb, Essiv, Gcm, Message, Xts
from pymodel.modes.sector_cipher import SectorCipher
from pymodel.modes.sectors import plain64
from pymodel.modes.xts_patches import PatchedXts

KEY = bytes(range(16))
XTS_KEY = bytes(range(32))
IV = bytes(16)


class Work:
    """A bench whose engine holds a key that no request uses, and what requests on it make the host do."""

    def __init__(self, **spec):
        self.bench = model_bench(BenchSpec(**spec))
        self.engine = self.bench.engine()
        block = self.buffers(16)
        self.bench.kernel.run(Ecb(self.engine, bytes(16)).encrypt(block, block))

    def of(self, request):
        before = self.engine.host.done.copy()
        self.bench.kernel.run(request)
        return {str(kind): amount for kind, amount in (self.engine.host.done - before).items()}

    def buffers(self, length, at=0):
        return Buffers.of(self.bench.memory.allocate(length + at + 16, 4096) + at, length)

    def message(self, length):
        buffers = self.buffers(length)
        return Message(IV, buffers, buffers)


@pytest.fixture
def padlock():
    return Work()


@pytest.fixture
def qce():
    return Work(engine="qce")


# -- modes ----------------------------------------------------------------------------------------


def test_ecb_is_a_request_and_a_call(padlock):
    data = padlock.buffers(160)
    assert padlock.of(Ecb(padlock.engine, KEY).encrypt(data, data)) == {
        "request": 1, "call": 1, "key_load": 1}


def test_cbc_encryption_is_a_call_and_an_xor_for_each_block(padlock):
    data = padlock.buffers(80)
    assert padlock.of(Cbc(padlock.engine, KEY).encrypt(IV, data, data)) == {
        "request": 1, "call": 5, "xor": 5, "key_load": 1}


def test_cbc_decryption_is_a_call_and_an_xor_for_each_block_and_in_place_keeps_the_ciphertext(padlock):
    data, cbc = padlock.buffers(160), Cbc(padlock.engine, KEY)
    assert padlock.of(cbc.decrypt(IV, data, padlock.buffers(160))) == {
        "request": 1, "call": 1, "xor": 10, "key_load": 1}
    assert padlock.of(cbc.decrypt(IV, data, data)) == {
        "request": 1, "call": 1, "xor": 10, "copy": 10, "allocation": 1}


def test_cbc_decryption_of_some_messages_in_place_keeps_all_and_copies_all_of_them_first(padlock):
    apart = Message(IV, padlock.buffers(32), padlock.buffers(32))
    work = padlock.of(Cbc(padlock.engine, KEY).decrypt_many([padlock.message(64), apart]))
    assert work == {"request": 1, "call": 2, "copy": 12, "allocation": 1, "xor": 6, "key_load": 1}


def test_cbc_in_lockstep_mixes_each_block_in_and_takes_it_out_of_memory_it_has_allocated(padlock):
    """Streams of 4, 3 and 1 blocks: calls of 3, 2, 2 and 1 blocks. Of those with three the driver makes two,
    one block and a fetch group of two. Results wait elsewhere until all is done."""
    messages = [padlock.message(64), padlock.message(48), padlock.message(16)]
    assert padlock.of(Cbc(padlock.engine, KEY).encrypt_many(messages)) == {
        "request": 1, "allocation": 2, "call": 5, "xor": 8, "copy": 16, "key_load": 1}


@pytest.mark.parametrize("length", [None, 0])
def test_no_message_and_empty_messages_are_no_work(padlock, length):
    messages = [] if length is None else [padlock.message(length)]
    cbc = Cbc(padlock.engine, KEY)
    assert padlock.of(cbc.encrypt_many(messages)) == {}
    assert padlock.of(cbc.decrypt_many(messages)) == {}
    data = padlock.buffers(0)
    for request in (cbc.encrypt(IV, data, data), Ecb(padlock.engine, KEY).encrypt(data, data),
                    Ctr(padlock.engine, KEY).crypt(IV, data, data)):
        assert padlock.of(request) == {}


@pytest.mark.parametrize(("length", "work"), [
    (16, {"request": 1, "call": 1, "xor": 1, "key_load": 1}),
    (65, {"request": 1, "allocation": 1, "call": 2, "xor": 5, "key_load": 1}),
])
def test_ctr_takes_memory_for_more_than_a_block_and_mixes_a_part_of_a_block_as_a_whole(padlock, length, work):
    data = padlock.buffers(length)
    assert padlock.of(Ctr(padlock.engine, KEY).crypt(IV, data, data)) == work


def test_gcm_is_a_request_whose_first_one_also_asks_for_the_subkey(padlock):
    """33 bytes: three blocks of key stream and the mask of the tag."""
    gcm, data, tags = Gcm(padlock.engine, KEY), padlock.buffers(33), []

    async def encrypted():
        tags.append(await gcm.encrypt(IV[:12], b"aad", data, data))

    assert padlock.of(encrypted()) == {"request": 1, "allocation": 1, "call": 2, "xor": 3, "key_load": 1}
    assert padlock.of(gcm.decrypt(IV[:12], b"aad", data, data, tags[0])) == {
        "request": 1, "allocation": 1, "call": 1, "xor": 3}


def test_gcm_that_is_not_authentic_is_not_decrypted(padlock):
    gcm, data = Gcm(padlock.engine, KEY), padlock.buffers(33)

    async def refused():
        with pytest.raises(AuthenticationFailed):
            await gcm.decrypt(IV[:12], b"", data, data, bytes(16))

    assert padlock.of(refused()) == {"request": 1, "allocation": 1, "call": 2, "key_load": 1}


def test_each_update_of_a_gcm_stream_is_a_request_and_the_block_it_begins_in_is_mixed_again(padlock):
    with Gcm(padlock.engine, KEY).encryptor(IV[:12]) as stream:
        assert padlock.of(stream.update(bytes(20))) == {"request": 1, "allocation": 1, "call": 2, "xor": 2,
                                                        "key_load": 1}
        assert padlock.of(stream.update(bytes(20))) == {"request": 1, "allocation": 1, "call": 1, "xor": 2}
        assert padlock.of(stream.finalise()) == {"request": 1, "call": 1}


def test_essiv_is_a_call_before_those_for_the_data_in_the_same_request(padlock):
    cbc = Cbc(padlock.engine, KEY)
    data = padlock.buffers(2048)
    numbered = SectorCipher(cbc, plain64)
    there = padlock.buffers(2048)
    assert padlock.of(numbered.decrypt(0, data, there)) == {
        "request": 1, "call": 1, "xor": 128, "key_load": 1}
    essiv = SectorCipher(cbc, Essiv(padlock.engine, KEY))
    assert padlock.of(essiv.decrypt(0, data, there)) == {
        "request": 1, "allocation": 1, "call": 2, "xor": 128, "key_load": 2}


@pytest.mark.parametrize(("strategy", "length", "work"), [
    ("per-block", 160, {"call": 11, "doubling": 10, "xor": 20}),
    ("per-block", 165, {"call": 12, "doubling": 11, "xor": 22}),
    ("two-pass", 160, {"call": 2, "doubling": 20, "xor": 20}),
    ("two-pass", 165, {"call": 3, "doubling": 21, "xor": 22}),
    ("cached", 128, {"call": 2, "doubling": 8, "xor": 16, "copy": 8}),
    ("cached", 144, {"call": 3, "doubling": 9, "xor": 18, "copy": 9, "allocation": 1}),
    ("cached", 8192, {"call": 3, "doubling": 512, "xor": 1024, "copy": 512, "allocation": 1}),
    ("batch", 16, {"call": 2, "doubling": 1, "xor": 2, "copy": 1}),
    ("batch", 160, {"call": 2, "doubling": 10, "xor": 20, "copy": 10, "allocation": 1}),
])
def test_the_strategies_of_xts_differ_in_calls_tweaks_and_memory(padlock, strategy, length, work):
    """9 blocks are two calls of the PadLock, one block and eight."""
    data, xts = padlock.buffers(length), Xts(padlock.engine, XTS_KEY, strategy=strategy)
    assert padlock.of(xts.encrypt(IV, data, data)) == {"request": 1, "key_load": 2, **work}


def test_xts_by_batch_does_the_tweaks_of_all_units_the_data_and_the_stolen_blocks_together(padlock):
    """Four units of 36 bytes: tweaks, 8 whole blocks, 4 stolen ones; each with memory of its own. Eight
    tweaks are kept; six of the whole blocks are not aligned for the PadLock, and are bounced."""
    data, xts = padlock.buffers(144), Xts(padlock.engine, XTS_KEY, strategy="batch")
    assert padlock.of(xts.encrypt_units([IV] * 4, 36, data, data)) == {
        "request": 1, "allocation": 3, "call": 4, "doubling": 12, "xor": 24, "copy": 20, "key_load": 2}


def test_each_part_of_a_data_unit_is_a_request(padlock):
    data = padlock.buffers(96)

    async def in_parts():
        with Xts(padlock.engine, XTS_KEY).data_unit(IV, decrypt=False) as unit:
            await unit.part(data.part(0, 32), data.part(0, 32))
            await unit.part(data.part(32, 32), data.part(32, 32))
            await unit.last(data.part(64, 32), data.part(64, 32))

    assert padlock.of(in_parts()) == {"request": 3, "call": 4, "doubling": 12, "xor": 12, "key_load": 2}


def test_the_patches_of_2010_compute_their_tweaks_twice(padlock):
    data = padlock.buffers(160)
    xts = PatchedXts(padlock.engine, XTS_KEY, "2010-patch-01")
    assert padlock.of(xts.encrypt(IV, data, data)) == {
        "request": 1, "call": 2, "doubling": 20, "xor": 20, "key_load": 2}


# -- drivers --------------------------------------------------------------------------------------


def test_a_block_that_the_padlock_cannot_reach_is_copied_in_and_out(padlock):
    data = padlock.buffers(160, at=8)
    assert padlock.of(Ecb(padlock.engine, KEY).encrypt(data, data)) == {
        "request": 1, "call": 1, "copy": 20, "key_load": 1}


@pytest.mark.parametrize(("key_bits", "registers"), [(128, 26), (256, 30)])
def test_the_qce_makes_each_block_visible_once_and_writes_a_key_into_registers(qce, key_bits, registers):
    """Three for the source list, three to see whose lock it is, six and the key, three for the destination,
    GO, and six at the end."""
    data = qce.buffers(160)
    assert qce.of(Ecb(qce.engine, bytes(key_bits // 8)).encrypt(data, data)) == {
        "request": 1, "call": 1, "mapped_block": 10, "register": registers}


def test_the_qce_copies_what_is_not_aligned_for_it_each_way(qce):
    data = qce.buffers(160, at=1)
    work = qce.of(Ecb(qce.engine, KEY).encrypt(data, data))
    assert (work["copy"], work["mapped_block"], work["call"]) == (20, 10, 1)


@pytest.mark.parametrize(("key_bits", "rounds"), [(128, 100), (192, 120), (256, 140)])
def test_what_the_qce_leaves_to_software_is_a_call_blocks_and_rounds(key_bits, rounds):
    qce = Work(engine="qce", aes_sw_max_len=160)
    data = qce.buffers(160)
    assert qce.of(Ecb(qce.engine, bytes(key_bits // 8)).encrypt(data, data)) == {
        "request": 1, "fallback_call": 1, "fallback_block": 10, "fallback_round": rounds}
