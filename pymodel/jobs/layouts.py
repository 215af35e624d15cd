"""The job ``layouts``: requests whose data lie in pieces, in every mode, with all beside them watched.

First the seven layouts that Linux's testmgr tries for every vector, then random ones. Each request must
give the golden model's bytes, IV or tag, leave every other byte of the areas as it was, and its lists too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from pymodel import golden
from pymodel.block_engine import BlockEngine
from pymodel.buffers import Buffers
from pymodel.errors import EcbenchError
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import KEY_BYTES, crypt, open_mode
from pymodel.jobs.piece_layouts import (
    FIXED,
    Areas,
    PieceLayout,
    PlacedRequest,
    random_layout,
    random_length,
)
from pymodel.modes.xts import STRATEGIES, Strategy

FIXED_LENGTHS = (16, 32, 64, 496, 512)
AAD = b"header"


@dataclass(frozen=True, slots=True)
class LayoutCase:
    """One request. ``iv``: a block, or what GCM takes. ``strategy``: of XTS."""

    mode: str
    key: bytes
    iv: bytes
    data: bytes
    decrypt: bool
    strategy: Strategy = "two-pass"

    def expected(self) -> tuple[bytes, bytes]:
        """The result, and what ``run`` returns."""
        encrypt = self.mode == "gcm" or not self.decrypt
        return golden.crypt(self.mode, self.key, self.iv, self.data, encrypt=encrypt, aad=AAD)

    async def run(self, engine: BlockEngine, src: Buffers, dst: Buffers) -> bytes:
        """On these buffers; returns what ``ciphers.crypt`` does.

        To decrypt GCM is to encrypt, to decrypt that in place, and to encrypt again.
        """
        with open_mode(engine, self.mode, self.key, self.strategy) as cipher:
            if self.mode != "gcm":
                return await crypt(cipher, self.iv, src, dst, encrypt=not self.decrypt)
            tag = await crypt(cipher, self.iv, src, dst, encrypt=True, aad=AAD)
            if self.decrypt:
                await crypt(cipher, self.iv, dst, dst, encrypt=False, aad=AAD, tag=tag)
                if dst.read(engine.memory) != self.data:
                    return b""
                await crypt(cipher, self.iv, dst, dst, encrypt=True, aad=AAD)
            return tag


def fixed_requests(mode: str, rng: random.Random) -> Iterator[tuple[PieceLayout, LayoutCase]]:
    """The seven layouts, each in five lengths and both directions."""
    for layout, length, decrypt in product(FIXED, FIXED_LENGTHS, (False, True)):
        key = rng.randbytes(rng.choice(KEY_BYTES[mode]))
        yield layout, LayoutCase(mode, key, rng.randbytes(16), rng.randbytes(length), decrypt)


def random_request(mode: str, rng: random.Random) -> tuple[PieceLayout, LayoutCase]:
    """Any layout, length, key size and direction; data and IV are sometimes all ones or all zeros."""
    layout, length = random_layout(rng), random_length(rng)
    if mode in ("ecb", "cbc"):
        length -= length % 16
    if mode == "xts":
        length = max(length, 16)
    fill = rng.choice([None, None, 0x00, 0xFF])
    data = rng.randbytes(length) if fill is None else bytes([fill]) * length
    key, iv = rng.randbytes(rng.choice(KEY_BYTES[mode])), rng.choice([rng.randbytes(16), b"\xff" * 16])
    return layout, LayoutCase(mode, key, iv, data, rng.random() < 0.5, rng.choice(STRATEGIES))


async def judge(engine: BlockEngine, areas: Areas, layout: PieceLayout, case: LayoutCase) -> str:
    """Do one request; what is wrong with it, or an empty string."""
    expected, owed = case.expected()
    placed = PlacedRequest(areas, layout, case.data)
    try:
        returned = await case.run(engine, placed.src, placed.dst)
    except EcbenchError as error:
        return f"{type(error).__name__}: {error}"
    if placed.result() != expected:
        return f"wrong output ({len(expected)} bytes)"
    if returned != owed:
        return f"returned {returned.hex()}"
    return placed.damage(expected)


async def replay_layouts(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``modes``, ``fixed`` (whether the seven layouts are tried), ``random`` (how many others of
    each mode) and their ``seed``. Reports a ``failure`` line for each request that is not right.

    Returns ``ok``, ``requests`` (how many), ``formats`` (pairs of source and destination that came up),
    ``hardware_blocks`` and ``problems``.
    """
    engine, areas, requests, failures = bench.engine(), Areas(bench.memory), 0, 0
    formats: set[str] = set()
    for mode in spec["modes"]:
        rng = random.Random(f"{spec['seed']}/{mode}")
        chosen = list(fixed_requests(mode, rng)) if spec["fixed"] else []
        chosen += (random_request(mode, rng) for _ in range(spec["random"]))
        for number, (layout, case) in enumerate(chosen):
            formats.add(layout.formats)
            wrong = await judge(engine, areas, layout, case)
            if wrong:
                failures += 1
                report({"kind": "failure", "mode": mode, "number": number, "layout": layout.name,
                        "bytes": len(case.data), "decrypt": case.decrypt, "text": wrong})
        requests += len(chosen)
    problems = bench.problems()
    return {"ok": requests > 0 and not failures and not problems, "requests": requests,
            "formats": sorted(formats), "hardware_blocks": engine.counters.hardware_blocks,
            "problems": problems}
