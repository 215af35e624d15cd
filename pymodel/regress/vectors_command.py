"""The command ``ecbench vectors``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.jobs.ciphers import reference
from pymodel.regress.display import Display, check_writable
from pymodel.regress.output_file import check_replaceable, output_file
from pymodel.vectors import Mode, Vector
from pymodel.vectors.vector_file import FORMATS, VectorSet, words

MOST = 1_000_000
"""No file has more vectors."""

_STEP = 500
"""Vectors between two looks at the progress."""


@dataclass(frozen=True, slots=True)
class VectorsOptions:
    """``ecbench vectors``. ``key_bits``: of the whole key, both halves for XTS."""

    mode: str
    key_bits: int
    seed: int
    count: int
    format: str
    out: Path


def write_vectors(options: VectorsOptions, display: Display) -> int:
    """Compute vectors with the golden model, check each with ``cryptography`` and write them.

    0 when they are written; 1 and no file when the two disagree. Raises: InvalidRequest.
    """
    if options.format not in FORMATS:
        raise InvalidRequest(f"unknown format '{options.format}': choose one of {', '.join(FORMATS)}")
    if options.count > MOST:
        raise InvalidRequest(f"{options.count} vectors: at most {MOST} go into a file")
    made = VectorSet(cast(Mode, options.mode), options.key_bits, options.seed, options.count)
    try:
        vectors = made.vectors()
    except ValueError as error:
        raise InvalidRequest(str(error)) from None
    check_writable(options.out, name="OUT")
    check_replaceable(options.out)
    try:
        with display, output_file(options.out) as output:
            with output.temporary.open("w", encoding="ascii") as file:
                file.writelines(FORMATS[options.format](made, _checked(vectors, options.count, display)))
            output.commit()
    except _Disagreement as error:
        display.out(f"FAIL {error}")
        return 1
    size = f", {words(options.count):,} words of 128 bits" if options.format == "readmemh" else ""
    display.out(f"{options.count:,} vectors{size}: {options.out}")
    return 0


class _Disagreement(EcbenchError):
    """The golden model and ``cryptography`` give different results: one of them is wrong."""


def _checked(vectors: Iterator[Vector], count: int, display: Display) -> Iterator[Vector]:
    """Raises _Disagreement."""
    for number, vector in enumerate(vectors, 1):
        wanted = reference(vector.mode, vector.key, vector.iv, vector.data, encrypt=vector.encrypt)
        if wanted != vector.expected:
            raise _Disagreement(f"{vector.name}: the golden model and cryptography disagree")
        yield vector
        if number % _STEP == 0:
            display.progress("vectors", number, count)
