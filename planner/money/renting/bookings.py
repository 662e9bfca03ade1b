"""Which reservations to book when: the cheapest run of one seller's terms through the plan, found exactly.

The work is cut into tiers of whole machines, the first as high as the month with the least work, the others in equal
steps up to the month with the most. Months are gone through from the last to the first. In each a tier is reserved for
any of the seller's terms; what follows is known by then. A tier waits on demand for its time, is then reserved without
a gap, and in the end let go. The first one does not wait, is renewed for no longer than before, and let go only where
less is left of the plan than its last term was long, or its first covers half: else it would be renting on demand by
another name. All discounted to today at typical figures, so that futures and ends of ranges share the choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import formula
from planner.money.inflation import deflators
from planner.money.ledger import InputSheet
from planner.money.measures import monthly_discount_factors
from planner.money.price_path import add_rent_path
from planner.money.renting.bill import SUPPORT, renting
from planner.money.renting.offer_inputs import GB_PER_TB, PRICE
from planner.money.renting.reservation import Array, ReservationTerm, TermPrices, term_prices, volume_price
from planner.money.setting import PlanContext, Reservation, ReservationTier
from planner.scenario.base import MONTHS_PER_YEAR

Ints = NDArray[np.intp]

_NEVER, _LATE, _ALWAYS = 0.0, 1.0, np.inf  # let go where less than so many times the last term is left
MOST_STEPS = 4  # tiers: who reserves in more steps than that saves little more
_WORTH_A_STEP = 1e-3  # of the cost: for less, everything is reserved together
_NEARLY, _CENT = 1e-9, 0.01
_FIRST = 2  # tiers that a plan begins with: everything together, or the first step


@dataclass(frozen=True)
class TermSequence:
    """A way through the plan: the terms it may begin with, those that may follow, by their places; how it may end."""

    first_terms: tuple[int, ...]
    next_terms: tuple[int, ...]
    lapse_ratio: float  # the rest may be rented on demand where it is shorter than so many times the last term

    @property
    def terms(self) -> tuple[int, ...]:
        """All of its terms, each once."""
        return tuple(sorted({*self.first_terms, *self.next_terms}))


@dataclass(frozen=True)
class BookingResult:
    """The cheapest way: its tiers, and what is reserved of machines that are wanted all along."""

    tiers: tuple[ReservationTier, ...]
    base: tuple[Reservation, ...]


def term_sequences(setting: PlanContext, terms: Sequence[ReservationTerm]) -> list[TermSequence]:
    """Return what may follow on each term that the plan may begin with."""
    at_end = setting.scenario.reserve.at_end
    firsts = [n for n, term in enumerate(terms) if term.may_begin]
    if at_end == "cheapest":
        longest = {terms[n].seller: terms[n].months for n in firsts}  # the last is the longest
        return [
            TermSequence(
                tuple(n for n in firsts if terms[n].seller == seller),
                tuple(n for n, term in enumerate(terms) if _may_follow(term, seller, terms) and term.months <= most),
                _LATE,
            )
            for seller, most in longest.items()
        ]

    def follows(first: ReservationTerm, after: ReservationTerm) -> bool:
        if first.is_once:
            return at_end != "expire" and not after.is_once and after.months <= first.months
        if at_end == "shorter":
            return after.seller == first.seller and after.months < first.months
        return at_end == "roll" and after is first

    let_go = {"roll": _NEVER, "shorter": _LATE, "expire": _ALWAYS}[at_end]
    return [
        TermSequence((n,), tuple(m for m, term in enumerate(terms) if follows(terms[n], term)), let_go) for n in firsts
    ]


def _may_follow(term: ReservationTerm, seller: str, terms: Sequence[ReservationTerm]) -> bool:
    """Return whether a term is renewed with another: of its seller, or of any where its own is ordered only once."""
    is_once = any(each.is_once for each in terms if each.seller == seller)
    return not term.is_once if is_once else term.seller == seller


def cheapest_bookings(
    setting: PlanContext,
    need: DemandLayer,
    terms: Sequence[ReservationTerm],
    rows: Sequence[TermSequence],
    *,
    in_steps: bool,
) -> list[BookingResult | None]:
    """The cheapest bookings of these rows, in steps where they may be and that is cheaper; None without a price.

    One for each scenario where the setting holds several, which differ in what money, rents and on demand come to.
    """
    if not rows:
        return [None]
    plan, prices = _BookingMonths(setting, need), term_prices(setting, terms)
    demand = plan.wanted[plan.wanted > 0]
    grows = len(demand) > 0 and bool(demand.min() < demand.max()) and not setting.scenario.reserve.volume
    edges = [_tier_edges(demand, max(prices.machine[n] for n in row.terms), in_steps and grows) for row in rows]
    width = max(len(row.terms) for row in rows)
    options = np.array([[*row.terms, *[0] * (width - len(row.terms))] for row in rows], dtype=np.intp)
    results = _BookingSearch(plan, prices, terms, rows, options, np.array(edges)).results()
    return [results[number] for number in plan.number.tolist()]


class _BookingMonths:
    """The months of the plan: machines wanted; of each scenario, value of a dollar today, rents, cost on demand.

    Scenarios in which all of that is the same are one, which `number` tells of each.
    """

    def __init__(self, setting: PlanContext, need: DemandLayer) -> None:
        self.setting, self.need = setting, need
        timeline = setting.timeline
        self.months, self.last, self.runs = timeline.months, timeline.last, timeline.runs[1:]
        self.wanted = np.broadcast_to(np.atleast_1d(need.accelerators), timeline.last + 1).astype(np.float64)[1:]
        counts, agreed = self._by_scenario(monthly_discount_factors(setting)), deflators(setting, 0.0)
        each = np.broadcast_arrays(
            counts * agreed, self._by_scenario(_levels(setting) / agreed), self._on_demand(counts)
        )  # fmt: skip
        self.number = np.zeros(len(each[0]), dtype=np.intp)
        if len(each[0]) > 1:
            _, first, self.number = np.unique(np.hstack(each), axis=0, return_index=True, return_inverse=True)
            each = tuple(columns[first] for columns in each)
        self.worth, self.level, self.on_demand = (
            each[0],
            each[1][:, 1:],
            each[2][:, 1:],
        )  # worth of what was agreed today
        # what the data of all the work is, by month
        self.disk_gb = self._by_month(need.storage_tb * need.disk_share) * GB_PER_TB
        self.egress_gb = self._by_month(need.egress_tb_per_month * np.ceil(need.disk_share)) * GB_PER_TB
        share = setting.scenario.rent.support_share
        sheet = setting.input_sheet()
        sheet.fact("support_share", SUPPORT, share)
        self.with_support = 1 + np.asarray(sheet.used["support_share"].value).item()
        self.hours_per_month = float(need.hours_per_month)

    def _by_scenario(self, value: object) -> Array:
        columns = np.atleast_2d(np.asarray(value, dtype=np.float64))
        return np.broadcast_to(columns, (len(columns), self.last + 1))

    def _by_month(self, value: object) -> Array:
        return np.broadcast_to(np.atleast_1d(np.asarray(value, dtype=np.float64)), self.last + 1)[1:]

    def _on_demand(self, counts: Array) -> Array:
        """Return what all the work costs on demand in each month; no sum can pay for it where nobody has a price."""
        offer, usd = self.setting.offers.on_demand, np.full((1, self.last + 1), np.inf)
        if offer is None or offer in self.setting.catalogue.offers:
            usd = self._by_scenario(sum(line.usd for line in renting(self.setting, self.need, offer)))
        usd = np.where(np.isnan(usd), np.inf, usd)
        return np.where(np.append(0.0, self.wanted) > 0, usd * np.where(np.isinf(usd), 1.0, counts), 0.0)

    def busiest(self, term: int) -> Array:
        """The most accelerators wanted at once in a term that begins in each month."""
        padded = np.concatenate([self.wanted, np.zeros(term - 1)])
        return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, term).max(axis=-1))

    def paid(self, term: int, *, prepaid: bool) -> Array:
        """Return the value of one dollar a month over a term, including the months after the plan."""
        begins = np.arange(self.last)
        if prepaid:
            return np.asarray(term * self.worth[:, begins])
        summed = np.pad(np.cumsum(self.runs * self.worth[:, 1:], axis=-1), ((0, 0), (1, 0)))
        over = np.maximum(begins + term - self.months, 0.0)
        return np.asarray(
            summed[:, np.minimum(begins + term, self.last)] - summed[:, begins] + over * self.worth[:, -1:]
        )  # fmt: skip


def _levels(setting: PlanContext) -> Array:
    """Return what a price of one that is set at the beginning of each month comes to when that month is paid."""
    timeline = setting.timeline
    sheet = InputSheet(setting.catalogue, setting.tried)
    set_after = timeline.begun_years * MONTHS_PER_YEAR
    how = add_rent_path(sheet, setting, set_after)
    names = {name: item.value for name, item in sheet.used.items()}
    level = formula(how)({**names, PRICE: 1.0, "price_set_after_months": set_after})
    return np.asarray(level, dtype=np.float64)


def _tier_edges(demand: Array, machine: float, in_steps: bool) -> list[tuple[float, float]]:
    """The lower and upper edge of each tier: one for everything together; then, if wanted, those of the steps."""
    whole = [(0.0, np.inf)]
    if not in_steps:
        return whole
    low, high = (float(np.ceil(count / machine - _NEARLY) * machine) for count in (demand.min(), demand.max()))
    step = np.ceil((high - low) / machine / (MOST_STEPS - 1) - _NEARLY) * machine
    tops = [low, *(min(low + step * number, high) for number in range(1, MOST_STEPS))]
    return whole + list(zip([0.0, *tops[:-1]], tops, strict=True))


class _BookingSearch:
    """The search, over rows x tiers at once. A row stands for a seller, or for the term that it begins with.

    The rows of one scenario follow on those of another.
    """

    def __init__(
        self,
        plan: _BookingMonths,
        prices: TermPrices,
        terms: Sequence[ReservationTerm],
        rows: Sequence[TermSequence],
        options: Ints,
        edges: Array,
    ) -> None:
        count = len(plan.worth)
        self.plan, self.terms, self.scenario = plan, terms, np.repeat(np.arange(count), len(rows))
        self.rows, self.options, self.edges = (
            [*rows] * count,
            np.tile(options, (count, 1)),
            np.tile(edges, (count, 1, 1)),
        )
        self.months = np.array([term.months for term in terms])[self.options]
        named = [[[n in few for n in row.terms] + [False] * (options.shape[1] - len(row.terms))
                  for few in (row.first_terms, row.next_terms)] for row in rows]  # fmt: skip
        first, later = np.moveaxis(np.tile(np.array(named), (count, 1, 1)), 1, 0)
        low, high = self.edges[..., 0, None], self.edges[..., 1, None]
        wanted = plan.wanted
        share = np.clip(wanted - low, 0.0, high - low) / np.where(wanted > 0, wanted, 1.0)  # rows x tiers x months
        costs = self._costs(prices, share)
        self.first = np.where(first[:, None, :], costs[0], np.inf)
        self.later = np.where(later[None, :, None, :], costs, np.inf)
        on_demand = plan.on_demand[self.scenario, None]
        priced = np.where(share > 0, on_demand, 0.0)  # nothing of what nobody has a price for is still nothing
        self.on_demand = np.moveaxis(np.where(share > 0, share * priced, 0.0), -1, 0)
        self.let_go = self._lapse_costs()
        self.least, self.waits = self._least()

    def _costs(self, prices: TermPrices, share: Array) -> Array:
        """Return what a reservation costs that begins in each month: months x rows x tiers x options."""
        plan, options = self.plan, self.options
        reserve, lengths = plan.setting.scenario.reserve, sorted({term.months for term in self.terms})
        place = np.searchsorted(lengths, self.months)
        busiest = np.array([plan.busiest(length) for length in lengths])[place]  # rows x options x months
        each = np.array([plan.paid(length, prepaid=reserve.prepaid) for length in lengths])
        paid = plan.level[self.scenario, None] * each[place, self.scenario[:, None]]
        low, high = self.edges[..., 0, None, None], self.edges[..., 1, None, None]
        many = np.clip(busiest[:, None] - low, 0.0, high - low)  # rows x tiers x options x months
        machine, minimum, usd = (row[options][:, None, :, None] for row in (prices.machine, prices.minimum, prices.usd))
        billed = np.where(many > 0, np.ceil(np.maximum(many, minimum) / machine - _NEARLY) * machine, 0.0)
        price = volume_price(reserve, billed, usd) if reserve.volume else usd
        cost = billed * price * plan.hours_per_month * paid[:, None]
        data = self._data(prices)
        if data.any():
            gone = np.cumsum(share[:, :, None] * data[:, None], axis=-1)
            gone = np.concatenate([np.zeros((*gone.shape[:-1], 1)), gone], axis=-1)
            ends = np.minimum(np.arange(plan.last) + self.months[..., None], plan.last)[:, None]
            cost = cost + np.take_along_axis(gone, np.broadcast_to(ends, cost.shape), axis=-1) - gone[..., :-1]
        return np.moveaxis(np.where(np.isnan(cost), np.inf, cost * plan.with_support), -1, 0)

    def _data(self, prices: TermPrices) -> Array:
        """Return what all the data costs at each option, by month, discounted to today: rows x options x months."""
        plan = self.plan

        def of(values: Array) -> Array:
            return values[self.options][..., None]

        out = np.maximum(plan.egress_gb - of(prices.free_gb), 0.0) * of(prices.usd_per_gb)
        return np.asarray((plan.disk_gb * of(prices.usd_per_gb_month) + out)
                          * plan.worth[self.scenario, None, 1:] * plan.runs)  # fmt: skip

    def _lapse_costs(self) -> Array:
        """The cost of the rest of the plan on demand once a reservation of each option is over: options that began in
        each month x rows x tiers; endless where the first tier may not be let go yet. The steps above may any time."""
        last, rows, tiers = self.on_demand.shape
        rest = np.concatenate([np.cumsum(self.on_demand[::-1], axis=0)[::-1], np.zeros((1, rows, tiers))])
        ends = np.minimum(np.arange(last)[:, None, None] + self.months, last)  # months x rows x options
        far = np.array([row.lapse_ratio for row in self.rows])[:, None] * self.months
        may = (last - ends < far) | (ends == last)
        may[0] |= last - ends[0] <= far
        row, tier, is_step = np.arange(rows)[:, None, None], np.arange(tiers)[None, :, None], np.arange(tiers) >= _FIRST
        return np.where(may[:, :, None] | is_step[:, None], rest[ends[:, :, None], row, tier], np.inf)

    def _least(self) -> tuple[Array, Array]:
        """The least that the rest of the plan costs from each month on: months x rows x tiers x the option before.

        And where nothing was reserved yet, by months x rows x tiers: a step waits for its time on demand.
        """
        last, rows, tiers = self.on_demand.shape
        shape = (rows, tiers, self.months.shape[1])
        least = np.zeros((last + int(self.months.max()) + 1, *shape))
        waits = np.zeros((last + 1, rows, tiers))
        places = np.arange(np.prod(shape)).reshape(shape)
        after = (self.months[:, None, :] * places.size + places).ravel()  # where what follows stands, in the flat array
        longest = self._longest_follow_up(places).ravel()
        steps = tiers > _FIRST
        for month in range(last - 1, -1, -1):
            follows = least.reshape(-1).take(after + month * places.size).reshape(shape)
            reserved = self.later[month] + np.minimum(follows, self.let_go[month])
            cheapest_so_long = np.minimum.accumulate(reserved, axis=-1)
            least[month] = cheapest_so_long.reshape(-1).take(longest).reshape(shape)
            if steps:
                waits[month] = np.minimum(cheapest_so_long[..., -1], self.on_demand[month] + waits[month + 1])
        return least, waits

    def _longest_follow_up(self, places: Ints) -> Ints:
        """By option before: the last one that may follow, options being in the order of their lengths."""
        _, tiers, options = places.shape
        is_real = np.arange(options) < np.array([len(row.terms) for row in self.rows])[:, None]
        no_longer = (self.months[:, None, :] <= self.months[:, :, None]) & is_real[:, None]  # rows x before x after
        last = np.where(np.arange(tiers)[:, None] < _FIRST, no_longer.sum(axis=-1)[:, None] - 1, options - 1)
        return np.asarray(places[..., :1] + last)

    def _begun(self) -> Array:
        """Return what the plan costs that begins with each option: rows x tiers x options."""
        rows, tiers, options = self.least.shape[1:]
        row, tier, option = np.ogrid[:rows, :tiers, :options]
        follows = self.least[self.months[:, None, :], row, tier, option]
        return np.asarray(self.first + np.minimum(follows, self.let_go[0]))

    def results(self) -> list[BookingResult | None]:
        """The cheapest row of each scenario, everything together or in steps."""
        begun = self._begun()
        whole = begun[:, 0].min(axis=-1)
        steps = np.full(len(whole), np.inf)
        if begun.shape[1] > 1:
            steps = begun[:, 1].min(axis=-1) + self.waits[0, :, _FIRST:].sum(axis=-1)
            steps = np.where(steps < whole * (1 - _WORTH_A_STEP), steps, np.inf)
        best = np.minimum(whole, steps)
        scenarios = np.round(best, 2).reshape(len(self.plan.worth), -1)
        rows = scenarios.argmin(axis=-1) + np.arange(len(scenarios)) * scenarios.shape[1]
        return [
            self._result(row, begun[row], best[row] == whole[row]) if np.isfinite(best[row]) else None
            for row in rows.tolist()
        ]  # fmt: skip

    def _result(self, row: int, begun: Array, is_whole: bool) -> BookingResult:
        if is_whole:
            together = self._trace_bookings(row, 0, int(np.argmin(begun[0])))
            return BookingResult((ReservationTier(together),), together)
        tiers = [self._trace_bookings(row, 1, int(np.argmin(begun[1])))]
        tiers += [self._trace_bookings(row, tier) for tier in range(2, self.edges.shape[1])]
        tops = [int(high - low) for low, high in self.edges[row, 1:]]
        stepped = tuple(
            ReservationTier(kept_tier, most) for kept_tier, most in zip(tiers, tops, strict=True) if kept_tier and most
        )
        return BookingResult(stepped, tiers[0])

    def _trace_bookings(self, row: int, tier: int, first: int | None = None) -> tuple[Reservation, ...]:
        """The bookings of a tier, from the first month on; what costs the same is reserved, once anything is."""
        least, let_go = self.least[:, row, tier].tolist(), self.let_go[:, row, tier].tolist()
        later, months = self.later[:, row, tier].tolist(), self.months[row].tolist()
        month, bookings, before = 0 if first is not None else self._wait(row, tier), list[Reservation](), first
        while month < self.plan.last:
            longest = months[before] if before is not None and tier < _FIRST else self.plan.last + max(months)
            places = [n for n, length in enumerate(months) if length <= longest]
            ahead = {n: later[month][n] + min(least[month + months[n]][n], let_go[month][n]) for n in places}
            option = min(ahead, key=lambda n: ahead[n]) if bookings or first is None else first
            term = self.terms[int(self.options[row, option])]
            bookings.append(Reservation(term.offer, month, float(term.months)))
            began, month, before = month, month + term.months, option
            if let_go[began][option] < least[month][option] - _CENT:
                break
        return tuple(bookings)

    def _wait(self, row: int, tier: int) -> int:
        """The month in which a step is first reserved."""
        for month in range(self.plan.last):
            stays = self.on_demand[month, row, tier] + self.waits[month + 1, row, tier]
            if stays > self.waits[month, row, tier] + _CENT:
                return month
        return self.plan.last
