"""The Verilog is clean, and the linters would say so if it were not."""

import shutil

import pytest

from pymodel.errors import EcbenchError
from pymodel.regress.config import TOPS, Top
from pymodel.regress.lint import SYNTHESISABLE, verilator_lint, yosys_latches

needs_yosys = pytest.mark.skipif(shutil.which("yosys") is None, reason="Yosys not found")


@pytest.mark.parametrize("top", [*TOPS.values(), *SYNTHESISABLE], ids=lambda top: top.name)
def test_verilator_has_no_warning(top):
    assert verilator_lint(top) == ""


@needs_yosys
@pytest.mark.parametrize("top", SYNTHESISABLE, ids=lambda top: top.name)
def test_yosys_finds_no_latch(top):
    assert yosys_latches(top) == ""


def written(tmp_path, body):
    (tmp_path / "leaky.v").write_text(
        f"module leaky(input wire enable, input wire [3:0] d, output reg [3:0] q);\n{body}\nendmodule\n")
    return Top("leaky", ("leaky.v",), root=tmp_path)


def test_a_warning_of_verilator_is_shown(tmp_path):
    assert "%Warning-WIDTH" in verilator_lint(written(tmp_path, "always @* q = enable ? d[1:0] : d;"))


@needs_yosys
def test_a_latch_is_found(tmp_path):
    assert "latch" in yosys_latches(written(tmp_path, "always @* if (enable) q = d;"))


def test_a_missing_yosys_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EcbenchError, match=r"^Yosys not found \(apt-get install yosys\)$"):
        yosys_latches(SYNTHESISABLE[0])
