"""Runs any job of ``pymodel.jobs`` on the RTL: the job file in, result lines out.

``ECBENCH_JOB``: a JSON file with ``job``, ``bench`` and ``spec``. ``ECBENCH_RESULTS``: where to
write one JSON object per line; the last one has ``"kind": "result"``.
"""

import json
import os
from pathlib import Path
from typing import Any

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel.jobs import JOBS, BenchSpec


@cocotb.test()
async def job(dut):
    request = json.loads(Path(os.environ["ECBENCH_JOB"]).read_text())
    bench = await RtlBench.start(dut, BenchSpec.from_json(request["bench"]))
    with Path(os.environ["ECBENCH_RESULTS"]).open("w") as lines:

        def report(line: dict[str, Any]) -> None:
            lines.write(json.dumps(line) + "\n")
            lines.flush()

        work = JOBS[request["job"]](bench, request["spec"], report)
        result = await bench.kernel.drive(work, request["job"])
        report({**result, "kind": "result"})
