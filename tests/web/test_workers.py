"""Processes beside the server: they say what would be said here, nobody waits for them, none outlives the server."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from planner.report.answer.plan_report import PlanResult, evaluate
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.web import messages, workers
from pricing import Catalogue, load_catalogue
from pricing.feeds.live import current
from pricing.feeds.refresh import Ways, refresh
from pricing.quotes import TEMPLATE_CSV, parse_quotes, with_quotes
from pricing.stale import as_of
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.server import Answer, serving

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60


@pytest.fixture(scope="module")
def _started() -> Iterator[None]:
    with workers.running():
        yield


def asked(accelerators: int) -> Scenario:
    return Scenario(work=(Work(accelerators=accelerators, busy_share=0.47),))


def digest() -> str:
    return load_catalogue().digest


def process() -> int:
    return os.getpid()


def made(facts: Catalogue, asked: Scenario, day: date) -> tuple[int, PlanResult]:
    """Where it was made, and what."""
    return os.getpid(), evaluate(facts, asked, day, with_details=True)


def refuse() -> None:
    raise ValueError("want a number")


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def die(here: int) -> int:
    """Ends the process that it runs in, unless that is the one of the tests."""
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def spelled(found: PlanResult) -> tuple[object, ...]:
    """All that a page says of a plan, and what the files hold."""
    totals = [way.option.ledger.total_usd.tolist() for way in found.answer.ranked]
    return found.summary, found.hints, found.advice, found.old_figures, totals


def test_without_processes_it_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_pool", [])
    assert workers.run_in_worker(process) == os.getpid()


@pytest.mark.usefixtures("_started")
def test_another_process_says_what_would_be_said_here() -> None:
    facts = load_catalogue()
    assert workers.run_in_worker(process) != os.getpid()
    for many in (3, 8, 24):
        at, there = workers.run_in_worker(made, facts, asked(many), DAY)
        assert at != os.getpid()
        assert spelled(there) == spelled(evaluate(facts, asked(many), DAY, with_details=True))


@pytest.mark.usefixtures("_started")
def test_facts_are_not_sent_but_found_again() -> None:
    facts = load_catalogue()
    assert workers.run_in_worker(digest) == facts.digest
    at, there = workers.run_in_worker(made, facts, asked(16), DAY)
    assert at != os.getpid()
    assert there.plan.setting.catalogue is facts
    offer = next(iter(facts.offers.values()))
    back = messages.loads(messages.dumps((offer, offer.usd_per_accelerator_hour)))
    assert back[0] is offer
    assert back[1] is offer.usd_per_accelerator_hour
    assert len(messages.dumps(facts)) < 200


@pytest.mark.usefixtures("_started")
@pytest.mark.parametrize("quoted", [False, True])
def test_facts_of_an_earlier_day_and_with_quotes_travel_too(quoted: bool) -> None:
    day = None if quoted else date(2026, 9, 1)
    facts: Catalogue = load_catalogue() if day is None else as_of(load_catalogue(), day)
    quotes = parse_quotes(TEMPLATE_CSV.encode(), name="ours.csv", catalogue=facts, day=DAY) if quoted else None
    facts = facts if quotes is None else with_quotes(facts, quotes)
    messages.register_catalogue(facts, messages.CatalogSpec(day, (quotes,) if quotes else ()))
    at, there = workers.run_in_worker(made, facts, asked(8), day or DAY)
    assert at != os.getpid()
    assert there.plan.setting.catalogue is facts
    assert spelled(there) == spelled(evaluate(facts, asked(8), day or DAY, with_details=True))


@pytest.mark.usefixtures("_started")
def test_who_has_other_facts_is_sent_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = load_catalogue()
    changed = facts.model_copy(update={"digest": "f" * 64})
    messages.register_catalogue(changed, messages.CatalogSpec(date(2030, 1, 1)))
    try:
        at, there = workers.run_in_slow_worker(made, changed, asked(5), DAY)
    finally:
        monkeypatch.delitem(messages._REGISTERED, changed.digest)
    assert at != os.getpid()
    assert there.plan.setting.catalogue is changed
    assert spelled(there) == spelled(evaluate(changed, asked(5), DAY, with_details=True))


def look_in(folder: str) -> int:
    """From now on the process finds live prices there."""
    os.environ["RENT_OR_BUY_DATA"] = folder
    return os.getpid()


@pytest.mark.usefixtures("_started")
def test_live_prices_travel_too_and_a_process_looks_again_when_there_are_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere = os.environ["RENT_OR_BUY_DATA"]
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path))
    process_of_long = workers.run_in_slow_worker(look_in, str(tmp_path))
    try:
        for price in (2.99, 2.89):
            brought(price)
            facts = current()
            assert facts.digest != load_catalogue().digest
            messages.register_catalogue(facts, messages.CatalogSpec())
            at, there = workers.run_in_slow_worker(made, facts, asked(7), DAY)
            assert at == process_of_long
            assert there.plan.setting.catalogue is facts
    finally:
        workers.run_in_slow_worker(look_in, nowhere)
    brought(2.83)
    facts = current()
    messages.register_catalogue(facts, messages.CatalogSpec())
    at, there = workers.run_in_slow_worker(made, facts, asked(9), DAY)  # the process cannot see them: they are sent
    assert at != os.getpid()
    assert there.plan.setting.catalogue is facts


def brought(price: float) -> None:
    """A refresh from a server of the test that names one price."""
    with serving() as server:
        server.says("/example", Answer(json={"rows": [row(price)]}))
        refresh((source(),), ways=Ways(limits=BRISK, at=server.at(HOST), day=DAY))


@pytest.mark.usefixtures("_started")
def test_what_is_refused_there_is_refused_here() -> None:
    with pytest.raises(ValueError, match="want a number"):
        workers.run_in_worker(refuse)


def die_once(mark: Path) -> int:
    """Ends its process the first time."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


