"""What tests of refusals share: nothing may have changed."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from pymodel.errors import InvalidRequest


@contextmanager
def nothing_changes(engine):
    """Neither a byte of the memory nor a counter."""
    memory, counters = engine.memory.bytes.copy(), engine.counters.copy()
    yield
    assert np.array_equal(memory, engine.memory.bytes)
    assert engine.counters == counters


def refused(engine, match, *coroutines):
    """Each of them is, before it touches anything."""
    with nothing_changes(engine):
        for coroutine in coroutines:
            with pytest.raises(InvalidRequest, match=match):
                engine.kernel.run(coroutine)
