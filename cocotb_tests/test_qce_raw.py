"""qce_top by its ports alone, without model, driver or bench: data, dump, states, errors, and exact cycles.

Cycles of one block without SLOW_START, in edges after GO: lists checked 2, first read command 5, its data 8,
into the core 15 (the key, offered at 2, is ready then), out 25, into the writer 26, burst decided 27, AW 28,
W 29, B 30, end 31. Numbers below are built from these; a latency of 1 is in them.
"""

from __future__ import annotations

import os
import random

import cocotb
from cocotb.triggers import FallingEdge

from cocotb_tests.qce_raw import BLOCK, DONE, DUMP, KEY, SOURCE, TARGET, RawQce, Request, data, one
from cocotb_tests.scenes import generator
from pymodel.engines.qce import STALE_STATUS, Descriptor, ResultDump
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.golden.modes import ecb_decrypt, ecb_encrypt

STAGES = int(os.environ.get("ECBENCH_STAGES", "1"))
ONE_BLOCK = 31
LATER_DATA = 6
"""Edges by which a block comes to the core later when no expansion of its key covers them: SLOW_START 64."""


SOURCE_BYTES = 0x3000
"""What scattered pieces span at the most."""


@cocotb.test()
async def one_block_is_encrypted_in_31_cycles(dut):
    qce = await RawQce.start(dut)
    plain = data(1, BLOCK)
    qce.store(SOURCE, plain)
    assert await qce.run(one(BLOCK)) == DONE
    assert qce.load(TARGET, BLOCK) == ecb_encrypt(KEY, plain)
    assert await qce.read(Register.CYCLES) == ONE_BLOCK
    assert await qce.read(Register.BYTES_DONE) == BLOCK
    qce.check()


@cocotb.test()
async def a_slow_start_hides_the_expansion_of_the_key(dut):
    """64 more edges to the first command; the data then comes 9 edges after the lists, the key waits."""
    qce = await RawQce.start(dut, slow_start_cycles=64)
    assert await qce.run(one(BLOCK)) == DONE
    assert await qce.read(Register.CYCLES) == ONE_BLOCK + 64 - LATER_DATA


@cocotb.test()
async def every_key_size_and_direction_gives_what_aes_does(dut):
    qce = await RawQce.start(dut, quirks=Quirk.all() & ~Quirk.NO_AES192)
    text = data(2, 5 * BLOCK)
    qce.store(SOURCE, text)
    for size in (16, 24, 32):
        key = data(size, size)
        for encrypt, golden in ((True, ecb_encrypt), (False, ecb_decrypt)):
            request = one(len(text), key=key, encrypt=encrypt)
            assert await qce.run(request) == DONE
            assert qce.load(TARGET, len(text)) == golden(key, text), (size, encrypt)
    qce.check()


@cocotb.test()
async def without_a_code_for_192_bits_it_is_aes_128_with_the_first_16_bytes(dut):
    qce = await RawQce.start(dut)
    text, key = data(3, 2 * BLOCK), data(4, 24)
    qce.store(SOURCE, text)
    assert await qce.run(one(len(text), key=key)) == DONE
    assert qce.load(TARGET, len(text)) == ecb_encrypt(key[:16], text)


@cocotb.test()
async def the_dump_follows_the_data_in_one_descriptor_and_in_one_burst(dut):
    """Its 8 beats enter the writer at 27 to 34, the burst of 9 is decided at 35, W to 45, end 47."""
    qce = await RawQce.start(dut)
    plain = data(5, BLOCK)
    qce.store(SOURCE, plain)
    counters = {Register(Register.CNTR0_IV + 4 * k): 0x01020304 * (k + 1) for k in range(4)}
    qce.store(TARGET, bytes(256))
    assert await qce.run(one(BLOCK, 240, dump=True, changes=counters)) == DONE
    written = qce.load(TARGET, 256)
    assert written[:BLOCK] == ecb_encrypt(KEY, plain)
    dump = ResultDump.decode(written[BLOCK:BLOCK + DUMP])
    assert dump == ResultDump(tuple(counters.values()), STALE_STATUS, 0)
    assert written[BLOCK:BLOCK + DUMP] == dump.encode()
    assert not any(written[BLOCK + DUMP:])
    assert await qce.read(Register.CYCLES) == 47
    assert await qce.read(Register.BYTES_DONE) == BLOCK
    qce.check()


@cocotb.test()
async def a_dump_with_an_entry_of_its_own_is_a_burst_of_its_own(dut):
    """The block's B at 30, the next command 31; the dump's last beat comes at 34, decided 35, end 46."""
    qce = await RawQce.start(dut, quirks=Quirk.all() & ~Quirk.STALE_DUMP_STATUS)
    request = Request(BLOCK, [Descriptor(SOURCE, BLOCK)],
                      [Descriptor(TARGET, BLOCK), Descriptor(TARGET + 0x1000, DUMP)], dump=True)
    assert await qce.run(request) == DONE
    assert ResultDump.decode(qce.load(TARGET + 0x1000, DUMP)) == ResultDump((0, 0, 0, 0), DONE, 0)
    assert await qce.read(Register.CYCLES) == 46
    assert await qce.read(Register.DST_CURRENT) == 1


