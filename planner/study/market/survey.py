"""The market study of one piece of work: every accelerator, count and way to pay, and the best of them.

Speed gives the need of each accelerator; money gives its cost on demand, spot, reserved, purchased and by the token. A
candidate costs one run of a training job, or a month of continuous work, with the people who run its GPUs. Storage,
data transfer and support are left out: they depend on the seller more than on the accelerator; the plan counts them.

From a study also follows each accelerator in the count that does the work of a plan, with a context of its own that
offers are billed in: across accelerators count and time differ.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from planner.money.by_token import hosted_usd_per_request
from planner.money.demand.stream import DemandLayer
from planner.money.people import people_usd_per_month
from planner.money.plan import hosted_residency_conflict, owned_residency_conflict
from planner.money.renting.orders import together, with_own_prices
from planner.money.setting import PlanContext
from planner.money.verdict.decision import CLOSE_GAP
from planner.money.ways import WAYS
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, ONE_MACHINE, SECONDS_PER_HOUR
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask
from planner.speed.kept_data import cheapest_hosted_price
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, is_non_llm_work
from planner.speed.training import TrainingResult
from planner.speed.training.result import Interval
from planner.speed.work_to_hours import convert_to_hours
from planner.study.market.candidate import MarketCandidate, MarketStudy, Rejection
from planner.study.market.candidate_costs import OF_ONE_MACHINE, existing_candidates, purchase_costs
from planner.study.market.hours_needed import (
    Progress,
    Task,
    WorkEstimate,
    first_task,
    usual_chips,
    without_fabric,
    work_estimates,
)
from planner.study.market.pareto_front import rank_candidates
from planner.study.market.rental_costs import RentalCost, RentalQuery, rental_costs, unavailable_reason
from pricing import Catalogue, names
from pricing.market.band import OrderBand

__all__ = ["MarketCandidate", "MarketStudy", "market"]

_NO_OFFER = "no published price for renting it by the hour"
_WITHOUT_NETWORK = frozenset({"consumer", "workstation", "desktop"})  # hardware classes
_TOO_SMALL = "no offer has {together} of them in one machine"
_SPEED_SHARE, _MONEY_SHARE = 0.7, 0.9  # of the time it takes, for the progress bar


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
) -> MarketStudy:
    """Return every accelerator, count and way to pay for the scenario's first work that names a model.

    Empty `accelerators` are all of the catalogue, empty `counts` the powers of two and the planned count. `tries` are
    those of `doubling_candidates`, where known. `progress` receives the share done. Raises the catalogue's error for
    an unknown name.
    """
    catalogue = with_own_prices(catalogue, scenario, day)
    task, keys = first_task(scenario), _keys(catalogue, accelerators)
    if tries is None:
        tries = _candidates(catalogue, task, keys, tuple(counts), day, progress)
    if not counts:
        tries = (*tries, *_planned_candidates(catalogue, task, tries, keys, day))
    return rank_candidates(catalogue, task, tries, budget_usd=budget_usd, day=day)


def doubling_candidates(
    catalogue: Catalogue, scenario: Scenario, day: date, *, accelerators: Sequence[str] = ()
) -> tuple[MarketCandidate, ...]:
    """Return the candidates of all accelerators in powers of two: the same whatever the planned count is."""
    catalogue, keys = with_own_prices(catalogue, scenario, day), _keys(catalogue, accelerators)
    return tuple(_candidates(catalogue, first_task(scenario), keys, (), day))


def without_choice(scenario: Scenario) -> Scenario:
    """Return the scenario without its name, accelerator and count, which `doubling_candidates` does not depend on."""
    studied, defaults = first_task(scenario).work, Scenario()
    works = (work.model_copy(update={"accelerators": 1}) if work is studied else work for work in scenario.work)
    update = {"work": tuple(works), "name": defaults.name, "note": defaults.note, "seed": defaults.seed}
    rent = scenario.rent
    # A price, a machine or an offer of your own belongs to the planned accelerator.
    own_prices = any(getattr(scenario.own, name) is not None for name in OF_ONE_MACHINE)
    if not (own_prices or scenario.kept or (rent.usd_per_accelerator_hour, rent.offer) != (None, None)):
        update["accelerator"] = defaults.accelerator
    return scenario.model_copy(update=update)


def _keys(catalogue: Catalogue, accelerators: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.accelerator(catalogue, name) for name in accelerators))


def _candidates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: tuple[int, ...], day: date,
    progress: Progress | None = None,
) -> list[MarketCandidate]:  # fmt: skip
    report, serve, is_named = progress or (lambda _: None), task.work.serve, bool(keys)
    keys = keys or usual_chips(catalogue, task)
    estimates = work_estimates(catalogue, task, keys, counts, lambda share: report(share * _SPEED_SHARE))
    if not is_named:
        estimates = tuple(without_fabric(catalogue, task, estimate) for estimate in estimates)
    candidates = list(_priced_candidates(catalogue, task, estimates, day, lambda: report(_MONEY_SHARE)))
    candidates += existing_candidates(catalogue, task, keys, day)
    candidates = [_with_people(catalogue, task, candidate, day) for candidate in candidates]
    if serve and not is_non_llm_work(serve.model) and hosted_residency_conflict(catalogue, task.scenario) is None:
        candidates += _hosted_candidates(catalogue, serve, day)
    report(1.0)
    return candidates


def _priced_candidates(
    catalogue: Catalogue, task: Task, estimates: Sequence[WorkEstimate], day: date,
    after_rent: Callable[[], None] = lambda: None,
) -> Iterable[MarketCandidate]:  # fmt: skip
    """Return each accelerator and count rented and purchased, or the reason why not."""
    feasible = [estimate for estimate in estimates if not estimate.why_not]
    yield from (_candidate(catalogue, estimate) for estimate in estimates if estimate.why_not)
    query = RentalQuery(catalogue, task.scenario, feasible, task.monthly, day)
    costs = rental_costs(query, may_stop=task.work.may_stop)
    yield from _rented_candidates(query, costs)
    after_rent()
    if owned_residency_conflict(catalogue, task.scenario) is None:
        rent_usd = {cost.estimate: cost.usd for cost in costs if cost.way == "on_demand"}
        yield from _purchased_candidates(query, rent_usd)


def _planned_candidates(
    catalogue: Catalogue, task: Task, candidates: Sequence[MarketCandidate], keys: tuple[str, ...], day: date
) -> Iterable[MarketCandidate]:
    """Return the planned count on the planned accelerator, which the powers of two may not hold."""
    count, planned = task.work.accelerators, task.scenario.accelerator
    if task.run is None:
        return
    done = {c.accelerator for c in candidates if c.accelerators == count and c.way != "keep"}
    done |= {c.accelerator for c in candidates if c.why_not and c.why_not.kind == "speed_unknown"}
    keys = keys or tuple(catalogue.accelerators)
    missing = tuple(key for key in keys if planned in (key, ANY_ACCELERATOR) and key not in done)
    if missing:
        estimates = work_estimates(catalogue, task, missing, (count,), lambda _: None)
        priced = _priced_candidates(catalogue, task, estimates, day)
        yield from (_with_people(catalogue, task, candidate, day) for candidate in priced)


def _with_people(catalogue: Catalogue, task: Task, candidate: MarketCandidate, day: date) -> MarketCandidate:
    """Return a candidate with the people who run its GPUs, as in a plan: for a month, or as long as its run takes."""
    usd, days = candidate.usd, candidate.days
    if usd is None:
        return candidate
    months: tuple[float, ...] = (1.0, 1.0, 1.0)
    if not task.monthly and days is not None:
        months = tuple((each - candidate.wait_days) / DAYS_PER_MONTH for each in (days.low, days.typical, days.high))
    context = PlanContext(catalogue, task.scenario.model_copy(update={"accelerator": candidate.accelerator}), day)
    people = people_usd_per_month(context, candidate.at_once)
    each = zip((usd.low, usd.typical, usd.high), people, months, strict=True)
    return replace(candidate, usd=Interval(*(bill + monthly * long for bill, monthly, long in each)))


def _candidate(catalogue: Catalogue, estimate: WorkEstimate, **changes: object) -> MarketCandidate:
    fields: dict[str, object] = {
        "accelerator": estimate.accelerator, "accelerators": estimate.accelerators, "way": "on_demand", "offer": None,
        "provider": None, "days": estimate.days, "usd": None, "tokens_per_s_per_accelerator": estimate.rate,
        "layout": estimate.layout, "why_not": estimate.why_not, "on_front": False,
        "label": catalogue.accelerator_label(estimate.accelerator), "at_once": estimate.at_once,
        "tpot_p99_ms": estimate.tpot_p99_ms,
    }  # fmt: skip
    return MarketCandidate(**(fields | changes))  # type: ignore[arg-type]


def _rented_candidates(query: RentalQuery, costs: Sequence[RentalCost]) -> Iterator[MarketCandidate]:
    catalogue, estimates = query.catalogue, query.estimates
    rented = {cost.estimate for cost in costs if cost.way == "on_demand"}
    offered = {offer.accelerator for offer in catalogue.offers.values() if offer.purchase == "on_demand"}
    for index, estimate in enumerate(estimates):
        if index not in rented:
            yield _candidate(
                catalogue, estimate, why_not=_no_rent_reason(query, index, estimate.accelerator in offered)
            )
    for cost in costs:
        estimate, usd = estimates[cost.estimate], cost.usd
        provider = "your price" if cost.offer is None else _seller(catalogue, cost.offer, cost.band)
        hours, wait = estimate.hours, 0.0 if query.monthly else _wait_days(cost.band)
        days = None if estimate.days is None else _scaled(estimate.days, cost.stretch)
        fixed = Interval(hours.typical, hours.typical, hours.typical)
        yield _candidate(
            catalogue, estimate, way=cost.way, offer=cost.offer, provider=provider, band=cost.band,
            usd=_with_price(_scaled(fixed if cost.way == "reserved" else hours, usd / hours.typical), cost.band),
            days=days if days is None else Interval(*(wait + each for each in (days.low, days.typical, days.high))),
            age_days=cost.age_days, bound_months=cost.commitment_months, wait_days=wait,
        )  # fmt: skip


def _wait_days(band: OrderBand | None) -> float:
    waits = band is not None and band.standing == "perhaps" and band.wait_months is not None
    return band.wait_months * DAYS_PER_MONTH if waits else 0.0  # type: ignore[union-attr, operator]


def _no_rent_reason(query: RentalQuery, index: int, is_offered: bool) -> Rejection:
    together, unavailable = query.estimates[index].together, unavailable_reason(query, index)
    if unavailable is not None:
        return Rejection("unavailable", unavailable)
    if is_offered and together > 1:
        return Rejection("no_price", _TOO_SMALL.format(together=min(together, ONE_MACHINE)))
    return Rejection("no_price", _NO_OFFER)


def _seller(catalogue: Catalogue, offer: str, band: OrderBand | None) -> str | None:
    """Return the cheapest seller that likely has an order; None where quotes must be asked for."""
    provider = catalogue.offers[offer].provider
    return None if band is not None and band.cheapest_seller != provider else catalogue.providers[provider].label


def _with_price(usd: Interval, band: OrderBand | None) -> Interval:
    """Return a cost with the range of its price beside that of its hours: both vary on their own."""
    if band is None or usd.low <= 0:
        return usd
    low = math.hypot(math.log(usd.typical / usd.low), math.log(band.typical / band.low))
    high = math.hypot(math.log(usd.high / usd.typical), math.log(band.high / band.typical))
    return Interval(usd.typical * math.exp(-low), usd.typical, usd.typical * math.exp(high))


def _scaled(band: Interval, factor: float) -> Interval:
    return Interval(band.low * factor, band.typical * factor, band.high * factor)


def _purchased_candidates(query: RentalQuery, rent_usd: Mapping[int, float]) -> Iterator[MarketCandidate]:
    cards, reason = query.catalogue.accelerators, f"a machine holds {ONE_MACHINE}"
    for cost in purchase_costs(query, rent_usd):
        estimate = query.estimates[cost.estimate]
        if estimate.together > ONE_MACHINE and cards[estimate.accelerator].hardware_class in _WITHOUT_NETWORK:
            yield _candidate(query.catalogue, estimate, way="own", why_not=Rejection("no_network", reason))
            continue
        days, wait = estimate.days, cost.wait_days
        if days is not None and not query.monthly:
            days = Interval(*(wait + each for each in (days.low, days.typical, days.high)))
        yield _candidate(
            query.catalogue, estimate, way="own", usd=cost.usd, days=days, wait_days=wait, age_days=cost.age_days,
            why_not=cost.why_not,
        )  # fmt: skip


def _hosted_candidates(catalogue: Catalogue, serve: ServingTask, day: date) -> Iterator[MarketCandidate]:
    key = cheapest_hosted_price(catalogue, serve)
    if key is None:
        return
    price = catalogue.hosted[key]
    each = hosted_usd_per_request(catalogue, key, input_tokens=serve.input_tokens, output_tokens=serve.output_tokens)
    usd = each * serve.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH
    yield MarketCandidate(
        "", 0, "hosted", key, price.vendor, None, Interval(usd, usd, usd), None, "", None, False, label=price.label,
        age_days=price.input_usd_per_mtoken.age_days(day),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SizedAccelerator:
    """One accelerator in the count that does the work."""

    setting: PlanContext
    training: TrainingResult | None = None
    serving: ServingResult | None = None
    other: NonLlmServing | None = None
    run: ScaledRun | None = None

    @property
    def is_run(self) -> bool:
        """Return whether the work ends; a service never does."""
        return self.training is not None or self.run is not None

    @property
    def need(self) -> DemandLayer:
        """All of the plan's work, in hours of this accelerator."""
        return self.setting.demand.all

    @property
    def accelerator(self) -> str:
        """The accelerator's key."""
        return self.need.accelerator

    @property
    def accelerators(self) -> int:
        """The count of one run, or of a service at its peak."""
        run = self.training or self.run
        return self.need.peak_accelerators if run is None else run.accelerators

    @property
    def days(self) -> Interval | None:
        """The length of one run; None for a service."""
        if self.run is not None:
            each = self.run.accelerators * HOURS_PER_DAY
            return Interval(self.run.low / each, self.run.accelerator_hours / each, self.run.high / each)
        return None if self.training is None or self.training.speed is None else self.training.speed.days

    @property
    def together(self) -> int:
        """The accelerators per job: in one machine, or in several with a network between them."""
        return together(self.setting.scenario, self.setting.resolved)


