"""Every policy that can be audited, and the verdict it must get (docs/policies.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymodel.audit.explore import Verdict
from pymodel.errors import InvalidRequest
from pymodel.modes.xts import STRATEGIES
from pymodel.modes.xts_patches import PATCHES

KEY_LOAD: Mapping[str, Verdict] = {
    "always": "proved", "engine-state": "proved", "context-pointer": "wrong", "control-word-pointer": "wrong",
}
"""Policies for loading keys, of the PadLock."""

XTS: Mapping[str, Verdict] = {
    **dict.fromkeys(STRATEGIES, "bounded"), **dict.fromkeys(PATCHES, "wrong"),
}
"""Strategies of XTS, on any engine: what is right is so in every layout of a few blocks."""


def policies_of(engine: str) -> dict[str, Verdict]:
    """What can be audited on an engine. The QCE is given its key with every request."""
    return {**KEY_LOAD, **XTS} if engine == "padlock" else dict(XTS)


def policy_settings(engine: str, policy: str) -> dict[str, Any]:
    """The setting of a bench that a policy of either kind is.

    Raises: InvalidRequest for one that the engine does not have.
    """
    known = policies_of(engine)
    if policy not in known:
        raise InvalidRequest(f"unknown policy '{policy}' of {engine}: choose one of {', '.join(known)}")
    return {"policy" if policy in KEY_LOAD else "strategy": policy}
