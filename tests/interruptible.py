"""Starting ecbench so that signals reach it, whatever the test run itself was told to ignore."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from pymodel.regress import simulators


def begin(*words: str, builds: Path) -> subprocess.Popen[str]:
    """``ecbench`` with these words in a process of its own, its builds and runs in ``builds``.

    A test run in the background of a script ignores SIGINT, one under nohup SIGHUP, and every process begun
    there would too.
    """
    return subprocess.Popen([sys.executable, "-m", "pymodel", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=_heed_signals,
                            env={**os.environ, "ECBENCH_BUILD": str(builds)})


def place(on: str) -> list[str]:
    """The words that ask for the model, or for RTL in the simulator that builds fastest."""
    return ["--on", on] if on == "model" else ["--on", on, "--sim", simulators.installed()[-1].name]


def _heed_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
