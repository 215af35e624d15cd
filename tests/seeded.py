"""Random numbers of tests: all of them follow from $ECBENCH_SEED, which a failing test is shown with."""

from __future__ import annotations

import random

from pymodel.regress.run import seed_from_environment


def seeded(*what: object) -> random.Random:
    """A generator of its own for each ``what``, such as the parameters of a test."""
    return random.Random("/".join(map(str, (seed_from_environment(), *what))))
