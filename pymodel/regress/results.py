"""What a simulation said: its results file and its log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

# Icarus: "ERROR: file:line: ..." and "FATAL: ..."; Verilator: "[time] %Error: file:line: ...".
_HDL_ERROR = re.compile(r"^(ERROR|FATAL): |%(Error|Fatal)\b")


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """One cocotb test. ``status``: passed, failed or skipped. ``message``: why it failed."""

    __test__ = False

    name: str
    status: str
    seconds: float
    message: str = ""


def read_results(path: Path) -> tuple[TestOutcome, ...]:
    """The tests in a results.xml of cocotb; none when the file is missing or broken."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return ()
    return tuple(_outcome(case) for case in root.iter("testcase"))


def _outcome(case: ElementTree.Element) -> TestOutcome:
    name = f"{case.get('classname', '')}.{case.get('name', '')}"
    seconds = float(case.get("time") or 0)
    for tag in ("failure", "error"):
        found = case.find(tag)
        if found is not None:
            message = found.get("message") or found.get("error_msg") or (found.text or "").strip()
            return TestOutcome(name, "failed", seconds, message or tag)
    return TestOutcome(name, "skipped" if case.find("skipped") is not None else "passed", seconds)


def hdl_errors(log: Path) -> list[str]:
    """The lines in which the HDL itself complained ($error, $fatal, assertions); Icarus exits with 0 then."""
    try:
        with log.open(errors="replace") as lines:
            return [line.strip() for line in lines if _HDL_ERROR.search(line)]
    except OSError:
        return []
