"""QceDriver when the engine is reset, by the driver or by somebody else, at any moment."""

from __future__ import annotations

from qce_driver_bench import QceBench, error_of, some_data

from pymodel import golden
from pymodel.costs import Host, HostCosts, HostWork
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineHang

KEY = bytes(range(0xA0, 0xC0))
DATA = some_data(768)
EXPECTED = golden.ecb_encrypt(KEY, DATA)


def test_a_reset_at_any_cycle_ends_only_the_request_on_the_engine_and_loses_no_byte():
    cycle, ended = 0, []
    while "second" not in ended:
        cycle += 5
        bench = QceBench(slow_start_cycles=3)
        driver = bench.driver()
        key, buffers = driver.key(KEY), [bench.buffer(DATA[:512]) for _ in range(2)]

        async def main(bench=bench, driver=driver, key=key, buffers=buffers, cycle=cycle):
            first, second = (bench.kernel.start(driver.ecb(key, buffer, buffer, decrypt=False))
                             for buffer in buffers)
            await bench.kernel.sleep(cycle)
            asked = bench.kernel.now()
            await driver.reset()
            assert bench.port.log.count("reset") == 1
            assert bench.kernel.now() - asked < 200
            hangs = [await error_of(request.join()) for request in (first, second)]
            for buffer, hang in zip(buffers, hangs, strict=True):
                done = 512 if hang is None else hang.completed
                assert buffer.read(bench.memory) == EXPECTED[:done] + DATA[done:512]
            assert bench.port.log.count("reset") == 1
            return {(True, False): "first", (False, False): "none", (False, True): "second"}[
                hangs[0] is not None, hangs[1] is not None]

        ended.append(bench.run(main()))
    assert ended == sorted(ended, key=["first", "none", "second"].index)
    assert ended.count("first") > 60
    assert ended.count("none") > 0


def test_a_reset_of_an_idle_engine_is_a_reset_and_nothing_else():
    bench = QceBench()
    driver = bench.driver()
    bench.run(driver.reset())
    assert bench.port.log == ["reset"]
    assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED
    bench.run(driver.reset())
    assert bench.port.log.count("reset") == 2


def test_a_reset_waits_for_the_processor():
    bench = QceBench()
    driver = bench.driver()

    async def main():
        work = bench.kernel.start(bench.cpu.spend(1000))
        await bench.kernel.sleep(1)
        await driver.reset()
        assert bench.kernel.now() > 1000
        await work.join()

    bench.run(main())


def test_an_engine_that_somebody_else_has_reset_is_a_hang_with_an_exact_count():
    for cycle in range(60, 600, 7):
        bench = QceBench(slow_start_cycles=3)
        driver = bench.driver(watchdog=lambda length: 2000)
        key, buffer = driver.key(KEY), bench.buffer(DATA[:512])

        async def main(bench=bench, driver=driver, key=key, buffer=buffer, cycle=cycle):
            request = bench.kernel.start(driver.ecb(key, buffer, buffer, decrypt=False))
            await bench.kernel.sleep(cycle)
            await bench.model.reset()
            hang = await error_of(request.join())
            done = 512 if hang is None else hang.completed
            assert buffer.read(bench.memory) == EXPECTED[:done] + DATA[done:512]

        bench.run(main())


def test_a_reset_while_the_host_still_prepares_a_request_does_not_wait_for_it():
    """Not even for one that would hang, and nobody watches."""
    bench = QceBench()
    host = Host(bench.cpu, bench.kernel, HostCosts({HostWork.CALL: 100}))
    driver = bench.driver(handles=Quirk.all() & ~Quirk.LENGTH_512_HANG, watchdog=None, host=host)
    buffer = bench.buffer(bytes(528))

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(bytes(16)), buffer, buffer, decrypt=False))
        await bench.kernel.sleep(50)
        await driver.reset()
        returned = bench.kernel.now()
        return returned, await error_of(request.join())

    returned, error = bench.run(main())
    assert returned < 400
    assert isinstance(error, EngineHang)


def test_a_watchdog_below_zero_ends_at_once():
    bench = QceBench()
    driver = bench.driver(watchdog=lambda length: -5)
    buffer = bench.buffer(bytes(64))
    error = bench.run(error_of(driver.ecb(driver.key(bytes(16)), buffer, buffer, decrypt=False)))
    assert isinstance(error, EngineHang)
