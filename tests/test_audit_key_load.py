"""The audit of key-load policies: what is right is proved, what is wrong shown by the shortest sequence."""

import inspect
import random

import pytest

from pymodel import golden
from pymodel.audit import key_load, key_machine
from pymodel.audit.key_load import HAZARDS, audit_key_load, search
from pymodel.audit.key_machine import KeyMachine, Scope
from pymodel.audit.operations import BLOCK, KEYS
from pymodel.buffers import Buffers
from pymodel.drivers import policies
from pymodel.drivers.padlock import PadlockDriver
from pymodel.drivers.policies import POLICIES, Policy
from pymodel.engines.padlock_cpus import PadlockCpus
from pymodel.engines.padlock_model import PadlockModel
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory

SHORTEST = {
    "set_key": ["new context 0", "set key A in context 0", "encrypt with context 0 (single)",
                "set key B in context 0", "encrypt with context 0 (single)"],
    "direction": ["new context 0", "set key A in context 0", "encrypt with context 0 (single)",
                  "decrypt with context 0 (single)"],
    "cpu": ["new context 0", "new context 1", "set key A in context 0", "set key B in context 1",
            "encrypt with context 0 (single)", "move to CPU 1", "encrypt with context 1 (single)",
            "move to CPU 0", "encrypt with context 1 (single)"],
    "reuse": ["new context 0", "set key A in context 0", "encrypt with context 0 (single)", "free context 0",
              "new context 0", "set key B in context 0", "encrypt with context 0 (single)"],
}


def words(sequence):
    return [str(operation) for operation in sequence]


@pytest.mark.parametrize("name", ["always", "engine-state"])
def test_the_right_policies_are_proved(name):
    audit = audit_key_load(POLICIES[name])
    assert audit.whole.verdict == "proved"
    assert audit.whole.states > 1000
    assert not any(audit.hazards.values())
    assert not any(audit.paths.values())


def test_the_context_pointer_is_wrong_in_all_four_ways():
    audit = audit_key_load(POLICIES["context-pointer"])
    assert audit.whole.verdict == "wrong"
    assert {name: words(sequence) for name, sequence in audit.hazards.items()} == SHORTEST
    assert words(audit.whole.counterexample) == SHORTEST["direction"]


def test_the_control_word_pointer_is_wrong_on_the_paths_that_record_the_other_word_and_nowhere_else():
    audit = audit_key_load(POLICIES["control-word-pointer"])
    assert audit.whole.verdict == "wrong"
    assert {name: len(sequence) for name, sequence in audit.hazards.items()} == {
        "set_key": 0, "direction": 4, "cpu": 0, "reuse": 0}
    begin = ["new context 0", "set key A in context 0"]
    assert {name: words(sequence) for name, sequence in audit.paths.items()} == {
        "single": [*begin, "encrypt with context 0 (single)", "decrypt with context 0 (single)"],
        "ecb": [*begin, "decrypt with context 0 (ecb)", "encrypt with context 0 (ecb)"],
        "cbc": [*begin, "decrypt with context 0 (cbc)", "encrypt with context 0 (cbc)"]}


@pytest.mark.parametrize("name", HAZARDS)
def test_no_shorter_sequence_goes_wrong(name):
    """By trying all of them, without the search's memory of states."""
    machine, shortest = KeyMachine(POLICIES["context-pointer"], HAZARDS[name]), len(SHORTEST[name])
    frontier = [machine.initial]
    for _ in range(shortest - 1):
        steps = [machine.step(state, operation)
                 for state in frontier for operation in machine.operations(state)]
        assert all(right for _, right in steps)
        frontier = list({state for state, _ in steps})
    assert search(POLICIES["context-pointer"], HAZARDS[name], shortest - 1).verdict == "bounded"


def test_a_bounded_search_says_so():
    assert search(POLICIES["always"], Scope(), depth=3).verdict == "bounded"


# -- deliberate breakage --------------------------------------------------------------------------

BREAKAGES = [
    # the policy, what is taken out of its source, what is put there, the hazard that shows it
    ("engine_state", "need.key_loaded and state.holds(need.cpu) != need.material", "False", "direction"),
    ("engine_state", "state.after(need, reload), reload",
     "(state if state.holds(need.cpu) else state.after(need, reload)), reload", "direction"),
    ("engine_state", "state.holds(need.cpu)", "state.holds(0)", "cpu"),
    ("engine_state", "!= need.material", "is None", "set_key"),
    ("engine_state", ".holds(need.cpu) != need.material",
     ".holds(need.cpu).key != need.material.key", "direction"),
    ("engine_state", ".holds(need.cpu) != need.material",
     ".holds(need.cpu).control_word != need.material.control_word", "set_key"),
    ("always", ", True", ", False", "direction"),
]


