"""axil_check_top: the checker passes what is right, and counts each kind of what is wrong, once."""

from __future__ import annotations

import cocotb
from cocotb.types import LogicArray

from cocotb_tests.bus_cases import IDLE, Checker, Cycle, codes, no_unknown_levels

SIGNALS = ("awaddr", "awprot", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid",
           "bready", "araddr", "arprot", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready")

AW: Cycle = {"awvalid": 1, "awready": 1, "awaddr": 0x100, "awprot": 2}
W: Cycle = {"wvalid": 1, "wready": 1, "wdata": 5, "wstrb": 15}
B: Cycle = {"bvalid": 1, "bready": 1}
AR: Cycle = {"arvalid": 1, "arready": 1, "araddr": 0x104}
R: Cycle = {"rvalid": 1, "rready": 1, "rdata": 7}

RIGHT: dict[str, list[Cycle]] = {
    "a write": [AW | W, B],
    "address first": [AW, W, B],
    "data first": [W, AW, B],
    "a write of which everything waits": [
        AW | W | {"awready": 0, "wready": 0}, AW | W | {"awready": 0}, AW, B | {"bready": 0}, B],
    "a read": [AR, R],
    "a read of which everything waits": [AR | {"arready": 0}, AR, R | {"rready": 0}, R],
    "a read and a write at a time": [AR | AW, W | R, B],
    "two of each under way": [AW | W | AR, AW | W | AR, B | R, B | R],
    "the next while the answer is taken": [AW | W | AR, AW | W | AR | B | R, B | R],
    "errors": [AW | W | AR, B | R | {"bresp": 2, "rresp": 3}],
    "ready before valid": [{"awready": 1, "wready": 1, "arready": 1, "bready": 1, "rready": 1}] * 2,
}

WRONG: dict[str, tuple[str, list[Cycle]]] = {
    "AW is dropped": ("AW_UNSTABLE", [AW | {"awready": 0}, IDLE]),
    "the address of a write changes": ("AW_UNSTABLE", [AW | {"awready": 0}, AW | {"awaddr": 0x104}, W, B]),
    "the master of a write changes": ("AW_UNSTABLE", [AW | {"awready": 0}, AW | {"awprot": 0}, W, B]),
    "W is dropped": ("W_UNSTABLE", [W | {"wready": 0}, IDLE]),
    "data change before wready": ("W_UNSTABLE", [W | {"wready": 0}, W | {"wdata": 6}, AW, B]),
    "strobes change before wready": ("W_UNSTABLE", [W | {"wready": 0}, W | {"wstrb": 1}, AW, B]),
    "B is dropped": ("B_UNSTABLE", [AW | W, B | {"bready": 0}, IDLE, B]),
    "the response changes before bready": ("B_UNSTABLE", [AW | W, B | {"bready": 0}, B | {"bresp": 2}]),
    "AR is dropped": ("AR_UNSTABLE", [AR | {"arready": 0}, IDLE]),
    "the address of a read changes": ("AR_UNSTABLE", [AR | {"arready": 0}, AR | {"araddr": 0x108}, R]),
    "the master of a read changes": ("AR_UNSTABLE", [AR | {"arready": 0}, AR | {"arprot": 2}, R]),
    "R is dropped": ("R_UNSTABLE", [AR, R | {"rready": 0}, IDLE, R]),
    "what is read changes before rready": ("R_UNSTABLE", [AR, R | {"rready": 0}, R | {"rdata": 8}]),
    "the response of a read changes": ("R_UNSTABLE", [AR, R | {"rready": 0}, R | {"rresp": 2}]),
    "B without a write": ("B_UNREQUESTED", [B]),
    "B without a write, which waits": ("B_UNREQUESTED", [B | {"bready": 0}, B]),
    "B before the address": ("B_UNREQUESTED", [W, B]),
    "B before the data": ("B_UNREQUESTED", [AW, B]),
    "B together with the data": ("B_UNREQUESTED", [AW, W | B]),
    "B for a write that still waits": ("B_UNREQUESTED", [AW | W | {"awready": 0}, AW | B]),
    "two B for one write": ("B_UNREQUESTED", [AW | W, B, B]),
    "R without a read": ("R_UNREQUESTED", [R]),
    "R together with the address": ("R_UNREQUESTED", [AR | R]),
    "two R for one read": ("R_UNREQUESTED", [AR, R, R]),
    "a write is exclusive": ("EXCLUSIVE", [AW | W, B | {"bresp": 1}]),
    "a read is exclusive": ("EXCLUSIVE", [AR, R | {"rresp": 1}]),
}

CODES = {name.removeprefix("AXIL_"): code for name, code in codes("axil_check_codes.vh").items()}


@cocotb.test()
async def what_is_right_passes(dut):
    checker = Checker(dut, SIGNALS)
    for name, cycles in RIGHT.items():
        assert await checker.findings(cycles) == (0, 0), name


@cocotb.test()
async def each_mistake_is_counted_once_and_named(dut):
    checker = Checker(dut, SIGNALS)
    for name, (kind, cycles) in WRONG.items():
        assert await checker.findings(cycles) == (1, CODES[kind]), name
    named = {kind for kind, _ in WRONG.values()}
    others = {"NONE", "FIRST", "LAST", "UNKNOWN", "UNKNOWN_PAYLOAD"}
    assert named == CODES.keys() - others, "a kind without a case"


@cocotb.test()
async def its_codes_are_none_of_the_other_checker(dut):
    others = codes("axi_check_codes.vh")
    own = {code for name, code in CODES.items() if name != "NONE"}
    assert own == set(range(CODES["FIRST"], CODES["LAST"] + 1))
    assert CODES["FIRST"] > others["LAST"]


@cocotb.test()
async def several_mistakes_are_all_counted_and_the_first_is_kept(dut):
    """In one cycle the one with the lowest number is the first."""
    cycles = [B | R | {"rresp": 1}, AW | {"awready": 0}, IDLE]
    assert await Checker(dut, SIGNALS).findings(cycles) == (4, CODES["B_UNREQUESTED"])


@cocotb.test(skip=no_unknown_levels)
async def an_unknown_level_is_counted_after_reset_only(dut):
    handshakes = [name for name in SIGNALS if name.endswith(("valid", "ready"))]
    assert len(handshakes) == 10
    await Checker(dut, SIGNALS).unknown_levels(handshakes, CODES["UNKNOWN"])


@cocotb.test(skip=no_unknown_levels)
async def an_unknown_level_in_a_payload_is_counted_while_it_is_valid_only(dut):
    checker = Checker(dut, SIGNALS)
    for names, before, cycle, after in (
            (("awaddr", "awprot"), [], AW, [W, B]), (("wdata", "wstrb"), [], W, [AW, B]),
            (("bresp",), [AW | W], B, []), (("araddr", "arprot"), [], AR, [R]),
            (("rdata", "rresp"), [AR], R, [])):
        for name in names:
            unknown = {name: LogicArray("X" * len(getattr(dut, name)))}
            assert await checker.findings([unknown, *before, cycle, *after]) == (0, 0), name
            assert await checker.findings([*before, cycle | unknown, *after]) == \
                (1, CODES["UNKNOWN_PAYLOAD"]), name
