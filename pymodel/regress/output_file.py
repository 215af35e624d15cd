"""A file that appears complete or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pymodel.errors import EcbenchError, InvalidRequest

TEMPORARY_PREFIX = ".ecbench-"


class OutputFile:
    """``temporary``: where to write, until ``commit`` gives it the name of the output."""

    def __init__(self, path: Path, temporary: Path) -> None:
        self.temporary = temporary
        self._path = path

    def commit(self) -> None:
        """Rename the temporary file, once it is safe on the disk. The file it replaces lends its rights.

        Raises: EcbenchError, with the output as it was before.
        """
        try:
            descriptor = os.open(self.temporary, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            replaced = self._path.stat().st_mode & 0o777 if self._path.exists() else None
            os.chmod(self.temporary, 0o666 & ~_umask() if replaced is None else replaced)
            os.replace(self.temporary, self._path)
        except OSError as error:
            raise EcbenchError(f"cannot write {self._path}: {error.strerror}") from None


@contextmanager
def output_file(path: Path) -> Iterator[OutputFile]:
    """An empty temporary file beside ``path``, for this user only; gone at the end unless it was committed.

    Links are followed. Raises: InvalidRequest when there cannot be one.
    """
    path = path.resolve()
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")
    try:
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as error:
            raise InvalidRequest(f"cannot write {path}: {error.strerror}") from None
        yield OutputFile(path, temporary)
    finally:
        temporary.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """Raises InvalidRequest when ``path`` is something that a finished file could not or must not replace."""
    if path.exists() and not path.is_file():
        raise InvalidRequest(f"{path} is not a regular file: the result could not be renamed into its place")
    if path.exists() and not os.access(path, os.W_OK):
        raise InvalidRequest(f"cannot write {path}: it is read-only")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
