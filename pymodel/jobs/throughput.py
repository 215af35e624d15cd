"""The job ``throughput``: how many blocks a second XTS requests of some sizes reach, judged as always."""

from __future__ import annotations

import cProfile
import io
import pstats
import time
from typing import Any

from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.jobs.bench import Bench, Report
from pymodel.modes import Xts

KEY = bytes(range(32))
TWEAK = bytes(16)
_WARM_UP = 2
_PROFILE_LINES = 25


async def measure_throughput(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``request_bytes`` (a list), ``seconds`` to spend on each, ``profile`` (bool).

    The judging of the scoreboard is inside the time. Reports a ``row`` for each size.
    """
    xts = Xts(bench.engine(), KEY)
    profiler = cProfile.Profile() if spec.get("profile") else None
    rows = []
    for size in spec["request_bytes"]:
        src, dst = (Buffers.of(bench.memory.allocate(size, BLOCK_BYTES), size) for _ in range(2))
        src.scatter(bench.memory, bytes(i & 255 for i in range(size)))
        for _ in range(_WARM_UP):
            await xts.encrypt(TWEAK, src, dst)
        if profiler is not None:
            profiler.enable()
        rows.append(await _measure(bench, xts, src, dst, spec["seconds"]))
        if profiler is not None:
            profiler.disable()
        report({"kind": "row", **rows[-1]})
        for buffers in (src, dst):
            bench.memory.free(buffers.pieces[0].address)
    problems = bench.problems()
    profile = _profile_text(profiler) if profiler is not None else ""
    return {"ok": not problems, "problems": problems, "rows": rows, "profile": profile}


async def _measure(bench: Bench, xts: Xts, src: Buffers, dst: Buffers, seconds: float) -> dict[str, Any]:
    python, cpu, began, requests = bench.python_seconds(), time.process_time(), time.perf_counter(), 0
    while time.perf_counter() - began < seconds or not requests:
        await xts.encrypt(TWEAK, src, dst)
        requests += 1
    bench.problems()
    spent = time.perf_counter() - began
    blocks = requests * len(src) // BLOCK_BYTES
    return {"request_bytes": len(src), "requests": requests, "blocks_per_second": blocks / spent,
            "python_share": (bench.python_seconds() - python) / (time.process_time() - cpu)}


def _profile_text(profiler: cProfile.Profile) -> str:
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(_PROFILE_LINES)
    return text.getvalue()
