"""The scheduler: order within a cycle, timeouts, locks, queues, errors, deadlock."""

from __future__ import annotations

import pytest

from pymodel.kernel import HARDWARE, SOFTWARE, Cpu, Deadlock, Kernel, Lock, Queue, gather


@pytest.fixture
def kernel():
    return Kernel()


def test_run_returns_the_result_and_time_is_the_sum_of_the_sleeps(kernel):
    async def main():
        await kernel.sleep(3)
        await kernel.sleep(0)
        await kernel.sleep(4)
        return "done"

    assert kernel.run(main()) == "done"
    assert kernel.now() == 7


def test_hardware_acts_before_software_in_one_cycle_whatever_the_order_of_sleeping(kernel):
    order = []

    async def act(name, rank, before):
        await kernel.sleep(before)
        await kernel.sleep(10 - before, rank)
        order.append(name)

    async def main():
        await gather(kernel, act("software, early", SOFTWARE, 0), act("hardware, late", HARDWARE, 5),
                     act("software, late", SOFTWARE, 6), act("hardware, early", HARDWARE, 1))

    kernel.run(main())
    assert order == ["hardware, early", "hardware, late", "software, early", "software, late"]


def test_tasks_started_in_one_cycle_run_first_in_first_out(kernel):
    order = []

    async def act(number):
        order.append(number)

    async def main():
        await gather(kernel, *(act(number) for number in range(5)))

    kernel.run(main())
    assert order == [0, 1, 2, 3, 4]


def test_waiting_for_an_event_that_is_set_takes_no_time(kernel):
    event = kernel.event()
    event.set()

    async def main():
        return await event.wait(5)

    assert kernel.run(main()) is True
    assert kernel.now() == 0


def test_a_timeout_returns_the_level_false_at_its_cycle(kernel):
    async def main():
        return await kernel.event("never").wait(12)

    assert kernel.run(main()) is False
    assert kernel.now() == 12


def test_a_timeout_of_0_only_looks(kernel):
    async def main():
        return await kernel.event("never").wait(0)

    assert kernel.run(main()) is False
    assert kernel.now() == 0


def test_an_event_before_the_timeout_wakes_at_its_own_cycle_and_the_timeout_is_forgotten(kernel):
    event = kernel.event()

    async def ring():
        await kernel.sleep(4, HARDWARE)
        event.set()

    async def main():
        task = kernel.start(ring())
        level = await event.wait(100)
        at = kernel.now()
        await task.join()
        await kernel.sleep(1)
        return level, at

    assert kernel.run(main()) == (True, 4)
    assert kernel.now() == 5


def test_a_completion_in_the_cycle_of_the_timeout_is_not_a_timeout(kernel):
    event = kernel.event()

    async def complete():
        await kernel.sleep(10, HARDWARE)
        event.set()

    async def main():
        kernel.start(complete())
        return await event.wait(10)

    assert kernel.run(main()) is True
    assert kernel.now() == 10


def test_setting_an_event_wakes_all_who_wait_in_their_order(kernel):
    event, order = kernel.event(), []

    async def wait(number):
        await event.wait()
        order.append((number, kernel.now()))

    async def main():
        tasks = [kernel.start(wait(number)) for number in range(3)]
        await kernel.sleep(2)
        event.set()
        for task in tasks:
            await task.join()

    kernel.run(main())
    assert order == [(0, 2), (1, 2), (2, 2)]


def test_a_cleared_event_must_be_waited_for_again(kernel):
    event = kernel.event()

    async def main():
        event.set()
        event.clear()
        return await event.wait(1)

    assert kernel.run(main()) is False


def test_a_lock_is_passed_on_in_the_order_of_asking(kernel):
    lock, log = Lock(kernel), []

    async def hold(name, at, cycles):
        await kernel.sleep(at)
        async with lock:
            log.append((name, kernel.now()))
            await kernel.sleep(cycles)

    async def main():
        await gather(kernel, hold("a", 0, 5), hold("b", 1, 5), hold("c", 2, 5))

    kernel.run(main())
    assert log == [("a", 0), ("b", 5), ("c", 10)]