def sized_accelerator(setting: PlanContext) -> SizedAccelerator:
    """Return the accelerator of this plan with its results."""
    resolved = setting.resolved
    if resolved is None:
        return SizedAccelerator(setting)
    results = (resolved.trainings, resolved.servings, resolved.others, resolved.runs)
    return SizedAccelerator(setting, *(next(iter(each), None) for each in results))  # type: ignore[arg-type]


def is_single_model_work(setting: PlanContext) -> bool:
    """Return whether the work is one named model, so that it costs what the model costs."""
    works = setting.written.work
    return len(works) == 1 and not works[0].jobs and bool(works[0].train or works[0].serve)


def sized_accelerators(setting: PlanContext) -> tuple[SizedAccelerator, ...]:
    """Return every accelerator for rent that does the work of this plan; the plan's own in the planned count.

    The others in their cheapest count: of those within a twentieth of the cheapest, the fastest.
    """
    sized = [] if setting.resolved is None or setting.resolved.problems else [sized_accelerator(setting)]
    counts = _accelerator_counts(setting)
    if sized:
        counts.pop(sized[0].accelerator, None)
    for key, count in counts.items():
        resolved = convert_to_hours(setting.catalogue, _with_accelerator(setting.written, key, count))
        if not resolved.problems:
            context = PlanContext(setting.catalogue, resolved.scenario, setting.day, resolved=resolved)
            sized.append(sized_accelerator(context))
    return tuple(sized)


