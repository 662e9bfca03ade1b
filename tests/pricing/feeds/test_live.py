"""Live prices laid over the frozen catalogue, in which RunPod's H100 costs $2.69, read on 9 November 2026."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pricing import Catalogue, load_catalogue
from pricing.exchange import rates
from pricing.feeds.database import opened
from pricing.feeds.feed import AnyPriced, ExchangeRateObservation, HostedPriceObservation, Observation
from pricing.feeds.folder import FILE, FOLDER, StoreError
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.live import current
from pricing.feeds.sources import feeds
from pricing.feeds.store import LivePriceStore, PriorPrices, SourceRefresh
from pricing.feeds.written import SourceInfo
from pricing.query import OfferFilter, find, trust
from pricing.records import Offer
from pricing.stale import as_of
from tests.pricing.feeds.made import DAY, row
from tests.pricing.feeds.replay import Replay, raw
from tests.rows import each_row
from tools import live

FACTS = load_catalogue()
MARKET = MarketPrices.of(FACTS)
H100 = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"
Keep = Callable[..., str]


@pytest.fixture
def keep(environ: dict[str, str]) -> Keep:
    """Puts observations of a day into the store, as a refresh does."""

    def done(*every: AnyPriced, day: date = DAY, source: str = "example", via: str = "price_api") -> str:
        now = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        run = f"{source} {day}"
        about = SourceInfo(source.title(), "https://prices.example", "MIT", via)
        with closing(opened(environ)) as database:
            store = LivePriceStore(database)
            with store.database.writing():
                gate = PriceValidator(MARKET, PriorPrices(), day)
                readings = [gate.reading(one, "digest") for one in every]
                store.keep(SourceRefresh(run, source, about, day, now, seen=len(every)), readings, now)
        return run

    return done


def rental(price: float, **changes: Any) -> Observation:
    """RunPod's H100."""
    return Observation(**row(price, **changes))


def new_offers(live: Catalogue) -> list[Offer]:
    return [offer for key, offer in live.offers.items() if key not in FACTS.offers]


def test_without_a_data_folder_nothing_is_laid_over(environ: dict[str, str]) -> None:
    assert current(environ) is load_catalogue()


def test_a_file_that_the_first_refresh_has_only_just_made_holds_nothing_yet(environ: dict[str, str]) -> None:
    environ = {FOLDER: environ[FOLDER]}
    path = Path(environ[FOLDER]) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        assert path.stat().st_size
        assert current(environ) is FACTS
        made.execute("CREATE TABLE another (thing TEXT)")
        with pytest.raises(StoreError, match="no such table"):
            current(environ)


def test_a_price_becomes_a_dated_value_of_the_same_offer(keep: Keep, environ: dict[str, str]) -> None:
    keep(rental(2.99))
    live = current(environ)
    figure = live.offers[H100].usd_per_accelerator_hour
    assert (figure.newest.typical, figure.since, figure.checked) == (2.99, DAY, DAY)
    old = FACTS.offers[H100].usd_per_accelerator_hour
    assert {day: value for day, value in figure.values.items() if day != DAY} == old.values
    assert len(live.offers) == len(FACTS.offers)
    assert trust(live, figure.newest) == "API"
    source = live.sources[figure.newest.source]
    assert (source.title, source.url, source.licence) == ("Example", "https://prices.example", "MIT")
    assert live.digest != FACTS.digest
    assert live.day == DAY
    assert Catalogue.model_validate_json(live.model_dump_json()) == live, "as sound as one that was read"


def test_the_same_facts_have_the_same_digest(keep: Keep, environ: dict[str, str], tmp_path: Path) -> None:
    environ.pop("RENT_OR_BUY_DATABASE", None)  # this is about the file
    keep(rental(2.99))
    live = current(environ)
    assert current(environ) is live
    elsewhere = {"RENT_OR_BUY_DATA": str(tmp_path / "elsewhere")}
    (tmp_path / "elsewhere").mkdir()
    for file in (tmp_path / "data").iterdir():
        (tmp_path / "elsewhere" / file.name).write_bytes(file.read_bytes())
    copied = current(elsewhere)
    assert copied is not live
    assert copied.digest == live.digest
    keep(rental(3.09), day=DAY, source="other")
    assert current(environ).digest != live.digest


def test_a_price_that_stays_is_looked_at_again(keep: Keep, environ: dict[str, str]) -> None:
    for days in (3, 2, 1, 0):
        keep(rental(2.99 if days else 2.99001), day=DAY - timedelta(days=days))
    figure = current(environ).offers[H100].usd_per_accelerator_hour
    assert (figure.since, figure.checked) == (DAY - timedelta(days=3), DAY)


