"""Modes of operation over any BlockEngine: ECB, CBC and CTR (SP 800-38A), GCM (SP 800-38D) and XTS
(IEEE 1619-2018).

A mode object holds an engine and a key and nothing that one request changes for another, so any
number of tasks may use one at once.
"""

from .cbc import Cbc
from .ctr import Ctr
from .ecb import Ecb
from .essiv import Essiv
from .gcm import Gcm
from .messages import Message
from .sector_cipher import SectorCipher
from .xts import Xts

__all__ = ["Cbc", "Ctr", "Ecb", "Essiv", "Gcm", "Message", "SectorCipher", "Xts"]
