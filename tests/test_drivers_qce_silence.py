"""QceDriver on a bus that leaves an access without an answer: each access of a request, and of a recovery."""

from __future__ import annotations

import pytest
from qce_driver_bench import QceBench, error_of, some_data
from silent_port import HOW, LATE, SilentPort

from pymodel import golden
from pymodel.costs import Host, HostCosts, HostWork
from pymodel.drivers.qce_watched import ANSWER_CYCLES
from pymodel.errors import EngineHang, EngineLost
from pymodel.kernel import Cpu
from pymodel.modes import Ctr

KEY = bytes(range(0x60, 0x80))
DATA = some_data(64)
EXPECTED = golden.ecb_encrypt(KEY, DATA)
ACCESSES = 30
"""Of a request with a key of 256 bits."""


class Scene:
    """Three requests that wait for one another: of a driver twice, and of another master's on another Cpu."""

    def __init__(self, how: str | int, number: int, *, in_place: bool, **options) -> None:
        self.bench = bench = QceBench(slow_start_cycles=2)
        self.port = bench.port = SilentPort(bench.model, bench.kernel, how, number)
        driver = bench.driver(**options)
        bench.cpu = Cpu(bench.kernel, "cpu1")
        drivers = [driver, driver, bench.driver(master=1, **options)]
        self.free = bench.free_bytes()
        self.src = [bench.buffer(DATA) for _ in drivers]
        self.dst = self.src if in_place else [bench.buffer(bytes(64)) for _ in drivers]
        self.taken = self.free - bench.free_bytes()
        self.before = DATA if in_place else bytes(64)

        async def request(number, driver):
            error = await error_of(driver.ecb(driver.key(KEY), self.src[number], self.dst[number],
                                              decrypt=False))
            return error, self.dst[number].read(bench.memory)

        async def main():
            tasks = [bench.kernel.start(request(number, driver)) for number, driver in enumerate(drivers)]
            return [await task.join() for task in tasks]

        self.ends = bench.run(main())

    def check(self) -> None:
        """Each request has the right bytes, or says how many of them."""
        for (error, result), src in zip(self.ends, self.src, strict=True):
            done = 64 if error is None else error.completed
            assert result[:done] == EXPECTED[:done]
            if src.read(self.bench.memory) != result:
                assert src.read(self.bench.memory) == DATA
            if isinstance(error, EngineHang) and not isinstance(error, EngineLost):
                assert result[done:] in (self.before[done:], EXPECTED[done:])
        if not any(isinstance(error, EngineLost) for error in self.errors):
            assert self.bench.free_bytes() == self.free - self.taken
        assert self.bench.kernel.now() < 20 * ANSWER_CYCLES

    @property
    def errors(self):
        return [error for error, _ in self.ends]


def every(how: str | int, *, in_place: bool, **options):
    """A scene for each access that may be the silent one."""
    number = 1
    while (scene := Scene(how, number, in_place=in_place, **options)).port.silent:
        scene.check()
        yield number, scene
        number += 1
    assert scene.errors == [None, None, None]
    assert number > 3 * ACCESSES - 2


def end_of(how, number):
    """The error of the request whose access ``number`` has no answer."""
    limit = 2 * ANSWER_CYCLES if (number - 1) % ACCESSES + 1 in (1, 2, 3, *range(7, 25)) else ANSWER_CYCLES
    if how in ("ignored", "made"):
        return EngineHang
    if how == "dead" or how > limit + 2 * ANSWER_CYCLES:
        return EngineLost
    return EngineHang if how > limit else type(None)


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("how", ["ignored", "made", *LATE])
def test_one_access_without_an_answer_ends_one_request_and_the_others_go_on(how, in_place):
    for number, scene in every(how, in_place=in_place):
        expected = [type(None)] * 3
        mine = (number - 1) // ACCESSES
        expected[mine] = end_of(how, number)
        assert [type(error) for error in scene.errors] == expected, number
        if scene.errors[mine] is not None:
            assert "unanswered" in scene.errors[mine].state
            assert scene.errors[mine].cycles >= ANSWER_CYCLES
            assert "reset" in scene.port.log
        if how in ("ignored", "made"):  # it is forgotten after the reset
            assert scene.port.log.count("reset") == 1
        assert not scene.bench.model._busy()


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
def test_on_a_dead_bus_every_request_that_is_not_done_ends_in_a_hang(in_place):
    for number, scene in every("dead", in_place=in_place):
        first = (number - 1) // ACCESSES
        assert [type(error) for error in scene.errors] == [
            type(None) if index < first else EngineLost if index == first else EngineHang
            for index in range(3)], number
        for error in scene.errors[first + 1:]:  # never asked for
            assert (error.completed, error.state) == (0, {"unanswered": "SOFT_RESET"})
        for _, result in scene.ends[first + 1:]:
            assert result == scene.before


