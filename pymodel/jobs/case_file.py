"""Case files: edge cases from public bug reports, as JSON; tests/data/cases/README.md has the format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pymodel.drivers.policies import Path as DriverPath
from pymodel.engines.padlock import CPUS
from pymodel.errors import InvalidRequest
from pymodel.jobs.placement import Layout, Spot

T = TypeVar("T")

LARGEST_BYTES = 1 << 20
"""No input of a case is longer."""

_EXPECTATIONS = ("out", "iv_out", "error")
_JUDGED: dict[str, tuple[str, ...]] = {"seq": (), "xts_run": ("out",)}
"""What of a case's ``expect`` is looked at, where that is not all; the steps of ``seq`` have their own."""
_STEPS = ("new", "setkey", "crypt", "queue", "free", "abort", "reset", "interrupt", "move")
_WITHOUT_CONTEXT = ("queue", "reset", "interrupt", "move")


@dataclass(frozen=True, slots=True)
class Expect:
    """``error``: must be refused. ``out``: hex, or sha256 with length; None when not given."""

    error: bool = False
    out: dict[str, Any] | None = None
    iv_out: bytes | None = None

    def matches(self, result: bytes) -> bool:
        if self.out is None:
            return True
        if "hex" in self.out:
            return result.hex() == str(self.out["hex"]).lower()
        digest = hashlib.sha256(result).hexdigest()
        return (len(result), digest) == (self.out["len"], str(self.out["sha256"]).lower())


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a sequence; ``requests`` are the ``crypt`` steps that a ``queue`` starts together.

    ``path``: what a ``crypt`` is to the driver's policy, or None. ``cpu``: where a ``move`` goes.
    """

    op: str
    context: str = ""
    mode: str = ""
    key: bytes = b""
    iv: bytes = b""
    data: bytes = b""
    encrypt: bool = True
    expect: Expect = Expect()
    requests: tuple[Step, ...] = ()
    path: DriverPath | None = None
    cpu: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One case. ``unit``, ``first``, ``wrap_bits``: of ``xts_run``. ``steps``: of ``seq``."""

    name: str
    mode: str
    key: bytes
    iv: bytes
    data: bytes
    encrypt: bool
    layout: Layout
    expect: Expect
    may_refuse: bool
    unit: int
    first: int
    wrap_bits: int
    steps: tuple[Step, ...]


def read_case_file(path: Path, subset: str | None = None) -> list[dict[str, Any]]:
    """The cases in ``path``, or those in its list ``subset``, as plain values that have been checked.

    Raises: InvalidRequest, one line, for a file that cannot be read or is not a case file.
    """
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path} is not JSON: {error}") from None
    cases = contents.get("cases") if isinstance(contents, dict) else None
    if not isinstance(cases, list):
        raise InvalidRequest(f"{path} is not a case file: it has no list 'cases'")
    if not cases:
        raise InvalidRequest(f"{path} has no case: its list 'cases' is empty")
    names: set[str] = set()
    for index, values in enumerate(cases):
        try:
            name = parse_case(values).name
            if name in names:
                raise InvalidRequest(f"'{name}' is the name of another case too")
        except InvalidRequest as error:
            raise InvalidRequest(f"{path}: case {index}: {error}") from None
        names.add(name)
    return cases if subset is None else _chosen(path, contents, cases, subset)


def _chosen(path: Path, contents: dict[str, Any], cases: list[dict[str, Any]],
            subset: str) -> list[dict[str, Any]]:
    names = contents.get(subset)
    if not isinstance(names, list) or subset == "cases":
        raise InvalidRequest(f"{path} has no subset '{subset}'")
    if not names:
        raise InvalidRequest(f"{path}: subset '{subset}' is empty")
    known = {values["name"]: values for values in cases}
    missing = [str(name) for name in names if not isinstance(name, str) or name not in known]
    if missing:
        raise InvalidRequest(f"{path}: subset '{subset}' names unknown cases: {', '.join(missing)}")
    return [known[name] for name in names]


def parse_case(values: Any) -> Case:
    """Raises InvalidRequest that says what is wrong with the case."""
    if not isinstance(values, dict) or not isinstance(values.get("name"), str):
        raise InvalidRequest("it is not an object with a name")
    try:
        return _case(values)
    except KeyError as error:
        raise InvalidRequest(f"'{values['name']}' has no {error}") from None
    except Exception as error:  # whatever the values lead to: they can be anything that JSON has
        raise InvalidRequest(f"'{values['name']}' is malformed: {error}") from None


