"""The memory as the PadLock model's bus sees it: where it answers with an error, and how blocks move."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.engines.padlock_bursts import BusError, ReadFault
from pymodel.engines.padlock_timing import Timeline
from pymodel.engines.ports import Xcrypt
from pymodel.memory import PAGE_BYTES, HostMemory


class MemoryTarget:
    """Errors of ``axi_ram``: DECERR outside the memory and at chosen beats, SLVERR in closed pages.

    ``read_errors`` and ``write_errors``: addresses. A read of such a beat fails, and a write burst with one.
    """

    def __init__(self, memory: HostMemory, read_errors: set[int], write_errors: set[int]) -> None:
        self._memory = memory
        self._read_errors = read_errors
        self._write_errors = write_errors

    def read_fault(self, address: int, beats: int) -> ReadFault | None:
        end = address + beats * BLOCK_BYTES
        inside = min(end, self._memory.size)
        failing = [(beat, BusError.BUS) for beat in _beats(self._read_errors) if address <= beat < end]
        if end > self._memory.size:
            failing.append((max(address, self._memory.size), BusError.BUS))
        if address < inside:
            first_page = address // PAGE_BYTES
            readable = self._memory.readable[first_page:(inside - 1) // PAGE_BYTES + 1]
            if not readable.all():
                page = first_page + int(np.argmin(readable))
                failing.append((max(address, page * PAGE_BYTES), BusError.PAGE))
        if not failing:
            return None
        beat, error = min(failing, key=lambda item: (item[0], -item[1]))
        return ReadFault((beat - address) // BLOCK_BYTES, error)

    def undisturbed(self, reads: Iterable[tuple[int, int]], write: tuple[int, int]) -> bool:
        """Whether all these (address, beats) ranges are answered with OKAY."""
        memory = self._memory
        if self._read_errors or self._write_errors:
            return False
        ranges = [(memory.writable, write), *((memory.readable, part) for part in reads)]
        for rights, (address, beats) in ranges:
            end = address + beats * BLOCK_BYTES
            if end > memory.size or not rights[address // PAGE_BYTES:(end - 1) // PAGE_BYTES + 1].all():
                return False
        return True

    def write_error(self, address: int, beats: int) -> BusError | None:
        """Of a burst, which lies in one page."""
        if address >= self._memory.size:
            return BusError.BUS
        if any(address <= beat < address + beats * BLOCK_BYTES for beat in _beats(self._write_errors)):
            return BusError.BUS
        return None if self._memory.writable[address // PAGE_BYTES] else BusError.PAGE


def _beats(addresses: set[int]) -> list[int]:
    return [address - address % BLOCK_BYTES for address in addresses]


def move_blocks(memory: HostMemory, op: Xcrypt, course: Timeline, blocks: int, schedule: rijndael.Bytes2d,
                decrypt: bool) -> None:
    """Write the first ``blocks`` results of a request, all of which have their W beats in ``course``.

    Where the destination begins inside the source, a block may be read before or after the engine itself
    overwrote it; the edges tell.
    """
    length = blocks * BLOCK_BYTES
    source = memory.bytes[op.src:op.src + length].reshape(blocks, BLOCK_BYTES).copy()
    distance = (op.dst - op.src) // BLOCK_BYTES
    if 0 < distance < blocks:
        results = _chained(source, distance, course, schedule, decrypt)
    else:
        results = rijndael.cipher(schedule, source, decrypt)
    memory.bytes[op.dst:op.dst + length] = results.reshape(-1)


def _chained(source: rijndael.Bytes2d, distance: int, course: Timeline, schedule: rijndael.Bytes2d,
             decrypt: bool) -> rijndael.Bytes2d:
    """Block i is read where result i - distance goes: memory gives what it held one edge before R."""
    blocks = len(source)
    read_at = _edges((burst.first, burst.beats) for burst in course.reads)[:blocks]
    written_at = _edges((burst.written(0), burst.beats) for burst in course.writes)
    results = np.empty_like(source)
    for start in range(0, blocks, distance):
        part = slice(start, min(start + distance, blocks))
        if start:
            before = slice(part.start - distance, part.stop - distance)
            overwritten = written_at[before] < read_at[part] - 1
            source[part][overwritten] = results[before][overwritten]
        results[part] = rijndael.cipher(schedule, source[part], decrypt)
    return results


def _edges(runs: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The edges of all beats, from the first edge and the beats of each burst."""
    return np.concatenate([np.arange(first, first + beats) for first, beats in runs])
