"""The job ``vectors``: published test vectors through the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pymodel.block_engine import BlockEngine
from pymodel.buffers import Buffers
from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import crypt, open_mode
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
"""Every set by its name."""


async def replay_vectors(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``sets`` (names), ``sample`` (vectors per set, or None for all) and ``seed`` of the sample.

    Reports ``failure`` and ``row`` lines. Returns ``{"ok", "rows", "problems"}``.
    Raises: InvalidRequest for an unknown set.
    """
    engine = bench.engine()
    rows = []
    for name in spec["sets"]:
        if name not in SETS:
            raise InvalidRequest(f"unknown vectors '{name}': there are {', '.join(SETS)}")
        vectors = SETS[name]()
        if spec.get("sample"):
            vectors = sample(vectors, min(spec["sample"], len(vectors)), spec.get("seed", 1))
        rows.append(await _replay(bench, engine, name, vectors, report))
        report({"kind": "row", **rows[-1]})
    problems = bench.problems()
    clean = all(row["passed"] == row["vectors"] and row["hardware_blocks"] for row in rows)
    return {"ok": bool(rows) and clean and not problems, "rows": rows, "problems": problems}


async def _replay(bench: Bench, engine: BlockEngine, name: str, vectors: list[Vector],
                  report: Report) -> dict[str, Any]:
    before = engine.counters.copy()
    passed = 0
    for vector in vectors:
        text = await _problem(bench, engine, vector)
        passed += not text
        if text:
            report({"kind": "failure", "set": name, "vector": vector.name, "text": text})
    return {"set": name, "vectors": len(vectors), "passed": passed,
            "hardware_blocks": engine.counters.since(before).hardware_blocks}


async def _problem(bench: Bench, engine: BlockEngine, vector: Vector) -> str:
    """What went wrong, or an empty string."""
    memory, length = bench.memory, len(vector.data)
    src, dst = Buffers.of(memory.allocate(length), length), Buffers.of(memory.allocate(length), length)
    try:
        src.scatter(memory, vector.data)
        with open_mode(engine, vector.mode, vector.key) as cipher:
            await crypt(cipher, vector.iv, src, dst, encrypt=vector.encrypt)
        result = dst.read(memory)
        return "" if result == vector.expected else f"expected {vector.expected.hex()}, got {result.hex()}"
    except EcbenchError as error:
        return f"{type(error).__name__}: {error}"
    finally:
        for buffers in (src, dst):
            memory.free(buffers.pieces[0].address)
