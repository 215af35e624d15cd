"""The number of a quirk is the same in Verilog, in Python and in the manual."""

import re

import pytest
from conftest import ROOT

from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.jobs.quirks import DEMONSTRATIONS
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

PYTHON = {quirk.name: quirk.bit_length() - 1 for quirk in Quirk}


def test_verilog_has_the_numbers_of_python():
    text = (ROOT / "hdl/quirks.vh").read_text()
    numbers = {name: int(bit) for name, bit in re.findall(r"localparam QUIRK_(\w+)\s*=\s*(\d+);", text)}
    assert numbers == PYTHON


def test_the_manual_has_the_numbers_of_python():
    text = (ROOT / "docs/quirks.md").read_text()
    rows = {name: int(bit) for bit, name in re.findall(r"^\| (\d+) \| ([A-Z0-9_]+) \|", text, re.MULTILINE)}
    assert rows == PYTHON


@pytest.mark.parametrize(("engine", "bits"), [("padlock", range(6)), ("qce", [4, *range(6, 14)])])
def test_every_quirk_of_an_engine_has_a_demonstration(engine, bits):
    assert {shown.quirk for shown in DEMONSTRATIONS[engine]} == {Quirk(1 << bit) for bit in bits}


def test_all_quirks_are_on_by_default():
    assert PadlockModel(Kernel(), HostMemory()).quirks == Quirk.all() == Quirk(sum(Quirk))


def test_verilog_and_manual_have_the_status_codes_of_python():
    text = (ROOT / "hdl/padlock/padlock_status.vh").read_text()
    numbers = {name: int(code) for name, code in re.findall(r"STATUS_(\w+)\s*=\s*3'd(\d)", text)}
    assert numbers == {status.name: status.value for status in XcryptStatus}
    manual = (ROOT / "docs/ports.md").read_text()
    for status in XcryptStatus:
        assert re.search(rf"\b{status.name}\b", manual), status.name
