"""How figures of the published measurements are written."""

import pytest

from pymodel.published.words import figure, label, listed, per_cent


@pytest.mark.parametrize(("value", "unit", "text"), [
    (947, "cycles", "947"), (1645, "cycles", "1,645"), (947.5, "cycles", "948"), (1262.4, "ns", "1,262"),
    (8081136.4, "bytes/s", "8,081,136"), (38.37, "MB/s", "38.4"), (1065.12, "MB/s", "1,065.1"),
    (-0.16, "% of time", "-0.16"), (-0.001, "% of time", "0.00"), (-0.4, "ns", "0")])
def test_a_unit_has_the_same_digits_for_small_and_large_figures(value, unit, text):
    assert figure(value, unit) == text


@pytest.mark.parametrize(("value", "text", "signed"), [
    (0.0244, "2.4 %", "+2.4 %"), (-0.1234, "-12.3 %", "-12.3 %"), (2.585, "258.5 %", "+258.5 %"),
    (0.0, "0.0 %", "+0.0 %"), (-0.0004, "0.0 %", "+0.0 %"), (None, "-", "-")])
def test_a_fraction_is_written_in_per_cent_and_what_is_zero_without_a_minus(value, text, signed):
    assert (per_cent(value), per_cent(value, sign=True)) == (text, signed)


def test_more_digits_of_a_per_cent_can_be_had():
    assert per_cent(0.01204, decimals=2) == "1.20 %"


@pytest.mark.parametrize(("value", "text"), [
    (True, "yes"), (False, "no"), (8192, "8192"), (29.4, "29.40"), (-0.001, "0.00"), ("RAW", "RAW")])
def test_labels_are_words_whole_numbers_or_have_two_digits(value, text):
    assert label(value) == text


@pytest.mark.parametrize(("values", "text"), [([], ""), ([16], "16"), ([16, 64], "16 and 64"),
                                              ([16, 64, 256], "16, 64 and 256")])
def test_a_list_is_written_as_in_a_sentence(values, text):
    assert listed(values) == text
