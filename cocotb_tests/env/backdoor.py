"""The memory back door: HostMemory as a mirror of the lines of ``axi_ram``.

``sync()`` moves whole 512-byte lines and takes no simulated time. It runs at a falling edge, when
nothing in the RTL changes, and only before a request starts and after it ended. Bytes that the
host wrote since the last call win over what the RTL has in the same line.

Two ways move the lines: through VPI handles, and through a file that the RTL reads and writes by
itself. The file is faster at every size (docs/request.md), so it is used whenever the runner names one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from cocotb.utils import get_sim_time

from pymodel.memory import LINE_BYTES, PAGE_BYTES, ByteArray, HostAccessError, HostMemory
from pymodel.regress import variables

FILE_RUNS = 4
"""Runs of lines that the RTL takes over at once."""
GAP_LINES = 64
"""Lines that are moved in vain, in the gaps between runs, before handles are the faster way."""


class LineMover(Protocol):
    """Moves lines between the host's bytes and the RTL's."""

    def written(self) -> range | list[int]:
        """Lines that the RTL wrote since the last call, or a range that spans them."""

    def pull(self, lines: range | list[int], into: ByteArray) -> None:
        """Copy these lines of the RTL to ``into``, the whole memory."""

    def push(self, lines: list[int], source: ByteArray) -> None:
        """Copy these lines of ``source``, the whole memory, to the RTL; ``lines`` is sorted."""


class HandleMover:
    """One VPI access for each line."""

    def __init__(self, ram: Any) -> None:
        self._ram = ram
        self._handles: dict[int, Any] = {}

    def _line(self, index: int) -> Any:
        handle = self._handles.get(index)
        if handle is None:
            handle = self._handles[index] = self._ram.mem[index]
        return handle

    def written(self) -> list[int]:
        bits = int(self._ram.written.value)
        if bits:
            self._ram.written.value = 0
        lines = []
        while bits:
            low = bits & -bits
            lines.append(low.bit_length() - 1)
            bits ^= low
        return lines

    def pull(self, lines: range | list[int], into: ByteArray) -> None:
        for index in lines:
            line = int(self._line(index).value).to_bytes(LINE_BYTES, "little")
            into[index * LINE_BYTES:(index + 1) * LINE_BYTES] = np.frombuffer(line, np.uint8)

    def push(self, lines: list[int], source: ByteArray) -> None:
        for index in lines:
            line = source[index * LINE_BYTES:(index + 1) * LINE_BYTES].tobytes()
            self._line(index).value = int.from_bytes(line, "little")


class FileMover:
    """The image of the memory in a file. The RTL writes it at the end of a request and reads it on demand."""

    def __init__(self, dut: Any, path: str, size: int) -> None:
        self._dut = dut
        self._image: ByteArray = np.memmap(path, np.uint8, "r+", shape=(size,)).view(np.ndarray)
        self._handles = HandleMover(dut.ram)
        self._pushed_at: float | None = None
        self._pushed: set[int] = set()
        self._pulled = int(dut.pulled.value) >> 32

    def written(self) -> range:
        pulled = int(self._dut.pulled.value)
        if pulled >> 32 == self._pulled:
            return range(0)
        self._pulled = pulled >> 32
        return range(pulled & 0xFFFF, pulled >> 16 & 0xFFFF)

    def pull(self, lines: range | list[int], into: ByteArray) -> None:
        if lines:
            part = slice(lines[0] * LINE_BYTES, (lines[-1] + 1) * LINE_BYTES)
            into[part] = self._image[part]

    def push(self, lines: list[int], source: ByteArray) -> None:
        """Several pushes at one falling edge are one to the RTL, whether it has seen the first yet or not."""
        now = get_sim_time("step")
        if now != self._pushed_at:
            self._pushed_at, self._pushed = now, set()
        together = self._pushed.union(lines)
        runs = joined_runs(sorted(together), FILE_RUNS)
        if sum(map(len, runs)) > len(together) + GAP_LINES:
            self._push_by_handles(lines, source)
            return
        self._pushed = together
        packed = 0
        for number, run in enumerate(runs):
            part = slice(run.start * LINE_BYTES, run.stop * LINE_BYTES)
            self._image[part] = source[part]
            packed |= (run.stop << 16 | run.start) << 32 * number
        toggle = 1 ^ int(self._dut.push.value) >> 128  # of what the RTL has seen, not of what is on its way
        self._dut.push.value = packed | toggle << 128

    def _push_by_handles(self, lines: list[int], source: ByteArray) -> None:
        """For lines that are scattered over the memory. The image gets them too."""
        for line in lines:
            part = slice(line * LINE_BYTES, (line + 1) * LINE_BYTES)
            self._image[part] = source[part]
        self._handles.push(lines, source)


def joined_runs(lines: list[int], limit: int) -> list[range]:
    """At most ``limit`` runs that cover sorted ``lines``; the smallest gaps between them are filled."""
    gaps = sorted(range(1, len(lines)), key=lambda k: lines[k] - lines[k - 1], reverse=True)
    cuts = sorted(k for k in gaps[:limit - 1] if lines[k] - lines[k - 1] > 1)
    return [range(lines[start], lines[end - 1] + 1)
            for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)]


_used_lines: set[int] = set()
"""Lines that any test of this simulation has pushed or pulled, or may have let the engine write."""


class MirrorMemory(HostMemory):
    """The memory of a test top. ``written_lines``: what the engine wrote, at the last pull."""

    def __init__(self, dut: Any) -> None:
        size = len(dut.ram.written) * LINE_BYTES
        assert size % PAGE_BYTES == 0
        path = os.environ.get(variables.BACKDOOR)
        self._ram = dut.ram
        self._mover: LineMover = FileMover(dut, path, size) if path else HandleMover(dut.ram)
        self._dirty = np.zeros(size, np.bool_)
        self._dirty_lines: set[int] = set()
        self._pages_changed = True
        self._synced_at = get_sim_time("step")
        self.written_lines: range | list[int] = range(0)
        self.in_flight: Callable[[], bool] = lambda: False
        """Whether a request is, says the port. Then RTL and mirror differ: no line may move either way."""
        self.pulls = 0
        """How often lines were pulled."""
        self.before_pull: ByteArray = np.zeros(0, np.uint8)
        """What was in the mirror from the first of ``written_lines`` to the last, before they were pulled."""
        super().__init__(size)
        self._start_clean()

    def _start_clean(self) -> None:
        """Zero what earlier tests of this simulation left in the RTL, so that it equals this mirror."""
        self._mover.written()
        self._dirty_lines.update(_used_lines)
        _used_lines.clear()

    def may_be_written(self, address: int, length: int) -> None:
        """A request writes there: even if this test ends before it does, the next one finds zeros."""
        _used_lines.update(range(address // LINE_BYTES, min(-(-(address + length) // LINE_BYTES),
                                                            self.size // LINE_BYTES)))

    def protect(self, address: int, length: int, *, readable: bool, writable: bool) -> None:
        super().protect(address, length, readable=readable, writable=writable)
        self._pages_changed = True

    def _host_wrote(self, start: int, stop: int) -> None:
        if stop > start:
            self._dirty[start:stop] = True
            self._dirty_lines.update(range(start // LINE_BYTES, (stop - 1) // LINE_BYTES + 1))

    def sync(self) -> None:
        """Raises HostAccessError while a request is in flight."""
        if self.in_flight():
            raise HostAccessError("sync() while a request is in flight")
        now = get_sim_time("step")
        if now != self._synced_at:  # within one falling edge the RTL cannot have written again
            self._pull()
            self._synced_at = now
        if self._dirty_lines:
            self._push()
        if self._pages_changed:
            self._push_pages()

    def _pull(self) -> None:
        lines = self.written_lines = self._mover.written()
        if not lines:
            return
        self.pulls += 1
        _used_lines.update(lines)
        self.before_pull = self.bytes[lines[0] * LINE_BYTES:(lines[-1] + 1) * LINE_BYTES].copy()
        kept = [(index * LINE_BYTES, self.bytes[index * LINE_BYTES:(index + 1) * LINE_BYTES].copy())
                for index in self._dirty_lines.intersection(lines)]
        self._mover.pull(lines, self.bytes)
        for start, mine in kept:
            line = slice(start, start + LINE_BYTES)
            np.copyto(self.bytes[line], mine, where=self._dirty[line])

    def _push(self) -> None:
        lines = sorted(self._dirty_lines)
        _used_lines.update(lines)
        self._mover.push(lines, self.bytes)
        for index in lines:
            self._dirty[index * LINE_BYTES:(index + 1) * LINE_BYTES] = False
        self._dirty_lines.clear()

    def _push_pages(self) -> None:
        self._ram.page_no_read.value = _bits(~self.readable)
        self._ram.page_no_write.value = _bits(~self.writable)
        self._pages_changed = False


def _bits(flags: np.ndarray) -> int:
    """Flag k becomes bit k."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
