"""Which offer a plan would take when nobody chose one: the cheapest whole bill at a price that can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple, get_args

import numpy as np

from planner.money.demand.stream import Need
from planner.money.ledger import COMPUTED, Ledger, Line, Used
from planner.money.renting.bill import Bills, bills, rank, renting
from planner.money.renting.interruptions import LEAST_LEFT, demand_of, say_interruptions, stoppable, stretch
from planner.money.renting.offer_inputs import TERM_MONTHS, say_offers
from planner.money.renting.rent_levels import pair
from planner.money.renting.reservation import bound_share, held
from planner.money.setting import ChosenOffers, Setting
from planner.money.sizing import reach, right_size
from planner.scenario.base import ONE_MACHINE
from planner.scenario.rent import Rent
from planner.speed.work_to_hours import Asked
from pricing import Catalogue
from pricing.choices import Purchase
from pricing.query import Wish, find, may_be_cheapest
from pricing.records import Offer

RESERVED: frozenset[Purchase] = frozenset(kind for kind in get_args(Purchase) if kind.startswith("reserved"))
# Spot is left out where nobody says that the work may stop.
USUAL_PURCHASES: frozenset[str] = frozenset({"on_demand", "capacity_block", *RESERVED})
_TAKEN: frozenset[str] = frozenset({"on_demand", "spot", *RESERVED})
USUAL_AGE_DAYS = 365


class OfferChoice(NamedTuple):
    """The place of an offer among some, whether its price is recent, and how many lower ones were passed over."""

    at: int
    believed: bool
    passed_over: int


def usual_wish(accelerator: str) -> Wish:
    """What somebody sees who has not touched a filter."""
    return Wish(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES, max_age_days=USUAL_AGE_DAYS)


def choose(catalogue: Catalogue, among: Sequence[Bills], day: date) -> OfferChoice | None:
    """The cheapest bill whose price was looked at this month; failing that the cheapest. None where none has a price.

    Its place is that among the offers of the first bills, then of the second, and so on.
    """
    offers = [key for one in among for key in one.offers]
    priced = rank(among)[: sum(int(np.isfinite(one.total_usd).sum()) for one in among)].tolist()
    found = first_believed(catalogue, [offers[place] for place in priced], day)
    return None if found is None else found._replace(at=priced[found.at])


def first_believed(catalogue: Catalogue, cheapest_first: Sequence[str], day: date) -> OfferChoice | None:
    """The first of these offers whose price was looked at this month; failing that the first. None where none is."""
    for place, key in enumerate(cheapest_first):
        if may_be_cheapest(catalogue.offers[key], day):
            return OfferChoice(place, True, place)
    return OfferChoice(0, False, 0) if cheapest_first else None


def holds(offer: Offer, wanted: int) -> bool:
    """Whether one machine holds as many accelerators as have to stand together; more than usual take several."""
    return offer.accelerators_per_instance >= min(wanted, ONE_MACHINE)


def taken(setting: Setting) -> ChosenOffers:
    """The offers a plan rents from: those the scenario names, else the cheapest believable whole bill of each kind."""
    scenario, need = setting.scenario, setting.demand.all
    wish = replace(usual_wish(scenario.accelerator), purchases=_TAKEN)
    kinds = _by_kind(setting.catalogue, find(setting.catalogue, wish, setting.day).ids, together(setting.asked))
    on_demand = scenario.rent.offer or _cheapest(setting, bills(setting, need, kinds.get("on_demand", ())))
    there = replace(setting, taken=ChosenOffers(on_demand=on_demand))
    found = ChosenOffers(
        on_demand=on_demand,
        reserved=scenario.reserve.offer or _cheapest_reserved(there, kinds),
        spot=scenario.spot.offer or _cheapest_spot(setting, kinds.get("spot", ())),
    )
    preferred = setting.catalogue.offers.get(found.reserved or found.on_demand or "")
    quoted = (*kinds.get("reserved_1y", ()), *kinds.get("reserved_3y", ()))
    both = pair(setting.catalogue, quoted, preferred.provider if preferred else None, setting.day)
    return found if both is None else replace(found, one_year=both[0], three_years=both[1])


def together(asked: Asked | None) -> int:
    """How many accelerators have to stand in one machine for the models of a plan; 1 where none is named."""
    if asked is None:
        return 1
    wanted = [one.accelerators for one in asked.trainings] + [one.accelerators_per_replica for one in asked.servings]
    return min(max(wanted, default=1), ONE_MACHINE)


def _by_kind(catalogue: Catalogue, keys: tuple[str, ...], least: int) -> dict[str, tuple[str, ...]]:
    """The offers of each purchase: of machines that hold so many, where there are any."""
    kinds: dict[str, list[str]] = {}
    for key in keys:
        kinds.setdefault(catalogue.offers[key].purchase, []).append(key)
    large = {kind: tuple(key for key in found if holds(catalogue.offers[key], least)) for kind, found in kinds.items()}
    return {kind: large[kind] or tuple(found) for kind, found in kinds.items()}


def _cheapest(setting: Setting, among: Bills) -> str | None:
    chosen = choose(setting.catalogue, (among,), setting.day)
    return None if chosen is None else among.offers[chosen.at]


def _cheapest_spot(setting: Setting, offers: tuple[str, ...]) -> str | None:
    """The cheapest once its interruptions are in the bill: a job on many small machines is stopped more often."""
    works = stoppable(setting)
    if not works or not offers:
        return None
    among = bills(setting, demand_of(setting, works).all, offers)
    basis = setting.basis()
    say_offers(basis, setting, offers, Rent())
    say_interruptions(basis, setting)
    longer = stretch(basis)
    times = np.where(longer.found, longer.value, 1 / LEAST_LEFT).reshape(-1)
    lost = among.part_usd("compute") * (times - 1)
    used = (Used("lost_usd", lost.reshape(-1, 1), "USD", COMPUTED),)
    return _cheapest(setting, _with(among, Line("Interruptions", "interruptions", "lost_usd", used)))


def _cheapest_reserved(setting: Setting, kinds: dict[str, tuple[str, ...]]) -> str | None:
    """The cheapest way through the plan that begins with a reservation; what follows its term is in the bill."""
    wanted = RESERVED if setting.scenario.reserve.term is None else (setting.scenario.reserve.term,)
    offers = tuple(key for kind in sorted(wanted) for key in kinds.get(kind, ()))
    if not offers:
        return None
    size = right_size(setting)
    need = setting.demand.all if size is None else setting.demand.between(0, size, reach(setting, size))
    terms = [TERM_MONTHS[setting.catalogue.offers[key].purchase] for key in offers]
    for_each = _held_for_each(need, terms)
    if setting.scenario.reserve.at_end == "roll":
        return _cheapest(setting, bills(setting, for_each, offers))
    bound = np.vstack([bound_share(setting.timeline, term) for term in terms])
    months = np.minimum(np.array(terms), setting.scenario.months).reshape(-1, 1)
    among = bills(setting, for_each, offers, when=bound, months=months)
    return _cheapest(setting, _with(among, _afterwards(setting, need, bound)))


def _held_for_each(need: Need, terms: list[float]) -> Need:
    """The need on as many machines as each offer's term binds; one row for each offer."""
    if np.ndim(need.accelerators) == 0:
        return need
    kept = {term: held(need, term) for term in set(terms)}
    return replace(
        need,
        accelerators=np.vstack([kept[term].accelerators for term in terms]),
        busy_share=np.vstack([kept[term].busy_share for term in terms]),
    )


def _afterwards(setting: Setting, need: Need, bound: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Line:
    """The same work on demand once the first term is over, for each offer."""
    runs = setting.timeline.runs
    monthly = np.nan_to_num(sum(line.usd for line in renting(setting, need, setting.taken.on_demand)))
    after = monthly / np.where(runs > 0, runs, 1.0) * (runs - bound)
    return Line("After the term", "compute", "after_usd", (Used("after_usd", after, "USD", COMPUTED),))


def _with(among: Bills, line: Line) -> Bills:
    return replace(among, ledger=Ledger(among.ledger.title, (*among.ledger.lines, line)))
