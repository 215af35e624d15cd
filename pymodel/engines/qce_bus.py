"""How accesses come one after the other on the QCE's register bus: the adapter of hdl/sim/qce_top.v.

There are two places to post at: for a script, and for a single access of somebody else, which goes before
what is left of the script. Posted at kernel time T, an access is loaded at edge T, made at edge T + 1 and
answered at T + 2 or later; at the edge of the answer the next one is loaded. What is answered at an edge
is seen at the time after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pymodel.engines.qce_access import Access
from pymodel.errors import EngineFault
from pymodel.kernel import HARDWARE, Event, Kernel, Lock

SCRIPT_ACCESSES = 32
"""Of one script; a longer one is posted in parts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``edge``: at which it is given. ``value``: of a read. ``seen``: to be called when software sees it."""

    edge: int
    refused: bool = False
    value: int = 0
    seen: Callable[[], None] | None = None


@dataclass(slots=True, eq=False)
class _Post:
    accesses: Sequence[Access]
    at: int
    ended: Event
    values: list[int] = field(default_factory=list)
    refused: Access | None = None
    made: int = 0

    def over(self) -> bool:
        return self.refused is not None or self.made == len(self.accesses)


class RegisterBus:
    """``make``: carries an access out at an edge, which is now. ``seen``: called when a post has ended."""

    def __init__(self, kernel: Kernel, make: Callable[[Access, int], Answer],
                 seen: Callable[[], None]) -> None:
        self._kernel = kernel
        self._make = make
        self._seen = seen
        self._locks = {place: Lock(kernel, f"register {place}") for place in ("single", "script")}
        self._posts: dict[str, _Post] = {}
        self._serving = False

    async def script(self, accesses: Sequence[Access]) -> list[int]:
        """The values of the reads. Raises EngineFault for the first access that is refused."""
        values: list[int] = []
        async with self._locks["script"]:
            for start in range(0, len(accesses), SCRIPT_ACCESSES):
                values += await self._post("script", accesses[start:start + SCRIPT_ACCESSES])
        return values

    async def single(self, access: Access) -> list[int]:
        """As ``script`` of one access, but before what is left of a script."""
        async with self._locks["single"]:
            return await self._post("single", [access])

    async def _post(self, place: str, accesses: Sequence[Access]) -> list[int]:
        post = _Post(accesses, self._kernel.now(), self._kernel.event(f"end of a register {place}"))
        self._posts[place] = post
        if not self._serving:
            self._serving = True
            self._kernel.start(self._serve(), "qce register bus")
        await post.ended.wait()
        if post.refused is not None:
            raise EngineFault("register", post.refused.address, 0, restartable=False,
                              access="read" if post.refused.value is None else "write")
        return post.values

    async def _serve(self) -> None:
        """``loads``: the edge at which the next access is loaded, one before it is made."""
        loads = self._kernel.now()
        while self._posts:
            loads = max(loads, min(post.at for post in self._posts.values()))
            await self._kernel.sleep(loads + 1 - self._kernel.now(), HARDWARE)
            place = "single" if self._due("single", loads) else "script"
            post = self._posts[place]
            access = post.accesses[post.made]
            answer = self._make(access, loads + 1)
            loads = answer.edge
            await self._kernel.sleep(loads + 1 - self._kernel.now(), HARDWARE)
            post.made += 1
            self._take(post, access, answer)
            if post.over():
                del self._posts[place]
                self._seen()
                post.ended.set()
        self._serving = False

    def _due(self, place: str, loads: int) -> bool:
        return place in self._posts and self._posts[place].at <= loads

    def _take(self, post: _Post, access: Access, answer: Answer) -> None:
        if answer.refused:
            post.refused = access
        elif access.value is None:
            post.values.append(answer.value)
        if answer.seen is not None:
            answer.seen()
