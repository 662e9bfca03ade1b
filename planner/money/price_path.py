"""The path of rents: its yearly change, the change that two quoted terms imply, agreed prices."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import SolveResult, root, solve_result
from planner.money.formula import Num
from planner.money.inflation import WORTH, deflators, inflation_per_year, to_plan_terms
from planner.money.ledger import COMPUTED, TRIED, YOUR_INPUT, InputSheet, Line, Origin, end, origin
from planner.money.setting import RENT_CHANGE, PlanContext
from planner.money.timeline import PLAN
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.shown_money import shown_money
from pricing import Catalogue
from pricing.caching import cached
from pricing.records import Offer

# Yearly factors between which an implied path is looked for.
_LEAST, _MOST = 1e-4, 1e4
LONGER_COSTS_LESS = "none: the longer term costs no more in all than the shorter one"
OUT_OF_RANGE = "none: no yearly change between -99.99 % and +999,900 % explains these quotes"


def implied_change_per_year(
    *, short_usd_per_hour: Num, short_months: Num, long_usd_per_hour: Num, long_months: Num
) -> SolveResult:
    """The yearly price change at which a long commitment costs as much as short ones in a row. [1/year]

    Not discounted. For 1 against 3 years: 3 * long = short * (1 + f + f ** 2), and f - 1 is the change. It is what the
    seller's two quotes say together, not a forecast: a discount for commitment is in it too.
    """
    ratio = np.asarray(np.divide(long_usd_per_hour, short_usd_per_hour))
    short, long = (np.asarray(months, dtype=np.float64) for months in (short_months, long_months))

    def mean_over_ratio(log_growth: NDArray[np.float64]) -> NDArray[np.float64]:
        per_month = log_growth / MONTHS_PER_YEAR
        return np.asarray(_mean_price(per_month, long) / _mean_price(per_month, short) - ratio)

    shape = np.broadcast(ratio, short, long).shape
    log_growth = root(mean_over_ratio, low=np.full(shape, np.log(_LEAST)), high=np.full(shape, np.log(_MOST)))
    change = np.expm1(log_growth)
    return solve_result(change, reasons={LONGER_COSTS_LESS: ratio * long <= short, OUT_OF_RANGE: np.isnan(change)})


def _mean_price(log_growth_per_month: NDArray[np.float64], months: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the first `months` of a price that starts at 1, up to a factor that is the same for any length."""
    flat = log_growth_per_month == 0
    some = np.where(flat, 1.0, log_growth_per_month)
    return np.asarray(np.where(flat, 1.0, np.expm1(some * months) / (some * months)))


LEAST_CHANGE, MOST_CHANGE = -0.6, 0.5  # a year; no path of rents is drawn steeper
CHANGE = "rent_change_per_year"
LEVEL = "rent_level"
STEP, STEP_AFTER = "rent_step", "rent_step_after_months"  # all rents times this from then on
DRIFT = "rent_drift_per_year"  # away from your own levels, year after year
BY_RATE = f"usd_per_accelerator_hour * (1 + {CHANGE}) ** (price_set_after_months / 12)"
BY_LEVEL = f"usd_per_accelerator_hour * {LEVEL}"


def add_rent_path(sheet: InputSheet, setting: PlanContext, set_after_months: NDArray[np.float64]) -> str:
    """Add the path of rents; return the hourly price as a formula. `set_after_months`: when each price was set."""
    later = ""
    if inflation_per_year(setting) != 0:
        worth = deflators(setting, set_after_months / MONTHS_PER_YEAR)
        sheet.add(WORTH, worth, "dollars of the day its price was set", PLAN)
        later = f" * {WORTH}"
    if STEP in setting.tried:  # a jump of all rents from some month on
        sheet.add(STEP, 1.0, "times the path of rents", TRIED)
        sheet.add(STEP_AFTER, 0.0, "months", TRIED)
        later += f" * where(price_set_after_months >= {STEP_AFTER}, {STEP}, 1)"
    if setting.terms.rent_by_year and CHANGE not in setting.tried:
        _add_rent_levels(sheet, setting, set_after_months)
        return f"{BY_LEVEL}{later}"
    change, where = _central_change(setting)
    low, high = (float(np.clip(change + offset, LEAST_CHANGE, MOST_CHANGE)) for offset in _range_offsets(setting))
    sheet.add(CHANGE, change, "share a year", where, (low, high))
    return f"{BY_RATE}{later}"


def _add_rent_levels(sheet: InputSheet, setting: PlanContext, set_after_months: NDArray[np.float64]) -> None:
    levels = np.asarray(setting.terms.rent_by_year)
    begun_years = set_after_months / MONTHS_PER_YEAR
    level = levels[np.minimum(np.floor(begun_years + 1e-9).astype(np.intp), len(levels) - 1)]
    if DRIFT in setting.tried:
        sheet.add(LEVEL, level * (1 + setting.tried[DRIFT]) ** begun_years, "times today's rent", TRIED)
        return
    low, high = (level * (1 + offset) ** begun_years for offset in _range_offsets(setting))
    sheet.add(LEVEL, level, "times today's rent", YOUR_INPUT, (low, high))


