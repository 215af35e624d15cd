"""QceDriver on a bus that leaves an access without an answer: in a recovery, in a reset; no false alarm."""

from __future__ import annotations

import pytest
from qce_driver_bench import QceBench, error_of, some_data
from silent_port import HOW, LATE, SilentPort

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.qce_scripts import ACKNOWLEDGE, EVERY_READ
from pymodel.drivers.qce_watched import ANSWER_CYCLES
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang, EngineLost

KEY = bytes(range(0x60, 0x80))
DATA = some_data(64)
EXPECTED = golden.ecb_encrypt(KEY, DATA)


def recovery(how, number):
    """A request that hangs, and one behind it: (bench, accesses of the first, its error, the other's)."""
    bench = QceBench()
    bench.port = SilentPort(bench.model, bench.kernel, how, number)
    hanging = bench.naive(Quirk.LENGTH_512_HANG, watchdog=lambda length: 8000)
    data = some_data(528)
    buffer, again = bench.buffer(data), bench.buffer(DATA)
    error = bench.run(error_of(hanging.ecb(hanging.key(KEY), buffer, buffer, decrypt=False)))
    accesses = bench.port.accesses
    if type(error) is EngineHang:
        assert error.completed == 512
        assert buffer.read(bench.memory) == golden.ecb_encrypt(KEY, data[:512]) + data[512:]
    driver = bench.driver()
    behind = bench.run(error_of(driver.ecb(driver.key(KEY), again, again, decrypt=False)))
    assert again.read(bench.memory) == (EXPECTED if behind is None else DATA)
    return bench, accesses, error, behind


@pytest.mark.parametrize("how", HOW)
def test_a_recovery_with_an_access_without_an_answer_counts_exactly_and_what_is_behind_goes_on(how):
    _, accesses, error, _ = recovery("ignored", 1000)
    assert error.state["BYTES_DONE"] == 512
    for number in range(25, accesses + 1):
        bench, _, error, behind = recovery(how, number)
        reading = number < accesses  # else it is the reset
        waited = ANSWER_CYCLES * (1 + reading)
        lost = not reading or how == "dead" or (how in LATE and how > waited)
        still = how == "dead" or (how in LATE and how > waited + ANSWER_CYCLES)
        assert type(error) is (EngineLost if lost else EngineHang), number
        assert type(behind) is (EngineHang if still else type(None)), number
        assert ("BYTES_DONE" in error.state) == (not reading), number
        assert bench.port.log.count("reset") >= 1


@pytest.mark.parametrize("how", HOW)
def test_a_reset_after_a_refused_list_is_watched(how):
    bench = QceBench()
    bench.port = SilentPort(bench.model, bench.kernel, how, 6)  # behind three writes and two reads
    driver, buffer = bench.driver(), bench.buffer(DATA)
    bench.model.read_bus_errors.update(range(0, bench.memory.size, 16))
    error = bench.run(error_of(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False)))
    assert isinstance(error, EngineHang)
    assert error.state["unanswered"] == "SOFT_RESET"
    assert buffer.read(bench.memory) == DATA


@pytest.mark.parametrize("how", HOW)
def test_a_reset_after_an_acknowledgement_that_was_refused_is_watched(how):
    bench = QceBench()
    bench.port = SilentPort(bench.model, bench.kernel, how, 24 + len(EVERY_READ) + 1)
    script = bench.port.script

    async def refusing(accesses, master=0):
        if accesses[-1] == ACKNOWLEDGE:
            raise EngineFault("register", ACKNOWLEDGE.address, 0)
        return await script(accesses, master)

    bench.port.script = refusing
    driver, buffer = bench.driver(), bench.buffer(DATA)
    error = bench.run(error_of(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False)))
    assert isinstance(error, EngineHang)
    assert error.state["unanswered"] == "SOFT_RESET"
    assert type(error) is EngineLost or error.completed == 64
    assert buffer.read(bench.memory) == EXPECTED


def test_a_reset_says_whether_it_was_answered():
    for how, expected in (("ignored", EngineLost), ("made", EngineLost), (LATE[0], EngineLost),
                          (ANSWER_CYCLES - 10, type(None))):
        bench = QceBench()
        bench.port = SilentPort(bench.model, bench.kernel, how, 1)
        driver = bench.driver()
        assert type(bench.run(error_of(driver.reset()))) is expected
        assert bench.kernel.now() <= ANSWER_CYCLES + 10
        assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED
        assert bench.run(error_of(driver.reset())) is None


@pytest.mark.parametrize("how", HOW)
def test_a_reset_of_a_request_with_an_access_without_an_answer_comes_to_an_end(how):
    for number in (2, 3, 15, 24):
        bench = QceBench()
        bench.port = SilentPort(bench.model, bench.kernel, how, number)
        driver, buffer = bench.driver(watchdog=None), bench.buffer(DATA)

        async def main(bench=bench, driver=driver, buffer=buffer):
            request = bench.kernel.start(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False))
            await bench.kernel.sleep(1000)
            return await error_of(driver.reset()), await error_of(request.join())

        reset, error = bench.run(main())
        assert isinstance(error, EngineHang)
        assert (type(reset) is EngineLost) == (type(error) is EngineLost)


def test_a_reset_while_a_request_waits_for_a_lost_engine_says_that_it_was_not_answered():
    bench = QceBench()
    bench.port = SilentPort(bench.model, bench.kernel, "dead", 5)
    driver, buffer = bench.driver(), bench.buffer(DATA)

    async def main():
        requests = [bench.kernel.start(error_of(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False)))
                    for _ in range(2)]
        await requests[0].join()
        await bench.kernel.sleep(1000)
        return await error_of(driver.reset()), await requests[1].join()

    reset, error = bench.run(main())
    assert (type(reset), type(error)) == (EngineLost, EngineHang)


# -- and no false alarm -------------------------------------------------------------------------------


def test_the_longest_lists_on_the_slowest_memory_and_their_reset_at_any_time_are_answered():
    slow = {"read_latency": 65_535, "write_latency": 65_535, "slow_start_cycles": 65_535}
    for cycle in range(0, 900_000, 37_013):
        bench = QceBench(**slow)
        driver = bench.driver(watchdog=None)
        base = bench.memory.allocate(64 * 32)
        pieces = Buffers([(base + 32 * number, 16) for number in range(63)])

        async def main(bench=bench, driver=driver, pieces=pieces, cycle=cycle):
            request = bench.kernel.start(driver.ecb(driver.key(KEY), pieces, pieces, decrypt=False))
            await bench.kernel.sleep(cycle)
            await driver.reset()
            return await error_of(request.join())

        hang = bench.run(main())
        assert hang is None or "unanswered" not in hang.state
        assert type(hang) is not EngineLost
