"""A kernel that follows another one's time."""

import pytest

from pymodel.kernel import Kernel


def test_a_kernel_can_follow_the_time_of_another():
    kernel = Kernel()
    seen: list[int] = []

    async def work():
        await kernel.sleep(5)
        seen.append(kernel.now())
        await kernel.sleep(5)
        seen.append(kernel.now())

    kernel.start(work())
    kernel.advance(4)
    assert (seen, kernel.now()) == ([], 4)
    kernel.advance(5)
    assert seen == [5]
    kernel.advance(30)
    assert (seen, kernel.now()) == ([5, 10], 30)
    with pytest.raises(ValueError, match="is over"):
        kernel.advance(29)
