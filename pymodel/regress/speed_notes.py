"""What ``ecbench speed`` says beside its tables: what was measured, and what the cycles do not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymodel.costs import HostWork
from pymodel.jobs.profiles import NONE, PROFILES
from pymodel.regress.speed_options import SpeedOptions

_FEW_CALLS = 2
"""One for tweaks or IVs and one for data."""


def measured(options: SpeedOptions) -> str:
    """The settings that all requests share, in a line."""
    host = "no host work" if options.profile == NONE else f"host work as {options.profile}"
    asked = [("stages", options.target.stages if options.target.stages > 1 else None),
             ("data units of", f"{options.unit_bytes} bytes" if options.unit_bytes else None),
             ("strategy", options.strategy), ("policy", options.policy), ("threshold", options.threshold),
             ("host expands", "keys" if options.host_expands else None)]
    return f"{options.target.engine}, {host}" + "".join(
        f", {name} {value}" for name, value in asked if value is not None)


def notes(options: SpeedOptions, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the reader of the cycles must know."""
    profile = PROFILES[options.profile]
    used = {HostWork(kind) for row in rows for kind, amount in row["host_work"].items() if amount}
    found = []
    aside = sum(not row["hardware_blocks"] for row in rows)
    if aside and not options.software:
        found.append(f"{aside} of {len(rows)} requests were done in software")
    if HostWork.FALLBACK_ROUND in used - set(profile.host):
        found.append(f"blocks in software take no time with the profile {options.profile}")
    if any(row["host_work"].get(HostWork.FALLBACK_CALL, 0) > _FEW_CALLS for row in rows) and profile.host:
        found.append(f"a call in software costs nothing of its own with {options.profile}: requests of many "
                     "calls look better than they are")
    estimates = [kind for kind in profile.host if kind in used and profile.host[kind].estimated]
    if estimates:
        found.append(f"estimates in {options.profile} (docs/timing.md): {', '.join(estimates)}")
    if profile.host and any(row["mode"] == "gcm" for row in rows):
        found.append("GHASH of gcm is not among the host's costs")
    size = profile.request_bytes
    if size is not None and any(row["bytes"] != size for row in rows):
        found.append(f"the profile {options.profile} knows what a request of {size} bytes costs the host; "
                     "others pay that once as well")
    return found
