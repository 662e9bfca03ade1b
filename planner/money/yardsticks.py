"""What each amount of money in a scenario is compared with: what such things cost, from sourced figures.

Where the catalogue has the very figure, that one. Else what follows from figures it has: a server from its accelerators
and their host, a lease from the price of the fleet, the worth of an hour from the salary of who waits. Such a range is
wide on purpose: it is there to catch a slip of the hand, not to judge a price.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from planner.money.ledger import LedgerInput, Part
from planner.money.owning.inputs import FACTS, ROOM
from planner.money.owning.machine import buying, fleet, machine, stands_in
from planner.money.plan import Plan
from planner.money.renting.cheapest_offer import TAKEN
from planner.money.renting.offer_inputs import PRICE
from planner.scenario.base import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from pricing import Figure
from pricing.belief import in_their_markets
from pricing.caching import cached_property
from pricing.electricity import electricity
from pricing.market.sellers import listed

Slip = tuple[float, str]
MACHINE_AS_ONE = "a price for a machine of {size} typed as one for a GPU"
ONE_AS_MACHINE = "the price of one GPU typed for a machine of {size}"
_EIGHT = {8: "eight"}  # as people call the usual machine
MONTH_AS_HOUR: Slip = (1 / HOURS_PER_MONTH, "a price for a month typed as one for an hour")
_YEARS_OF_RENT = 2.0  # that cost about as much as buying, where nobody says what buying costs
_RUNNING: tuple[Part, ...] = ("space", "power", "idle", "staff", "upkeep")
_WORKING_HOURS = 2_000.0  # of a person in a year


class Yardstick(NamedTuple):
    """What such a thing costs: usually, and at the ends of what is known."""

    low: float
    usual: float
    high: float
    unit: str
    is_known: bool = True  # the catalogue has the very figure; else it follows from others
    slips: tuple[Slip, ...] = ()  # that this field in particular invites


class Sight:
    """A plan with your scenario and without your own prices, as far as yardsticks look at it."""

    def __init__(self, scenario: Scenario, unsaid: Plan, usual: Mapping[str, LedgerInput]) -> None:
        self.scenario, self.unsaid, self.usual, self.setting = scenario, unsaid, usual, unsaid.setting

    @cached_property
    def size(self) -> int:
        """How many accelerators stand in one machine."""
        return stands_in(self.setting).accelerators

    @cached_property
    def fleet(self) -> int:
        """How many accelerators the plan's fleet has."""
        return fleet(self.setting)

    @property
    def kept(self) -> int:
        """How many are there already, at least one."""
        return 1 if self.scenario.kept is None else self.scenario.kept.accelerators

    @cached_property
    def host(self) -> float:
        """What a machine costs, over its accelerators."""
        bought_machine = machine(self.setting)
        return (
            1.0
            if bought_machine is not None and bought_machine.is_complete
            else 1.0 + self.fact("host-share").newest.typical
        )

    @cached_property
    def each(self) -> tuple[float, float, float]:
        """What one accelerator costs; what two years of its rent do, where nobody says; not-a-number without either."""
        bought, bought_machine = buying(self.setting), machine(self.setting)
        if bought is None or bought_machine is None:
            rent = self._rented
            return (rent * HOURS_PER_YEAR * _YEARS_OF_RENT,) * 3
        share = 1 / (bought_machine.accelerators * self.host) if bought_machine.is_priced_whole else 1.0
        low, typical, high = bought.usd
        return low * share, typical * share, high * share

    @cached_property
    def day_one(self) -> float:
        """What the plan's fleet costs before it runs."""
        own = self.unsaid.option("own")
        if own is None or not own.accelerators:
            return self.each[1] * self.host * self.fleet
        bought = sum(float(line.total_usd) for line in own.ledger.lines if line.treatment == "capital")
        return bought * self.fleet / own.accelerators

    @cached_property
    def running(self) -> float:
        """What one accelerator of one's own takes to run, in a month."""
        own, months = self.unsaid.option("own"), self.scenario.months
        if own is None or not own.accelerators:
            return self.each[1] * self.host / _YEARS_OF_RENT / MONTHS_PER_YEAR / 2
        return sum(float(own.ledger.part_usd(part)) for part in _RUNNING) / months / own.accelerators

    @cached_property
    def rents(self) -> tuple[float, float, float]:
        """What an accelerator-hour costs: the lowest, what the plan takes, the highest that any offer has."""
        catalogue, day = self.setting.catalogue, self.setting.day
        prices = in_their_markets(catalogue, day, listed(catalogue, self.scenario.accelerator, TAKEN, day))
        known = [usd for usd in prices.typical.tolist() if math.isfinite(usd) and usd > 0]
        usual = self._rented if known else self.each[1] / HOURS_PER_YEAR / _YEARS_OF_RENT
        return min([usual, *known]), usual, max([usual, *known])

    @cached_property
    def _rented(self) -> float:
        price = self.usual.get(PRICE)
        usual = math.nan if price is None else float(price.value)
        prices = self.setting.offers.prices
        if math.isfinite(usual) or prices is None or np.isnan(prices.typical).all():
            return usual
        return float(np.nanmedian(prices.typical))

    @property
    def salary(self) -> float:
        """What one full-time person costs in a year."""
        return self.fact(FACTS["usd_per_fte_year"]).newest.typical

    def fact(self, name: str) -> Figure:
        """A figure that holds everywhere."""
        return self.setting.catalogue.facts[name].figure

    def site(self, name: str) -> Figure | None:
        """A figure of the place, or of what it lies in."""
        figure = self.setting.catalogue.site_figure(self.scenario.site, name)
        return figure and figure[1]


