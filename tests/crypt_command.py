"""``ecbench crypt`` as its tests call it."""

from __future__ import annotations

from pymodel import cli


def crypt_in(folder):
    """Puts bytes through ``ecbench crypt`` on the model; None when there is no output."""

    def run(data, *options, code=0):
        source, destination = folder / "in", folder / "out"
        source.write_bytes(data)
        words = ["crypt", *map(str, options), str(source), str(destination), "--on", "model"]
        assert cli.run_command_line(words) == code
        assert {path.name for path in folder.iterdir()} <= {"in", "out"}
        return destination.read_bytes() if destination.exists() else None

    return run
