"""The Pareto front of time and cost over all candidates of a market study, the best of them, and each rejection.

Then the recommendation in sentences; and if no candidate keeps to the limits, what limit would do.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from planner.money.ways import WAYS
from planner.scenario.amounts import count, large
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_YEAR
from planner.scenario.durations import format_duration, months_words, range_words
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import write_usd
from planner.scenario.task import FixedRun
from planner.speed.match_model import find_model_record
from planner.speed.serving import is_non_llm_work
from planner.speed.training.result import Interval
from planner.study.market.candidate import (
    DOMINATED,
    NEARLY,
    MarketCandidate,
    MarketLimits,
    MarketStudy,
    Rejection,
    format_usd,
    format_usd_rounded_up,
    sold_by_many,
)
from planner.study.market.hours_needed import Task
from pricing import Catalogue, PricingError, names
from pricing.caching import derive

_HARDLY = 0.005
_FASTER, _MORE_EXPENSIVE = 1.5, 1.0  # so many times as fast, for at most so much more, is worth a sentence
_LONGEST_DAYS = HOURS_PER_YEAR / HOURS_PER_DAY
_STEEP, _TWICE = 10.0, 2.0
SALARY = "staff-salary"
_WORKING_DAYS, _WAITING_SHARE = 250.0, 0.25  # of a year; of a person who waits for a run, our assumption
_SETTING_UP_DAYS = 1 / 32  # of a person: a quarter of an hour, our assumption


def summary(study: MarketStudy, candidate: MarketCandidate) -> str:
    """Return one candidate in a sentence: hardware, time, cost."""
    days, usd = candidate.days, candidate.usd
    text = candidate.words[0].upper() + candidate.words[1:]
    if candidate.accelerator and candidate.seller_text:
        text += f" from {candidate.provider}" if candidate.provider else " by quote"
    text += ":"
    if days is not None and study.monthly:
        text += f" {format_duration(days.typical)} a run,"
    elif days is not None:
        text += f" {range_words(days.low, days.typical, days.high)},"
    if candidate.tpot_p99_ms is not None:
        text += f" {candidate.tpot_p99_ms:,.0f} ms a token for 99 of 100 requests,"
    text += " no price" if usd is None else f" {format_usd(usd.typical)}"
    if usd is not None and usd.high - usd.low >= 1:
        text += f" ({format_usd(usd.low)} to {format_usd(usd.high)})"
    return text + (" a month" if study.monthly else "")


def _recommendation(study: MarketStudy, best: MarketCandidate) -> Iterator[str]:
    yield f"{summary(study, best)}."
    deadline, days = study.deadline_days, best.days
    if deadline is not None and days is not None:
        early = format_duration(deadline - days.typical)
        risk = "" if days.high <= deadline else ", so it may be late"
        yield (
            f"It is the cheapest, what few sell aside, within {format_duration(deadline)}, {early} early; in 8 of 10 "
            f"cases it takes {format_duration(days.low)} to {format_duration(days.high)}{risk}."
        )
    elif days is not None and not study.monthly:
        yield (
            f"No deadline is given: a day saved counts {format_usd(study.day_usd)}, and then it costs least. "
            "A deadline would let it be slower or faster."
        )
    else:
        within = " within its latency targets" if study.is_service else ""
        yield f"It is the cheapest, what few sell aside, that does the work{within}."
    if WAYS[best.way].is_billed_by_token:
        yield "The seller's response time is not known: check it before you promise a latency."
    if best.way == "own" and study.monthly and best.wait_days > 0:
        yield f"The machines come after {format_duration(best.wait_days)}; until then the work waits."
    yield from market_sentences(best)
    yield from _likely_candidate_text(study, best)
    yield from _quoted_candidate_text(study, best)
    yield from _faster_candidate_text(study, best)


def market_sentences(candidate: MarketCandidate) -> Iterator[str]:
    """Yield what such an order pays on the market, and whether it is available."""
    band, at_once = candidate.band, max(candidate.at_once, candidate.accelerators)
    if band is None:
        return
    least = ""
    if band.cheapest_read is not None and candidate.provider is not None:
        how = "from" if band.cheapest_read <= band.typical else "listed at"
        least = f"{how} {write_usd(band.cheapest_read)} ({candidate.provider}); "
    few = ", of few sellers" if band.has_few_sellers else ""
    low, typical, high = map(write_usd, (band.low, band.typical, band.high))
    order = f"An order of {at_once:,} {candidate.purchase_text}"
    yield f"{order}: {least}typically {typical} an hour each ({low} to {high}){few}."
    if band.standing == "perhaps":
        wait = "" if band.wait_months is None else f", and may wait about {months_words(round(band.wait_months, 1))}"
        wait += ", which the days count" if candidate.wait_days else ""
        yield (
            f"Perhaps: somebody has so many at once with a chance of {band.chance:.0%} "
            f"({band.even_chance_count:,} with an even chance){wait}."
        )


def _likely_candidate_text(study: MarketStudy, best: MarketCandidate) -> Iterator[str]:
    """Name the cheapest candidate in time that is likely available, or the soonest, where the best is only perhaps."""
    if best.is_likely:
        return
    priced = (None, *DOMINATED, "late", "over_budget")  # what does the work, within the limits or not
    likely = [
        it
        for it in study.candidates
        if it.band and it.is_likely and it.days and (it.why_not and it.why_not.kind) in priced
    ]
    in_time = [it for it in likely if it.speed <= (study.deadline_days or math.inf)]
    if in_time:
        yield f"Likely available: {summary(study, min(in_time, key=_cost_sort_key))}."
    elif likely:
        soonest = min(likely, key=lambda candidate: (candidate.speed, candidate.cost))
        yield f"Nothing likely available for rent is done in time; the soonest: {summary(study, soonest)}."


def _quoted_candidate_text(study: MarketStudy, best: MarketCandidate) -> Iterator[str]:
    """Name the cheapest candidate that is sold only by quote, where it would cost less and be in time."""
    quoted = [it for it in study.candidates if it.why_not and it.why_not.kind == "by_quote"]
    in_time = [it for it in quoted if it.speed <= (study.deadline_days or best.speed)]
    least = min(in_time, key=_cost_sort_key, default=None)
    if least is not None and least.cost < best.cost * (1 - _HARDLY):
        yield f"Ask for a quote, it may cost less: {summary(study, least)}."


def _faster_candidate_text(study: MarketStudy, best: MarketCandidate) -> Iterator[str]:
    """Name the next candidate on the front that is worth its price if time matters."""
    faster = [each for each in study.front if each.speed * _FASTER <= best.speed and each.cost > best.cost]
    following = min(faster, key=lambda candidate: candidate.cost, default=None)
    if following is None or best.cost <= 0 or following.days is None:
        return
    more = following.cost / best.cost - 1
    if more <= _MORE_EXPENSIVE:
        price = f"{more:.0%}" if more >= _HARDLY else "hardly"
        yield f"For {price} more it takes {format_duration(following.days.typical)}: {following.words}."


def no_candidate_sentences(study: MarketStudy) -> Iterator[str]:
    """Say which limit rejects every candidate, by how much, and what limit would do."""
    front = study.front
    if not front:
        reasons = [str(candidate.why_not) for candidate in study.candidates if candidate.why_not]
        most = f". Most often: {max(sorted(set(reasons)), key=reasons.count)}" if reasons else ""
        yield f"Nothing of the catalogue does this work at a known price{most}."
        return
    deadline, budget = study.deadline_days, study.budget_usd
    in_time = [each for each in front if deadline is None or each.days is None or each.days.typical <= deadline]
    soonest = min(front, key=lambda candidate: (candidate.speed, candidate.cost))
    if deadline is not None and soonest.days is not None and not in_time:
        yield from _late_sentences(study, soonest, soonest.days, deadline)
    if budget is None:
        return
    cheapest = min(in_time or front, key=lambda candidate: (candidate.cost, candidate.speed))
    if cheapest.cost > budget:
        within = "" if deadline is None or not in_time else f" within {format_duration(deadline)}"
        yield (
            f"Nothing{within} costs {format_usd(budget)} or less: the cheapest, {cheapest.words}, is over it by "
            f"{format_usd(cheapest.cost - budget)}. A budget of {format_usd_rounded_up(cheapest.cost)} would do."
        )
    slower = min((c for c in front if c.cost <= budget), key=lambda candidate: candidate.speed, default=None)
    if slower is not None and slower.days is not None:
        yield f"With {format_usd(budget)} it takes {format_duration(slower.days.typical)}: {slower.words}."


def _late_sentences(study: MarketStudy, soonest: MarketCandidate, days: Interval, deadline: float) -> Iterator[str]:
    """Say that nothing keeps the deadline, the soonest that is available, and what a sooner end would cost."""
    least, low, high = (format_duration(end) for end in (days.typical, days.low, days.high))
    yield (
        f"Nothing is done within {format_duration(deadline)}: the soonest, {soonest.words}, takes {least} ({low} to "
        f"{high} in 8 of 10 cases) and costs {format_usd(soonest.cost)}. A deadline of {least} would do."
    )
    steep = [each for each in study.candidates if each.why_not and each.why_not.kind == "steep"]
    sooner = min((each for each in steep if each.speed <= deadline), key=_cost_sort_key, default=None)
    if sooner is not None:
        yield f"Sooner costs {sooner.cost / soonest.cost:,.0f} times as much: {summary(study, sooner)}."
    yield from market_sentences(soonest)
    yield from _likely_candidate_text(study, soonest)


def _assumptions(study: MarketStudy, task: Task) -> Iterator[str]:
    selected = study.selected
    if selected is not None and selected.age_days is not None and selected.age_days > 0:
        days = "a day" if selected.age_days == 1 else f"{selected.age_days:,} days"
        yield f"Its price was read {days} ago and is taken at its estimated value today."
    years = "year" if task.scenario.years == 1 else f"{task.scenario.years:g} years"
    if study.monthly:
        yield (
            f"Bills are for a month at today's prices; a purchase is paid over the {years} of the plan, "
            "resale and the rent until delivery included, and a reservation runs on, busy or idle."
        )
    else:
        yield (
            f"A purchase is charged in full to this run: kept for the {years} of the plan and sold; until "
            "it is delivered the work is rented. A reservation is paid to the end of its term."
        )
    yield "The people who run the GPUs are counted; disks, traffic and support cost extra."


def rank_candidates(
    catalogue: Catalogue, task: Task, tries: Iterable[MarketCandidate], *, budget_usd: float | None, day: date
) -> MarketStudy:
    """Return the candidates with their rejections, the front, and the recommendation with its sentences."""
    limits = MarketLimits(task.deadline_days, budget_usd)
    is_open = limits.deadline_days is None and not task.monthly
    day_usd = day_value_usd(catalogue, task.scenario)
    worth = {
        "day_usd": day_usd if is_open else 0.0,
        "small_usd": 0.0 if task.monthly else day_usd / _WAITING_SHARE * _SETTING_UP_DAYS,
    }
    candidates = _reject_by_quote(tries, limits, worth)
    feasible = [candidate for candidate in candidates if not candidate.why_not]
    front = _pareto_front(feasible)
    if not task.monthly:
        front = _without_steep_steps(front, limits.deadline_days)
        steep = {  # nothing on the front is as fast and as cheap: a step to it was too expensive
            id(candidate) for candidate in feasible
            if not any(each.speed <= candidate.speed and each.cost <= candidate.cost for each in front)
        }  # fmt: skip
        feasible = [candidate for candidate in feasible if id(candidate) not in steep]
        candidates = [derive(it, why_not=Rejection("steep")) if id(it) in steep else it for it in candidates]
    allowed = [candidate for candidate in feasible if limits.rejection(candidate) is None]
    best = _recommended(allowed, **worth)
    affordable = [candidate for candidate in feasible if limits.over_usd(candidate) <= 0]
    nearest = None if best else min(feasible, key=lambda c: (limits.miss(c), *_cost_sort_key(c)), default=None)
    study = MarketStudy(
        title=_task_text(catalogue, task),
        candidates=_with_rejections(candidates, front, best, limits),
        best=best and replace(best, on_front=any(candidate is best for candidate in front)),
        fastest=min(affordable, key=lambda candidate: (candidate.speed, candidate.cost), default=None),
        deadline_days=limits.deadline_days,
        budget_usd=budget_usd,
        reasons=(), nearest_miss=nearest,
        monthly=task.monthly, is_service=task.work.serve is not None,
        day=day, day_usd=day_usd,
    )  # fmt: skip
    sentences = _recommendation(study, study.best) if study.best else no_candidate_sentences(study)
    return replace(study, reasons=(*sentences, *_assumptions(study, task)))


def _reject_over_a_year(candidate: MarketCandidate) -> MarketCandidate:
    if candidate.why_not or candidate.days is None or candidate.days.typical <= _LONGEST_DAYS:
        return candidate
    run_days = candidate.days.typical - candidate.wait_days
    if candidate.way == "own" and run_days <= _LONGEST_DAYS:
        return candidate
    return replace(candidate, why_not=Rejection("over_a_year", amount=run_days))


def _reject_by_quote(
    tries: Iterable[MarketCandidate], limits: MarketLimits, worth: Mapping[str, float]
) -> list[MarketCandidate]:
    """Reject what is sold only by quote, where something that can be signed does the work for at most twice as much."""
    candidates = [_reject_over_a_year(candidate) for candidate in tries]
    allowed = [it for it in candidates if not it.why_not and limits.rejection(it) is None]
    least = _recommended(allowed, **worth)
    signed = _recommended([it for it in allowed if it.can_be_signed], **worth)
    if least is None or signed is None or signed.cost > _TWICE * least.cost:
        return candidates
    return [it if it.why_not or it.can_be_signed else derive(it, why_not=Rejection("by_quote")) for it in candidates]


def _cost_sort_key(candidate: MarketCandidate) -> tuple[float, float, str, int, str]:
    cost = round(candidate.cost, 2)
    return (cost, candidate.speed, candidate.accelerator, candidate.accelerators, candidate.way)


def day_value_usd(catalogue: Catalogue, scenario: Scenario) -> float:
    """Return the worth of a run that ends a day sooner: yours, or a quarter of a person's working day. [USD]"""
    yours, salary = scenario.terms.usd_per_day_saved, scenario.own.usd_per_fte_year
    year = catalogue.facts[SALARY].figure.newest.typical if salary is None else salary
    return year / _WORKING_DAYS * _WAITING_SHARE if yours is None else yours


