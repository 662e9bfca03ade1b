"""The recommendation of a market study in sentences; and where nothing keeps to the limits, what would."""

from __future__ import annotations

from collections.abc import Iterator

from planner.money.verdict.answer import CLOSE_GAP
from planner.money.ways import WAYS
from planner.scenario.durations import range_words, time_words
from planner.speed.training.result import Range
from planner.study.market.amounts import enough_usd_words, usd_words
from planner.study.market.hours_needed import Task
from planner.study.market.tried import Market, Try

_HARDLY = 0.005
_FASTER, _DEARER = 1.5, 1.0  # so much sooner, for at most so much more, is worth a sentence


def sentences(found: Market, task: Task) -> tuple[str, ...]:
    """Why the recommended try; or which limit is in the way, by how much, and what would satisfy it."""
    said = _recommended(found, found.best) if found.best else nothing(found)
    return (*said, *_price_age(found), *_assumed(found, task))


def summary(found: Market, one: Try) -> str:
    """One try in a sentence: what, how long, for how much."""
    seller = f" at {one.provider}" if one.provider and one.accelerator else ""
    when = (
        "" if one.days is None or found.monthly else f" {range_words(one.days.low, one.days.typical, one.days.high)},"
    )
    each = "" if one.days is None or not found.monthly else f" {time_words(one.days.typical)} a run,"
    token = "" if one.tpot_p99_ms is None else f" {one.tpot_p99_ms:,.0f} ms a token for 99 of 100 requests,"
    bill = "no price" if one.usd is None else f"{usd_words(one.usd.typical)}{_from_to(one.usd)}"
    month = " a month" if found.monthly else ""
    return f"{one.words[0].upper()}{one.words[1:]}{seller}:{when}{each}{token} {bill}{month}"


def _from_to(usd: Range) -> str:
    return "" if usd.high - usd.low < 1 else f" ({usd_words(usd.low)} to {usd_words(usd.high)})"


def _recommended(found: Market, best: Try) -> Iterator[str]:
    yield f"{summary(found, best)}."
    if found.deadline_days is not None and best.days is not None:
        early = found.deadline_days - best.days.typical
        risk = "" if best.days.high <= found.deadline_days else f", though it may take {time_words(best.days.high)}"
        yield f"It is the cheapest within {time_words(found.deadline_days)}, {time_words(early)} early{risk}."
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
        yield f"The machines come after {time_words(best.wait_days)}; until then the work is rented or waits."
    yield from _sooner(found, best)


def _sooner(found: Market, best: Try) -> Iterator[str]:
    """The next try on the front that is worth its price in time to somebody in a hurry."""
    faster = [one for one in found.front if one.speed * _FASTER <= best.speed and one.cost > best.cost]
    following = min(faster, key=lambda one: one.cost, default=None)
    if following is None or best.cost <= 0 or following.days is None:
        return
    more = following.cost / best.cost - 1
    if more > _DEARER:
        return
    price = f"{more:.0%}" if more >= _HARDLY else "hardly"
    yield f"For {price} more it takes {time_words(following.days.typical)}: {following.words}."


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
            f"Nothing is done within {time_words(deadline)}: the soonest, {soonest.words}, takes "
            f"{time_words(soonest.days.typical)} and costs {usd_words(soonest.cost)}. A deadline of "
            f"{time_words(soonest.days.typical)} would do."
        )
    if budget is None:
        return
    among = in_time or can
    cheapest = min(among, key=lambda one: (one.cost, one.speed))
    if cheapest.cost > budget:
        when = "" if deadline is None or not in_time else f" within {time_words(deadline)}"
        yield (
            f"Nothing{when} costs {usd_words(budget)} or less: the cheapest, {cheapest.words}, is over it by "
            f"{usd_words(cheapest.cost - budget)}. A budget of {enough_usd_words(cheapest.cost)} would do."
        )
    slower = min((one for one in can if one.cost <= budget), key=lambda one: one.speed, default=None)
    if slower is not None and slower.days is not None:
        yield f"With {usd_words(budget)} it takes {time_words(slower.days.typical)}: {slower.words}."


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
