"""GCM when the engine fails, or the host cannot reach the data: what is said, and what is left behind."""

from __future__ import annotations

import pytest
from gcm_cases import AAD, IV, KEY
from padlock_bench import PadlockBench
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import EngineFault, EngineHang, Unsupported
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostAccessError, HostMemory, OutOfMemory
from pymodel.modes import Gcm

PLAINTEXT = seeded(2).randbytes(64)
CIPHERTEXT, TAG = golden.gcm_encrypt(KEY, IV, PLAINTEXT, AAD)


class FailingEngine(SoftwareEngine):
    """Call ``fails_at``, counted from 0, computes and then fails."""

    failure: Exception
    fails_at = 0

    async def ecb(self, key, src, dst, *, decrypt):
        number = self.counters.calls
        await super().ecb(key, src, dst, decrypt=decrypt)
        if number == self.fails_at:
            raise self.failure


def failing_engine(failure, fails_at):
    kernel = Kernel()
    engine = FailingEngine(HostMemory(8 * 4096), kernel, Cpu(kernel))
    engine.failure, engine.fails_at = failure, fails_at
    return engine


@pytest.mark.parametrize("failure", [EngineFault("bus", 0x1234, 16, access="read"),
                                     EngineHang("xcrypt", {"busy": 1}, 99, 16), Unsupported("not this")],
                         ids=["fault", "hang", "unsupported"])
@pytest.mark.parametrize("fails_at", [0, 1])
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("encrypt", [True, False])
def test_a_failure_of_any_call_fails_the_request_and_leaves_no_secret(failure, fails_at, in_place, encrypt):
    engine, data = failing_engine(failure, fails_at), PLAINTEXT if encrypt else CIPHERTEXT
    base = engine.memory.allocate(128)
    engine.memory.write(base, data)
    src = Buffers.of(base, 64)
    dst = src if in_place else Buffers.of(base + 64, 64)
    before, gcm = engine.memory.bytes.copy(), Gcm(engine, KEY)
    consequence = "its data is undefined" if in_place else "the source is intact, the destination undefined"
    request = gcm.encrypt(IV, AAD, src, dst) if encrypt else gcm.decrypt(IV, AAD, src, dst, TAG)
    with pytest.raises(type(failure), match=consequence) as caught:
        engine.kernel.run(request)
    if not isinstance(failure, Unsupported):
        assert caught.value.completed == 0
    assert getattr(caught.value, "restartable", False) is False
    assert (engine.memory.bytes == before).all()
    engine.memory.free(base)
    assert engine.memory.allocate(7 * 4096) == 4096


def test_after_a_failure_the_next_request_succeeds():
    engine = failing_engine(EngineFault("bus", 0x1234, 0, access="read"), 0)
    gcm = Gcm(engine, KEY)
    with pytest.raises(EngineFault):
        engine.kernel.run(gcm.encrypt_bytes(IV, AAD, PLAINTEXT))
    assert engine.kernel.run(gcm.encrypt_bytes(IV, AAD, PLAINTEXT)) == (CIPHERTEXT, TAG)


def test_a_padlock_that_hangs_is_an_error_of_the_request_and_the_next_one_succeeds():
    bench = PadlockBench()
    gcm = Gcm(bench.driver(watchdog=lambda _: 3000), KEY)
    bench.port.silent = True
    with pytest.raises(EngineHang, match="data is undefined"):
        bench.run(gcm.encrypt_bytes(IV, AAD, PLAINTEXT))
    bench.port.silent = False
    assert bench.run(gcm.encrypt_bytes(IV, AAD, PLAINTEXT)) == (CIPHERTEXT, TAG)


@pytest.mark.parametrize("access", ["read", "write"])
def test_a_page_that_the_host_cannot_reach_is_an_error_that_tells_the_consequence(access):
    bench = PadlockBench()
    pages = [bench.memory.allocate_pages(2) + 4096 - 32 for _ in range(2)]
    src, dst = (Buffers.of(start, 64) for start in pages)
    src.scatter(bench.memory, CIPHERTEXT)
    closed = pages[access == "write"] + 63
    bench.memory.protect(closed, 1, readable=access == "write", writable=access == "read")
    gcm = Gcm(bench.driver(), KEY)
    for request in (gcm.encrypt(IV, AAD, src, dst), gcm.decrypt(IV, AAD, src, dst, TAG)):
        with pytest.raises(HostAccessError, match="unmapped page; the source is intact, the destination"):
            bench.run(request)


def test_without_room_for_the_key_stream_nothing_is_written():
    kernel = Kernel()
    engine = SoftwareEngine(HostMemory(3 * 4096), kernel, Cpu(kernel))
    buffer = Buffers.of(engine.memory.allocate(4096), 4096)
    before, gcm = engine.memory.bytes.copy(), Gcm(engine, KEY)
    with pytest.raises(OutOfMemory):
        kernel.run(gcm.encrypt(IV, AAD, buffer, buffer))
    assert (engine.memory.bytes == before).all()


def test_a_request_in_flight_ends_with_the_key_it_began_with_and_then_releases_it():
    bench, released = PadlockBench(), []
    driver = bench.driver()
    release = driver.release
    driver.release = lambda key: (released.append(key.data), release(key))
    gcm = Gcm(driver, KEY)

    async def play():
        old = bench.kernel.start(gcm.encrypt_bytes(IV, AAD, PLAINTEXT), "old")
        await bench.kernel.sleep(5)
        gcm.set_key(KEY[::-1])
        assert released == []
        result = await old.join()
        assert released == [KEY]
        return result, await gcm.encrypt_bytes(IV, AAD, PLAINTEXT)

    assert bench.run(play()) == ((CIPHERTEXT, TAG), golden.gcm_encrypt(KEY[::-1], IV, PLAINTEXT, AAD))
    gcm.close()
    gcm.close()
    assert released == [KEY, KEY[::-1]]
