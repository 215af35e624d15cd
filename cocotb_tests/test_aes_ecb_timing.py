"""aes_ecb as toplevel: every cycle that its header promises, for the STAGES it was built with."""

from __future__ import annotations

from collections import Counter

import cocotb

from cocotb_tests.aes_ecb_ports import AesEcbPorts
from cocotb_tests.aes_ecb_timing import Outputs, Timing, entry_edges
from cocotb_tests.aes_ecb_traffic import RESET_RATE, Traffic
from cocotb_tests.scenes import generator
from cocotb_tests.test_aes_ecb import each_size_and_direction, random_blocks, reference, started
from pymodel.engines import rijndael

BLOCK = int.from_bytes(bytes(range(16)), "little")
TRAFFIC_EDGES = 8000


@cocotb.test()
@each_size_and_direction
async def blocks_that_do_not_pause_enter_at_full_rate_with_latency_nr(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"rate {key_bytes} {decrypt}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    await ports.load_key(numbers.randbytes(key_bytes), decrypt)
    count = 2 * ports.stages + 6
    run = await ports.run(random_blocks(numbers, count))
    first = run.accepted[0]
    assert run.accepted == [first + edge for edge in entry_edges(ports.stages, rounds, count)]
    # written at edge t + Nr, so on the port before edge t + Nr + 1
    assert run.taken == [edge + rounds + 1 for edge in run.accepted]


@cocotb.test()
@cocotb.parametrize(key_bytes=[16, 24, 32])
async def a_later_block_enters_as_soon_as_the_entrance_is_free(dut, key_bytes: int):
    numbers = generator(dut, f"later {key_bytes}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    await ports.load_key(numbers.randbytes(key_bytes), False)
    ports.drive(in_block=BLOCK, out_ready=1)
    for offered in range(1, rounds + 3):
        first = await enter(ports)
        for _ in range(offered - 1):
            await ports.cycle()
        second = await enter(ports)
        waits = {
            1: max(rounds - offered, 0),
            2: 0 if offered >= rounds else 1 - offered % 2,  # the first block comes back every second edge
            14: 0,
        }
        assert second - first == offered + waits[ports.stages], f"offered {offered} edges after the first"
        for _ in range(rounds + 2):
            await ports.cycle()


async def enter(ports: AesEcbPorts) -> int:
    """Offer a block until it is accepted; returns the edge."""
    ports.drive(in_valid=1)
    seen = await ports.until("block accepted", lambda seen: seen.in_ready)
    ports.drive(in_valid=0)
    return seen.edge


@cocotb.test()
@each_size_and_direction
async def results_not_taken_fill_the_core_and_then_leave_in_order(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"full {key_bytes} {decrypt}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    key = numbers.randbytes(key_bytes)
    capacity = min(ports.stages, rounds) + 1
    blocks = random_blocks(numbers, capacity + 1)
    results = reference(key, blocks, decrypt)
    await ports.load_key(key, decrypt)
    entered: list[int] = []
    while ports.edge < 100:
        waiting = int.from_bytes(blocks[len(entered)], "little")
        seen = await ports.cycle(in_valid=1, in_block=waiting)
        if seen.in_ready:
            entered.append(seen.edge)
    assert entered == [entered[0] + edge for edge in entry_edges(ports.stages, rounds, capacity)]
    assert seen.out_block == results[0]
    # the edge that takes the first result lets the second out and one more block in
    seen = await ports.cycle(out_ready=1)
    assert (seen.in_ready, seen.out_block) == (True, results[0])
    seen = await ports.cycle(in_valid=0)
    assert seen.out_block == results[1]
    for result in results[2:]:
        assert (await ports.until("result", lambda seen: seen.out_valid)).out_block == result


@cocotb.test()
@cocotb.parametrize(key_bytes=[16, 24, 32])
async def a_core_that_stands_still_takes_a_block_if_the_entrance_is_free(dut, key_bytes: int):
    numbers = generator(dut, f"stands still {key_bytes}")
    ports, rounds = await started(dut), rijndael.ROUNDS[key_bytes]
    key, blocks = numbers.randbytes(key_bytes), random_blocks(numbers, 3)
    results = reference(key, blocks, False)
    await ports.load_key(key, False)
    for block in blocks[:2]:
        ports.drive(in_block=int.from_bytes(block, "little"))
        await enter(ports)
        for _ in range(2 * rounds):
            await ports.cycle()
    # the first is in the output register, the second before its last round
    seen = await ports.cycle(in_valid=1, in_block=int.from_bytes(blocks[2], "little"))
    assert seen.in_ready == (ports.stages > 1)
    for _ in range(rounds):
        assert not (await ports.cycle()).in_ready
    first = await ports.cycle(out_ready=1)
    assert (first.in_ready, first.out_block) == (True, results[0])
    second = await ports.cycle(in_valid=0)
    assert second.out_block == results[1]
    # of two blocks that are equal, the one that stood still has done its first round as the other entered
    third = await ports.until("third result", lambda seen: seen.out_valid)
    assert third.out_block == results[2]
    assert third.edge == first.edge + rounds + (ports.stages == 1)
    if ports.stages > 1:
        fourth = await ports.until("fourth result", lambda seen: seen.out_valid)
        assert (fourth.edge, fourth.out_block) == (third.edge + 1, results[2])


@cocotb.test()
async def every_edge_of_random_traffic_is_as_foretold(dut):
    """Blocks, keys, schedules, back-pressure and resets at random: each ready, each valid, each result."""
    numbers = generator(dut, "traffic")
    ports = await started(dut)
    timing, traffic, met = Timing(ports.stages), Traffic(numbers), Counter()
    for _ in range(TRAFFIC_EDGES):
        inputs, reset = traffic.offer(), numbers.random() < RESET_RATE
        seen = await ports.cycle(rst=reset, **traffic.levels(inputs))
        outputs = Outputs(seen.key_ready, seen.rk_ready, seen.in_ready, seen.out_valid)
        assert outputs == timing.outputs(inputs), f"edge {seen.edge}: {timing}, {inputs}"
        met["stall"] += timing.stalled(inputs)
        met["full core"] += timing.inside == min(timing.stages, timing.rounds) + 1
        met["key waits for blocks"] += inputs.key_valid and timing.inside > 0
        met["schedule waits for blocks"] += inputs.rk_valid and timing.inside > 0
        met["reset in flight"] += reset and timing.inside > 0
        traffic.passed(inputs, seen)
        timing.edge(inputs)
        if reset:
            timing = Timing(ports.stages)
            traffic.reset()
    dut._log.info("met: %s %s", dict(met), dict(traffic.counts))
    never = [name for counts in (met, traffic.counts) for name, count in counts.items() if not count]
    assert not never, f"this traffic has no {', '.join(never)}"
