"""Whether a service needs a GPU at all, in words, and the rule that follows from what a processor can read."""

from collections.abc import Iterator

from planner.money.by_token import TokenBreakEven, by_token
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.speed.fit_words import serving_tiles, training_tiles
from planner.report.speed.serving_words import format_request_rate
from planner.report.tile import Tile
from planner.scenario.durations import format_duration
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.speed.serving import CpuAlternative, CpuFeasibility, small_work
from planner.speed.work_to_hours import ScenarioInHours, serving_job


def cpu_sentences(found: CpuFeasibility) -> tuple[str, ...]:
    """What carries the peak without a GPU, or that nothing does; then the rule."""
    verdict = _verdict(found)
    return tuple(one for one in (verdict, cpu_rule_text(found)) if one)


def cpu_sufficient_for_peak(found: CpuFeasibility) -> tuple[str, ...]:
    """One sentence where the peak is carried without a GPU; nothing otherwise."""
    return () if found.needs_gpu or found.peak_requests_per_s is None else (_verdict(found),)


def cpu_sufficient_sentences(plan: Plan) -> tuple[str, ...]:
    """For each service of a plan on GPUs: a sentence where processors would carry its peak; nothing otherwise."""
    asked, setting = plan.setting.asked, plan.setting
    if asked is None or setting.catalogue.accelerators[setting.scenario.accelerator].kind == "cpu":
        return ()
    tasks = [work.serve for work in asked.written.work if work.serve is not None]
    jobs = (serving_job(setting.scenario, task) for task in tasks)
    return tuple(sentence for job in jobs for sentence in cpu_sufficient_for_peak(small_work(setting.catalogue, job)))


def cpu_rule_text(found: CpuFeasibility) -> str:
    """From how many parameters on one person needs a GPU, derived from what a processor's memory reads."""
    rule = found.rule
    if rule is None:
        return ""
    low, size, high = (
        f"{words.round_significant(float(one), 2):g}" for one in (rule.low_b, rule.params_b, rule.high_b)
    )
    processor = found.rule_on.partition(",")[0]
    return (
        f"For one person at {found.tokens_per_s:g} tokens a second, one {processor} manages up to "
        f"{size} billion active parameters in 4 bits ({low} to {high}); a larger model needs a GPU, or patience."
    )


def _verdict(found: CpuFeasibility) -> str:
    peak, best = found.peak_requests_per_s, found.enough
    if peak is None:
        return ""
    if best is not None:
        opening = "What you have is enough" if best.yours else "No GPU is needed"
        return f"{opening}: {_capacity_text(best)}, and the peak is {format_request_rate(peak)}."
    perhaps = next((one for one in found.machines if one.verdict == "perhaps"), None)
    if perhaps is not None:
        return (
            f"Perhaps no GPU is needed, try it: {_capacity_text(perhaps)}, and the peak is {format_request_rate(peak)}."
        )
    fastest = max(found.machines, key=lambda one: one.requests_per_s * one.machines, default=None)
    if fastest is None or fastest.requests_per_s <= 0:
        return "A GPU is needed: no processor of the catalogue answers in time."
    return f"A GPU is needed: {_capacity_text(fastest)}, and the peak is {format_request_rate(peak)}."


def _capacity_text(one: CpuAlternative) -> str:
    machine = one.label if one.machines == 1 else f"a server with {one.machines} x {one.label.partition(',')[0]}"
    rates = (value * one.machines for value in (one.requests_per_s, one.low, one.high))
    return f"{machine} takes {format_request_rate(*rates)} in time"


def describe_token_price(found: TokenBreakEven, *others: tuple[str, TokenBreakEven], way: str = "renting") -> str:
    """One sentence: what a million tokens cost there, and from how much use each way with machines is cheaper."""
    price = (
        f"By the token, {found.vendor} asks {words.usd(found.usd_per_million_output_tokens)} a million tokens written"
    )
    ways = "; ".join(_from(name, one) for name, one in ((way, found), *others))
    return f"{price}, prompts included; {ways}."


def _from(way: str, found: TokenBreakEven) -> str:
    if not found.ever:
        return f"{way} stays dearer even where it is busy all the time"
    rate, share = f"{words.round_significant(found.requests_per_s):,g}", words.percent(found.busy_share)
    return f"{way} is cheaper from {rate} requests/s a replica on, {share} of what it answers in time"


def token_price_sentences(plan: Plan, found: Answer) -> tuple[str, ...]:
    """For a plan that is one service of a model which somebody sells: renting and owning against it, by plain sums."""
    task = _single_service(plan)
    if task is None:
        return ()
    even = dict(_token_break_evens(plan, found, task))
    (first, *rest) = even.items() or [None]
    return () if first is None else (describe_token_price(first[1], *rest, way=first[0]),)


def _single_service(plan: Plan) -> ServingTask | None:
    asked, hosted = plan.setting.asked, plan.setting.scenario.hosted
    if asked is None or hosted is None or hosted.price is None or len(asked.written.work) != 1:
        return None
    task = asked.written.work[0].serve
    return task if asked.servings and task is not None and task.mig_profile is None else None


def _token_break_evens(plan: Plan, found: Answer, task: ServingTask) -> Iterator[tuple[str, TokenBreakEven]]:
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


def _hours(plan: Plan, one: EvaluatedOption) -> float:
    """The accelerator-hours that are paid: what is owned runs always, what is rented while there is work."""
    if one.option.way == "own":
        return one.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    return float(one.option.useful_hours.sum())


def too_much(asked: ScenarioInHours) -> tuple[Tile, ...]:
    """What models would hold of a memory that they do not fit into."""
    trained = [tile for one in asked.trainings if not one.fits for tile in training_tiles(one)]
    served = [tile for one in asked.servings if not one.fits for tile in serving_tiles(one, 0)]
    return (*trained, *served)


def without_deadline(asked: ScenarioInHours | None) -> Scenario | None:
    """The scenario without its deadlines, where being late is all that is wrong with it."""
    if asked is None or not asked.late or sum(late.was_asked for late in asked.late) < len(asked.refused):
        return None
    return asked.written.model_copy(update={"work": tuple(map(_without_deadline, asked.written.work))})


def _without_deadline(work: Work) -> Work:
    if work.train is None:
        return work
    return work.model_copy(update={"train": work.train.model_copy(update={"deadline_days": None})})


def late_plan_text(asked: ScenarioInHours) -> str:
    """What to say above the numbers of a plan that is late."""
    after = format_duration(max(late.days - late.deadline_days for late in asked.late))
    return f"These are the numbers of the plan as it is: it is done {after} after the deadline."
