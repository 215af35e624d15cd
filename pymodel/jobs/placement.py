"""Where a request's data lies: pieces in pages of their own, guards around them, pages nobody may touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pymodel.buffers import Buffers, Piece
from pymodel.memory import PAGE_BYTES, HostMemory

GUARD_BYTES = 64
POISON = 0xA5
IV_BYTES = 16
_LINE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Spot:
    """A piece of ``length`` bytes at ``offset`` from the start of a page."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Layout:
    """How source and destination lie in memory. ``dst`` None: in place."""

    src: tuple[Spot, ...]
    dst: tuple[Spot, ...] | None = None
    separate_lists: bool = False
    """In place, but source and destination are equal lists, not the same object."""
    page_end: bool = False
    """Each piece ends its page, and the page behind can be neither read nor written."""
    overlap: int | None = None
    """The destination is the source moved by so many bytes; one piece."""
    iv_behind_dst: bool = False
    """The IV lies right behind the destination, in the same line of 64 bytes as its tail."""

    @property
    def in_place(self) -> bool:
        return self.dst is None and self.overlap is None


def apart(length: int) -> Layout:
    """Source and destination of one piece each, at the start of a page."""
    spots = (Spot(0, length),)
    return Layout(spots, spots)


class Placement:
    """One request's source and destination, with the data loaded and everything around it watched."""

    def __init__(self, memory: HostMemory, layout: Layout, data: bytes, iv: bytes = b"") -> None:
        self._memory = memory
        self._areas: list[int] = []
        self._closed: list[Piece] = []
        self.iv_address: int | None = None
        if layout.overlap is not None:
            self._place_overlapping(layout, data)
        else:
            self._place(layout, data)
        if layout.iv_behind_dst:
            self.iv_address = self.dst.pieces[-1].end
            memory.write(self.iv_address, iv)
        self._windows = self._watched()
        self._before = [self._memory.bytes[w.address:w.end].copy() for w in self._windows]
        for page in self._closed:
            memory.protect(page.address, page.length, readable=False, writable=False)

    def result(self) -> bytes:
        """The destination's bytes now."""
        return b"".join(self._memory.bytes[p.address:p.end].tobytes() for p in self.dst.pieces)

    def damage(self, result: bytes | None) -> str:
        """What changed although it should not have, in one line, or an empty string.

        ``result``: the bytes that the destination should hold, or None when nothing at all may
        have changed. Compared are source, destination, and the guards before and behind the
        destination's pieces.
        """
        expected = [image.copy() for image in self._before]
        if result is not None:
            for window, image in zip(self._windows, expected, strict=True):
                self._overlay(window, image, result)
        for window, image in zip(self._windows, expected, strict=True):
            different = np.flatnonzero(self._memory.bytes[window.address:window.end] != image)
            if len(different):
                return self._described(window.address + int(different[0]), len(different))
        return ""

    def release(self) -> None:
        """Open the closed pages and give the memory back."""
        for page in self._closed:
            self._memory.protect(page.address, page.length, readable=True, writable=True)
        for address in self._areas:
            self._memory.free(address)
        self._closed, self._areas = [], []

    def _place(self, layout: Layout, data: bytes) -> None:
        lines_up = layout.iv_behind_dst
        in_place = layout.dst is None
        src = [self._area(spot, layout.page_end, lines_up and in_place) for spot in layout.src]
        self.src = Buffers(src)
        self.src.scatter(self._memory, data)
        if layout.dst is not None:
            self.dst = Buffers([self._area(spot, layout.page_end, lines_up) for spot in layout.dst])
        else:
            self.dst = Buffers(src) if layout.separate_lists else self.src

    def _place_overlapping(self, layout: Layout, data: bytes) -> None:
        shift = layout.overlap or 0
        whole = self._area(Spot(layout.src[0].offset + GUARD_BYTES, len(data) + abs(shift)), False, False)
        src, dst = (0, shift) if shift >= 0 else (-shift, 0)
        self.src = Buffers.of(whole.address + src, len(data))
        self.dst = Buffers.of(whole.address + dst, len(data))
        self.src.scatter(self._memory, data)

    def _area(self, spot: Spot, page_end: bool, line_tail: bool) -> Piece:
        """Two pages or more of their own, poisoned around the piece."""
        offset = spot.offset
        if page_end:
            offset = -spot.length % PAGE_BYTES
        elif line_tail:
            offset = (_LINE_BYTES - 2 * IV_BYTES - spot.length) % _LINE_BYTES
        behind = PAGE_BYTES if page_end else GUARD_BYTES
        pages = max(2, -(-(offset + spot.length + behind) // PAGE_BYTES))
        start = self._memory.allocate_pages(pages)
        self._areas.append(start)
        piece = Piece(start + offset, spot.length)
        low, high = max(start, piece.address - GUARD_BYTES), piece.end + GUARD_BYTES
        self._memory.write(low, np.full(high - low, POISON, np.uint8))
        if page_end:
            self._closed.append(Piece(piece.end, PAGE_BYTES))
        return piece

    def _watched(self) -> list[Piece]:
        windows = []
        for piece in self.dst.pieces:
            page = piece.address // PAGE_BYTES * PAGE_BYTES
            low = max(piece.address - GUARD_BYTES, page)
            windows.append(Piece(low, piece.end + GUARD_BYTES - low))
        if self.src is not self.dst and not self.src.same_bytes(self.dst):
            windows += self.src.pieces
        return windows

    def _overlay(self, window: Piece, image: np.ndarray, result: bytes) -> None:
        position = 0
        for piece in self.dst.pieces:
            low, high = max(piece.address, window.address), min(piece.end, window.end)
            if low < high:
                part = result[position + low - piece.address:position + high - piece.address]
                image[low - window.address:high - window.address] = np.frombuffer(part, np.uint8)
            position += piece.length

    def _described(self, address: int, count: int) -> str:
        position = 0
        for piece in self.dst.pieces:
            if piece.address <= address < piece.end:
                return f"wrong output from byte {position + address - piece.address} on, {count} bytes differ"
            position += piece.length
        inside_source = any(piece.address <= address < piece.end for piece in self.src.pieces)
        what = "the source" if inside_source else "memory outside the destination"
        return f"{what} changed at {address:#x}, {count} bytes"