def _recommended(candidates: Sequence[MarketCandidate], *, day_usd: float, small_usd: float) -> MarketCandidate | None:
    """Return the candidate that costs least, each day of its run counted at this value. [USD]

    What few sell is taken only where what many sell costs clearly more. Where costs differ by less than setting up a
    job takes, it is the one of fewest accelerators, sold by many.
    """

    def sort_key(candidate: MarketCandidate) -> tuple[float, tuple[float, float, str, int, str]]:
        waits = candidate.speed * day_usd if day_usd and candidate.days is not None else 0.0
        return round(candidate.cost + waits, 2), _cost_sort_key(candidate)

    least = min(candidates, key=sort_key, default=None)
    if least is None or least.band is None or not least.cost < small_usd:
        return least and sold_by_many(least, candidates, lambda it: sort_key(it)[0])
    alike = (it for it in candidates if it.band and it.way == least.way and sort_key(it)[0] - least.cost < small_usd)
    return min(alike, key=lambda it: (it.accelerators, it.band is None or it.band.has_few_sellers, sort_key(it)))


def _pareto_front(candidates: Sequence[MarketCandidate]) -> list[MarketCandidate]:
    """Return the candidates that no other beats on time and cost, the fastest first; of equals the first by name."""
    front: list[MarketCandidate] = []
    least = float("inf")
    for candidate in sorted(candidates, key=lambda candidate: (candidate.speed, *_cost_sort_key(candidate))):
        if candidate.cost < least:
            front.append(candidate)
            least = candidate.cost
    return front