def test_what_the_catalogue_has_not_becomes_an_offer(keep: Keep, environ: dict[str, str]) -> None:
    machine = {"sku": "p5.48xlarge", "seller": "AWS", "count": 8, "purchase": "reserved_3y", "vcpus": 192,
               "ram_gb": 2048.0, "fabric": "efa"}  # fmt: skip
    keep(rental(8 * 3.0, region="eu-north-1", **machine))
    (offer,) = new_offers(current(environ))
    assert (offer.provider, offer.accelerator, offer.accelerators_per_instance) == ("aws", "H100-SXM5-80GB", 8)
    assert (offer.region, offer.area, offer.purchase, offer.sku) == (
        "eu-north-1", "europe", "reserved_3y", "p5.48xlarge",
    )  # fmt: skip
    assert (offer.vcpus, offer.ram_gb, offer.fabric, offer.doubts) == (192, 2048.0, "efa", ())
    assert offer.usd_per_accelerator_hour.newest.typical == 3.0


@pytest.mark.parametrize(("seller", "region", "area", "countries"), [
    ("Azure", "japaneast", "asia", ("JP",)), ("Azure", "westus9", "north_america", ("US",)),
    ("GCP", "europe-west99", "europe", ()), ("AWS", "ap-southeast-2", "oceania", ()),
    ("Vast", "Texas, US", "north_america", ("US",)), ("Vast", "Romania", "europe", ("RO",)),
    ("Massed Compute", "desmoines-usa-1", "north_america", ("US",)), ("Vast", "Atlantis", "not_stated", ()),
])  # fmt: skip
def test_where_a_region_lies(
    keep: Keep, environ: dict[str, str], seller: str, region: str, area: str, countries: tuple[str, ...]
) -> None:
    keep(rental(3.0, seller=seller, region=region, sku="", purchase="reserved_6m"))
    (offer,) = new_offers(current(environ))
    assert offer.region == region
    assert offer.area == area
    known = FACTS.providers[offer.provider].regions.get(region)
    assert offer.countries == (() if known else countries), "what the catalogue knows of its regions is not told twice"


def test_a_bid_is_no_price_of_the_same_thing(keep: Keep, environ: dict[str, str]) -> None:
    keep(rental(1.0, doubts=("minimum_bid",)))
    live = current(environ)
    assert live.offers[H100] is FACTS.offers[H100]
    assert [offer.doubts for offer in new_offers(live)] == [("minimum_bid",)]


def test_first_hand_read_today_comes_before_second_hand_and_that_before_what_is_older(
    keep: Keep, environ: dict[str, str]
) -> None:
    keep(rental(2.99), day=DAY - timedelta(days=1), source="first")
    keep(rental(2.89), source="second", via="third_party")
    assert price(current(environ)) == 2.99
    keep(rental(2.79), day=DAY + timedelta(days=2), source="second", via="third_party")
    assert price(current(environ)) == 2.79


def price(live: Catalogue) -> float:
    """Of RunPod's H100."""
    figure = live.offers[H100].usd_per_accelerator_hour
    return figure.newest.typical


def test_held_and_undone_prices_do_not_count(keep: Keep, environ: dict[str, str]) -> None:
    keep(rental(2.99), day=DAY - timedelta(days=1))
    keep(rental(269.0))
    assert price(current(environ)) == 2.99
    run = keep(rental(3.19), source="other")
    assert price(current(environ)) == 3.19
    with closing(opened(environ)) as database:
        LivePriceStore(database).undo(run, "Anna", datetime.now(UTC))
    assert price(current(environ)) == 2.99


def test_an_older_day_is_seen_as_it_was(keep: Keep, environ: dict[str, str]) -> None:
    keep(rental(2.99))
    keep(rental(3.0, seller="AWS", region="eu-north-1", purchase="reserved_3y", sku="x"), source="other")
    live = current(environ)
    before = as_of(live, date(2026, 11, 10))
    assert before.offers.keys() == as_of(FACTS, date(2026, 11, 10)).offers.keys()
    assert price(before) == 2.69
    assert find(live, OfferFilter(), DAY).ids


def test_models_and_currencies_are_laid_over_too(keep: Keep, environ: dict[str, str]) -> None:
    euro = rates(FACTS)["EUR"].usd
    sent = FACTS.hosted["Anthropic/claude-3-haiku"].input_usd_per_mtoken.newest.typical
    keep(
        HostedPriceObservation("Anthropic", "claude-3-haiku", sent * 1.1, 1.5),
        HostedPriceObservation("Anthropic", "claude-99", 3.0, 15.0, 0.3),
        ExchangeRateObservation("EUR", euro * 1.01),
    )
    live = current(environ)
    haiku = live.hosted["Anthropic/claude-3-haiku"]
    assert haiku.input_usd_per_mtoken.newest.typical == pytest.approx(sent * 1.1)
    new = live.hosted["Anthropic/claude-99"]
    assert new.output_usd_per_mtoken is not None
    assert new.cached_input_usd_per_mtoken is not None
    told = (new.input_usd_per_mtoken, new.output_usd_per_mtoken, new.cached_input_usd_per_mtoken)
    assert [figure.newest.typical for figure in told] == [3.0, 15.0, 0.3]
    assert rates(live)["EUR"].usd == pytest.approx(euro * 1.01)


