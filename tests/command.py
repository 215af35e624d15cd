"""ecbench in this process: its exit code, and the rows that it writes."""

import json

from pymodel import cli


def run(*arguments):
    return cli.run_command_line([str(word) for word in arguments])


def rows_of(path):
    contents = json.loads(path.read_text())
    assert set(contents) == {"ok", "rows"}
    return contents["ok"], contents["rows"]
