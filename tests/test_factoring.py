"""The job ``factoring``: which requests it makes, each way, and in which circumstances."""

import gc
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import pairwise

import pytest
from conftest import ROOT
from factoring_bench import BLOCK, DRIVERS, FEW, RUNS, only, run_job

from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.jobs import BenchSpec, factoring_ways, model_bench
from pymodel.jobs.engines import KINDS
from pymodel.jobs.factoring import GENERIC, REQUEST_BYTES, SPECIALISED, WARM_UP, all_rows
from pymodel.jobs.factoring_ways import Row, WayByHand, WayOfModes
from pymodel.regress.build import build
from pymodel.regress.config import known_top
from pymodel.regress.launch import JobRequest, run_on_rtl


@dataclass
class Call:
    """Of an engine: who made it, and with what."""

    module: str
    function: str
    key: object
    src: Buffers
    dst: Buffers
    decrypt: bool
    collecting: bool


@dataclass
class Request:
    """Calls before the clock was read and between its readings; keys made and released between them."""

    before: list
    timed: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    released: list = field(default_factory=list)

    @property
    def way(self):
        [module] = {call.module for call in self.timed}
        return {"pymodel.modes.cbc": GENERIC, "pymodel.modes.cbc_many": GENERIC,
                "pymodel.jobs.specialised": SPECIALISED}[module]


class Spy:
    """Notes what the engines of the job are asked to do."""

    def __init__(self, monkeypatch, bench):
        self.requests, self.keys, self.released = [], [], []
        self._open = None
        self._forget()
        bench.python_seconds = self._clock
        for driver in DRIVERS:
            for name in ("ecb", "key", "release"):
                monkeypatch.setattr(driver, name, getattr(self, name)(getattr(driver, name)))

    def _forget(self):
        self._calls, self._made, self._let_go = [], [], []

    def _clock(self):
        if self._open is None:
            self._open = Request(self._calls)
        else:
            self._open.timed, self._open.keys, self._open.released = self._calls, self._made, self._let_go
            self.requests.append(self._open)
            self._open = None
        self._forget()
        return float(len(self.requests) + 1)

    def ecb(self, original):
        async def spied(engine, key, src, dst, *, decrypt):
            caller = sys._getframe(1)
            self._calls.append(Call(caller.f_globals["__name__"], caller.f_code.co_name, key, src, dst,
                                    decrypt, gc.isenabled()))
            await original(engine, key, src, dst, decrypt=decrypt)
        return spied

    def key(self, original):
        def spied(engine, data):
            made = original(engine, data)
            self._made.append(made)
            self.keys.append(made)
            return made
        return spied

    def release(self, original):
        def spied(engine, key):
            self._let_go.append(key)
            self.released.append(key)
            original(engine, key)
        return spied