@pytest.mark.parametrize("how", HOW)
def test_without_a_watchdog_on_the_interrupt_accesses_are_watched_all_the_same(how):
    for number in (3, 6, 20, 24, 29):
        scene = Scene(how, number, in_place=True, watchdog=None)
        scene.check()
        assert type(scene.errors[0]) is end_of(how, number)


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("how", ["ignored", "made", *LATE])
def test_software_finishes_what_an_access_without_an_answer_has_ended(how, in_place):
    for number, scene in every(how, in_place=in_place, retry="software"):
        if end_of(how, number) is EngineLost:
            continue
        assert scene.errors == [None] * 3, number
        assert [result for _, result in scene.ends] == [EXPECTED] * 3, number


def test_the_rest_of_a_late_script_does_no_harm_when_a_slow_host_goes_on():
    """It would start the engine on the next request's source, with lists of the one before."""
    for number in range(7, 25):
        bench = QceBench(slow_start_cycles=2)
        bench.port = SilentPort(bench.model, bench.kernel, LATE[-1], number)
        driver = bench.driver(host=Host(bench.cpu, bench.kernel, HostCosts({HostWork.REGISTER: 50})))
        first, second = bench.buffer(DATA), bench.buffer(DATA)
        error = bench.run(error_of(driver.ecb(driver.key(bytes(32)), first, first, decrypt=False)))
        assert type(error) is EngineHang
        assert first.read(bench.memory)[error.completed:] == DATA[error.completed:]
        bench.run(driver.ecb(driver.key(KEY), second, second, decrypt=False))
        assert second.read(bench.memory) == EXPECTED


def test_software_does_not_touch_what_a_lost_engine_may_still_write_but_does_all_behind_it():
    for number, scene in every("dead", in_place=True, retry="software"):
        first = (number - 1) // ACCESSES
        assert [type(error) for error in scene.errors] == [
            EngineLost if index == first else type(None) for index in range(3)], number
        assert [result for error, result in scene.ends if error is None] == [EXPECTED] * 2


def test_the_memory_that_a_lost_engine_may_still_write_is_not_given_to_anybody_else():
    scene = Scene("dead", 5, in_place=True)
    assert isinstance(scene.errors[0], EngineLost)
    lists_and_dump = 512 + 512 + 128
    assert scene.bench.free_bytes() == scene.free - scene.taken - lists_and_dump


def test_the_scratch_memory_of_a_mode_is_not_given_to_anybody_else_either():
    """A key stream that a lost engine may still write."""
    free = {}
    for how in ("ignored", "dead"):
        bench = QceBench()
        bench.port = SilentPort(bench.model, bench.kernel, how, 20)
        with Ctr(bench.driver(), KEY) as ctr:
            error = bench.run(error_of(ctr.crypt_bytes(bytes(16), DATA)))
        assert type(error) is (EngineLost if how == "dead" else EngineHang)
        free[how] = bench.free_bytes()
    lists_and_dump, copy_and_stream = 512 + 512 + 128, 2 * 64
    assert free["ignored"] - free["dead"] == lists_and_dump + copy_and_stream


def test_a_hang_says_which_accesses_had_no_answer_and_what_could_be_read():
    hang = Scene("ignored", 20, in_place=True).errors[0]
    assert hang.state["unanswered"] == "STATUS to GOPROC"
    assert hang.state["ENCR_SEG_SIZE"] == 64 or hang.state["SRC_LIST_LENGTH"] == 1
    assert "unanswered=STATUS to GOPROC" in str(hang)
    lost = Scene("dead", 5, in_place=True).errors[0]
    assert lost.state == {"unanswered": "STATUS2 to SRC_LIST_LENGTH", "SOFT_RESET": "unanswered"}


def test_figures_of_the_request_before_are_not_taken_for_those_of_one_that_did_not_begin():
    """BYTES_DONE and CYCLES stay until the next GO."""
    scene = Scene("ignored", ACCESSES + 3, in_place=False)
    hang = scene.errors[1]
    assert hang.state["BYTES_DONE"] == 64
    assert hang.completed == 0
