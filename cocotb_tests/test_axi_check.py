"""axi_check_top: the checker passes what is right, and counts each kind of what is wrong, once."""

from __future__ import annotations

import cocotb

from cocotb_tests.bus_cases import IDLE, Checker, Cycle, codes, no_unknown_levels

SIGNALS = ("arid", "araddr", "arlen", "arsize", "arburst", "arvalid", "arready",
           "rid", "rdata", "rresp", "rlast", "rvalid", "rready",
           "awid", "awaddr", "awlen", "awsize", "awburst", "awvalid", "awready",
           "wdata", "wstrb", "wlast", "wvalid", "wready",
           "bid", "bresp", "bvalid", "bready")

AR: Cycle = {"arvalid": 1, "arready": 1, "araddr": 0x1000, "arsize": 4, "arburst": 1}
R: Cycle = {"rvalid": 1, "rready": 1, "rdata": 1, "rlast": 1}
AW: Cycle = {"awvalid": 1, "awready": 1, "awaddr": 0x1000, "awsize": 4, "awburst": 1}
W: Cycle = {"wvalid": 1, "wready": 1, "wdata": 1, "wlast": 1, "wstrb": 0xFFFF}
B: Cycle = {"bvalid": 1, "bready": 1}

RIGHT: dict[str, list[Cycle]] = {
    "a read": [AR, R],
    "two reads at a time, R while the next AR waits": [
        AR | {"arlen": 1}, AR, R | {"rlast": 0}, R | AR | {"arready": 0}, R | AR | {"arready": 1}, R],
    "a read up to the page end": [AR | {"araddr": 0x1F00, "arlen": 15}] + [R | {"rlast": 0}] * 15 + [R],
    "a write": [AW, W, B],
    "a write of two, everything waits once": [
        AW | {"awlen": 1, "awready": 0}, AW | {"awlen": 1}, W | {"wlast": 0, "wready": 0}, W | {"wlast": 0},
        W, B | {"bready": 0}, B],
    "R waits": [AR, R | {"rready": 0}, R],
    "errors": [AR, R | {"rresp": 2}, AW, W, B | {"bresp": 3}],
}

