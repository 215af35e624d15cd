"""The runtime library of Verilator is compiled once, and nothing else is kept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pymodel.regress import object_cache, simulators
from pymodel.regress.build import build
from pymodel.regress.config import TOPS

COMPILER = """#!/bin/sh
echo "$*" >> {log}
for word; do last=$word; done
grep -q error "$last" && exit 3
while [ "$1" != -o ]; do shift; done
cp "$last" "$2"
"""


@pytest.fixture
def compile_once(tmp_path):
    """Compiles in a folder by way of the cache; returns (code, object, runs of the compiler so far)."""
    compiler, log, include = tmp_path / "compiler", tmp_path / "log", tmp_path / "include"
    compiler.write_text(COMPILER.format(log=log))
    compiler.chmod(0o755)
    include.mkdir()
    for name in ("verilated.h", "verilated.cpp", "verilated_vpi.cpp", "other.cpp"):
        (include / name).write_text(f"// {name}\n")

    def run(folder, source, *options):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        words = [sys.executable, "-I", "-S", object_cache.__file__, tmp_path / "kept", compiler, *options,
                 "-o", "it.o", include / source]
        ended = subprocess.run(words, cwd=place, check=False)
        made = place / "it.o"
        return (ended.returncode, made.read_text() if made.exists() else None,
                len(log.read_text().splitlines()))

    return run


def test_the_library_is_compiled_once_for_all_builds(compile_once, tmp_path):
    assert compile_once("one", "verilated.cpp") == (0, "// verilated.cpp\n", 1)
    assert compile_once("two", "verilated.cpp") == (0, "// verilated.cpp\n", 1)
    assert compile_once("two", "verilated_vpi.cpp") == (0, "// verilated_vpi.cpp\n", 2)
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_another_command_header_or_compiler_compiles_it_again(compile_once, tmp_path):
    compile_once("one", "verilated.cpp")
    assert compile_once("two", "verilated.cpp", "-O2")[2] == 2
    os.utime(tmp_path / "include" / "verilated.h", (1, 1))
    assert compile_once("two", "verilated.cpp")[2] == 3
    os.utime(tmp_path / "compiler", (1, 1))
    assert compile_once("two", "verilated.cpp")[2] == 4
    assert compile_once("three", "verilated.cpp")[2] == 4


def test_what_is_not_of_the_library_is_always_compiled_and_never_kept(compile_once, tmp_path):
    for runs in (1, 2):
        assert compile_once("one", "other.cpp") == (0, "// other.cpp\n", runs)
    (tmp_path / "include" / "verilated.h").unlink()
    for runs in (3, 4):
        assert compile_once("one", "verilated.cpp") == (0, "// verilated.cpp\n", runs)
    assert not (tmp_path / "kept").exists()


def test_a_failed_compilation_is_a_failure_and_not_kept(compile_once, tmp_path):
    (tmp_path / "include" / "verilated.cpp").write_text("error\n")
    assert compile_once("one", "verilated.cpp") == (3, None, 1)
    assert compile_once("one", "verilated.cpp") == (3, None, 2)
    (tmp_path / "include" / "verilated.cpp").write_text("mended\n")
    assert compile_once("one", "verilated.cpp") == (0, "mended\n", 3)


@pytest.mark.parametrize("damage", [
    lambda content: b"", lambda content: content[:-1], lambda content: content + b"x",
    lambda content: content[:-1] + b"x", lambda content: b"x" + content[1:]])
def test_a_damaged_object_is_compiled_again_and_replaced(compile_once, tmp_path, damage):
    compile_once("one", "verilated.cpp")
    [kept] = (tmp_path / "kept").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    assert compile_once("two", "verilated.cpp") == (0, "// verilated.cpp\n", 2)
    assert kept.read_bytes() == whole
    assert compile_once("three", "verilated.cpp") == (0, "// verilated.cpp\n", 2)


def test_a_cache_that_is_none_costs_a_compilation_and_nothing_else(compile_once, tmp_path):
    (tmp_path / "kept").write_text("in the way")
    for runs in (1, 2):
        assert compile_once("one", "verilated.cpp") == (0, "// verilated.cpp\n", runs)
    assert (tmp_path / "kept").read_text() == "in the way"


@pytest.mark.skipif("verilator" not in [each.name for each in simulators.installed()],
                    reason="Verilator is not installed")
def test_two_builds_of_verilator_have_one_library(tmp_path, monkeypatch):
    monkeypatch.setenv("ECBENCH_BUILD", str(tmp_path / "build"))
    verilator, kept = simulators.find("verilator"), tmp_path / "build" / "objects"
    build(TOPS["axil_check_top"], verilator)
    first = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(first) > 2
    build(TOPS["axi_check_top"], verilator)
    assert {path: path.stat().st_mtime_ns for path in kept.iterdir()} == first