Measure = Callable[[Sight], Yardstick | None]


def _of_figure(figure: Figure | None) -> Yardstick | None:
    if figure is None:
        return None
    value = figure.newest
    return Yardstick(value.low or value.typical, value.typical, value.high or value.typical, figure.unit)


def _in_ledger(name: str, instead: Measure) -> Measure:
    """What the ledger of the plan takes where you say nothing; where it has no such line, a figure of the catalogue."""

    def yardstick(sight: Sight) -> Yardstick | None:
        used = sight.usual.get(name)
        if used is None or used.is_yours or not float(used.value) > 0:
            return instead(sight)
        value = float(used.value)
        return Yardstick(value, value, value, used.unit)

    return yardstick


def _accelerator(sight: Sight) -> Yardstick:
    board = _is_board(sight)
    slips = (
        ((1 / sight.size, MACHINE_AS_ONE.format(size=_EIGHT.get(sight.size, sight.size))),)
        if board and sight.size > 1
        else ()
    )
    bought_machine = machine(sight.setting)
    return Yardstick(
        *sight.each,
        "USD",
        bought_machine is not None and not bought_machine.is_priced_whole and bought_machine.price is not None,
        slips,
    )


def _server(sight: Sight) -> Yardstick:
    low, usual, high = (usd * sight.size * sight.host for usd in sight.each)
    slips = (
        ((float(sight.size), ONE_AS_MACHINE.format(size=_EIGHT.get(sight.size, sight.size))),) if sight.size > 1 else ()
    )
    bought_machine = machine(sight.setting)
    return Yardstick(low, usual, high, "USD", bought_machine is not None and bought_machine.is_priced_whole, slips)


def _is_board(sight: Sight) -> bool:
    """Whether it is built into whole machines and rented with them; a card is rented by itself."""
    chip = sight.setting.catalogue.accelerators.get(sight.scenario.accelerator)
    return chip is not None and not chip.rent_only and chip.hardware_class == "sxm"


def _rent(sight: Sight) -> Yardstick:
    of_machine = (
        ((1 / sight.size, MACHINE_AS_ONE.format(size=_EIGHT.get(sight.size, sight.size))),) if _is_board(sight) else ()
    )
    return Yardstick(*sight.rents, "USD/accelerator-hour", slips=(*of_machine, MONTH_AS_HOUR))


def _capex(sight: Sight) -> Yardstick:
    """All of day one; of one machine, where the sum is for each of them."""
    usual, count = sight.day_one, sight.fleet
    slip: Slip = (float(count), f"the price of one typed for all {count:,}")
    if sight.scenario.own.capex_per == "machine":
        usual /= max(math.ceil(count / sight.size), 1)
        slip = (float(sight.size), ONE_AS_MACHINE.format(size=_EIGHT.get(sight.size, sight.size)))
    low, typical, high = sight.each
    return Yardstick(usual * low / typical, usual, usual * high / typical, "USD", is_known=False, slips=(slip,))


def _part(low: float, usual: float, high: float, of: Callable[[Sight], float], unit: str = "USD") -> Measure:
    """Something that is so many times another."""

    def yardstick(sight: Sight) -> Yardstick:
        whole = of(sight)
        return Yardstick(low * whole, usual * whole, high * whole, unit, is_known=False)

    return yardstick


def _day_one(sight: Sight) -> float:
    return sight.day_one


def _all_rent(sight: Sight) -> float:
    return sight.rents[1] * sight.fleet * HOURS_PER_YEAR * sight.scenario.years


def _countries_intensity(unit: str, figures: Callable[[Sight], Iterable[Figure | None]]) -> Measure:
    """The cheapest, the middle and the dearest of what all sellers publish."""

    def yardstick(sight: Sight) -> Yardstick | None:
        known = [entry.newest.typical for entry in figures(sight) if entry is not None and entry.newest.typical > 0]
        return Yardstick(min(known), float(np.median(known)), max(known), unit) if known else None

    return yardstick