def test_a_lock_is_free_again_after_an_error_inside(kernel):
    lock = Lock(kernel)

    async def fail():
        async with lock:
            raise KeyError("inside")

    async def main():
        with pytest.raises(KeyError):
            await fail()
        async with lock:
            return kernel.now()

    assert kernel.run(main()) == 0


def test_a_late_comer_does_not_overtake_the_one_to_whom_the_lock_was_passed(kernel):
    lock, log = Lock(kernel), []

    async def waiter():
        async with lock:
            log.append("waiter")

    async def main():
        async with lock:
            task = kernel.start(waiter())
            await kernel.sleep(1)
        async with lock:
            log.append("late")
        await task.join()

    kernel.run(main())
    assert log == ["waiter", "late"]


def test_a_queue_gives_items_in_order_and_waits_when_empty(kernel):
    queue: Queue[int] = Queue(kernel)

    async def fill():
        queue.put(1)
        queue.put(2)
        await kernel.sleep(5)
        queue.put(3)

    async def main():
        task = kernel.start(fill())
        items = [(await queue.get(), kernel.now()) for _ in range(3)]
        await task.join()
        return items

    assert kernel.run(main()) == [(1, 0), (2, 0), (3, 5)]
    assert len(queue) == 0


def test_work_on_one_cpu_is_done_one_piece_after_another_and_on_two_at_once(kernel):
    one, other = Cpu(kernel, "cpu0"), Cpu(kernel, "cpu1")
    ends = {}

    async def work(name, cpu):
        await cpu.spend(10)
        ends[name] = kernel.now()

    async def main():
        await gather(kernel, work("first", one), work("second", one), work("elsewhere", other))

    kernel.run(main())
    assert ends == {"first": 10, "second": 20, "elsewhere": 10}


def test_spending_nothing_does_not_wait_for_a_busy_cpu(kernel):
    cpu = Cpu(kernel)

    async def main():
        async with cpu.lock:
            await cpu.spend(0)
            return kernel.now()

    assert kernel.run(main()) == 0


def test_gather_lets_all_end_before_it_raises_the_first_error_in_order(kernel):
    ended = []

    async def fail(cycles, error):
        await kernel.sleep(cycles)
        ended.append(cycles)
        raise error

    async def main():
        with pytest.raises(KeyError):
            await gather(kernel, fail(9, KeyError("first in order")), fail(1, ValueError("first in time")))
        return kernel.now()

    assert kernel.run(main()) == 9
    assert ended == [1, 9]


def test_join_raises_the_error_of_the_task(kernel):
    async def fail():
        raise ZeroDivisionError

    async def main():
        with pytest.raises(ZeroDivisionError):
            await kernel.start(fail()).join()

    kernel.run(main())


def test_an_error_that_nobody_joined_ends_the_run(kernel):
    async def fail():
        raise ZeroDivisionError

    async def main():
        kernel.start(fail())
        await kernel.sleep(5)

    with pytest.raises(ZeroDivisionError):
        kernel.run(main())


def test_a_deadlock_names_each_task_and_what_it_waits_for(kernel):
    async def stuck():
        await kernel.event("the interrupt").wait()

    async def main():
        await kernel.start(stuck(), "driver").join()

    with pytest.raises(Deadlock) as caught:
        kernel.run(main())
    assert "driver waits for 'the interrupt'" in str(caught.value)
    assert "main waits for 'end of driver'" in str(caught.value)


def test_awaiting_something_that_is_no_kernel_object_is_refused(kernel):
    class Foreign:
        def __await__(self):
            yield "a foreign trigger"

    async def main():
        await Foreign()

    with pytest.raises(TypeError, match="main awaited 'a foreign trigger'"):
        kernel.run(main())