def _central_change(setting: PlanContext) -> tuple[float, Origin]:
    """The yearly change to plan with: the one that quotes imply where the plan wants it, yours, or the catalogue's."""
    if setting.terms.rent_as_quotes_imply:
        quoted = quotes(setting)
        if quoted is not None and quoted.change.is_found:
            change = to_plan_terms(setting, float(np.asarray(quoted.change.value)))
            return min(max(change, LEAST_CHANGE), MOST_CHANGE), Origin(quoted.source, "derived", note=quoted.sentence)
    yours = setting.terms.rent_change_per_year
    if yours is not None:
        return yours, YOUR_INPUT
    figure = setting.catalogue.facts[RENT_CHANGE].figure
    return to_plan_terms(setting, figure.newest.typical), origin(setting.catalogue, figure)


def _range_offsets(setting: PlanContext) -> tuple[float, float]:
    value = setting.catalogue.facts[RENT_CHANGE].figure.newest
    middle = to_plan_terms(setting, value.typical)
    low, high = (to_plan_terms(setting, end(value, case)) - middle for case in ("low", "high"))
    return low, high


@dataclass(frozen=True, eq=False)
class TermQuotes:
    """The quotes of a seller for one year and for three, and the yearly change at which they cost the same."""

    source: str
    sentence: str
    change: SolveResult


def quotes(setting: PlanContext) -> TermQuotes | None:
    """The plan's two quotes; None where the catalogue has none."""
    catalogue, taken = setting.catalogue, setting.offers
    if taken.one_year is None or taken.three_years is None:
        return None
    short, long = (catalogue.offers[key] for key in (taken.one_year, taken.three_years))
    usd = [_usd(offer) for offer in (short, long)]
    sellers = [catalogue.providers[offer.provider].label for offer in (short, long)]
    label = sellers[0] if sellers[0] == sellers[1] else f"{sellers[0]} and {sellers[1]}"
    change = _implied(usd[0], usd[1])
    implied = f"no change: {change.reason}"
    if change.is_found:
        implied = f"{float(np.asarray(change.value)):+.1%} a year"
    money = shown_money()
    short_price, long_price = (f"{money.amount(each):.2f}" for each in usd)
    sentence = (
        f"{short_price} {money.code} an hour for one year and {long_price} for three, of {label}, imply {implied}; "
        "they contain a discount for commitment, so this is no forecast"
    )
    return TermQuotes(f"quotes of {label}", sentence, change)


@cached(256)
def _implied(short_usd: float, long_usd: float) -> SolveResult:
    return implied_change_per_year(
        short_usd_per_hour=short_usd, short_months=12.0, long_usd_per_hour=long_usd, long_months=36.0
    )


def rent_path_warnings(setting: PlanContext) -> tuple[str, ...]:
    """Return warnings about a rent path that could not be computed as entered."""
    if not setting.terms.rent_as_quotes_imply:
        return ()
    if setting.terms.rent_by_year:
        return ("rents follow your levels by year; what quotes imply was left aside",)
    quoted = quotes(setting)
    instead = "so the catalogue's is used"
    if setting.terms.rent_change_per_year is not None:
        instead = "so your change is used"
    if quoted is None:
        return (f"prices for one and for three years are not published, so they imply no change of rents, {instead}",)
    if not quoted.change.is_found:
        return (f"{quoted.sentence}, {instead}",)
    change = float(np.asarray(quoted.change.value))
    if not LEAST_CHANGE <= change <= MOST_CHANGE:
        return (f"{quoted.sentence}; the plan stops at {LEAST_CHANGE:+.0%} and {MOST_CHANGE:+.0%} a year",)
    return ()


