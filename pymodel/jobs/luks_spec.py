"""What the job ``luks`` is told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LuksSpec:
    """What to do, in values that JSON can carry.

    ``image``, ``destination``: absolute paths; the destination exists and is written over. ``passphrases``:
    in hexadecimal, each is tried. ``first``, ``sectors``: which of the payload's are decrypted.
    ``digest``: of the master key, in hexadecimal, as it stood in the header that all this is meant for.
    """

    image: str
    destination: str
    passphrases: list[str]
    first: int
    sectors: int
    digest: str
