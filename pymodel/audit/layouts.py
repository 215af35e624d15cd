"""All ways to cut a short request into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from pymodel.block_engine import BLOCK_BYTES

STOLEN_BYTES = 7
"""Of the last, partial block of a request with ciphertext stealing."""


@dataclass(frozen=True, slots=True)
class PieceLayout:
    """Lengths of the pieces in bytes. ``destination``: None in place."""

    source: tuple[int, ...]
    destination: tuple[int, ...] | None

    @property
    def length(self) -> int:
        return sum(self.source)

    def __str__(self) -> str:
        source = "+".join(map(str, self.source))
        if self.destination is None:
            return f"{source} bytes in place"
        return f"{source} to {'+'.join(map(str, self.destination))} bytes"


def all_layouts(most_blocks: int, *, stealing: bool) -> Iterator[PieceLayout]:
    """1 to ``most_blocks`` blocks, cut at any block boundaries, the shortest first; in place and not."""
    for blocks, tail in product(range(1, most_blocks + 1), (0, STOLEN_BYTES) if stealing else (0,)):
        cuts = list(_cuts(blocks, tail))
        for source in cuts:
            yield PieceLayout(source, None)
        for source, destination in product(cuts, cuts):
            yield PieceLayout(source, destination)


def _cuts(blocks: int, tail: int) -> Iterator[tuple[int, ...]]:
    """A partial block at the end may be cut off from the block before it, too."""
    for chosen in product((False, True), repeat=blocks - 1 + bool(tail)):
        ends = [BLOCK_BYTES * (place + 1) for place, cut in enumerate(chosen) if cut]
        yield tuple(end - start for start, end in pairwise([0, *ends, BLOCK_BYTES * blocks + tail]))
