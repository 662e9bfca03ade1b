"""A refresh: what is kept, what is not, and what becomes of it when something goes wrong in the middle."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from planner.report.market.live_prices import OFFLINE, refresh_text
from pricing import load_catalogue
from pricing.feeds.client import ClientLimits
from pricing.feeds.database import alone, opened
from pricing.feeds.feed import Feed, FeedError, FeedReply, Fetcher, OfflineError, UnreadableRow
from pricing.feeds.folder import StoreError
from pricing.feeds.live import current
from pricing.feeds.refresh import OFFLINE_AFTER, RefreshResult, SourceProgress, Ways, refresh
from pricing.feeds.store import LivePriceStore
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.server import Answer, Server

FACTS = load_catalogue()
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
Refresh = Callable[..., RefreshResult]


@pytest.fixture
def go(server: Server, environ: dict[str, str]) -> Refresh:
    """A refresh that asks the test's server."""

    def done(*feeds: Feed, **ways: Any) -> RefreshResult:
        told = {"day": DAY, "environ": environ, "limits": BRISK, "at": server.at(HOST)} | ways
        return refresh(feeds or (source(),), FACTS, Ways(**told))

    return done


def says(server: Server, *rows: dict[str, Any], name: str = "example") -> None:
    """What a source answers from now on."""
    server.says(f"/{name}", Answer(json={"rows": list(rows)}))


def table(environ: dict[str, str], sql: str) -> list[tuple[Any, ...]]:
    """What stands in the store."""
    with closing(opened(environ)) as database:
        return database.rows(sql)


def count(environ: dict[str, str], name: str = "readings") -> int:
    """How many rows a table has."""
    found: int = table(environ, f"SELECT COUNT(*) FROM {name}")[0][0]
    return found


def test_what_a_source_says_is_kept_with_its_digest(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.79), row(3.99, sku="Secure Cloud"), row(0, sku="Spare"))
    (found,) = go().sources
    assert (found.state, found.seen, found.new) == ("read", 3, 3)
    assert found.verdicts == {"believed": 2, "refused": 1}
    ((digest,),) = table(environ, "SELECT digest FROM replies")
    assert len(digest) == 64


def test_the_same_prices_twice_on_a_day_are_one_reading(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.79), row(2.79))
    assert go().sources[0].new == 1
    assert go().sources[0].new == 0
    says(server, row(2.89))
    assert go().sources[0].new == 1
    assert count(environ) == 2
    assert count(environ, "refreshes") == 3


@pytest.mark.parametrize(("days", "verdict"), [(80, "believed"), (95, "held")])
def test_a_price_is_compared_with_what_was_read_of_it_within_ninety_days(
    server: Server, go: Refresh, days: int, verdict: str
) -> None:
    """5.50 lies within what 80 days may do to 2.79, and too far from the others where nobody knows what it was."""
    says(server, row(2.79))
    go(day=DAY - timedelta(days=days))
    says(server, row(5.5))
    assert go().sources[0].verdicts == {verdict: 1}


def test_of_a_machine_listed_twice_the_cheaper_one_that_is_free_counts(
    server: Server, go: Refresh, environ: dict[str, str]
) -> None:
    says(server, row(2.20, free=0), row(2.79, free=3), row(2.69, free=1), row(2.99, free=9))
    go()
    assert table(environ, "SELECT price, free FROM readings") == [(2.69, 1)]


def test_one_broken_source_stops_no_other(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.79), name="whole")
    server.says("/html", Answer(body=b"<html>Sign in"))
    server.says("/other", Answer(json={"data": []}))
    server.says("/typed", Answer(json={"rows": [row("2.79")]}))  # a number became a text
    server.says("/fields", Answer(json={"rows": [{"gpu": "H100"}]}))  # a field was renamed
    server.says("/empty", Answer(json={"rows": []}))
    names = ("gone", "html", "whole", "other", "typed", "fields", "empty")
    found = {one.source: one for one in go(*map(source, names)).sources}
    assert {name: one.said for name, one in found.items()} == {
        "whole": "",
        "gone": "Gone has no such page any more (404).",
        "html": "Html sent a web page in place of JSON.",
        "other": "Other has changed the form of its prices (KeyError: 'rows').",
        "typed": "Typed named no price at all: its old ones stay.",
        "fields": "Fields has changed the form of its prices (TypeError: Observation.__init__() got an unexpected"
        " keyword argument 'gpu').",
        "empty": "Empty named no price at all: its old ones stay.",
    }
    assert {name for name, one in found.items() if one.state == "failed"} == set(names) - {"whole"}
    assert found["typed"].odd == 1
    assert table(environ, "SELECT odds FROM refreshes WHERE source = 'typed'") == [("[\"Typed: price is '2.79'\"]",)]
    assert count(environ) == 1


