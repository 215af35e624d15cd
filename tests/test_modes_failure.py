"""Modes with several requests at once, keys that change under them, and engines that fail."""

from __future__ import annotations

import hashlib

import pytest
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.costs import HostWork
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import EngineFault, EngineHang, InvalidRequest
from pymodel.kernel import Cpu, Kernel, gather
from pymodel.memory import HostAccessError, HostMemory, OutOfMemory
from pymodel.modes import Cbc, Ctr, Ecb, Essiv, SectorCipher, Xts

KEY = bytes(range(64))
IV = bytes(range(100, 116))


@pytest.fixture
def engine():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))


class SlowEngine(SoftwareEngine):
    """Takes a cycle per call, so that concurrent requests interleave."""

    async def ecb(self, key, src, dst, *, decrypt):
        await self.kernel.sleep(1)
        await super().ecb(key, src, dst, decrypt=decrypt)


def slow_engine():
    kernel = Kernel()
    return SlowEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))


def test_many_tasks_may_use_one_mode_object_at_once():
    engine, rng = slow_engine(), seeded(4)
    cbc, ctr, xts = Cbc(engine, KEY[:16]), Ctr(engine, KEY[:24]), Xts(engine, KEY)
    jobs, expected = [], []
    for number in range(12):
        iv, data = rng.randbytes(16), rng.randbytes(16 * (number % 5 + 1))
        jobs += [cbc.encrypt_bytes(iv, data), cbc.decrypt_bytes(iv, data), ctr.crypt_bytes(iv, data[:-3]),
                 xts.encrypt_bytes(iv, data + b"tail"), xts.decrypt_bytes(iv, data + b"tail")]
        expected += [golden.cbc_encrypt(KEY[:16], iv, data), golden.cbc_decrypt(KEY[:16], iv, data),
                     golden.ctr_crypt(KEY[:24], iv, data[:-3]), golden.xts_encrypt(KEY, iv, data + b"tail"),
                     golden.xts_decrypt(KEY, iv, data + b"tail")]
    assert engine.kernel.run(gather(engine.kernel, *jobs)) == expected


class KeepingEngine(SoftwareEngine):
    """Owns the data of a request, and never ends it."""

    async def ecb(self, key, src, dst, *, decrypt):
        self.held = self.memory.owned(*((piece.address, piece.length) for piece in dst.runs))
        self.held.__enter__()
        await self.kernel.event("never").wait()


@pytest.mark.parametrize("mode", [Cbc, Ctr, Xts])
def test_a_request_that_is_abandoned_while_the_engine_owns_its_data_ends_without_a_word(mode):
    """As all are when an interrupt ends the program: nobody can wipe what the engine still has."""
    kernel = Kernel()
    engine = KeepingEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))
    cipher = mode(engine, KEY[:32])
    request = (cipher.crypt_bytes if mode is Ctr else cipher.encrypt_bytes)(IV, bytes(32))
    request.send(None)
    request.close()


def test_sectors_have_the_ivs_and_the_key_of_their_beginning_when_both_keys_change_under_way():
    """The IVs take an engine call; keys that are set while it lasts are for the next request."""
    engine, old, new = slow_engine(), KEY[:32], KEY[32:]
    cbc, essiv, data = Cbc(engine, old), Essiv(engine, old), bytes(range(256)) * 4
    src = Buffers.of(engine.memory.allocate(1024), 1024)
    src.scatter(engine.memory, data)

    async def both():
        task = engine.kernel.start(SectorCipher(cbc, essiv).encrypt(5, src, src), "sectors")
        await engine.kernel.sleep(1)
        cbc.set_key(new)
        essiv.set_key(new)
        await task.join()

    engine.kernel.run(both())
    digest = hashlib.sha256(old).digest()
    assert src.read(engine.memory) == b"".join(
        golden.cbc_encrypt(old, golden.ecb_encrypt(digest, number.to_bytes(16, "little")),
                           data[512 * place:512 * place + 512])[0] for place, number in enumerate((5, 6)))


def test_a_request_in_flight_ends_with_the_key_it_began_with():
    engine, released = slow_engine(), []
    engine.release = lambda key: released.append(key.data)
    xts = Xts(engine, KEY)

    async def main():
        old = engine.kernel.start(xts.encrypt_bytes(IV, bytes(40)))
        await engine.kernel.sleep(1)
        xts.set_key(KEY[::-1])
        new = engine.kernel.start(xts.encrypt_bytes(IV, bytes(40)))
        assert released == []
        first = await old.join()
        assert released == [KEY[:32], KEY[32:]]
        return first, await new.join()

    assert engine.kernel.run(main()) == (golden.xts_encrypt(KEY, IV, bytes(40)),
                                         golden.xts_encrypt(KEY[::-1], IV, bytes(40)))


def test_a_key_that_is_refused_leaves_the_old_one_in_force(engine):
    cbc = Cbc(engine, KEY[:16])
    with pytest.raises(InvalidRequest):
        cbc.set_key(bytes(5))
    assert engine.kernel.run(cbc.encrypt_bytes(IV, bytes(16))) == golden.cbc_encrypt(KEY[:16], IV, bytes(16))


