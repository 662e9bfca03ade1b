"""Time and money: discounting, loans and leases, payback, rate of return, equal yearly and levelised cost.

Conventions of every function here:

- The last axis is time: entry 0 is today, entry m is month m (or what `years` says). Before it come lines and draws.
- Amounts are nominal and carry their sign; nothing here turns a cost into a saving. Where the sign matters (payback),
  money that comes in or is saved is positive and money paid out is negative.
- Rates are effective: 0.10 a year is 10 % after twelve months, hence (1 + r) ** (1 / 12) - 1 a month, never r / 12.
- A rate may be one number or one for each draw. It has no axis of time: (draws,) for (draws, months).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.formula import Num
from planner.scenario.base import DAYS_PER_YEAR, MONTHS_PER_YEAR
from planner.scenario.terms import Timing

# No yearly rate outside these is looked for: lose all but a hundredth of a per cent, or multiply ten thousand times.
LOWEST_RATE, HIGHEST_RATE = -0.9999, 9_999.0
_MOST_EXPONENT = 600.0  # exp() of more would leave 64-bit numbers
_NO_RATE = 1e-15  # below this, interest on a hundred years is lost in the last digit
_NO_HOUR = 1e-9  # of work over a whole plan: fewer are none
DUST = 1e-12  # of all money moved: what a sum of exact opposites may leave behind
ONE_WAY = "none: money only ever moves one way"
SEVERAL_RATES = "none: the cash flow changes sign more than once, so several rates could fit; use the net present value"
RATE_OUT_OF_RANGE = "none: no rate between -99.99 % and +999,900 % a year fits"
NO_HOURS = "none: there is no useful hour to spread the cost over"
PAID_AT_ONCE = "none: what is paid today already covers the price"
NO_PAYMENT = "none: nothing is paid back"


def real_rate(*, nominal_rate_per_year: Num, inflation_per_year: Num) -> Num:
    """A nominal rate without inflation. [1/year] For amounts in today's prices only; never mixed with nominal ones.

    References
    ----------
    I. Fisher: The Theory of Interest, 1930, ch. 2: (1 + nominal) = (1 + real) * (1 + inflation).
    """
    return (1 + nominal_rate_per_year) / (1 + inflation_per_year) - 1


def flow_years(*, months: int, timing: Timing, day: date | None = None) -> NDArray[np.float64]:
    """When the money of today and of each of the months moves, under a convention. [year]

    `month_end` and `year_end` are the textbook's end of period; `month_middle` and `year_middle` suit costs that are
    spread over it. Today is 0 under each of them. `dated` counts the days of the calendar from `day`.
    """
    if timing == "dated":
        if day is None:
            raise ValueError("dated flows want the day they start from")
        return dated_years(days=days_since(day=day, months=months))
    month = np.arange(months + 1, dtype=np.float64)
    years = {
        "month_end": month / MONTHS_PER_YEAR,
        "month_middle": (month - 0.5) / MONTHS_PER_YEAR,
        "year_end": np.ceil(month / MONTHS_PER_YEAR),
        "year_middle": np.ceil(month / MONTHS_PER_YEAR) - 0.5,
    }[timing]
    return np.asarray(np.maximum(years, 0.0))


def days_since(*, day: date, months: int) -> NDArray[np.float64]:
    """Return how many days lie between a day and the same day of each later month, or that month's last. [day]"""
    month = np.datetime64(day, "M") + np.arange(months + 1)
    last = ((month + 1).astype("datetime64[D]") - month.astype("datetime64[D]")).astype(np.int64)
    then = month.astype("datetime64[D]") + np.minimum(day.day, last) - 1
    return np.asarray((then - np.datetime64(day, "D")).astype(np.float64))


def dated_years(*, days: ArrayLike) -> NDArray[np.float64]:
    """When dated money moves, from its days since today. [year] As the XNPV and XIRR of spreadsheets count."""
    return np.asarray(days, dtype=np.float64) / DAYS_PER_YEAR  # leap years too, as spreadsheets do


