"""Runs any job of ``pymodel.jobs`` on the RTL: the job file in, result lines out.

The job file is JSON with ``job``, ``bench`` and ``spec``; results are one JSON object per line, the
last one with ``"kind": "result"``. Where they are says ``pymodel.regress.variables``.
"""

import json
import os
from pathlib import Path
from typing import Any

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel.jobs import JOBS, BenchSpec
from pymodel.regress import variables


@cocotb.test()
async def job(dut):
    request = json.loads(Path(os.environ[variables.JOB]).read_text())
    bench = await RtlBench.start(dut, BenchSpec.from_json(request["bench"]))
    with Path(os.environ[variables.RESULTS]).open("w") as lines:

        def report(line: dict[str, Any]) -> None:
            lines.write(json.dumps(line) + "\n")
            lines.flush()

        work = JOBS[request["job"]](bench, request["spec"], report)
        result = await bench.kernel.drive(work, request["job"])
        report({**result, "kind": "result"})