UNSEEN = (
    "RunPod\nX", "Run\x1b[31mPod", "\u202eAWS", "RunPod\u200b", "Run\u2028Pod", "Run\x85Pod", "\ud800RunPod", "a\tb",
)  # fmt: skip


@pytest.mark.parametrize("field", ["seller", "accelerator", "region", "sku", "note", "currency", "doubts", "countries"])
def test_a_text_with_marks_that_do_not_show_is_odd(
    server: Server, go: Refresh, environ: dict[str, str], field: str
) -> None:
    listed = field in ("doubts", "countries")
    says(server, row(2.79), *(row(2.49, **{field: [name] if listed else name}) for name in UNSEEN))
    (found,) = go().sources
    assert (found.seen, found.odd, found.verdicts) == (1, len(UNSEEN), {"believed": 1})
    ((odds,),) = table(environ, "SELECT odds FROM refreshes")
    for odd in json.loads(odds):
        assert odd.startswith(f"Example: {field} has a mark that does not show: ")
        assert odd.isprintable()
        assert "X" in odd or "Pod" in odd or "AWS" in odd or "a b" in odd


def test_a_vendor_a_model_and_a_currency_are_texts_too(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    told = {"vendor": "OpenAI", "model": "gpt-5.5", "input_usd_per_mtoken": 5.0}
    says(
        server,
        told,
        {**told, "vendor": "Open\nAI"},
        {**told, "model": "gpt\u202e-5.5"},
        {**told, "note": "\x1b"},
        name="api",
    )
    says(server, {"code": "EUR", "usd": 1.16}, {"code": "EU\x00R", "usd": 1.2}, name="rates")
    found = go(source("api", kind="hosted"), source("rates", kind="exchange")).sources
    assert [(one.seen, one.odd) for one in found] == [(1, 3), (1, 1)]


def test_words_of_a_source_that_fails_or_is_odd_are_one_line_that_shows(
    server: Server, go: Refresh, environ: dict[str, str]
) -> None:
    def read(ask: Fetcher) -> Iterator[tuple[FeedReply, UnreadableRow]]:
        yield ask.get(f"https://{HOST}/example"), UnreadableRow("a\nrow\u202e", "is \x1b[31mred")
        raise FeedError("Example has no\x1b[31m field\nany more.")

    server.says("/example", Answer(json={}))
    (found,) = go(source(read=read)).sources
    assert found.said == "Example has no [31m field any more."
    assert table(environ, "SELECT odds FROM refreshes") == [('["a row: is [31mred"]',)]


@pytest.mark.parametrize(("field", "value"), [("free", 10**30), ("count", 2**63), ("free", -(10**30))])
def test_a_number_that_is_too_large_to_keep_is_odd(server: Server, go: Refresh, field: str, value: int) -> None:
    says(server, row(2.79), row(2.49, **{field: value}))
    (found,) = go().sources
    assert (found.seen, found.odd) == (1, 1)


def test_a_source_that_fails_half_way_keeps_nothing_of_it(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    server.says("/example", Answer(json={"rows": [row(2.79)], "next": f"https://{HOST}/page2"}))
    server.says("/page2", Answer(status=500))
    (found,) = go().sources
    assert (found.state, found.said) == ("failed", "Example is out of order (500), after 2 tries too.")
    assert count(environ) == 0


@pytest.mark.slow
def test_an_endless_list_of_pages_ends(server: Server, go: Refresh) -> None:
    pages = iter(range(10**6))
    server.says(
        "/example", lambda asked: Answer(json={"rows": [row(2.79)], "next": f"https://{HOST}/example?p={next(pages)}"})
    )
    assert go().sources[0].said == "Example goes on after 120 pages."


def test_a_key_that_is_not_set_is_told_by_its_name(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    keyed = source("keyed", key_name="KEYED_TOKEN")
    (found,) = go(keyed).sources
    assert (found.state, found.said) == ("skipped", "Keyed is read with a key of yours: set KEYED_TOKEN.")
    assert server.asked == []
    assert count(environ, "refreshes") == 0


def test_a_source_without_its_key_is_skipped_before_any_other_begins(server: Server, go: Refresh) -> None:
    says(server, row(2.79))
    told: list[SourceProgress] = []
    go(source(), source("keyed", key_name="KEYED_TOKEN"), tell=told.append)
    assert (told[0].source, told[0].state) == ("keyed", "skipped")
    assert [one.state for one in told if one.source == "keyed"] == ["skipped"]


def test_rows_of_a_seller_who_speaks_first_hand_are_left_to_it(server: Server, go: Refresh) -> None:
    says(server, row(2.79), row(2.49, seller="Lambda", sku=""))
    says(server, row(2.79), name="runpod")
    first, found = go(source("runpod", sellers=("RunPod",)), source(via="third_party")).sources
    assert (first.state, found.left, found.seen) == ("read", 1, 1)
    server.says("/runpod", Answer(status=404))
    first, found = go(source("runpod", sellers=("RunPod",)), source(via="third_party")).sources
    assert (first.state, found.left, found.seen) == ("failed", 0, 2), "it counts where the first hand could not be read"


def test_a_dry_run_keeps_nothing(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.79), row(269.0, sku="Secure Cloud"))
    found = go(dry=True)
    assert found.sources[0].verdicts == {"believed": 1, "held": 1}
    assert count(environ, "refreshes") == 0


def test_new_rates_count_for_the_prices_of_the_same_refresh(
    server: Server, go: Refresh, environ: dict[str, str]
) -> None:
    says(server, {"code": "EUR", "usd": 1.2}, name="rates")
    says(server, row(2.50, currency="EUR"))
    go(source(), source("rates", kind="exchange"))
    ((usd,),) = table(environ, "SELECT usd FROM readings WHERE currency = 'EUR'")
    assert usd == pytest.approx(3.0)


def test_a_source_that_shrinks_keeps_its_old_prices(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, *(row(2.79, sku=f"kind {n}") for n in range(20)))
    go()
    says(server, *(row(2.79, sku=f"kind {n}") for n in range(9)))
    assert go().sources[0].state == "shrunk"
    assert count(environ) == 20


# Held prices


def held(environ: dict[str, str]) -> Any:
    """What waits for a person."""
    with closing(opened(environ)) as database:
        return LivePriceStore(database).held(DAY)


def test_a_held_price_is_accepted_by_somebody(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.69))
    go()
    says(server, row(9.90))
    assert go().sources[0].verdicts == {"held": 1}
    (one,) = held(environ)
    assert (one.reason.kind, one.reason.against, one.usd) == ("jump", 2.69, 9.90)
    with closing(opened(environ)) as database:
        LivePriceStore(database).decide({"believed": [one.id]}, "Anna", NOON)
    assert held(environ) == []
    decided = table(environ, "SELECT kind, person FROM events WHERE kind <> 'refreshed' ORDER BY id")
    assert decided == [("held", "the gate"), ("believed", "Anna")]
    says(server, row(10.50))  # from now on it is compared with what she accepted
    assert go().sources[0].verdicts == {"believed": 1}


def test_a_refused_price_is_not_asked_about_again(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(9.90))
    go()
    with closing(opened(environ)) as database:
        LivePriceStore(database).decide({"refused": [held(environ)[0].id]}, "Anna", NOON)
    says(server, row(9.90, free=3))  # told anew
    assert go().sources[0].verdicts == {"refused": 1}
    assert held(environ) == []


def test_what_cannot_be_decided_is_told(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.79, accelerator="H900"))
    go()
    (one,) = held(environ)
    with closing(opened(environ)) as database:
        store = LivePriceStore(database)
        with pytest.raises(StoreError, match=r"cannot be accepted: its name or its currency is unknown"):
            store.decide({"believed": [one.id]}, "Anna", NOON)
        with pytest.raises(StoreError, match=r"^Nothing that is held is called '7-7'"):
            store.decide({"refused": [one.id, "7-7"]}, "Anna", NOON)
    assert held(environ) == [one]


