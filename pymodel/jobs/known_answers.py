"""The known answers that ``ecbench run`` puts through the engine: those printed in the standards."""

from __future__ import annotations

from pymodel.jobs.placement import apart
from pymodel.jobs.requests import Request
from pymodel.vectors import Vector, fips197, gcm_paper, ieee1619, sp800_38a


def known_answers(mode: str, key_bytes: int) -> list[tuple[Request, bytes]]:
    """Requests in ``mode`` with their answers: FIPS-197, SP 800-38A, IEEE 1619 and the paper on GCM."""
    if mode == "gcm":
        return [(Request(vector.name, mode, vector.key, vector.iv, vector.data, vector.encrypt,
                         apart(len(vector.data)), vector.aad, vector.tag), vector.expected)
                for vector in gcm_paper() if len(vector.key) == key_bytes]
    vectors = [*fips197(), *sp800_38a(), *ieee1619()]
    return [(_request(vector), vector.expected) for vector in vectors
            if vector.mode == mode and len(vector.key) == key_bytes]


def _request(vector: Vector) -> Request:
    return Request(vector.name, vector.mode, vector.key, vector.iv, vector.data, vector.encrypt,
                   apart(len(vector.data)))
