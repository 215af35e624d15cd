"""The command ``ecbench luks``."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import InvalidRequest
from pymodel.jobs.luks_spec import LuksSpec
from pymodel.luks.header import SECTOR_BYTES, Header, KeySlot, read_header
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest, JobResult
from pymodel.regress.output_file import OutputFile, check_replaceable, output_file
from pymodel.regress.target import Launcher, Target, regular

WORK = ("info", "decrypt", "sector")
"""What can be done with a volume."""

_PASSPHRASE_LIMIT = 8 << 20
"""Bytes: cryptsetup's limit for a key file."""
_SHOWN_DIGITS = 20
"""Of a number that is too large."""
_FIGURES = ("slot", "key_slot_blocks", "hardware_blocks", "software_blocks", "engine_cycles", "seconds",
            "blocks_per_second")


@dataclass(frozen=True, slots=True)
class LuksOptions:
    """``ecbench luks``. ``operand``: OUT of ``decrypt``, N of ``sector``."""

    target: Target
    image: Path
    work: str
    operand: str | None
    passphrase_file: Path | None
    json: Path | None


@dataclass(frozen=True, slots=True)
class _Stretch:
    """``count`` sectors of the payload from ``first`` on."""

    first: int
    count: int


def luks(options: LuksOptions, display: Display) -> int:
    """Show what a LUKS1 volume is, or decrypt it; 0 when all of it is right and written, else 1.

    Raises: InvalidRequest, Unsupported, SimulatorError, BuildError.
    """
    _check_words(options)
    regular(options.image)
    header = read_header(options.image)
    if options.work == "info":
        return _info(options, header, display)
    stretch = _stretch(options, header)
    options.target.check()
    _check_outputs(options)
    passphrases = _passphrases(options.passphrase_file)
    if not header.active_slots:
        raise InvalidRequest(f"{options.image}: no key slot is enabled: nothing can open the volume")
    with display, _destination(options) as output:
        spec = LuksSpec(str(options.image.resolve()), str(output.temporary),
                        [passphrase.hex() for passphrase in passphrases], stretch.first, stretch.count,
                        header.digest.hex())
        result = _run(options, spec, display)
        problem = _problem(result, output.temporary, stretch)
        if not problem:
            problem = _hand_over(options, output)
    row = _row(options, header, stretch, result, problem)
    if options.json is not None:
        write_json(options.json, not problem, [row])
    if problem:
        return _fail(options, problem, result, display)
    software = f", {row['software_blocks']:,} software blocks" if row["software_blocks"] else ""
    display.say(f"key slot {row['slot']} opened, {row['key_slot_blocks']:,} blocks; decrypted "
                f"{row['blocks']:,} blocks, {row['hardware_blocks']:,} hardware blocks{software}: "
                f"{row['seconds']:,.1f} s")
    return 0


def _run(options: LuksOptions, spec: LuksSpec, display: Display) -> JobResult:
    """Raises InvalidRequest when no key slot opens."""
    target = options.target

    def report(line: dict[str, Any]) -> None:
        if line["kind"] == "progress":
            display.progress(f"luks on {target.label}, sectors", line["done"], line["total"])

    launcher = Launcher(target, display)
    result = launcher.run(JobRequest("luks", asdict(spec), target.bench(), private=True), report)
    if not result.problem and result.result is not None and result.result["refused"]:
        raise InvalidRequest(f"{options.image}: {result.result['text']}")
    return result


def _problem(result: JobResult, temporary: Path, stretch: _Stretch) -> str:
    """What is wrong, or an empty string."""
    if result.problem or result.result is None:
        return result.problem or "no result"
    if result.result["text"]:
        return str(result.result["text"])
    size, wanted = temporary.stat().st_size, stretch.count * SECTOR_BYTES
    return "" if size == wanted else f"the result has {size} bytes instead of {wanted}"


def _fail(options: LuksOptions, problem: str, result: JobResult, display: Display) -> int:
    """``sector`` has nothing on stdout but a sector."""
    show = display.say if options.work == "sector" else display.out
    show(f"FAIL {problem}")
    if result.log is not None:
        show(f"log: {result.log}")
    return 1


def _row(options: LuksOptions, header: Header, stretch: _Stretch, result: JobResult,
         problem: str) -> dict[str, Any]:
    figures = result.result or {}
    return {"engine": options.target.engine, "simulator": options.target.label, "cipher": header.cipher.name,
            "key_bits": 8 * header.key_bytes, "work": options.work, "first_sector": stretch.first,
            "sectors": stretch.count, "blocks": stretch.count * SECTOR_BYTES // BLOCK_BYTES,
            **{name: figures.get(name, 0) for name in _FIGURES}, "verdict": "fail" if problem else "pass"}


# -- what is asked for ------------------------------------------------------------------------


def _check_words(options: LuksOptions) -> None:
    wanted = {"decrypt": "OUT", "sector": "N"}
    if options.work not in WORK:
        raise InvalidRequest(f"cannot '{options.work}' a volume: choose info, decrypt OUT or sector N")
    if options.work in wanted and options.operand is None:
        raise InvalidRequest(f"{options.work} needs {wanted[options.work]}")
    if options.work == "info" and options.operand is not None:
        raise InvalidRequest(f"info takes nothing behind it, not '{options.operand}'")