@pytest.mark.usefixtures("_started")
def test_a_job_whose_process_was_lost_is_tried_once_more_in_a_new_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as people:
        results = list(people.map(lambda number: workers.run_in_worker(die_once, tmp_path / str(number)), range(4)))
    assert os.getpid() not in results
    assert all(is_alive(pid) for pid in results[-1:])


@pytest.mark.usefixtures("_started")
@pytest.mark.parametrize("run", [workers.run_in_worker, workers.run_in_slow_worker])
def test_a_job_whose_process_is_lost_twice_has_no_result_and_the_server_does_not_make_it(
    run: Callable[..., int],
) -> None:
    with pytest.raises(workers.NoResultError, match="ended twice"):
        run(die, os.getpid())
    assert run(process) != os.getpid()


@pytest.mark.usefixtures("_started")
def test_a_process_that_was_lost_while_it_was_idle_costs_nobody_anything() -> None:
    lost = workers.run_in_slow_worker(process)
    os.kill(lost, signal.SIGKILL)
    assert workers.run_in_slow_worker(process) not in (lost, os.getpid())


def take(megabytes: int) -> int:
    """Takes so much memory for a moment."""
    assert bytearray(megabytes * 1_000_000)
    return os.getpid()


@pytest.mark.usefixtures("_started")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps such a limit")
def test_a_job_that_needs_too_much_memory_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    before = workers.run_in_slow_worker(process)
    with pytest.raises(workers.NoResultError, match="needs more than the 640 MB of memory"):
        workers.run_in_slow_worker(take, 800)
    assert workers.run_in_slow_worker(process) not in (before, os.getpid())


@pytest.mark.usefixtures("_started")
def test_a_process_that_has_taken_much_memory_is_renewed_and_no_other() -> None:
    small = workers.run_in_slow_worker(take, 20)
    assert workers.run_in_slow_worker(take, 200) == small
    assert workers.run_in_slow_worker(process) not in (small, os.getpid())


@pytest.mark.usefixtures("_started")
def test_nobody_waits_behind_what_takes_long() -> None:
    with ThreadPoolExecutor(2) as people:
        long = people.submit(workers.run_in_slow_worker, sleep, 2.0)
        quick = people.submit(workers.run_in_worker, process)
        assert quick.result() != os.getpid()
        assert not long.done()
        assert long.result() not in (os.getpid(), quick.result())


_SERVER = """
import os, sys, time
sys.path.insert(0, os.getcwd())
from planner.web import workers
if __name__ == "__main__":
    with workers.running():
        print(workers.run_in_worker(os.getpid), workers.run_in_slow_worker(os.getpid), flush=True)
        time.sleep(600)
"""


def test_processes_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "serves.py"
    script.write_text(_SERVER)
    server = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    there = [int(one) for one in server.stdout.readline().split()]
    assert len(there) == 2
    server.kill()
    server.wait()
    server.stdout.close()
    end = time.monotonic() + PATIENCE_S
    while any(is_alive(one) for one in there) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(is_alive(one) for one in there)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_where_no_process_can_be_started_nothing_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_pool: workers.WorkerPool) -> None:
        raise OSError("no shared memory")

    monkeypatch.setattr(workers.WorkerPool, "warm", refused)
    with pytest.raises(SystemExit, match="No process can be started that calculates plans: no shared memory"):
        workers.running().__enter__()


def priority() -> int:
    """Of the thread that runs a job."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.usefixtures("_started")
@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority on Linux")
def test_only_slow_jobs_give_way() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert workers.run_in_slow_worker(priority) == min(before + 5, 19)
    with ThreadPoolExecutor(4) as people:
        assert set(people.map(lambda _: workers.run_in_worker(priority), range(8))) == {before}
