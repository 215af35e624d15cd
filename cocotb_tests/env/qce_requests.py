"""What the QCE's requests do to memory and to the bus: data, dump, the rest of the destination, strays.

The model on a kernel of its own tells of each request; its bytes are judged once the mirror has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.judge import Judge
from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.engines.bursts import NEVER, Piece, ReadStream
from pymodel.engines.moves import overlapping
from pymodel.engines.qce import DESCRIPTOR_BYTES
from pymodel.engines.qce_access import ListPort
from pymodel.engines.qce_bus import Answer
from pymodel.engines.qce_flight import Flight
from pymodel.engines.qce_model import QceModel
from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.kernel import Event, Kernel
from pymodel.memory import ByteArray

_NO_BYTES: ByteArray = np.zeros(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Traces:
    """What a request left in memory, but for the data that opinions judge. ``rest``: of the destination."""

    rest: bytes
    dump: bytes


@dataclass(slots=True, eq=False)
class _Record:
    """One request. ``source``, ``destination``, ``dump``: bytes from the time of acceptance.

    ``blocks``, ``dump_beats``: written at its end. ``computed``: destination and dump by the model itself,
    where blocks depend on what was written before them.
    """

    label: str
    flight: Flight
    source: ByteArray
    destination: ByteArray
    dump: ByteArray
    blocks: int = 0
    dump_beats: int = 0
    computed: tuple[ByteArray, ByteArray] | None = None


class _Interrupt(Event):
    """Remembers in which cycles it rose."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, "interrupt of the predicted qce")
        self.rises: list[int] = []

    def set(self) -> None:
        if not self.is_set():
            self.rises.append(self._kernel.now())
        super().set()


