"""RAW, UIO and MBLK data through every mode and engine: the layouts of Linux's testmgr, and random ones."""

from __future__ import annotations

import pytest
from padlock_bench import PadlockBench
from qce_driver_bench import QceBench
from seeded import seeded

from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.ciphers import ALL_MODES, KEY_BYTES
from pymodel.jobs.layouts import LayoutCase, fixed_requests, judge, random_request
from pymodel.jobs.piece_layouts import FIXED, Areas, PieceLayout, PlacedRequest, Side
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory
from pymodel.regress.run import seed_from_environment

RANDOM_LAYOUTS = 800


def software():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(128 * PAGE_BYTES), kernel, Cpu(kernel))


ENGINES = {"software": software, "padlock": lambda: PadlockBench().driver(),
           "qce": lambda: QceBench().driver()}


# -- the formats ----------------------------------------------------------------------------------


def test_a_format_is_a_view_of_the_same_bytes():
    pieces = [(100, 5), (50, 0), (200, 7)]
    assert Buffers.raw(100, 5).pieces == (Piece(100, 5),)
    for buffers in (Buffers.uio(pieces), Buffers.mblk(Mblk.chain(pieces)), Buffers(pieces)):
        assert buffers.pieces == (Piece(100, 5), Piece(50, 0), Piece(200, 7))
        assert Buffers.mblk(buffers.as_mblk()).pieces == buffers.pieces


def test_a_chain_goes_from_block_to_block():
    chain = Mblk(100, 105, Mblk(50, 50, Mblk(200, 207)))
    assert Mblk.chain([(100, 5), (50, 0), (200, 7)]) == chain
    assert [(block.rptr, block.wptr) for block in chain] == [(100, 105), (50, 50), (200, 207)]
    assert len(Buffers.mblk(Mblk.chain([]))) == 0


@pytest.mark.parametrize(("offset", "length", "expected"), [
    (0, None, [(100, 5), (200, 7)]), (3, None, [(103, 2), (200, 7)]), (5, 7, [(200, 7)]),
    (4, 2, [(104, 1), (200, 1)]), (12, 0, []), (12, None, []), (0, 0, [])])
def test_offset_and_length_choose_bytes_of_iovecs_and_chains(offset, length, expected):
    pieces = [(100, 5), (200, 7)]
    for buffers in (Buffers.uio(pieces, offset, length), Buffers.mblk(Mblk.chain(pieces), offset, length)):
        assert buffers.runs == tuple(Piece(*piece) for piece in expected)


@pytest.mark.parametrize(("offset", "length"), [(0, 13), (13, None), (13, 0), (-1, None), (6, 7), (2, -1)])
def test_bytes_that_are_not_there_are_refused(offset, length):
    with pytest.raises(InvalidRequest, match="of 12"):
        Buffers.uio([(100, 5), (200, 7)], offset, length)


def test_a_message_block_that_ends_before_it_begins_is_refused():
    with pytest.raises(InvalidRequest, match="a piece of -1 bytes"):
        Buffers.mblk(Mblk(100, 99))


def test_a_split_is_the_parts_one_after_another():
    rng = seeded(1)
    for _ in range(200):
        buffers = Buffers([(1000 * n, rng.randrange(5)) for n in range(rng.randrange(6))])
        lengths = []
        while sum(lengths) < len(buffers) and rng.random() < 0.9:
            lengths.append(rng.randint(0, len(buffers) - sum(lengths)))
        parts = buffers.split(lengths)
        assert [part.runs for part in parts] == [
            buffers.part(sum(lengths[:n]), length).runs for n, length in enumerate(lengths)]
    for lengths in ([13], [5, 8], [-1]):
        with pytest.raises(ValueError, match="part"):
            Buffers([(100, 5), (200, 7)]).split(lengths)


# -- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ALL_MODES)
def test_layouts_are_right_in_every_mode_over_the_software_engine(mode):
    rng, engine = seeded(mode), software()
    areas, chosen = Areas(engine.memory), [*fixed_requests(mode, rng)]
    chosen += [random_request(mode, rng) for _ in range(RANDOM_LAYOUTS)]
    for number, (layout, case) in enumerate(chosen):
        wrong = engine.kernel.run(judge(engine, areas, layout, case))
        assert not wrong, f"request {number}: {layout}"


