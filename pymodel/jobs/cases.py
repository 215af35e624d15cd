"""The job ``cases``: replays the cases of a case file, each from a reset engine."""

from __future__ import annotations

from typing import Any

from pymodel.block_engine import BLOCK_BYTES
from pymodel.drivers.padlock import PadlockDriver
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.case_file import Case, parse_case
from pymodel.jobs.case_request import CaseFailure, Outcome, perform
from pymodel.jobs.case_sequence import Sequence
from pymodel.jobs.ciphers import MODES, runs_in_hardware
from pymodel.jobs.engines import Driver
from pymodel.jobs.placement import Placement, apart
from pymodel.modes import Xts
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
    elif case.mode == "xts_run" and bench.spec.strategy == "batch":
        await _data_units_at_once(engine, case)
    elif case.mode == "xts_run":
        await _data_units(engine, case, bench.spec.strategy)
    else:
        outcome = await perform(engine, case.mode, case.key, case.iv, case.data, case.encrypt, case.layout,
                                bench.spec.strategy)
        outcome.judge(case.expect, may_refuse=case.may_refuse)


def _tweaks(case: Case) -> list[bytes]:
    """The data units' numbers modulo 2**wrap_bits."""
    return [data_unit((case.first + index) % (1 << case.wrap_bits))
            for index in range(-(-len(case.data) // case.unit))]


async def _data_units(engine: Driver, case: Case, strategy: str) -> None:
    """One XTS request per data unit."""
    result = b""
    for index, tweak in enumerate(_tweaks(case)):
        part = case.data[index * case.unit:(index + 1) * case.unit]
        outcome = await perform(engine, "xts", case.key, tweak, part, case.encrypt, apart(len(part)),
                                strategy)
        outcome.check_accepted()
        result += outcome.result
    if not case.expect.matches(result):
        raise CaseFailure(f"wrong output ({len(result)} bytes)")


async def _data_units_at_once(engine: Driver, case: Case) -> None:
    """All of them in one call of XTS, which may call the engine twice, and a third time for stolen blocks."""
    placement, before = Placement(engine.memory, apart(len(case.data)), case.data), engine.counters.copy()
    try:
        with Xts(engine, case.key, strategy="batch") as xts:
            crypt = xts.encrypt_units if case.encrypt else xts.decrypt_units
            await crypt(_tweaks(case), case.unit, placement.src, placement.dst)
        spent, result = engine.counters.since(before), placement.result()
        outcome = Outcome(result, b"", None, placement.damage(result), spent.hardware_blocks, spent.calls > 0,
                          runs_in_hardware(engine, "xts", len(case.key)))
    finally:
        placement.release()
    outcome.judge(case.expect)
    if spent.calls > (3 if case.unit % BLOCK_BYTES or len(case.data) % case.unit else 2):
        raise CaseFailure(f"{spent.calls} engine calls for a batch")
