"""Results that all sessions share: calculated once, kept by facts, scenario and day."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Event

import pytest

from planner.scenario.scenario import Scenario
from planner.web.shared import key_of, shared, shared_answer
from pricing import load_catalogue

LONG_S = 60.0


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


def test_what_clients_ask_for_at_once_is_answered_once_and_a_failure_is_tried_again() -> None:
    answers, failing = list[str](), {"b"}

    @shared_answer(8, key=lambda name: name, bytes_of=len, most_bytes=100)
    async def answer(name: str) -> str:
        await asyncio.sleep(0)  # the others ask meanwhile
        answers.append(name)
        if name in failing:
            failing.remove(name)
            raise LookupError
        return f"answer {name}"

    async def ask(names: str) -> list[str | BaseException]:
        return await asyncio.gather(*map(answer, names), return_exceptions=True)

    assert asyncio.run(ask("aaa")) == ["answer a"] * 3
    assert asyncio.run(ask("aa")) == ["answer a"] * 2
    failed, *others = asyncio.run(ask("bbb"))
    assert isinstance(failed, LookupError)
    assert others == ["answer b"] * 2
    assert answers == ["a", "b", "b"]


def test_a_client_that_leaves_takes_no_answer_from_another() -> None:
    go = asyncio.Event()

    @shared_answer(8, key=lambda name: name, bytes_of=len, most_bytes=100)
    async def answer(name: str) -> str:
        await go.wait()
        return name

    async def two(leaver: int) -> str:
        clients = [asyncio.ensure_future(answer(str(leaver))) for _ in range(2)]
        await asyncio.sleep(0)
        clients.pop(leaver).cancel()
        await asyncio.sleep(0)
        go.set()
        return await clients[0]

    assert [asyncio.run(two(leaver)) for leaver in (0, 1)] == ["0", "1"]


def test_answers_are_kept_up_to_so_many_bytes() -> None:
    answers = list[str]()

    @shared_answer(8, key=lambda name: name, bytes_of=len, most_bytes=250)
    async def answer(name: str) -> str:
        answers.append(name)
        return name * 100

    for name in "abacdca":
        asyncio.run(answer(name))  # type: ignore[arg-type]
    assert answers == ["a", "b", "c", "d", "a"]
