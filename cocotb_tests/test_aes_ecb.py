"""aes_ecb as toplevel: known answers, random blocks, the cost of a key, stalls, wrong schedules."""

from __future__ import annotations

import random
from collections.abc import Callable

import cocotb
import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from cocotb_tests.aes_ecb_ports import AesEcbPorts
from cocotb_tests.aes_ecb_timing import KEY_EXTRA_EDGES
from cocotb_tests.scenes import generator
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael

# FIPS-197 appendix C, and the example of appendix B
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
EXAMPLES = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}
EXAMPLE_B = (
    "2b7e151628aed2a6abf7158809cf4f3c",
    "3243f6a8885a308d313198a2e0370734",
    "3925841d02dc09fbdc118597196a0b32",
)

each_size_and_direction = cocotb.parametrize(key_bytes=[16, 24, 32], decrypt=[False, True])


def chance(numbers: random.Random, probability: float) -> Callable[[int], bool]:
    return lambda edge: numbers.random() < probability


async def started(dut) -> AesEcbPorts:
    ports = AesEcbPorts(dut)
    await ports.start()
    return ports


def random_blocks(numbers: random.Random, count: int) -> list[bytes]:
    return [numbers.randbytes(BLOCK_BYTES) for _ in range(count)]


def reference(key: bytes, blocks: list[bytes], decrypt: bool) -> list[bytes]:
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    data = (cipher.decryptor() if decrypt else cipher.encryptor()).update(b"".join(blocks))
    return [data[at:at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES)]


def schedule_of(key: bytes, decrypt: bool) -> list[bytes]:
    forward = rijndael.expand(key)
    return [row.tobytes() for row in (rijndael.invert(forward) if decrypt else forward)]


def rounds_over(schedule: list[bytes], blocks: list[bytes], decrypt: bool) -> list[bytes]:
    """What hardware that obeys this schedule makes of the blocks."""
    rows = np.frombuffer(b"".join(schedule), np.uint8).reshape(-1, BLOCK_BYTES)
    data = np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, BLOCK_BYTES)
    return [row.tobytes() for row in rijndael.cipher(rows, data, decrypt)]


async def load(ports: AesEcbPorts, key: bytes, decrypt: bool, by_schedule: bool) -> None:
    if by_schedule:
        await ports.load_schedule(schedule_of(key, decrypt), decrypt)
    else:
        await ports.load_key(key, decrypt)


@cocotb.test()
@cocotb.parametrize(by_schedule=[False, True])
async def fips197_examples(dut, by_schedule: bool):
    ports = await started(dut)
    examples = [(bytes(range(size)), PLAIN, bytes.fromhex(text)) for size, text in EXAMPLES.items()]
    examples.append(tuple(bytes.fromhex(text) for text in EXAMPLE_B))
    for key, plain, encrypted in examples:
        await load(ports, key, False, by_schedule)
        assert (await ports.run([plain])).results == [encrypted], f"encryption, {8 * len(key)} bits"
        await load(ports, key, True, by_schedule)
        assert (await ports.run([encrypted])).results == [plain], f"decryption, {8 * len(key)} bits"


@cocotb.test()
@cocotb.parametrize(key_bytes=[16, 24, 32], decrypt=[False, True], by_schedule=[False, True])
async def random_blocks_agree_with_cryptography(dut, key_bytes: int, decrypt: bool, by_schedule: bool):
    numbers = generator(dut, f"blocks {key_bytes} {decrypt} {by_schedule}")
    ports = await started(dut)
    for _ in range(4):
        key, blocks = numbers.randbytes(key_bytes), random_blocks(numbers, 12)
        await load(ports, key, decrypt, by_schedule)
        assert (await ports.run(blocks)).results == reference(key, blocks, decrypt)


