"""What is reckoned once and kept makes nobody wait who asks another record."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from planner.scenario.memo import cached_property

SLOW = 10.0


class Reckoning:
    """Something slow: it is done when it may be."""

    def __init__(self, may: Event) -> None:
        self.begun, self.may, self.times = Event(), may, 0

    @cached_property
    def found(self) -> bool:
        """Whether it was done in time."""
        self.times += 1
        self.begun.set()
        return self.may.wait(SLOW)


def test_nobody_waits_for_the_reckoning_of_another() -> None:
    """The second is asked while the first is reckoned, and the first goes on only once the second is done."""
    second_done, at_once = Event(), Event()
    at_once.set()
    first, second = Reckoning(second_done), Reckoning(at_once)
    with ThreadPoolExecutor(2) as people:
        waits = people.submit(lambda: first.found)
        assert first.begun.wait(SLOW)
        assert people.submit(lambda: second.found).result(SLOW / 2)
        second_done.set()
        assert waits.result(SLOW)


def test_it_is_reckoned_once() -> None:
    may = Event()
    may.set()
    one = Reckoning(may)
    assert one.found
    assert one.found
    assert one.times == 1
    assert isinstance(Reckoning.__dict__["found"], cached_property)
