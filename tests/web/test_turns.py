"""Runs take turns in the order in which they came; what is asked for by one name is made once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from planner.web.turns import RunQueue, SingleFlightCache

LONG_S = 30.0


class Run:
    """A run of the script: it says when it has its turn, and keeps it until it is told to end."""

    def __init__(self, turns: RunQueue, log: list[str], name: str) -> None:
        self.turns, self.log, self.name = turns, log, name
        self.has_turn, self.may_end = Event(), Event()
        self.thread = Thread(target=self._run, daemon=True)

    def begin(self) -> Run:
        """Come, and wait for the turn."""
        self.thread.start()
        return self

    def end(self) -> None:
        """End the turn."""
        self.may_end.set()
        self.thread.join(LONG_S)
        assert not self.thread.is_alive()

    def _run(self) -> None:
        with self.turns.taken():
            self.log.append(self.name)
            self.has_turn.set()
            assert self.may_end.wait(LONG_S)


def in_line(turns: RunQueue, number: int) -> None:
    """Wait until so many wait."""
    for _ in range(int(LONG_S / 0.01)):
        if len(turns._waiting) == number:
            return
        Event().wait(0.01)
    raise AssertionError(f"want {number} in line, got {len(turns._waiting)}")


def test_who_came_first_goes_first() -> None:
    turns, log = RunQueue(LONG_S), list[str]()
    first = Run(turns, log, "0").begin()
    assert first.has_turn.wait(LONG_S)
    others = []
    for number in range(1, 6):
        others.append(Run(turns, log, str(number)).begin())
        in_line(turns, number)
    assert log == ["0"]
    for one in (first, *others):
        assert one.has_turn.wait(LONG_S)
        one.end()
    assert log == ["0", "1", "2", "3", "4", "5"]


def test_who_waits_for_something_else_lets_the_next_one_in_and_then_goes_before_those_who_came_later() -> None:
    turns, log = RunQueue(LONG_S), list[str]()
    left, made, back = Event(), Event(), Event()

    def waits() -> None:
        with turns.taken():
            with turns.left():
                left.set()
                assert made.wait(LONG_S)
            log.append("back")
            back.set()

    thread = Thread(target=waits, daemon=True)
    thread.start()
    assert left.wait(LONG_S)
    second = Run(turns, log, "second").begin()
    assert second.has_turn.wait(LONG_S)
    third = Run(turns, log, "third").begin()
    in_line(turns, 1)
    made.set()
    in_line(turns, 2)
    second.end()
    assert back.wait(LONG_S)
    assert third.has_turn.wait(LONG_S)
    third.end()
    assert log == ["second", "back", "third"]


def test_a_run_that_takes_long_keeps_nobody_out() -> None:
    turns, log = RunQueue(0.05), list[str]()
    endless = Run(turns, log, "endless").begin()
    assert endless.has_turn.wait(LONG_S)
    beside = Run(turns, log, "beside").begin()
    assert beside.has_turn.wait(LONG_S)
    beside.end()
    again = Run(turns, log, "again").begin()
    assert again.has_turn.wait(LONG_S)
    again.end()
    endless.end()
    free = Run(turns, log, "free").begin()
    assert free.has_turn.wait(LONG_S)
    free.end()


def test_a_turn_ends_with_a_run_that_fails() -> None:
    turns = RunQueue(LONG_S)
    with pytest.raises(ZeroDivisionError), turns.taken():
        raise ZeroDivisionError
    with turns.taken():
        assert turns._running == 1


def test_without_a_turn_nothing_is_left() -> None:
    turns = RunQueue(LONG_S)
    with turns.left():
        assert turns._running == 0
    assert turns._running == 0


def test_what_six_ask_for_at_once_is_made_once() -> None:
    once: SingleFlightCache[object] = SingleFlightCache(8)
    made: list[object] = []
    others_ask = Event()

    def make() -> object:
        assert others_ask.wait(LONG_S)
        made.append(object())
        return made[-1]

    with ThreadPoolExecutor(6) as people:
        asked = [people.submit(once.of, "a plan", make) for _ in range(6)]
        others_ask.set()
        found = {id(one.result(LONG_S)) for one in asked}
    assert len(made) == 1
    assert found == {id(made[0])}


def test_what_could_not_be_made_is_tried_again() -> None:
    once: SingleFlightCache[int] = SingleFlightCache(8)

    def refuse() -> int:
        raise LookupError

    for _ in range(2):
        with pytest.raises(LookupError):
            once.of("a plan", refuse)
    assert once.of("a plan", lambda: 7) == 7


def test_who_waited_for_what_could_not_be_made_tries_it_himself() -> None:
    once: SingleFlightCache[int] = SingleFlightCache(8)
    is_made, is_asked = Event(), Event()

    def fail() -> int:
        is_made.set()
        assert is_asked.wait(LONG_S)
        raise LookupError

    with ThreadPoolExecutor(2) as people:
        first = people.submit(once.of, "a plan", fail)
        assert is_made.wait(LONG_S)
        second = people.submit(once.of, "a plan", lambda: 7)
        Event().wait(0.05)  # the second waits by now; where it does not, it finds nothing and makes it
        is_asked.set()
        with pytest.raises(LookupError):
            first.result(LONG_S)
        assert second.result(LONG_S) == 7


def test_those_of_last_use_are_kept() -> None:
    once: SingleFlightCache[object] = SingleFlightCache(2)
    first, second = once.of("1", object), once.of("2", object)
    assert once.of("1", object) is first
    once.of("3", object)
    assert once.of("1", object) is first
    assert once.of("2", object) is not second
