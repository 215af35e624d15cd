"""The reload policies as functions of states."""

from __future__ import annotations

import itertools

import pytest

from pymodel.drivers.policies import POLICIES, EngineState, Material, always, engine_state, never

A, B = Material(b"key a", 10), Material(b"key b", 10)
A_OTHER_WAY = Material(b"key a", 10 | 1 << 9)


@pytest.mark.parametrize("held", [None, A, B])
def test_an_engine_without_a_key_loads_by_itself(held):
    assert engine_state(EngineState(False, held), A) == (EngineState(True, A), False)


def test_what_the_engine_holds_is_not_loaded_again():
    same = Material(bytes(A.key), A.control_word)
    assert engine_state(EngineState(True, A), same) == (EngineState(True, A), False)


@pytest.mark.parametrize("held", [None, B, A_OTHER_WAY])
def test_a_loaded_engine_that_holds_something_else_or_something_unknown_is_made_to_reload(held):
    assert engine_state(EngineState(True, held), A) == (EngineState(True, A), True)


def test_always_clears_the_flag_whatever_the_state():
    for loaded, held in itertools.product((False, True), (None, A, B)):
        assert always(EngineState(loaded, held), A) == (EngineState(True, A), True)


def test_the_naive_policy_never_clears_the_flag_and_so_keeps_the_old_key():
    assert never(EngineState(True, B), A) == (EngineState(True, B), False)
    assert never(EngineState(False, B), A) == (EngineState(True, A), False)


def run_on_engine(policy, steps):
    """What an engine by the rule of EFLAGS bit 30 uses at each step under ``policy``, and its loads."""
    loaded, inside, state, used, loads = False, None, EngineState(), [], 0
    for step in steps:
        if step == "interrupt":
            loaded = False
            continue
        state, clear = policy(state.observed(loaded), step)
        loaded = loaded and not clear
        if not loaded:
            loaded, inside, loads = True, step, loads + 1
        used.append(inside)
    return used, loads


def test_every_short_sequence_uses_the_right_key_and_engine_state_loads_as_rarely_as_possible():
    for steps in itertools.product([A, B, A_OTHER_WAY, "interrupt"], repeat=5):
        needs = [step for step in steps if step != "interrupt"]
        changes, previous = 0, None
        for step in steps:
            if step != "interrupt" and step != previous:
                changes += 1
            previous = step
        for name, policy in POLICIES.items():
            used, loads = run_on_engine(policy, steps)
            assert used == needs, (name, steps)
            assert loads == (len(needs) if name == "always" else changes), (name, steps)
