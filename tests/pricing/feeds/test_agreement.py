"""Lies and collapses, played through: what a source may do to a price by itself, and what the market may.

Prices of the frozen catalogue: RunPod's H100 costs 2.69, Lambda's 4.29, Crusoe's 3.90, Together's 3.99.
"""

import math
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from typing import Any

import pytest

from pricing import load_catalogue
from pricing.feeds.agreement import MarketMoves
from pricing.feeds.database import opened
from pricing.feeds.feed import Feed
from pricing.feeds.live import current
from pricing.feeds.refresh import RefreshResult, Ways, refresh
from pricing.feeds.store import LivePriceStore
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.server import Answer, Server

pytestmark = pytest.mark.slow

RUNPOD = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"
LAMBDA = "lambda/H100-SXM5-80GB/1x/all-regions/on_demand"
COLLECTED = ("published-", "list-")  # sources that list other sellers
USUAL = {"RunPod": 2.69, "Lambda": 4.29, "Crusoe": 3.9, "Together": 3.99}

Says = Callable[..., RefreshResult]


def price_of(seller: str, factor: float) -> dict[str, Any]:
    """A seller's H100 at so many times its usual price."""
    of = {} if seller == "RunPod" else {"sku": ""}
    return row(round(USUAL[seller] * factor, 6), seller=seller, **of)


@pytest.fixture
def says(server: Server, environ: dict[str, str]) -> Says:
    """A refresh of sources, each of which sends some sellers' prices as factors of the usual ones, on a day."""

    def done(day: date, **sources: dict[str, float]) -> RefreshResult:
        feeds: list[Feed] = []
        for name, factors in sources.items():
            rows = [price_of(seller, factor) for seller, factor in factors.items()]
            server.says(f"/{name}", Answer(json={"rows": rows}))
            whose = {"via": "third_party"} if name.startswith(COLLECTED) else {"sellers": tuple(factors)}
            feeds.append(source(name, **whose))
        ways = Ways(day=day, environ=environ, limits=BRISK, at=server.at(HOST))
        return refresh(feeds, load_catalogue(), ways)

    return done


def usd(environ: dict[str, str], key: str) -> float:
    """What is believed now."""
    figure = current(environ).offers[key].usd_per_accelerator_hour
    return figure.newest.typical


def reasons(environ: dict[str, str], day: date) -> list[str]:
    """Why prices wait."""
    with closing(opened(environ)) as database:
        return [one.reason.kind for one in LivePriceStore(database).held(day)]


def test_nine_refreshes_of_one_afternoon_that_lie_a_little_are_one_step(says: Says, environ: dict[str, str]) -> None:
    """The attack that took an H100 from 2.69 to 0.03: 30 % less, then 45 % less each time, two sellers at once."""
    factor = 0.7
    for _ in range(9):
        says(DAY, liar={"RunPod": factor, "Lambda": factor})
        factor *= 0.55
    assert usd(environ, RUNPOD) >= 2.69 * 0.69
    assert usd(environ, LAMBDA) >= 4.29 * 0.69
    assert set(reasons(environ, DAY)) <= {"jump", "drift", "alone"}


@pytest.mark.slow
def test_thirty_percent_a_day_ends_where_a_drift_of_its_class_ends(says: Says, environ: dict[str, str]) -> None:
    for days in range(12):
        says(DAY + timedelta(days=days), honest={"Crusoe": 1.0}, liar={"RunPod": 0.7 ** (days + 1)})
    assert usd(environ, RUNPOD) >= 2.69 * math.exp(-0.625 * 1.2), "no further than one jump of its class in 30 days"
    assert reasons(environ, DAY + timedelta(days=11)) == ["jump"]


@pytest.mark.slow
def test_a_lie_that_is_repeated_each_second_day_is_bound_for_ninety_days(says: Says, environ: dict[str, str]) -> None:
    factor = 1.0
    for days in range(90):
        factor *= 0.8 if days % 2 == 0 else 1.0
        says(DAY + timedelta(days=days), liar={"RunPod": factor})
        if usd(environ, RUNPOD) > 2.69 * factor * 1.05:
            factor = usd(environ, RUNPOD) / 2.69  # it begins again from what is believed
    assert usd(environ, RUNPOD) >= 2.69 * math.exp(-1.5 * 0.625 * 1.2)


@pytest.mark.parametrize("factor", [10.0, 0.1, 100.0, 0.01])
def test_one_source_that_is_wrong_by_a_factor_is_held(says: Says, environ: dict[str, str], factor: float) -> None:
    found = says(DAY, honest={"Crusoe": 1.0, "Together": 1.0}, liar={"RunPod": factor})
    assert found.sources[1].verdicts == {"held": 1}
    says(DAY + timedelta(days=1), liar={"RunPod": factor})
    assert reasons(environ, DAY + timedelta(days=1)) != []
    assert usd(environ, RUNPOD) == 2.69


@pytest.mark.parametrize("factor", [0.4, 3.0])
def test_all_sellers_of_one_collector_are_one_voice(says: Says, environ: dict[str, str], factor: float) -> None:
    for days in range(4):
        says(DAY + timedelta(days=days), collector=dict.fromkeys(USUAL, factor))
    assert usd(environ, RUNPOD) == 2.69
    assert usd(environ, LAMBDA) == 4.29
    assert len(reasons(environ, DAY + timedelta(days=3))) == 4


