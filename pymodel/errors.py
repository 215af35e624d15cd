"""The errors a request can end in. A request completes with the right bytes or raises one of these."""

from __future__ import annotations


class EcbenchError(Exception):
    """Base of all. ``consequence`` says what has become of the data, where that is known."""

    consequence: str = ""

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}; {self.consequence}" if self.consequence else message


class InvalidRequest(EcbenchError, ValueError):
    """Refused before any hardware access: nothing was written and the IV is unchanged."""


class AuthenticationFailed(EcbenchError):
    """The tag is not that of the data: nothing was written, and nothing of the plaintext released.

    ``length``, ``aad_length``: bytes of data and of additional authenticated data it should prove.
    """

    def __init__(self, length: int, aad_length: int) -> None:
        self.length = length
        self.aad_length = aad_length
        super().__init__(f"the tag is not that of these {length} bytes and {aad_length} of additional data")
        self.consequence = "the destination is as it was"


class Unsupported(EcbenchError):
    """No engine and no fallback can do it."""


class EngineFault(EcbenchError):
    """The engine reported a fault.

    ``kind``: ``alignment``, ``page``, ``bus``; of the PadLock ``control word``; of the QCE
    ``configuration`` (registers that it does not take), ``register`` (a write refused, or undone by another
    master) and ``status`` (it reports neither an error nor success). ``address``: where.
    ``completed``: bytes of the request whose result is in the destination, counted from its
    start. ``restartable``: whether the request can go on from there once the cause is removed.
    """

    def __init__(self, kind: str, address: int, completed: int, *, access: str = "access",
                 restartable: bool = True) -> None:
        self.kind = kind
        self.access = access
        self.address = address
        self.completed = completed
        self.restartable = restartable
        super().__init__(f"{kind} fault on {access} at {address:#010x} after {completed} bytes")


class EngineHang(EcbenchError):
    """The watchdog ended a request; the engine has been reset.

    ``request``: what was asked. ``state``: registers and engine state by name.
    ``cycles``: how long it waited. ``completed``: bytes known to be done.
    """

    def __init__(self, request: str, state: dict[str, int | str], cycles: int, completed: int = 0) -> None:
        self.request = request
        self.state = dict(state)
        self.cycles = cycles
        self.completed = completed
        shown = ", ".join(f"{name}={value:#x}" if isinstance(value, int) else f"{name}={value}"
                          for name, value in self.state.items())
        super().__init__(f"{request} did not complete in {cycles} cycles ({shown})")


class EngineLost(EngineHang):
    """A hang after which not even a reset was answered.

    The engine may still read and write what the request used, so what is there is not known: not in the
    source either, if the request was in place. Nothing counts as completed of what the engine was given.
    """
