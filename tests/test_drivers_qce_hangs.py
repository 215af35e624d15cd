"""QceDriver when the engine does not answer: the watchdog, what it says, software, and those that wait."""

from __future__ import annotations

import pytest
from qce_driver_bench import QceBench, error_of, some_data
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.qce_engine import generous_qce_watchdog
from pymodel.drivers.qce_memory import Work
from pymodel.drivers.qce_start import EngineRequest
from pymodel.engines.qce_registers import READABLE, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang
from pymodel.kernel import gather

KEY = bytes(range(0xA0, 0xC0))
NAIVE = Quirk.LENGTH_512_HANG
DATA = some_data(768)
EXPECTED = golden.ecb_encrypt(KEY, DATA)


def hang_of(bench, request):
    with pytest.raises(EngineHang) as caught:
        bench.run(request)
    return caught.value


def test_a_hang_says_what_was_asked_and_what_all_registers_and_the_descriptors_were():
    bench = QceBench()
    driver, base = bench.naive(NAIVE), bench.memory.allocate(4096)
    src = Buffers([(base, 256), (base + 512, 160), (base + 1024, 352)])
    dst = bench.buffer(bytes(768))
    src.scatter(bench.memory, DATA)
    began = bench.kernel.now()
    hang = hang_of(bench, driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    assert hang.request == (f"AES-256 ECB encryption of 768 bytes from {base:#x} to "
                            f"{dst.pieces[0].address:#x}")
    assert {register.name for register in READABLE} < set(hang.state)
    state = hang.state
    assert (state["CRYPTO_STATE"], state["ENCR_SEG_SIZE"], state["BYTES_DONE"]) == ("WAIT_UNIT", 768, 512)
    stopped_at = {name: value for name, value in state.items() if name.startswith(("source", "destination"))}
    assert stopped_at == {
        "source_descriptor": 2, "source_address": base + 1024, "source_size": 352,
        "destination_descriptor": 0, "destination_address": dst.pieces[0].address, "destination_size": 768}
    assert hang.cycles >= generous_qce_watchdog(768)
    assert bench.kernel.now() - began >= hang.cycles
    assert bench.port.log[-1] == "reset"


def test_the_descriptor_beyond_the_end_of_a_list_is_only_an_index():
    bench = QceBench()
    driver, cut = bench.driver(), bench.port.script

    async def cutting(accesses, master=0):
        """Somebody has made the list shorter than the request."""
        for address in (access.value for access in accesses if access.address == Register.DST_LIST_ADDRESS):
            if address is None:
                continue
            bench.memory.bytes[address + 4:address + 6] = (16, 0)
            bench.memory.bytes[address + 12:address + 14] = (0, 0)
        return await cut(accesses, master)

    bench.port.script = cutting
    hang = hang_of(bench, driver.ecb(driver.key(KEY), bench.buffer(DATA[:512]), bench.buffer(bytes(512)),
                                     decrypt=False))
    assert (hang.state["CRYPTO_STATE"], hang.state["destination_descriptor"]) == ("WAIT_DESTINATION", 2)
    assert "destination_address" not in hang.state


def test_no_byte_of_a_key_is_in_any_message_nor_in_the_state():
    words = [KEY[start:start + 4] for start in range(0, 32, 4)]
    bench = QceBench()
    driver = bench.naive(NAIVE)
    bench.model.read_bus_errors.add(4096 * 100)
    errors = []
    for src in (bench.buffer(DATA), Buffers.of(4096 * 100, 512)):
        with pytest.raises((EngineHang, EngineFault)) as caught:
            bench.run(driver.ecb(driver.key(KEY), src, bench.buffer(bytes(len(src))), decrypt=False))
        errors.append(caught.value)
    for error in errors:
        shown = repr(error) + str(error) + repr(vars(error)) + repr(error.__context__)
        for word in words:
            assert word.hex() not in shown.lower()
            assert str(int.from_bytes(word, "big")) not in shown
            assert hex(int.from_bytes(word, "little"))[2:] not in shown.lower()
            assert repr(word)[2:-1] not in shown
    work = Work(*[4096 + 512 * number for number in range(5)])
    request = EngineRequest(0, 16, KEY, False, Buffers([]), Buffers([]), work)
    assert repr(KEY)[2:-1] not in repr(request) + str(request)


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("offset", [0, 5], ids=["aligned", "unaligned"])
def test_completed_is_exact_and_software_can_go_on_from_there(in_place, offset):
    bench = QceBench()
    driver = bench.naive(NAIVE)
    src = bench.buffer(DATA, offset)
    dst = src if in_place else bench.buffer(bytes(768), offset)
    free = bench.free_bytes()
    hang = hang_of(bench, driver.ecb(driver.key(KEY), src, dst, decrypt=False))
    assert hang.completed == 512
    assert dst.read(bench.memory) == EXPECTED[:512] + (DATA if in_place else bytes(768))[512:]
    assert bench.free_bytes() == free
    assert driver.counters.hardware_blocks == 32
    assert driver.counters.bounced_blocks == (32 if offset else 0)
    bench.run(driver.ecb(driver.key(KEY), src.part(512, 256), dst.part(512, 256), decrypt=False))
    assert dst.read(bench.memory) == EXPECTED


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("decrypt", [False, True])
def test_a_retry_finishes_hung_requests_of_any_layout_in_software(in_place, decrypt):
    rng, bench = seeded(in_place, decrypt), QceBench()
    driver = bench.naive(NAIVE, retry="software", watchdog=lambda length: 5000 + 20 * length)
    reference = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    key = driver.key(KEY)
    for largest in (None, 1, 24, 200):
        for _ in range(4):
            data = rng.randbytes(16 * rng.randrange(33, 130))
            layout = Layout(bench.memory, rng, data, in_place=in_place, largest=largest)
            bench.run(driver.ecb(key, layout.src, layout.dst, decrypt=decrypt))
            assert layout.result() == reference(KEY, data)
            assert layout.untouched_elsewhere()
            layout.free()
    assert driver.counters.software_blocks > 0
    assert driver.counters.hardware_blocks > driver.counters.software_blocks


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("offset", [0, 5], ids=["aligned", "unaligned"])
def test_a_watchdog_that_ends_a_request_at_any_cycle_loses_no_byte_and_counts_exactly(in_place, offset):
    """Also while the engine is at work and goes on until it is reset."""
    limit, hung, counts = 0, True, set()
    while hung:
        limit += 3
        for retry in ("raise", "software"):
            bench = QceBench(slow_start_cycles=5)
            driver = bench.driver(watchdog=lambda length, limit=limit: limit, retry=retry)
            src = bench.buffer(DATA[:512], offset)
            dst = src if in_place else bench.buffer(bytes(512), offset)
            hang = bench.run(error_of(driver.ecb(driver.key(KEY), src, dst, decrypt=False)))
            done = 512 if hang is None else hang.completed
            counts.add(done)
            assert dst.read(bench.memory)[:done] == EXPECTED[:done]
            if in_place:
                assert dst.read(bench.memory)[done:] == DATA[done:512]
            else:
                assert src.read(bench.memory) == DATA[:512]
            hung = (retry == "raise" and hang is not None) or driver.counters.software_blocks > 0
    assert limit > 300
    assert len(counts) > 2
    assert 512 in counts


def test_a_completion_in_the_last_cycle_of_the_watchdog_is_no_hang():
    def ends(limit):
        bench = QceBench()
        driver = bench.driver(watchdog=lambda length: limit)
        try:
            return bench.ecb(driver, driver.key(KEY), DATA[:512]) == EXPECTED[:512]
        except EngineHang:
            return False

    low, high = 1, 10_000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ends(middle) else (middle, high)
    bench = QceBench()
    driver = bench.driver()
    bench.ecb(driver, driver.key(KEY), DATA[:512])
    assert abs(high - driver.counters.engine_cycles) <= 2
    assert ends(high)
    assert not ends(high - 1)


def test_an_interrupt_that_is_gone_before_the_driver_has_seen_it_leaves_the_watchdog():
    bench = QceBench()
    driver = bench.driver(watchdog=lambda length: 5000)

    async def main():
        async def thief():
            await bench.port.irq.wait()
            bench.port.irq.clear()

        stolen = bench.kernel.start(thief())
        buffer = bench.buffer(DATA[:512])
        hang = await error_of(driver.ecb(driver.key(KEY), buffer, buffer, decrypt=False))
        await stolen.join()
        return hang, buffer.read(bench.memory)

    hang, result = bench.run(main())
    assert hang.cycles >= 5000
    assert (hang.completed, hang.state["BYTES_DONE"], result) == (512, 512, EXPECTED[:512])


def test_without_a_watchdog_a_long_request_may_take_its_time():
    bench = QceBench(read_latency=60_000, slow_start_cycles=65_535)
    driver = bench.driver(watchdog=None)
    assert bench.ecb(driver, driver.key(KEY), DATA[:512]) == EXPECTED[:512]
    assert bench.kernel.now() > generous_qce_watchdog(512)


# -- requests behind --------------------------------------------------------------------------------


@pytest.mark.parametrize("retry", ["raise", "software"])
def test_all_requests_behind_a_hang_complete_in_their_order(retry):
    bench, ended = QceBench(), []
    hanging, driver = bench.naive(NAIVE, retry=retry), bench.driver()

    async def request(number):
        mine = hanging if number % 4 == 1 else driver
        buffer = bench.buffer(DATA, number % 3)
        hang = await error_of(mine.ecb(mine.key(KEY), buffer, buffer, decrypt=False))
        if retry == "raise" and mine is hanging:
            assert hang.completed == 512
            assert buffer.read(bench.memory) == EXPECTED[:512] + DATA[512:]
        else:
            assert hang is None
            assert buffer.read(bench.memory) == EXPECTED
        ended.append(number)

    bench.run(gather(bench.kernel, *(request(number) for number in range(12))))
    assert ended == list(range(12))
    assert bench.port.log.count("reset") == 3
    assert driver.counters.software_blocks == 0


def test_200_requests_of_8_contexts_with_5_percent_hanging_end_right_or_in_a_precise_error():
    bench = QceBench(pages=1024)
    outcomes = []

    async def context(number):
        rng = seeded(number)
        right = bench.driver()
        hanging = bench.naive(NAIVE, watchdog=lambda length: 4000 + 20 * length)
        for _ in range(25):
            hangs = rng.random() < 0.05
            driver, key = hanging if hangs else right, rng.randbytes(rng.choice([16, 32]))
            data = rng.randbytes(16 * (rng.randrange(33, 63) if hangs else rng.randrange(1, 100)))
            layout = Layout(bench.memory, rng, data, in_place=rng.random() < 0.5,
                            largest=rng.choice([None, 40, 500]))
            decrypt = rng.random() < 0.5
            expected = (golden.ecb_decrypt if decrypt else golden.ecb_encrypt)(key, data)
            hang = await error_of(driver.ecb(driver.key(key), layout.src, layout.dst, decrypt=decrypt))
            done = len(data) // 512 * 512 if hangs else len(data)
            assert (hang.completed if hangs else hang) == (done if hangs else None)
            assert layout.result()[:done] == expected[:done]
            assert layout.untouched_elsewhere()
            layout.free()
            outcomes.append(hangs)

    bench.run(gather(bench.kernel, *(context(number) for number in range(8))))
    assert len(outcomes) == 200
    assert 0 < sum(outcomes) < 30
    assert bench.free_bytes() == bench.memory.size
