"""The job ``factoring``: what it finds wrong, what its clock makes of it, and the CBC written by hand."""

import statistics

import pytest
from factoring_bench import (
    BLOCK,
    DRIVERS,
    FEW,
    RUNS,
    SOME,
    after,
    flip,
    only,
    pieces_of,
    reference,
    run_job,
)
from seeded import seeded

from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.drivers.software import SoftwareEngine
from pymodel.drivers.software_ciphers import SOFTWARE_CIPHERS
from pymodel.jobs import BenchSpec, model_bench, specialised
from pymodel.jobs.factoring import CIPHERS, GENERIC, REQUEST_BYTES, SPECIALISED, WARM_UP
from pymodel.jobs.factoring_ways import Row, WayByHand, WayOfModes
from pymodel.published.factoring import REPEATS

each_way = pytest.mark.parametrize("way", [WayOfModes, WayByHand])
some_rows = pytest.mark.parametrize("row", SOME, ids=str)


# -- wrong bytes ----------------------------------------------------------------------------------


@some_rows
@each_way
@pytest.mark.parametrize("number", [0, WARM_UP, WARM_UP + FEW - 1])
def test_one_wrong_bit_in_one_request_is_found(monkeypatch, row, way, number):
    only(monkeypatch, row)
    place = seeded("one bit", row, way.__name__, number).randrange(REQUEST_BYTES)
    after(monkeypatch, way, flip(
        lambda request: Buffers(pieces_of(request.destination)).part(place, 1).pieces[0].address), number)
    result, [found] = run_job()
    assert (found["runs"], found["right"], found["ok"]) == (RUNS, RUNS - 1, False)
    assert result == {"ok": False, "problems": [
        f"{row}: 1 of {RUNS} requests gave other bytes than cryptography does"]}


@some_rows
@each_way
@pytest.mark.parametrize("piece", [0, -1])
@pytest.mark.parametrize("side", ["before", "behind"])
def test_a_byte_written_beside_the_data_is_found(monkeypatch, row, way, piece, side):
    def beside(request):
        there = pieces_of(request.destination)[piece]
        return there.address - 1 if side == "before" else there.end

    only(monkeypatch, row)
    after(monkeypatch, way, flip(beside), 1)
    result, [found] = run_job()
    assert (found["right"], result["ok"]) == (RUNS - 1, False)


@each_way
def test_a_source_that_is_written_is_found(monkeypatch, way):
    only(monkeypatch, SOME[1])
    after(monkeypatch, way, flip(lambda request: pieces_of(request.source)[1].address), 2)
    result, [found] = run_job()
    assert (found["right"], result["ok"]) == (RUNS - 1, False)


