"""Finding simulators: what is said when one is unknown, missing, or too old."""

import subprocess

import pytest

from pymodel.regress import simulators
from pymodel.regress.simulators import SimulatorError


@pytest.fixture(autouse=True)
def _fresh():
    simulators.find.cache_clear()
    yield
    simulators.find.cache_clear()


def fake(path, text):
    path.write_text(f"#!/bin/sh\necho '{text}'\n")
    path.chmod(0o755)
    return str(path)


def test_an_unknown_simulator_is_one_line_with_the_choices():
    with pytest.raises(SimulatorError, match=r"^unknown simulator 'questa': choose one of .*$"):
        simulators.find("questa")


def test_a_missing_icarus_is_said_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SimulatorError, match=r"^Icarus Verilog not found \(apt-get install iverilog\)$"):
        simulators.find("icarus")
    assert "icarus" not in [simulator.name for simulator in simulators.installed()]


def test_a_verilator_that_is_too_old_is_refused(monkeypatch, tmp_path):
    chosen = fake(tmp_path / "verilator", "Verilator 5.006 2023-01-22 rev (Debian)")
    monkeypatch.setenv("ECBENCH_VERILATOR", chosen)
    with pytest.raises(SimulatorError, match=r"^Verilator 5\.006 \(.*\) is too old: 5\.036 or newer is"):
        simulators.find("verilator")


def test_an_icarus_that_is_too_old_is_refused(monkeypatch, tmp_path):
    fake(tmp_path / "iverilog", "Icarus Verilog version 10.3 (stable) ()")
    fake(tmp_path / "vvp", "")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(SimulatorError, match=r"^Icarus Verilog 10\.3 \(.*\) is too old: 11\.0 or newer is"):
        simulators.find("icarus")


def test_a_program_that_tells_no_version_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("ECBENCH_VERILATOR", fake(tmp_path / "verilator", "hello"))
    with pytest.raises(SimulatorError, match=r"does not tell its version$"):
        simulators.find("verilator")


def test_a_system_verilator_can_be_chosen(monkeypatch, tmp_path):
    chosen = fake(tmp_path / "verilator", "Verilator 5.040 2025-08-30 rev v5.040")
    monkeypatch.setenv("ECBENCH_VERILATOR", chosen)
    found = simulators.find("verilator")
    assert (found.version, found.title, str(found.executable)) == ((5, 40), "Verilator 5.040", chosen)
    assert not found.environment


def test_the_caller_s_cocotb_variables_reach_no_simulator(monkeypatch):
    monkeypatch.setenv("COCOTB_RANDOM_SEED", "99")
    monkeypatch.setenv("WAVES", "1")
    for simulator in simulators.installed():
        assert not {"COCOTB_RANDOM_SEED", "WAVES"} & set(simulator.clean_environment())


def test_each_installed_simulator_starts_in_its_own_environment():
    assert simulators.installed()
    for simulator in simulators.installed():
        option = "-V" if simulator.name == "icarus" else "--version"
        ended = subprocess.run([simulator.executable, option], env=simulator.clean_environment(),
                               capture_output=True, check=False)
        assert ended.returncode == 0, ended.stderr
