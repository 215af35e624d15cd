"""Child processes with a clean environment, a log file, a time limit, and no survivors."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PARENT = "ECBENCH_PARENT"
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Ended:
    """``code``: of the process, negative for a signal. ``timed_out``: killed at its limit."""

    code: int
    seconds: float
    timed_out: bool


def run_logged(command: Sequence[str], *, log: Path, cwd: Path, environment: Mapping[str, str],
               limit_seconds: float | None = None, poll: Callable[[], bool] | None = None) -> Ended:
    """Run ``command`` with its output in ``log``; ``poll`` is called about 20 times a second meanwhile.

    The limit counts from the start, or from the last time that ``poll`` returned True for news.
    Whatever ends this call, also KeyboardInterrupt or an error of ``poll``, the process and all it
    started are gone afterwards. $ECBENCH_PARENT tells the process whose child it is (``end_with_parent``).
    """
    started = news = time.monotonic()
    timed_out = False
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=cwd, env={**environment, _PARENT: str(os.getpid())},
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            while not _ended(process):
                if poll is not None and poll():
                    news = time.monotonic()
                if limit_seconds is not None and time.monotonic() - news > limit_seconds:
                    timed_out = True
                    break
        finally:
            _kill_group(process)
    if poll is not None:
        poll()
    return Ended(process.returncode, time.monotonic() - started, timed_out)


def end_with_parent() -> None:
    """In a process of ``run_logged``: when the caller dies without a word, so does everything here."""
    parent = os.environ.get(_PARENT)

    def watch() -> None:
        while str(os.getppid()) == parent:
            time.sleep(_GRACE_SECONDS)
        os.killpg(0, signal.SIGKILL)

    if parent is not None:
        threading.Thread(target=watch, daemon=True).start()


def python_command(module: str, *arguments: str) -> list[str]:
    """This interpreter running ``module``, blind to the current directory."""
    return [sys.executable, "-P", "-m", module, *arguments]


def python_environment(environment: Mapping[str, str], *extra_paths: Path) -> dict[str, str]:
    """``environment`` with this process's import path, after ``extra_paths``."""
    paths = [str(path) for path in extra_paths] + [os.path.abspath(path) for path in sys.path if path]
    return {**environment, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def last_lines(log: Path, count: int = 15) -> str:
    """The end of a log, for a message."""
    try:
        lines = log.read_text(errors="replace").rstrip().splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-count:])


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything in its session: politely, then not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGTERM and process.returncode == 0:
            return
