"""What the commands show: progress on stderr, tables on stdout, and one JSON object in a file."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.regress.output_file import output_file

_PLAIN_WIDTH = 180
_PLAIN_SECONDS = 10.0


class Display:
    """Progress and messages. A terminal gets a bar; anything else a line at most every 10 seconds.

    Used as a context manager around the work.
    """

    def __init__(self) -> None:
        self._errors = Console(stderr=True, highlight=False)
        self._output = Console(highlight=False)
        if not self._output.is_terminal:
            self._output = Console(highlight=False, width=_PLAIN_WIDTH)
        self._bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                             TimeElapsedColumn(), console=self._errors, transient=True)
        self._task: TaskID | None = None
        self._said_at = time.monotonic()

    def __enter__(self) -> Display:
        if self._errors.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._errors.is_terminal:  # elsewhere it would leave an empty line
            self._bar.stop()

    def say(self, text: str) -> None:
        """A line on stderr."""
        self._errors.print(text, markup=False, soft_wrap=True)

    def out(self, text: str) -> None:
        """A line on stdout."""
        self._output.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Work of unknown length, such as a build."""
        if self._errors.is_terminal:
            task = self._bar.add_task(text, total=None)
            try:
                yield
            finally:
                self._bar.remove_task(task)
        else:
            self.say(text)
            yield

    def progress(self, text: str, done: int, total: int) -> None:
        """``done`` of ``total`` steps of the work called ``text``."""
        if self._errors.is_terminal:
            if self._task is None:
                self._task = self._bar.add_task(text, total=total)
            self._bar.update(self._task, description=text, completed=done, total=total)
        elif done == total or time.monotonic() - self._said_at > _PLAIN_SECONDS:
            self._said_at = time.monotonic()
            self.say(f"{text}: {done} of {total}")

    def table(self, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]], *,
              right: Sequence[str] = ()) -> None:
        """``columns``: key of the rows to heading. To the right are numbers, and the columns of ``right``."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for key, heading in columns.items():
            numeric = key in right or (bool(rows) and isinstance(rows[0].get(key), int | float))
            table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*(_cell(row.get(key)) for key in columns),
                          style=None if row.get("verdict", "pass") == "pass" else "bold red")
        self._output.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def check_writable(path: Path | None, *inputs: tuple[str, Path | None], name: str = "--json") -> None:
    """Raises InvalidRequest when no file can be written at ``path``; leaves nothing behind.

    ``inputs``: files that must outlive the command, each after what the command line calls it.
    ``name``: what it calls ``path``.
    """
    if path is None:
        return
    for input_name, used in inputs:
        if used is not None and _same_file(path, used):
            raise InvalidRequest(f"{input_name} and {name} are the same file")
    if path.is_dir():
        raise InvalidRequest(f"cannot write {path}: it is a directory")
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise InvalidRequest(f"cannot write {path}: it is read-only")
        return
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return
    except OSError as error:
        raise InvalidRequest(f"cannot write {path}: {error.strerror}") from None


def write_json(path: Path, ok: bool, rows: Sequence[Mapping[str, Any]]) -> None:
    """One object, ``ok`` and ``rows``, as ``write_text`` does. Raises: EcbenchError."""
    write_text(path, json.dumps({"ok": ok, "rows": list(rows)}, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """The file appears complete or not at all; into a pipe or a device the text is written as it is.

    Raises: EcbenchError.
    """
    try:
        if _is_stream(path):
            with path.open("a", encoding="utf-8") as stream:
                stream.write(text)
            return
        with output_file(path) as output:
            output.temporary.write_text(text, encoding="utf-8")
            output.commit()
    except OSError as error:
        raise EcbenchError(f"cannot write {path}: {error.strerror}") from None


def _is_stream(path: Path) -> bool:
    """A terminal, a pipe, /dev/stdout: nothing that a finished file could take the place of."""
    return path.exists() and (path.parts[:2] in (("/", "dev"), ("/", "proc")) or not path.is_file())


def _same_file(path: Path, other: Path) -> bool:
    """Whether writing ``path`` would destroy ``other``. A terminal can be both."""
    if path.exists() and other.exists():
        return path.is_file() and path.samefile(other)
    return path.resolve() == other.resolve()
