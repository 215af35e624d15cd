"""NIST's CBC Monte Carlo chains through an engine: a thousand dependent requests for each count."""

from __future__ import annotations

from collections.abc import Mapping

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.errors import EcbenchError
from pymodel.jobs.bench import Bench, Report
from pymodel.modes.cbc import Cbc
from pymodel.vectors import BlockRequest, MonteCarlo, follow_async, monte_carlo
from pymodel.vectors.monte_carlo import OUTER_ROUNDS

COUNTS: Mapping[str, int] = {"mct-cbc": 1, "mct-cbc-full": OUTER_ROUNDS}
"""How many counts of each of the 6 chains: the first, or all 100."""


async def follow_counts(bench: Bench, engine: BlockEngine, name: str, report: Report) -> tuple[int, int]:
    """Counts followed, and how many of them ended in the published result. Reports ``failure`` lines."""
    total = passed = 0
    for test in monte_carlo("cbc"):
        counts = COUNTS[name]
        try:
            results = await _follow(bench, engine, test, counts)
        except EcbenchError as error:
            report({"kind": "failure", "set": name, "vector": test.name,
                    "text": f"{type(error).__name__}: {error}"})
            results = []
        right = [result == test.expected[number] for number, result in enumerate(results)]
        if results and not all(right):
            report({"kind": "failure", "set": name, "vector": test.name,
                    "text": f"count {right.index(False)} ends in {results[right.index(False)].hex()}"})
        total, passed = total + counts, passed + sum(right)
        report({"kind": "progress", "set": name, "done": total, "total": 6 * counts})
    return total, passed


async def _follow(bench: Bench, engine: BlockEngine, test: MonteCarlo, counts: int) -> list[bytes]:
    memory = bench.memory
    block = Buffers.of(memory.allocate(BLOCK_BYTES), BLOCK_BYTES)
    key = test.key
    with Cbc(engine, key) as cipher:

        async def crypt(request: BlockRequest) -> bytes:
            nonlocal key
            if request.key != key:
                key = request.key
                cipher.set_key(key)
            block.scatter(memory, request.data)
            work = cipher.encrypt if request.encrypt else cipher.decrypt
            await work(request.iv, block, block)
            return block.read(memory)

        try:
            return await follow_async(test.chain(counts), crypt)
        finally:
            memory.free(block.pieces[0].address)