def test_a_launch_that_halves_three_sellers_is_believed_within_three_days(says: Says, environ: dict[str, str]) -> None:
    for days in range(4):
        factor = 1.0 if days == 0 else 0.45
        found = says(
            DAY + timedelta(days=days),
            one={"RunPod": factor}, two={"Lambda": factor}, three={"Crusoe": factor}, four={"Together": 1.0},
        )  # fmt: skip
    assert usd(environ, RUNPOD) == pytest.approx(2.69 * 0.45)
    assert usd(environ, LAMBDA) == pytest.approx(4.29 * 0.45)
    assert reasons(environ, DAY + timedelta(days=3)) == []
    (h100,) = (move for move in found.moves if move.name == "H100-SXM5-80GB" and not move.spot)
    assert (h100.sellers, round(h100.low, 2), round(h100.high, 2)) == (4, 0.45, 1.0)


def test_a_price_war_of_three_sellers_is_followed(says: Says, environ: dict[str, str]) -> None:
    for days in range(5):
        factor = max(0.75**days, 0.32)
        says(DAY + timedelta(days=days), one={"RunPod": factor}, two={"Lambda": factor}, three={"Crusoe": factor})
    for days in (5, 6):
        says(DAY + timedelta(days=days), one={"RunPod": factor}, two={"Lambda": factor}, three={"Crusoe": factor})
    assert usd(environ, RUNPOD) == pytest.approx(2.69 * factor, rel=1e-4)


def test_a_move_of_one_seller_waits_for_the_second_day(says: Says, environ: dict[str, str]) -> None:
    says(DAY, one={"RunPod": 1.0})
    says(DAY + timedelta(days=1), one={"RunPod": 0.65})
    assert (usd(environ, RUNPOD), reasons(environ, DAY + timedelta(days=1))) == (2.69, ["alone"])
    says(DAY + timedelta(days=1), one={"RunPod": 0.65})
    assert usd(environ, RUNPOD) == 2.69, "the same day is no second reading"
    says(DAY + timedelta(days=2), one={"RunPod": 0.65})
    assert usd(environ, RUNPOD) == pytest.approx(2.69 * 0.65)


def test_a_move_that_another_source_names_too_waits_for_nothing(says: Says, environ: dict[str, str]) -> None:
    says(DAY, one={"RunPod": 1.0}, two={"RunPod": 1.0})
    says(DAY + timedelta(days=1), one={"RunPod": 0.65}, two={"RunPod": 0.65})
    says(DAY + timedelta(days=1), one={"RunPod": 0.65}, two={"RunPod": 0.65})
    assert usd(environ, RUNPOD) == pytest.approx(2.69 * 0.65)


@pytest.mark.parametrize("names", [("published-one", "published-two"), ("published-signed-1", "published-signed-2")])
def test_two_folders_of_one_liar_are_one_voice(says: Says, environ: dict[str, str], names: tuple[str, str]) -> None:
    """Each confirms the other, and both name several sellers that moved: with two addresses, with two keys."""
    says(DAY, **{name: dict.fromkeys(USUAL, 1.0) for name in names})
    for _ in range(2):
        says(DAY + timedelta(days=1), **{name: {"RunPod": 0.6, "Lambda": 0.6} for name in names})
    assert usd(environ, RUNPOD) == 2.69
    assert usd(environ, LAMBDA) == 4.29
    assert reasons(environ, DAY + timedelta(days=1)) == ["alone"] * 4
    for days in (2, 3):
        says(DAY + timedelta(days=days), **{name: {"RunPod": 0.3, "Lambda": 0.3} for name in names})
    assert usd(environ, RUNPOD) == 2.69
    assert set(reasons(environ, DAY + timedelta(days=3))) == {"jump"}


def test_folders_and_a_seller_itself_are_two_voices(says: Says, environ: dict[str, str]) -> None:
    says(DAY, one={"RunPod": 1.0}, **{"published-one": {"RunPod": 1.0}})
    says(DAY + timedelta(days=1), **{"published-one": {"RunPod": 0.65}})
    assert usd(environ, RUNPOD) == 2.69
    says(DAY + timedelta(days=1), one={"RunPod": 0.65})
    assert usd(environ, RUNPOD) == pytest.approx(2.69 * 0.65)


def lists(moves: MarketMoves, **sources: dict[int, float]) -> dict[str, str]:
    """Whose voice each source is, that lists these machines at these prices."""
    for name, prices in sources.items():
        moves.collect(name.replace("_", "-"), prices.items())
    return {name: moves.voice(name.replace("_", "-")) for name in sources}


def test_a_collector_that_lists_what_another_lists_is_no_second_voice() -> None:
    own, other = ({number: price + number for number in range(20)} for price in (1.0, 2.0))
    mostly = {**own, 0: 7.0, 1: 7.0, 2: 7.0}
    partly = {**own, **dict.fromkeys(range(6), 7.0)}
    voices = lists(MarketMoves(), list_a=own, list_b=mostly, list_c=other, list_d=partly, published_x=other)
    assert voices == {
        "list_a": "list-a", "list_b": "list-a", "list_c": "published-", "list_d": "list-a", "published_x": "published-",
    }  # fmt: skip
    few = dict.fromkeys(range(9), 1.0)
    assert lists(MarketMoves(), list_a=few, list_b=few) == {"list_a": "list-a", "list_b": "list-b"}
