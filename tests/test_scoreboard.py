"""The scoreboard fails on everything a scoreboard must fail on."""

from dataclasses import dataclass

import pytest

from cocotb_tests.env.scoreboard import Scoreboard, ScoreboardError


@dataclass(frozen=True)
class Item:
    data: bytes
    cycles: int


@pytest.fixture
def scoreboard() -> Scoreboard:
    return Scoreboard("unit")


def test_equal_items_in_order_match(scoreboard):
    for cycles in (10, 20):
        scoreboard.expect(Item(b"a", cycles))
    for cycles in (10, 20):
        scoreboard.observe(Item(b"a", cycles))
    scoreboard.check(at_least=2)
    assert scoreboard.matched == 2


def test_an_item_that_differs_is_named_with_its_field(scoreboard):
    scoreboard.expect(Item(b"a", 10), "request 7")
    scoreboard.observe(Item(b"a", 11))
    with pytest.raises(ScoreboardError, match="unmatched: request 7: cycles: expected 0xa, observed 0xb"):
        scoreboard.check()


def test_an_item_nobody_expected_fails(scoreboard):
    scoreboard.observe(Item(b"a", 10))
    with pytest.raises(ScoreboardError, match="unexpected: "):
        scoreboard.check(at_least=0)


def test_an_item_that_never_came_fails(scoreboard):
    scoreboard.expect(Item(b"a", 10), "request 1")
    with pytest.raises(ScoreboardError, match="missing: request 1"):
        scoreboard.check(at_least=0)


def test_items_that_come_in_the_wrong_order_fail(scoreboard):
    scoreboard.expect(Item(b"a", 10))
    scoreboard.expect(Item(b"b", 10))
    scoreboard.observe(Item(b"b", 10))
    scoreboard.observe(Item(b"a", 10))
    with pytest.raises(ScoreboardError, match="data: expected 61, observed 62"):
        scoreboard.check()


def test_a_run_that_compared_nothing_fails(scoreboard):
    with pytest.raises(ScoreboardError, match="only 0 items compared"):
        scoreboard.check()


def test_ignored_fields_are_not_compared():
    scoreboard = Scoreboard("unit", ignore=frozenset({"cycles"}))
    scoreboard.expect(Item(b"a", 10))
    scoreboard.observe(Item(b"a", 99))
    scoreboard.check()


def test_another_kind_of_item_fails(scoreboard):
    scoreboard.expect(Item(b"a", 10))
    scoreboard.observe("something else")
    with pytest.raises(ScoreboardError, match="unmatched"):
        scoreboard.check()


def test_a_reported_failure_fails_the_check(scoreboard):
    scoreboard.expect(Item(b"a", 10))
    scoreboard.observe(Item(b"a", 10))
    scoreboard.report("the engine wrote outside its destination")
    with pytest.raises(ScoreboardError, match="outside its destination"):
        scoreboard.check()


def test_a_withdrawn_expectation_is_not_missing(scoreboard):
    scoreboard.expect(Item(b"a", 10))
    scoreboard.withdraw()
    scoreboard.check(at_least=0)


def test_a_replaced_expectation_is_the_one_compared(scoreboard):
    scoreboard.expect(Item(b"a", 10))
    scoreboard.replace(Item(b"b", 11))
    scoreboard.observe(Item(b"b", 11))
    scoreboard.check()
