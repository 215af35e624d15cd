"""QceDriver with many requests at once: they wait their turn, and the processor is free meanwhile."""

from __future__ import annotations

import pytest
from qce_driver_bench import QceBench, some_data
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.costs import Host, HostCosts, HostWork
from pymodel.drivers.qce import QceDriver
from pymodel.engines.qce import decode_list
from pymodel.engines.qce_model import QceModel
from pymodel.engines.qce_registers import Register
from pymodel.kernel import gather
from pymodel.memory import HostAccessError
from pymodel.modes import Ctr, Ecb, Xts

KEY_A, KEY_B = bytes(range(32)), bytes(range(200, 232))


def test_requests_are_served_in_the_order_in_which_they_came():
    bench, ended = QceBench(), []
    driver = bench.driver()
    key = driver.key(KEY_A)

    async def request(number, blocks):
        buffer = bench.buffer(some_data(16 * blocks, number))
        await driver.ecb(key, buffer, buffer, decrypt=False)
        assert buffer.read(bench.memory) == golden.ecb_encrypt(KEY_A, some_data(16 * blocks, number))
        ended.append(number)

    bench.run(gather(bench.kernel, *(request(number, 32 - 3 * number) for number in range(10))))
    assert ended == list(range(10))
    assert bench.port.requests() == [16 * (32 - 3 * number) for number in range(10)]


def test_eight_contexts_at_once_with_their_own_keys_modes_and_layouts_are_all_right():
    bench = QceBench(pages=1024)
    driver = bench.driver()

    async def context(number):
        rng = seeded(number)
        key = rng.randbytes(rng.choice([32, 64]))
        with Xts(driver, key) as xts, Ctr(driver, key[:24]) as ctr, Ecb(driver, key[:16]) as ecb:
            for _ in range(12):
                iv, data = rng.randbytes(16), rng.randbytes(16 * rng.randrange(1, 70))
                layout = Layout(bench.memory, rng, data, in_place=rng.random() < 0.5,
                                largest=rng.choice([None, 30, 300]))
                which = rng.randrange(3)
                if which == 0:
                    await xts.encrypt(iv, layout.src, layout.dst)
                    expected = golden.xts_encrypt(key, iv, data)
                elif which == 1:
                    await ctr.crypt(iv, layout.src, layout.dst)
                    expected, _ = golden.crypt("ctr", key[:24], iv, data, encrypt=True)
                else:
                    await ecb.decrypt(layout.src, layout.dst)
                    expected = golden.ecb_decrypt(key[:16], data)
                assert layout.result() == expected
                assert layout.untouched_elsewhere()
                layout.free()

    bench.run(gather(bench.kernel, *(context(number) for number in range(8))))
    assert bench.free_bytes() == bench.memory.size


def test_two_drivers_of_one_port_share_its_queue():
    bench, ended = QceBench(), []
    drivers = [bench.driver(), bench.driver(master=1, long_lengths="fallback")]

    async def request(number):
        driver = drivers[number % 2]
        buffer = bench.buffer(some_data(1024, number), offset=number)
        await driver.ecb(driver.key(KEY_A), buffer, buffer, decrypt=False)
        assert buffer.read(bench.memory) == golden.ecb_encrypt(KEY_A, some_data(1024, number))
        ended.append(number)

    bench.run(gather(bench.kernel, *(request(number) for number in range(8))))
    assert ended == list(range(8))
    assert [driver.counters.hardware_blocks for driver in drivers] == [4 * 64, 4 * 64]
    assert bench.port.masters == ([0] * 4 + [1] * 4) * 4


def test_two_engines_have_a_queue_each():
    bench, data = QceBench(), some_data(2048)

    def requests(ports):
        drivers = [QceDriver(port, bench.memory, bench.kernel, bench.cpu, aes_sw_max_len=0) for port in ports]
        return [driver.ecb(driver.key(KEY_A), buffer, buffer, decrypt=False)
                for driver, buffer in zip(drivers, [bench.buffer(data) for _ in drivers], strict=True)]

    times = []
    for ports in ([bench.model] * 2, [QceModel(bench.kernel, bench.memory) for _ in range(2)]):
        began = bench.kernel.now()
        bench.run(gather(bench.kernel, *requests(ports)))
        times.append(bench.kernel.now() - began)
    assert times[1] < 0.7 * times[0]


def test_data_lists_dump_and_bounce_buffers_belong_to_the_engine_while_it_works():
    bench = QceBench()
    driver, src, dst = bench.driver(), bench.buffer(bytes(512)), bench.buffer(bytes(512), 3)

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(KEY_A), src, dst, decrypt=False))
        await bench.kernel.sleep(20)  # before GO
        (source,) = bench.port.written(Register.SRC_LIST_ADDRESS)
        destination = source + 512
        bounce, dump = (item.address for item in decode_list(bench.memory.read(destination, 16)))
        for address in (source, destination, bounce, bounce + 511, dump, dump + 127, src.pieces[0].address):
            with pytest.raises(HostAccessError, match="an engine owns"):
                bench.memory.write(address, b"x")
        await request.join()
        for address in (source, destination, bounce, dump):
            bench.memory.write(address, b"x")

    bench.run(main())


def test_the_processor_is_free_while_a_request_waits_for_its_interrupt():
    bench = QceBench()
    driver, buffer = bench.driver(), bench.buffer(bytes(4096))

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(KEY_A), buffer, buffer, decrypt=False))
        await bench.kernel.sleep(200)
        began = bench.kernel.now()
        await bench.cpu.spend(50)
        assert bench.kernel.now() == began + 50
        assert not request.done.is_set()
        await request.join()

    bench.run(main())


def test_software_costs_its_cycles_on_the_processor_and_none_on_the_engine():
    bench = QceBench()
    costs = HostCosts({HostWork.FALLBACK_BLOCK: 9})
    driver = bench.driver(aes_sw_max_len=512, host=Host(bench.cpu, bench.kernel, costs))
    assert bench.ecb(driver, driver.key(KEY_A), some_data(512)) == golden.ecb_encrypt(KEY_A, some_data(512))
    assert bench.kernel.now() == 9 * 32
    assert bench.port.log == []
    counters = driver.counters
    assert (counters.calls, counters.software_blocks, counters.hardware_blocks) == (1, 32, 0)


def test_a_cpu_that_is_busy_delays_the_accesses_and_loses_nothing():
    bench, data = QceBench(), some_data(512)
    driver, buffer = bench.driver(), bench.buffer(data)

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(KEY_A), buffer, buffer, decrypt=False))
        while not request.done.is_set():
            await bench.cpu.spend(70)
            await bench.kernel.sleep(1)
        await request.join()

    bench.run(main())
    assert buffer.read(bench.memory) == golden.ecb_encrypt(KEY_A, data)


def test_a_key_released_while_its_request_waits_is_still_used():
    bench, data = QceBench(), some_data(640)
    driver = bench.driver()
    keys = [driver.key(KEY_A), driver.key(KEY_B)]
    buffers = [bench.buffer(data) for _ in keys]

    async def main():
        tasks = [bench.kernel.start(driver.ecb(key, buffer, buffer, decrypt=False))
                 for key, buffer in zip(keys, buffers, strict=True)]
        await bench.kernel.sleep(30)
        for key in keys:
            driver.release(key)
        for task in tasks:
            await task.join()

    bench.run(main())
    assert [buffer.read(bench.memory) for buffer in buffers] == [
        golden.ecb_encrypt(KEY_A, data), golden.ecb_encrypt(KEY_B, data)]
