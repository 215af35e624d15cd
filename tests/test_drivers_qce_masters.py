"""QceDriver while a second master writes the same registers (SHARED_REGISTERS)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from qce_driver_bench import HARMFUL, QCE_QUIRKS, QceBench, error_of, some_data

from pymodel import golden
from pymodel.drivers.qce_scripts import destination_list, setup, source_list
from pymodel.drivers.qce_start import LOCK_ATTEMPTS, LOCK_PAUSE
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import Descriptor, DescriptorFlag, encode_list
from pymodel.engines.qce_registers import STATUS2_LOCKED, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault

KEY = bytes(range(32))
DATA = some_data(160)
EXPECTED = golden.ecb_encrypt(KEY, DATA)
NAIVE = Quirk.SHARED_REGISTERS


def interfere(register, value, cycle, *, naive, quirks=QCE_QUIRKS):
    """One write of the second master at ``cycle`` of a request: (error, result, whether it was refused)."""
    bench = QceBench(quirks=quirks, slow_start_cycles=8)
    watchdog = {"watchdog": lambda length: 3000}
    driver = bench.naive(NAIVE, **watchdog) if naive else bench.driver(**watchdog)
    src, dst = bench.buffer(DATA), bench.buffer(bytes(160))

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
        await bench.kernel.sleep(cycle)
        refused = await error_of(bench.model.write(register, value, 1)) is not None
        return await error_of(request.join()), refused

    error, refused = bench.run(main())
    assert src.read(bench.memory) == DATA
    again = bench.ecb(driver, driver.key(KEY), DATA)
    assert again == EXPECTED  # whatever came of the first one
    return error, dst.read(bench.memory), refused


@pytest.mark.parametrize("register", HARMFUL, ids=lambda register: register.name)
def test_with_the_lock_no_write_at_any_cycle_does_harm(register):
    refusals = 0
    for cycle in range(1, 330, 2):
        error, result, refused = interfere(register, HARMFUL[register], cycle, naive=False)
        assert error is None, cycle
        assert result == EXPECTED, cycle
        refusals += refused
    assert refusals > 100


@pytest.mark.parametrize(("register", "stale"), [
    (Register.ENCR_KEY0, golden.ecb_encrypt(bytes.fromhex("00000bad") + KEY[4:], DATA)),
    (Register.ENCR_SEG_CFG, golden.ecb_decrypt(KEY[:16], DATA)),
])
def test_without_the_lock_a_write_between_setup_and_go_gives_a_wrong_result_and_no_error(register, stale):
    outcomes = [interfere(register, HARMFUL[register], cycle, naive=True) for cycle in range(1, 90)]
    wrong = [result for error, result, _ in outcomes if error is None and result != EXPECTED]
    assert set(wrong) == {stale}
    assert len(wrong) > 2
    assert not any(refused for _, result, refused in outcomes if result == stale)


@pytest.mark.parametrize("register", [Register.SEG_SIZE, Register.SRC_LIST_ADDRESS, Register.SOFT_RESET],
                         ids=lambda register: register.name)
def test_without_the_lock_other_writes_end_the_request_in_an_error(register):
    outcomes = [interfere(register, HARMFUL[register], cycle, naive=True) for cycle in range(1, 90)]
    assert any(error is not None for error, _, _ in outcomes)


@pytest.mark.parametrize("register", [Register.ENCR_KEY0, Register.ENCR_SEG_CFG, Register.SEG_SIZE,
                                      Register.SRC_LIST_ADDRESS], ids=lambda register: register.name)
def test_where_the_first_write_locks_the_naive_driver_is_right_too(register):
    refusals = 0
    for cycle in range(4, 200, 2):  # from its first write on
        error, result, refused = interfere(register, HARMFUL[register], cycle, naive=True,
                                           quirks=QCE_QUIRKS & ~NAIVE)
        assert (error, result) == (None, EXPECTED), cycle
        refusals += refused
    assert refusals > 50


def test_the_right_driver_works_where_the_first_write_locks():
    bench = QceBench(quirks=QCE_QUIRKS & ~NAIVE)
    driver = bench.driver()
    for _ in range(3):
        assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED
    assert "reset" not in bench.port.log


def test_an_engine_that_another_master_has_taken_is_reset_and_used():
    bench = QceBench(quirks=QCE_QUIRKS & ~NAIVE)
    driver = bench.driver()
    bench.run(bench.model.write(Register.ENCR_KEY0, 1, 1))
    assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED
    assert bench.port.log.count("reset") == 1


def test_the_naive_driver_gives_up_when_a_write_is_refused():
    bench = QceBench(quirks=QCE_QUIRKS & ~NAIVE)
    driver = bench.naive(NAIVE)
    bench.run(bench.model.write(Register.ENCR_KEY0, 1, 1))
    with pytest.raises(EngineFault, match="write of SRC_LIST_ADDRESS"):
        bench.ecb(driver, driver.key(KEY), DATA)
    assert bench.port.log.count("reset") == 1
    assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED


def test_another_list_with_a_lock_of_its_own_in_place_of_ours_is_noticed():
    resets = 0
    for cycle in range(1, 20):
        bench = QceBench(slow_start_cycles=8)
        driver, src, dst = bench.driver(), bench.buffer(DATA), bench.buffer(bytes(160))
        theirs = bench.buffer(bytes(160))
        other = bench.buffer(encode_list([Descriptor(theirs.pieces[0].address, 160, DescriptorFlag.LOCK)]))

        async def main(bench=bench, driver=driver, src=src, dst=dst, other=other, cycle=cycle):
            request = bench.kernel.start(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
            await bench.kernel.sleep(cycle)
            await error_of(bench.model.write(Register.SRC_LIST_ADDRESS, other.pieces[0].address, 1))
            await request.join()

        bench.run(main())
        assert dst.read(bench.memory) == EXPECTED
        resets += bench.port.log.count("reset")
    assert resets > 1


def test_a_lock_that_is_not_in_force_after_the_doorbell_is_tried_again():
    bench, reads = QceBench(), []
    driver, script = bench.driver(), bench.port.script

    async def unlocked_at_first(accesses, master=0):
        values = await script(accesses, master)
        if accesses[0].address == Register.STATUS2:
            reads.append(values[0])
            values[0] = 0 if len(reads) < 3 else values[0]
        return values

    bench.port.script = unlocked_at_first
    assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED
    assert reads == [STATUS2_LOCKED.mask] * 3
    assert bench.port.log.count("reset") == 2


def test_an_engine_that_never_gives_the_lock_is_given_up_after_growing_pauses():
    bench, resets = QceBench(), []
    driver, reset = bench.driver(), bench.port.reset

    async def reset_and_stolen():
        await reset()
        resets.append(bench.kernel.now())
        await bench.model.write(Register.SRC_LIST_ADDRESS, 0x2000, 1)
        await bench.model.write(Register.SRC_LIST_LENGTH, 1, 1)
        bench.memory.bytes[0x2000:0x2008] = (0, 0, 0, 0, 0, 0, 0, 4)
        await bench.model.write(Register.SRC_DOORBELL, 1, 1)

    bench.port.reset = reset_and_stolen
    bench.run(reset_and_stolen())
    with pytest.raises(EngineFault) as caught:
        bench.ecb(driver, driver.key(KEY), DATA)
    fault = caught.value
    assert (fault.kind, fault.address, fault.completed) == ("register", Register.SRC_LIST_ADDRESS, 0)
    assert "write of SRC_LIST_ADDRESS" in str(fault)
    assert len(resets) == 1 + LOCK_ATTEMPTS
    pauses = [after - before for before, after in pairwise(resets[1:])]
    growth = [after - before for before, after in pairwise(pauses)]
    assert growth == [LOCK_PAUSE << attempt for attempt in range(LOCK_ATTEMPTS - 2)]
    bench.port.reset = reset
    assert bench.ecb(driver, driver.key(KEY), DATA) == EXPECTED


@pytest.mark.parametrize("locks", [False, True])
def test_a_result_is_read_even_when_another_master_was_faster_than_the_processor(locks):
    """It has taken the lock after the end of a request without one, and done a longer request of its own."""
    bench = QceBench()
    driver = bench.driver() if locks else bench.naive(NAIVE)
    src, dst, theirs = bench.buffer(DATA), bench.buffer(bytes(160)), bench.buffer(bytes(1024))
    lists = bench.buffer(encode_list([Descriptor(theirs.pieces[0].address, 1024, DescriptorFlag.LOCK)]))
    address = lists.pieces[0].address

    async def main():
        request = bench.kernel.start(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
        await bench.kernel.sleep(110)  # after GO
        busy = bench.kernel.start(bench.cpu.spend(3000))
        await bench.port.irq.wait()
        refused = await error_of(bench.model.script([
            *setup(KEY, 1024, decrypt=False), *source_list(address, 1), *destination_list(address, 1),
            RegisterAccess(Register.GOPROC, 1)], 1))
        await busy.join()
        await request.join()
        return refused is not None

    assert bench.run(main()) == locks
    assert dst.read(bench.memory) == EXPECTED
    assert driver.counters.hardware_blocks == 10
    assert bench.port.log.count("reset") == (0 if locks else 1)
    assert theirs.read(bench.memory) == (bytes(1024) if locks else golden.ecb_encrypt(KEY, bytes(1024)))


def test_a_script_is_refused_where_it_stands_and_the_rest_is_not_done():
    bench = QceBench()
    with pytest.raises(EngineFault) as caught:
        bench.run(bench.port.script([RegisterAccess(Register.ENCR_SEG_SIZE, 5),
                                     RegisterAccess(Register.VERSION, 1),
                                     RegisterAccess(Register.ENCR_SEG_SIZE, 6)]))
    assert (caught.value.kind, caught.value.address) == ("register", Register.VERSION)
    assert bench.run(bench.port.read(Register.ENCR_SEG_SIZE)) == 5
