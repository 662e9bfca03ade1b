"""What is calculated once and kept makes nobody wait who asks another record."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from pricing.caching import arguments, cached, cached_property

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
    """The second is asked while the first is calculated, and the first goes on only once the second is done."""
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


def test_results_are_kept_by_the_very_objects_and_by_equal_values() -> None:
    times: list[str] = []

    @cached(2, same=lambda facts, _: (facts,), equal=lambda _, name: name)
    def lookup(facts: list[int], name: str) -> int:
        times.append(name)
        return len(facts)

    first, second = [1], [1]
    assert lookup(first, "a") == lookup(first, "a") == 1
    assert times == ["a"]
    lookup(second, "a")
    assert times == ["a", "a"]
    lookup(second, "b")  # the oldest of three goes
    lookup(first, "a")
    assert times == ["a", "a", "b", "a"]


def test_what_a_result_is_kept_by_is_not_let_go() -> None:
    """Else another object could stand at its address, and be taken for it."""

    class Facts:
        """Facts."""

    @cached(1, same=arguments)
    def lookup(facts: object) -> int:
        return 0

    there = Facts()
    known = weakref.ref(there)
    lookup(there)
    del there
    assert known() is not None
    lookup.cache_clear()
    assert known() is None
