"""Compiles once what is the same in every build of Verilator: the runtime library, half of a small build.

``OBJCACHE`` of Verilator's makefiles: ``python object_cache.py DIRECTORY COMPILER ARGUMENTS...``. An object
of the library that the same command has made before is copied from DIRECTORY, if it is whole; everything else
is compiled. A cache that cannot be read or written costs time and nothing else. It imports nothing of the
project: it is started for each object.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

_DIGEST_BYTES = 32
"""SHA-256 of the object, before it."""


def main(arguments: list[str]) -> int:
    directory, command = Path(arguments[0]), arguments[1:]
    source = Path(command[-1])
    of_library = source.match("verilated*.cpp") and (source.parent / "verilated.h").exists()
    if not of_library or "-o" not in command:
        os.execvp(command[0], command)
    target = Path(command[command.index("-o") + 1])
    kept = directory / f"{source.stem}-{_key(source, command)}"
    found = _object(kept)
    if found is not None:
        target.write_bytes(found)
        return 0
    code = os.spawnvp(os.P_WAIT, command[0], command)
    if code == 0:
        _keep(target, kept)
    return code


def _key(source: Path, command: list[str]) -> str:
    """Of the command, the compiler and the library; a new version of either has other files."""
    compiler = Path(os.path.realpath(shutil.which(command[0]) or command[0]))
    digest = hashlib.sha256("\0".join(command).encode())
    for path in (compiler, *sorted(source.parent.glob("*.h")), source):
        known = path.stat()
        digest.update(f"\n{path} {known.st_size} {known.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _object(kept: Path) -> bytes | None:
    """None if there is none, or a damaged one."""
    try:
        content = kept.read_bytes()
    except OSError:
        return None
    found = content[_DIGEST_BYTES:]
    return found if hashlib.sha256(found).digest() == content[:_DIGEST_BYTES] else None


def _keep(target: Path, kept: Path) -> None:
    """Renamed into place when it is whole: another build may be doing the same."""
    temporary = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = target.read_bytes()
        temporary.write_bytes(hashlib.sha256(made).digest() + made)
        temporary.replace(kept)
    except OSError:
        with suppress(OSError):
            temporary.unlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
