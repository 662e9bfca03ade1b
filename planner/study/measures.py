"""The measures of an option, each once: name, unit, value or the reason why there is none, and how it is shown.

JSON and its schema, the results CSV, the table of options on the page and the columns of a sweep read this list, in
this order. To add a measure, add one entry.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.money.carbon import EmissionRange, OptionEmissions, finite_or_none
from planner.money.finance import SolveResult
from planner.money.ledger import Case
from planner.money.measures import Measures, Payback
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.study.uncertainty.futures import Futures, PercentileBand
from pricing.caching import cached_property

BASELINE = "the baseline itself"
NOT_SIMULATED = "not simulated"
NOT_COMPARED = "only for the option that is compared with the baseline"
_NO_LIMIT = "no limit is entered"
_NOT_KNOWN = "not known"
USD, USD_CENTS, SHARE, TENTHS = "$%,.0f", "$%,.2f", "percent", "%,.1f"  # as a page writes numbers
EMISSIONS = "emissions"


@dataclass(frozen=True, eq=False)
class OptionResult:
    """One option of an answer, with all that its measures are read from."""

    plan: Plan
    answer: Answer
    way: EvaluatedOption
    futures: Futures | None = None

    @property
    def key(self) -> str:
        """The name of the option in files."""
        return self.way.option.key

    @property
    def is_baseline(self) -> bool:
        """Return whether the other options are measured against this one."""
        return self.way is self.answer.baseline

    @property
    def measures(self) -> Measures:
        """The measures of its cash flow."""
        return self.way.measures

    @property
    def emitted(self) -> OptionEmissions:
        return self.way.emissions

    @cached_property
    def simulated(self) -> Futures | None:
        """The futures, where this option is among what was simulated."""
        return None if self.futures is None or self.futures.row(self.key) is None else self.futures

    @cached_property
    def present(self) -> PercentileBand | None:
        """Its present cost over the futures."""
        return None if self.simulated is None else self.simulated.present(self.key)


MeasureValue = float | str  # a number, or the reason why there is none


@dataclass(frozen=True, eq=False)
class Measure:
    """One quantity of an option."""

    name: str  # the key of JSON, the column of CSV and of a sweep
    unit: str
    description: str
    of: Callable[[OptionResult], MeasureValue]
    may_lack: bool = False  # whether there may be a reason in place of a number
    part: str = ""  # of the JSON document that it stands in; empty: in the option itself
    label: str = ""  # its column in the table of options; empty: it is not shown there
    heading: str = ""  # of that column on the page, where the table says more
    format: str = USD
    help: str = ""
    shown_per: float = 1.0  # what the table divides by
    hides_empty: bool = False  # whether the table leaves it out where no option has it
    was: str = ""  # the column of the results CSV until the next release

    def number(self, result: OptionResult) -> float | None:
        """The number, or None where there is none."""
        value = self.of(result)
        return None if isinstance(value, str) else value

    def reason(self, result: OptionResult) -> str | None:
        """Why there is no number; None where there is one."""
        value = self.of(result)
        return value if isinstance(value, str) else None


def results_of(plan: Plan, answer: Answer, futures: Futures | None = None) -> Iterator[OptionResult]:
    """Every option of an answer, the cheapest first."""
    return (OptionResult(plan, answer, way, futures) for way in answer.ranked)


def _number(value: ArrayLike, reason: ArrayLike = _NOT_KNOWN) -> MeasureValue:
    """The number, without a sign where it is zero; the reason where it is none."""
    number = float(np.asarray(value).flat[0]) + 0.0
    return number if np.isfinite(number) else str(np.asarray(reason).flat[0])


def _against_baseline(result: OptionResult, solve: Callable[[Measures], SolveResult | Payback]) -> MeasureValue:
    if result.is_baseline:
        return BASELINE
    outcome = solve(result.measures)
    return _number(outcome.value if isinstance(outcome, SolveResult) else outcome.months, outcome.reason)


def _end(read: Callable[[PercentileBand], float]) -> Callable[[OptionResult], MeasureValue]:
    return lambda result: NOT_SIMULATED if result.present is None else read(result.present)


def _simulated(read: Callable[[Futures, str], float | None]) -> Callable[[OptionResult], MeasureValue]:
    def value(result: OptionResult) -> MeasureValue:
        if result.simulated is None:
            return NOT_SIMULATED
        number = read(result.simulated, result.key)
        return _NO_LIMIT if number is None else number

    return value


def _cheaper_than_baseline(result: OptionResult) -> MeasureValue:
    if result.is_baseline or result.answer.baseline is None:
        return BASELINE
    baseline = result.answer.baseline.option.key
    if result.simulated is None or result.simulated.row(baseline) is None:
        return NOT_SIMULATED
    return result.simulated.share_cheaper(result.key, baseline)


def _break_even(result: OptionResult, name: str) -> MeasureValue:
    """The value of an input at which the option costs what the baseline does."""
    if result.is_baseline:
        return BASELINE
    if result.answer.pair is None or result.way is not result.answer.pair[0]:
        return NOT_COMPARED
    result_of = result.answer.break_even(name)
    return NOT_COMPARED if result_of is None else str(result_of.reason) if result_of.value is None else result_of.value


def _break_even_hours(result: OptionResult) -> MeasureValue:
    busy = _break_even(result, "busy_share")
    return busy if isinstance(busy, str) else busy * result.plan.setting.terms.hours_per_month


def _emission(name: str, kind: str, end: Case, description: str, label: str = "", was: str = "") -> Measure:

    def value(result: OptionResult) -> MeasureValue:
        if end == "typical":
            typical = finite_or_none(getattr(result.emitted.typical, kind))
            return _NOT_KNOWN if typical is None else typical
        kg: EmissionRange | None = getattr(result.emitted, kind)
        return _NOT_KNOWN if kg is None else getattr(kg, end)

    return Measure(name, "kg", description, value, may_lack=True, part=EMISSIONS, label=label, format=TENTHS, was=was)


MEASURES: tuple[Measure, ...] = (
    Measure(
        "present_usd", "USD", "the whole plan discounted to today: the median of its futures",
        lambda it: it.way.present_usd, label="Net present cost, USD", heading="Net present cost",
        help="All payments, discounted: the median of all futures.", was="present_cost_usd",
    ),
    Measure(
        "as_entered_usd", "USD", "the same at the inputs as entered, each at its typical value",
        lambda it: it.way.as_entered_usd, label="As entered, USD", heading="As entered",
        help="All payments, discounted, with every input at its typical value: the sum of the ledger's lines.",
    ),
    Measure(
        "present_low_usd", "USD", "10th percentile of the futures; the low end where nothing was simulated",
        lambda it: it.way.low_usd, label="10th percentile, USD", heading="10th percentile",
    ),
    Measure(
        "present_high_usd", "USD", "90th percentile of the futures; the high end where nothing was simulated",
        lambda it: it.way.high_usd, label="90th percentile, USD", heading="90th percentile",
    ),
    Measure(
        "present_p10_usd", "USD", "10th percentile of the futures; null: not simulated", _end(lambda band: band.low),
        may_lack=True, was="present_cost_p10_usd",
    ),
    Measure("present_p50_usd", "USD", "half of all futures cost less", _end(lambda band: band.middle), may_lack=True),
    Measure(
        "present_p90_usd", "USD", "90th percentile of the futures", _end(lambda band: band.high),
        may_lack=True, was="present_cost_p90_usd",
    ),
    Measure(
        "total_usd", "USD", "the plain sum of all lines, also of those that are no cash",
        lambda it: float(it.measures.total_usd),
    ),
    Measure(
        "total_cash_usd", "USD", "the plain sum of what is paid", lambda it: float(it.measures.bills_usd),
        label="Total cash, USD", heading="Total cash", help="Their plain sum.",
    ),
    Measure(
        "cash_today_usd", "USD", "what has to be paid on day one", lambda it: float(it.measures.cash_today_usd),
        label="Cash on day one, USD", heading="Day one",
    ),
    Measure(
        "cash_today_p90_usd", "USD", "90th percentile of the cash on day one",
        _simulated(lambda futures, key: futures.cash_today_band(key).high), may_lack=True,
    ),
    Measure(
        "peak_cash_usd", "USD", "the most cash that is out at one time, not discounted",
        lambda it: it.measures.peak.bills_usd,
    ),
    Measure(
        "peak_cash_discounted_usd", "USD", "the same payments discounted to today",
        lambda it: it.measures.peak.present_usd,
    ),
    Measure(
        "usd_per_useful_accelerator_hour", "USD/hour", "cost and hours both discounted to today",
        lambda it: _number(it.measures.usd_per_useful_hour.value, it.measures.usd_per_useful_hour.reason),
        may_lack=True, label="USD per useful GPU-h", heading="Per useful hour", format=USD_CENTS,
        help="Discounted cost over discounted useful GPU-hours.", was="usd_per_useful_gpu_hour",
    ),
    Measure(
        "idle_usd", "USD", "of the bills: hours that are paid and not used", lambda it: float(it.measures.idle_usd),
        label="Idle, USD", heading="Of which idle", help="Paid for while nothing ran.",
    ),
    Measure(
        "usd_per_year", "USD/year", "the level yearly cost that is worth as much",
        lambda it: float(it.measures.eac_usd_per_year), label="A year, USD", heading="A year",
        help="Equivalent annual cost: for comparing plans of different length.", was="eac_usd_per_year",
    ),
    Measure(
        "npv_usd", "USD", "what it saves against the baseline, discounted to today, at the inputs as entered",
        lambda it: _number(it.measures.npv_usd),
    ),
    Measure(
        "payback_months", "month", "until it has paid back against the baseline, counted plainly",
        lambda it: _against_baseline(it, lambda measures: measures.simple_payback), may_lack=True,
    ),
    Measure(
        "payback_discounted_months", "month", "the same discounted to today",
        lambda it: _against_baseline(it, lambda measures: measures.payback), may_lack=True,
        label="Pays back, month", heading="Pays back", format="%.1f",
        help="Month by which its savings against the baseline have covered its cost, with its sale, discounted.",
        was="discounted_payback_months",
    ),
    Measure(
        "return_per_year", "1/year", "internal rate of return against the baseline: 0.12 is 12 %",
        lambda it: _against_baseline(it, lambda measures: measures.irr), may_lack=True,
        label="Return a year", heading="Return", format=SHARE, help="Against renting on demand.", was="irr",
    ),
    Measure(
        "modified_return_per_year", "1/year", "the same where what comes back earns the discount rate (MIRR)",
        lambda it: _against_baseline(it, lambda measures: measures.modified_irr), may_lack=True,
    ),
    Measure(
        "break_even_busy_share", "1", "how busy it must be to cost what the baseline does",
        lambda it: _break_even(it, "busy_share"), may_lack=True, was="break_even_utilisation",
    ),
    Measure(
        "break_even_hours_per_month", "hour", "the same in hours a month of one accelerator", _break_even_hours,
        may_lack=True, was="break_even_hours_per_gpu_month",
    ),
    Measure(
        "break_even_usd_per_accelerator_hour", "USD/hour", "the rent at which it costs what the baseline does",
        lambda it: _break_even(it, "usd_per_accelerator_hour"), may_lack=True, was="break_even_rent_usd_per_gpu_hour",
    ),
    Measure(
        "cheapest_share", "1", "of futures in which it is the cheapest of all options",
        _simulated(lambda futures, key: futures.cheapest_share[key]), may_lack=True, was="probability_cheapest",
    ),
    Measure(
        "cheaper_than_baseline_share", "1", "of futures; null for the baseline itself", _cheaper_than_baseline,
        may_lack=True, was="probability_own_wins",
    ),
    Measure(
        "within_day_one_limit_share", "1", "of futures; null where no limit is entered",
        _simulated(lambda futures, key: futures.upfront_budget_share(key)), may_lack=True,
    ),
    Measure(
        "within_year_limit_share", "1", "of futures that keep the limit of a year; null where none is entered",
        _simulated(lambda futures, key: futures.yearly_budget_share(key)), may_lack=True,
    ),
    _emission(
        "operation_kg", "operation_kg", "typical", "kWh drawn x the grid's grams, at typical figures",
        label="CO2e, operation", was="operation_kg_co2e",
    ),
    _emission("operation_low_kg", "operation_kg", "low", "every figure at its low end"),
    _emission("operation_high_kg", "operation_kg", "high", "every figure at its high end"),
    _emission(
        "making_kg", "making_kg", "typical", "of what is bought all; of what is rented a share of its service life",
        label="CO2e, making", was="making_kg_co2e",
    ),
    _emission(
        "making_low_kg", "making_kg", "low", "of what is bought only the share of its life that the plan uses",
    ),
    _emission("making_high_kg", "making_kg", "high", "every figure at its high end"),
    Measure(
        "electricity_kwh", "kWh", "drawn, with what cooling takes",
        lambda it: _NOT_KNOWN if it.emitted.kwh is None else it.emitted.kwh, may_lack=True, part=EMISSIONS,
    ),
    Measure(
        "water_liters", "liter", "of making that electricity, where a figure of the place is known",
        lambda it: _NOT_KNOWN if it.emitted.water_l is None else it.emitted.water_l, may_lack=True, part=EMISSIONS,
        label="Water of electricity, m3", format="%,.0f", shown_per=1_000.0, hides_empty=True,
    ),
)  # fmt: skip
