"""The audit of a key-load policy: all sequences, and each kind of hazard searched over its own operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pymodel.audit.explore import Exploration, explore
from pymodel.audit.key_machine import KeyMachine, Scope
from pymodel.audit.operations import Kind, Operation
from pymodel.drivers.policies import Path, Policy

_USE: tuple[Kind, ...] = ("new", "set_key", "encrypt")

HAZARDS: Mapping[str, Scope] = {
    "set_key": Scope(frozenset(_USE), contexts=1, cpus=1),
    "direction": Scope(frozenset((*_USE, "decrypt")), contexts=1, keys=1, cpus=1, keying="once"),
    "cpu": Scope(frozenset((*_USE, "move")), keying="first"),
    "reuse": Scope(frozenset((*_USE, "free")), contexts=1, cpus=1, keying="once"),
}
"""A context gets another key; is used the other way round; on two CPUs; is freed and its address reused."""

Sequence = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class KeyLoadAudit:
    """``whole``: over all operations. ``hazards``: the shortest sequence of each kind, or an empty one.
    ``paths``: the shortest one of the two directions on each path alone."""

    whole: Exploration[Operation]
    hazards: Mapping[str, Sequence]
    paths: Mapping[str, Sequence]


def audit_key_load(policy: Policy, depth: int | None = None) -> KeyLoadAudit:
    """Explore the joint states of the policy and the engines. ``depth``: see ``explore``."""
    hazards = {name: search(policy, scope, depth).counterexample for name, scope in HAZARDS.items()}
    direction = HAZARDS["direction"]
    paths = {path.value: search(policy, _only(direction, path), depth).counterexample for path in Path}
    return KeyLoadAudit(search(policy, Scope(), depth), hazards, paths)


def _only(scope: Scope, path: Path) -> Scope:
    return replace(scope, paths=(path,))


def search(policy: Policy, scope: Scope, depth: int | None = None) -> Exploration[Operation]:
    machine = KeyMachine(policy, scope)
    return explore(machine.initial, machine.operations, machine.step, depth)
