"""New known answers for other people's benches, from the golden model. A seed gives them all again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import get_args

from pymodel import golden

from .vector import Mode, Vector

MODES: tuple[Mode, ...] = get_args(Mode)
KEY_BITS: Mapping[Mode, tuple[int, ...]] = {mode: (256, 384, 512) if mode == "xts" else (128, 192, 256)
                                            for mode in MODES}
"""Of whole keys, both halves for XTS."""
MAX_BLOCKS = 8
"""No data of a vector are longer."""

_BLOCK = 16
_MAX_BYTES = MAX_BLOCKS * _BLOCK
_ROLLOVERS = (32, 64, 128)
"""Where counters of CTR are cut short by mistake, in bits."""


def generate(mode: Mode, key_bits: int, seed: int, count: int) -> Iterator[Vector]:
    """``count`` vectors, encryption and decryption in turn, each with a key of its own.

    ECB and CBC have 1 to 8 whole blocks; CTR 1 and XTS 16 to 128 bytes, every other pair whole blocks. Every
    fourth pair of CTR rolls over in its low 32, 64 or 128 bits, if it is long enough.
    ValueError: a mode or a key size that there is not; a count that is not positive.
    """
    if mode not in MODES:
        raise ValueError(f"unknown mode '{mode}': choose one of {', '.join(MODES)}")
    if key_bits not in KEY_BITS[mode]:
        *most, last = map(str, KEY_BITS[mode])
        both = ", both halves together" if mode == "xts" else ""
        raise ValueError(f"a key of {key_bits} bits: {mode.upper()} takes {', '.join(most)} or {last}{both}")
    if count < 1:
        raise ValueError(f"{count} vectors: there is at least 1")
    return _vectors(mode, key_bits, seed, count)


def _vectors(mode: Mode, key_bits: int, seed: int, count: int) -> Iterator[Vector]:
    rng = random.Random(f"{mode} {key_bits} {seed}")
    for number in range(count):
        pair, encrypt = number // 2, number % 2 == 0
        key = rng.randbytes(key_bits // 8)
        iv = _iv(mode, rng, pair)
        data = rng.randbytes(_length(mode, rng, whole=pair % 2 == 0))
        expected, _ = golden.crypt(mode, key, iv, data, encrypt=encrypt)
        yield Vector(name=f"{mode}-{key_bits} seed {seed} vector {number}", mode=mode, key=key, iv=iv,
                     data=data, expected=expected, encrypt=encrypt, source=f"ecbench, seed {seed}")


def _iv(mode: Mode, rng: random.Random, pair: int) -> bytes:
    if mode == "ecb":
        return b""
    iv = rng.randbytes(_BLOCK)
    if mode == "ctr" and pair % 4 == 3:
        size = rng.choice(_ROLLOVERS) // 8
        return iv[:_BLOCK - size] + ((1 << 8 * size) - rng.randint(1, MAX_BLOCKS // 2)).to_bytes(size, "big")
    return iv


def _length(mode: Mode, rng: random.Random, *, whole: bool) -> int:
    if whole or mode in ("ecb", "cbc"):
        return _BLOCK * rng.randint(1, MAX_BLOCKS)
    return rng.randint(_BLOCK if mode == "xts" else 1, _MAX_BYTES)
