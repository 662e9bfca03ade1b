"""A refresh of every source there is, from a server of this machine that answers as recorded, from an empty start."""

from contextlib import closing

import pytest

from pricing import load_catalogue
from pricing.feeds.client import ClientLimits
from pricing.feeds.database import opened
from pricing.feeds.live import current
from pricing.feeds.refresh import RefreshResult, Ways, refresh
from pricing.feeds.sources import feeds
from pricing.feeds.store import LivePriceStore
from tests.pricing.feeds.made import DAY
from tests.pricing.feeds.world import World, environ_of, the_world

pytestmark = pytest.mark.slow


def refreshed(world: World, environ: dict[str, str]) -> RefreshResult:
    """All sources at once."""
    every = tuple(feeds().values())
    keys = {name: key for feed in every for name, key in environ_of(feed).items()}
    limits = ClientLimits(tries=1, first_pause_s=0.0)
    return refresh(every, load_catalogue(), Ways(environ | keys, limits, world.hosts(), day=DAY))


def test_from_an_empty_start_every_source_is_read(environ: dict[str, str]) -> None:
    with the_world() as world:
        result = refreshed(world, environ)
    assert {one.state for one in result.sources} == {"read"}
    assert all(one.seen or one.left for one in result.sources)
    with closing(opened(environ)) as database:
        held = LivePriceStore(database).held(DAY)
    assert {one.reason.kind for one in held} <= {"unknown_seller", "unknown_accelerator", "unclear_accelerator"}, (
        "no price is held by mistake"
    )
    live, facts = current(environ), load_catalogue()
    new = {value.source for offer in live.offers.values() if (figure := offer.usd_per_accelerator_hour) is not None
           for value in figure.values.values()}  # fmt: skip
    believed = {source.source for source in result.sources if source.verdicts.get("believed")}
    assert len([one for one in new if one.startswith("live-")]) > len(believed) / 2
    assert len(live.offers) > len(facts.offers)
    assert live.day >= DAY


def test_one_that_is_out_of_order_keeps_its_old_prices(environ: dict[str, str]) -> None:
    with the_world() as world:
        refreshed(world, environ)
        before = current(environ)
        world.out = frozenset({"azure"})
        result = refreshed(world, environ)
    states = {source.source: source.state for source in result.sources}
    assert states.pop("azure") == "failed"
    assert set(states.values()) == {"read"}
    assert current(environ).offers == before.offers