@cocotb.test()
@each_size_and_direction
async def a_block_follows_a_key_after_nr_plus_3_cycles(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"key latency {key_bytes} {decrypt}")
    ports = await started(dut)
    ports.drive(in_valid=1, in_block=int.from_bytes(PLAIN, "little"))
    for _ in range(2):  # the second key finds the core with a schedule
        key = numbers.randbytes(key_bytes)
        loaded = await ports.load_key(key, decrypt)
        accepted = await ports.until("block accepted", lambda seen: seen.in_ready)
        assert accepted.edge - loaded == rijndael.ROUNDS[key_bytes] + KEY_EXTRA_EDGES
        ports.drive(key_valid=1)  # keeps a second block out
        result = await ports.until("result", lambda seen: seen.out_valid)
        assert result.out_block == reference(key, [PLAIN], decrypt)[0]
        await ports.cycle(out_ready=1)
        ports.drive(out_ready=0, key_valid=0)


@cocotb.test()
@each_size_and_direction
async def a_block_follows_a_schedule_in_the_next_cycle(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"schedule latency {key_bytes} {decrypt}")
    ports = await started(dut)
    key, rounds = numbers.randbytes(key_bytes), rijndael.ROUNDS[key_bytes]
    ports.drive(in_valid=1, in_block=int.from_bytes(PLAIN, "little"))
    beats = await ports.load_schedule(schedule_of(key, decrypt), decrypt)
    assert beats == list(range(beats[0], beats[0] + rounds + 1)), "a beat in every cycle"
    seen = await ports.cycle()
    assert seen.in_ready
    assert seen.edge == beats[-1] + 1
    ports.drive(in_valid=0)
    result = await ports.until("result", lambda seen: seen.out_valid)
    assert result.edge == seen.edge + rounds + 1
    assert result.out_block == reference(key, [PLAIN], decrypt)[0]


@cocotb.test()
@each_size_and_direction
async def random_stalls_lose_and_reorder_nothing(dut, key_bytes: int, decrypt: bool):
    numbers = generator(dut, f"stalls {key_bytes} {decrypt}")
    ports = await started(dut)
    for in_stall, out_stall in ((0.0, 0.95), (0.9, 0.0), (0.5, 0.5), (0.9, 0.9), (0.0, 0.5)):
        key, blocks = numbers.randbytes(key_bytes), random_blocks(numbers, 15 + ports.stages)
        schedule = schedule_of(key, decrypt)
        await ports.load_schedule(schedule, decrypt, chance(numbers, 0.5))
        run = await ports.run(blocks, chance(numbers, in_stall), chance(numbers, out_stall))
        assert run.results == reference(key, blocks, decrypt)


@cocotb.test()
async def a_new_key_is_used_from_the_next_block_on(dut):
    numbers = generator(dut, "key changes")
    ports = await started(dut)
    for _ in range(24):
        key, decrypt = numbers.randbytes(numbers.choice((16, 24, 32))), numbers.random() < 0.5
        blocks = random_blocks(numbers, numbers.randint(0, 2))
        await load(ports, key, decrypt, numbers.random() < 0.5)
        assert (await ports.run(blocks)).results == reference(key, blocks, decrypt)


@cocotb.test()
@cocotb.parametrize(rounds=[10, 12, 14], decrypt=[False, True])
async def a_wrong_schedule_is_obeyed_as_it_comes(dut, rounds: int, decrypt: bool):
    numbers = generator(dut, f"wrong schedule {rounds} {decrypt}")
    ports = await started(dut)
    key = numbers.randbytes(4 * (rounds - 6))
    spoilt = schedule_of(key, decrypt)
    spoilt[numbers.randrange(rounds + 1)] = numbers.randbytes(BLOCK_BYTES)
    for schedule in (random_blocks(numbers, rounds + 1), spoilt, schedule_of(key, not decrypt)):
        blocks = random_blocks(numbers, 3)
        await ports.load_schedule(schedule, decrypt)
        assert (await ports.run(blocks)).results == rounds_over(schedule, blocks, decrypt)