@some_rows
@each_way
def test_a_request_that_leaves_everything_as_it_was_is_found(monkeypatch, row, way):
    async def run(self, request):
        return

    only(monkeypatch, row)
    monkeypatch.setattr(way, "run", run)
    result, [found] = run_job()
    assert (found["right"], result["ok"]) == (RUNS // 2, False)


@pytest.mark.parametrize("cipher", BLOCK)
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_an_engine_that_is_wrong_for_both_alike_is_found(monkeypatch, cipher, direction):
    only(monkeypatch, Row(direction, "UIO", True, True, cipher))
    for driver in DRIVERS:
        async def ecb(engine, key, src, dst, *, decrypt, original=driver.ecb):
            await original(engine, key, src, dst, decrypt=not decrypt)

        monkeypatch.setattr(driver, "ecb", ecb)
    result, [found] = run_job()
    assert (found["right"], result["ok"]) == (0, False)
    assert found["calls_generic"] == found["calls_specialised"]


def test_an_old_key_is_found(monkeypatch):
    def key(engine, data):
        keys.append(original(engine, data))
        return keys[min(len(keys) - 1, 1)]  # the first is that of the blocks between the requests

    keys, original = [], SoftwareEngine.key
    only(monkeypatch, Row("encrypt", "RAW", False, True, "des"))
    monkeypatch.setattr(SoftwareEngine, "key", key)
    result, [found] = run_job()
    assert (found["right"], result["ok"]) == (1, False)


def test_what_the_bench_complains_about_is_a_problem(monkeypatch):
    only(monkeypatch, SOME[2])
    bench = model_bench(BenchSpec())
    bench.problems = lambda: ["a beat too many"]
    result, [found] = run_job(bench=bench)
    assert found["ok"]
    assert result == {"ok": False, "problems": ["a beat too many"]}


@each_way
def test_a_call_more_in_one_request_is_reported_and_is_no_wrong_output(monkeypatch, way):
    async def two_blocks(engine, request):
        spare = Buffers.of(engine.memory.allocate(32), 32)
        await engine.ecb(engine.key(request.key), spare, spare, decrypt=False)

    only(monkeypatch, Row("decrypt", "RAW", True, True, "aes"))
    after(monkeypatch, way, two_blocks, WARM_UP)
    result, [found] = run_job()
    assert result["ok"]
    mine, other = (GENERIC, SPECIALISED)[::1 if way is WayOfModes else -1]
    assert (found[f"calls_{mine}"], found[f"calls_{other}"]) == ([1, 2], [1])
    assert (found[f"blocks_{mine}"], found[f"blocks_{other}"]) == ([32, 34], [32])
    assert (len(found[f"engine_cycles_{mine}"]), len(found[f"engine_cycles_{other}"])) == (2, 1)


# -- the clock ------------------------------------------------------------------------------------


def test_the_change_is_the_median_of_pairs_between_their_quartiles_without_the_first(monkeypatch):
    """The clock is ours, and goes on by these seconds in each request."""
    only(monkeypatch, SOME[1])
    changes = [7, -3, 12, 900, 5]
    seconds = {WayOfModes: iter([1e6] * WARM_UP + [10 * (1 + change / 100) for change in changes]),
               WayByHand: iter([1e-6] * WARM_UP + [10.0] * len(changes))}
    bench, now = model_bench(BenchSpec()), [0.0]
    bench.python_seconds = lambda: now[0]
    for way, times in seconds.items():
        async def pass_on(engine, request, times=times):
            now[0] += next(times)

        after(monkeypatch, way, pass_on)
    result, [found] = run_job(len(changes), bench)
    assert result["ok"]
    assert (found["lower_percent"], found["change_percent"], found["upper_percent"]) == (5, 7, 12)
    assert all(next(times, None) is None for times in seconds.values())


def test_the_quartiles_of_the_command_are_values_that_were_measured():
    assert REPEATS >= 21
    values = seeded("quartiles").sample(range(10_000), REPEATS)
    assert set(statistics.quantiles(values, n=4, method="inclusive")) <= set(values)


# -- by hand --------------------------------------------------------------------------------------


def cut(chance, address, length, size):
    """Pieces of any number of bytes, some of none, with gaps between them."""
    pieces, left = [], length
    while left:
        taken = min(left, chance.choice([0, 1, size - 1, size, size + 1, chance.randrange(3 * size)]))
        pieces.append(Piece(address, taken))
        address, left = address + taken + chance.randrange(1, 4), left - taken
    return pieces


def arriving(pieces, format_):
    return pieces[0] if format_ == "raw" else Mblk.chain(pieces) if format_ == "mblk" else pieces


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("format_", ["raw", "uio", "mblk"])
@pytest.mark.parametrize("cipher", BLOCK)
def test_cbc_by_hand_is_cbc_for_data_in_pieces_of_any_size(cipher, format_, direction):
    chance, size, across = seeded("by hand", cipher, format_, direction), BLOCK[cipher], 0
    bench = model_bench(BenchSpec())
    memory = bench.memory
    engine = SoftwareEngine(memory, bench.kernel, bench.cpus[0], cipher=SOFTWARE_CIPHERS[cipher])
    scratch = [memory.allocate(size)] if direction == "encrypt" else []
    areas = [memory.allocate(1 << 13) for _ in range(2)]
    for number in range(30):
        length = size * chance.randrange(1, 9)
        src, dst = ([Piece(area + 1, length)] if format_ == "raw" else cut(chance, area + 1, length, size)
                    for area in areas)
        dst = src if number % 2 else dst
        wanted = bytearray(chance.randbytes(2 << 13))
        memory.write(areas[0], wanted)
        key, iv = chance.randbytes(CIPHERS[cipher].key_bytes), chance.randbytes(size)
        result = iter(reference(cipher, key, iv, Buffers(src).read(memory), direction))
        for piece in dst:
            for address in range(piece.address, piece.end):
                wanted[address - areas[0]] = next(result)
        bench.kernel.run(getattr(specialised, f"{direction}_{format_}")(
            engine, engine.key(key), iv, arriving(src, format_), arriving(dst, format_), *scratch))
        assert memory.read(areas[0], len(wanted)) == wanted
        across += any(len(Buffers(dst).part(start, size).runs) > 1 for start in range(0, length, size))
    assert areas[1] == areas[0] + (1 << 13)
    assert (across > 10) == (format_ != "raw")