def test_regions_that_ask_the_same_are_the_one_offer_that_is_known(keep: Keep, environ: dict[str, str]) -> None:
    """Lambda asks one price in all its regions, and the catalogue has it as such."""
    listed = [(key, offer) for key, offer in FACTS.offers.items() if offer.provider == "lambda" and not offer.doubts]
    key, offer = next(one for one in listed if one[1].purchase == "on_demand" and one[1].usd_per_accelerator_hour)
    told = {"seller": "Lambda", "accelerator": offer.accelerator, "count": offer.accelerators_per_instance,
            "memory_gb": None, "sku": offer.sku or ""}  # fmt: skip
    usd = offer.usd_per_accelerator_hour.newest.typical * 1.05 * offer.accelerators_per_instance  # type: ignore[union-attr]
    keep(*(rental(usd, region=region, **told) for region in ("us-east-1", "us-west-1", "europe-central-1")))
    live = current(environ)
    assert new_offers(live) == []
    assert live.offers[key].usd_per_accelerator_hour.checked == DAY  # type: ignore[union-attr]


def test_how_often_it_was_to_be_had(keep: Keep, environ: dict[str, str]) -> None:
    for days in range(14):
        keep(rental(2.99, free=0 if days in (3, 5) else 2), day=DAY - timedelta(days=days))
    with closing(opened(environ)) as database:
        store = LivePriceStore(database)
        assert list(store.availability_counts(DAY - timedelta(days=13)).values()) == [(12, 14)]
        (one,) = store.availability(DAY - timedelta(days=13))
    assert (one.what.seller, one.days, one.of) == (rental(2.99).seller, 12, 14)


def test_a_damaged_copy_is_made_anew(keep: Keep, environ: dict[str, str], tmp_path: Path) -> None:
    keep(rental(2.99))
    digest = current(environ).digest
    (copy,) = (tmp_path / "cache" / "rent-or-buy").glob("live-*.json")
    copy.write_bytes(copy.read_bytes()[:-5])
    keep()  # another state, another copy
    assert current(environ).digest == digest


def said(recorded: object, now: object) -> list[str]:
    return live.moved(live.shape(recorded), live.shape(now))


def test_what_is_gone_new_or_of_another_type_is_said_once() -> None:
    recorded = {"offers": [{"id": 1, "price": 2.5, "where": {"city": "Oslo"}}, {"id": 2, "price": 3}], "next": None}
    now = {"offers": [{"id": 1, "price": "2.50", "place": {"city": "Oslo"}}], "next": "page 2"}
    assert said(recorded, now) == [
        "gone  .offers[].where", "other .offers[].price: number, now text", "new   .offers[].place",
    ]  # fmt: skip
    assert said(recorded, recorded) == []


def test_an_empty_list_or_a_record_not_given_says_nothing() -> None:
    full = {"rows": [{"id": 1}], "more": {"page": 2}}
    assert said(full, {"rows": [], "more": None}) == []
    assert said({"rows": [], "more": None}, full) == []


def test_names_of_things_are_no_fields() -> None:
    machine = {"price": 1.0, "gpus": 8}
    assert said({"a1": machine, "a2": machine}, {"b1": machine, "b2": machine, "b3": {**machine, "free": 1}}) == [
        "new   .*.free"
    ]


def test_tables_and_xml_have_their_columns() -> None:
    assert live.moved(
        live.shape_of_bytes(b'"Small print"\n"SKU","Price","Unit"\n"a","1","h"\n'),
        live.shape_of_bytes(b'"SKU","PricePerUnit","Unit"\n'),
    ) == ["gone  .Price", "new   .PricePerUnit"]
    assert live.shape_of_bytes(b"<Cube currency='USD' rate='1.1'/>") == {
        ".Cube.currency": {"text"},
        ".Cube.rate": {"text"},
    }


@each_row("name", sorted(feeds()))
def test_a_source_that_sends_what_is_recorded_has_not_moved(name: str) -> None:
    lines, wrong = live.check_source(feeds()[name], Replay(name))
    assert not wrong, lines
    assert not [line for line in lines if ": gone" in line or ": other" in line or ": new" in line]
    assert not lines[0].startswith(f"{name}: 0 prices")


def test_a_source_that_moved_is_told_with_the_field() -> None:
    page = json.loads(raw("lium", "nodes.json"))
    for node in page["nodes"]:
        node["hourly"] = node.pop("price_per_gpu_hour")
    lines, wrong = live.check_source(feeds()["lium"], Replay("lium", {"nodes.json": json.dumps(page).encode()}))
    assert wrong
    assert "no price_per_gpu_hour any more" in lines[1]
    assert "  https://lium.io/api/public/v1/nodes: gone  .nodes[].price_per_gpu_hour" in lines
    assert "  https://lium.io/api/public/v1/nodes: new   .nodes[].hourly" in lines
