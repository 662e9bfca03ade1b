"""What is free at a seller, from its reply to the market's depth and the table of offers."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.report.market.prices import offer_rows
from pricing import load_catalogue
from pricing.catalogue import Catalogue
from pricing.feeds.feed import GateReason, InterruptionObservation
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.live import current
from pricing.feeds.machines import contracts, counts_machines
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.registry import published_feed
from pricing.feeds.sources import feeds
from pricing.feeds.store import PriorPrices
from pricing.market.sellers import sellers
from pricing.orderable import Capacity, at_once, free_accelerators, sales
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.replay import raw
from tests.pricing.feeds.server import Answer, Server

H100 = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"


@pytest.fixture
def free(server: Server, environ: dict[str, str]) -> Callable[..., Catalogue]:
    """The catalogue after a reading of this day, in which so many machines are free."""

    def done(number: int | None, name: str = "lium", **more: Any) -> Catalogue:
        server.says(f"/{name}", Answer(json={"rows": [row(2.7, free=number), *more.get("rows", ())]}))
        ways = Ways(day=more.get("day", DAY), environ=environ, limits=BRISK, at=server.at(HOST))
        refresh((source(name, sellers=("runpod",), via="price_api"),), load_catalogue(), ways)
        return current(environ)

    return done


def test_what_is_free_travels_in_a_published_folder(
    free: Callable[..., Catalogue], environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    free(4, name="vast")
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "other"))
    refresh((published_feed(str(tmp_path / "out")),), load_catalogue(), Ways(day=DAY))
    assert current().offers[H100].free_machines == 4


def depth_of(catalogue: Catalogue, day: date = DAY) -> float | None:
    return next(it.free_now for it in sellers(catalogue, "H100-SXM5-80GB", day) if (it.name, it.kind) == WHOSE)


WHOSE = ("runpod", "machine")


def test_a_count_of_free_machines_is_the_depth_of_its_seller(free: Callable[..., Catalogue]) -> None:
    catalogue = free(5)
    assert catalogue.offers[H100].free_machines == 5
    assert at_once(catalogue, H100, DAY) == Capacity(5, assumed=False)
    assert depth_of(catalogue) == 5
    (shown,) = offer_rows(catalogue, [H100], DAY)
    assert (shown["most_at_once"], shown["most_is_published"], shown["free_now"]) == (5, True, 5)


def test_machines_of_other_sizes_are_parts_of_the_same(free: Callable[..., Catalogue]) -> None:
    eight = row(21.6, count=8, free=2)
    assert depth_of(free(5, rows=(eight,))) == 16


def test_none_free_is_none(free: Callable[..., Catalogue]) -> None:
    catalogue = free(0)
    assert free_accelerators(catalogue.offers[H100], DAY) == 0
    assert depth_of(catalogue) == 0


def test_a_count_is_forgotten_with_the_day(free: Callable[..., Catalogue]) -> None:
    catalogue, later = free(5), DAY + timedelta(days=2)
    assert free_accelerators(catalogue.offers[H100], DAY + timedelta(days=1)) == 5
    assert free_accelerators(catalogue.offers[H100], later) is None
    assert at_once(catalogue, H100, later) == sales(catalogue)[H100].most
    assert depth_of(catalogue, later) is None


def test_a_number_of_places_counts_no_machines_but_none_of_them_does(free: Callable[..., Catalogue]) -> None:
    assert not counts_machines("lambda")
    assert free(3, name="lambda").offers[H100].free_machines is None
    assert free(0, name="lambda").offers[H100].free_machines == 0


def test_every_source_has_a_contract() -> None:
    assert set(contracts()) == set(feeds())
    assert {name for name, row in contracts().items() if not row["real"]} == {
        "gpuhunt", "hyperstack", "lambda", "shadeform", "thunder",
    }  # fmt: skip


def test_aws_classes_of_interruption_are_what_a_spot_plan_starts_from(
    server: Server, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advisor, facts = feeds()["aws-spot-advisor"], load_catalogue()
    server.says("/spot-advisor-data.json", Answer(body=raw("aws-spot-advisor", "advisor.json")))
    ways = Ways(day=DAY, environ=environ, limits=BRISK, at=server.at(*advisor.hosts))
    assert refresh((advisor,), facts, ways).sources[0].seen == 3
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "other"))
    refresh((published_feed(str(tmp_path / "out")),), facts, Ways(day=DAY))
    for catalogue in (current(environ), current()):
        h100 = catalogue.facts["spot-interruptions-h100-sxm5-80gb"].figure.newest  # 10 to 15 percent, and over 20
        assert (h100.low, h100.typical, h100.high) == pytest.approx((0.000183, 0.011987, 0.071921), rel=0.01)
        assert h100.kind == "derived"
        b200 = catalogue.facts["spot-interruptions-b200-sxm-180gb"]  # the facts that ship have none of it
        assert b200.figure.newest.typical == pytest.approx(0.00325, rel=0.01)
        assert b200.label == "Interruptions of a spot instance, B200-SXM-180GB"


def test_a_share_that_cannot_be_is_refused() -> None:
    gate = PriceValidator(MarketPrices.of(load_catalogue()), PriorPrices(), DAY, "aws-spot-advisor")
    one = InterruptionObservation("H100-SXM5-80GB", "p5.48xlarge", "us-east-1", 0.075)
    assert gate.reading(one, "").reason is None
    for wrong in (replace(one, share=0.0), replace(one, share=1.0), replace(one, accelerator="H900")):
        assert gate.reading(wrong, "").reason == GateReason("no_price")