def with_time_axis(number: Num) -> NDArray[np.float64]:
    """A number, or one for each draw, ready to meet an axis of time: with a last axis of length one."""
    along = np.asarray(number, dtype=np.float64)
    if along.ndim > 1 and along.shape[-1] == 1:
        # It would silently become draws x draws.
        raise ValueError(f"want one number for each draw, without an axis of time, got the shape {along.shape}")
    return along[..., None]


def discount_factors(*, rate_per_year: Num, years: ArrayLike) -> NDArray[np.float64]:
    """Return what one unit of money at each of the times is worth today. [1] Last axis: the times.

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 2, present values.
    """
    return np.asarray((1 + with_time_axis(rate_per_year)) ** -np.asarray(years, dtype=np.float64))


def npv_usd(*, usd: NDArray[np.float64], rate_per_year: Num, years: ArrayLike) -> Num:
    """Net present value of amounts at the given times. [USD] Signs as given; entry 0 is today and is not discounted.

    Unlike the NPV of spreadsheets, which takes its first amount to fall one period from now.
    """
    present: Num = np.sum(usd * discount_factors(rate_per_year=rate_per_year, years=years), axis=-1)
    return present


def annuity_factor(*, rate_per_period: Num, periods: Num, in_advance: bool) -> Num:
    """Present value of 1 in each period. [period] At its end ("in arrears"), or at its beginning ("in advance").

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 2, annuities: (1 - (1 + r) ** -n) / r.
    """
    rate = np.asarray(rate_per_period, dtype=np.float64)
    flat = np.abs(rate) < _NO_RATE
    some = np.where(flat, 1.0, rate)
    # expm1 and log1p keep the digits of small rates.
    factor = np.where(flat, periods, -np.expm1(-np.asarray(periods) * np.log1p(some)) / some)
    due: Num = (factor * (1 + rate) if in_advance else factor)[()]
    return due


def level_stream_usd(*, usd_per_period: Num, rate_per_period: Num, periods: Num, in_advance: bool) -> Num:
    """Present value of the same amount in every period. [USD]"""
    return usd_per_period * annuity_factor(rate_per_period=rate_per_period, periods=periods, in_advance=in_advance)


def implied_lease_rate(
    *, price_usd: Num, usd_per_month: Num, months: Num, balloon_usd: Num, in_advance: bool
) -> SolveResult:
    """The yearly rate at which a quoted lease, or a loan, is worth the price of what it pays for. [1/year, effective]

    Compare it with what borrowing costs. Negative where the payments do not even sum to the price.
    """
    price, payment, balloon = (np.asarray(usd, dtype=np.float64) for usd in (price_usd, usd_per_month, balloon_usd))

    def value_over_price(log_growth: NDArray[np.float64]) -> NDArray[np.float64]:
        rate = np.expm1(log_growth)
        stream = level_stream_usd(usd_per_period=payment, rate_per_period=rate, periods=months, in_advance=in_advance)
        return np.asarray(stream + balloon * np.exp(-log_growth * months) - price)

    monthly = np.log1p([LOWEST_RATE, HIGHEST_RATE]) / MONTHS_PER_YEAR
    shape = np.broadcast(price, payment, balloon, months).shape
    log_growth = root(value_over_price, low=np.full(shape, monthly[0]), high=np.full(shape, monthly[1]))
    rate = np.expm1(MONTHS_PER_YEAR * np.asarray(log_growth))
    return solve_result(
        rate,
        reasons={
            NO_PAYMENT: (payment <= 0) & (balloon <= 0),
            PAID_AT_ONCE: price <= (payment if in_advance else 0.0),
            RATE_OUT_OF_RANGE: np.isnan(rate),
        },
    )


