"""The job ``vectors``: published test vectors through the engine, each in a mode's request of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from pymodel.block_engine import BLOCK_BYTES, BlockEngine, EngineCounters
from pymodel.buffers import Buffers
from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import crypt, open_mode, runs_in_hardware
from pymodel.jobs.monte_carlo import COUNTS, follow_counts
from pymodel.vectors import Vector, fips197, ieee1619, mmt, nist, rfc3686, sample, sp800_38a, wycheproof_xts

SETS: Mapping[str, Callable[[], list[Vector]]] = {
    "fips-197": fips197,
    "sp800-38a": sp800_38a,
    "rfc-3686": rfc3686,
    "nist-ecb": lambda: nist("ecb"),
    "nist-cbc": lambda: nist("cbc"),
    "nist-xts": lambda: nist("xts"),
    "mmt-ecb": lambda: mmt("ecb"),
    "mmt-cbc": lambda: mmt("cbc"),
    "ieee-1619": ieee1619,
    "wycheproof-xts": wycheproof_xts,
}
"""Every set of vectors by its name. NIST's ECB and CBC have the multi-block ones (mmt) among them."""

NAMES = (*SETS, *COUNTS)
"""What can be asked for: sets, and counts of NIST's CBC Monte Carlo chains."""

EVERYTHING = tuple(name for name in NAMES if not name.startswith("mmt-") and name != "mct-cbc-full")
"""Each vector once, and the first count of each Monte Carlo chain."""

_PROGRESS_EVERY = 200


async def replay_vectors(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``sets`` (names), ``sample`` (vectors per set, or None for all) and ``seed`` of the sample.

    Reports ``progress``, ``failure`` and ``row`` lines. Returns ``{"ok", "rows", "problems"}``.
    Raises: InvalidRequest for an unknown set.
    """
    engine = bench.engine()
    rows = []
    for name in spec["sets"]:
        if name not in NAMES:
            raise InvalidRequest(f"unknown vectors '{name}': there are {', '.join(NAMES)}")
        began, before = time.perf_counter(), engine.counters.copy()
        if name in COUNTS:
            total, passed = await follow_counts(bench, engine, name, report)
            hardware_expected = True
        else:
            vectors = SETS[name]()
            if spec.get("sample"):
                vectors = sample(vectors, min(spec["sample"], len(vectors)), spec.get("seed", 1))
            total, passed = len(vectors), await _replay(bench, engine, name, vectors, report)
            hardware_expected = any(runs_in_hardware(engine, vector.mode, len(vector.key))
                                    for vector in vectors)
        rows.append(_row(name, total, passed, engine.counters.since(before), time.perf_counter() - began,
                         hardware_expected))
        report({"kind": "row", **rows[-1]})
    problems = bench.problems()
    clean = all(row["verdict"] == "pass" for row in rows)
    return {"ok": bool(rows) and clean and not problems, "rows": rows, "problems": problems}


def _row(name: str, total: int, passed: int, spent: EngineCounters, seconds: float,
         hardware_expected: bool) -> dict[str, Any]:
    good = passed == total and (spent.hardware_blocks > 0 or not hardware_expected)
    return {"set": name, "vectors": total, "passed": passed, "hardware_blocks": spent.hardware_blocks,
            "software_blocks": spent.software_blocks, "seconds": round(seconds, 1),
            "verdict": "pass" if good else "fail"}


async def _replay(bench: Bench, engine: BlockEngine, name: str, vectors: list[Vector], report: Report) -> int:
    """How many passed."""
    passed = 0
    for number, vector in enumerate(vectors, 1):
        text = await _problem(bench, engine, vector)
        passed += not text
        if text:
            report({"kind": "failure", "set": name, "vector": vector.name, "text": text})
        if not number % _PROGRESS_EVERY:
            report({"kind": "progress", "set": name, "done": number, "total": len(vectors)})
    return passed


async def _problem(bench: Bench, engine: BlockEngine, vector: Vector) -> str:
    """What went wrong, or an empty string."""
    memory, length, before = bench.memory, len(vector.data), engine.counters.copy()
    src, dst = Buffers.of(memory.allocate(length), length), Buffers.of(memory.allocate(length), length)
    try:
        src.scatter(memory, vector.data)
        with open_mode(engine, vector.mode, vector.key) as cipher:
            await crypt(cipher, vector.iv, src, dst, encrypt=vector.encrypt)
        result = dst.read(memory)
    except EcbenchError as error:
        return f"{type(error).__name__}: {error}"
    finally:
        for buffers in (src, dst):
            memory.free(buffers.pieces[0].address)
    if result != vector.expected:
        return f"expected {vector.expected.hex()}, got {result.hex()}"
    done = engine.counters.since(before).hardware_blocks
    if runs_in_hardware(engine, vector.mode, len(vector.key)) and done < length // BLOCK_BYTES:
        return f"the engine did {done} blocks of {length} bytes"
    return ""