@cocotb.test()
async def without_the_quirk_the_dump_begins_at_the_next_descriptor(dut):
    """Which may be too short for it; what is left of the one before stays as it was."""
    qce = await RawQce.start(dut, quirks=Quirk.all() & ~Quirk.DUMP_FOLLOWS_DATA)
    qce.store(TARGET, b"\xaa" * 512)
    request = Request(3 * BLOCK, [Descriptor(SOURCE, 3 * BLOCK)],
                      [Descriptor(TARGET, 16), Descriptor(TARGET + 16, 64), Descriptor(TARGET + 0x80, 48),
                       Descriptor(TARGET + 0x100, 96)], dump=True)
    assert await qce.run(request) == DONE
    written = qce.load(TARGET, 512)
    dump = ResultDump((0, 0, 0, 0), STALE_STATUS, 0).encode()
    assert written[3 * BLOCK:0x80] == b"\xaa" * (0x80 - 3 * BLOCK)
    assert written[0x80:0x80 + 48] == dump[:48]
    assert written[0x100:0x100 + 80] == dump[48:]
    assert written[0x100 + 80:] == b"\xaa" * (0x100 - 80)
    qce.check()


@cocotb.test()
async def scatter_lists_of_any_shape_are_one_stream(dut):
    """Empty descriptors, some across pages, of which the last is cut at the size."""
    qce = await RawQce.start(dut)
    numbers = generator(dut, "scatter lists")
    for _ in range(6):
        size = 512 * numbers.randrange(1, 4)
        text = numbers.randbytes(size)
        source, destination = scattered(numbers, SOURCE, size), scattered(numbers, TARGET, size)
        memory, done = bytearray(SOURCE_BYTES), 0
        for piece in source:
            start = piece.address - SOURCE
            memory[start:start + len(text[done:done + piece.size])] = text[done:done + piece.size]
            done += piece.size
        qce.store(SOURCE, bytes(memory))
        assert await qce.run(Request(size, source, destination)) == DONE
        written = b"".join(qce.load(piece.address, piece.size) for piece in destination if piece.size)
        assert written[:size] == ecb_encrypt(KEY, text)
        qce.check()


def scattered(numbers: random.Random, address: int, size: int) -> list[Descriptor]:
    pieces = []
    address += 0xF00
    while size > 0:
        length = BLOCK * numbers.choice((0, 1, 1, 2, 5, 17, 40))
        pieces.append(Descriptor(address, length))
        address += length + BLOCK * numbers.randrange(1, 9)
        size -= length
    assert len(pieces) <= 64
    return pieces


@cocotb.test()
async def each_piece_costs_its_commands(dut):
    """Two pieces of a block on each side. The second read command is taken at 9, long before its block can
    enter. With two bursts the second command is taken at 31; empty descriptors are skipped meanwhile."""
    qce = await RawQce.start(dut)
    source = [Descriptor(SOURCE, BLOCK), Descriptor(SOURCE + 0x100, BLOCK)]
    apart = [Descriptor(TARGET, BLOCK), Descriptor(TARGET + 0x100, BLOCK)]
    together = [Descriptor(TARGET, 2 * BLOCK)]
    cycles = []
    for pieces in (together, apart, [apart[0], Descriptor(0, 0), Descriptor(0, 0), apart[1]]):
        assert await qce.run(Request(2 * BLOCK, source, pieces)) == DONE
        cycles.append(await qce.read(Register.CYCLES))
    assert cycles == [42 if STAGES == 1 else 33, *[41 if STAGES == 1 else 36] * 2]


@cocotb.test()
async def longer_requests_keep_their_pace(dut):
    """STAGES 1 and 2: the last of 512 blocks enters 511 / STAGES * 10 after the first, at 15; the burst of
    16 that ends with it takes 31 edges more. STAGES 14: 18 edges for each of 32 bursts, from 42 on."""
    qce = await RawQce.start(dut)
    expected = {1: 5156, 2: 2597, 14: 619}[STAGES]
    assert await qce.run(one(512 * BLOCK)) == DONE
    assert await qce.read(Register.CYCLES) == expected


@cocotb.test()
async def other_memory_latencies_and_pauses_change_no_data(dut):
    qce = await RawQce.start(dut, read_latency=9, write_latency=5)
    dut.stall_mask.value, dut.stall_rate.value = 0x1F, 100
    text = data(8, 1024)
    qce.store(SOURCE, text)
    for seed in (1, 2, 3):
        dut.stall_seed.value = seed
        await FallingEdge(dut.clk)
        assert await qce.run(one(1024, 1024 + DUMP, dump=True)) == DONE
        assert qce.load(TARGET, 1024) == ecb_encrypt(KEY, text)
        qce.store(TARGET, bytes(1024 + DUMP))
    dut.stall_seed.value = 0
    qce.check()
