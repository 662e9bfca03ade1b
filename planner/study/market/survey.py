"""Which accelerator, how many, from whom, paid for how: every answer to that for one piece of work, and the best.

Speed says what each accelerator needs for the work; money says what that costs on demand, on spot machines, reserved,
bought, and by the token. What a try costs is one run of a training job, or a month of work that goes on. Disks, traffic
and support are left out: they hang on the seller more than on the accelerator, and the plan counts them.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from planner.money.plan import hosted_residency_conflict, owned_residency_conflict
from planner.scenario.base import HOURS_PER_MONTH, MILLION, ONE_MACHINE, SECONDS_PER_HOUR
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask
from planner.speed.serving import is_other_work
from planner.speed.training.result import Interval
from planner.speed.work_to_hours import cheapest_hosted_price
from planner.study.market.candidate import Lost, Market, MarketCandidate
from planner.study.market.candidate_costs import RentalQuery, bought, existing_candidates, rented
from planner.study.market.fleets import OF_ONE_MACHINE
from planner.study.market.hours_needed import Progress, Task, WorkEstimate, first_task, work_estimates
from planner.study.market.pareto_front import judged
from pricing import Catalogue, names

__all__ = ["Market", "MarketCandidate", "market"]

_NOBODY = "nobody publishes one for renting it by the hour"
_SMALL = "nobody rents {together} of them in one machine"
_SPEED_SHARE, _MONEY_SHARE = 0.7, 0.9  # of the time it takes, for whoever watches


def market(  # noqa: PLR0913 - a question of as many parts
    catalogue: Catalogue,
    scenario: Scenario,
    day: date,
    *,
    budget_usd: float | None = None,
    accelerators: Sequence[str] = (),
    counts: Sequence[int] = (),
    tries: Sequence[MarketCandidate] | None = None,
    progress: Progress | None = None,
) -> Market:
    """Every accelerator, number and way of paying for the scenario's first work that names a model.

    Empty `accelerators` are all of the catalogue, empty `counts` all that double, and the one that is planned with.
    `tries` are those of `doubling`, where they are known. `progress` hears of the share that is done. Raises what the
    catalogue says of names that it does not know.
    """
    task = first_task(scenario)
    if tries is None:
        tries = _candidates(catalogue, task, _keys(catalogue, accelerators), tuple(counts), day, progress)
    if not counts:
        tries = (*tries, *_planned_candidates(catalogue, task, tries, _keys(catalogue, accelerators), day))
    return judged(catalogue, task, tries, budget_usd=budget_usd, day=day)


def doubling(
    catalogue: Catalogue, scenario: Scenario, day: date, *, accelerators: Sequence[str] = ()
) -> tuple[MarketCandidate, ...]:
    """The tries of all accelerators in numbers that double: the same whatever number is planned with."""
    return tuple(_candidates(catalogue, first_task(scenario), _keys(catalogue, accelerators), (), day))


def without_choice(scenario: Scenario) -> Scenario:
    """The scenario whatever it is called, and whichever accelerator and number it chose: to `doubling` the same."""
    asked = first_task(scenario).work
    works = (one.model_copy(update={"accelerators": 1}) if one is asked else one for one in scenario.work)
    usual = Scenario()
    chosen = scenario.accelerator if _has_own_prices(scenario) else usual.accelerator
    update = {"work": tuple(works), "accelerator": chosen, "name": usual.name, "note": usual.note, "seed": usual.seed}
    return scenario.model_copy(update=update)


def _has_own_prices(scenario: Scenario) -> bool:
    """Whether a price, a machine or an offer of one's own belongs to the accelerator that is planned with."""
    entered = any(getattr(scenario.own, name) is not None for name in OF_ONE_MACHINE)
    rent = scenario.rent
    return entered or scenario.kept is not None or (rent.usd_per_accelerator_hour, rent.offer) != (None, None)


def _keys(catalogue: Catalogue, accelerators: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.accelerator(catalogue, name) for name in accelerators))


def _candidates(
    catalogue: Catalogue,
    task: Task,
    keys: tuple[str, ...],
    counts: tuple[int, ...],
    day: date,
    progress: Progress | None = None,
) -> list[MarketCandidate]:
    """What every way of paying comes to, and why others come to nothing."""
    tell = progress or (lambda _: None)
    found = work_estimates(catalogue, task, keys, counts, lambda share: tell(share * _SPEED_SHARE))
    tries = list(_priced_candidates(catalogue, task, found, day, lambda: tell(_MONEY_SHARE)))
    tries += existing_candidates(catalogue, task, keys, day)
    hosted = task.work.serve is not None and hosted_residency_conflict(catalogue, task.scenario) is None
    if hosted and task.work.serve is not None and not is_other_work(task.work.serve.model):
        tries += _hosted_candidates(catalogue, task.work.serve, day)
    tell(1.0)
    return tries