def _without_steep_steps(front: Sequence[MarketCandidate], deadline_days: float | None) -> list[MarketCandidate]:
    """Return the front without the steps that cost far more per day saved than the run costs per day.

    A step that keeps the deadline stays where it costs no more than twice as much.
    """
    kept = list(front[-1:])
    for faster in reversed(front[:-1]):
        slower = kept[-1]
        usd_per_day = (faster.cost - slower.cost) / max(slower.speed - faster.speed, NEARLY)
        keeps = deadline_days is not None and faster.speed <= deadline_days * (1 + NEARLY) < slower.speed
        is_steep = math.isfinite(slower.speed) and usd_per_day > _STEEP * slower.cost / slower.speed
        if not is_steep or (keeps and faster.cost <= _TWICE * slower.cost):
            kept.append(faster)
    return kept[::-1]


def _with_rejections(
    candidates: Sequence[MarketCandidate],
    front: Sequence[MarketCandidate],
    best: MarketCandidate | None,
    limits: MarketLimits,
) -> tuple[MarketCandidate, ...]:
    """Return every candidate with its first rejection; those on the front have none unless they break a limit."""
    on_front, speeds = {id(candidate) for candidate in front}, [candidate.speed for candidate in front]
    rejected = []
    for candidate in candidates:
        rejection, is_front = candidate.why_not or limits.rejection(candidate), id(candidate) in on_front
        if not (rejection or is_front or candidate is best):
            rejection = _beaten_rejection(candidate, front[bisect_right(speeds, candidate.speed) - 1])
        rejected.append(derive(candidate, why_not=rejection, on_front=is_front))
    return tuple(rejected)