def _accelerator_counts(setting: PlanContext) -> dict[str, int]:
    """Return the count to rent of each accelerator; 1 for work without tokens, since its plan finds the count."""
    catalogue, serve = setting.catalogue, setting.written.work[0].serve
    if serve is not None and is_non_llm_work(serve.model):
        offered = sorted({offer.accelerator for offer in catalogue.offers.values()})
        return {key: 1 for key in offered if key in catalogue.accelerators}
    study = market(catalogue, setting.written, setting.day)
    by_accelerator: dict[str, list[MarketCandidate]] = {}
    for candidate in study.candidates:
        days, deadline = candidate.days, study.deadline_days
        in_time = deadline is None or days is None or days.typical <= deadline
        if WAYS[candidate.way].rents_machines and candidate.usd is not None and in_time:
            by_accelerator.setdefault(candidate.accelerator, []).append(candidate)
    return {key: _fastest_of_cheapest(candidates).accelerators for key, candidates in by_accelerator.items()}


def _fastest_of_cheapest(candidates: Sequence[MarketCandidate]) -> MarketCandidate:
    limit = min(candidate.cost for candidate in candidates) * (1 + CLOSE_GAP)
    return min((c for c in candidates if c.cost <= limit), key=lambda candidate: (candidate.speed, candidate.cost))


def _with_accelerator(scenario: Scenario, accelerator: str, count: int) -> Scenario:
    work = scenario.work[0]
    if work.train is not None:
        train = work.train.model_copy(update={"choose_count": False})
        work = work.model_copy(update={"accelerators": count, "accelerators_per_job": None, "train": train})
    return scenario.model_copy(update={"accelerator": accelerator, "work": (work,)})