def irr(*, usd: NDArray[np.float64], years: ArrayLike) -> SolveResult:
    """The yearly rate at which the amounts are worth nothing today. [1/year] Only where there is exactly one.

    A cash flow that changes sign once has one such rate. One that changes more often (a refresh, a cost at the end)
    may have several or none, and none is offered. `years` must not fall.

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 5, pitfalls of the internal rate of
    return. R. Descartes: La Geometrie, 1637, the rule of signs.
    """
    usd = np.asarray(usd, dtype=np.float64)
    times = np.broadcast_to(np.asarray(years, dtype=np.float64), usd.shape)
    changes = _sign_changes(usd)
    count = np.sum(changes, axis=-1)
    # Counted from the change of sign, what came before it only grows with the rate, and what comes after only shrinks.
    since_change = times - np.take_along_axis(times, np.argmax(changes, axis=-1)[..., None], axis=-1)

    def value(log_growth: NDArray[np.float64]) -> NDArray[np.float64]:
        exponent = np.clip(-log_growth[..., None] * since_change, -_MOST_EXPONENT, _MOST_EXPONENT)
        return np.asarray(np.sum(usd * np.exp(exponent), axis=-1))

    ends = np.log1p([LOWEST_RATE, HIGHEST_RATE])
    shape = usd.shape[:-1]
    rate = np.expm1(root(value, low=np.full(shape, ends[0]), high=np.full(shape, ends[1])))
    reasons = {ONE_WAY: count == 0, SEVERAL_RATES: count > 1, RATE_OUT_OF_RANGE: np.isnan(rate)}
    return solve_result(rate, reasons=reasons)


def modified_irr(*, usd: NDArray[np.float64], rate_per_year: Num, years: ArrayLike) -> SolveResult:
    """Return the yearly return when what comes back is put to work at the discount rate. [1/year]

    It exists wherever money goes out and comes back, however often the sign changes.

    References
    ----------
    Lin: The modified internal rate of return and investment criterion, The Engineering Economist 21 (1976), 237-247.
    """
    present = _without_dust(usd) * discount_factors(rate_per_year=rate_per_year, years=years)
    back, out = np.maximum(present, 0.0).sum(axis=-1), np.maximum(-present, 0.0).sum(axis=-1)
    one_way, last = (back <= 0) | (out <= 0), np.asarray(years, dtype=np.float64)[..., -1]
    times = np.where(one_way, 1.0, back / np.where(one_way, 1.0, out))
    return solve_result(times ** (1 / last) * (1 + rate_per_year) - 1, reasons={ONE_WAY: one_way})


def equivalent_annual_usd(*, present_value_usd: Num, rate_per_year: Num, years: Num) -> Num:
    """The level amount at each year's end, over the life, that is worth as much today. [USD/year]

    Compares lives of different length, as if each were followed by another of its kind at the same price.

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 6, equivalent annual cash flows.
    """
    return present_value_usd / annuity_factor(rate_per_period=rate_per_year, periods=years, in_advance=False)


def levelised_usd_per_hour(
    *, usd: NDArray[np.float64], useful_hours: NDArray[np.float64], rate_per_year: Num, years: ArrayLike
) -> SolveResult:
    """Discounted cost over discounted useful hours: the constant price per hour that would just pay for it all. [USD/h]

    Costs positive. Hours are discounted because they are what the cost has to be earned with.

    References
    ----------
    Short, Packey, Holt: A Manual for the Economic Evaluation of Energy Efficiency and Renewable Energy Technologies,
    NREL/TP-462-5173, 1995, ch. 3, levelized cost of energy.
    """
    cost = npv_usd(usd=usd, rate_per_year=rate_per_year, years=years)
    hours = np.asarray(npv_usd(usd=useful_hours, rate_per_year=rate_per_year, years=years))
    idle = hours <= _NO_HOUR
    return solve_result(cost / np.where(idle, 1.0, hours), reasons={NO_HOURS: idle})


def _without_dust(usd: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(usd) <= DUST * np.max(np.abs(usd), axis=-1, keepdims=True), 0.0, usd)


