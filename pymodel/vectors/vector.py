"""The value that every vector reader gives, and a seeded choice among many of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

Mode = Literal["ecb", "cbc", "ctr", "xts"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer: ``data`` under ``key`` and ``iv`` gives ``expected``.

    All fields of bytes are in the order of FIPS-197. ``iv`` is empty for ECB, the first counter
    block for CTR and the 16-byte tweak for XTS; an XTS ``key`` is both halves, data key first.
    ``encrypt`` tells the direction, ``source`` the document or file, ``name`` is unique.
    """

    name: str
    mode: Mode
    key: bytes
    iv: bytes
    data: bytes
    expected: bytes
    encrypt: bool
    source: str

    @property
    def key_bits(self) -> int:
        """Bits in the whole key: 128, 192 or 256, and 256, 384 or 512 for XTS."""
        return 8 * len(self.key)


def both_directions(vector: Vector) -> tuple[Vector, Vector]:
    """An encryption vector as itself and as the decryption that it implies."""
    decryption = replace(
        vector,
        name=vector.name.replace(" encrypt", " decrypt"),
        data=vector.expected,
        expected=vector.data,
        encrypt=False,
    )
    return vector, decryption


def sample(vectors: Sequence[T], count: int, seed: int) -> list[T]:
    """``count`` of ``vectors``, chosen by ``seed`` alone and in their order; all when there are fewer.

    ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"the count of a sample is not negative: {count}")
    chosen = random.Random(seed).sample(range(len(vectors)), min(count, len(vectors)))
    return [vectors[index] for index in sorted(chosen)]
