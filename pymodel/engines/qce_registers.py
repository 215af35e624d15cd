"""The register map of the QCE; made from hdl/qce/qce.rdl by ``make registers``."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from pymodel.engines.register_field import Field


class Register(IntEnum):
    """Byte addresses."""

    VERSION = 0x0000
    STATUS = 0x0100
    STATUS2 = 0x0104
    SEG_SIZE = 0x0110
    GOPROC = 0x0120
    ENCR_SEG_CFG = 0x0200
    ENCR_SEG_SIZE = 0x0204
    ENCR_SEG_START = 0x0208
    CNTR0_IV = 0x020c
    CNTR1_IV = 0x0210
    CNTR2_IV = 0x0214
    CNTR3_IV = 0x0218
    XTS_DU_SIZE = 0x0230
    CONFIG = 0x0400
    ENCR_KEY0 = 0x3000
    ENCR_KEY1 = 0x3004
    ENCR_KEY2 = 0x3008
    ENCR_KEY3 = 0x300c
    ENCR_KEY4 = 0x3010
    ENCR_KEY5 = 0x3014
    ENCR_KEY6 = 0x3018
    ENCR_KEY7 = 0x301c
    SRC_LIST_ADDRESS = 0x4000
    SRC_LIST_LENGTH = 0x4004
    SRC_DOORBELL = 0x4008
    SRC_CURRENT = 0x400c
    DST_LIST_ADDRESS = 0x4010
    DST_LIST_LENGTH = 0x4014
    DST_DOORBELL = 0x4018
    DST_CURRENT = 0x401c
    CYCLES = 0x4100
    BYTES_DONE = 0x4104
    SOFT_RESET = 0x4108
    FAULT = 0x410c
    FAULT_ADDRESS = 0x4110


class CryptoState(IntEnum):
    IDLE = 0
    """No request."""
    CHECK = 1
    """The registers are checked."""
    START = 2
    """The engine starts up (SLOW_START)."""
    LISTS = 3
    """The descriptors are checked against the size."""
    RUN = 4
    """Data and dump are moved."""
    WAIT_LISTS = 5
    """GO came before both lists were armed."""
    WAIT_SOURCE = 6
    """The source list is shorter than the request: a hang."""
    WAIT_DESTINATION = 7
    """The destination list is shorter than the request: a hang."""
    WAIT_UNIT = 8
    """The last 512 bytes are incomplete (LENGTH_512_HANG): a hang."""
    WAIT_BLOCK = 9
    """The last block is incomplete (PARTIAL_BLOCK_HANG): a hang."""
    WAIT_LENGTH = 10
    """The size is 0 (ZERO_LENGTH_HANG): a hang."""
    FETCH = 11
    """A list is read, no request runs."""
    DRAIN = 12
    """A soft reset waits for the bus."""


class Alg(IntEnum):
    AES = 2
    """AES; the only one that this engine has."""


class KeySize(IntEnum):
    AES128 = 0
    """16 bytes: ENCR_KEY0 to ENCR_KEY3."""
    AES192 = 1
    """24 bytes; with NO_AES192 the engine computes AES-128 with the first 16."""
    AES256 = 2
    """32 bytes: ENCR_KEY0 to ENCR_KEY7."""


class Mode(IntEnum):
    ECB = 0
    """ECB; the only one that this engine has."""


class FaultKind(IntEnum):
    NONE = 0
    """No fault."""
    ALIGNMENT = 1
    """No multiple of 16: an address, or an address and its size."""
    PAGE = 2
    """The bus answered SLVERR: no page there."""
    BUS = 3
    """The bus answered DECERR."""


class FaultAccess(IntEnum):
    SOURCE = 0
    """Of source data."""
    DESTINATION = 1
    """Of destination data or of the dump."""
    SOURCE_LIST = 2
    """Of the source list."""
    DESTINATION_LIST = 3
    """Of the destination list."""


VERSION_STEP = Field(Register.VERSION, 0, 16)
VERSION_MINOR = Field(Register.VERSION, 16, 8)
VERSION_MAJOR = Field(Register.VERSION, 24, 8)
STATUS_SW_ERR = Field(Register.STATUS, 0, 1)
STATUS_OPERATION_DONE = Field(Register.STATUS, 1, 1)
STATUS_ERR_INTR = Field(Register.STATUS, 4, 1)
STATUS_OP_DONE_INTR = Field(Register.STATUS, 5, 1)
STATUS_ENCR_BUSY = Field(Register.STATUS, 9, 1)
STATUS_CRYPTO_STATE = Field(Register.STATUS, 10, 4)
STATUS_AXI_ERR = Field(Register.STATUS, 14, 1)
STATUS_DIN_ERR = Field(Register.STATUS, 15, 1)
STATUS_DOUT_ERR = Field(Register.STATUS, 16, 1)
STATUS2_LOCKED = Field(Register.STATUS2, 2, 1)
GOPROC_GO = Field(Register.GOPROC, 0, 1)
GOPROC_CLR_CNTXT = Field(Register.GOPROC, 1, 1)
GOPROC_RESULTS_DUMP = Field(Register.GOPROC, 2, 1)
ENCR_SEG_CFG_ALG = Field(Register.ENCR_SEG_CFG, 0, 3)
ENCR_SEG_CFG_KEY_SIZE = Field(Register.ENCR_SEG_CFG, 3, 3)
ENCR_SEG_CFG_MODE = Field(Register.ENCR_SEG_CFG, 6, 4)
ENCR_SEG_CFG_ENCODE = Field(Register.ENCR_SEG_CFG, 10, 1)
XTS_DU_SIZE_BYTES = Field(Register.XTS_DU_SIZE, 0, 20)
CONFIG_MASK_ERR_INTR = Field(Register.CONFIG, 0, 1)
CONFIG_MASK_OP_DONE_INTR = Field(Register.CONFIG, 1, 1)
CONFIG_MASK_DIN_INTR = Field(Register.CONFIG, 2, 1)
CONFIG_MASK_DOUT_INTR = Field(Register.CONFIG, 3, 1)
SRC_LIST_LENGTH_DESCRIPTORS = Field(Register.SRC_LIST_LENGTH, 0, 7)
SRC_CURRENT_INDEX = Field(Register.SRC_CURRENT, 0, 7)
DST_LIST_LENGTH_DESCRIPTORS = Field(Register.DST_LIST_LENGTH, 0, 7)
DST_CURRENT_INDEX = Field(Register.DST_CURRENT, 0, 7)
SOFT_RESET_RESET = Field(Register.SOFT_RESET, 0, 1)
FAULT_KIND = Field(Register.FAULT, 0, 2)
FAULT_ACCESS = Field(Register.FAULT, 4, 2)

READABLE: frozenset[Register] = frozenset({
    Register.VERSION,
    Register.STATUS,
    Register.STATUS2,
    Register.SEG_SIZE,
    Register.GOPROC,
    Register.ENCR_SEG_CFG,
    Register.ENCR_SEG_SIZE,
    Register.ENCR_SEG_START,
    Register.CNTR0_IV,
    Register.CNTR1_IV,
    Register.CNTR2_IV,
    Register.CNTR3_IV,
    Register.XTS_DU_SIZE,
    Register.CONFIG,
    Register.SRC_LIST_ADDRESS,
    Register.SRC_LIST_LENGTH,
    Register.SRC_CURRENT,
    Register.DST_LIST_ADDRESS,
    Register.DST_LIST_LENGTH,
    Register.DST_CURRENT,
    Register.CYCLES,
    Register.BYTES_DONE,
    Register.FAULT,
    Register.FAULT_ADDRESS,
})
"""Registers of which a read shows something; it is 0 for the others."""

WRITABLE: frozenset[Register] = frozenset({
    Register.STATUS,
    Register.SEG_SIZE,
    Register.GOPROC,
    Register.ENCR_SEG_CFG,
    Register.ENCR_SEG_SIZE,
    Register.ENCR_SEG_START,
    Register.CNTR0_IV,
    Register.CNTR1_IV,
    Register.CNTR2_IV,
    Register.CNTR3_IV,
    Register.XTS_DU_SIZE,
    Register.CONFIG,
    Register.ENCR_KEY0,
    Register.ENCR_KEY1,
    Register.ENCR_KEY2,
    Register.ENCR_KEY3,
    Register.ENCR_KEY4,
    Register.ENCR_KEY5,
    Register.ENCR_KEY6,
    Register.ENCR_KEY7,
    Register.SRC_LIST_ADDRESS,
    Register.SRC_LIST_LENGTH,
    Register.SRC_DOORBELL,
    Register.DST_LIST_ADDRESS,
    Register.DST_LIST_LENGTH,
    Register.DST_DOORBELL,
    Register.SOFT_RESET,
})
"""Registers to which a write is not refused."""

RESET: Mapping[Register, int] = MappingProxyType(
    dict.fromkeys(Register, 0) | {
        Register.VERSION: 0x05010000,
        Register.CONFIG: 0x0000000f,
    })
"""What a read of each register shows after a reset."""
