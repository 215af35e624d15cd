"""The golden model on all 576 driver cases, memory layouts left aside: the cases and the golden
model confirm each other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from pymodel import golden

FILE = Path(__file__).parent / "data" / "cases" / "cases.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text())["cases"]
MODES = {"xts": 318, "cbc": 139, "seq": 67, "ecb": 40, "xts_run": 8, "ctr": 4}
KEY_SIZES = {"xts": (32, 48, 64), "ecb": (16, 24, 32), "cbc": (16, 24, 32), "ctr": (16, 24, 32)}


def data_of(form: dict[str, Any]) -> bytes:
    if "hex" in form:
        return bytes.fromhex(form["hex"])
    if "stream" in form:
        seed, length = form["stream"]
        chunks = [hashlib.sha256(f"{seed}:{i}".encode()).digest() for i in range(-(-length // 32))]
        return b"".join(chunks)[:length]
    if "count" in form:
        return bytes((i * form.get("mul", 7) + form.get("add", 3)) % 256 for i in range(form["count"]))
    if "le16" in form:
        return b"".join(i.to_bytes(2, "little") for i in range(form["le16"]))
    return bytes(form["zeros"])


def is_expected(expect: dict[str, Any], result: bytes, iv: bytes) -> bool:
    out = expect["out"]
    if "hex" in out:
        right = result.hex() == out["hex"]
    else:
        right = len(result) == out["len"] and hashlib.sha256(result).hexdigest() == out["sha256"]
    return right and expect.get("iv_out", iv.hex()) == iv.hex()


def one_request(case: dict[str, Any]) -> tuple[bytes, bytes]:
    return golden.crypt(
        case["mode"],
        bytes.fromhex(case["key"]),
        bytes.fromhex(case.get("iv", "")),
        data_of(case["input"]),
        encrypt=case.get("enc", True),
    )


def run_of_data_units(case: dict[str, Any]) -> tuple[bytes, bytes]:
    data, unit, result = data_of(case["input"]), case["unit"], b""
    for index in range(0, len(data), unit):
        number = (int(case["first"], 16) + index // unit) % (1 << case["wrap_bits"])
        tweak = number.to_bytes(16, "little")
        part = data[index : index + unit]
        result += golden.crypt("xts", bytes.fromhex(case["key"]), tweak, part, encrypt=case["enc"])[0]
    return result, b""


def request_passes(case: dict[str, Any]) -> bool:
    try:
        result, iv = run_of_data_units(case) if case["mode"] == "xts_run" else one_request(case)
    except ValueError:
        return "error" in case["expect"] or case.get("may_refuse", False)
    return "error" not in case["expect"] and is_expected(case["expect"], result, iv)


def sequence_passes(case: dict[str, Any]) -> bool:
    """Contexts are a dictionary, a context without a key has the empty one; aborts and resets change
    nothing in a model without state."""
    modes: dict[str, str] = {}
    keys: dict[str, str] = {}
    for step in case["steps"]:
        match step["op"]:
            case "new":
                modes[step["ctx"]] = step["mode"]
                keys.pop(step["ctx"], None)
            case "free":
                del modes[step["ctx"]]
            case "setkey":
                accepted = len(step["key"]) // 2 in KEY_SIZES[modes[step["ctx"]]]
                if accepted == ("error" in step.get("expect", {})):
                    return False
                if accepted:
                    keys[step["ctx"]] = step["key"]
            case "crypt" | "queue":
                for request in step.get("reqs", [step]):
                    context = request["ctx"]
                    known = {"mode": modes[context], "key": keys.get(context, ""), "expect": {}}
                    if not request_passes({**known, **request}):
                        return False
            case "abort" | "reset":
                pass
            case other:
                raise AssertionError(f"{case['name']}: unknown step {other}")
    return True


@pytest.mark.parametrize("mode", MODES)
def test_golden_passes_every_case(mode: str):
    cases = [case for case in CASES if case["mode"] == mode]
    assert len(cases) == MODES[mode]
    passes = sequence_passes if mode == "seq" else request_passes
    assert [case["name"] for case in cases if not passes(case)] == []


def test_all_cases_have_a_mode_that_is_tested():
    assert len(CASES) == 576 == sum(MODES.values())