_MONTHLY = _part(1 / 240, 1 / 36, 1 / 4, _day_one, "USD a month")
_LIMIT = _part(0.01, 1.0, 1e4, _day_one)  # of cash: a firm may have far more than it needs here
_COMPANY = _part(0.01, 1.0, 1e6, _day_one, "USD a year")  # a firm may earn far more than this plan costs
_WORTH = _part(0.01, 0.5, 1.5, lambda sight: sight.each[1] * sight.host * sight.kept)
_ORDER: dict[str, Measure] = {"usd_per_server": _server, "usd_per_accelerator": _accelerator}
# Every field of money, by its path; the items of a list stand under 0.
YARDSTICKS: dict[Path, Measure] = {
    **{("own", "orders", 0, name): measure for name, measure in _ORDER.items()},
    **{("mix", "orders", 0, name): measure for name, measure in _ORDER.items()},
    **{("own", name): measure for name, measure in _ORDER.items()},
    ("own", "usd_per_accelerator_of_network"): _in_ledger(
        "usd_per_accelerator_of_network", _part(0.002, 0.1, 0.5, lambda sight: sight.each[1])
    ),
    ("own", "usd_per_tb_of_disk"): lambda sight: _of_figure(sight.fact(FACTS["usd_per_tb_of_disk"])),
    ("own", "capex_usd"): _capex,
    ("own", "usd_per_kw_month"): _in_ledger(
        "usd_per_kw_month", lambda sight: _of_figure(sight.site("colocation_usd_per_kw_month"))
    ),
    ("own", "usd_per_kw_of_room"): _in_ledger(
        "usd_per_kw_of_room", lambda sight: _of_figure(sight.site("build_usd_per_kw") or sight.fact(ROOM))
    ),
    ("own", "usd_per_kwh"): _in_ledger("usd_per_kwh", lambda sight: _of_figure(_meter(sight))),
    ("own", "usd_per_fte_year"): lambda sight: _of_figure(sight.fact(FACTS["usd_per_fte_year"])),
    ("own", "usd_per_accelerator_year_of_software"): _part(
        0.005, 0.1, 0.5, lambda sight: sight.each[1], "USD/accelerator-year"
    ),
    ("own", "running_usd_per_month"): _part(0.05, 1.0, 20.0, lambda sight: sight.running * sight.fleet, "USD a month"),
    ("lease", "usd_per_month"): _MONTHLY,
    ("rent_to_own", "usd_per_month"): _MONTHLY,
    ("rent_to_own", "upfront_usd"): _part(0.01, 0.3, 1.5, _day_one),
    ("rent_to_own", "final_usd"): _part(0.002, 0.1, 1.5, _day_one),
    ("sale_and_lease_back", "usd_per_month"): _MONTHLY,
    ("rent", "usd_per_accelerator_hour"): _rent,
    ("rent", "forward_usd_per_accelerator_hour"): _rent,
    ("rent", "forward_fee_usd"): _part(0.0005, 0.02, 0.5, _all_rent),
    ("rent", "usd_per_gb_month_of_disk"): _countries_intensity(
        "USD/GB-month", lambda s: (one.block_storage_usd_per_gb_month for one in s.setting.catalogue.providers.values())
    ),
    ("rent", "usd_per_gb_of_egress"): _countries_intensity(
        "USD/GB", lambda sight: (one.egress_usd_per_gb for one in sight.setting.catalogue.providers.values())
    ),
    ("quotes", 0, "usd_per_accelerator_hour"): _rent,
    ("bill", "usd_per_month"): _part(1e-4, 1.0, 1e4, lambda s: _all_rent(s) / s.scenario.months, "USD a month"),
    ("reserve", "usd_per_accelerator_hour"): _rent,
    ("reserve", "volume", 0, "usd_per_accelerator_hour"): _rent,
    ("spot", "usd_per_accelerator_hour"): _rent,
    ("sell", "usd_per_accelerator_hour"): _rent,
    ("sell", "usd_per_month_to_sell"): _part(0.005, 0.25, 50.0, lambda s: s.salary / MONTHS_PER_YEAR, "USD a month"),
    ("hosted", "usd_per_million_input_tokens"): _countries_intensity(
        "USD/Mtoken", lambda sight: (one.input_usd_per_mtoken for one in sight.setting.catalogue.hosted.values())
    ),
    ("hosted", "usd_per_million_output_tokens"): _countries_intensity(
        "USD/Mtoken", lambda sight: (one.output_usd_per_mtoken for one in sight.setting.catalogue.hosted.values())
    ),
    ("kept", "usd_today_if_sold"): _WORTH,
    ("kept", "usd_at_end"): _WORTH,
    ("kept", "running_usd_per_month"): _part(0.05, 1.0, 20.0, lambda sight: sight.running * sight.kept, "USD a month"),
    ("terms", "cash_on_day_one_usd"): _LIMIT,
    ("terms", "cash_per_year_usd"): _LIMIT,
    ("terms", "budget_usd"): _LIMIT,
    ("terms", "usd_per_day_saved"): _part(0.001, 1.0, 1e4, lambda s: s.salary / _WORKING_HOURS * 8, "USD a day"),
    ("terms", "usd_per_waiting_hour"): _part(0.005, 1.0, 500.0, lambda s: s.salary / _WORKING_HOURS, "USD an hour"),
    ("accounting", "low_value_usd"): lambda _: Yardstick(500.0, 5_000.0, 50_000.0, "USD"),
    ("tax", "profit_usd_per_year"): _COMPANY,
    ("tax", "losses_brought_usd"): _COMPANY,
}


def _meter(sight: Sight) -> Figure | None:
    price = electricity(sight.setting.catalogue, sight.scenario.site, "large")
    return price and price.figure
