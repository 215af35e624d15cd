"""Case files: what is read, and the one line that says what is wrong."""

import hashlib
import json

import pytest
from conftest import CASE_FILE

from pymodel.errors import InvalidRequest
from pymodel.jobs.case_file import Expect, parse_case, read_case_file
from pymodel.jobs.placement import Layout, Spot

GOOD = {"name": "good", "mode": "cbc", "key": "00" * 16, "iv": "00" * 16, "input": {"zeros": 32},
        "expect": {"out": {"hex": ""}}}


def test_the_whole_file_and_its_core_are_read():
    assert len(read_case_file(CASE_FILE)) == 576
    assert [case["name"] for case in read_case_file(CASE_FILE, "core")] == \
        json.loads(CASE_FILE.read_text())["core"]


def with_changes(**changes):
    return {key: value for key, value in {**GOOD, **changes}.items() if value is not None}


@pytest.mark.parametrize(("case", "message"), [
    ("not an object", "it is not an object with a name"),
    ({"mode": "cbc"}, "it is not an object with a name"),
    (with_changes(mode=None), "'good' has no 'mode'"),
    (with_changes(input=None), "'good' has no 'input'"),
    (with_changes(expect=None), "'good' has no 'expect'"),
    (with_changes(key="xy"), "'good' is malformed: non-hexadecimal"),
    (with_changes(input={"noise": 3}), "'good' is malformed: unknown input form noise"),
    (with_changes(layout={"src_div": [16, 15]}), r"'good' is malformed: src_div \[16, 15\].*do not fit 32"),
    (with_changes(layout={"src_off": [1, 2]}), "'good' is malformed: src_div"),
    (with_changes(layout={"page": 512}), "'good' is malformed: pages have 4096 bytes"),
    (with_changes(expect={"out": {"sha256": "00"}}), "'good' has no 'len'"),
    (with_changes(input={"zeros": 1 << 40}), "'good' is malformed: an input of 1099511627776 bytes"),
    (with_changes(input={"count": -1}), "'good' is malformed: an input of -1 bytes"),
    (with_changes(input={"zeros": float("inf")}), "'good' is malformed: cannot convert float infinity"),
    (with_changes(input={"stream": ["d"]}), "'good' is malformed: list index out of range"),
    (with_changes(mode=7), "'good' is malformed: 'mode' is not a string$"),
    (with_changes(mode="seq", steps=[{"op": "new", "ctx": "A", "mode": ["xts"]}]),
     "'good' is malformed: 'mode' is not a string$"),
    (with_changes(enc="false"), "'good' is malformed: 'enc' is neither true nor false$"),
    (with_changes(enc=0), "'good' is malformed: 'enc' is neither true nor false$"),
    (with_changes(may_refuse="no"), "'good' is malformed: 'may_refuse' is neither true nor false$"),
    (with_changes(layout={"inplace": 1}), "'good' is malformed: 'inplace' is neither true nor false$"),
    (with_changes(expect={}), "'good' is malformed: 'expect' has none of out, iv_out, error$"),
    (with_changes(expect={"result": "00"}), "'good' is malformed: 'expect' has none of out, iv_out, error$"),
    (with_changes(expect=["out"]), "'good' is malformed: 'expect' is not an object$"),
    (with_changes(mode="xts_run", unit=16, first="1", expect={"iv_out": ""}),
     "'good' is malformed: 'expect' has none of out$"),
    (with_changes(mode="seq", steps=[{"op": "crypt", "ctx": "A", "input": {"zeros": 16}, "expect": {}}]),
     "'good' is malformed: 'expect' has none of out, iv_out, error$"),
    (with_changes(mode="seq", steps=[], expect="any"), "'good' is malformed: 'expect' is not an object$"),
    (with_changes(mode="xts_run", first="0x1"), "'good' has no 'unit'"),
    (with_changes(mode="seq", steps=[{"op": "dance"}]), "'good' is malformed: unknown step 'dance'"),
    (with_changes(mode="seq", steps=[{"op": "setkey", "ctx": "A"}]), "'good' has no 'key'"),
])
def test_a_malformed_case_is_one_line(case, message):
    with pytest.raises(InvalidRequest, match=f"^{message}"):
        parse_case(case)


