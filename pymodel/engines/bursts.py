"""When an engine's bus transactions happen: recurrences over bursts and beats.

They are those of hdl/axi/axi_reader.v and axi_writer.v, which every engine has. Times are rising edges of
the clock, counted from the acceptance of the request. They hold for a memory with fixed latencies that
is always ready. What is decided at an edge depends on what happened at earlier edges, so that each
``max`` below is "one edge after the last thing it waits for".

A stream is a list of pieces, each (address, beats) and a command of its own. A command is accepted when the
one before is over; what is in the FIFO stays. ``skips``: edges that pass in front of each piece because
something empty is passed over; the first of them has passed already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from pymodel.block_engine import BLOCK_BYTES

NEVER = 1 << 62
"""An edge that does not come."""

BURST_BEATS = 16
FIFO_BEATS = 32
PAGE_BEATS = 256
MAX_READS = 2
"""Read bursts outstanding at a time."""


class BusError(IntEnum):
    """SLVERR and DECERR."""

    PAGE = 0
    BUS = 1


@dataclass(frozen=True, slots=True)
class ReadFault:
    """The first beat of a range that comes with an error."""

    beat: int
    error: BusError


@dataclass(frozen=True, slots=True)
class ReadBurst:
    """``decided``: the edge after which arvalid is high. ``first``: of its first R beat."""

    decided: int
    beats: int
    first: int

    @property
    def requested(self) -> int:
        """The AR handshake."""
        return self.decided + 1

    @property
    def last(self) -> int:
        """The R beat with RLAST."""
        return self.first + self.beats - 1


@dataclass(frozen=True, slots=True)
class WriteBurst:
    """``decided``: the edge after which awvalid is high. ``answered``: the B handshake."""

    decided: int
    block: int
    """Index of its first beat in the stream."""
    beats: int
    answered: int
    error: BusError | None

    @property
    def requested(self) -> int:
        """The AW handshake."""
        return self.decided + 1

    def loaded(self, beat: int) -> int:
        """The edge at which a beat leaves the FIFO for the W register."""
        return self.requested + beat

    def written(self, beat: int) -> int:
        """The W handshake of a beat."""
        return self.requested + 1 + beat


Piece = tuple[int, int]
"""Address and beats."""


class _Pieces:
    """Where a stream stands in its pieces. ``left``: beats of the piece at hand."""

    def __init__(self, pieces: Sequence[Piece], skips: Sequence[int]) -> None:
        self._coming = iter(pieces)
        self._skips = iter(skips)
        self.first = True
        """Nothing of the piece at hand has been requested."""
        self._next()

    def _next(self) -> None:
        self.address, self.left = next(self._coming, (0, 0))
        self.skipped = next(self._skips, 0)
        self.first = True

    def within_page(self) -> int:
        """Beats that one burst can have, but for its largest size."""
        return min(_to_page_end(self.address), self.left)

    def advance(self, beats: int) -> bool:
        """Returns whether another piece begins."""
        self.address = (self.address + beats * BLOCK_BYTES) & 0xFFFFFFFF
        self.left -= beats
        self.first = False
        if self.left:
            return False
        self._next()
        return self.left > 0


def _to_page_end(address: int) -> int:
    return PAGE_BEATS - address // BLOCK_BYTES % PAGE_BEATS


class ReadStream:
    """The reader's commands. The first one is accepted at edge ``command``; ``group``: beats that become
    visible together. ``fault``: of a beat, counted from the first of the stream.

    ``commits``: for each beat that became visible, the edge at which the last one of its group came.
    """

    def __init__(self, command: int, pieces: Sequence[Piece], group: int, latency: int,
                 fault: ReadFault | None, skips: Sequence[int] = ()) -> None:
        self.bursts: list[ReadBurst] = []
        self.commits: list[int] = []
        self.failed_at = NEVER
        """The edge of the first beat with an error."""
        self._commands: list[tuple[int, int]] = []
        """Edge of acceptance, and edge that decided the last burst, of commands that are over."""
        self._command = command
        self._place = _Pieces(pieces, skips)
        self._beats = sum(beats for _, beats in pieces)
        self._group = group
        self._latency = latency
        self._fault_beat = NEVER if fault is None else fault.beat
        self._requested = 0

    def request(self, allowed: int, taken: Sequence[int] = ()) -> bool:
        """Add the next burst, if there is one and it is decided at edge ``allowed`` or before.

        ``taken``: the edges at which beats left the FIFO, all that can be before this burst.
        """
        length = self._next_length()
        to_free = self._requested + length - FIFO_BEATS
        if not length or to_free > len(taken):
            return False
        decided = self._command + 1 if self._place.first else self.bursts[-1].decided + 1
        if len(self.bursts) >= MAX_READS:
            decided = max(decided, self.bursts[-MAX_READS].last + 1)
        if to_free > 0:
            decided = max(decided, taken[to_free - 1] + 1)
        if decided > min(allowed, self.failed_at):
            return False
        self._append(decided, length)
        return True

    def _next_length(self) -> int:
        """Whole groups up to a full burst, cut at a page end and at the end of the command."""
        phase = self._requested % self._group if self._group < BURST_BEATS else 0
        return min(BURST_BEATS - phase, self._place.within_page())

    def _append(self, decided: int, length: int) -> None:
        first = decided + 1 + self._latency
        if self.bursts:
            first = max(first, self.bursts[-1].last + 1)
        self.bursts.append(ReadBurst(decided, length, first))
        before = self._requested
        self._requested += length
        if before <= self._fault_beat < self._requested:
            self.failed_at = first + self._fault_beat - before
        while (end := len(self.commits) + self._group) <= min(self._requested, self._fault_beat):
            self.commits += [first + end - 1 - before] * self._group
        accepted = self._command
        if self._place.advance(length):
            self._command = max(self._command + self._place.skipped + 1, self.bursts[-1].last + 1)
        if self._place.first or not self._place.left:
            self._commands.append((accepted, decided))

    def accepted(self, halted: int) -> list[int]:
        """The edges at which commands were accepted; ``halted``: the last edge for it."""
        return [accepted for accepted, _ in self.requesting(halted)]

    def requesting(self, halted: int) -> list[tuple[int, int]]:
        """For each command the edge of acceptance, and the one after which nothing is left to request."""
        if self._requested == self._beats or (self._command > min(halted, self.failed_at)):
            return self._commands
        return [*self._commands, (self._command, min(self.failed_at, max(halted, self._command) + 1))]

    def idle(self, halted: int) -> int:
        """The edge at which the reader is first seen idle; ``halted``: the last edge for decisions."""
        last = self.bursts[-1].last + 1 if self.bursts else 0
        if self._requested == self._beats or (self.bursts and self._place.first and self._command > halted):
            return last
        return max(last, min(self.failed_at + 1, max(halted + 1, self._command + 1) + 1))


class WriteStream:
    """The writer's commands. The first one is accepted at edge ``command``.

    ``loads``: for each beat, the edge at which it left the FIFO. ``done``: beats answered with OKAY.
    ``error``: asked with address and beats of a burst.
    """

    def __init__(self, command: int, pieces: Sequence[Piece], latency: int,
                 error: Callable[[int, int], BusError | None], skips: Sequence[int] = ()) -> None:
        self.bursts: list[WriteBurst] = []
        self.loads: list[int] = []
        self.accepted = [command]
        """The edges at which commands were accepted."""
        self.done = 0
        self.failed_at = NEVER
        """The edge of the B with an error."""
        self.failed_address = 0
        """Of its burst."""
        self._place = _Pieces(pieces, skips)
        self._beats = sum(beats for _, beats in pieces)
        self._latency = latency
        self._error = error

    def advance(self, ended: Sequence[int]) -> None:
        """Add the bursts whose beats are all in ``ended``, the edges at which beats came into the FIFO."""
        while self.failed_at == NEVER:
            length = min(BURST_BEATS, self._place.within_page())
            end = len(self.loads) + length
            if not length or end > len(ended):
                return
            self._append(ended[end - 1] + 1, length)

    def flush(self, ended: Sequence[int], cut: int) -> None:
        """Add the bursts for what is left in the FIFO; from edge ``cut`` on it is known that this is all."""
        while self.failed_at == NEVER and len(self.loads) < len(ended):
            left = len(ended) - len(self.loads)
            self._append(max(cut, ended[-1] + 1), min(BURST_BEATS, self._place.within_page(), left))

    def _append(self, ready: int, length: int) -> None:
        place = self._place
        decided = max(ready, self.accepted[-1] + 1 if place.first else self.bursts[-1].answered)
        error = self._error(place.address, length)
        burst = WriteBurst(decided, len(self.loads), length, decided + 1 + length + self._latency, error)
        self.bursts.append(burst)
        self.loads += range(burst.loaded(0), burst.loaded(length))
        if error is None:
            self.done += length
        else:
            self.failed_at, self.failed_address = burst.answered, place.address
        if place.advance(length) and error is None:
            self.accepted.append(max(self.accepted[-1] + place.skipped + 1, burst.answered + 1))

    def finished(self, cut: int) -> int:
        """The first edge at which the writer is seen to have nothing more to do, once the core is empty."""
        answered = self.bursts[-1].answered + 1 if self.bursts else 0
        if self.failed_at != NEVER or len(self.loads) == self._beats:
            return answered
        return max(answered, cut)
