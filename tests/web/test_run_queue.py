"""Runs take turns in the order in which they came; what is asked for by one name is made once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Event, Thread

import pytest

from planner.scenario.scenario import Scenario
from planner.web.run_queue import RunQueue
from planner.web.shared import key_of, shared
from pricing import load_catalogue

LONG_S = 30.0


class Run:
    """A run of the script: it says when it has its turn, and keeps it until it is told to end."""

    def __init__(self, queue: RunQueue, log: list[str], name: str) -> None:
        self.queue, self.log, self.name = queue, log, name
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
        with self.queue.turn():
            self.log.append(self.name)
            self.has_turn.set()
            assert self.may_end.wait(LONG_S)


def in_line(queue: RunQueue, number: int) -> None:
    """Wait until so many wait."""
    for _ in range(int(LONG_S / 0.01)):
        if len(queue._waiting) == number:
            return
        Event().wait(0.01)
    raise AssertionError(f"want {number} in line, got {len(queue._waiting)}")


def test_who_came_first_goes_first() -> None:
    queue, log = RunQueue(LONG_S), list[str]()
    first = Run(queue, log, "0").begin()
    assert first.has_turn.wait(LONG_S)
    others = []
    for number in range(1, 6):
        others.append(Run(queue, log, str(number)).begin())
        in_line(queue, number)
    assert log == ["0"]
    for one in (first, *others):
        assert one.has_turn.wait(LONG_S)
        one.end()
    assert log == ["0", "1", "2", "3", "4", "5"]


def test_who_waits_for_something_else_lets_the_next_one_in_and_then_goes_before_those_who_came_later() -> None:
    queue, log = RunQueue(LONG_S), list[str]()
    left, made, back = Event(), Event(), Event()

    def waits() -> None:
        with queue.turn():
            with queue.paused():
                left.set()
                assert made.wait(LONG_S)
            log.append("back")
            back.set()

    thread = Thread(target=waits, daemon=True)
    thread.start()
    assert left.wait(LONG_S)
    second = Run(queue, log, "second").begin()
    assert second.has_turn.wait(LONG_S)
    third = Run(queue, log, "third").begin()
    in_line(queue, 1)
    made.set()
    in_line(queue, 2)
    second.end()
    assert back.wait(LONG_S)
    assert third.has_turn.wait(LONG_S)
    third.end()
    assert log == ["second", "back", "third"]


def test_a_run_that_takes_long_keeps_nobody_out() -> None:
    queue, log = RunQueue(0.05), list[str]()
    endless = Run(queue, log, "endless").begin()
    assert endless.has_turn.wait(LONG_S)
    beside = Run(queue, log, "beside").begin()
    assert beside.has_turn.wait(LONG_S)
    beside.end()
    again = Run(queue, log, "again").begin()
    assert again.has_turn.wait(LONG_S)
    again.end()
    endless.end()
    free = Run(queue, log, "free").begin()
    assert free.has_turn.wait(LONG_S)
    free.end()


def test_a_turn_ends_with_a_run_that_fails() -> None:
    queue = RunQueue(LONG_S)
    with pytest.raises(ZeroDivisionError), queue.turn():
        raise ZeroDivisionError
    with queue.turn():
        assert queue._running == 1


def test_without_a_turn_nothing_is_left() -> None:
    queue = RunQueue(LONG_S)
    with queue.paused():
        assert queue._running == 0
    assert queue._running == 0


def test_what_six_ask_for_at_once_is_made_once() -> None:
    results: list[object] = []
    others_ask = Event()

    @shared(8)
    def calculate(_plan: str) -> object:
        assert others_ask.wait(LONG_S)
        results.append(object())
        return results[-1]

    with ThreadPoolExecutor(6) as people:
        answers = [people.submit(calculate, "a plan") for _ in range(6)]
        others_ask.set()
        ids = {id(answer.result(LONG_S)) for answer in answers}
    assert ids == {id(result) for result in results}
    assert len(results) == 1


def test_a_failure_is_not_kept() -> None:
    failing = [True, True, False]

    @shared(8)
    def calculate(_plan: str) -> int:
        if failing.pop(0):
            raise LookupError
        return 7

    for _ in range(2):
        with pytest.raises(LookupError):
            calculate("a plan")
    assert calculate("a plan") == 7


def test_a_session_that_waited_for_a_failure_tries_it_itself() -> None:
    is_made, is_asked, is_first = Event(), Event(), [True]

    @shared(8)
    def calculate(_plan: str) -> int:
        if not is_first:
            return 7
        is_first.clear()
        is_made.set()
        assert is_asked.wait(LONG_S)
        raise LookupError

    with ThreadPoolExecutor(2) as people:
        first = people.submit(calculate, "a plan")
        assert is_made.wait(LONG_S)
        second = people.submit(calculate, "a plan")
        Event().wait(0.05)  # the second waits by now; where it does not, it finds nothing and calculates it
        is_asked.set()
        with pytest.raises(LookupError):
            first.result(LONG_S)
        assert second.result(LONG_S) == 7


def test_those_of_last_use_are_kept() -> None:
    calculate = shared(2)(lambda _plan: object())
    first, second = calculate("1"), calculate("2")
    assert calculate("1") is first
    calculate("3")
    assert calculate("1") is first
    assert calculate("2") is not second


def test_the_key_tells_scenarios_and_currencies_apart() -> None:
    day, facts = date(2026, 11, 23), load_catalogue()
    plain = Scenario()
    assert key_of(facts) == facts.digest
    assert key_of(plain) == key_of(Scenario())
    assert key_of(plain) != key_of(Scenario(years=2.0))
    assert key_of(day) == day
