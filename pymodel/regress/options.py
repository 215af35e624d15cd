"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pymodel.jobs.engines import ENGINES
from pymodel.modes.xts import STRATEGIES
from pymodel.regress import simulators
from pymodel.regress.target import Target

ALL_ENGINES = "all"
"""The name of no engine, and of every one."""

Engine = Annotated[str, typer.Option("--engine", help=f"The engine: {', '.join(ENGINES)}.")]
Engines = Annotated[str, typer.Option("--engine", help=f"{', '.join(ENGINES)}, or all.")]
On = Annotated[str, typer.Option("--on", help="model: the transaction-level model; rtl: the Verilog.")]
Sim = Annotated[str, typer.Option("--sim", help=f"The simulator: {', '.join(simulators.NAMES)}.",
                                  show_default=simulators.NAMES[0])]
"""Empty unless asked for: the model has none."""

Seed = Annotated[int, typer.Option("--seed", min=0, help="All that is random follows from it.")]
Strategy = Annotated[str, typer.Option("--strategy", help=f"Of XTS: {', '.join(STRATEGIES)}.")]
Waves = Annotated[bool, typer.Option("--waves", help="Record waves.")]
Stages = Annotated[int, typer.Option("--stages", help="Blocks in flight in the core: 1, 2 or 14.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the rows to this file as JSON.")]


def chosen_targets(engine: str, on: str, sim: str, waves: bool, stages: int) -> tuple[Target, ...]:
    """One for each engine that is meant."""
    engines = ENGINES if engine == ALL_ENGINES else (engine,)
    return tuple(Target(name, on, sim, waves, stages) for name in engines)