WRONG: dict[str, tuple[str, list[Cycle]]] = {
    "AR is dropped": ("AR_UNSTABLE", [AR | {"arready": 0}, IDLE]),
    "the address changes before arready": ("AR_UNSTABLE", [AR | {"arready": 0}, AR | {"araddr": 0x2000}, R]),
    "R is dropped": ("R_UNSTABLE", [AR, R | {"rready": 0}, IDLE, R]),
    "R data changes before rready": ("R_UNSTABLE", [AR, R | {"rready": 0}, R | {"rdata": 2}]),
    "AW is dropped": ("AW_UNSTABLE", [AW | {"awready": 0}, IDLE]),
    "the length changes before awready": (
        "AW_UNSTABLE", [AW | {"awready": 0, "awlen": 3}, AW, W, B]),
    "W is dropped": ("W_UNSTABLE", [AW, W | {"wready": 0}, IDLE, W, B]),
    "W data changes before wready": ("W_UNSTABLE", [AW, W | {"wready": 0}, W | {"wdata": 2}, B]),
    "B is dropped": ("B_UNSTABLE", [AW, W, B | {"bready": 0}, IDLE, B]),
    "the response changes before bready": ("B_UNSTABLE", [AW, W, B | {"bready": 0}, B | {"bresp": 2}]),
    "a read of 8-byte beats": ("AR_SHAPE", [AR | {"arsize": 3}, R]),
    "a fixed read": ("AR_SHAPE", [AR | {"arburst": 0}, R]),
    "a read from between two beats": ("AR_SHAPE", [AR | {"araddr": 0x1008}, R]),
    "a read of 17 beats": ("AR_SHAPE", [AR | {"arlen": 16}] + [R | {"rlast": 0}] * 16 + [R]),
    "a write of 8-byte beats": ("AW_SHAPE", [AW | {"awsize": 3}, W, B]),
    "a wrapping write": ("AW_SHAPE", [AW | {"awburst": 2}, W, B]),
    "a write to between two beats": ("AW_SHAPE", [AW | {"awaddr": 0x1001}, W, B]),
    "a read across a page end": (
        "AR_CROSSES_PAGE", [AR | {"araddr": 0x1FF0, "arlen": 1}, R | {"rlast": 0}, R]),
    "a write across a page end": (
        "AW_CROSSES_PAGE", [AW | {"awaddr": 0x1FF0, "awlen": 1}, W | {"wlast": 0}, W, B]),
    "three reads at a time": ("READS_OUTSTANDING", [AR, AR, AR, R, R, R]),
    "two writes at a time": ("WRITE_OUTSTANDING", [AW, W, AW, W, B]),
    "R without a request": ("R_UNREQUESTED", [R]),
    "R after the last": ("R_UNREQUESTED", [AR, R, R]),
    "RLAST too early": ("RLAST", [AR | {"arlen": 1}, R]),
    "RLAST too late": ("RLAST", [AR, R | {"rlast": 0}]),
    "W without AW": ("W_WITHOUT_AW", [W]),
    "W together with AW": ("W_WITHOUT_AW", [AW | W]),
    "WLAST too early": ("WLAST", [AW | {"awlen": 1}, W, B]),
    "WLAST too late": ("WLAST", [AW, W | {"wlast": 0}]),
    "a byte left out": ("WSTRB", [AW, W | {"wstrb": 0xFFFE}, B]),
    "B without a write": ("B_UNREQUESTED", [B]),
    "B before WLAST": ("B_UNREQUESTED", [AW, B]),
    "R with another id": ("ID", [AR, R | {"rid": 1}]),
    "B with another id": ("ID", [AW | {"awid": 1}, W, B]),
}


CODES = codes("axi_check_codes.vh")


@cocotb.test()
async def what_is_right_passes_and_is_counted(dut):
    checker = Checker(dut, SIGNALS)
    for name, cycles in RIGHT.items():
        assert await checker.findings(cycles) == (0, 0), name
        for counter, valid, ready in (("ar_bursts", "arvalid", "arready"), ("r_beats", "rvalid", "rready"),
                                      ("aw_bursts", "awvalid", "awready"), ("w_beats", "wvalid", "wready")):
            handshakes = sum(cycle.get(valid, 0) & cycle.get(ready, 0) for cycle in cycles)
            assert int(getattr(dut, counter).value) == handshakes, (name, counter)


@cocotb.test()
async def each_mistake_is_counted_once_and_named(dut):
    checker = Checker(dut, SIGNALS)
    for name, (kind, cycles) in WRONG.items():
        assert await checker.findings(cycles) == (1, CODES[kind]), name
    named = {kind for kind, _ in WRONG.values()}
    assert named == CODES.keys() - {"NONE", "LAST", "UNKNOWN"}, "a kind without a case"
    assert CODES["LAST"] == CODES["UNKNOWN"] == len(named) + 1


@cocotb.test()
async def several_mistakes_are_all_counted_and_the_first_is_kept(dut):
    """In one cycle the one with the lowest number is the first."""
    checker = Checker(dut, SIGNALS)
    crossing = AR | {"arsize": 3, "araddr": 0x1FF0, "arlen": 1}
    cycles = [W | {"wstrb": 0}, crossing, R | {"rlast": 0, "rid": 1}, R]
    assert await checker.findings(cycles) == (5, CODES["W_WITHOUT_AW"])


@cocotb.test(skip=no_unknown_levels)
async def an_unknown_level_on_a_handshake_is_counted_after_reset_only(dut):
    handshakes = [name for name in SIGNALS if name.endswith(("valid", "ready"))]
    assert len(handshakes) == 10
    await Checker(dut, SIGNALS).unknown_levels(handshakes, CODES["UNKNOWN"])
