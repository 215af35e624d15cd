"""The memory as an engine's bus sees it: where it answers with an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.bursts import BusError, Piece, ReadFault
from pymodel.memory import PAGE_BYTES, HostMemory


class Target(Protocol):
    """Where memory answers with an error."""

    def read_fault(self, address: int, beats: int) -> ReadFault | None: ...

    def write_error(self, address: int, beats: int) -> BusError | None: ...

    def undisturbed(self, reads: Iterable[Piece], writes: Iterable[Piece]) -> bool:
        """Whether all of these is answered with OKAY."""


class Undisturbed:
    """Memory that answers everything with OKAY."""

    def read_fault(self, address: int, beats: int) -> ReadFault | None:
        return None

    def write_error(self, address: int, beats: int) -> BusError | None:
        return None

    def undisturbed(self, reads: Iterable[Piece], writes: Iterable[Piece]) -> bool:
        return True


def fault_in(target: Target, pieces: Sequence[Piece]) -> ReadFault | None:
    """The first fault of a stream; its beat is counted from the first of the stream."""
    before = 0
    for address, beats in pieces:
        fault = target.read_fault(address, beats)
        if fault is not None:
            return ReadFault(before + fault.beat, fault.error)
        before += beats
    return None


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

    def undisturbed(self, reads: Iterable[Piece], writes: Iterable[Piece]) -> bool:
        memory = self._memory
        if self._read_errors or self._write_errors:
            return False
        for rights, pieces in ((memory.readable, reads), (memory.writable, writes)):
            for address, beats in pieces:
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