def _priced_candidates(
    catalogue: Catalogue,
    task: Task,
    found: Sequence[WorkEstimate],
    day: date,
    rented: Callable[[], None] = lambda: None,
) -> Iterable[MarketCandidate]:
    """Each accelerator and number rented and bought, or why not."""
    able = [one for one in found if not one.why_not]
    yield from (_try(catalogue, one) for one in found if one.why_not)
    yield from _rented_candidates(catalogue, task, able, day)
    rented()
    if owned_residency_conflict(catalogue, task.scenario) is None:
        yield from _bought_candidates(catalogue, task, able, day)


def _planned_candidates(
    catalogue: Catalogue, task: Task, tries: Sequence[MarketCandidate], keys: tuple[str, ...], day: date
) -> Iterable[MarketCandidate]:
    """The number that is planned with, on the accelerator that is: the doublings may not hold it."""
    many, named = task.work.accelerators, task.scenario.accelerator
    if task.run is None:
        return
    keys = keys or tuple(catalogue.accelerators)
    there = {one.accelerator for one in tries if one.accelerators == many and one.way != "keep"}
    unknown = {one.accelerator for one in tries if one.why_not and one.why_not.kind == "speed_unknown"}
    missing = tuple(key for key in keys if named in (key, ANY_ACCELERATOR) and key not in there | unknown)
    if missing:
        yield from _priced_candidates(
            catalogue, task, work_estimates(catalogue, task, missing, (many,), lambda _: None), day
        )


def _try(catalogue: Catalogue, doing: WorkEstimate, **more: object) -> MarketCandidate:
    about: dict[str, object] = {
        "accelerator": doing.accelerator, "accelerators": doing.accelerators, "way": "on_demand", "offer": None,
        "provider": None, "days": doing.days, "usd": None, "tokens_per_s_per_accelerator": doing.rate,
        "layout": doing.layout, "why_not": doing.why_not, "on_front": False,
        "label": catalogue.accelerator_label(doing.accelerator), "at_once": doing.at_once,
        "tpot_p99_ms": doing.tpot_p99_ms,
    }  # fmt: skip
    return MarketCandidate(**(about | more))  # type: ignore[arg-type]


def _rented_candidates(
    catalogue: Catalogue, task: Task, able: Sequence[WorkEstimate], day: date
) -> Iterable[MarketCandidate]:
    hiring = RentalQuery(catalogue, task.scenario, able, task.monthly, day)
    deals = rented(hiring, may_stop=task.work.may_stop)
    hired = {deal.doing for deal in deals if deal.way == "on_demand"}
    offered = {offer.accelerator for offer in catalogue.offers.values() if offer.purchase == "on_demand"}
    for place, one in enumerate(able):
        if place not in hired:
            small = one.accelerator in offered and one.together > 1
            why = _SMALL.format(together=min(one.together, ONE_MACHINE)) if small else _NOBODY
            yield _try(catalogue, one, why_not=Lost("no_price", why))
    for deal in deals:
        one = able[deal.doing]
        provider = "your price" if deal.offer is None else _seller(catalogue, deal.offer)
        flat = deal.way == "reserved"
        yield _try(
            catalogue, one, way=deal.way, offer=deal.offer, provider=provider,
            usd=Interval(deal.usd, deal.usd, deal.usd) if flat else _scaled(one.hours, deal.usd / one.hours.typical),
            days=None if one.days is None else _scaled(one.days, deal.longer), age_days=deal.age_days,
            bound_months=deal.bound_months,
        )  # fmt: skip


def _seller(catalogue: Catalogue, offer: str) -> str:
    return catalogue.providers[catalogue.offers[offer].provider].label


def _scaled(what: Interval, by: float) -> Interval:
    return Interval(what.low * by, what.typical * by, what.high * by)


def _bought_candidates(
    catalogue: Catalogue, task: Task, able: Sequence[WorkEstimate], day: date
) -> Iterable[MarketCandidate]:
    for deal in bought(catalogue, task.scenario, able, monthly=task.monthly, day=day):
        one = able[deal.doing]
        days = one.days
        if days is not None and not task.monthly:
            days = Interval(*(deal.wait_days + each for each in (days.low, days.typical, days.high)))
        why = Lost("outlasts_the_plan") if deal.too_long else None
        yield _try(
            catalogue,
            one,
            way="own",
            usd=deal.usd,
            days=days,
            wait_days=deal.wait_days,
            why_not=why,
            age_days=deal.age_days,
        )


def _hosted_candidates(catalogue: Catalogue, asked: ServingTask, day: date) -> Iterable[MarketCandidate]:
    """The tokens of the service bought from whoever sells the model for the least."""
    door = cheapest_hosted_price(catalogue, asked)
    if door is None:
        return
    price = catalogue.hosted[door]
    monthly = asked.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH / MILLION
    written = price.output_usd_per_mtoken or price.input_usd_per_mtoken
    usd = monthly * (
        asked.input_tokens * price.input_usd_per_mtoken.newest.typical + asked.output_tokens * written.newest.typical
    )
    yield MarketCandidate(
        "", 0, "hosted", door, price.vendor, None, Interval(usd, usd, usd), None, "", None, False, label=price.label,
        age_days=price.input_usd_per_mtoken.age_days(day),
    )  # fmt: skip