def broken(function, taken, put):
    source = inspect.getsource(getattr(policies, function))
    assert taken in source
    space = dict(vars(policies))
    exec("from __future__ import annotations\n" + source.replace(taken, put), space)
    return space[function]


@pytest.mark.parametrize(("function", "taken", "put", "hazard"), BREAKAGES)
def test_a_policy_that_lacks_what_matters_is_found_wrong(function, taken, put, hazard):
    policy = Policy(broken(function, taken, put))
    assert search(policy, Scope()).verdict == "wrong"
    assert search(policy, HAZARDS[hazard]).verdict == "wrong"


@pytest.mark.parametrize(("taken", "put", "hazard"), [
    ("tuple(None if word in own else word for word in state.last_words)", "state.last_words", "set_key"),
    ("word_address(context, decrypt=False), ", "0, ", "set_key"),
])
def test_the_control_word_pointer_needs_set_key_to_forget(taken, put, hazard):
    right = POLICIES["control-word-pointer"]
    forgetful = Policy(right.decide, broken("control_word_pointer_set_key", taken, put))
    assert search(right, HAZARDS[hazard]).verdict == "proved"
    assert search(forgetful, HAZARDS[hazard]).verdict == "wrong"


@pytest.mark.parametrize(("taken", "put", "hazard"), [
    ("_at(state.last_words, need.cpu) != looked_at", "looked_at not in state.last_words", "cpu"),
    ("state = replace(state, last_words=_with(state.last_words, need.cpu, recorded))",
     "state = replace(state, last_words=_with(state.last_words, 0, recorded))", "cpu"),
])
def test_the_control_word_pointer_needs_a_word_for_each_cpu(taken, put, hazard):
    right = POLICIES["control-word-pointer"]
    shared = Policy(broken("control_word_pointer", taken, put), right.set_key)
    assert search(right, HAZARDS[hazard]).verdict == "proved"
    assert search(shared, HAZARDS[hazard]).verdict == "wrong"


def test_the_machine_looks_at_what_the_engine_writes():
    """An engine that computes something else is found, whatever the policy."""
    right = key_machine.run_engine

    def other(held, wanted):
        after, output = right(held, wanted)
        return after, bytes([output[0] ^ 1]) + output[1:]

    key_machine.run_engine = other
    try:
        assert key_load.search(POLICIES["always"], Scope()).verdict == "wrong"
    finally:
        key_machine.run_engine = right


# -- the driver itself ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1])
def test_engine_state_loads_exactly_as_often_as_an_oracle_that_looks_into_the_engine(seed):
    """10,000 random operations: contexts, keys of all sizes, directions, interrupts, two CPUs."""
    print(f"seed {seed}")
    draw, kernel, memory = random.Random(seed), Kernel(), HostMemory(1 << 20)
    port = PadlockCpus([PadlockModel(kernel, memory) for _ in range(2)])
    driver = PadlockDriver(port, memory, kernel, Cpu(kernel))
    buffer = Buffers.of(memory.allocate(64), 64)
    raw = [draw.randbytes(draw.choice((16, 24, 32))) for _ in range(4)]
    contexts = [driver.key(key) for key in raw[:2]]
    oracle = 0

    async def operate():
        for _ in range(10_000):
            kind = draw.randrange(12)
            if kind == 0:
                await driver.interrupted()
            elif kind == 1:
                await driver.move_to(1 - port.cpu)
            elif kind == 2:
                slot = draw.randrange(2)
                driver.release(contexts[slot])
                contexts[slot] = driver.key(draw.choice(raw))
            else:
                await crypt(draw.choice(contexts), draw.random() < 0.5)

    async def crypt(key, decrypt):
        nonlocal oracle
        data = draw.randbytes(64)
        oracle += needs_load(port.models[port.cpu].key_state, key, decrypt)
        buffer.scatter(memory, data)
        await driver.ecb(key, buffer, buffer, decrypt=decrypt)
        right = golden.ecb_decrypt(key.data, data) if decrypt else golden.ecb_encrypt(key.data, data)
        assert buffer.read(memory) == right

    kernel.run(operate())
    assert driver.counters.key_loads == oracle > 1000


def needs_load(state, key, decrypt):
    """Whether the engine holds anything but this schedule and this direction."""
    return not state.key_loaded or state.held.decrypt != decrypt \
        or state.held.schedule.tobytes() != key.schedule(decrypt=decrypt)


def test_the_keys_and_the_block_of_the_audit_tell_every_wrong_result_from_the_right_one():
    results = {crypt(key, BLOCK) for key in KEYS for crypt in (golden.ecb_encrypt, golden.ecb_decrypt)}
    assert len(results) == 4
