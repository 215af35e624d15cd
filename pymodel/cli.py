"""The command line ``ecbench``."""

from __future__ import annotations

import importlib.metadata
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from pymodel.errors import EcbenchError
from pymodel.jobs.bench import ENGINES
from pymodel.jobs.ciphers import MODES
from pymodel.regress import commands, simulators
from pymodel.regress.build import BuildError
from pymodel.regress.commands import RunOptions, Where
from pymodel.regress.display import Display

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130

app = typer.Typer(name="ecbench", add_completion=False, pretty_exceptions_enable=False,
                  help="Drive a Verilog AES-ECB engine and its host drivers, on a model or in a simulator.")

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What the option parser raises for bad options."""

Engine = Annotated[str, typer.Option("--engine", help=f"The engine: {', '.join(ENGINES)}.")]
On = Annotated[str, typer.Option("--on", help="model: the transaction-level model; rtl: the Verilog.")]
Sim = Annotated[str, typer.Option("--sim", help=f"The simulator: {', '.join(simulators.NAMES)}.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the rows to this file as JSON.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ecbench {importlib.metadata.version('ecbench')}")
        raise typer.Exit


@app.callback()
def ecbench(version: Annotated[bool, typer.Option("--version", help="Show the version.", callback=_version,
                                                  is_eager=True)] = False) -> None:
    """Every command takes ``--help``."""


@app.command()
def run(
    engine: Engine = "padlock",
    mode: Annotated[list[str] | None, typer.Option(
        "--mode", help=f"Only this mode; may be given again. One of {', '.join(MODES)}.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="All that is random follows from it.")] = 1,
    requests: Annotated[int, typer.Option("--requests", min=0,
                                          help="Random requests for each mode and key size.")] = 60,
    file: Annotated[Path | None, typer.Option("--file", help="A file to encrypt and decrypt back.")] = None,
    on: On = "rtl",
    sim: Sim = simulators.NAMES[0],
    waves: Annotated[bool, typer.Option("--waves", help="Record waves.")] = False,
    json: Json = None,
) -> int:
    """Put known answers, random requests and a file through the engine and check every byte."""
    where = Where(engine, on, sim, waves)
    modes = tuple(dict.fromkeys(mode)) if mode else MODES
    return commands.run(RunOptions(where, modes, seed, requests, file, json), Display())


@app.command()
def cases(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A case file: tests/data/cases/cases.json.")],
    engine: Engine = "padlock",
    subset: Annotated[str | None, typer.Option("--subset", help="Only the cases in this list of the file, "
                                                                "for example core.")] = None,
    on: On = "model",
    sim: Sim = simulators.NAMES[0],
    waves: Annotated[bool, typer.Option("--waves", help="Record waves.")] = False,
    json: Json = None,
) -> int:
    """Replay the cases of a file; one line for each that fails."""
    return commands.cases(file, subset, Where(engine, on, sim, waves), json, Display())


def main() -> None:
    """Exit codes: 0 all passed; 1 something failed; 2 bad input; 130 interrupted."""
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, _stop)
    command = typer.main.get_command(app)
    try:
        code = command.main(args=arguments or ["--help"], prog_name="ecbench", standalone_mode=False)
    except BuildError as error:
        return _complain(error, FAILED)
    except (EcbenchError, _UsageError) as error:
        return _complain(error, BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        print("ecbench: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _complain(error: Exception, code: int) -> int:
    """The parser's errors carry their text in ``format_message``. Only a failed build takes several lines."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    if code == BAD_INPUT:
        text = " ".join(text.split())
    print(f"ecbench: {text}", file=sys.stderr)
    return code


def _stop(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends everything as an interrupt does: with the simulators gone."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
