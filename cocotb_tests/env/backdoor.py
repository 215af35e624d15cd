"""The memory back door: HostMemory as a mirror of the lines of ``axi_ram``.

``sync()`` moves whole 512-byte lines and takes no simulated time. It runs at a falling edge, when
nothing in the RTL changes, and only before a request starts and after it ended. Bytes that the
host wrote since the last call win over what the RTL has in the same line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cocotb.utils import get_sim_time

from pymodel.memory import LINE_BYTES, PAGE_BYTES, HostMemory

_used_lines: set[int] = set()
"""Lines that any test of this simulation has pushed or pulled."""


class MirrorMemory(HostMemory):
    """``ram``: the handle of an ``axi_ram``. ``written_lines``: what the engine wrote, at the last pull."""

    def __init__(self, ram: Any, size: int) -> None:
        self._ram = ram
        self._line_handles: dict[int, Any] = {}
        self._dirty = np.zeros(size, np.bool_)
        self._dirty_lines: set[int] = set()
        self._pages_changed = True
        self._synced_at: float | None = None
        self.written_lines: list[int] = []
        super().__init__(size)

    def protect(self, address: int, length: int, *, readable: bool, writable: bool) -> None:
        super().protect(address, length, readable=readable, writable=writable)
        self._pages_changed = True

    def _host_wrote(self, start: int, stop: int) -> None:
        if stop > start:
            self._dirty[start:stop] = True
            self._dirty_lines.update(range(start // LINE_BYTES, (stop - 1) // LINE_BYTES + 1))

    def sync(self) -> None:
        now = get_sim_time("step")
        if now != self._synced_at:  # within one falling edge the RTL cannot have written again
            self._pull()
            self._synced_at = now
        if self._dirty_lines:
            self._push()
        if self._pages_changed:
            self._push_pages()

    def start_clean(self) -> None:
        """Zero what earlier tests of this simulation left in the RTL, so that it equals this mirror."""
        for index in _used_lines:
            self._ram.mem[index].value = 0
        _used_lines.clear()
        self._ram.written.value = 0
        self._synced_at = get_sim_time("step")

    def _line(self, index: int) -> Any:
        handle = self._line_handles.get(index)
        if handle is None:
            handle = self._line_handles[index] = self._ram.mem[index]
            _used_lines.add(index)
        return handle

    def _pull(self) -> None:
        written = int(self._ram.written.value)
        self.written_lines = []
        if not written:
            return
        self._ram.written.value = 0
        while written:
            low = written & -written
            index = low.bit_length() - 1
            self.written_lines.append(index)
            self._pull_line(index)
            written ^= low

    def _pull_line(self, index: int) -> None:
        start = index * LINE_BYTES
        line = int(self._line(index).value).to_bytes(LINE_BYTES, "little")
        fresh = np.frombuffer(line, np.uint8)
        if index in self._dirty_lines:
            kept = self._dirty[start:start + LINE_BYTES]
            np.copyto(self.bytes[start:start + LINE_BYTES], fresh, where=~kept)
        else:
            self.bytes[start:start + LINE_BYTES] = fresh

    def _push(self) -> None:
        for index in sorted(self._dirty_lines):
            start = index * LINE_BYTES
            self._line(index).value = int.from_bytes(self.bytes[start:start + LINE_BYTES].tobytes(), "little")
            self._dirty[start:start + LINE_BYTES] = False
        self._dirty_lines.clear()

    def _push_pages(self) -> None:
        self._ram.page_no_read.value = _bits(~self.readable)
        self._ram.page_no_write.value = _bits(~self.writable)
        self._pages_changed = False


def _bits(flags: np.ndarray) -> int:
    """Flag k becomes bit k."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def memory_size(ram: Any) -> int:
    """Bytes of an ``axi_ram``."""
    size = len(ram.written) * LINE_BYTES
    assert size % PAGE_BYTES == 0
    return size