def _beaten_rejection(candidate: MarketCandidate, by: MarketCandidate) -> Rejection:
    timeless = np.isinf(candidate.speed) or (candidate.days is None and candidate.tpot_p99_ms is None)
    if timeless or (by.cost < candidate.cost and not by.speed < candidate.speed):
        return Rejection("costs_more", by.words)
    return Rejection("costs_more_and_slower" if by.cost < candidate.cost else "slower", by.words)


def _task_text(catalogue: Catalogue, task: Task) -> str:
    run, serve = task.run, task.work.serve
    often = "" if run is None or run.runs_per_month is None else f", {count(run.runs_per_month, 'run')} a month"
    if isinstance(run, FixedRun):
        measured_on = catalogue.accelerator_label(names.accelerator(catalogue, run.measured_on))
        return f"A run of {count(run.hours, 'hour')} on one {measured_on}{often}"
    if run is not None:
        verb = "Train" if run.method == "full" else f"Fine-tune ({run.method})"
        tokens = "" if run.tokens is None else f" on {large(run.tokens, 4)} tokens"
        return f"{verb} {_model_label(catalogue, run.model)}{tokens}{often}"
    assert serve is not None  # it is one of the three
    label = serve.model if is_non_llm_work(serve.model) else _model_label(catalogue, serve.model)
    peak = "" if serve.peak_requests_per_s is None else f", {serve.peak_requests_per_s:g} at the peak"
    return f"Serve {label}: {count(serve.requests_per_s, 'request')} a second{peak}"


def _model_label(catalogue: Catalogue, name: str) -> str:
    try:
        return catalogue.models[find_model_record(catalogue, name)].label
    except PricingError:
        return name