def _stretch(options: LuksOptions, header: Header) -> _Stretch:
    if options.work == "decrypt":
        return _Stretch(0, header.sectors)
    text = options.operand or ""
    if not (text.isascii() and text.isdigit()):
        raise InvalidRequest(f"sector '{text}' is not a number")
    text = text.lstrip("0") or "0"
    if len(text) > len(str(header.sectors)) or int(text) >= header.sectors:
        shown = text if len(text) <= _SHOWN_DIGITS else f"{text[:_SHOWN_DIGITS]}..."
        raise InvalidRequest(f"sector {shown}: the payload of {options.image} has sectors 0 .. "
                             f"{header.sectors - 1}")
    return _Stretch(int(text), 1)


def _passphrases(path: Path | None) -> list[bytes]:
    """What the file may mean: without the line end behind it, as if it had been typed, and as it is, as
    cryptsetup's ``--key-file`` has it. Raises InvalidRequest.
    """
    if path is None:
        raise InvalidRequest("give the passphrase with --passphrase-file")
    try:
        with path.open("rb") as file:
            data = file.read(_PASSPHRASE_LIMIT + 1)
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    if not data:
        raise InvalidRequest(f"{path} is empty")
    if len(data) > _PASSPHRASE_LIMIT:
        raise InvalidRequest(f"{path} has more than {_PASSPHRASE_LIMIT} bytes: no passphrase")
    return [data[:-1], data] if data.endswith(b"\n") else [data]


def _check_outputs(options: LuksOptions) -> None:
    """Raises InvalidRequest where the result or the rows could not be written, or would destroy something."""
    inputs = [("IMAGE", options.image), ("--passphrase-file", options.passphrase_file)]
    out = Path(options.operand or "") if options.work == "decrypt" else None
    if options.work == "decrypt" and not options.operand:
        raise InvalidRequest("OUT is empty")
    check_writable(options.json, *inputs, ("OUT", out))
    if options.work == "sector":
        _check_stdout(options)
    if out is not None:
        check_writable(out, *inputs, name="OUT")
        check_replaceable(out)


def _check_stdout(options: LuksOptions) -> None:
    """Raises InvalidRequest where a sector could not go there, or not alone."""
    if sys.stdout is None:
        raise InvalidRequest("sector N writes to stdout, which is closed")
    if options.json is None:
        return
    with suppress(OSError):
        if os.path.samestat(os.fstat(sys.stdout.fileno()), options.json.stat()):
            raise InvalidRequest("sector N writes to stdout, and --json is the same file")


# -- where the result goes --------------------------------------------------------------------


@contextmanager
def _destination(options: LuksOptions) -> Iterator[OutputFile]:
    """OUT; for a sector a file that only this user can read, and that nobody sees."""
    if options.work == "decrypt":
        with output_file(Path(options.operand or "")) as output:
            yield output
        return
    with tempfile.TemporaryDirectory(prefix="ecbench-") as folder, \
            output_file(Path(folder) / "sector") as output:
        yield output


def _hand_over(options: LuksOptions, output: OutputFile) -> str:
    """What went wrong with it, or an empty string."""
    if options.work == "decrypt":
        output.commit()
        return ""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(output.temporary.read_bytes())
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python tries again at its end
        return f"cannot write the sector to stdout: {error.strerror}"
    return ""


# -- info -------------------------------------------------------------------------------------


def _info(options: LuksOptions, header: Header, display: Display) -> int:
    """Neither a passphrase nor a simulator is needed for it."""
    replace(options.target, on="model", waves=False).check()
    check_writable(options.json, ("IMAGE", options.image))
    rows = [_slot_row(header, slot) for slot in header.slots]
    facts = {"version": 1, "cipher": header.cipher.name, "key_bits": 8 * header.key_bytes,
             "hash": header.hash, "uuid": header.uuid, "digest_iterations": header.digest_iterations,
             "payload_sector": header.payload_sector, "sectors": header.sectors}
    display.out(f"LUKS1, {header.cipher.name}, key of {8 * header.key_bytes} bits, {header.hash}")
    display.out(f"UUID {header.uuid}")
    display.out(f"master key digest: {header.digest_iterations} iterations")
    display.out(f"payload: from sector {header.payload_sector} of the image on, {header.sectors} sectors of "
                f"{SECTOR_BYTES} bytes")
    for row in rows:
        display.out(f"key slot {row['slot']}: " + (
            f"enabled, {row['iterations']} iterations, key material in sectors {row['first_sector']} .. "
            f"{row['last_sector']}" if row["enabled"] else "disabled"))
    if options.json is not None:
        write_json(options.json, True, [{**facts, "slots": rows}])
    return 0


def _slot_row(header: Header, slot: KeySlot) -> dict[str, Any]:
    return {"slot": slot.number, "enabled": slot.active, "iterations": slot.iterations,
            "first_sector": slot.first_sector, "last_sector": slot.first_sector + header.material_sectors - 1}
