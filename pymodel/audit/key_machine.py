"""Driver and engines as one machine whose states can be compared: contexts, CPUs, policy, and the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from pymodel.audit.operations import BLOCK, KEYS, KINDS, Kind, Operation
from pymodel.block_engine import BLOCK_BYTES
from pymodel.drivers.policies import Material, Need, Path, Policy, PolicyState
from pymodel.engines.padlock import CONTROL_WORD_BYTES, ControlWord
from pymodel.engines.padlock_model import HeldKey, KeyState, PadlockModel
from pymodel.engines.ports import Xcrypt
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

T = TypeVar("T")

CONTEXT_BYTES = 64
"""Distance of the addresses that the allocator gives to contexts."""

Held = tuple[int, bool]
"""What an engine has loaded: the number of the key, and whether for decryption."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which sequences are looked at. ``keying``: when a context may get a key: at any time, once, or once
    and before any engine is used."""

    kinds: frozenset[Kind] = frozenset(KINDS)
    contexts: int = 2
    keys: int = 2
    cpus: int = 2
    paths: tuple[Path, ...] = tuple(Path)
    keying: Literal["always", "once", "first"] = "always"


@dataclass(frozen=True, slots=True)
class Context:
    """``place``: which of the addresses it has. ``key``: its number, or None."""

    place: int
    key: int | None = None

    @property
    def address(self) -> int:
        return (1 + self.place) * CONTEXT_BYTES


@dataclass(frozen=True, slots=True)
class MachineState:
    """``contexts`` by number. ``engines``: what the engine of each CPU holds while EFLAGS bit 30 is set."""

    contexts: tuple[Context | None, ...]
    engines: tuple[Held | None, ...]
    policy: PolicyState
    cpu: int = 0


class KeyMachine:
    """Driver operations under a policy, on the transaction-level model of the engine."""

    def __init__(self, policy: Policy, scope: Scope) -> None:
        self.initial = MachineState((None,) * scope.contexts, (None,) * scope.cpus, PolicyState())
        self._policy = policy
        self._scope = scope

    def operations(self, state: MachineState) -> Iterator[Operation]:
        """What can happen next."""
        kinds = self._scope.kinds
        if "interrupt" in kinds:
            yield Operation("interrupt")
        if "move" in kinds:
            for cpu in range(self._scope.cpus):
                if cpu != state.cpu:
                    yield Operation("move", cpu=cpu)
        if "new" in kinds and None in state.contexts:
            yield Operation("new", state.contexts.index(None))
        for number, context in enumerate(state.contexts):
            if context is not None:
                yield from self._on_context(state, number, context)

    def _on_context(self, state: MachineState, number: int, context: Context) -> Iterator[Operation]:
        kinds = self._scope.kinds
        if "free" in kinds:
            yield Operation("free", number)
        if "set_key" in kinds and self._may_set_key(state, context):
            for key in range(self._scope.keys):
                yield Operation("set_key", number, key)
        if context.key is not None:
            for kind in ("encrypt", "decrypt"):
                if kind in kinds:
                    for path in self._scope.paths:
                        yield Operation(kind, number, path=path)

    def _may_set_key(self, state: MachineState, context: Context) -> bool:
        if self._scope.keying == "always":
            return True
        unused = not any(state.engines)
        return context.key is None and (self._scope.keying == "once" or unused)

    def step(self, state: MachineState, operation: Operation) -> tuple[MachineState, bool]:
        """The state afterwards, and whether the output was right."""
        if operation.kind == "interrupt":
            return replace(state, engines=_with(state.engines, state.cpu, None)), True
        if operation.kind == "move":
            return replace(state, cpu=operation.cpu), True
        if operation.kind in ("encrypt", "decrypt"):
            return self._crypt(state, operation)
        return self._change(state, operation), True

    def _change(self, state: MachineState, operation: Operation) -> MachineState:
        """A context comes, goes, or gets a key. The lowest free address is given out first."""
        number, context = operation.context, state.contexts[operation.context]
        if operation.kind == "new":
            taken = {other.place for other in state.contexts if other is not None}
            place = min(set(range(len(state.contexts))) - taken)
            return replace(state, contexts=_with(state.contexts, number, Context(place)))
        if operation.kind == "free":
            return replace(state, contexts=_with(state.contexts, number, None))
        assert context is not None
        keyed = replace(context, key=operation.key)
        return replace(state, contexts=_with(state.contexts, number, keyed),
                       policy=self._policy.set_key(state.policy, context.address))

    def _crypt(self, state: MachineState, operation: Operation) -> tuple[MachineState, bool]:
        context = state.contexts[operation.context]
        assert context is not None
        assert context.key is not None
        wanted = (context.key, operation.kind == "decrypt")
        held = state.engines[state.cpu]
        need = Need(material_of(wanted), held is not None, state.cpu, context.address, operation.path)
        policy, clear = self._policy.decide(state.policy, need)
        held, output = run_engine(None if clear else held, wanted)
        after = replace(state, policy=policy, engines=_with(state.engines, state.cpu, held))
        return after, output == operation.right_output(context.key)


def _with(entries: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*entries[:index], value, *entries[index + 1:])


@lru_cache
def material_of(wanted: Held) -> Material:
    """What a context with this key gives the engine to load for this direction."""
    key, decrypt = wanted
    word = ControlWord(rounds=10, keygen=False, decrypt=decrypt, ksize=0)
    return Material(KEYS[key], word.encode())


@lru_cache
def run_engine(held: Held | None, wanted: Held) -> tuple[Held, bytes]:
    """One ``xcrypt`` of BLOCK on the transaction-level model, with pointers to what is ``wanted``.

    ``held``: what the engine has loaded, None while EFLAGS bit 30 is clear. Returns what it holds
    afterwards, and what it wrote.
    """
    kernel, memory = Kernel(), HostMemory(1 << 16)
    model = PadlockModel(kernel, memory)
    address = memory.allocate(4 * BLOCK_BYTES)
    if held is not None:
        kernel.run(model.xcrypt(_request(memory, address, held)))
    kernel.run(model.xcrypt(_request(memory, address, wanted)))
    state = model.key_state
    return _held_of(state), memory.read(address + 3 * BLOCK_BYTES, BLOCK_BYTES)


def _request(memory: HostMemory, address: int, wanted: Held) -> Xcrypt:
    material = material_of(wanted)
    memory.write(address, material.control_word.to_bytes(CONTROL_WORD_BYTES, "little") + material.key + BLOCK)
    return Xcrypt(address, address + BLOCK_BYTES, address + 2 * BLOCK_BYTES, address + 3 * BLOCK_BYTES, 1)


def _held_of(state: KeyState) -> Held:
    held = state.held
    assert state.key_loaded
    assert isinstance(held, HeldKey)
    first = held.schedule[-1 if held.decrypt else 0].tobytes()
    return KEYS.index(first), held.decrypt
