"""Running an engine without Python: a plain bench, timed between its own BEGIN and END."""

from __future__ import annotations

import re
import subprocess
import threading
import time

from pymodel.errors import EcbenchError
from pymodel.regress.build import Build

_END = re.compile(r"END cycles (\d+) failures (\d+) violations (\d+) last [0-9a-f]+$")
_LIMIT_SECONDS = 300
"""After these a bench that hangs is killed."""


class PlainBenchFailed(EcbenchError):
    """The plain bench did not end as it should; the message says how it did."""


def run_plain(build: Build, requests: int, blocks: int) -> float:
    """Run ``requests`` XTS requests of ``blocks`` blocks; returns the seconds they took.

    Raises: PlainBenchFailed.
    """
    program = build.directory / ("sim.vvp" if build.simulator.name == "icarus" else build.top.name)
    command = ["vvp", "-n", str(program)] if build.simulator.name == "icarus" else [str(program)]
    command += [f"+requests={requests}", f"+blocks={blocks}"]
    began = ended = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=build.simulator.clean_environment()) as process:
        assert process.stdout is not None
        outcome = None
        limit = threading.Timer(_LIMIT_SECONDS, process.kill)
        limit.start()
        try:
            for line in process.stdout:
                if line.startswith("BEGIN"):
                    began = time.perf_counter()
                elif outcome is None and (outcome := _END.match(line.rstrip())):
                    ended = time.perf_counter()
            process.wait(_LIMIT_SECONDS)
        finally:
            limit.cancel()
            process.kill()
    if outcome is None or not began or process.returncode:
        raise PlainBenchFailed(f"the plain bench ended with code {process.returncode} and without its END")
    if int(outcome[2]) or int(outcome[3]):
        raise PlainBenchFailed(f"the plain bench saw {outcome[2]} failures and {outcome[3]} AXI violations")
    return ended - began
