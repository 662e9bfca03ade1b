"""Which offer a plan takes: the cheapest whole bill, not the lowest sticker, at a price that can be believed."""

from datetime import timedelta
from typing import Any

import pytest

from planner.money.renting import cheapest_offer
from planner.money.renting.cheapest_offer import taken
from planner.money.setting import ChosenOffers, PlanContext
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue
from pricing.market.sellers import listed
from pricing.records import Offer
from tests.money.renting import DAY, MARKET, figure, offer, plan, work, world
from tests.rows import slow_except

CHIPS = ("H100-SXM5-80GB", "A100-SXM4-80GB", "L40S-48GB", "RTX-4090-24GB", "MI300X-192GB")


def chosen(*works: dict[str, Any], offers: dict[str, Offer], after_days: int = 0, **changes: Any) -> ChosenOffers:
    """What a plan takes among these."""
    return taken(PlanContext(world(offers), plan(*works, **changes), DAY + timedelta(days=after_days)))


def test_one_of_each_kind() -> None:
    offers = chosen(work(may_stop=True), offers=MARKET)
    assert (offers.on_demand, offers.reserved, offers.spot) == ("now", "year", "spot")
    assert (offers.one_year, offers.three_years) == ("year", "years")


def test_the_three_year_reservation_wins_where_the_plan_is_long_enough() -> None:
    assert chosen(offers=MARKET, years=3.0).reserved == "years"
    assert chosen(offers=MARKET, years=2.0).reserved == "year"  # 2 x 1.5 against 3 x 1.2


def test_whole_machines_can_turn_the_choice() -> None:
    offers = {"big": offer(usd=1.9, per_machine=8), "small": offer(usd=2.0, per_machine=1)}
    assert chosen(work(accelerators=9), offers=offers).on_demand == "small"
    assert chosen(work(accelerators=16), offers=offers).on_demand == "big"


def test_what_you_name_is_taken() -> None:
    offers = chosen(
        offers={**MARKET, "dear": offer(usd=9.0)},
        rent={"offer": "dear"},
        reserve={"offer": "years"},
        spot={"offer": "now"},
    )
    assert (offers.on_demand, offers.reserved, offers.spot) == ("dear", "years", "now")


def test_a_term_narrows_the_choice() -> None:
    assert chosen(offers=MARKET, reserve={"term": "reserved_3y"}).reserved == "years"
    assert chosen(offers=MARKET, reserve={"term": "reserved_1m"}).reserved is None


def test_a_stale_price_is_not_believed_beside_fresh_ones() -> None:
    """What was read once at 1.9, half a year ago, is worth more today than the 2.0 that somebody asks now."""
    now = {"q": 2.0, "r": 2.3, "s": 2.5, "t": 2.7, "u": 2.9}
    seen = {who: figure(usd, "USD/accelerator-hour").model_copy(update={"checked": DAY + timedelta(days=199)})
            for who, usd in now.items()}  # fmt: skip
    fresh = {who: offer(provider=who).model_copy(update={"usd_per_accelerator_hour": seen[who]}) for who in now}
    assert chosen(offers={"old": offer(usd=1.9), "q": offer(usd=2.0, provider="q")}).on_demand == "old"
    assert chosen(offers={"old": offer(usd=1.9), **fresh}, after_days=200).on_demand == "q"


def test_no_spot_is_taken_where_nothing_may_stop() -> None:
    assert chosen(offers=MARKET).spot is None


def test_a_job_on_many_small_spot_machines_is_dearer_than_their_sticker() -> None:
    """Sixteen machines are taken sixteen times as often as one: that outweighs a sticker two percent lower."""
    offers = {"small": offer("spot", 0.98, per_machine=1), "big": offer("spot", 1.0, per_machine=16)}
    assert chosen(work(accelerators=16, may_stop=True), offers=offers).spot == "big"
    assert chosen(work(accelerators=16, accelerators_per_job=1, may_stop=True), offers=offers).spot == "small"


def test_a_reservation_that_is_let_go_is_chosen_with_what_follows() -> None:
    """Three years; a year at 1.0 and two on demand at 4.0 cost more than three years at 2.5."""
    offers = {"now": offer(usd=4.0), "year": offer("reserved_1y", 1.0), "years": offer("reserved_3y", 2.5)}
    full = work(busy_share=1.0)
    assert chosen(full, offers=offers, years=3.0, reserve={"at_end": "roll"}).reserved == "year"
    assert chosen(full, offers=offers, years=3.0, reserve={"at_end": "expire"}).reserved == "years"


@pytest.mark.parametrize("at_end", ["roll", "expire"])
def test_growing_work_is_reserved_term_by_term(at_end: str) -> None:
    offers = chosen(work(growth_per_year=0.5), offers=MARKET, years=3.0, reserve={"at_end": at_end})
    assert offers.reserved in ("year", "years")


def test_nothing_on_offer_is_nothing_taken() -> None:
    offers = chosen(offers={})
    assert (offers.on_demand, offers.reserved, offers.spot) == (None, None, None)


@pytest.mark.parametrize("chip", slow_except(("H100-SXM5-80GB",), CHIPS))
@pytest.mark.parametrize("gpus", [1, 12, 256])
def test_offers_that_their_own_seller_undercuts_change_no_choice(
    chip: str, gpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, scenario = load_catalogue(), Scenario(accelerator=chip, work=(Work(accelerators=gpus, may_stop=True),))
    few = taken(PlanContext(facts, scenario, facts.day))
    monkeypatch.setattr(cheapest_offer, "_undominated", listed)
    copies = {f"{key}-again": offer for key, offer in facts.offers.items()}
    every = facts.model_copy(update={"offers": {**facts.offers, **copies}})
    many = taken(PlanContext(every, scenario, facts.day))
    assert (few.on_demand, few.spot, few.reserved_tiers) == (many.on_demand, many.spot, many.reserved_tiers)