# Undone, cancelled, twice at once


def test_a_refresh_is_undone_and_nothing_is_deleted(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.69))
    go()
    says(server, row(2.99))
    second = go()
    with closing(opened(environ)) as database:
        store = LivePriceStore(database)
        assert store.runs()[0].run == second.run
        store.undo(second.run, "Anna", NOON)
        assert [usd for _, _, usd, *_ in store.believed(date(2026, 1, 1))] == [2.69]
        assert len(store.runs()) == 1
    assert count(environ) == 2
    assert go().sources[0].new == 1, "what was put aside is read again"


def test_who_cancels_finds_everything_as_it_was(server: Server, go: Refresh, environ: dict[str, str]) -> None:
    says(server, row(2.69), name="quick")
    server.says("/slow", Answer(json={"rows": [row(2.79)]}, silent_at=10, silent_s=30))
    cancelled = threading.Event()
    told: list[SourceProgress] = []

    def tell(progress: SourceProgress) -> None:
        told.append(progress)
        if progress.state == "read":
            cancelled.set()

    found = go(source("quick"), source("slow"), tell=tell, cancelled=cancelled, limits=ClientLimits(silent_s=20))
    assert found.cancelled
    assert found.sources == ()
    with closing(opened(environ)) as database:
        assert LivePriceStore(database).believed(date(2026, 1, 1)) == []
    assert any(one.source == "quick" and one.rows == 1 and one.rows_per_s > 0 for one in told)