def _sign_changes(usd: NDArray[np.float64]) -> NDArray[np.bool_]:
    """At which entries the sign differs from the last one that was not zero."""
    sign = np.sign(_without_dust(usd))
    last_moved = np.maximum.accumulate(np.where(sign != 0, np.arange(usd.shape[-1]), 0), axis=-1)
    last_sign = np.take_along_axis(sign, last_moved, axis=-1)
    changes = np.zeros(usd.shape, dtype=np.bool_)
    changes[..., 1:] = last_sign[..., 1:] * last_sign[..., :-1] < 0
    return changes


FOUND = "found"
_MOST_CUTS = 128  # of a bracket; halved as often, nothing of it is left in 64-bit numbers
_NOTHING = 4 * np.finfo(np.float64).eps  # of a number: less than that is nothing


@dataclass(frozen=True)
class OutcomeReason:
    """A status word for code and a reason for people; only `str` joins the two."""

    word: Literal["found", "always", "never", "none"]
    detail: str = ""
    how: str = ""  # what follows the word at once: ", at a step", " within these months"

    def __str__(self) -> str:
        """never within these months: what comes back does not reach what went out."""
        return f"{self.word}{self.how}{': ' if self.detail else ''}{self.detail}"


@dataclass(frozen=True, eq=False)
class SolveResult:
    """One number for each entry, or the reason why there is none."""

    value: Num  # not-a-number where there is none
    reason: NDArray[np.str_]

    @property
    def is_found(self) -> NDArray[np.bool_]:
        """Return whether there is a number, for each entry."""
        return np.asarray(np.isfinite(self.value))


def solve_result(value: Num, *, reasons: dict[str, NDArray[np.bool_]]) -> SolveResult:
    """`value` where none of the reasons against it holds; otherwise the first of them that does."""
    conditions = np.broadcast_arrays(*reasons.values(), np.asarray(value))[:-1]
    refused = np.logical_or.reduce(conditions)
    words = np.select(list(conditions), [np.asarray(reason) for reason in reasons], np.asarray(FOUND))
    return SolveResult(np.where(refused, np.nan, value)[()], words)


def root(function: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, low: Num, high: Num) -> Num:
    """Return the point where `function` changes sign between `low` and `high`, each entry on its own, else NaN.

    A bracket is halved, or cut where a parabola through the last three points has its zero, until nothing is left.

    References
    ----------
    T. R. Chandrupatla: A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without
    using derivatives, Advances in Engineering Software 28(3), 1997.
    """
    points = [np.array(end, dtype=np.float64) for end in np.broadcast_arrays(low, high)]
    values = [function(point) for point in points]
    in_between = np.sign(values[0]) * np.sign(values[1]) <= 0
    share = np.full(points[0].shape, 0.5)
    for _ in range(_MOST_CUTS):
        (first, second), (at_first, at_second) = points, values
        point = first + share * (second - first)
        value = function(point)
        is_past = np.sign(value) != np.sign(at_first)
        points, values = [point, np.where(is_past, first, second)], [value, np.where(is_past, at_first, at_second)]
        with np.errstate(divide="ignore", invalid="ignore"):
            least = _NOTHING * np.abs(point) / np.abs(points[1] - point)
            cut = _parabola_share([*points, np.where(is_past, second, first)],
                                  [*values, np.where(is_past, at_second, at_first)])  # fmt: skip
        is_left = in_between & (value != 0) & (least < 0.5)
        if not is_left.any():
            break
        share = np.where(is_left, np.clip(np.where(np.isnan(cut), 0.5, cut), least, 1 - least), 0.0)
    return np.where(in_between, np.where(np.abs(values[1]) < np.abs(values[0]), points[1], points[0]), np.nan)[()]


def _parabola_share(
    points: Sequence[NDArray[np.float64]], values: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return how far towards the other end of a bracket its zero lies; half way where no parabola is of use."""
    (a, b, c), (at_a, at_b, at_c) = points, values
    place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
    is_of_use = (height**2 < place) & ((1 - height) ** 2 < 1 - place)
    cut = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return np.where(is_of_use, cut, 0.5)
