"""Live prices on Compare: sources are asked only when somebody says so, and a person decides on what is held."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from planner.web import live_prices, sign_in, state
from planner.web.live_prices import READER, PriceRefresher
from pricing import load_catalogue
from pricing.feeds.database import opened
from pricing.feeds.feed import Feed
from pricing.feeds.live import current
from pricing.feeds.refresh import Ways
from pricing.feeds.sources import feeds
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.server import Answer, Server, serving
from tests.pricing.feeds.world import environ_of, the_world
from tests.web.test_pages import visit

pytestmark = pytest.mark.slow

H100 = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A data folder of the test's own, and a reader that has read nothing."""
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(state, "today", lambda: DAY)
    monkeypatch.setattr(sign_in, "HEADERS", [lambda: {sign_in.HERE: "1"}])
    READER.__dict__.update(PriceRefresher().__dict__)
    yield
    READER.cancel()
    READER.wait(PATIENCE_S)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch, server: Server) -> Callable[..., None]:
    """Which sources there are; all of them are the test's server."""

    def done(*every: Feed) -> None:
        ways = Ways(limits=BRISK, at=server.at(HOST), day=DAY)
        monkeypatch.setattr(live_prices, "FEEDS", [lambda names: every])
        monkeypatch.setattr(live_prices, "WAYS", [lambda: ways])

    return done


def says(server: Server, *prices: float, name: str = "example") -> None:
    server.says(f"/{name}", Answer(json={"rows": [row(price, sku=f"Community Cloud{n or ''}") for n, price in
                                                  enumerate(prices)]}))  # fmt: skip


def look() -> AppTest:
    app = visit("Compare")
    app.query_params["view"] = live_prices.VIEW
    return app.run()


def read(app: AppTest) -> AppTest:
    """Press the button, and come back when all is read."""
    app.button(key="read-today").click().run()
    READER.wait(PATIENCE_S)
    app.run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    kinds = (app.markdown, app.title, app.header, app.warning, app.error, app.info)
    return " ".join(str(one.value) for kind in kinds for one in kind).replace("\\", "")


def keys(app: AppTest) -> list[Any]:
    return [one.key for one in app.button]


def test_nobody_is_asked_before_somebody_says_so(asks: Callable[..., None], server: Server) -> None:
    asks(source())
    says(server, 2.79)
    app = look()
    assert "No live prices were read this week" in text(app)
    assert "No live prices were read yet" in text(app)
    app.button(key="see-live").click().run()
    assert not server.asked
    read(app)
    assert len(server.asked) == 1
    assert "No live prices were read this week" not in text(app)
    assert "Prices were last read on" in text(app)
    assert "1 price of 1 source: 1 new, of which 1 believed" in text(app)
    assert current().offers[H100].usd_per_accelerator_hour.newest.typical == 2.79  # type: ignore[union-attr]


