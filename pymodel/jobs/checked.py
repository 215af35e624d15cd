"""The verdict on bytes that an engine has made, before anyone else sees them."""

from __future__ import annotations

from pymodel.errors import EcbenchError
from pymodel.jobs.bench import Bench


class Wrong(EcbenchError):
    """The result, the source or the scoreboard is not as it should be."""


def check_result(bench: Bench, result: bytes, wanted: bytes, position: int, place: str = "") -> None:
    """``position``: of the first byte, for the message; ``place``: what it is counted in.

    Raises Wrong for a wrong byte, and for whatever the scoreboard has complained about.
    """
    if result != wanted:
        at = next(i for i, (got, want) in enumerate(zip(result, wanted, strict=True)) if got != want)
        raise Wrong(f"wrong result at byte {position + at}{place}")
    problems = bench.problems()
    if problems:
        raise Wrong(problems[0])
