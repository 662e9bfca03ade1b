"""A refresh of a real collection: no product stands twice, and no record gets another's price."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from pricing.catalogue import Catalogue
from pricing.feeds import live
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, HostedPriceObservation
from pricing.feeds.given import NameDecisions
from pricing.feeds.named import FeedNameResolver
from pricing.feeds.refresh import RefreshResult, Ways, refresh
from pricing.feeds.sources import feeds
from pricing.names import plain
from tests.frozen import live_catalogue
from tests.pricing.feeds.made import DAY
from tests.pricing.feeds.replay import Replay, raw
from tests.pricing.feeds.test_real_replies import FOLDER

REALLY_NEW = {
    ("latitude", "B300-SXM-288GB"), ("latitude", "RTX-PRO-6000-96GB"), ("salad", "RTX-3090-24GB"),
    ("salad", "RTX-3090-Ti-24GB"), ("salad", "RTX-4090-24GB"), ("salad", "RTX-5080-16GB"), ("salad", "RTX-5090-32GB"),
}  # fmt: skip


def collection(day: date) -> bytes:
    """The real collection as if it were of this day."""
    page = json.loads(raw("gpurentalprices", "latest.json", FOLDER))
    return json.dumps({**page, "date": day.isoformat()}).encode()


def with_replies(name: str, changed: Mapping[str, bytes] | None = None) -> Feed:
    """A source that sends its real reply."""
    feed = feeds()[name]

    def read(_ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
        yield from feed.read(Replay(name, changed or {}, folder=FOLDER))

    return replace(feed, read=read)


def go(environ: dict[str, str], *sources: Feed) -> RefreshResult:
    return refresh(sources, live_catalogue(), Ways(environ, day=DAY))


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """The catalogue that is laid over."""
    monkeypatch.setattr(live, "load_catalogue", live_catalogue)
    live._stored.cache_clear()
    live._with_live_prices.cache_clear()
    return live_catalogue()


def chips(catalogue: Catalogue, name: str) -> set[str]:
    """All that a name may stand for."""
    wide = catalogue.ambiguous.get(name)
    return {name, *(wide.candidates if wide else ())}


def test_no_product_of_a_real_collection_stands_twice(facts: Catalogue, environ: dict[str, str]) -> None:
    result = go(environ, with_replies("gpurentalprices", {"latest.json": collection(DAY)}))
    now = live.current(environ)
    new = {key: offer for key, offer in now.offers.items() if key not in facts.offers}
    assert result.sources[0].seen == 261
    for key, offer in new.items():
        twins = [
            old
            for old, known in facts.offers.items()
            if (known.provider, known.purchase) == (offer.provider, offer.purchase)
            and chips(facts, known.accelerator) & chips(facts, offer.accelerator)
        ]
        assert not twins, (key, twins)
    assert {(offer.provider, offer.accelerator) for offer in new.values()} <= REALLY_NEW
    moved = [key for key in facts.offers if now.offers[key] != facts.offers[key]]
    assert len(moved) > 200, "all others are today's price of an offer that is known"


def test_a_source_that_is_read_without_what_it_must_name_is_told(facts: Catalogue, environ: dict[str, str]) -> None:
    whole = json.loads(collection(DAY))
    rows = [row for row in whole["offers"] if row["gpu"] != "b300"]
    result = go(
        environ, with_replies("gpurentalprices", {"latest.json": json.dumps({**whole, "offers": rows}).encode()})
    )
    wish = "gpurentalprices.com was read, but without B300-SXM-288GB: its old prices of them stay."
    assert (result.sources[0].state, result.sources[0].said) == ("read", wish)
    assert go(environ, with_replies("gpurentalprices", {"latest.json": collection(DAY)})).sources[0].said == ""
    assert facts.offers.keys() <= live.current(environ).offers.keys()


def test_the_same_collection_twice_adds_nothing(facts: Catalogue, environ: dict[str, str]) -> None:
    source = with_replies("gpurentalprices", {"latest.json": collection(DAY)})
    go(environ, source)
    first = set(live.current(environ).offers)
    go(environ, source)
    assert set(live.current(environ).offers) == first


@pytest.mark.parametrize("name", ["litellm", "genai-prices"])
def test_no_hosted_record_gets_the_price_of_another_tier(name: str, facts: Catalogue, environ: dict[str, str]) -> None:
    said = {
        (plain(one.vendor), plain(one.model), one.tier): one.input_usd_per_mtoken
        for _, one in feeds()[name].read(Replay(name, folder=FOLDER))
        if isinstance(one, HostedPriceObservation)
    }
    go(environ, with_replies(name))
    now = live.current(environ)
    for key, record in facts.hosted.items():
        if now.hosted[key] != record:
            price: Any = now.hosted[key].input_usd_per_mtoken.newest.typical
            vendor, model, tier = plain(record.vendor), plain(record.model), record.tier or ""
            told = [
                usd
                for (of, which, of_tier), usd in said.items()
                if which == model and (of_tier or "") in (tier, "dearest hours")
            ]
            assert price in told, (key, price, told, vendor)


def test_a_wide_name_is_the_accelerator_that_the_seller_is_known_to_sell(facts: Catalogue) -> None:
    chip = FeedNameResolver(facts, NameDecisions()).chip
    assert chip("coreweave", "H100", 80) == "H100-SXM5-80GB"  # the only one of its list
    assert chip("vultr", "A100", 80, 1) == "A100-PCIe-80GB"  # its SXM ones come in eights
    assert chip("spheron", "H100", 80) == "H100-80GB"  # its list says no more either
    reason = chip("hyperstack", "H100", 80)  # sells both
    assert not isinstance(reason, str)
    assert (reason.kind, reason.name) == ("unclear_accelerator", "H100 with 80 GB at hyperstack")
