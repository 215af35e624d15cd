"""Random requests: everything about request k of a mode and key size follows from the seed and k."""

from __future__ import annotations

import random
from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.jobs.placement import Layout, Spot
from pymodel.memory import PAGE_BYTES

GCM_IV_BYTES = 12
"""The size that SP 800-38D recommends."""
LARGEST_BYTES = 4096 + 31
"""No random request is longer."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request in ``mode``: ``key`` is the whole key, ``iv`` the IV, counter or tweak.

    ``aad``: of GCM; ``tag``: of GCM, where a standard tells it.
    """

    name: str
    mode: str
    key: bytes
    iv: bytes
    data: bytes
    encrypt: bool
    layout: Layout
    aad: bytes = b""
    tag: bytes = b""

    @property
    def blocks(self) -> int:
        """Blocks of data, a partial one included."""
        return -(-len(self.data) // BLOCK_BYTES)


def random_request(mode: str, key_bytes: int, seed: int, index: int) -> Request:
    """Request ``index`` of the sequence that ``seed`` names; the same on every machine and Python."""
    draw = random.Random(f"{seed}/{mode}/{key_bytes}/{index}")
    length = _length(draw, mode)
    return Request(name=f"{mode}-{8 * key_bytes}-{index}", mode=mode, key=draw.randbytes(key_bytes),
                   iv=_iv(draw, mode), data=draw.randbytes(length), encrypt=draw.random() < 0.5,
                   layout=random_layout(draw, length), aad=_aad(draw) if mode == "gcm" else b"")


def _iv(draw: random.Random, mode: str) -> bytes:
    if mode == "ecb":
        return b""
    return draw.randbytes(draw.choice((GCM_IV_BYTES, GCM_IV_BYTES, draw.randint(1, 40)))
                          if mode == "gcm" else BLOCK_BYTES)


def _aad(draw: random.Random) -> bytes:
    return draw.randbytes(draw.choice((0, 16, draw.randint(1, 100))))


def _length(draw: random.Random, mode: str) -> int:
    """Short ones, whole sectors and odd ones; with a partial block in the modes that have them."""
    largest = LARGEST_BYTES // BLOCK_BYTES
    blocks = draw.choice((draw.randint(1, 4), draw.randint(1, 40), draw.randint(1, largest),
                          draw.choice((32, 256))))
    length = blocks * BLOCK_BYTES
    if mode in ("xts", "ctr", "gcm") and draw.random() < 0.5:
        length += draw.randrange(1, BLOCK_BYTES)
    return length


def random_layout(draw: random.Random, length: int) -> Layout:
    """In place or not, aligned or not, in one piece or several."""
    src = _spots(draw, length)
    return Layout(src) if draw.random() < 0.5 else Layout(src, _spots(draw, length))


def _spots(draw: random.Random, length: int) -> tuple[Spot, ...]:
    aligned = draw.random() < 0.5
    step = BLOCK_BYTES if aligned else 1
    cuts = draw.choice((0, 0, draw.randint(1, 4)))
    limits = sorted(draw.randrange(0, length + 1, step) for _ in range(cuts))
    return tuple(Spot(draw.randrange(0, PAGE_BYTES, step), end - start)
                 for start, end in zip([0, *limits], [*limits, length], strict=True))
