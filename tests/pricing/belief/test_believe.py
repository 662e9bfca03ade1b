"""What a dated price is worth: golden numbers of the method, and what must hold for any prices."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.belief import PriceEstimates, believed
from pricing.belief.readings import CLASSES, MarketIndex, constants, market_index, readings, repricings_per_month
from pricing.catalogue import Catalogue
from pricing.figure import Figure, FigureValue
from pricing.load import build
from pricing.quotes import YOURS
from pricing.records import Offer
from tests.rows import each_row
from tests.small_catalogue import CHIPS

TODAY = date(2026, 11, 22)
CHIP = "H100-SXM5-80GB"
KINDS = {"list": "hyperscaler", "market": "marketplace", "posted": "neocloud"}


class Read(NamedTuple):
    """An offer: its class, how old its price is, and on how many days it was read."""

    kind: str
    age_days: int
    usd: float
    reads: int = 2
    provider: str = ""  # empty: a seller of its own


def catalogue_of(reads: Sequence[Read], purchase: str = "on_demand") -> Catalogue:
    sellers = [one.provider or chr(ord("a") + place) for place, one in enumerate(reads)]
    providers = "".join(
        f"  {who}: {{label: {who.upper()}, kind: {KINDS[one.kind]}}}\n"
        for who, one in dict(zip(sellers, reads, strict=True)).items()
    )
    rent = f'about: "Sellers."\nproviders:\n{providers}'
    bare = build({"chips.yaml": CHIPS.encode(), "rent.yaml": rent.encode()}, "digest")
    offers = {
        f"{who}/{place}": _offer(who, one, purchase)
        for place, (who, one) in enumerate(zip(sellers, reads, strict=True))
    }
    return bare.model_copy(update={"offers": offers, "sources": {**bare.sources, "lists": bare.sources["maker"]}})


def _offer(provider: str, one: Read, purchase: str) -> Offer:
    newest = TODAY - timedelta(days=one.age_days)
    days = [newest - timedelta(days=7 * back) for back in range(one.reads)]
    values = {day: FigureValue(typical=one.usd, kind="list_price", source="lists") for day in days}
    return Offer(
        provider=provider, accelerator=CHIP, accelerators_per_instance=8, region="somewhere", area="europe",
        purchase=purchase,
        usd_per_accelerator_hour=Figure(unit="USD/accelerator-hour", checked=newest, values=values),
    )  # fmt: skip


def worth(reads: Sequence[Read], *, moves: float = 1.0) -> PriceEstimates:
    """In a market that rises by a thousandth a day, in logs, and whose sellers have shown nothing of their own."""
    catalogue = catalogue_of(reads)
    known, day = readings(catalogue), TODAY.toordinal()
    days = np.arange(day - 400, day + 1, dtype=np.float64)
    usual = [constants().classes[CLASSES[place]].repricings_per_month for place in known.of_class]
    known.kept["market_index", day] = MarketIndex(days, 0.001 * (days - day) * moves)
    known.kept["repricings_per_month", day] = np.array(usual)
    return believed(catalogue, TODAY, tuple(catalogue.offers))


@pytest.mark.parametrize(
    ("kind", "low", "typical", "high"),
    [("posted", 3.1014, 3.5224, 4.0006), ("list", 3.3746, 3.494, 3.6176), ("market", 2.5827, 3.5836, 4.9724)],
)
def test_one_price_of_42_days_in_a_market_that_rises_by_a_thousandth_a_day(
    kind: str, low: float, typical: float, high: float
) -> None:
    """Calculated apart, by the formulas of the decision."""
    found = worth([Read(kind, 42, 3.49)]).at(0)
    assert (found.low, found.typical, found.high) == pytest.approx((low, typical, high), abs=6e-5)


def test_three_prices_read_today_by_hand() -> None:
    """Votes of equal weight: the cheaper half is all of the first and half of the second."""
    estimates = worth([Read("posted", 0, 2.0), Read("posted", 0, 3.0), Read("posted", 0, 4.0)])
    low = (2 * np.log(2.0) + np.log(3.0)) / 3
    there = 0.95
    middle = there * np.log(2.0) + (1 - there) * low  # read today: nothing holds it up
    gap, weight = low - np.log(2.0), 3.0
    doubt = there * (0.01 / 1.2816) ** 2 + (1 - there) * (0.3**2 + 0.3**2 / weight) + there * (1 - there) * gap**2
    assert estimates.market_usd.tolist() == pytest.approx([np.exp(low)] * 3)
    assert estimates.typical.tolist() == pytest.approx([np.exp(middle), 3.0, 4.0])
    assert estimates.high[0] == pytest.approx(np.exp(middle + 1.2816 * np.sqrt(doubt)))


def test_an_old_price_pulls_so_far_and_no_further() -> None:
    """By hand: nine at 4.00 read today, one at 1.00 read 120 days ago that weighs exp(-2) of theirs."""
    estimates = worth([Read("posted", 120, 1.0), *[Read("posted", 0, 4.0)] * 9], moves=0.0)
    old = np.exp(-2.0)
    low = ((0.5 * (9 + old) - old) * np.log(4.0)) / (0.5 * (9 + old))
    held = low - 0.15 / (1 - np.exp(-4.0))
    there = 0.95 * np.exp(-0.6)
    assert estimates.typical[0] == pytest.approx(np.exp(there * held + (1 - there) * low))
    assert estimates.typical[0] > 3.3


def test_a_price_of_42_days_in_a_market_that_rose_by_an_eighth_goes_up_by_a_fortieth() -> None:
    """By hand: 0.18 changes a month for 42 days leave 22 % of prices changed; 12 % of that is 2.5 %."""
    repriced = 1 - np.exp(-0.18 * 42 / 30.4)
    catalogue = catalogue_of([Read("posted", 42, 3.49)])
    known, day = readings(catalogue), TODAY.toordinal()
    known.kept["market_index", day] = MarketIndex(np.array([day - 42.0, day]), np.array([-np.log(1.12), 0.0]))
    known.kept["repricings_per_month", day] = np.array([0.18])
    found = believed(catalogue, TODAY, tuple(catalogue.offers)).at(0)
    assert found.repriced == pytest.approx(repriced)
    assert found.typical == pytest.approx(3.49 * 1.12**repriced)
    assert found.high / found.typical == pytest.approx(np.exp(0.01 + 0.25 * np.sqrt(repriced)))


@pytest.mark.parametrize("moves", [10.0, -10.0])
def test_the_market_carries_no_price_further_than_half_a_log(moves: float) -> None:
    found = worth([Read("posted", 200, 3.49)], moves=moves).at(0)  # it moved by two
    assert found.typical == pytest.approx(3.49 * np.exp(np.copysign(0.5, moves) * found.repriced))


def test_a_price_read_on_one_day_only_is_doubted_by_two_fifths_with_the_time() -> None:
    once, twice, often = (worth([Read("posted", 60, 3.0, reads)]).at(0).available for reads in (1, 2, 9))
    assert once == pytest.approx(twice * (1 - 0.4 * (1 - np.exp(-60 / constants().settling_days))))
    assert twice == often


def test_the_same_price_wins_while_it_is_fresh_and_not_when_it_is_old() -> None:
    others = [Read("posted", 5, usd) for usd in (3.2, 3.3, 3.5, 3.6, 4.0)]
    fresh = worth([Read("posted", 0, 2.0, 1), *others], moves=0.0)
    old = worth([Read("posted", 200, 2.0, 1), *others], moves=0.0)
    assert fresh.typical[0] < 2.1
    assert old.typical[0] > 2.9


@each_row("age_days", [250, 299, 300, 301, 330, 364, 365, 366, 500])
def test_no_birthday_of_a_price_changes_what_it_is_worth(age_days: int) -> None:
    others = [Read("posted", 60, usd) for usd in (3.2, 3.3, 3.5)]
    before, after = (
        worth([Read("posted", age, 2.0), *others], moves=0.0).typical[0] for age in (age_days, age_days + 1)
    )
    assert after / before == pytest.approx(1.0, abs=0.01)


@given(
    st.lists(
        st.builds(
            Read,
            kind=st.sampled_from(list(KINDS)),
            age_days=st.integers(0, 700),
            usd=st.floats(0.05, 50),
            reads=st.integers(1, 4),
            provider=st.just(""),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_a_range_holds_its_middle_and_nothing_is_believed_below_what_was_read_but_moved(reads: list[Read]) -> None:
    estimates = worth(reads, moves=0.0)
    assert np.all((estimates.low <= estimates.typical) & (estimates.typical <= estimates.high))
    assert np.all(estimates.typical >= estimates.read_usd * (1 - 1e-9))
    assert np.all(
        (estimates.available >= 0) & (estimates.available <= 1) & (estimates.repriced >= 0) & (estimates.repriced <= 1)
    )
    assert estimates.sellers[0] == len(reads)


def test_a_seller_has_one_vote_however_many_offers_it_posts() -> None:
    many = [Read("posted", 10, 2.0 + at / 100, provider="many") for at in range(9)]
    others = [Read("posted", 10, usd) for usd in (3.0, 3.1, 3.2, 3.3)]
    estimates = worth([*many, *others], moves=0.0)
    assert estimates.sellers[0] == 5
    assert 2.0 < estimates.market_usd[0] < 3.1


def test_an_offer_without_a_price_has_no_worth() -> None:
    catalogue = catalogue_of([Read("posted", 10, 2.0)])
    ask = catalogue.offers["a/0"].model_copy(update={"usd_per_accelerator_hour": None})
    there = catalogue.model_copy(update={"offers": {**catalogue.offers, "ask": ask}})
    found = believed(there, TODAY, ("ask", "a/0"))
    assert np.isnan(found.typical[0])
    assert found.typical[1] > 0


def quoted(age_days: int) -> Catalogue:
    """One price of your own, of this age."""
    catalogue = catalogue_of([Read("posted", age_days, 2.0)])
    ((key, offer),) = catalogue.offers.items()
    figure = offer.usd_per_accelerator_hour
    values = {day: value.model_copy(update={"source": YOURS}) for day, value in figure.values.items()}
    priced = offer.model_copy(update={"usd_per_accelerator_hour": figure.model_copy(update={"values": values})})
    return catalogue.model_copy(update={"offers": {key: priced}})


def test_your_own_price_holds_a_month_and_ages_from_then_on() -> None:
    fresh, month, older = (believed(quoted(days), TODAY, ("a/0",)).at(0) for days in (0, 30, 60))
    assert fresh.low == fresh.high == month.low == month.high == pytest.approx(2.0)
    assert older.high / older.low == pytest.approx(np.exp(2 * 0.25 * np.sqrt(1 - np.exp(-0.18 * 30 / 30.4))))


def test_a_spot_price_votes_beside_the_usual_share_of_the_price_on_demand() -> None:
    """By hand: the vote of 0.47 x 3.00 weighs as much as a price of 60 days, and is the lower of the two."""
    rented = catalogue_of([Read("posted", 0, 3.0)])
    spot = catalogue_of([Read("posted", 0, 2.0)], "spot").offers["a/0"]
    catalogue = rented.model_copy(update={"offers": {**rented.offers, "spot": spot}})
    usual, here = np.log(0.47 * 3.0), np.log(2.0)
    weight, half = np.exp(-1.0), (1 + np.exp(-1.0)) / 2
    low = (weight * usual + (half - weight) * here) / half
    assert believed(catalogue, TODAY, ("spot",)).at(0).market_usd == pytest.approx(np.exp(low))


def test_days_on_which_a_price_was_read_and_what_its_seller_has_shown_by_a_day() -> None:
    reads = [Read("posted", 10, 2.0, 1), Read("posted", 10, 2.0, 1), Read("posted", 10, 2.0, 3)]
    catalogue = catalogue_of(reads)
    again = catalogue.offers["b/1"].usd_per_accelerator_hour
    looked_at = catalogue.offers["b/1"].model_copy(
        update={"usd_per_accelerator_hour": again.model_copy(update={"checked": TODAY})}
    )
    known = readings(catalogue.model_copy(update={"offers": {**catalogue.offers, "b/1": looked_at}}))
    assert known.days_read.tolist() == [1, 2, 3]
    day = TODAY.toordinal()
    usual = constants().classes["posted"].repricings_per_month
    assert repricings_per_month(known, day - 400).tolist() == pytest.approx([usual] * 3)
    learnt = [3 * usual / (3 + days / 30.4) for days in (0, 10, 14)]  # the same price again each time
    assert repricings_per_month(known, day).tolist() == pytest.approx(learnt)


def test_changes_between_two_knots_of_the_index_move_it() -> None:
    """Twenty sellers rise by a hundredth in ten days of one month: up to three in the month, drawn towards none."""
    catalogue = catalogue_of([Read("posted", 10, 2.02)] * 20)
    offers = {}
    for key, offer in catalogue.offers.items():
        figure = offer.usd_per_accelerator_hour
        newest = next(iter(figure.values.values()))
        first = newest.model_copy(update={"typical": 2.0})
        values = {TODAY - timedelta(days=20): first, TODAY - timedelta(days=10): newest}
        offers[key] = offer.model_copy(
            update={"usd_per_accelerator_hour": figure.model_copy(update={"values": values})}
        )
    day = TODAY.toordinal()
    index = market_index(readings(catalogue.model_copy(update={"offers": offers})), day)
    moved = index.moved(np.array([day - 30.0, day - 15.0, float(day)]))
    assert np.log(1.01) < moved[0] < 3 * np.log(1.01)
    assert moved[1] == pytest.approx(moved[0] / 2)
    assert moved[2] == 0
