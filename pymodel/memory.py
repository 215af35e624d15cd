"""HostMemory: the memory that host and engine share, seen from the host.

One numpy array. On the model the engine works on it directly. In a simulation a subclass
(``cocotb_tests.env.backdoor``) mirrors the memory in the RTL: it notes which bytes the host
wrote, and ``sync()`` moves whole lines both ways without taking a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from pymodel.errors import EcbenchError

PAGE_BYTES = 4096
LINE_BYTES = 512
DEFAULT_BYTES = 4 << 20

ByteArray = NDArray[np.uint8]


class HostAccessError(EcbenchError):
    """The host touched memory that it must not touch: outside, unmapped, or owned by an engine."""


class OutOfMemory(EcbenchError):
    """The allocator has no block of that size left."""


class HostMemory:
    """``size`` bytes from address 0. Page 0 is never readable nor writable, so that a null pointer faults."""

    def __init__(self, size: int = DEFAULT_BYTES) -> None:
        if size <= 0 or size % PAGE_BYTES:
            raise ValueError(f"size {size} is not a positive multiple of {PAGE_BYTES}")
        self.size = size
        self.bytes: ByteArray = np.zeros(size, np.uint8)
        pages = size // PAGE_BYTES
        self.readable = np.ones(pages, np.bool_)
        self.writable = np.ones(pages, np.bool_)
        self._owned: list[tuple[int, int]] = []
        self._free: list[tuple[int, int]] = [(PAGE_BYTES, size - PAGE_BYTES)]
        self._freed: list[tuple[int, int]] = []
        self._allocated: dict[int, int] = {}
        self.protect(0, PAGE_BYTES, readable=False, writable=False)

    # -- the host's accesses ------------------------------------------------------------------

    def read(self, address: int, length: int) -> bytes:
        """Raises HostAccessError where the host cannot read."""
        self._check(address, length, self.readable, "read")
        return self.bytes[address:address + length].tobytes()

    def view(self, address: int, length: int) -> ByteArray:
        """A read-only view of ``length`` bytes, without a copy."""
        self._check(address, length, self.readable, "read")
        view = self.bytes[address:address + length]
        view.flags.writeable = False
        return view

    def write(self, address: int, data: bytes | bytearray | memoryview | ByteArray) -> None:
        """Raises HostAccessError where the host cannot write, or while an engine owns the bytes."""
        source = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        end = address + len(source)
        self._check(address, len(source), self.writable, "write")
        for start, stop in self._owned:
            if address < stop and start < end:
                raise HostAccessError(f"host write to {address:#x}..{end:#x}, which an engine owns")
        self.bytes[address:end] = source
        self._host_wrote(address, end)

    def _host_wrote(self, start: int, stop: int) -> None:
        """Called after each host write; a mirror notes the bytes here."""

    def _check(self, address: int, length: int, allowed: NDArray[np.bool_], access: str) -> None:
        if address < 0 or length < 0 or address + length > self.size:
            raise HostAccessError(f"host {access} at {address:#x}, {length} bytes, outside the memory")
        if length and not allowed[address // PAGE_BYTES:(address + length - 1) // PAGE_BYTES + 1].all():
            raise HostAccessError(f"host {access} at {address:#x}, {length} bytes, in an unmapped page")

    # -- pages, ownership, synchronisation ----------------------------------------------------

    def protect(self, address: int, length: int, *, readable: bool, writable: bool) -> None:
        """Set the access rights, of host and engines, of every page that the range touches."""
        pages = slice(address // PAGE_BYTES, (address + length - 1) // PAGE_BYTES + 1)
        self.readable[pages] = readable
        self.writable[pages] = writable

    @contextmanager
    def owned(self, *ranges: tuple[int, int]) -> Iterator[None]:
        """While an engine works on these (address, length) ranges, a host write to them raises."""
        held = [(address, address + length) for address, length in ranges if length]
        self._owned.extend(held)
        try:
            yield
        finally:
            for item in held:
                self._owned.remove(item)

    def sync(self) -> None:
        """Make host and engine see the same bytes and page rights. Here they always do."""

    # -- allocation ---------------------------------------------------------------------------

    def allocate(self, length: int, align: int = 16) -> int:
        """Return the address of ``length`` bytes; a freed block of that length is reused first.

        Raises ValueError (align is no power of two) and OutOfMemory.
        """
        if align <= 0 or align & (align - 1):
            raise ValueError(f"alignment {align} is not a power of two")
        needed = max(length, 1)
        address = self._reuse(needed, align)
        if address is None:
            address = self._first_fit(needed, align)
        if address is None:
            self._coalesce()
            address = self._first_fit(needed, align)
        if address is None:
            raise OutOfMemory(f"no {length} bytes left in {self.size} bytes of memory")
        self._allocated[address] = needed
        return address

    def free(self, address: int) -> None:
        """Give a block back. The bytes stay as they are, as in a real allocator."""
        try:
            length = self._allocated.pop(address)
        except KeyError:
            raise ValueError(f"{address:#x} is not allocated") from None
        self._freed.append((address, length))

    def _reuse(self, needed: int, align: int) -> int | None:
        for index in range(len(self._freed) - 1, -1, -1):
            address, length = self._freed[index]
            if length == needed and address % align == 0:
                del self._freed[index]
                return address
        return None

    def _first_fit(self, needed: int, align: int) -> int | None:
        for index, (start, size) in enumerate(self._free):
            address = -(-start // align) * align
            lead = address - start
            if lead + needed <= size:
                pieces = [(start, lead), (address + needed, size - lead - needed)]
                self._free[index:index + 1] = [piece for piece in pieces if piece[1]]
                return address
        return None

    def _coalesce(self) -> None:
        merged: list[tuple[int, int]] = []
        for start, size in sorted(self._free + self._freed):
            if merged and sum(merged[-1]) == start:
                merged[-1] = (merged[-1][0], merged[-1][1] + size)
            else:
                merged.append((start, size))
        self._free, self._freed = merged, []

    def allocate_pages(self, pages: int) -> int:
        """Whole pages, page aligned."""
        return self.allocate(pages * PAGE_BYTES, PAGE_BYTES)