@pytest.mark.parametrize(("text", "message"), [
    ("{", "is not JSON"),
    ("[]", "is not a case file"),
    ("[" * 100_000, "is not JSON"),
    ('{"cases": 3}', "is not a case file"),
    ('{"cases": [{"name": "a"}]}', "case 0: 'a' has no 'mode'"),
])
def test_a_file_that_is_no_case_file_is_one_line(tmp_path, text, message):
    path = tmp_path / "cases.json"
    path.write_text(text)
    with pytest.raises(InvalidRequest, match=message):
        read_case_file(path)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InvalidRequest, match=r"^cannot read .*missing\.json: No such file or directory$"):
        read_case_file(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidRequest, match=r"binary\.json is not JSON"):
        read_case_file(tmp_path / "binary.json")


def test_an_unknown_subset_is_one_line(tmp_path):
    with pytest.raises(InvalidRequest, match=r"has no subset 'bones'$"):
        read_case_file(CASE_FILE, "bones")
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": [GOOD], "core": ["good", "gone"]}))
    with pytest.raises(InvalidRequest, match=r"subset 'core' names unknown cases: gone$"):
        read_case_file(path, "core")
    path.write_text(json.dumps({"cases": [GOOD], "core": [["good"]], "none": []}))
    with pytest.raises(InvalidRequest, match=r"subset 'core' names unknown cases: \['good'\]$"):
        read_case_file(path, "core")
    with pytest.raises(InvalidRequest, match=r"subset 'none' is empty$"):
        read_case_file(path, "none")


def test_two_cases_of_one_name_are_one_line(tmp_path):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": [GOOD, with_changes(name="other"), GOOD]}))
    with pytest.raises(InvalidRequest, match=r"cases\.json: case 2: 'good' is the name of another case too$"):
        read_case_file(path)


def test_a_mode_that_does_not_exist_is_no_mistake_in_a_file():
    assert parse_case(with_changes(mode="gcm")).mode == "gcm"


def parsed_layout(**layout):
    return parse_case(with_changes(layout=layout)).layout


def test_layouts_are_what_the_format_says():
    whole = (Spot(0, 32),)
    assert parsed_layout() == Layout(whole, whole)
    assert parsed_layout(inplace=True) == Layout(whole)
    pieces = (Spot(7, 1), Spot(0, 31))
    assert parsed_layout(src_div=[1, 31], src_off=[7]) == Layout(pieces, pieces)
    assert parsed_layout(src_off=[2], dst_off=[13]) == Layout((Spot(2, 32),), (Spot(13, 32),))
    assert parsed_layout(src_div=[16, 16], dst_div=[32]) == Layout((Spot(0, 16), Spot(0, 16)), whole)
    assert parsed_layout(src_off=[9], dst_div=[8, 24]) == Layout((Spot(9, 32),), (Spot(0, 8), Spot(0, 24)))
    assert parsed_layout(overlap=-8) == Layout(whole, overlap=-8)
    assert parsed_layout(page_end=True) == Layout(whole, whole, page_end=True)
    assert parsed_layout(inplace=True, two_lists=True) == Layout(whole, separate_lists=True)


def test_input_forms_are_what_the_format_says():
    def data(**form):
        return parse_case(with_changes(input=form, layout=None)).data

    assert data(hex="00ff") == b"\x00\xff"
    assert data(count=4) == bytes([3, 10, 17, 24])
    assert data(count=3, mul=1, add=0) == bytes([0, 1, 2])
    assert data(le16=3) == bytes([0, 0, 1, 0, 2, 0])
    assert data(zeros=2) == bytes(2)
    assert data(stream=["d", 16]).hex() == "eefd8ce2ec2ca4106dd881f51cc0fe69"
    assert data(stream=["d", 40])[32:] == hashlib.sha256(b"d:1").digest()[:8]


def test_expectations_compare_hex_or_digest():
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert Expect(out={"hex": "616263"}).matches(b"abc")
    assert not Expect(out={"hex": "616263"}).matches(b"abd")
    assert Expect(out={"sha256": digest, "len": 3}).matches(b"abc")
    assert not Expect(out={"sha256": digest, "len": 4}).matches(b"abc")
    assert not Expect(out={"sha256": digest, "len": 3}).matches(b"abcd")
