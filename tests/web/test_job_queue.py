"""The line for a process: one place for each person, in the order of arrival; who leaves keeps nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as some

from planner.web import messages, workers
from planner.web.run_queue import RUNS, AnonymousVisitor, RunQueue
from planner.web.workers import JobQueue, WorkerJob

PATIENCE_S = 60


def job(person: str, name: str = "") -> WorkerJob:
    return WorkerJob(person, name, name.encode(), Future())


def order(line: JobQueue) -> list[str]:
    """The names of what waits, made one after the other."""
    found = []
    while there := line.next():
        found.append(there.name)
        line.end(there)
    return found


def test_a_person_with_many_plans_costs_another_one() -> None:
    line = JobQueue()
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        line.join(job(name[0], name))
    assert order(line) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_while_a_plan_is_made_goes_before_that_persons_next() -> None:
    line = JobQueue()
    for name in ("a1", "a2"):
        line.join(job("a", name))
    first = line.next()
    assert first is not None
    line.join(job("b", "b1"))
    line.end(first)
    assert order(line) == ["b1", "a2"]


def test_a_person_has_one_process_while_others_wait_and_all_when_nobody_does() -> None:
    line = JobQueue()
    for name in ("a1", "a2", "a3", "b1"):
        line.join(job(name[0], name))
    assert [one.name for one in (line.next(), line.next(), line.next(), line.next()) if one] == [
        "a1", "b1", "a2", "a3",
    ]  # fmt: skip


def test_what_was_cancelled_or_made_for_somebody_else_is_passed_over() -> None:
    line, shared, gone = JobQueue(), job("a", "shared"), job("a", "gone")
    line.join(gone)
    line.join(shared)
    line.join(WorkerJob("b", "shared", b"", shared.result))
    gone.result.cancel()
    assert order(line) == ["shared"]


STEPS = some.lists(some.tuples(some.sampled_from("abc"), some.sampled_from(["join", "next", "end", "cancel"])))


class Crowd:
    """People who come, leave and are served at random, and what the line owes them."""

    def __init__(self) -> None:
        self.line = JobQueue()
        self.waiting, self.at_work = list[WorkerJob](), list[WorkerJob]()

    def join(self, person: str) -> None:
        self.waiting.append(job(person))
        self.line.join(self.waiting[-1])

    def cancel(self, person: str) -> None:
        for one in [one for one in self.waiting if one.person == person][-1:]:
            assert one.result.cancel()
            self.waiting.remove(one)

    def next(self, _: str = "") -> None:
        there = self.line.next()
        assert (there is None) is (not self.waiting)
        if there is not None:
            busy = {one.person for one in self.at_work}
            assert there.person not in busy or busy >= {one.person for one in self.waiting}
            assert there is next(one for one in self.waiting if one.person == there.person)
            self.waiting.remove(there)
            self.at_work.append(there)

    def end(self, _: str = "") -> None:
        if self.at_work:
            self.line.end(self.at_work.pop(0))


@given(STEPS)
def test_each_plan_that_is_still_wanted_is_made_once_in_its_persons_order(steps: list[tuple[str, str]]) -> None:
    crowd = Crowd()
    for person, step in steps:
        getattr(crowd, step)(person)
    while crowd.waiting or crowd.at_work:
        crowd.end()
        crowd.next()
    assert crowd.line.next() is None
    assert not crowd.line._running


# With processes


class Visitors(AnonymousVisitor):
    """A visitor for each thread: the first part of its name is the person; it leaves when the test says so."""

    def __init__(self) -> None:
        self.gone: set[str] = set()

    def name(self) -> str:
        return threading.current_thread().name.split()[0]

    def check(self) -> None:
        if threading.current_thread().name in self.gone:
            raise Left


class Left(BaseException):
    """The run of somebody who has left."""


@pytest.fixture
def visitors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitors]:
    """Visitors of a server with one process."""
    found = Visitors()
    monkeypatch.setattr(RUNS, "visitor", found)
    workers.branch()
    with workers.used(workers.WorkerPool(1)):
        yield found


def make(name: str, folder: Path) -> None:
    """Notes that it has begun, and waits while a file called hold exists."""
    with (folder / "made").open("a") as file:
        file.write(f"{name}\n")
    while (folder / "hold").exists():
        time.sleep(0.01)


@pytest.mark.slow
def test_the_processes_keep_to_the_line_and_what_was_left_is_never_made(visitors: Visitors, tmp_path: Path) -> None:
    (tmp_path / "hold").touch()
    made = tmp_path / "made"
    made.touch()
    (pool,) = workers._pool

    def ask(name: str) -> threading.Thread:
        def run() -> None:
            with suppress(Left):
                workers.run_in_worker(make, name, tmp_path)

        before = len(pool._waiters)
        thread = threading.Thread(target=run, name=name)
        thread.start()
        until(lambda: len(pool._waiters) == before + 1)
        return thread

    heavy = [ask(f"one {number}") for number in range(20)]
    until(lambda: made.read_text() == "one 0\n")
    other = ask("other 0")
    visitors.gone |= {f"one {number}" for number in range(3, 20)}
    for thread in heavy[3:]:
        thread.join(PATIENCE_S)
    (tmp_path / "hold").unlink()
    for thread in (*heavy, other):
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert made.read_text().splitlines() == ["one 0", "other 0", "one 1", "one 2"]


@pytest.mark.slow
def test_what_has_begun_is_there_for_who_comes_back(visitors: Visitors, tmp_path: Path) -> None:
    """A page loaded anew asks the same as the session that has just left."""
    (tmp_path / "hold").touch()
    (pool,) = workers._pool
    asked = messages.dumps((make, ("plan", tmp_path), {}))
    job = pool.begin(asked, "plan", "one")
    until((tmp_path / "made").exists)
    pool.leave(job)
    again = pool.begin(asked, "plan", "one")
    (tmp_path / "hold").unlink()
    again.result.result(PATIENCE_S)
    pool.leave(again)
    assert (tmp_path / "made").read_text() == "plan\n"
    assert not pool._pending
    assert not pool._waiters


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


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