@cached(256, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def pair(catalogue: Catalogue, offers: tuple[str, ...], preferred: str | None, day: date) -> tuple[str, str] | None:
    """Return a one-year and a three-year quote: of the same seller and machine if possible, the preferred seller first.

    Among several, those for which a quote for three years was looked at last, then the cheapest.
    """
    priced = {key: offer for key in offers if (offer := catalogue.offers[key]).usd_per_accelerator_hour is not None}
    quoted = {
        kind: [_read_quote(key, offer, day) for key, offer in priced.items() if offer.purchase == kind]
        for kind in ("reserved_1y", "reserved_3y")
    }
    if not all(quoted.values()):
        return None
    shorts = _first_of_each_machine(quoted["reserved_1y"], lambda quote: (quote.usd, quote.key))
    longs = _first_of_each_machine(quoted["reserved_3y"], lambda quote: (quote.age_days, quote.usd, quote.key))

    def sort_key(
        both: tuple[_ForwardQuote, _ForwardQuote],
    ) -> tuple[bool, bool, bool, int, float, float, tuple[str, str]]:
        short, long = both
        is_other = (short.provider != long.provider, long.provider != preferred, short.machine != long.machine)
        return (*is_other, long.age_days, long.usd, short.usd, (short.key, long.key))

    short, long = min(product(shorts, longs), key=sort_key)
    return short.key, long.key


class _ForwardQuote(NamedTuple):
    """One offer, read once for all that it is compared with."""

    key: str
    provider: str
    machine: tuple[str, str | None, int]
    age_days: int
    usd: float


def _first_of_each_machine(
    quotes: Iterable[_ForwardQuote], order: Callable[[_ForwardQuote], tuple[float | str, ...]]
) -> list[_ForwardQuote]:
    """Return for each machine of a seller the first quote in this order: no other is ever taken."""
    first: dict[tuple[object, ...], _ForwardQuote] = {}
    for quote in sorted(quotes, key=order):
        first.setdefault((quote.provider, quote.machine), quote)
    return list(first.values())


def _read_quote(key: str, offer: Offer, day: date) -> _ForwardQuote:
    figure = offer.usd_per_accelerator_hour
    assert figure is not None
    machine = offer.region, offer.sku, offer.accelerators_per_instance
    return _ForwardQuote(key, offer.provider, machine, figure.age_days(day), figure.newest.typical)


def _usd(offer: Offer) -> float:
    assert offer.usd_per_accelerator_hour is not None
    return offer.usd_per_accelerator_hour.newest.typical


def price_set_after_months(terms_months: list[float], last: int) -> NDArray[np.float64]:
    """Return when the price of each month was set: at its beginning, or when the reservation began. [month]"""
    term = np.array(terms_months, dtype=np.float64).reshape(-1, 1)
    begun = np.maximum(np.arange(last + 1, dtype=np.float64) - 1, 0.0)
    set_after = np.where(term > 0, np.floor(begun / np.maximum(term, 1e-9) + 1e-9) * term, begun)
    return np.asarray(set_after[0] if len(terms_months) == 1 else set_after)


def column(values: list[float]) -> Num:
    """One value for each offer, standing beside the months; a plain number for a single one."""
    return values[0] if len(values) == 1 else np.array(values, dtype=np.float64).reshape(-1, 1)


PRICE_AGREED = "forward_usd_per_accelerator_hour"
WORTH_AGREED = "worth_of_agreed_when_paid"
FEE = "forward_fee_usd"
_FIRST = "forward_from_month"


def add_forward_rent(sheet: InputSheet, setting: PlanContext, path: str) -> str:
    """The price of an hour as a formula: what was agreed from its first month on, before it the path."""
    rent = setting.scenario.rent
    if rent.forward_usd_per_accelerator_hour is None:
        return path
    sheet.add(PRICE_AGREED, rent.forward_usd_per_accelerator_hour, "USD/accelerator-hour", YOUR_INPUT)
    sheet.add(_FIRST, float(rent.forward_from_month), "number of the month", YOUR_INPUT)
    sheet.add("month", setting.timeline.month, "its number", PLAN)
    agreed = PRICE_AGREED
    if inflation_per_year(setting) != 0:
        worth = deflators(setting, 0.0)
        sheet.add(WORTH_AGREED, worth, "dollars of today", PLAN)
        agreed = f"{agreed} * {WORTH_AGREED}"
    return f"where(month >= {_FIRST}, {agreed}, {path})"


def forward_rent_note(setting: PlanContext) -> tuple[str, ...]:
    """Return a note where hours on demand have an agreed price."""
    rent = setting.scenario.rent
    if rent.forward_usd_per_accelerator_hour is None or rent.forward_from_month > setting.timeline.last:
        return ()
    usd, month = rent.forward_usd_per_accelerator_hour, rent.forward_from_month
    return (f"from month {month} on an hour on demand costs the {usd:g} USD that were agreed, wherever rents go",)


def with_forward_fee(setting: PlanContext, lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines of a way, and the fee for the agreement where it rents at that price."""
    rent, lines = setting.scenario.rent, tuple(lines)
    if rent.forward_fee_usd is None:
        return lines
    agreed = [line for line in lines if PRICE_AGREED in line.names]
    months = setting.timeline.month >= rent.forward_from_month
    rents = sum((np.any((line.usd != 0) & months, axis=-1, keepdims=True) for line in agreed), np.zeros(1)) > 0
    if not np.any(rents):
        return lines
    sheet = setting.input_sheet()
    sheet.add_all(setting.timeline.flags)
    sheet.add(FEE, rent.forward_fee_usd, "USD", YOUR_INPUT)
    uses = rents.astype(np.float64) if rents.ndim > 1 else float(rents[0])
    sheet.add("rents_as_agreed", uses, "1 where any hour is rented at the agreed price, else 0", COMPUTED)
    return (*lines, sheet.line("Fee for the agreed rent", "commitment", f"{FEE} * rents_as_agreed * starts"))
