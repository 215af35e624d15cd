"""The job ``quirks``: every quirk of the bench's engine shown three ways.

The naive driver (its bit cleared in ``handles``) must fail in exactly the way the catalogue says,
the right driver must pass, and with the strap off the naive driver must pass too. ALIGN_16 has no
strap: it is a limit of the bus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pymodel.engines.quirks import Quirk
from pymodel.errors import EcbenchError, EngineFault
from pymodel.jobs import quirks_padlock, quirks_qce
from pymodel.jobs.bench import Bench
from pymodel.jobs.quirk_scenes import RIGHT, Demonstration, Scene

DEMONSTRATIONS: Mapping[str, tuple[Demonstration, ...]] = {
    "padlock": quirks_padlock.DEMONSTRATIONS, "qce": quirks_qce.DEMONSTRATIONS,
}
"""By engine."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One row: what happened with the naive driver, the right one, and with the strap off."""

    bit: int
    name: str
    engine: str
    naive: str
    right: str
    off: str
    ok: bool


async def demonstrate_quirks(bench: Bench, spec: dict[str, Any],
                             report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run all demonstrations; ``spec`` may name some: ``{"quirks": ["STICKY_KEY"]}``."""
    shown = DEMONSTRATIONS[bench.spec.engine]
    wanted = spec.get("quirks") or [demonstration.quirk.name for demonstration in shown]
    rows = []
    for demonstration in shown:
        if demonstration.quirk.name in wanted:
            rows.append(await _verdicts(bench, demonstration))
            report({"kind": "row", **asdict(rows[-1])})
    problems = bench.problems()
    return {"ok": all(row.ok for row in rows) and not problems, "problems": problems,
            "rows": [asdict(row) for row in rows]}


async def _verdicts(bench: Bench, shown: Demonstration) -> Verdicts:
    every = Quirk(bench.spec.quirks)
    naive = await _play(bench, shown.scene, every, every & ~shown.quirk)
    right = await _play(bench, shown.scene, every, every)
    off = "no strap"
    if shown.strap:
        off = await _play(bench, shown.scene, every & ~shown.quirk, every & ~shown.quirk)
    await _strap(bench, every)
    ok = naive == shown.failure and right == RIGHT and off in (RIGHT, "no strap")
    return Verdicts(shown.quirk.bit_length() - 1, shown.quirk.name or "", bench.spec.engine, naive, right,
                    off, ok)


async def _play(bench: Bench, scene: Scene, straps: Quirk, handles: Quirk) -> str:
    await _strap(bench, straps)
    try:
        return await scene(bench, handles)
    except EngineFault as fault:
        return f"{fault.kind} fault on {fault.access}"
    except EcbenchError as error:
        return f"{type(error).__name__}: {error}"


async def _strap(bench: Bench, quirks: Quirk) -> None:
    bench.port.quirks = quirks
    await bench.port.reset()