@pytest.mark.parametrize("engine_name", ["padlock", "qce"])
@pytest.mark.parametrize("mode", ALL_MODES)
def test_the_layouts_of_testmgr_and_800_random_ones_are_right_in_every_mode(run_job, engine_name, mode):
    end = run_job("layouts", {"modes": [mode], "fixed": True, "random": RANDOM_LAYOUTS,
                              "seed": seed_from_environment()}, bench=BenchSpec(engine=engine_name))
    end.assert_passed()
    assert end.result["requests"] == len(FIXED) * 5 * 2 + RANDOM_LAYOUTS
    assert len(end.result["formats"]) == 3 + 9
    assert end.result["hardware_blocks"] > 1000


class Spoiling(SoftwareEngine):
    """Changes one byte just behind the first piece of the destination."""

    async def ecb(self, key, src, dst, *, decrypt):
        await super().ecb(key, src, dst, decrypt=decrypt)
        self.memory.write(dst.pieces[0].end, b"x")


class Wrong(SoftwareEngine):
    """Changes one byte of the result."""

    async def ecb(self, key, src, dst, *, decrypt):
        await super().ecb(key, src, dst, decrypt=decrypt)
        self.memory.write(dst.pieces[0].address, b"x")


@pytest.mark.parametrize(("kind", "says"), [(Spoiling, "1 bytes differ"), (Wrong, "wrong output")])
def test_what_is_wrong_with_a_request_is_said(kind, says):
    kernel = Kernel()
    engine = kind(HostMemory(128 * PAGE_BYTES), kernel, Cpu(kernel))
    case = LayoutCase("ecb", bytes(16), b"", bytes(48), False)
    assert engine.kernel.run(judge(engine, Areas(engine.memory), FIXED[1], case)).startswith(says)


# -- refusals -------------------------------------------------------------------------------------

REFUSALS = {
    "ecb": [("length", "17 bytes are not a multiple of 16"), ("destination", "destination of 32")],
    "cbc": [("length", "17 bytes are not a multiple of 16"), ("iv", "an IV of 15 bytes"),
            ("destination", "destination of 32")],
    "ctr": [("iv", "a counter of 15 bytes"), ("destination", "destination of 32")],
    "gcm": [("iv", "an IV of 0 bytes"), ("destination", "destination of 32")],
    "xts": [("length", "XTS of 15 bytes"), ("iv", "a tweak of 15 bytes"),
            ("destination", "destination of 32")],
}
_IN_PIECES = Side(((1900, 33), (3300, 7), (4800, 18)), "mblk")


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize(("mode", "what", "message"),
                         [(mode, *refusal) for mode, refusals in REFUSALS.items() for refusal in refusals])
def test_a_bad_request_in_pieces_is_refused_and_touches_nothing(engine_name, mode, what, message):
    engine = ENGINES[engine_name]()
    areas, key = Areas(engine.memory), bytes(range(KEY_BYTES[mode][0]))
    length = {"xts": 15}.get(mode, 17) if what == "length" else 48
    iv = bytes(0 if mode == "gcm" else 15) if what == "iv" else bytes(16)
    case = LayoutCase(mode, key, iv, bytes(length), False)
    placed = PlacedRequest(areas, PieceLayout("", _IN_PIECES, _IN_PIECES), case.data)
    calls = engine.counters.calls
    dst = placed.dst.part(0, 32) if what == "destination" else placed.dst
    with pytest.raises(InvalidRequest, match=message):
        engine.kernel.run(case.run(engine, placed.src, dst))
    assert not placed.damage(None)
    assert engine.counters.calls == calls


def test_damage_beside_a_piece_is_found():
    engine = software()
    placed = PlacedRequest(Areas(engine.memory), FIXED[5], bytes(64))
    assert placed.damage(None) == ""
    placed.dst.scatter(engine.memory, bytes(64))
    assert placed.damage(bytes(64)) == ""
    assert placed.damage(None).startswith("64 bytes differ")
    engine.memory.write(placed.dst.pieces[1].end, b"x")
    assert placed.damage(bytes(64)).startswith("1 bytes differ")