class Predicting(QceModel):
    """The model; what its requests do to memory is noted by ``requests``, not done."""

    def __init__(self, requests: QceRequests, memory: MirrorMemory, spec: BenchSpec, **timing: int) -> None:
        super().__init__(Kernel(), memory, quirks=Quirk(spec.quirks), stages=spec.stages, **timing)
        self.irq: _Interrupt = _Interrupt(self.kernel)
        self._requests = requests

    def compute(self, flight: Flight, blocks: int, dump_beats: int) -> None:
        """Put results into memory, as the model does."""
        super()._move(flight, blocks, dump_beats)

    def _accepted(self, flight: Flight) -> None:
        self._requests.flight_accepted(flight)

    def _move(self, flight: Flight, blocks: int, dump_beats: int) -> None:
        self._requests.flight_written(flight, blocks, dump_beats)

    def _end(self, flight: Flight) -> None:
        super()._end(flight)
        self._requests.flight_ended(flight)

    def _fetch(self, port: ListPort, edge: int, master: int) -> Answer:
        address, length = (self._registers.values[register] for register in (port.address, port.length))
        beats = -(-length * DESCRIPTOR_BYTES // BLOCK_BYTES)
        stream = ReadStream(edge + 1, [(address, beats)], 1, self.read_latency,
                            self._target().read_fault(address, beats))
        while stream.request(NEVER):
            pass
        self._requests.list_fetched(stream)
        return super()._fetch(port, edge, master)


class QceRequests(Judge):
    """``exact``: times are predicted; else it is not known how far a request was that a reset abandoned."""

    def __init__(self, memory: MirrorMemory, spec: BenchSpec, *, exact: bool, **timing: int) -> None:
        self._model = Predicting(self, memory, spec, **timing)
        super().__init__("qce", memory, self._model)
        self._exact = exact
        self._count = 0
        self._records: list[_Record] = []
        """Requests since the mirror was last what the RTL's memory is."""
        self._pulls = memory.pulls

    # -- from the model -----------------------------------------------------------------------------

    def flight_accepted(self, flight: Flight) -> None:
        self._count += 1
        places = f"{_place(flight.source)} to {_place(flight.destination)}"
        self._records.append(_Record(f"request {self._count}, {flight.size} bytes {places}", flight,
                                     *map(self._gather, (flight.source, flight.destination, flight.dump))))
        for address, length in (*flight.destination, *flight.dump):
            self._memory.may_be_written(address, length)

    def flight_written(self, flight: Flight, blocks: int, dump_beats: int) -> None:
        record = next((record for record in self._records if record.flight is flight), None)
        if record is None:
            self.scoreboard.report(f"a request of {flight.size} bytes ended before the model's did")
            return
        record.blocks, record.dump_beats = blocks, dump_beats
        if _feeds_itself(flight):
            record.computed = self._computed(record)

    def flight_ended(self, flight: Flight) -> None:
        """Counts its traffic, so far as it went."""
        course = flight.course
        if not self._exact and (flight.reset_at != NEVER or course.fault is not None):
            self.traffic = None  # what was under way when it ended depends on the back-pressure
        if self.traffic is not None:
            self.traffic = self.traffic.after(
                [burst for burst in course.reads if burst.decided <= flight.reset_at],
                [burst for burst in course.writes if burst.decided <= flight.reset_at])

    def list_fetched(self, stream: ReadStream) -> None:
        """A list has been read."""
        if self.traffic is not None:
            self.traffic = self.traffic.after(stream.bursts, [])

    # -- judging ------------------------------------------------------------------------------------

    def synced(self) -> None:
        records, self._records = self._records, []
        for record in records:
            self._judge(record)
        if self._pulls != self._memory.pulls:
            self._pulls = self._memory.pulls
            allowed = [(address, address + length) for record in records
                       for address, length in (*record.flight.destination, *record.flight.dump)]
            self.check_strays(records[-1].label if records else "no request", allowed)

    def _judge(self, record: _Record) -> None:
        flight = record.flight
        destination, dump = self._gather(flight.destination), self._gather(flight.dump)
        if record.computed is not None:
            if self._exact:
                expected = Traces(*(part.tobytes() for part in record.computed))
                self.scoreboard.expect(expected, record.label)
                self.scoreboard.observe(Traces(destination.tobytes(), dump.tobytes()))
            return
        if not self._exact and flight.reset_at != NEVER:
            self._see_how_far(record, destination, dump)
        done = record.blocks * BLOCK_BYTES
        self.scoreboard.expect(Traces(record.destination[done:].tobytes(), _dumped(record)), record.label)
        self.scoreboard.observe(Traces(destination[done:].tobytes(), dump.tobytes()))
        if done:
            self.opinions.add(record.label, flight.schedule, flight.decrypt, record.source[:done],
                              destination[:done])

    def _see_how_far(self, record: _Record, destination: ByteArray, dump: ByteArray) -> None:
        """Any number of blocks can be done, from the first on, and any number of beats after all of them."""
        flight = record.flight
        source = record.source[:len(destination)].reshape(-1, BLOCK_BYTES)
        right = rijndael.cipher(flight.schedule, source, flight.decrypt)
        record.blocks = _leading(destination.reshape(-1, BLOCK_BYTES) == right)
        whole = np.frombuffer(flight.dump_bytes, np.uint8)[:len(dump)]
        all_done = record.blocks == len(source)
        record.dump_beats = _leading((dump == whole).reshape(-1, BLOCK_BYTES)) if all_done else 0

    def _computed(self, record: _Record) -> tuple[ByteArray, ByteArray]:
        """By the model in the mirror, which is put back."""
        flight = record.flight
        before = [(piece, self._gather([piece])) for piece in (*flight.destination, *flight.dump)]
        self._model.compute(flight, record.blocks, record.dump_beats)
        result = self._gather(flight.destination), self._gather(flight.dump)
        for (address, length), content in before:
            self._memory.bytes[address:address + length] = content
        return result

    def _gather(self, pieces: Sequence[Piece]) -> ByteArray:
        """A copy of these (address, bytes), zeros where there is no memory."""
        parts = [self._memory.bytes[address:address + length] for address, length in pieces]
        if any(len(part) != length for part, (_, length) in zip(parts, pieces, strict=True)):
            parts = [np.concatenate([part, np.zeros(length - len(part), np.uint8)])
                     for part, (_, length) in zip(parts, pieces, strict=True)]
        return np.concatenate(parts) if parts else _NO_BYTES


def _place(pieces: Sequence[Piece]) -> str:
    return hex(pieces[0][0]) if pieces else "nowhere"


def _feeds_itself(flight: Flight) -> bool:
    """Whether results may be read as source, or written twice."""
    source, destination, dump = ([(address, length // BLOCK_BYTES) for address, length in pieces]
                                 for pieces in (flight.source, flight.destination, flight.dump))
    if source == destination:
        return overlapping((), [*destination, *dump])
    return overlapping(source, [*destination, *dump])


def _dumped(record: _Record) -> bytes:
    written = record.dump_beats * BLOCK_BYTES
    return record.flight.dump_bytes[:written] + record.dump[written:].tobytes()


def _leading(equal: np.ndarray) -> int:
    """Rows from the first on of which everything is equal."""
    rows = equal.all(axis=1)
    return len(rows) if rows.all() else int(rows.argmin())
