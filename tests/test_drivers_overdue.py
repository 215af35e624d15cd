"""A limit on what cannot be cancelled."""

from __future__ import annotations

import pytest

from pymodel.drivers.overdue import Overdue, within
from pymodel.errors import EngineFault
from pymodel.kernel import Kernel, Lock, gather


def test_what_ends_in_time_happens_in_the_order_it_would_without_a_limit():
    def course(limited):
        kernel, log = Kernel(), []
        lock = Lock(kernel)

        async def access(number):
            async with lock:
                log.append(("begins", number, kernel.now()))
                await kernel.sleep(3)
            await kernel.sleep(number)
            log.append(("ends", number, kernel.now()))
            return number

        async def caller(number):
            plain = access(number)
            got = await (within(kernel, 1000, plain, "access") if limited(number) else plain)
            log.append(("went on", got, kernel.now()))

        kernel.run(gather(kernel, *map(caller, range(6))))
        return log

    plain = course(lambda number: False)
    assert len(plain) == 18
    assert course(lambda number: True) == course(lambda number: number % 2) == plain


@pytest.mark.parametrize(("takes", "ends"), [(9, True), (10, True), (11, False)])
def test_the_last_cycle_of_the_limit_is_in_time(takes, ends):
    kernel = Kernel()

    async def slept():
        await kernel.sleep(takes)
        return "done"

    async def signalled():
        event = kernel.event()

        async def later():
            await kernel.sleep(takes, 0)
            event.set()

        kernel.start(later())
        await event.wait()
        return "done"

    for access in (slept, signalled):
        if ends:
            assert kernel.run(within(kernel, 10, access(), "access")) == "done"
        else:
            began = kernel.now()
            with pytest.raises(Overdue):
                kernel.run(within(kernel, 10, access(), "access"))
            assert kernel.now() - began == 10


def test_an_error_in_time_is_the_callers_and_a_later_one_nobodys():
    kernel = Kernel()

    async def fails(after, error):
        await kernel.sleep(after)
        raise error

    with pytest.raises(EngineFault):
        kernel.run(within(kernel, 10, fails(5, EngineFault("register", 0, 0)), "access"))

    async def main(error):
        with pytest.raises(Overdue) as caught:
            await within(kernel, 10, fails(50, error), "access")
        assert await caught.value.task.done.wait(100)

    kernel.run(main(EngineFault("register", 0, 0)))
    with pytest.raises(ZeroDivisionError):  # but a mistake of ours is everybody's
        kernel.run(main(ZeroDivisionError()))


def test_what_is_overdue_goes_on_to_its_end_through_every_wait():
    kernel, log = Kernel(), []
    event = kernel.event()

    async def access():
        for cycles in (5, 20, 7):
            await kernel.sleep(cycles)
            log.append(kernel.now())
        await event.wait()
        log.append(kernel.now())

    async def main():
        with pytest.raises(Overdue) as caught:
            await within(kernel, 10, access(), "access to it")
        assert (kernel.now(), caught.value.task.name) == (10, "access to it")
        await kernel.sleep(90)
        event.set()
        await caught.value.task.join()

    kernel.run(main())
    assert log == [5, 25, 32, 100]


def test_what_comes_in_the_very_cycle_after_the_limit_is_not_missed():
    kernel = Kernel()
    event = kernel.event()

    async def main():
        with pytest.raises(Overdue) as caught:
            await within(kernel, 10, event.wait(), "access")
        event.set()
        assert await caught.value.task.done.wait(0)

    kernel.run(main())
