"""Paying by the token beside machines, in words."""

from collections.abc import Iterator

from planner.money.by_token import ByToken, by_token
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.task import Serve


def by_token_words(found: ByToken, *others: tuple[str, ByToken], way: str = "renting") -> str:
    """One sentence: what a million tokens cost there, and from how much use each way with machines is cheaper."""
    price = (
        f"By the token, {found.vendor} asks {words.usd(found.usd_per_million_output_tokens)} a million tokens written"
    )
    ways = "; ".join(_from(name, one) for name, one in ((way, found), *others))
    return f"{price}, prompts included; {ways}."


def _from(way: str, found: ByToken) -> str:
    if not found.ever:
        return f"{way} stays dearer even where it is busy all the time"
    rate, share = f"{words.significant(found.requests_per_s):,g}", words.percent(found.busy_share)
    return f"{way} is cheaper from {rate} requests/s a replica on, {share} of what it answers in time"


def by_token_sentences(plan: Plan, found: Answer) -> tuple[str, ...]:
    """For a plan that is one service of a model which somebody sells: renting and owning against it, by plain sums."""
    task = _task(plan)
    if task is None:
        return ()
    even = dict(_evens(plan, found, task))
    (first, *rest) = even.items() or [None]
    return () if first is None else (by_token_words(first[1], *rest, way=first[0]),)


def _task(plan: Plan) -> Serve | None:
    asked, hosted = plan.setting.asked, plan.setting.scenario.hosted
    if asked is None or hosted is None or hosted.price is None or len(asked.written.work) != 1:
        return None
    task = asked.written.work[0].serve
    return task if asked.servings and task is not None and task.mig_profile is None else None


def _evens(plan: Plan, found: Answer, task: Serve) -> Iterator[tuple[str, ByToken]]:
    """Each way with machines that has a price: what an hour of an accelerator costs it, against the tokens."""
    setting = plan.setting
    asked, hosted = setting.asked, setting.scenario.hosted
    priced = [one for one in found.ranked if not one.measures.unpriced]
    rented = next((one for one in priced if WAYS[one.option.way].rents_machines), None)
    owned = next((one for one in priced if one.option.way == "own"), None)
    for way, one in (("renting", rented), ("owning", owned)):
        hours = 0.0 if one is None else _hours(plan, one)
        if asked is None or hosted is None or one is None or hours <= 0:
            continue
        hour = float(one.measures.bills_usd) / hours
        even = by_token(setting.catalogue, asked.servings[0], task, usd_per_accelerator_hour=hour, door=hosted.price)
        if even is not None:
            yield way, even


def _hours(plan: Plan, one: Weighed) -> float:
    """The accelerator-hours that are paid: what is owned runs always, what is rented while there is work."""
    if one.option.way == "own":
        return one.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    return float(one.option.useful_hours.sum())
