"""The job ``run``: known answers, random requests and a file in one mode; a row of figures per key size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import KEY_BYTES, crypt, expected, open_mode, shortfall
from pymodel.jobs.engines import Driver
from pymodel.jobs.file_requests import FILE_KEY_BYTES, file_label, file_request_count, file_requests
from pymodel.jobs.known_answers import known_answers
from pymodel.jobs.placement import Placement
from pymodel.jobs.requests import Request, random_request

SHOWN_FAILURES = 5
"""Reported of each row; its ``failures`` counts all."""


@dataclass(slots=True)
class Row:
    """The figures of one kind of work. ``blocks``: of data, a partial one included. ``cycles_per_block``:
    engine cycles per block of data, tweaks and stolen blocks included. ``blocks_per_second``: wall clock
    of the requests alone."""

    engine: str
    simulator: str
    mode: str
    key_bits: int
    work: str
    requests: int = 0
    blocks: int = 0
    hardware_blocks: int = 0
    software_blocks: int = 0
    engine_cycles: int = 0
    cycles_per_block: float = 0.0
    blocks_per_second: float = 0.0
    verdict: str = "pass"
    failures: int = 0
    seconds: float = field(default=0.0)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "row", **asdict(self)}


async def run_mode(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``mode``, ``seed``, ``requests`` (random ones per key size) and ``file`` (a path, or None).

    Reports ``progress``, ``failure`` and ``row`` lines. Returns ``{"ok": bool}``.
    """
    mode, total = spec["mode"], _total(spec)
    progress = _Progress(report, total)
    rows = []
    for key_bytes in KEY_BYTES[mode]:
        row = Row(bench.spec.engine, bench.simulator or "model", mode, 8 * key_bytes, "requests")
        work = _requests(mode, key_bytes, spec["seed"], spec["requests"])
        rows.append(await _Work(bench, row, report, progress).do(work))
    if spec.get("file"):
        path, key_bytes = Path(spec["file"]), FILE_KEY_BYTES[mode]
        row = Row(bench.spec.engine, bench.simulator or "model", mode, 8 * key_bytes, file_label(path, mode))
        rows.append(await _Work(bench, row, report, progress).do(file_requests(path, mode, spec["seed"])))
    return {"ok": all(row.verdict == "pass" for row in rows)}


def _requests(mode: str, key_bytes: int, seed: int, count: int) -> Iterator[tuple[Request, bytes | None]]:
    yield from known_answers(mode, key_bytes)
    for index in range(count):
        yield random_request(mode, key_bytes, seed, index), None


def _total(spec: dict[str, Any]) -> int:
    mode = spec["mode"]
    answers = sum(len(known_answers(mode, key_bytes)) for key_bytes in KEY_BYTES[mode])
    in_file = file_request_count(Path(spec["file"]), mode) if spec.get("file") else 0
    return answers + len(KEY_BYTES[mode]) * int(spec["requests"]) + in_file


class _Progress:
    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self._total = total
        self._done = 0

    def step(self) -> None:
        self._done += 1
        self._report({"kind": "progress", "done": self._done, "total": self._total})


class _Work:
    """Requests that fill one row."""

    def __init__(self, bench: Bench, row: Row, report: Report, progress: _Progress) -> None:
        self._bench = bench
        self._engine: Driver = bench.engine()
        self._row = row
        self._report = report
        self._progress = progress

    async def do(self, work: Iterator[tuple[Request, bytes | None]]) -> Row:
        row, engine = self._row, self._engine
        before, known_problems = engine.counters.copy(), len(self._bench.problems())
        for request, answer in work:
            await self._one(request, answer)
            self._progress.step()
        spent = engine.counters.since(before)
        row.hardware_blocks, row.software_blocks = spent.hardware_blocks, spent.software_blocks
        row.engine_cycles = spent.engine_cycles
        row.cycles_per_block = round(spent.engine_cycles / row.blocks, 2) if row.blocks else 0.0
        row.blocks_per_second = round(row.blocks / row.seconds, 1) if row.seconds else 0.0
        row.seconds = round(row.seconds, 3)
        problems = self._bench.problems()[known_problems:]
        for problem in problems:
            self._fail("", problem)
        missing = shortfall(engine, row.mode, row.key_bits // 8, row.blocks, spent)
        if missing:
            self._fail("", missing)
        if row.failures:
            row.verdict = "fail"
        self._report(row.to_json())
        return row

    async def _one(self, request: Request, answer: bytes | None) -> None:
        """Run one request and compare everything it may change."""
        encrypt = request.encrypt
        result, next_iv = expected(request.mode, request.key, request.iv, request.data, encrypt=encrypt,
                                   aad=request.aad)
        if (answer is not None and answer != result) or (request.tag and request.tag != next_iv):
            self._fail(request.name, "the known answer is not what the golden model says")
        placement = Placement(self._bench.memory, request.layout, request.data)
        try:
            with open_mode(self._engine, request.mode, request.key, self._bench.spec.strategy) as cipher:
                began = time.perf_counter()
                got_iv = await crypt(cipher, request.iv, placement.src, placement.dst, encrypt=encrypt,
                                     aad=request.aad, tag=next_iv)
                self._row.seconds += time.perf_counter() - began
            damage = placement.damage(result)
            if damage or got_iv != next_iv:
                what = "tag" if request.mode == "gcm" else "next IV"
                self._fail(request.name, damage or f"wrong {what} {got_iv.hex()}")
        except Exception as error:  # whatever a broken engine leads to is this request's failure
            self._fail(request.name, f"{type(error).__name__}: {error}")
        finally:
            placement.release()
        self._row.requests += 1
        self._row.blocks += request.blocks

    def _fail(self, name: str, text: str) -> None:
        self._row.failures += 1
        if self._row.failures <= SHOWN_FAILURES:
            self._report({"kind": "failure", "mode": self._row.mode, "key_bits": self._row.key_bits,
                          "request": name, "text": text})
