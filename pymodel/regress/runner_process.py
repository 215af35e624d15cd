"""Runs one build or one test through cocotb's runner, in a process of its own.

``python -m pymodel.regress.runner_process JOB.json``. The runner reads its process environment in many
places and lets it win over its arguments; a fresh process with an environment made for it is the only
clean way, and it can be killed with everything it started.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

from cocotb_tools.runner import Runner, get_runner

from pymodel.regress.process import end_with_parent
from pymodel.regress.verilator_builds import FastVerilator, PlainVerilator, SharingVerilator

_VERILATOR_BUILDS: dict[str, type[Runner]] = {"fast": FastVerilator, "plain": PlainVerilator}
"""The others are SharingVerilator's."""


def _runner(simulator: str, kind: str) -> Runner:
    if simulator == "verilator":
        return _VERILATOR_BUILDS.get(kind, SharingVerilator)()
    return get_runner(simulator)


def main(job_file: str) -> int:
    """Return 0 when the tools ran to their end, else 1; the output tells why."""
    end_with_parent()
    job: dict[str, Any] = json.loads(Path(job_file).read_text())
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    runner = _runner(job["simulator"], job.get("kind", ""))
    action = runner.build if job["action"] == "build" else runner.test
    try:
        action(**job["arguments"])
    except RuntimeError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
