"""The counter blocks of GCM, and the sizes it allows (SP 800-38D 5.2.1 and 7.1)."""

from __future__ import annotations

import numpy as np

from pymodel.errors import InvalidRequest
from pymodel.memory import ByteArray
from pymodel.modes.ghash import BLOCK_BYTES, Ghash

TAG_BYTES = (4, 8, 12, 13, 14, 15, 16)
"""Sizes of a tag (SP 800-38D 5.2.1.2); 4 and 8 only under the limits of its appendix C."""
MAX_BYTES = (1 << 36) - 32
"""Of data in one request: its blocks have different 32-bit counters (SP 800-38D 5.2.1.1)."""


def check_iv_and_tag(iv: bytes, tag_bytes: int) -> None:
    """Raises InvalidRequest for sizes that GCM does not have."""
    if not len(iv):
        raise InvalidRequest("an IV of 0 bytes, GCM needs 1 or more")
    if tag_bytes not in TAG_BYTES:
        raise InvalidRequest(f"a tag of {tag_bytes} bytes, GCM has 4, 8 and 12 to 16")


def first_counter(ghash: Ghash, iv: bytes) -> bytes:
    """J0 (SP 800-38D 7.1, step 2)."""
    if len(iv) == 12:
        return bytes(iv) + b"\0\0\0\1"
    return ghash.of(bytes(iv), (8 * len(iv)).to_bytes(BLOCK_BYTES, "big"))


def counters(first: bytes, count: int, skipped: int = 0) -> ByteArray:
    """``count`` blocks that count up from ``skipped`` after ``first`` in their last 32 bits, which wrap
    (SP 800-38D 6.2)."""
    blocks = np.tile(np.frombuffer(first, np.uint8), count).reshape(count, BLOCK_BYTES)
    start = int.from_bytes(first[12:], "big") + skipped
    numbers = (np.arange(start, start + count, dtype=np.uint64) & 0xFFFFFFFF).astype(">u4")
    blocks[:, 12:] = numbers.view(np.uint8).reshape(count, 4)
    return blocks.reshape(-1)
