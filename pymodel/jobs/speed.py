"""The job ``speed``: what single requests take, in cycles from the caller's call to its return.

Time passes in the engine (model or RTL) and, by the bench's profile, on the host. Nothing is averaged over
noise, because there is none: after warming up, the same request takes the same cycles again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pymodel.block_engine import BlockEngine, EngineCounters
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import runs_in_hardware
from pymodel.jobs.engines import host_of
from pymodel.jobs.speed_cell import Cell
from pymodel.jobs.speed_requests import Texts, opened
from pymodel.memory import PAGE_BYTES

__all__ = ["Cell", "measure_speed_of_requests"]

WARM_UP = 1
"""Requests before the one that counts: it finds the engine as a request like it has left it."""


async def measure_speed_of_requests(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``cells``, a list of Cells as JSON. Reports a ``row`` for each: the cell with ``cycles``,
    the driver's counters, ``host_work`` (units by kind), ``ok``, and in ``text`` what was wrong if it is not:
    another result than the references have, or an engine that did not do what it was meant to."""
    rows = []
    for values in spec["cells"]:
        cell = Cell.from_json(values)
        row = {**cell.to_json(), **await _measured(bench, cell)}
        rows.append(row)
        report({"kind": "row", **row})
    problems = bench.problems()
    return {"ok": not problems and all(row["ok"] for row in rows), "problems": problems}


async def _measured(bench: Bench, cell: Cell) -> dict[str, Any]:
    engine = _engine(bench, cell)
    key = bytes(index * 7 & 0xFF for index in range(cell.key_bits // 8))  # halves that differ
    texts = Texts.of(cell, key)
    address = bench.memory.allocate(cell.bytes, PAGE_BYTES)
    buffers = Buffers.of(address, cell.bytes)
    try:
        with opened(engine, cell, key, texts.tag) as request:
            for _ in range(WARM_UP):
                buffers.scatter(bench.memory, texts.data)
                await request(buffers)
            buffers.scatter(bench.memory, texts.data)
            counters, work, began = engine.counters.copy(), engine.host.done.copy(), bench.kernel.now()
            tag = await request(buffers)
            cycles = bench.kernel.now() - began
        spent, work = engine.counters.since(counters), engine.host.done - work
        text = _wrong(texts, buffers.read(bench.memory), tag) or _idleness(bench, cell, engine, spent)
    finally:
        bench.memory.free(address)
    host_work = {str(kind): amount for kind, amount in work.items()}
    return {"cycles": cycles, **asdict(spent), "host_work": host_work, "ok": not text, "text": text}


def _wrong(texts: Texts, output: bytes, tag: bytes) -> str:
    """What is wrong with the result, or an empty string. GCM leaves the data alone if the tag is wrong."""
    if texts.tag and not tag:
        return "the right tag was refused"
    if output != texts.result:
        return "wrong output"
    return "" if tag == texts.tag else "wrong tag"


def _idleness(bench: Bench, cell: Cell, engine: BlockEngine, spent: EngineCounters) -> str:
    """That not all blocks were done by who is meant to, or an empty string."""
    threshold = bench.spec.aes_sw_max_len if cell.aes_sw_max_len is None else cell.aes_sw_max_len
    if cell.software:
        done, who = spent.software_blocks, "software"
    elif (threshold and bench.spec.engine == "qce") or not runs_in_hardware(
            engine, cell.mode, cell.key_bits // 8):
        done, who = spent.hardware_blocks + spent.software_blocks, "engine and software"
    else:
        done, who = spent.hardware_blocks, "the engine"
    return f"{who} did {done} of {cell.blocks()} blocks" if done < cell.blocks() else ""


def _engine(bench: Bench, cell: Cell) -> BlockEngine:
    if cell.software:
        return SoftwareEngine(bench.memory, bench.kernel, bench.cpus[0], host=host_of(bench))
    chosen = {"policy": cell.policy, "host_expands": cell.host_expands, "aes_sw_max_len": cell.aes_sw_max_len}
    return bench.engine(**{name: value for name, value in chosen.items() if value is not None})
