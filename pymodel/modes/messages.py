"""Many messages in one call: each with its own IV, source and destination."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat

from pymodel.buffers import Buffers
from pymodel.errors import InvalidRequest
from pymodel.modes.keyed import stating_consequence


@dataclass(frozen=True, slots=True)
class Message:
    """What is chained or numbered by itself: a stream of CBC, a data unit of XTS with its tweak as ``iv``."""

    iv: bytes
    src: Buffers
    dst: Buffers


def cut(ivs: Sequence[bytes], unit_bytes: int, src: Buffers, dst: Buffers) -> list[Message]:
    """Source and destination in units of ``unit_bytes``, one for each IV; the last may be shorter.

    Raises: InvalidRequest (another number of units, lengths that differ).
    """
    if unit_bytes < 1:
        raise InvalidRequest(f"units of {unit_bytes} bytes")
    if len(src) != len(dst):
        raise InvalidRequest(f"source of {len(src)} bytes, destination of {len(dst)}")
    count = -(-len(src) // unit_bytes)
    if count != len(ivs):
        raise InvalidRequest(f"{len(ivs)} IVs or tweaks for {count} units of {unit_bytes} bytes, which are "
                             f"{len(src)} bytes")
    if not count:
        return []
    lengths = list(chain(repeat(unit_bytes, count - 1), [len(src) - (count - 1) * unit_bytes]))
    return [Message(*parts) for parts in zip(ivs, src.split(lengths), dst.split(lengths), strict=True)]


@contextmanager
def stating_consequence_of_all(messages: Sequence[Message]) -> Iterator[None]:
    """``stating_consequence`` of a request of many messages; one that is in place decides for all."""
    destination = Buffers.joined(message.dst for message in messages)
    in_place = any(message.src.same_bytes(message.dst) for message in messages)
    source = destination if in_place else Buffers.joined(message.src for message in messages)
    with stating_consequence(source, destination):
        yield