def test_one_click_reads_the_folder_of_the_settings(
    asks: Callable[..., None], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks(source())
    says(server, 2.79)
    named: list[tuple[str, ...]] = []
    feeds_of = live_prices.FEEDS[-1]

    def feeds_by_name(names: tuple[str, ...]) -> Any:
        named.append(tuple(names))
        return feeds_of(names)

    monkeypatch.setattr(live_prices, "FEEDS", [feeds_by_name])
    assert "Sellers and public lists are read over the network" in text(app := look())
    assert "read-all" not in keys(app)
    monkeypatch.setenv("RENT_OR_BUY_PRICES", "https://prices.example/x")
    app = read(look())
    assert "The prices that prices.example publishes are read over the network" in text(app)
    app.button(key="read-all").click().run()
    READER.wait(PATIENCE_S)
    assert named == [(), ("all",)]


def test_settings_that_cannot_be_right_are_told_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RENT_OR_BUY_PRICES", "https://prices.example/x")
    monkeypatch.delenv("RENT_OR_BUY_PRICES_KEY", raising=False)
    app = read(look())
    assert "RENT_OR_BUY_PRICES_KEY must say whose key signs it" in text(app)


def test_a_name_that_nobody_knows_is_explained_on_the_page_and_taken_back(
    asks: Callable[..., None], server: Server
) -> None:
    asks(source())
    server.says("/example", Answer(json={"rows": [row(2.7, seller="Polar Cloud")]}))
    app = read(look())
    assert "Which seller is Polar Cloud? The catalogue has none of that name (1 price)." in text(app)
    assert app.button(key="say-seller-Polar Cloud").disabled, "nobody said yet who decides, nor what it is"
    app.text_input(key="live-name").set_value("Ada").run()
    assert app.button(key="say-seller-Polar Cloud").disabled
    chosen = app.selectbox(key="means-seller-Polar Cloud")
    assert chosen.options[0] == "A new seller, under this name"
    chosen.select("A new seller, under this name").run()
    app.button(key="say-seller-Polar Cloud").click().run()
    assert not app.exception
    assert "Nothing is held" in text(app)
    assert "Polar Cloud is a new seller, decided by Ada (typed on this machine) on " in text(app)
    assert "Polar Cloud" in {current().providers[offer.provider].label for offer in current().offers.values()}
    app.button(key="unsay-seller-Polar Cloud").click().run()
    assert not app.exception
    assert "Polar Cloud is a new seller" not in text(app)
    assert "Polar Cloud" not in {current().providers[one.provider].label for one in current().offers.values()}


def test_a_held_price_waits_for_a_name_and_is_then_believed(asks: Callable[..., None], server: Server) -> None:
    asks(source())
    says(server, 269.0)
    app = read(look())
    (accept,) = [key for key in keys(app) if str(key).startswith("believed-")]
    assert "$269.00, $2.69 before: perhaps in cents" in text(app)
    assert app.button(key=accept).disabled
    app.text_input(key="live-name").set_value("Ada").run()
    app.button(key=accept).click().run()
    assert "Nothing is held" in text(app)
    assert current().offers[H100].usd_per_accelerator_hour.newest.typical == 269.0  # type: ignore[union-attr]
    with closing(opened()) as database:
        ((person, at),) = database.rows("SELECT person, at FROM events WHERE kind = 'believed'")
    assert person == "Ada (typed on this machine)"
    assert abs((datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()) < 3600


def test_a_refused_price_is_gone_and_a_refresh_can_be_undone(asks: Callable[..., None], server: Server) -> None:
    asks(source())
    says(server, 2.79, 269.0)
    app = read(look())
    app.text_input(key="live-name").set_value("Ada").run()
    app.session_state["live-had"] = True
    app.run()
    had = next(one.value for one in app.dataframe if "Available" in one.value.columns)
    assert set(had["Available"]) == {"on 1 of 1 day"}
    (refuse,) = [key for key in keys(app) if str(key).startswith("refused-")]
    app.button(key=refuse).click().run()
    assert refuse not in keys(app)
    assert current().digest != load_catalogue().digest
    app.button(key="undo-live").click().run()
    assert current().digest == load_catalogue().digest
    assert "No live prices were read yet" in text(app)


def test_who_cannot_be_read_is_named_and_the_others_are_read(
    asks: Callable[..., None], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("A_KEY", raising=False)
    asks(source(), source("broken"), source("locked", key_name="A_KEY"))
    says(server, 2.79)
    app = read(look())
    assert "1 source could not be read" in text(app)
    assert "Broken has no such page any more (404)" in text(app)
    assert "set A_KEY" in text(app)


def test_without_a_network_it_is_said_once_and_each_source_is_in_a_list(asks: Callable[..., None]) -> None:
    asks(*(source(f"broken-{number}") for number in range(5)))
    app = read(look())
    assert "No source could be read (5 tried): nothing was changed." in text(app)
    assert [one.value for one in app.warning] == []
    assert text(app).count("has no such page any more (404)") == 5
    assert "5 sources could not be read, with reasons" in {one.label for one in app.expander}


def test_one_at_a_time_seen_by_others_and_cancelled_without_a_trace(asks: Callable[..., None], server: Server) -> None:
    asks(source(), source("locked", key_name="A_KEY_THAT_NOBODY_HAS"))
    server.says("/example", Answer(json={"rows": []}, silent_at=0, silent_s=PATIENCE_S))
    live_prices.WAYS[0] = lambda: Ways(limits=type(BRISK)(silent_s=PATIENCE_S, tries=1), at=server.at(HOST), day=DAY)
    mine, other = look(), look()
    mine.button(key="read-today").click().run()
    at_work = READER._thread
    READER.begin("somebody else")
    assert READER._thread is at_work
    other.run()
    assert "read-today" not in keys(other)
    assert [one.text for one in other.get("progress")] == ["0 of 1 source done, 0 prices"]
    other.button(key="cancel-live").click().run()
    server.over.set()
    READER.wait(PATIENCE_S)
    mine.run()
    assert "Cancelled: nothing was changed" in text(mine)
    with closing(opened()) as database:
        assert database.rows("SELECT COUNT(*) FROM readings") == [(0,)]


def test_from_an_empty_start_to_a_page_whose_prices_are_all_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is recorded is read into a catalogue that has no rental price of its own."""
    facts = load_catalogue()
    bare = facts.model_copy(update={"offers": {}, "digest": "0" * 64})
    monkeypatch.setattr("pricing.feeds.live.load_catalogue", lambda: bare)
    monkeypatch.setattr("pricing.feeds.refresh.load_catalogue", lambda: bare)
    assert not current().offers
    secrets = {name: value for feed in feeds().values() for name, value in environ_of(feed).items()}
    with the_world() as world:
        ways = Ways(environ={**os.environ, **secrets}, at=world.hosts(), limits=BRISK, day=DAY)
        monkeypatch.setattr(live_prices, "WAYS", [lambda: ways])
        app = read(look())
    assert READER.result is not None
    assert {one.source: one.said for one in READER.result.sources if one.state != "read"} == {}
    shown = app.dataframe[0].value
    shown["Provider"] = shown["Provider"].str.rpartition("#")[2].str.partition(" (")[0]
    offers = shown[shown["Provider"] != "Buy and run it"]
    assert len(offers) >= 5
    first_hand = offers[offers["Trust"] == "API"]
    assert {"RunPod", "Vast.ai", "Verda"} <= set(first_hand["Provider"])
    assert set(first_hand["Checked"].astype(str)) == {DAY.isoformat()}
    assert set(first_hand["Days old"]) == {0}
    assert offers["Days old"].max() <= 4  # of the hosted lists, the day on which they were read themselves
    assert all(str(offer.usd_per_accelerator_hour.newest.source).startswith("live-")  # type: ignore[union-attr]
               for offer in current().offers.values())  # fmt: skip


def test_an_older_link_says_what_todays_prices_change(asks: Callable[..., None], server: Server) -> None:
    link = visit("Answer")
    link.query_params["asof"] = "2026-11-20"
    asks(source())
    says(server, 2.09)
    read(look())
    link.run()
    assert not link.exception
    (said,) = [one.value for one in link.info if "prices" in str(one.value) and str(one.value).startswith("Today")]
    assert "renting" in said
    today = visit("Answer").run()
    assert not [one for one in today.info if str(one.value).startswith("Today")]


def test_a_run_reads_the_state_of_live_prices_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database is another machine: a page that names a price twenty times does not go there twenty times."""
    read = Mock(wraps=current)
    monkeypatch.setattr(state, "current", read)
    app = visit("Compare").run()
    assert not app.exception
    assert read.call_count == 1
    app.run()
    assert read.call_count == 2
