"""When to make the PadLock reload its key: pure functions over frozen states.

The engine reads key and control word only while EFLAGS bit 30 is clear. A policy decides before
each ``xcrypt`` whether to clear it (popf) first.

``always``        clear it before every ``xcrypt``: right, and slow.
``engine-state``  clear it exactly when the engine holds something else than what is needed. The
                  comparison is by value, so a key changed in place, a key whose memory belonged to
                  another one, and the other direction of one key are all seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Material:
    """What the engine takes in when it loads: the bytes at the key pointer that matter, and the control
    word with its direction, rounds and key size."""

    key: bytes
    control_word: int


@dataclass(frozen=True, slots=True)
class EngineState:
    """What is known of one engine. ``key_loaded`` is EFLAGS bit 30; ``held`` is what the last ``xcrypt``
    was given to load, or None when that is not known."""

    key_loaded: bool = False
    held: Material | None = None

    def observed(self, key_loaded: bool) -> EngineState:
        """The state after a look at EFLAGS."""
        return replace(self, key_loaded=key_loaded)


Policy = Callable[[EngineState, Material], tuple[EngineState, bool]]
"""(state, need) to (state once the engine has begun, whether to clear EFLAGS bit 30 before)."""

PolicyName = Literal["engine-state", "always"]


def always(state: EngineState, need: Material) -> tuple[EngineState, bool]:
    return EngineState(True, need), True


def engine_state(state: EngineState, need: Material) -> tuple[EngineState, bool]:
    return EngineState(True, need), state.key_loaded and state.held != need


def never(state: EngineState, need: Material) -> tuple[EngineState, bool]:
    """What a driver does that does not know of the cached key: nothing. It fails on a real engine."""
    return EngineState(True, state.held if state.key_loaded else need), False


POLICIES: dict[PolicyName, Policy] = {"engine-state": engine_state, "always": always}
