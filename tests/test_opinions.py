"""The three opinions on data, each of which must be able to find a wrong byte."""

import numpy as np
import pytest

from cocotb_tests.env import opinions
from cocotb_tests.env.opinions import Opinions
from pymodel import golden
from pymodel.engines import rijndael

KEY = bytes(range(16))
SOURCE = np.frombuffer(bytes(range(160)), np.uint8)


def right(decrypt=False):
    crypt = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    return np.frombuffer(crypt(KEY, SOURCE.tobytes()), np.uint8)


def schedule_of(decrypt):
    forward = rijndael.expand(KEY)
    return rijndael.invert(forward) if decrypt else forward


@pytest.mark.parametrize("decrypt", [False, True])
def test_right_data_is_no_problem(decrypt):
    judge = Opinions()
    judge.add("request 1", schedule_of(decrypt), decrypt, SOURCE, right(decrypt))
    judge.judge()
    assert judge.problems == []
    assert judge.judged == 1


@pytest.mark.parametrize("decrypt", [False, True])
def test_one_wrong_bit_is_found_by_all_three_and_the_request_is_named(decrypt):
    judge = Opinions()
    wrong = right(decrypt).copy()
    wrong[37] ^= 1
    own = schedule_of(decrypt)
    judge.add("request 1", own, decrypt, SOURCE, right(decrypt))
    judge.add("request 2", own, decrypt, SOURCE, wrong)
    judge.judge()
    assert judge.problems == [f"request 2: data differs from {name} in 1 bytes, the first in block 2"
                              for name in ("the transaction-level model", "the golden model", "cryptography")]


@pytest.mark.parametrize(("broken", "name"), [
    ((rijndael, "cipher"), "the transaction-level model"), ((golden, "ecb_encrypt"), "the golden model"),
])
def test_each_opinion_is_one_of_its_own(monkeypatch, broken, name):
    """An opinion that is wrong itself disagrees with data that is right."""
    judge, observed = Opinions(), right()
    original = getattr(*broken)

    def spoiled(*arguments):
        result = original(*arguments)
        return bytes(len(result)) if isinstance(result, bytes) else np.zeros_like(result)

    judge.add("request 1", schedule_of(False), False, SOURCE, observed)
    monkeypatch.setattr(*broken, spoiled)
    judge.judge()
    assert len(judge.problems) == 1
    assert judge.problems[0].startswith(f"request 1: data differs from {name} in ")


def test_a_schedule_of_no_key_is_judged_by_the_model_alone():
    judge = Opinions()
    garbled = rijndael.expand(KEY).copy()
    garbled[5] ^= 0x80
    blocks = rijndael.cipher(garbled, SOURCE.reshape(-1, 16), False).reshape(-1)
    judge.add("request 1", garbled, False, SOURCE, blocks)
    judge.add("request 2", garbled, False, SOURCE, right())
    judge.judge()
    assert [problem.split(" in ")[0] for problem in judge.problems] == [
        "request 2: data differs from the transaction-level model"]


def test_many_blocks_are_judged_without_being_asked(monkeypatch):
    monkeypatch.setattr(opinions, "WAITING_BLOCKS", 20)
    judge = Opinions()
    for number in range(3):
        judge.add(f"request {number}", schedule_of(False), False, SOURCE, np.zeros_like(SOURCE))
    assert judge.judged == 2
    assert len(judge.problems) == 2 * 3
