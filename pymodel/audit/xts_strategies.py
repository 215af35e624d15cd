"""The audit of an XTS strategy: every layout of a short request, in place or not, with a tail or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pymodel import golden
from pymodel.audit.explore import Verdict
from pymodel.audit.layouts import PieceLayout, all_layouts
from pymodel.block_engine import BlockEngine
from pymodel.buffers import Buffers
from pymodel.jobs.ciphers import crypt, open_mode
from pymodel.memory import HostMemory
from pymodel.modes.xts_patches import PATCHES

MOST_BLOCKS = 4
KEY = bytes(range(32))
TWEAK = bytes(range(0x20, 0x30))
_SPACING = 256
"""From the start of one piece to that of the next: no piece is longer, and none touches another."""


@dataclass(frozen=True, slots=True)
class LayoutAudit:
    """``bounded``: all ``layouts`` of at most MOST_BLOCKS blocks are right. Else the shortest is here."""

    verdict: Verdict
    layouts: int
    counterexample: PieceLayout | None = None
    decrypt: bool = False


async def audit_strategy(engine: BlockEngine, name: str) -> LayoutAudit:
    """``name``: a strategy of ``Xts``, or one of PATCHES, which take whole blocks only."""
    layouts = list(all_layouts(MOST_BLOCKS, stealing=name not in PATCHES))
    for number, layout in enumerate(layouts, 1):
        for decrypt in (False, True):
            if not await _right(engine, name, layout, decrypt):
                return LayoutAudit("wrong", number, layout, decrypt)
    return LayoutAudit("bounded", len(layouts))


def case_of(name: str, audit: LayoutAudit) -> dict[str, Any]:
    """The counterexample as a case of a case file (tests/data/cases/README.md)."""
    layout = audit.counterexample
    assert layout is not None
    pieces: dict[str, Any] = {"src_div": list(layout.source)}
    pieces |= {"inplace": True} if layout.destination is None else {"dst_div": list(layout.destination)}
    return {"name": name, "mode": "xts", "key": KEY.hex(), "iv": TWEAK.hex(),
            "input": {"hex": _data(layout).hex()}, "enc": not audit.decrypt, "layout": pieces,
            "expect": {"out": {"hex": _result(layout, audit.decrypt).hex()}}}


def _data(layout: PieceLayout) -> bytes:
    return bytes((7 * k + 3) & 255 for k in range(layout.length))


def _result(layout: PieceLayout, decrypt: bool) -> bytes:
    return (golden.xts_decrypt if decrypt else golden.xts_encrypt)(KEY, TWEAK, _data(layout))


async def _right(engine: BlockEngine, name: str, layout: PieceLayout, decrypt: bool) -> bool:
    memory = engine.memory
    source = _placed(memory, layout.source)
    destination = source if layout.destination is None else _placed(memory, layout.destination)
    source.scatter(memory, _data(layout))
    try:
        with open_mode(engine, "xts", KEY, name) as xts:
            await crypt(xts, TWEAK, source, destination, encrypt=not decrypt)
        return destination.read(memory) == _result(layout, decrypt)
    finally:
        for address in {source.pieces[0].address, destination.pieces[0].address}:
            memory.free(address)


def _placed(memory: HostMemory, lengths: tuple[int, ...]) -> Buffers:
    address = memory.allocate(len(lengths) * _SPACING)
    return Buffers((address + number * _SPACING, length) for number, length in enumerate(lengths))
