"""Which offer a plan would take when nobody chose one: the cheapest whole bill, each price as it is believed today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

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
from pricing.belief import believed
from pricing.choices import Purchase
from pricing.query import Wish, find
from pricing.records import Offer

RESERVED: frozenset[Purchase] = frozenset(kind for kind in get_args(Purchase) if kind.startswith("reserved"))
# Spot is left out where nobody says that the work may stop.
USUAL_PURCHASES: frozenset[str] = frozenset({"on_demand", "capacity_block", *RESERVED})
_TAKEN: frozenset[str] = frozenset({"on_demand", "spot", *RESERVED})


def usual_wish(accelerator: str) -> Wish:
    """What a plan could take: any price to rent by, however old; what it is worth today is another matter."""
    return Wish(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES)


def choose(among: Sequence[Bills]) -> int | None:
    """The place of the cheapest bill, of equals the first by id; None where none has a price.

    It is counted over the offers of the first bills, then of the second, and so on.
    """
    first = rank(among)[:1].tolist()
    usd = np.concatenate([one.total_usd for one in among])
    return first[0] if first and np.isfinite(usd[first[0]]) else None


def holds(offer: Offer, wanted: int) -> bool:
    """Whether one machine holds as many accelerators as have to stand together; more than usual take several."""
    return offer.accelerators_per_instance >= min(wanted, ONE_MACHINE)


def taken(setting: Setting) -> ChosenOffers:
    """The offers a plan rents from: those the scenario names, none beside a price of yours, else the cheapest bill."""
    scenario, need = setting.scenario, setting.demand.all
    wish = replace(usual_wish(scenario.accelerator), purchases=_TAKEN)
    kinds = _by_kind(setting.catalogue, find(setting.catalogue, wish, setting.day).ids, together(setting.asked))
    market = tuple(key for keys in kinds.values() for key in keys)
    setting = replace(setting, taken=ChosenOffers(prices=believed(setting.catalogue, setting.day, market)))

    def cheapest(kind: str) -> str | None:
        return _cheapest(bills(setting, need, kinds.get(kind, ())))

    rent, reserve, spot = scenario.rent, scenario.reserve, scenario.spot
    on_demand = rent.offer or (cheapest("on_demand") if rent.usd_per_accelerator_hour is None else None)
    setting = replace(setting, taken=replace(setting.taken, on_demand=on_demand))
    found = replace(
        setting.taken,
        reserved=reserve.offer
        or (_cheapest_reserved(setting, kinds) if reserve.usd_per_accelerator_hour is None else None),
        spot=spot.offer
        or (_cheapest_spot(setting, kinds.get("spot", ())) if spot.usd_per_accelerator_hour is None else None),
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


def _cheapest(among: Bills) -> str | None:
    at = choose((among,))
    return None if at is None else among.offers[at]


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
    return _cheapest(_with(among, Line("Interruptions", "interruptions", "lost_usd", used)))


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
        return _cheapest(bills(setting, for_each, offers))
    bound = np.vstack([bound_share(setting.timeline, term) for term in terms])
    months = np.minimum(np.array(terms), setting.scenario.months).reshape(-1, 1)
    among = bills(setting, for_each, offers, when=bound, months=months)
    return _cheapest(_with(among, _afterwards(setting, need, bound)))


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
