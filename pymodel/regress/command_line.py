"""A command line from its words to its exit code."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from types import FrameType

import typer

from pymodel.errors import EcbenchError
from pymodel.regress.build import BuildError

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130

Work = Callable[[], int]
"""What a command line asks for. The parser only parses; errors and interrupts are handled behind it."""

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What the option parser raises for bad options."""


def run_app(app: typer.Typer, arguments: list[str]) -> int:
    """Run one command of ``app``; returns the exit code."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _stop)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    command = typer.main.get_command(app)
    try:
        work = command.main(args=arguments or ["--help"], prog_name="ecbench", standalone_mode=False)
        return work() if callable(work) else 0
    except BuildError as error:
        return _complain(error, FAILED)
    except (EcbenchError, _UsageError) as error:
        return _complain(error, BAD_INPUT)
    except OSError as error:  # such as a place for builds that is none
        place = "" if error.filename is None else f": {error.filename}"
        return _complain(EcbenchError(f"{error.strerror or error}{place}"), BAD_INPUT)
    except KeyboardInterrupt:
        print("ecbench: interrupted", file=sys.stderr)
        return INTERRUPTED


def _complain(error: Exception, code: int) -> int:
    """The parser's errors carry their text in ``format_message``. Only a failed build takes several lines."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    if code == BAD_INPUT:
        text = " ".join(text.split())
    print(f"ecbench: {text}", file=sys.stderr)
    return code


def _stop(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM and SIGHUP end everything as an interrupt does: with the simulators gone."""
    raise KeyboardInterrupt
