"""When to make the PadLock reload its key: pure functions over frozen states, each as history had it.

The engine reads key and control word only while EFLAGS bit 30 is clear. A policy decides before
each ``xcrypt`` whether to clear it (popf) first. Some of them are wrong; ``ecbench audit`` finds out which.

``always``                clear it before every ``xcrypt``: padlock-aes up to 2008. Right, and slow.
``context-pointer``       one pointer to the last context for the whole machine, also set by set_key: a patch
                          of 2008. Wrong: it says nothing about key, direction, or who holds the address.
``control-word-pointer``  for each CPU a pointer to the last control word, forgotten by set_key on all CPUs:
                          the form that was merged. Some paths record a word that they did not use.
``engine-state``          clear it exactly when the engine holds something else than what is needed. The
                          comparison is by value, so a key changed in place, a key whose memory belonged to
                          another one, and the other direction of one key are all seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, TypeVar

from pymodel.engines.padlock import CONTROL_WORD_BYTES, ControlWord

T = TypeVar("T")


class Path(Enum):
    """The entries of the Linux driver; they differ in what ``control-word-pointer`` looks at and records."""

    SINGLE = "single"
    """One block, the entry of the cipher interface."""
    ECB = "ecb"
    CBC = "cbc"


@dataclass(frozen=True, slots=True)
class Material:
    """What the engine takes in when it loads: the bytes at the key pointer that matter, and the control
    word with its direction, rounds and key size."""

    key: bytes
    control_word: int

    @property
    def decrypt(self) -> bool:
        return ControlWord.decode(self.control_word).decrypt


@dataclass(frozen=True, slots=True)
class Need:
    """What is about to run, and where. ``key_loaded``: EFLAGS bit 30 as pushf shows it. ``context``: the
    address of the context, which begins with the control words for encryption and decryption."""

    material: Material
    key_loaded: bool
    cpu: int = 0
    context: int = 0
    path: Path = Path.ECB

    def word(self, *, decrypt: bool) -> int:
        """The address of the context's control word for a direction."""
        return word_address(self.context, decrypt=decrypt)


def word_address(context: int, *, decrypt: bool) -> int:
    return context + CONTROL_WORD_BYTES * decrypt


@dataclass(frozen=True, slots=True)
class PolicyState:
    """What the drivers of a machine remember, whatever their policy; one entry of a tuple for each CPU.

    ``held``: what each engine was last given to load. ``last_context``, ``last_words``: addresses.
    """

    held: tuple[Material | None, ...] = ()
    last_context: int | None = None
    last_words: tuple[int | None, ...] = ()

    def holds(self, cpu: int) -> Material | None:
        """What the engine of ``cpu`` was last given to load, or None when that is not known."""
        return _at(self.held, cpu)

    def after(self, need: Need, reload: bool) -> PolicyState:
        """The engine loads when it is made to, and when it has no key."""
        if not (reload or not need.key_loaded):
            return self
        return replace(self, held=_with(self.held, need.cpu, need.material))


def _at(entries: tuple[T | None, ...], cpu: int) -> T | None:
    return entries[cpu] if cpu < len(entries) else None


def _with(entries: tuple[T | None, ...], cpu: int, value: T | None) -> tuple[T | None, ...]:
    longer = entries + (None,) * (cpu + 1 - len(entries))
    return (*longer[:cpu], value, *longer[cpu + 1:])


Decision = Callable[[PolicyState, Need], tuple[PolicyState, bool]]
"""(state, need) to (state once the engine has begun, whether to clear EFLAGS bit 30 before)."""


def always(state: PolicyState, need: Need) -> tuple[PolicyState, bool]:
    return state.after(need, True), True


def engine_state(state: PolicyState, need: Need) -> tuple[PolicyState, bool]:
    reload = need.key_loaded and state.holds(need.cpu) != need.material
    return state.after(need, reload), reload


def never(state: PolicyState, need: Need) -> tuple[PolicyState, bool]:
    """What a driver does that does not know of the cached key: nothing. It fails on a real engine."""
    return state.after(need, False), False


def context_pointer(state: PolicyState, need: Need) -> tuple[PolicyState, bool]:
    reload = state.last_context != need.context
    state = replace(state, last_context=need.context)
    return state.after(need, reload), reload


def context_pointer_set_key(state: PolicyState, context: int) -> PolicyState:
    return replace(state, last_context=context)


_LOOKS_AT_DECRYPT = {Path.SINGLE: (False, False), Path.ECB: (False, True), Path.CBC: (False, False)}
_RECORDS_DECRYPT = {Path.SINGLE: (False, False), Path.ECB: (False, False), Path.CBC: (True, False)}
"""Whether it is the word for decryption: (encrypting, decrypting). Linux 5.17, padlock-aes.c, 305 to 456."""


def control_word_pointer(state: PolicyState, need: Need) -> tuple[PolicyState, bool]:
    looked_at = need.word(decrypt=_LOOKS_AT_DECRYPT[need.path][need.material.decrypt])
    recorded = need.word(decrypt=_RECORDS_DECRYPT[need.path][need.material.decrypt])
    reload = _at(state.last_words, need.cpu) != looked_at
    state = replace(state, last_words=_with(state.last_words, need.cpu, recorded))
    return state.after(need, reload), reload


def control_word_pointer_set_key(state: PolicyState, context: int) -> PolicyState:
    own = (word_address(context, decrypt=False), word_address(context, decrypt=True))
    return replace(state, last_words=tuple(None if word in own else word for word in state.last_words))


def _set_key_unnoticed(state: PolicyState, context: int) -> PolicyState:
    return state


@dataclass(frozen=True, slots=True)
class Policy:
    """``decide`` is asked before every ``xcrypt``; ``set_key`` is told of each key set in a context."""

    decide: Decision
    set_key: Callable[[PolicyState, int], PolicyState] = _set_key_unnoticed


PolicyName = Literal["engine-state", "always", "context-pointer", "control-word-pointer"]

NEVER = Policy(never)
POLICIES: Mapping[PolicyName, Policy] = {
    "engine-state": Policy(engine_state),
    "always": Policy(always),
    "context-pointer": Policy(context_pointer, context_pointer_set_key),
    "control-word-pointer": Policy(control_word_pointer, control_word_pointer_set_key),
}
"""The first one is the default."""
