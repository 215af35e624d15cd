"""The command ``ecbench crypt``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import InvalidRequest
from pymodel.jobs.crypt_spec import MAX_UNIT_BYTES, CryptSpec
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, JobResult
from pymodel.regress.output_file import check_replaceable, output_file
from pymodel.regress.target import Launcher, Target, regular

SECTOR_BYTES = 512
"""The data unit of XTS unless another is asked for: a sector, as dm-crypt has it."""

_KEY_FILE_LIMIT = 4096
_FIGURES = ("hardware_blocks", "software_blocks", "engine_cycles", "blocks_per_second")


@dataclass(frozen=True, slots=True)
class CryptOptions:
    """``ecbench crypt``. ``key``, ``iv``: hexadecimal. ``first``: decimal, or hexadecimal after 0x."""

    target: Target
    source: Path
    destination: Path
    mode: str
    key: str | None
    key_file: Path | None
    iv: str | None
    data_unit: int | None
    first: str | None
    decrypt: bool
    json: Path | None


def crypt(options: CryptOptions, display: Display) -> int:
    """Put a file through the engine; 0 when all of it is right and has its name, else 1 and no new file.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    spec = _spec(options)
    options.target.check()
    _check_outputs(options)
    with display:
        launcher = Launcher(options.target, display)
        with output_file(options.destination) as output:
            result = _run(options, spec, output.temporary, launcher, display)
            problem = _problem(result, output.temporary, spec)
            if not problem:
                output.commit()
    row = _row(options, spec, result, problem)
    if options.json is not None:
        write_json(options.json, not problem, [row])
    if problem:
        display.out(f"FAIL {problem}")
        if result.log is not None:
            display.out(f"log: {result.log}")
        return 1
    who = f"{row['hardware_blocks']:,} hardware blocks"
    if row["software_blocks"]:
        who += f", {row['software_blocks']:,} software blocks"
    display.out(f"{row['work']}ed {row['blocks']:,} blocks, {who}: {row['blocks_per_second']:,.0f} blocks/s")
    return 0


def _run(options: CryptOptions, spec: CryptSpec, temporary: Path, launcher: Launcher,
         display: Display) -> JobResult:
    def report(line: dict[str, Any]) -> None:
        if line["kind"] == "progress":
            display.progress(f"{spec.mode} on {options.target.label}, blocks", line["done"], line["total"])

    values = {**asdict(spec), "destination": str(temporary)}
    bench = options.target.bench()
    return launcher.run(JobRequest("crypt", values, bench, private=True), report)


def _problem(result: JobResult, temporary: Path, spec: CryptSpec) -> str:
    """What is wrong, or an empty string."""
    if result.problem or result.result is None:
        return result.problem or "no result"
    if result.result["text"]:
        return str(result.result["text"])
    size = temporary.stat().st_size
    return "" if size == spec.length else f"the result has {size} bytes instead of {spec.length}"


def _row(options: CryptOptions, spec: CryptSpec, result: JobResult, problem: str) -> dict[str, Any]:
    figures = result.result or {}
    return {"engine": options.target.engine, "simulator": options.target.label, "mode": spec.mode,
            "key_bits": 4 * len(spec.key), "work": "encrypt" if spec.encrypt else "decrypt",
            "blocks": spec.blocks, **{name: figures.get(name, 0) for name in _FIGURES},
            "verdict": "fail" if problem else "pass"}


def _spec(options: CryptOptions) -> CryptSpec:
    """All that is to be done, but for the name of the temporary file. Raises InvalidRequest."""
    source = regular(options.source)
    length = source.stat().st_size
    values: dict[str, Any] = {"source": str(source), "destination": "", "length": length,
                              "mode": options.mode, "key": _key(options).hex(),
                              "encrypt": not options.decrypt}
    if options.mode == "xts":
        values.update(_data_units(options, length))
    else:
        _refuse_data_units(options)
        if options.mode == "cbc":
            values["iv"] = _iv(options).hex()
        elif options.iv is not None:
            raise InvalidRequest(f"--iv: {options.mode.upper()} has none")
    spec = CryptSpec(**values)
    spec.check()
    return spec


def _key(options: CryptOptions) -> bytes:
    if (options.key is None) == (options.key_file is None):
        raise InvalidRequest("give the key with --key or with --key-file")
    if options.key_file is None:
        return _hexadecimal("--key", options.key or "")
    try:
        with options.key_file.open("rb") as file:
            text = file.read(_KEY_FILE_LIMIT)
    except OSError as error:
        raise InvalidRequest(f"cannot read {options.key_file}: {error.strerror}") from None
    return _hexadecimal(f"{options.key_file}", text.decode("ascii", "replace"))


def _iv(options: CryptOptions) -> bytes:
    if options.iv is None:
        raise InvalidRequest(f"{options.mode.upper()} needs --iv")
    iv = _hexadecimal("--iv", options.iv)
    if len(iv) != BLOCK_BYTES:
        raise InvalidRequest(f"--iv has {len(iv)} bytes, needs {BLOCK_BYTES}")
    return iv


def _hexadecimal(name: str, text: str) -> bytes:
    """What is wrong is not shown: it may be a key."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidRequest(f"{name}: not pairs of hexadecimal digits") from None


def _data_units(options: CryptOptions, length: int) -> dict[str, int]:
    """With an IV and no size the whole file is one data unit."""
    if options.iv is None:
        first = _number(options.first or "0")
        return {"first": first, "data_unit": SECTOR_BYTES if options.data_unit is None else options.data_unit}
    if options.first is not None:
        raise InvalidRequest("--iv is the first tweak itself: it goes without --first")
    if options.data_unit is None and length > MAX_UNIT_BYTES:
        raise InvalidRequest(f"{options.source} has {length} bytes, a data unit at most {MAX_UNIT_BYTES}: "
                             "give --data-unit")
    return {"first": int.from_bytes(_iv(options), "little"),
            "data_unit": length if options.data_unit is None else options.data_unit}


def _number(text: str) -> int:
    try:
        return int(text, 16 if text.lower().startswith("0x") else 10)
    except ValueError:
        raise InvalidRequest(f"--first: '{text}' is not a number") from None


def _refuse_data_units(options: CryptOptions) -> None:
    for name, value in (("--data-unit", options.data_unit), ("--first", options.first)):
        if value is not None:
            raise InvalidRequest(f"{name}: only XTS has data units")


def _check_outputs(options: CryptOptions) -> None:
    """Raises InvalidRequest where the result or the rows could not be written, or would destroy something."""
    out = options.destination
    inputs = [("IN", options.source), ("--key-file", options.key_file)]
    check_writable(out, *inputs, name="OUT")
    check_writable(options.json, *inputs, ("OUT", out))
    check_replaceable(out)
