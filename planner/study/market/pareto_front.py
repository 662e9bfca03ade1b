"""The front of time and money over all tries of a market study, the best of them, and why each of the others lost.

Then the recommendation in sentences; and where nothing keeps to the limits, what would.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.money.verdict.answer import CLOSE_GAP
from planner.money.ways import WAYS
from planner.scenario.amounts import count
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_YEAR
from planner.scenario.durations import format_duration, range_words
from planner.scenario.task import FixedRun
from planner.speed.match_model import find_model_record
from planner.speed.serving import is_other_work
from planner.study.market.candidate import Lost, Market, MarketCandidate, format_usd_rounded_up, usd_words
from planner.study.market.hours_needed import Task
from pricing import Catalogue, PricingError, names

_HARDLY = 0.005
_FASTER, _DEARER = 1.5, 1.0  # so much sooner, for at most so much more, is worth a sentence


def sentences(found: Market, task: Task) -> tuple[str, ...]:
    """Why the recommended try; or which limit is in the way, by how much, and what would satisfy it."""
    said = _recommendation(found, found.best) if found.best else nothing(found)
    return (*said, *_price_age(found), *_assumed(found, task))


def summary(found: Market, one: MarketCandidate) -> str:
    """One try in a sentence: what, how long, for how much."""
    seller = f" at {one.provider}" if one.provider and one.accelerator else ""
    when = (
        "" if one.days is None or found.monthly else f" {range_words(one.days.low, one.days.typical, one.days.high)},"
    )
    each = "" if one.days is None or not found.monthly else f" {format_duration(one.days.typical)} a run,"
    token = "" if one.tpot_p99_ms is None else f" {one.tpot_p99_ms:,.0f} ms a token for 99 of 100 requests,"
    bill = "no price" if one.usd is None else usd_words(one.usd.typical)
    if one.usd is not None and one.usd.high - one.usd.low >= 1:
        bill += f" ({usd_words(one.usd.low)} to {usd_words(one.usd.high)})"
    month = " a month" if found.monthly else ""
    return f"{one.words[0].upper()}{one.words[1:]}{seller}:{when}{each}{token} {bill}{month}"


def _recommendation(found: Market, best: MarketCandidate) -> Iterator[str]:
    yield f"{summary(found, best)}."
    if found.deadline_days is not None and best.days is not None:
        early = found.deadline_days - best.days.typical
        risk = (
            "" if best.days.high <= found.deadline_days else f", though it may take {format_duration(best.days.high)}"
        )
        yield f"It is the cheapest within {format_duration(found.deadline_days)}, {format_duration(early)} early{risk}."
    elif best.days is not None and not found.monthly:
        yield (
            f"No deadline is said: of all that cost within {CLOSE_GAP:.0%} of the cheapest, it is done soonest. "
            "A deadline would let it be slower or faster."
        )
    else:
        yield f"It is the cheapest that does the work{' as promised' if found.service else ''}."
    if WAYS[best.way].by_the_token:
        yield "How soon whoever sells it answers is not known here: ask before you promise it on."
    if best.way == "own" and found.monthly and best.wait_days > 0:
        yield f"The machines come after {format_duration(best.wait_days)}; until then the work is rented or waits."
    yield from _faster_candidate_text(found, best)


def _faster_candidate_text(found: Market, best: MarketCandidate) -> Iterator[str]:
    """The next try on the front that is worth its price in time to somebody in a hurry."""
    faster = [one for one in found.front if one.speed * _FASTER <= best.speed and one.cost > best.cost]
    following = min(faster, key=lambda one: one.cost, default=None)
    if following is None or best.cost <= 0 or following.days is None:
        return
    more = following.cost / best.cost - 1
    if more > _DEARER:
        return
    price = f"{more:.0%}" if more >= _HARDLY else "hardly"
    yield f"For {price} more it takes {format_duration(following.days.typical)}: {following.words}."


def nothing(found: Market) -> Iterator[str]:
    """Which limit leaves no try, by how much, and what would satisfy it."""
    can = found.front
    if not can:
        yield f"Nothing of the catalogue does this work at a known price{_least(found)}."
        return
    soonest = min(can, key=lambda one: (one.speed, one.cost))
    deadline, budget = found.deadline_days, found.budget_usd
    in_time = [one for one in can if deadline is None or one.days is None or one.days.typical <= deadline]
    if deadline is not None and soonest.days is not None and not in_time:
        yield (
            f"Nothing is done within {format_duration(deadline)}: the soonest, {soonest.words}, takes "
            f"{format_duration(soonest.days.typical)} and costs {usd_words(soonest.cost)}. A deadline of "
            f"{format_duration(soonest.days.typical)} would do."
        )
    if budget is None:
        return
    among = in_time or can
    cheapest = min(among, key=lambda one: (one.cost, one.speed))
    if cheapest.cost > budget:
        when = "" if deadline is None or not in_time else f" within {format_duration(deadline)}"
        yield (
            f"Nothing{when} costs {usd_words(budget)} or less: the cheapest, {cheapest.words}, is over it by "
            f"{usd_words(cheapest.cost - budget)}. A budget of {format_usd_rounded_up(cheapest.cost)} would do."
        )
    slower = min((one for one in can if one.cost <= budget), key=lambda one: one.speed, default=None)
    if slower is not None and slower.days is not None:
        yield f"With {usd_words(budget)} it takes {format_duration(slower.days.typical)}: {slower.words}."


def _least(found: Market) -> str:
    """The most frequent reason for which tries lost, where nothing can be had; empty where none has a reason."""
    reasons = [str(one.why_not) for one in found.tries if one.why_not]
    if not reasons:
        return ""
    most = max(sorted(set(reasons)), key=reasons.count)
    return f". Most often: {most}"


def _price_age(found: Market) -> Iterator[str]:
    """How old the price is that the recommendation rests on; what it is worth today is reckoned with."""
    one = found.taken
    if one is None or one.age_days is None or one.age_days <= 0:
        return
    days = "a day" if one.age_days == 1 else f"{one.age_days:,} days"
    yield f"Its price was read {days} ago and is reckoned with as what it is worth today."


def _assumed(found: Market, task: Task) -> Iterator[str]:
    length = task.scenario.years
    years = "year" if length == 1 else f"{length:g} years"
    if found.monthly:
        yield (
            f"Bills are for a month at today's prices; what is bought is paid over the {years} of the plan, "
            "resale included, and a reservation runs on, busy or idle."
        )
    else:
        yield (
            f"What is bought is charged whole to this run: delivered, kept for the {years} of the plan, and "
            "sold. A reservation is paid to the end of its term."
        )
    yield "That so many are free at once is not checked; disks, traffic and support come on top."


_LONGEST_DAYS = HOURS_PER_YEAR / HOURS_PER_DAY
_NEARLY = 1e-9


@dataclass(frozen=True)
class Limits:
    """The deadline and the budget that a try must keep beside doing the work."""

    deadline_days: float | None
    budget_usd: float | None

    def late_days(self, one: MarketCandidate) -> float:
        """By how many days a try is late; nothing or less where it is not."""
        if self.deadline_days is None or one.days is None:
            return 0.0
        return one.days.typical - self.deadline_days * (1 + _NEARLY)

    def over_usd(self, one: MarketCandidate) -> float:
        """By how much a try is over the budget. [USD]"""
        return 0.0 if self.budget_usd is None else one.cost - self.budget_usd * (1 + _NEARLY)

    def allows(self, one: MarketCandidate) -> bool:
        """Whether a try keeps to deadline and budget."""
        return self.late_days(one) <= 0 and self.over_usd(one) <= 0


def judged(
    catalogue: Catalogue, task: Task, tries: Iterable[MarketCandidate], *, budget_usd: float | None, day: date
) -> Market:
    """The tries with their reasons, the front, and the recommendation with its sentences."""
    service = task.work.serve is not None
    limits = Limits(task.deadline_days, budget_usd)
    every = [_ended(one) for one in tries]
    taken = [one for one in every if not one.why_not]
    front = _front(taken)
    kept_to = [one for one in taken if limits.allows(one)]
    best = _best(kept_to, hurried=limits.deadline_days is None and not task.monthly)
    within = [one for one in taken if limits.over_usd(one) <= 0]
    found = Market(
        what=_what(catalogue, task),
        tries=_told(every, front, best, limits),
        best=best and _plain(best, front),
        fastest=min(within, key=lambda one: (one.speed, one.cost), default=None),
        deadline_days=limits.deadline_days,
        budget_usd=budget_usd,
        why=(),
        nearest=None if best else _nearest(taken, limits),
        monthly=task.monthly,
        service=service,
        day=day,
    )
    return replace(found, why=sentences(found, task))


def _ended(one: MarketCandidate) -> MarketCandidate:
    """The try; lost where its run takes over a year."""
    if one.why_not or one.days is None or one.days.typical <= _LONGEST_DAYS:
        return one
    if one.way == "own" and one.days.typical - one.wait_days <= _LONGEST_DAYS:
        return one
    return replace(one, why_not=Lost("over_a_year", amount=one.days.typical - one.wait_days))


def _cheapest(one: MarketCandidate) -> tuple[float, float, str, int, str]:
    return (round(one.cost, 2), one.speed, one.accelerator, one.accelerators, one.way)


def _best(among: Sequence[MarketCandidate], *, hurried: bool) -> MarketCandidate | None:
    """The cheapest try; of one run without a deadline, the soonest of those that cost about the same."""
    cheapest = min(among, key=_cheapest, default=None)
    if cheapest is None or not hurried:
        return cheapest
    same = [one for one in among if one.cost <= cheapest.cost * (1 + CLOSE_GAP)]
    return min(same, key=lambda one: (one.speed, *_cheapest(one)))


def _front(among: Sequence[MarketCandidate]) -> list[MarketCandidate]:
    """The tries that no other beats on time and money, the soonest first; of equals the first by name."""
    front: list[MarketCandidate] = []
    least = float("inf")
    for one in sorted(among, key=lambda one: (one.speed, *_cheapest(one))):
        if one.cost < least:
            front.append(one)
            least = one.cost
    return front


def _nearest(among: Sequence[MarketCandidate], limits: Limits) -> MarketCandidate | None:
    """The try that misses deadline and budget by the least, in shares of them."""

    def missed(one: MarketCandidate) -> float:
        late = max(limits.late_days(one), 0.0) / (limits.deadline_days or 1.0)
        return late + max(limits.over_usd(one), 0.0) / max(limits.budget_usd or 1.0, 1.0)

    return min(among, key=lambda one: (missed(one), *_cheapest(one)), default=None)


def _told(
    every: Sequence[MarketCandidate], front: Sequence[MarketCandidate], best: MarketCandidate | None, limits: Limits
) -> tuple[MarketCandidate, ...]:
    """Every try with the first reason that it lost for; those on the front have none unless they break a limit."""
    on_front = {id(one) for one in front}
    speeds = [one.speed for one in front]
    told = []
    for one in every:
        if one.why_not:
            told.append(one)
            continue
        place = bisect_right(speeds, one.speed) - 1
        why = _limit(one, limits)
        why = why or (None if id(one) in on_front or one is best else _beaten_rejection(one, front[place]))
        told.append(replace(one, why_not=why, on_front=id(one) in on_front))
    return tuple(told)


def _plain(best: MarketCandidate, front: Sequence[MarketCandidate]) -> MarketCandidate:
    return replace(best, on_front=any(one is best for one in front))


def _limit(one: MarketCandidate, limits: Limits) -> Lost | None:
    late, over = limits.late_days(one), limits.over_usd(one)
    if late > 0:
        return Lost("late", amount=late)
    return Lost("over_budget", amount=over) if over > 0 else None


def _beaten_rejection(one: MarketCandidate, by: MarketCandidate) -> Lost:
    timeless = np.isinf(one.speed) or (one.days is None and one.tpot_p99_ms is None)
    if timeless or (by.cost < one.cost and not by.speed < one.speed):
        return Lost("dearer", by.words)
    return Lost("dearer_and_slower" if by.cost < one.cost else "slower", by.words)


def _what(catalogue: Catalogue, task: Task) -> str:
    """The work in a few words."""
    run, asked = task.run, task.work.serve
    often = "" if run is None or run.runs_per_month is None else f", {count(run.runs_per_month, 'run')} a month"
    if isinstance(run, FixedRun):
        on = catalogue.accelerator_label(names.accelerator(catalogue, run.measured_on))
        return f"A run of {count(run.hours, 'hour')} on one {on}{often}"
    if run is not None:
        label = _label(catalogue, run.model)
        how = "Train" if run.method == "full" else f"Fine-tune ({run.method})"
        tokens = "" if run.tokens is None else f" on {_short_number(run.tokens)} tokens"
        return f"{how} {label}{tokens}{often}"
    assert asked is not None  # it is one of the three
    other = is_other_work(asked.model)
    label = asked.model if other else _label(catalogue, asked.model)
    most = "" if asked.peak_requests_per_s is None else f", {asked.peak_requests_per_s:g} at the peak"
    return f"Serve {label}: {count(asked.requests_per_s, 'request')} a second{most}"


def _label(catalogue: Catalogue, called: str) -> str:
    """What the catalogue calls a model; its own name where it is one of somebody's own."""
    try:
        return catalogue.models[find_model_record(catalogue, called)].label
    except PricingError:
        return called


def _short_number(number: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:,.4g} {word}"
    return f"{number:,.0f}"
