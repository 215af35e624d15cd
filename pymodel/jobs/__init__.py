"""What the commands do on a bench: the same coroutine on the model and on the RTL.

A job is ``async def work(bench, spec, report) -> dict``: ``spec`` holds values that JSON can carry,
``report`` takes one JSON-able dict at a time, and the returned dict is the result.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from pymodel.jobs.bench import Bench, Report, model_bench
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.cases import replay_cases
from pymodel.jobs.crypt import crypt_file
from pymodel.jobs.factoring import compare_factoring
from pymodel.jobs.layouts import replay_layouts
from pymodel.jobs.luks import decrypt_volume
from pymodel.jobs.quirks import demonstrate_quirks
from pymodel.jobs.run import run_mode
from pymodel.jobs.speed import measure_speed_of_requests
from pymodel.jobs.throughput import measure_throughput
from pymodel.jobs.vectors import replay_vectors

Job = Callable[[Bench, dict[str, Any], Report], Coroutine[Any, Any, dict[str, Any]]]

JOBS: Mapping[str, Job] = {
    "run": run_mode, "cases": replay_cases, "crypt": crypt_file, "luks": decrypt_volume,
    "quirks": demonstrate_quirks, "speed": measure_speed_of_requests,
    "factoring": compare_factoring, "layouts": replay_layouts, "throughput": measure_throughput,
    "vectors": replay_vectors,
}
"""Every job by its name."""

__all__ = ["JOBS", "Bench", "BenchSpec", "Job", "Report", "model_bench"]
