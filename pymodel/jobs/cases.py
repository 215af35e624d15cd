"""The job ``cases``: replays the cases of a case file, each from a reset engine."""

from __future__ import annotations

from typing import Any

from pymodel.drivers.padlock import PadlockDriver
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.case_file import Case, parse_case
from pymodel.jobs.case_request import CaseFailure, perform
from pymodel.jobs.case_sequence import Sequence
from pymodel.jobs.ciphers import MODES
from pymodel.jobs.engines import Driver
from pymodel.jobs.placement import apart
from pymodel.modes.sectors import data_unit


async def replay_cases(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``cases``, the cases as in a case file. Reports one ``case`` line each.

    Returns ``passed``, ``failed`` and ``skipped``; skipped is a case whose mode does not exist here.
    """
    counts = {"pass": 0, "fail": 0, "skip": 0}
    for values in spec["cases"]:
        case = parse_case(values)
        verdict, text = await _judge(bench, case)
        counts[verdict] += 1
        report({"kind": "case", "name": case.name, "mode": case.mode, "verdict": verdict, "text": text})
    return {"passed": counts["pass"], "failed": counts["fail"], "skipped": counts["skip"]}


async def _judge(bench: Bench, case: Case) -> tuple[str, str]:
    if case.mode not in (*MODES, "xts_run", "seq"):
        return "skip", f"mode {case.mode} does not exist"
    if case.mode == "seq":
        unknown = [step.mode for step in case.steps if step.op == "new" and step.mode not in MODES]
        if unknown:
            return "skip", f"mode {unknown[0]} does not exist"
    if unfit := _unfit(bench, case):
        return "skip", unfit
    known_problems = len(bench.problems())
    try:
        await _replay(bench, case)
    except CaseFailure as failure:
        return "fail", str(failure)
    except Exception as error:  # whatever a broken engine leads to is this case's failure, not the job's
        return "fail", f"{type(error).__name__}: {error}"
    problems = bench.problems()[known_problems:]
    return ("fail", problems[0]) if problems else ("pass", "")


def _unfit(bench: Bench, case: Case) -> str:
    """Why this engine or bench cannot play a sequence, or an empty string."""
    padlock = bench.spec.engine == "padlock"
    if not padlock and any(step.op in ("interrupt", "move") or step.path is not None for step in case.steps):
        return f"the {bench.spec.engine} knows no processors"
    if any(step.cpu >= bench.spec.cpus for step in case.steps):
        return f"this bench has {bench.spec.cpus} CPU"
    return ""


async def _replay(bench: Bench, case: Case) -> None:
    """Raises CaseFailure, or the error that a request ended in although it should not."""
    engine = bench.engine()
    await engine.reset()
    if isinstance(engine, PadlockDriver):
        await engine.move_to(0)
    if case.mode == "seq":
        await Sequence(bench, engine).play(case.steps)
    elif case.mode == "xts_run":
        await _data_units(engine, case, bench.spec.strategy)
    else:
        outcome = await perform(engine, case.mode, case.key, case.iv, case.data, case.encrypt, case.layout,
                                bench.spec.strategy)
        outcome.judge(case.expect, may_refuse=case.may_refuse)


async def _data_units(engine: Driver, case: Case, strategy: str) -> None:
    """One XTS request per data unit, the unit's number modulo 2**wrap_bits as tweak."""
    result = b""
    for start in range(0, len(case.data), case.unit):
        number = (case.first + start // case.unit) % (1 << case.wrap_bits)
        part, tweak = case.data[start:start + case.unit], data_unit(number)
        outcome = await perform(engine, "xts", case.key, tweak, part, case.encrypt, apart(len(part)),
                                strategy)
        outcome.check_accepted()
        result += outcome.result
    if not case.expect.matches(result):
        raise CaseFailure(f"wrong output ({len(result)} bytes)")
