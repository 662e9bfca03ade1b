"""The dispatcher: what one server had made is there for the others, and nobody is left without an answer."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from planner.web import workers
from planner.web.serving.dispatcher import Dispatcher, DispatcherAddress, DispatcherClient

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dispatcher() -> Iterator[Dispatcher]:
    """A dispatcher with a process of its own behind it."""
    pools = workers.start()
    made = Dispatcher()
    made.open(pools)
    yield made
    made.close()
    workers.stop(pools)


@pytest.fixture(autouse=True)
def _server(dispatcher: Dispatcher) -> Iterator[None]:
    be_a_server(dispatcher.address)
    yield
    workers.use_runners({})


def be_a_server(address: DispatcherAddress) -> None:
    workers.use_runners({slow: DispatcherClient(address, is_slow=slow) for slow in (False, True)})


def something_new() -> tuple[int, bytes]:
    """Where it was made, and what nothing else makes again."""
    return os.getpid(), os.urandom(16)


def refuse() -> None:
    raise ValueError("want a number")


def die(here: int) -> int:
    if os.getpid() != here:
        os._exit(1)
    return 7


def slow_and_new() -> bytes:
    time.sleep(0.3)
    return os.urandom(16)


def test_what_a_name_stands_for_is_made_once_for_all_servers(dispatcher: Dispatcher) -> None:
    where, first = workers.run_once("a plan", something_new, is_slow=False)()
    be_a_server(dispatcher.address)  # another one
    assert workers.run_once("a plan", something_new, is_slow=False)() == (where, first)
    assert workers.run_once("another plan", something_new, is_slow=False)()[1] != first
    assert where != os.getpid()


def test_what_is_just_being_made_is_waited_for() -> None:
    with ThreadPoolExecutor(6) as people:
        asked = [people.submit(workers.run_once("asked by six", slow_and_new, is_slow=False)) for _ in range(6)]
        assert len({one.result() for one in asked}) == 1


def test_what_has_no_name_is_made_each_time() -> None:
    assert workers.run_in_worker(something_new) != workers.run_in_worker(something_new)
    assert workers.run_in_slow_worker(something_new) != workers.run_in_slow_worker(something_new)


def test_what_is_refused_there_is_refused_here_and_not_kept() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="want a number"):
            workers.run_once("refused", refuse, is_slow=False)()
    assert workers.run_once("refused", something_new, is_slow=False)()[0] != os.getpid()


def test_a_lost_process_costs_nobody_the_answer() -> None:
    assert workers.run_once("lost", die, is_slow=False)(os.getpid()) == 7
    assert workers.run_in_worker(something_new)[0] != os.getpid()


def test_only_so_many_are_kept(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.web.serving.dispatcher._MOST_RESULTS", 2)
    first = workers.run_once("1", something_new, is_slow=False)()
    for name in ("2", "3"):
        workers.run_once(name, something_new, is_slow=False)()
    assert len(dispatcher._results) == 2
    assert workers.run_once("1", something_new, is_slow=False)() != first


def test_a_stranger_is_not_let_in_and_gets_his_answer_from_himself(dispatcher: Dispatcher) -> None:
    be_a_server(DispatcherAddress(dispatcher.address.path, b"not the word"))
    assert workers.run_in_worker(something_new)[0] == os.getpid()


def test_without_a_desk_a_server_makes_it_itself(dispatcher: Dispatcher) -> None:
    be_a_server(DispatcherAddress(dispatcher.address.path + "-gone", dispatcher.address.auth_key))
    assert workers.run_in_worker(something_new)[0] == os.getpid()
