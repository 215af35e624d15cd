"""How blocks flow through the core (hdl/aes/aes_ecb.v): from the reader's FIFO into the writer's."""

from __future__ import annotations

from pymodel.engines.bursts import FIFO_BEATS, NEVER, ReadStream, WriteStream

CORE_EXPANSION = 3
"""The core accepts a block this many edges, and as many as it has rounds, after a raw key."""


class Flow:
    """Blocks on their way: from the reader's FIFO through the core into the writer's.

    ``first_entry``: the edge from which on the core takes blocks. ``stages``: blocks in flight in it.
    """

    def __init__(self, reads: ReadStream, writes: WriteStream, first_entry: int, rounds: int,
                 stages: int) -> None:
        self.entered: list[int] = []
        """Blocks go into the core."""
        self.ended: list[int] = []
        """Beats go into the writer's FIFO, from the core or from elsewhere."""
        self._reads = reads
        self._writes = writes
        self._first_entry = first_entry
        self._rounds = rounds
        self._stages = stages

    def run(self, count: int, stop: int) -> None:
        """Read, and let ``count`` blocks at most into the core, but nothing after edge ``stop``."""
        while self._reads.request(min(stop, self._writes.failed_at), self.entered):
            self._enter(min(len(self._reads.commits), count), stop)

    def _enter(self, upto: int, stop: int) -> None:
        """Let blocks into the core, up to index ``upto``, until ``stop`` or a failed write closes it.

        A block enters when its group has come, the core is free, and the FIFO behind it has room.
        """
        for block in range(len(self.entered), upto):
            at = max(self._reads.commits[block] + 1, self._first_entry)
            at = self.room(block, _core_free(at, self.entered, self._rounds, self._stages))
            if at > min(stop, self._writes.failed_at):
                return
            self.entered.append(at)
            self.ended.append(at + self._rounds + 1)
            self._writes.advance(self.ended)

    def room(self, beat: int, at: int) -> int:
        """The first edge from ``at`` on at which this beat finds room, or NEVER."""
        if beat < FIFO_BEATS:
            return at
        to_leave = beat - FIFO_BEATS
        return max(at, self._writes.loads[to_leave] + 1) if to_leave < len(self._writes.loads) else NEVER


def _core_free(at: int, entered: list[int], rounds: int, stages: int) -> int:
    """The first edge from ``at`` on at which the core takes a block.

    With as many stages as rounds that is every edge. With fewer, blocks go round in a ring: a place in it
    comes by every ``stages`` edges and is taken until its block has had its rounds.
    """
    if not entered:
        return at
    if stages >= rounds:
        return max(at, entered[-1] + 1)
    if stages == 1:
        return max(at, entered[-1] + rounds)
    while any(at < edge + rounds and (at - edge) % stages == 0 for edge in entered[-stages:]):
        at += 1
    return at
