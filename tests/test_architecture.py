"""The rooms of the house: who may import whom (the contracts are in pyproject.toml)."""

import subprocess
import sys
from pathlib import Path

from conftest import ROOT


def test_imports_keep_the_contracts():
    lint_imports = Path(sys.executable).with_name("lint-imports")
    command = [lint_imports, "--no-cache"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
