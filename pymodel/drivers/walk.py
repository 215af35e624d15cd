"""The walk: how a request over scatter lists becomes runs that an engine can take.

Pure functions. Positions and lengths are bytes of the request; a span is a whole number of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pymodel.buffers import Buffers, Piece
from pymodel.memory import PAGE_BYTES


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes ``position`` to ``position + length`` of a request.

    ``direct``: contiguous on both sides and aligned, from ``src`` to ``dst``. Otherwise the bytes
    go through a bounce buffer, and the addresses are 0.
    """

    position: int
    length: int
    direct: bool
    src: int = 0
    dst: int = 0

    @property
    def end(self) -> int:
        return self.position + self.length


class _Cursor:
    """Looks up stream positions in a scatter list; positions must not go back."""

    def __init__(self, buffers: Buffers) -> None:
        self._runs = buffers.runs
        self._index = 0
        self._start = 0

    def at(self, position: int) -> Piece:
        """What is contiguous from ``position`` on."""
        while position >= self._start + self._runs[self._index].length:
            self._start += self._runs[self._index].length
            self._index += 1
        run = self._runs[self._index]
        offset = position - self._start
        return Piece(run.address + offset, run.length - offset)


def walk(src: Buffers, dst: Buffers, *, block: int, alignment: int, chunk: int) -> Iterator[Span]:
    """Cut a request into spans, in order.

    A direct span is contiguous on both sides, at addresses that are multiples of ``alignment``;
    what is left goes through the bounce buffer in spans of at most ``chunk`` bytes, a multiple of
    ``block``. ``len(src)`` equals ``len(dst)`` and is a multiple of ``block``.
    """
    bounce_from = position = 0
    source, destination = _Cursor(src), _Cursor(dst)
    while position < len(src):
        here, there = source.at(position), destination.at(position)
        contiguous = min(here.length, there.length)
        whole = contiguous - contiguous % block
        if whole and not here.address % alignment and not there.address % alignment:
            yield from _bounces(bounce_from, position, chunk)
            yield Span(position, whole, True, here.address, there.address)
            position = bounce_from = position + whole
        else:
            position += max(block, contiguous + -contiguous % block)
    yield from _bounces(bounce_from, len(src), chunk)


def _bounces(start: int, end: int, chunk: int) -> Iterator[Span]:
    for position in range(start, end, chunk):
        yield Span(position, min(chunk, end - position), False)


def leaves_page(address: int, length: int) -> bool:
    """Whether ``length`` bytes at ``address`` reach beyond the page in which they begin."""
    return address % PAGE_BYTES + length > PAGE_BYTES
