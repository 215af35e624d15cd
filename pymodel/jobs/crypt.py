"""The job ``crypt``: a file through the engine in chunks, each checked before it is written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.checked import Wrong, check_result
from pymodel.jobs.ciphers import shortfall
from pymodel.jobs.crypt_modes import CHUNK_BYTES, FILE_CIPHERS, FileCipher
from pymodel.jobs.crypt_spec import CryptSpec
from pymodel.modes.keyed import on_bytes


async def crypt_file(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: the fields of ``CryptSpec``. Reports ``progress`` in blocks.

    Returns ``ok``, ``text`` (what was wrong), ``blocks``, ``hardware_blocks`` and ``software_blocks`` (tweaks
    and stolen blocks included), ``engine_cycles``, ``seconds`` and ``blocks_per_second`` (wall clock, checks
    and files included). Raises: InvalidRequest, and what the engine raises.
    """
    checked = CryptSpec(**spec)
    checked.check()
    engine, began, text = bench.engine(), time.perf_counter(), ""
    try:
        await _Passage(bench, engine, checked, report).whole()
    except (Wrong, OSError) as error:
        text = str(error)
    seconds, spent = time.perf_counter() - began, engine.counters
    text = text or shortfall(engine, checked.mode, len(checked.key) // 2, checked.blocks, spent)
    return {"ok": not text, "text": text, "blocks": checked.blocks, "hardware_blocks": spent.hardware_blocks,
            "software_blocks": spent.software_blocks, "engine_cycles": spent.engine_cycles,
            "seconds": round(seconds, 3), "blocks_per_second": round(checked.blocks / seconds, 1)}


class _Passage:
    """The way of one file through ``engine``."""

    def __init__(self, bench: Bench, engine: BlockEngine, spec: CryptSpec, report: Report) -> None:
        self._bench = bench
        self._engine = engine
        self._spec = spec
        self._report = report

    async def whole(self) -> None:
        """Raises: Wrong, OSError, and what the engine raises."""
        with Path(self._spec.source).open("rb") as source, \
                Path(self._spec.destination).open("r+b") as destination, \
                FILE_CIPHERS[self._spec.mode](self._engine, self._spec) as cipher:
            before, position = os.fstat(source.fileno()), 0
            while position < self._spec.length:
                group = self._read(source, min(cipher.group_bytes, self._spec.length - position))
                await self._group(cipher, position, group, destination)
                position += len(group)
            after = os.fstat(source.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise self._changed()

    def _read(self, source: BinaryIO, length: int) -> bytes:
        data = source.read(length)
        if len(data) != length:
            raise self._changed()
        return data

    def _changed(self) -> Wrong:
        return Wrong(f"{self._spec.source} changed while it was read")

    async def _group(self, cipher: FileCipher, position: int, group: bytes, destination: BinaryIO) -> None:
        """Put a stretch of the file through the engine and write what is right."""
        wanted = cipher.expected(position, group)
        for start, end in _pieces(len(group)):
            result = await self._through(cipher, position + start, group[start:end])
            check_result(self._bench, result, wanted[start:end], position + start)
            destination.write(result)
            destination.flush()
            self._report({"kind": "progress", "done": -(-(position + end) // BLOCK_BYTES),
                          "total": self._spec.blocks})

    async def _through(self, cipher: FileCipher, position: int, data: bytes) -> bytes:
        result, _ = await on_bytes(self._engine, data, lambda buffer: cipher.crypt(position, buffer))
        return result


def _pieces(length: int) -> Iterator[tuple[int, int]]:
    """Cut at chunks, so that the last piece has a whole block or more."""
    start = 0
    while length - start >= CHUNK_BYTES + BLOCK_BYTES:
        yield start, start + CHUNK_BYTES
        start += CHUNK_BYTES
    yield start, length
