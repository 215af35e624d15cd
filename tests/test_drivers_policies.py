"""The reload policies as functions of states."""

from __future__ import annotations

import itertools

import pytest

from pymodel.drivers.policies import (
    POLICIES,
    Material,
    Need,
    Path,
    PolicyState,
    always,
    context_pointer,
    context_pointer_set_key,
    control_word_pointer,
    control_word_pointer_set_key,
    engine_state,
    never,
    word_address,
)

A, B = Material(b"key a", 10), Material(b"key b", 10)
A_OTHER_WAY = Material(b"key a", 10 | 1 << 9)
RIGHT = ("always", "engine-state")


def holding(material):
    return PolicyState(held=(material,))


@pytest.mark.parametrize("held", [None, A, B])
def test_an_engine_without_a_key_loads_by_itself(held):
    assert engine_state(holding(held), Need(A, False)) == (holding(A), False)


def test_what_the_engine_holds_is_not_loaded_again():
    same = Material(bytes(A.key), A.control_word)
    assert engine_state(holding(A), Need(same, True)) == (holding(A), False)


@pytest.mark.parametrize("held", [None, B, A_OTHER_WAY])
def test_a_loaded_engine_that_holds_something_else_or_something_unknown_is_made_to_reload(held):
    assert engine_state(holding(held), Need(A, True)) == (holding(A), True)


def test_each_cpu_has_an_engine_of_its_own():
    state, _ = engine_state(holding(A), Need(B, True, cpu=1))
    assert state.held == (A, B)
    assert engine_state(state, Need(A, True, cpu=0)) == (state, False)


def test_always_clears_the_flag_whatever_the_state():
    for loaded, held in itertools.product((False, True), (None, A, B)):
        assert always(holding(held), Need(A, loaded)) == (holding(A), True)


def test_the_naive_policy_never_clears_the_flag_and_so_keeps_the_old_key():
    assert never(holding(B), Need(A, True)) == (holding(B), False)
    assert never(holding(B), Need(A, False)) == (holding(A), False)


def test_the_context_pointer_looks_at_nothing_but_the_address_of_the_context():
    state, reload = context_pointer(PolicyState(), Need(A, True, context=64))
    assert (state.last_context, reload) == (64, True)
    for other in (Need(B, True, context=64), Need(A_OTHER_WAY, True, context=64), Need(A, True, 1, 64)):
        assert not context_pointer(state, other)[1]
    assert context_pointer_set_key(state, 96).last_context == 96


@pytest.mark.parametrize(("path", "decrypt", "looks_at", "records"), [
    (Path.SINGLE, False, False, False), (Path.SINGLE, True, False, False),
    (Path.ECB, False, False, False), (Path.ECB, True, True, False),
    (Path.CBC, False, False, True), (Path.CBC, True, False, False)])
def test_each_path_looks_at_and_records_the_word_that_linux_had_there(path, decrypt, looks_at, records):
    need = Need(A_OTHER_WAY if decrypt else A, True, context=64, path=path)
    for last in (False, True):
        state = PolicyState(last_words=(word_address(64, decrypt=last),))
        after, reload = control_word_pointer(state, need)
        assert reload == (last != looks_at)
        assert after.last_words == (word_address(64, decrypt=records),)


def test_set_key_makes_every_cpu_forget_the_words_of_its_context_and_no_others():
    state = PolicyState(last_words=(word_address(64, decrypt=True), word_address(64, decrypt=False), 128))
    assert control_word_pointer_set_key(state, 64).last_words == (None, None, 128)


def run_on_engine(policy, steps):
    """What an engine by the rule of EFLAGS bit 30 uses at each step under ``policy``, and its loads."""
    loaded, inside, state, used, loads = False, None, PolicyState(), [], 0
    for step in steps:
        if step == "interrupt":
            loaded = False
            continue
        state, clear = policy.decide(state, Need(step, loaded))
        loaded = loaded and not clear
        if not loaded:
            loaded, inside, loads = True, step, loads + 1
        assert state.holds(0) == inside
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
        for name in RIGHT:
            used, loads = run_on_engine(POLICIES[name], steps)
            assert used == needs, (name, steps)
            assert loads == (len(needs) if name == "always" else changes), (name, steps)
