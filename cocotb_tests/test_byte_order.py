"""docs/byte-order.md on the RTL: one block, seen in Python, in memory and on the wires."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.env.bench import RtlBench
from pymodel.buffers import Buffers

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
PLAINTEXT = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
CIPHERTEXT = bytes.fromhex("3925841d02dc09fbdc118597196a0b32")
PLAINTEXT_WORD = 0x340737E0A29831318D305A88A8F64332
CIPHERTEXT_WORD = 0x320B6A19978511DCFB09DC021D842539


@cocotb.test()
async def one_block_has_byte_0_in_bits_7_to_0_everywhere(dut):
    bench = await RtlBench.start(dut)
    memory, engine = bench.memory, bench.engine()
    src, dst = memory.allocate(512, 512), memory.allocate(512, 512)
    memory.write(src, PLAINTEXT)
    seen: dict[str, int] = {}

    async def watch_the_wires() -> None:
        """The only data beat of this request."""
        await RisingEdge(dut.wvalid)
        await FallingEdge(dut.clk)
        seen["wdata"] = int(dut.wdata.value)

    watch = cocotb.start_soon(watch_the_wires())
    key = engine.key(KEY)
    await bench.call(engine.ecb(key, Buffers.of(src, 16), Buffers.of(dst, 16), decrypt=False))
    await watch
    assert memory.read(dst, 16) == CIPHERTEXT
    assert memory.read(src, 1) == b"\x32"
    assert memory.read(dst, 1) == b"\x39"
    assert seen["wdata"] == CIPHERTEXT_WORD == int.from_bytes(CIPHERTEXT, "little")
    assert int(dut.ram.mem[src // 512].value) & (1 << 128) - 1 == PLAINTEXT_WORD
    assert int(dut.ram.mem[dst // 512].value) & (1 << 128) - 1 == CIPHERTEXT_WORD
    bench.check()
