"""What judges the QCE on RTL must find every kind of mistake: here a model plays the RTL, and is spoiled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cocotb_tests.env.judge import Traffic
from cocotb_tests.env.qce_follower import QceFollower
from cocotb_tests.env.qce_port import Answer
from cocotb_tests.env.qce_predictor import QcePredictor
from cocotb_tests.env.scoreboard import ScoreboardError
from pymodel import golden
from pymodel.drivers import qce_scripts as scripts
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import DUMP_BYTES, Descriptor, encode_list
from pymodel.engines.qce_model import QceModel
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.jobs import BenchSpec
from pymodel.kernel import Kernel
from pymodel.memory import LINE_BYTES, HostMemory

LISTS, SRC, DST, DUMP = 0x1000, 0x2000, 0x4000, 0x5000
KEY, DATA = bytes(range(16)), bytes(range(200)) + bytes(40)
SETUP = [*scripts.source_list(LISTS, 1), *scripts.destination_list(LISTS + 16, 2),
         *scripts.setup(KEY, len(DATA), decrypt=False), scripts.GO]
RESULT = [*scripts.reads(scripts.RESULT_READS), scripts.ACKNOWLEDGE]


class Mirror(HostMemory):
    """A mirror without a simulator."""

    def __init__(self) -> None:
        super().__init__(1 << 16)
        self.written_lines = range(0)
        self.before_pull = np.zeros(0, np.uint8)
        self.pulls = 0

    def may_be_written(self, address, length):
        pass

    def pull(self, content):
        self.before_pull, self.written_lines = self.bytes.copy(), range(self.size // LINE_BYTES)
        self.bytes[:] = content
        self.pulls += 1


class Rtl:
    """One request; the witness is told of everything as by the port. ``spoil`` changes what it is told."""

    def __init__(self, witness_class=QcePredictor, **spec) -> None:
        spec = BenchSpec(engine="qce", **spec)
        self.mirror, self.kernel = Mirror(), Kernel()
        self.mirror.write(LISTS, encode_list([Descriptor(SRC, 240)]))
        self.mirror.write(LISTS + 16, encode_list([Descriptor(DST, 240), Descriptor(DUMP, DUMP_BYTES)]))
        self.mirror.write(SRC, DATA)
        memory = HostMemory(self.mirror.size)
        memory.bytes[:] = self.mirror.bytes
        self.model = QceModel(self.kernel, memory, quirks=Quirk(spec.quirks))
        self.busy = False
        more = (lambda: self.busy,) if witness_class is QceFollower else ()
        self.witness = witness_class(self.mirror, spec, *more)

    def play(self, spoil=None) -> None:
        self.kernel.run(self._play(spoil or {}))

    async def _play(self, spoil) -> None:
        await self.script(SETUP, spoil.get("setup"))
        await self.model.irq.wait()
        self.busy = False
        await self.kernel.sleep(spoil.get("late irq", 0))
        if not spoil.get("no irq"):
            self.witness.irq_rose(self.kernel.now())
        memory = self.model.memory.bytes.copy()
        for address in spoil.get("bytes", ()):
            memory[address] ^= 1
        self.witness.syncing(self.kernel.now())
        self.mirror.pull(memory)
        self.witness.synced()
        await self.script(RESULT, spoil.get("result"))

    async def script(self, accesses, spoil=None) -> None:
        posted = self.witness.posted(accesses, 0, self.kernel.now())
        try:
            values, done, refused = await self.model.script(accesses), len(accesses), False
        except EngineFault as fault:
            values, refused = [], True
            done = 1 + [access.address for access in accesses].index(fault.address)
        self.busy = accesses is SETUP
        answer = Answer(tuple(values), done, refused, self.model.irq.is_set())
        self.witness.ended(posted, spoil(answer) if spoil else answer, self.kernel.now())


WITNESSES = pytest.mark.parametrize("witness", [QcePredictor, QceFollower])


@WITNESSES
def test_a_right_request_passes(witness):
    rtl = Rtl(witness)
    rtl.play()
    assert rtl.mirror.read(DST, 240) == golden.ecb_encrypt(KEY, DATA)
    rtl.witness.check(1)


def test_its_traffic_is_known_lists_and_dump_included():
    rtl = Rtl()
    rtl.play()
    assert rtl.witness.traffic == Traffic(1 + 1 + 1, 1 + 1 + 15, 1 + 1, 15 + 8)


def changed(index, by):
    """One value that is read."""
    def spoil(answer):
        values = list(answer.values)
        values[index] ^= by
        return replace(answer, values=tuple(values))

    return spoil


@pytest.mark.parametrize(("spoil", "message"), [
    ({"bytes": [DST + 17]}, "data differs from the golden model in 1 bytes, the first in block 1"),
    ({"bytes": [DUMP + 3]}, "dump: expected"),
    ({"bytes": [DST - 1]}, "changed 1 bytes outside its destination, the first at 0x3fff"),
    ({"bytes": [DST + 240]}, "changed 1 bytes outside its destination, the first at 0x40f0"),
    ({"bytes": [DUMP + DUMP_BYTES]}, "outside its destination"),
    ({"bytes": [SRC]}, "outside its destination"),
    ({"result": changed(0, 1)}, "STATUS: expected 0x22, observed 0x23"),
    ({"result": changed(1, 16)}, "BYTES_DONE: expected 0xf0, observed 0xe0"),
    ({"result": lambda answer: Answer(answer.values, 6, True, answer.irq)}, "refused: expected "),
])
@WITNESSES
def test_each_mistake_is_found(witness, spoil, message):
    rtl = Rtl(witness)
    rtl.play(spoil)
    with pytest.raises(ScoreboardError, match=message):
        rtl.witness.check(1)


@pytest.mark.parametrize(("spoil", "message"), [
    ({"result": changed(2, 1)}, "CYCLES: expected"),
    ({"late irq": 1}, "interrupt rises: expected"),
    ({"no irq": True}, "interrupt rises: expected"),
    ({"setup": lambda answer: Answer(answer.values, answer.done, answer.refused, True)},
     "interrupt: expected False, observed True"),
])
def test_each_mistake_in_time_is_found(spoil, message):
    rtl = Rtl()
    rtl.play(spoil)
    with pytest.raises(ScoreboardError, match=message):
        rtl.witness.check(1)


def test_an_answer_that_comes_late_or_never_is_found():
    rtl = Rtl()
    posted = rtl.witness.posted([RegisterAccess(Register.VERSION)], 0, 0)
    rtl.witness.ended(posted, Answer((0x05010000,), 1, False), 4)
    rtl.witness.posted([RegisterAccess(Register.VERSION)], 0, 9)
    rtl.witness.syncing(100)
    problems = rtl.witness.problems()
    assert problems == ["access to VERSION of master 0, number 1: cycle: expected 3, observed 4",
                        "missing: access to VERSION of master 0, number 2: the model answered in cycle 12"]


def test_under_back_pressure_it_does_not_matter_when_a_request_ends():
    rtl = Rtl(QceFollower, stall_seed=1)
    rtl.play({"result": changed(2, 1)})
    rtl.witness.check(1)


def test_an_error_of_the_model_itself_is_a_problem():
    rtl = Rtl()
    rtl.mirror.bytes = rtl.mirror.bytes[:16]
    rtl.witness.posted(SETUP, 0, 0)
    rtl.witness.syncing(200)
    assert any(problem.startswith("the model: ") for problem in rtl.witness.problems())
