"""Builds: one directory per combination of everything that matters, and no half-made one is ever used."""

import multiprocessing
import os
import shutil
from pathlib import Path

import pytest

from pymodel.errors import EcbenchError
from pymodel.regress import build as build_module
from pymodel.regress import simulators
from pymodel.regress.build import BuildError, build
from pymodel.regress.config import TOPS, Top, known_top

RTL = Path(__file__).parent / "rtl"


@pytest.fixture
def counter(tmp_path, monkeypatch):
    """A private copy of the counter and a private build root."""
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path / "build"))
    shutil.copytree(RTL, tmp_path / "rtl")
    return Top("counter", ("counter.v",), root=tmp_path / "rtl")


@pytest.fixture
def quick():
    """The simulator that builds fastest."""
    return simulators.installed()[-1]


def test_a_build_is_made_once(counter, quick):
    first, second = build(counter, quick), build(counter, quick)
    assert first.seconds > 0
    assert second.seconds == 0
    assert first.directory == second.directory


def test_a_changed_source_header_parameter_or_define_is_a_new_build(counter, quick):
    defined = Top("counter", ("counter.v",), root=counter.root, defines={"X": 1})
    variants = (counter, counter.with_parameters(WIDTH=4), defined)
    directories = {build(top, quick).directory for top in variants}
    (counter.root / "counter_step.vh").write_text("`define COUNTER_STEP 2'd2\n")
    directories.add(build(counter, quick).directory)
    with (counter.root / "counter.v").open("a") as source:
        source.write("// changed\n")
    directories.add(build(counter, quick).directory)
    assert len(directories) == 5


def test_a_build_that_was_not_completed_is_made_again(counter, quick):
    first = build(counter, quick)
    (first.directory / "complete").unlink()
    left_over = first.directory / "left over"
    left_over.touch()
    second = build(counter, quick)
    assert second.seconds > 0
    assert not left_over.exists()


def test_a_failed_build_shows_the_log_and_its_end_and_is_not_kept(counter, sim):
    (counter.root / "counter.v").write_text("module counter(input wire clk); nonsense endmodule\n")
    message = r"could not build counter; log: .*build\.log\n(.*\n)*.*counter\.v:1"
    for _ in range(2):
        with pytest.raises(BuildError, match=message):
            build(counter, sim)


def test_a_top_without_sources_is_one_line(tmp_path, quick):
    with pytest.raises(EcbenchError, match=r"^no source file matches .*missing\.v$"):
        build(Top("missing", ("missing.v",), root=tmp_path), quick)
    with pytest.raises(EcbenchError, match=r"^unknown top 'nothing': choose one of "):
        known_top("nothing")


def test_verilator_refuses_a_path_with_a_space(counter, monkeypatch, tmp_path):
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path / "two words"))
    with pytest.raises(EcbenchError, match="whose path contains a space"):
        build(counter, simulators.find("verilator"))


def _build_and_tell(root, name, results):
    os.environ["ECBENCH_BUILD"] = str(root / "build")
    made = build(Top("counter", ("counter.v",), root=root / "rtl"), simulators.find(name))
    results.put((str(made.directory), made.seconds > 0))


def test_two_processes_that_want_the_same_build_make_it_once(counter, quick, tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    arguments = (tmp_path, quick.name, results)
    workers = [context.Process(target=_build_and_tell, args=arguments) for _ in range(3)]
    for worker in workers:
        worker.start()
    told = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join()
    assert len({directory for directory, _ in told}) == 1
    assert sorted(made for _, made in told) == [False, False, True]


def test_waves_are_vcd_where_the_headers_of_fst_are_missing(monkeypatch):
    monkeypatch.setattr(build_module, "_fst_headers", lambda: False)
    assert build_module.wave_suffix(simulators.find("verilator")) == ".vcd"
    monkeypatch.setattr(build_module, "_fst_headers", lambda: True)
    assert build_module.wave_suffix(simulators.find("verilator")) == ".fst"


def test_every_known_top_has_its_sources():
    for top in TOPS.values():
        assert top.source_files()
        assert all(folder.is_dir() for folder in top.include_directories())