@pytest.fixture(scope="module")
def job():
    """(result, rows, spy) of the whole job on the model."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        bench = model_bench(BenchSpec())
        spy = Spy(monkeypatch, bench)
        return *run_job(bench=bench), spy


@pytest.fixture(scope="module")
def by_row(job):
    """Its requests by row."""
    made = job[2].requests
    assert len(made) == 72 * RUNS
    return {row: made[number * RUNS:(number + 1) * RUNS] for number, row in enumerate(all_rows())}


@pytest.fixture(scope="module")
def requests(by_row):
    """(row, request) of all of them."""
    return [(row, request) for row, some in by_row.items() for request in some]


def test_there_are_24_rows_of_each_cipher_and_the_job_does_them_all_in_order(job):
    result, rows, _ = job
    assert result == {"ok": True, "problems": []}
    assert [Row(**{name: row[name] for name in asdict(one)})
            for row, one in zip(rows, all_rows(), strict=True)] == list(all_rows())
    assert len(set(all_rows())) == 72
    for name, values in (("direction", {"encrypt", "decrypt"}), ("format", {"RAW", "UIO", "MBLK"}),
                         ("ctx_template", {True, False}), ("in_place", {True, False}),
                         ("cipher", {"aes", "blowfish", "des"})):
        assert Counter(getattr(row, name) for row in all_rows()) == dict.fromkeys(values, 72 // len(values))


def test_every_request_is_right_and_makes_the_calls_that_cbc_needs(job):
    for row in job[1]:
        blocks = REQUEST_BYTES // BLOCK[row["cipher"]]
        calls = blocks if row["direction"] == "encrypt" else 1
        assert (row["runs"], row["right"], row["ok"]) == (RUNS, RUNS, True)
        for way in (GENERIC, SPECIALISED):
            assert row[f"calls_{way}"] == [calls]
            assert row[f"blocks_{way}"] == [blocks]
        assert row["engine_cycles_generic"] == row["engine_cycles_specialised"]
        [cycles] = row["engine_cycles_generic"]
        assert (cycles > 10 * blocks) if row["cipher"] == "aes" else cycles == 0


def test_one_half_of_the_requests_is_the_mode_code_s_and_the_other_by_hand_and_they_change_places(by_row):
    for some in by_row.values():
        ways = [request.way for request in some]
        pairs = list(zip(ways[::2], ways[1::2], strict=True))
        assert all(set(pair) == {GENERIC, SPECIALISED} for pair in pairs)
        assert all(one != other for one, other in pairwise(pairs))


def test_what_is_by_hand_is_the_function_for_the_direction_and_the_format(requests):
    for row, request in requests:
        [function] = {call.function for call in request.timed}
        if request.way == SPECIALISED:
            assert function == f"{row.direction}_{row.format.lower()}"
        assert {call.decrypt for call in request.timed} == {row.direction == "decrypt"}


def test_the_data_lies_as_the_row_says(requests):
    """In one piece or several, with blocks across them; in place or not."""
    for row, request in requests:
        several = row.format != "RAW"
        written = Buffers.joined(call.dst for call in request.timed)
        assert len(written) == REQUEST_BYTES
        assert len(written.runs) == (4 if several else 1)
        if row.direction == "decrypt":
            [call] = request.timed
            assert len(call.src.runs) == len(written.runs)
            assert call.src.same_bytes(call.dst) == row.in_place
            assert call.src.overlaps(call.dst) == row.in_place
        size = BLOCK[row.cipher]
        across = [start for start in range(0, REQUEST_BYTES, size) if len(written.part(start, size).runs) > 1]
        assert bool(across) == several


def test_with_a_template_the_key_is_made_before_and_else_in_the_request_and_for_it(by_row):
    for row, some in by_row.items():
        used = [{call.key for call in request.timed} for request in some]
        assert all(len(keys) == 1 for keys in used)
        of_its_own = 0 if row.ctx_template else 1
        assert {len(request.keys) for request in some} == {of_its_own}
        assert {len(request.released) for request in some} == {of_its_own}
        assert len({key.data for [key] in used}) == (1 if row.ctx_template else RUNS)


def test_every_key_that_is_made_is_released_once(job):
    made, released = (Counter(map(id, keys)) for keys in (job[2].keys, job[2].released))
    assert made == released
    assert set(made.values()) == {1}


def test_before_each_request_the_engine_does_a_block_under_another_key(requests):
    for row, request in requests:
        [before] = request.before
        assert len(before.src) == BLOCK[row.cipher]
        assert before.key not in [call.key for call in request.timed]


def test_the_collector_waits_while_the_clock_runs_and_only_then(requests):
    assert gc.isenabled()
    for _, request in requests:
        assert not any(call.collecting for call in request.timed)
        assert all(call.collecting for call in request.before)


def test_a_collector_that_was_off_stays_off(monkeypatch):
    only(monkeypatch, next(all_rows()))
    gc.disable()
    try:
        assert run_job()[0]["ok"]
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("way", [WayOfModes, WayByHand])
@pytest.mark.parametrize("format_", ["RAW", "UIO", "MBLK"])
def test_data_arrives_in_its_format_and_the_mode_code_takes_it_from_there(monkeypatch, way, format_):
    taken, by_run, arrived = [], [], []

    def spied(name, made):
        def make(*arguments):
            taken.append((name, sys._getframe(1).f_globals["__name__"]))
            return made(*arguments)
        return staticmethod(make)

    async def run(self, request):
        arrived.extend([request.source, request.destination])
        taken.clear()
        await original(self, request)
        by_run.append([name for name, module in taken if module == factoring_ways.__name__])

    original = way.run
    only(monkeypatch, Row("decrypt", format_, False, True, "des"))
    monkeypatch.setattr(way, "run", run)
    for name in ("raw", "uio", "mblk"):
        monkeypatch.setattr(Buffers, name, spied(name, getattr(Buffers, name)))
    assert run_job()[0]["ok"]
    assert {type(data) for data in arrived} == {{"RAW": Piece, "UIO": tuple, "MBLK": Mblk}[format_]}
    assert by_run == [[format_.lower()] * 2 if way is WayOfModes else []] * (FEW + WARM_UP)


def test_what_is_by_hand_is_not_made_of_the_mode_code():
    source = (ROOT / "pymodel" / "jobs" / "specialised.py").read_text()
    imports = {line.split()[1] for line in source.splitlines() if line.startswith(("from ", "import "))}
    assert imports == {"__future__", "collections.abc", "numpy", "pymodel.block_engine", "pymodel.buffers",
                       "pymodel.memory"}


def test_requests_differ_in_data_iv_and_surroundings(monkeypatch):
    ivs, before = [], []

    async def run(self, request):
        ivs.append(request.iv)
        memory = self._engine.memory
        before.append([Buffers(data).read(memory) for data in (request.source, request.destination)])
        await original(self, request)

    original = WayByHand.run
    only(monkeypatch, Row("encrypt", "UIO", True, False, "des"))
    monkeypatch.setattr(WayByHand, "run", run)
    assert run_job()[0]["ok"]
    for found in (ivs, *zip(*before, strict=True)):
        assert len(set(found)) == FEW + WARM_UP


def test_on_rtl_every_request_is_right_and_the_figures_are_those_of_the_model(sim, job):
    made, rows = build(known_top(KINDS["padlock"].top), sim, fast=True), []
    outcome = run_on_rtl(JobRequest("factoring", {"repeats": FEW}, BenchSpec()), made, rows.append)
    assert outcome.problem == ""
    assert outcome.result == {"kind": "result", "ok": True, "problems": []}
    measured = {"change_percent", "lower_percent", "upper_percent"}
    found, wanted = ([{name: value for name, value in row.items() if name not in measured} for row in some]
                     for some in (rows, job[1]))
    assert found == wanted
