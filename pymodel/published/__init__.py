"""Five published sets of measurements, as data, and the code that reproduces them on the bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pymodel.published.experiment import Experiment
from pymodel.published.factoring import ModeFactoring
from pymodel.published.key_load import KeyLoad
from pymodel.published.over_ecb import OverEcb
from pymodel.published.threshold import Threshold
from pymodel.published.xts_buffer import XtsBuffer

_CLASSES: tuple[Callable[[], Experiment], ...] = (KeyLoad, Threshold, OverEcb, XtsBuffer, ModeFactoring)

EXPERIMENTS: Mapping[str, Experiment] = {one.name: one for one in (make() for make in _CLASSES)}
"""By name, in the order in which they are shown."""

__all__ = ["EXPERIMENTS", "Experiment"]
