"""Modes of operation over any BlockEngine: ECB, CBC, CTR (SP 800-38A) and XTS (IEEE 1619-2018).

A mode object holds an engine and a key and nothing that a request changes, so any number of tasks
may use one at once.
"""

from .cbc import Cbc
from .ctr import Ctr
from .ecb import Ecb
from .xts import Xts

__all__ = ["Cbc", "Ctr", "Ecb", "Xts"]
