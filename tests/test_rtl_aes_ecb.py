"""The block core alone, for every STAGES: in every simulator, and through the linters."""

import shutil
import subprocess

import pytest

from pymodel.regress.build import BuildError, build
from pymodel.regress.config import TOPS
from pymodel.regress.lint import verilator_lint

MODULES = ("test_aes_ecb", "test_aes_ecb_control", "test_aes_ecb_timing")
STAGES = (1, 2, 14)

needs_yosys = pytest.mark.skipif(shutil.which("yosys") is None, reason="Yosys is not installed")


def core(stages):
    return TOPS["aes_ecb"].with_parameters(STAGES=stages)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("stages", STAGES)
def test_aes_ecb_keeps_its_contract(run_rtl, sim, stages, module):
    run_rtl(core(stages), f"cocotb_tests.{module}", sim)


def test_other_stages_do_not_build(sim):
    message = {"icarus": "aes_ecb_supports_only_STAGES_1_2_and_14",
               "verilator": "aes_ecb: STAGES must be 1, 2 or 14"}
    with pytest.raises(BuildError, match=message[sim.name]):
        build(core(3), sim)


@pytest.mark.parametrize("stages", STAGES)
def test_verilator_has_no_complaint(stages):
    assert verilator_lint(core(stages)) == ""


@needs_yosys
@pytest.mark.parametrize("stages", STAGES)
def test_yosys_finds_no_latch_and_no_conflict(stages):
    ended = yosys(stages, "proc; check -assert; select -assert-none t:$dlatch t:$adlatch t:$dlatchsr")
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")


@needs_yosys
def test_other_stages_do_not_synthesise():
    assert "aes_ecb: STAGES must be 1, 2 or 14" in yosys(3, "proc").stderr


def yosys(stages, passes):
    """Read the core, set STAGES and run ``passes``; nothing but warnings and errors is printed."""
    top = core(stages)
    includes = " ".join(f"-I{folder}" for folder in top.include_directories())
    sources = " ".join(map(str, top.source_files()))
    script = (f"read_verilog {includes} {sources}; chparam -set STAGES {stages} {top.name}; "
              f"hierarchy -check -top {top.name}; {passes}")
    return subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
