"""Compiles once what is the same in every build of Verilator: the runtime library, half of a small build.

``OBJCACHE`` of Verilator's makefiles: ``python object_cache.py DIRECTORY COMPILER ARGUMENTS...``. An object
of the library that the same command has made before is copied from DIRECTORY; everything else is compiled.
It imports nothing of the project: it is started for each object.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str]) -> int:
    directory, command = Path(arguments[0]), arguments[1:]
    source = Path(command[-1])
    of_library = source.match("verilated*.cpp") and (source.parent / "verilated.h").exists()
    if not of_library or "-o" not in command:
        os.execvp(command[0], command)
    target = Path(command[command.index("-o") + 1])
    kept = directory / f"{source.stem}-{_key(source, command)}.o"
    if not kept.exists():
        code = os.spawnvp(os.P_WAIT, command[0], command)
        if code:
            return code
        directory.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=directory)
        os.close(descriptor)
        shutil.copyfile(target, temporary)
        Path(temporary).replace(kept)  # another build may be doing the same
        return 0
    shutil.copyfile(kept, target)
    return 0


def _key(source: Path, command: list[str]) -> str:
    """Of the command, the compiler and the library; a new version of either has other files."""
    compiler = Path(os.path.realpath(shutil.which(command[0]) or command[0]))
    digest = hashlib.sha256("\0".join(command).encode())
    for path in (compiler, *sorted(source.parent.glob("*.h")), source):
        known = path.stat()
        digest.update(f"\n{path} {known.st_size} {known.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
