"""tools/setup, which makes .venv: the interpreter it is told to take, with tools that only seem real."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT

TOOL = "#!/bin/sh\necho 99\n"
APT = "#!/bin/sh\ntouch \"$0.was-run\"\n"
INTERPRETER = """#!/bin/sh
case $1 in
    -) cat >/dev/null; echo "3.12 yes" ;;
    -m) mkdir -p "$4/bin"
        for name in python ecbench; do printf '#!/bin/sh\\n' >"$4/bin/$name"; chmod +x "$4/bin/$name"; done ;;
esac
"""


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def setup(tmp_path):
    """Runs tools/setup in a checkout of its own."""
    root, tools = tmp_path / "checkout", tmp_path / "bin"
    (root / "tools").mkdir(parents=True)
    for name in ("tools/setup", "pyproject.toml"):
        shutil.copy(ROOT / name, root / name)
    for name in ("g++", "make", "perl"):
        executable(tools / name, TOOL)
    apt = executable(tools / "apt-get", APT)

    def run(python, *words):
        environment = {"PATH": f"{tools}:/usr/bin:/bin", "PYTHON": str(python)}
        ended = subprocess.run([root / "tools" / "setup", *words], env=environment, capture_output=True,
                               text=True, check=False)
        assert not os.path.exists(f"{apt}.was-run")
        return ended.returncode, ended.stdout, ended.stderr

    return run


def test_an_interpreter_that_is_not_there_is_said_and_nothing_is_installed(setup, tmp_path):
    assert setup("/nonexistent") == (2, "", "setup: no such interpreter: /nonexistent\n")
    assert not (tmp_path / "checkout" / ".venv").exists()


def test_an_interpreter_that_is_none_or_too_old_is_said_and_nothing_is_installed(setup, tmp_path):
    old = executable(tmp_path / "old", "#!/bin/sh\nexit 1\n")
    assert setup(old) == (2, "", f"setup: not a Python 3.11 or newer: {old}\n")


def test_another_interpreter_makes_the_environment_anew(setup, tmp_path):
    first = executable(tmp_path / "with a space" / "first", INTERPRETER)
    second = executable(tmp_path / "second", INTERPRETER)
    (tmp_path / "link").symlink_to(first)
    made = "setup: making .venv with {} (Python 3.12)\nsetup: done\n"
    assert setup(first) == (0, made.format(first), "")
    for same in (first, tmp_path / "link", ""):
        assert setup(same, "--verbose") == (0, "setup: .venv is up to date\n", "")
    assert setup(second) == (0, f"setup: .venv was made with {first}\n{made.format(second)}", "")
    assert setup("", "--verbose") == (0, "setup: .venv is up to date\n", "")