def _case(values: dict[str, Any]) -> Case:
    mode = _text(values["mode"], "mode")
    steps = tuple(_step(step) for step in values["steps"]) if mode == "seq" else ()
    data = b"" if mode == "seq" else _data(values["input"])
    return Case(
        name=values["name"], mode=mode, key=bytes.fromhex(values.get("key", "")),
        iv=bytes.fromhex(values.get("iv", "")), data=data, encrypt=_flag(values, "enc", True),
        layout=_layout(values.get("layout", {}), len(data)),
        expect=_expect(values["expect"], _JUDGED.get(mode, _EXPECTATIONS)),
        may_refuse=_flag(values, "may_refuse", False), steps=steps,
        unit=_positive(values["unit"]) if mode == "xts_run" else 0,
        first=int(values["first"], 16) if mode == "xts_run" else 0,
        wrap_bits=_positive(values.get("wrap_bits", 128)))


def _step(values: dict[str, Any]) -> Step:
    op = values.get("op", "crypt")
    if op not in _STEPS:
        raise ValueError(f"unknown step '{op}'")
    queued = values["reqs"] if op == "queue" else []
    return Step(
        op=op,
        context="" if op in _WITHOUT_CONTEXT else str(values["ctx"]),
        mode=_text(values["mode"], "mode") if op == "new" else "",
        key=bytes.fromhex(values["key"]) if op == "setkey" else b"",
        iv=bytes.fromhex(values.get("iv", "")),
        data=_data(values["input"]) if op in ("crypt", "abort") else b"",
        encrypt=_flag(values, "enc", True),
        expect=_expect(values["expect"], _EXPECTATIONS) if "expect" in values else Expect(),
        requests=tuple(_step({**request, "op": "crypt"}) for request in queued),
        path=DriverPath(values["path"]) if "path" in values else None,
        cpu=CPUS.index(1 + int(values["cpu"])) if op == "move" else 0)


def _expect(values: dict[str, Any], judged: tuple[str, ...]) -> Expect:
    """``judged``: what is looked at; without any of it every result would be right."""
    if not isinstance(values, dict):
        raise ValueError("'expect' is not an object")
    if judged and not set(judged) & set(values):
        raise ValueError(f"'expect' has none of {', '.join(judged)}")
    out = values.get("out")
    if out is not None and "hex" not in out:
        bytes.fromhex(out["sha256"])
        _positive(out["len"])
    elif out is not None:
        bytes.fromhex(out["hex"])
    iv_out = values.get("iv_out")
    return Expect("error" in values, out, None if iv_out is None else bytes.fromhex(iv_out))


def _layout(values: dict[str, Any], length: int) -> Layout:
    src = _spots(values, "src", length)
    in_place = _flag(values, "inplace", False)
    dst = None if in_place else _spots(values, "dst", length) if {"dst_div", "dst_off"} & set(values) else src
    overlap = values.get("overlap")
    if overlap is not None:
        return Layout(src, overlap=int(overlap))
    if values.get("page", 4096) != 4096:
        raise ValueError("pages have 4096 bytes")
    return Layout(src, dst, separate_lists=_flag(values, "two_lists", False),
                  page_end=_flag(values, "page_end", False),
                  iv_behind_dst=_flag(values, "iv_in_line_of_dst_tail", False))


def _spots(values: dict[str, Any], side: str, length: int) -> tuple[Spot, ...]:
    lengths = [int(part) for part in values.get(f"{side}_div", [length])]
    offsets = [int(offset) for offset in values.get(f"{side}_off", [])]
    if sum(lengths) != length or min([*lengths, *offsets, 0]) < 0 or len(offsets) > len(lengths):
        raise ValueError(f"{side}_div {lengths} and {side}_off {offsets} do not fit {length} bytes")
    offsets += [0] * (len(lengths) - len(offsets))
    return tuple(Spot(offset, part) for offset, part in zip(offsets, lengths, strict=True))


def _data(form: dict[str, Any]) -> bytes:
    mul, add = form.get("mul", 7), form.get("add", 3)
    forms: dict[str, Callable[[Any], bytes]] = {
        "hex": bytes.fromhex,
        "stream": lambda value: _stream(str(value[0]), _size(value[1])),
        "count": lambda n: bytes((i * mul + add) & 255 for i in range(_size(n))),
        "le16": lambda n: b"".join(i.to_bytes(2, "little") for i in range(_size(n))),
        "zeros": lambda n: bytes(_size(n)),
    }
    for name, make in forms.items():
        if name in form:
            return make(form[name])
    raise ValueError(f"unknown input form {', '.join(form) or 'without a name'}")


def _stream(seed: str, length: int) -> bytes:
    count = -(-length // 32)
    return b"".join(hashlib.sha256(f"{seed}:{i}".encode()).digest() for i in range(count))[:length]


def _size(value: Any) -> int:
    if not 0 <= int(value) <= LARGEST_BYTES:
        raise ValueError(f"an input of {value} bytes: at most {LARGEST_BYTES}")
    return int(value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"'{name}' is not a string")
    return value


def _flag(values: dict[str, Any], name: str, default: bool) -> bool:
    value = values.get(name, default)
    if not isinstance(value, bool):
        raise ValueError(f"'{name}' is neither true nor false")
    return value


def _positive(value: Any) -> int:
    if int(value) <= 0:
        raise ValueError(f"{value} is not positive")
    return int(value)