@pytest.mark.parametrize("mode", [Ecb, Cbc, Ctr, Xts])
def test_a_closed_mode_releases_its_keys_once_and_refuses_further_use(engine, mode):
    released = []
    engine.release = lambda key: released.append(key.data)
    size = 64 if mode is Xts else 32
    cipher = mode(engine, KEY[:size])
    cipher.close()
    cipher.close()
    assert b"".join(released) == KEY[:size]
    buffer = Buffers.of(engine.memory.allocate(64), 64)
    arguments = (buffer, buffer) if mode is Ecb else (IV, buffer, buffer)
    for request in (cipher.encrypt(*arguments), cipher.decrypt(*arguments)):
        with pytest.raises(InvalidRequest, match="has been closed"):
            engine.kernel.run(request)
    assert engine.counters.calls == 0
    with pytest.raises(InvalidRequest, match="has been closed"):
        cipher.set_key(KEY[:size])


def test_no_key_is_released_because_another_is_refused(engine):
    released = []
    engine.release = released.append
    xts = Xts(engine, KEY)
    old = list(xts._current().keys)
    with pytest.raises(InvalidRequest):
        xts.set_key(KEY[:30])
    assert released == []
    xts.close()
    assert released == old


def test_a_mode_that_gets_only_one_of_its_keys_gives_that_back(engine):
    """As when the memory for keys is at its end."""
    released, make = [], engine.key

    def only_one(data):
        engine.key = lambda data: engine.memory.allocate(1 << 40)
        return make(data)

    engine.key, engine.release = only_one, lambda key: released.append(key.data)
    with pytest.raises(OutOfMemory):
        Xts(engine, KEY)
    assert released == [KEY[:32]]


@pytest.mark.parametrize(("length", "allocations"), [(1, 0), (16, 0), (17, 1), (160, 1)])
def test_scratch_memory_of_a_block_costs_no_allocation(engine, length, allocations):
    engine.kernel.run(Ctr(engine, KEY[:16]).crypt_bytes(IV, bytes(length)))
    assert engine.host.done[HostWork.ALLOCATION] == allocations


class FailingEngine(SoftwareEngine):
    """Its third call fails."""

    failure: Exception = EngineFault("bus", 0x1234, 16, access="read")

    async def ecb(self, key, src, dst, *, decrypt):
        if self.counters.calls == 2:
            raise self.failure
        await super().ecb(key, src, dst, decrypt=decrypt)


def failing_engine(failure):
    kernel = Kernel()
    engine = FailingEngine(HostMemory(64 * 4096), kernel, Cpu(kernel))
    engine.failure = failure
    return engine


@pytest.mark.parametrize(("failure", "error"), [
    (EngineFault("bus", 0x1234, 16, access="read"), EngineFault),
    (EngineHang("xcrypt", {"busy": 1}, 99, 16), EngineHang),
])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_failed_request_says_what_became_of_the_data_and_frees_its_scratch(failure, error, in_place):
    engine = failing_engine(failure)
    data = seeded(2).randbytes(64)
    base = engine.memory.allocate(64)
    engine.memory.write(base, data)
    src = Buffers.of(base, 64)
    dst = src if in_place else Buffers.of(engine.memory.allocate(64), 64)
    consequence = "its data is undefined" if in_place else "the source is intact, the destination undefined"
    xts = Xts(engine, KEY, strategy="per-block")
    free_before = engine.memory.allocate(16)
    engine.memory.free(free_before)
    with pytest.raises(error, match=consequence) as caught:
        engine.kernel.run(xts.encrypt(IV, src, dst))
    assert caught.value.completed == 0
    assert in_place or src.read(engine.memory) == data
    assert engine.memory.allocate(16) == free_before


def test_a_fault_of_a_mode_request_cannot_be_restarted():
    failing = failing_engine(EngineFault("page", 0x2000, 16, access="write"))
    with pytest.raises(EngineFault) as caught:
        failing.kernel.run(Cbc(failing, KEY[:16]).encrypt_bytes(IV, bytes(64)))
    fault = caught.value
    assert (fault.kind, fault.address, fault.access, fault.restartable) == ("page", 0x2000, "write", False)


def test_an_ecb_request_is_an_engine_request_and_its_fault_counts_the_bytes_done(engine):
    src = Buffers.of(engine.memory.allocate_pages(2) + 4096 - 32, 64)
    engine.memory.protect(src.pieces[0].end - 1, 1, readable=False, writable=False)
    dst = Buffers.of(engine.memory.allocate(64), 64)
    with pytest.raises(EngineFault) as caught:
        engine.kernel.run(Ecb(engine, KEY[:16]).encrypt(src, dst))
    assert (caught.value.completed, caught.value.restartable) == (32, True)
    assert dst.part(0, 32).read(engine.memory) == golden.ecb_encrypt(KEY[:16], bytes(32))


def test_a_page_that_the_mode_itself_cannot_reach_is_an_error_that_tells_the_consequence(engine):
    src = Buffers.of(engine.memory.allocate_pages(2) + 4096 - 32, 64)
    dst = Buffers.of(engine.memory.allocate(64), 64)
    engine.memory.protect(src.pieces[0].end - 1, 1, readable=False, writable=False)
    with pytest.raises(HostAccessError, match="unmapped page; the source is intact"):
        engine.kernel.run(Xts(engine, KEY).encrypt(IV, src, dst))