def test_the_second_of_two_at_once_says_so(go: Refresh, environ: dict[str, str]) -> None:
    twice = pytest.raises(StoreError, match=r"^Another refresh is at work: this one has changed nothing\.")
    with closing(opened(environ)) as database, alone(database, environ), twice:
        go()
    assert count(environ, "refreshes") == 0


# The data folder


def test_a_data_folder_that_cannot_be_made_is_told_in_a_sentence(
    go: Refresh, environ: dict[str, str], tmp_path: Any
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        StoreError, match=r"^The folder .*/file/data for live prices cannot be made: Not a directory\.$"
    ):
        go(environ={"RENT_OR_BUY_DATA": str(tmp_path / "file" / "data")})


def test_a_file_that_is_no_store_is_told_in_a_sentence(go: Refresh, environ: dict[str, str], tmp_path: Any) -> None:
    environ.pop("RENT_OR_BUY_DATABASE", None)  # this is about the file
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "live.sqlite").write_text("no database at all, but a text that somebody put here\n" * 20)
    with pytest.raises(StoreError, match=r"live\.sqlite cannot be used: file is not a database\.$"):
        go()


def test_a_source_that_vanishes_for_a_week_is_stood_in_for_and_taken_back(
    server: Server, go: Refresh, environ: dict[str, str]
) -> None:
    first, second = source(sellers=("runpod",)), source("list", via="third_party")

    def usd(days: int) -> float:
        result = go(first, second, day=DAY + timedelta(days=days))
        assert result.sources[0].said == ("" if days in (0, 8) else "Example has no such page any more (404).")
        figure = current(environ).offers["runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"]
        return figure.usd_per_accelerator_hour.newest.typical  # type: ignore[union-attr]

    says(server, row(2.79))
    says(server, row(2.85), name="list")
    assert usd(0) == 2.79
    server.says("/example", Answer(status=404))
    assert [usd(days) for days in (1, 2, 7)] == [2.79, 2.85, 2.85], "for a day its own, then the list's"
    says(server, row(2.75))
    assert usd(8) == 2.75


def test_without_a_connection_it_ends_after_the_first_sources_in_one_line(go: Refresh, environ: dict[str, str]) -> None:
    feeds = [source(f"s{number}") for number in range(OFFLINE_AFTER + 2)]
    found = go(*feeds, at={HOST: "http://127.0.0.1:1"})
    assert found.offline
    assert {one.state for one in found.sources} == {"failed"}
    assert len(found.sources) == len(feeds)
    assert refresh_text(found) == f"{OFFLINE}\n"
    assert count(environ) == 0
    assert not go(*feeds[: OFFLINE_AFTER - 1], at={HOST: "http://127.0.0.1:1"}).offline


def test_one_source_that_answers_makes_the_others_failures_their_own(server: Server, go: Refresh) -> None:
    def lost(ask: Fetcher) -> Any:
        raise OfflineError("S cannot be reached.")

    says(server, row(2.79), name="there")
    found = go(source("there"), *(source(f"s{number}", read=lost) for number in range(OFFLINE_AFTER - 1)))
    assert [one.state for one in found.sources] == ["read", *(["failed"] * (OFFLINE_AFTER - 1))]
    assert not found.offline
