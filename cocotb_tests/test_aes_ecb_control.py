"""aes_ecb as toplevel: who waits for whom, and what a reset leaves behind."""

from __future__ import annotations

import cocotb

from cocotb_tests.aes_ecb_ports import AesEcbPorts
from cocotb_tests.scenes import generator
from cocotb_tests.test_aes_ecb import random_blocks, reference, schedule_of, started
from pymodel.engines import rijndael


async def check_works(ports: AesEcbPorts, numbers) -> None:
    """A fresh key of each direction and four blocks give the right results."""
    for decrypt in (False, True):
        key, blocks = numbers.randbytes(32), random_blocks(numbers, 2)
        await ports.load_key(key, decrypt)
        assert (await ports.run(blocks)).results == reference(key, blocks, decrypt)


async def check_stays_empty(ports: AesEcbPorts) -> None:
    """No result, and no block accepted, in more cycles than any block or key takes."""
    ports.drive(in_valid=1, out_ready=0)
    for _ in range(40):
        seen = await ports.cycle()
        assert (seen.key_ready, seen.rk_ready, seen.in_ready, seen.out_valid) == (True, True, False, False)
    ports.drive(in_valid=0)


@cocotb.test()
async def no_block_is_accepted_before_a_key(dut):
    ports = await started(dut)
    await check_stays_empty(ports)


@cocotb.test()
@cocotb.parametrize(key_bytes=[16, 24, 32])
async def keys_wait_for_the_block_in_flight_and_for_its_result_to_be_taken(dut, key_bytes: int):
    numbers = generator(dut, f"keys wait {key_bytes}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    await ports.load_key(numbers.randbytes(key_bytes), False)
    accepted = await ports.until("ready for a block", lambda seen: seen.in_ready)
    accepted = await ports.cycle(in_valid=1)
    assert accepted.in_ready
    ports.drive(in_valid=0)
    for _ in range(rounds + 5):
        seen = await ports.cycle()
        assert (seen.key_ready, seen.rk_ready) == (False, False)
        assert seen.out_valid == (seen.edge > accepted.edge + rounds)
    taken = await ports.cycle(out_ready=1)
    assert (taken.key_ready, taken.rk_ready, taken.out_valid) == (False, False, True)
    seen = await ports.cycle(out_ready=0)
    assert (seen.key_ready, seen.rk_ready, seen.in_ready, seen.out_valid) == (True, True, True, False)


@cocotb.test()
@cocotb.parametrize(key_bytes=[16, 24, 32], decrypt=[False, True])
async def nothing_is_accepted_while_a_key_is_expanded(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"expansion {key_bytes} {decrypt}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    await ports.load_key(numbers.randbytes(key_bytes), decrypt)
    for _ in range(rounds + 2):
        seen = await ports.cycle()
        assert (seen.key_ready, seen.rk_ready, seen.in_ready) == (False, False, False)
    seen = await ports.cycle()
    assert (seen.key_ready, seen.rk_ready, seen.in_ready) == (True, True, True)


@cocotb.test()
async def no_block_is_accepted_in_the_middle_of_a_schedule(dut):
    numbers = generator(dut, "half a schedule")
    ports = await started(dut)
    await ports.load_key(numbers.randbytes(16), False)
    await ports.until("ready for a block", lambda seen: seen.in_ready)
    schedule = schedule_of(numbers.randbytes(24), True)
    ports.drive(rk_decrypt=1, rk_rounds=12)
    for index, round_key in enumerate(schedule):
        seen = await ports.cycle(
            rk_valid=1, rk_data=int.from_bytes(round_key, "little"), rk_last=index == 12, in_valid=0
        )
        assert (seen.rk_ready, seen.in_ready) == (True, False)
        for _ in range(3):
            seen = await ports.cycle(rk_valid=0, in_valid=index < 12)
            assert (seen.rk_ready, seen.in_ready) == (True, index == 12)


@cocotb.test()
async def a_key_on_offer_keeps_blocks_out_and_comes_before_a_schedule(dut):
    numbers = generator(dut, "who comes first")
    ports = await started(dut)
    old, new, block = numbers.randbytes(16), numbers.randbytes(32), random_blocks(numbers, 1)
    await ports.load_key(old, False)
    await ports.until("ready for a block", lambda seen: seen.in_ready)
    seen = await ports.cycle(rk_valid=1, key_valid=0, in_valid=1, rst=0)
    assert (seen.rk_ready, seen.in_ready) == (True, False)
    # that was the first beat of a schedule; the key replaces it
    ports.drive(in_valid=1, in_block=int.from_bytes(block[0], "little"), key=int.from_bytes(new, "little"))
    seen = await ports.cycle(key_valid=1, key_bits=2, key_decrypt=1)
    assert (seen.key_ready, seen.rk_ready, seen.in_ready) == (True, False, False)
    ports.drive(key_valid=0, rk_valid=0)
    await ports.until("block accepted", lambda seen: seen.in_ready)
    ports.drive(in_valid=0)
    result = await ports.until("result", lambda seen: seen.out_valid)
    assert [result.out_block] == reference(new, block, True)


@cocotb.test()
async def a_key_on_offer_gets_in_between_blocks_that_do_not_pause(dut):
    numbers = generator(dut, "no starvation")
    ports = await started(dut)
    old, new, block = numbers.randbytes(16), numbers.randbytes(16), random_blocks(numbers, 1)
    await ports.load_key(old, False)
    ports.drive(in_valid=1, in_block=int.from_bytes(block[0], "little"), out_ready=1)
    accepted, results = 0, []
    for _ in range(35):
        seen = await ports.cycle()
        accepted += seen.in_ready
        results += [seen.out_block] if seen.out_valid else []
    ports.drive(key_valid=1, key=int.from_bytes(new, "little"))
    for _ in range(70):
        seen = await ports.cycle()
        if seen.key_ready:
            ports.drive(key_valid=0)
        results += [seen.out_block] if seen.out_valid else []
    old_result, new_result = reference(old, block, False)[0], reference(new, block, False)[0]
    assert results == [old_result] * accepted + [new_result] * (len(results) - accepted)
    assert len(results) >= accepted + 3


@cocotb.test()
@cocotb.parametrize(after=[1, 2, 5, 9, 10, 11, 12, 30])
async def a_reset_drops_the_blocks_in_flight_and_the_key(dut, after: int):
    numbers = generator(dut, f"reset in flight {after}")
    ports = await started(dut)
    await ports.load_key(numbers.randbytes(16), False)
    await ports.until("ready for a block", lambda seen: seen.in_ready)
    assert (await ports.cycle(in_valid=1)).in_ready
    for _ in range(after - 1):  # as many more as there is room for
        await ports.cycle()
    await ports.reset()
    await check_stays_empty(ports)
    await check_works(ports, numbers)


@cocotb.test()
@cocotb.parametrize(by_schedule=[False, True], after=[1, 2, 7])
async def a_reset_in_the_middle_of_loading_leaves_no_key(dut, by_schedule: bool, after: int):
    numbers = generator(dut, f"reset while loading {by_schedule} {after}")
    ports = await started(dut)
    key = numbers.randbytes(32)
    if by_schedule:
        await ports.load_schedule(schedule_of(key, False)[:after], False)
        ports.drive(rk_valid=0)
    else:
        await ports.load_key(key, True)
        for _ in range(after):
            await ports.cycle()
    await ports.reset()
    await check_stays_empty(ports)
    blocks = random_blocks(numbers, 2)
    await ports.load_schedule(schedule_of(key, True), True)
    assert (await ports.run(blocks)).results == reference(key, blocks, True)
    await check_works(ports, numbers)
