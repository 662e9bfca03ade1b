"""The answer in words: a title, sentences that give both totals and what would turn them, four figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.money.option import Option
from planner.money.owning import machine, spare_boards
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import BreakEven, busy_share, lead_time_months, value_of
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.advice import guarantee_sentence, rests_on
from planner.report.answer.carbon_words import carbon_sentences
from planner.report.answer.feasibility import cpu_sufficient_sentences, infeasible_title, too_much
from planner.report.answer.other_measures import lost_time_sentences
from planner.report.answer.profit_words import break_even_sentences, income_sentences, seller_sentences, seller_tiles
from planner.report.answer.sensitivity import (
    has_constant_demand,
    most_likely_change,
    payback_month_text,
    pays_back_only_by_resale,
    sensitivity_sentences,
)
from planner.report.fleet import order_schedule_text
from planner.report.forms import scalar
from planner.report.futures.counted import (
    break_even_range,
    cash_range,
    confidence_sentences,
    limit_probability_sentences,
)
from planner.report.speed.runs import correction_sentences
from planner.report.speed.serving_words import known_run_title, other_work_title
from planner.report.speed.training_words import in_short
from planner.report.title import hour_selling_option, title
from planner.report.words import Tile
from planner.scenario.base import ONE_MACHINE
from planner.scenario.durations import years_words
from planner.speed.serving import ServingResult
from planner.study.plan_any import in_time
from planner.study.uncertainty.futures import Futures
from pricing.caching import cached_property

NO_RANGE = "no range"
NOT_COUNTED = "your engineers' time to set things up, data you would have to move, and anything not filled in under tax"


@dataclass(frozen=True)
class AnswerSummary:
    """The answer as it is shown."""

    title: str
    sentences: tuple[str, ...]  # what matters most
    figures: tuple[Tile, ...]
    guarantee: str = ""  # what a guarantee of the resale is worth, where there is one; one of the sentences
    of: tuple[Plan, Answer] | None = field(default=None, compare=False, repr=False)  # where there are ways to compare

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """What would turn the answer. Solved when it is asked for: few look at it, and it takes as long as a plan."""
        return () if self.of is None else sensitivity_sentences(*self.of)


def summarize_answer(plan: Plan, answer: Answer, futures: Futures | None = None) -> AnswerSummary:
    """Title, sentences and figures, all from the one answer and the futures it rests on."""
    if plan.setting.resolved is not None and plan.setting.resolved.problems:
        problems = tuple(words.sentence(problem) for problem in plan.setting.resolved.problems)
        return AnswerSummary(
            infeasible_title(plan.setting.resolved), (*problems, *in_time(plan)), too_much(plan.setting.resolved)
        )
    if answer.best is None:
        reasons = (words.sentence(reason) for reason in answer.missing)
        return AnswerSummary(title(answer), (*speeds(plan), *reasons), ())
    guarantee = guarantee_sentence(futures)
    if (own := hour_selling_option(answer)) is not None:
        bought = f"{_bought(plan, own.option)} {WAYS[own.option.way].paid_for}"
        said = (
            *seller_sentences(plan, answer, bought),
            *break_even_sentences(plan, own),
            *left_out(answer),
            *likely(plan, answer),
            *_limit_sentences(answer),
            *((guarantee,) if guarantee else ()),
        )
        tiles = (*seller_tiles(plan, own), _day_one(own, futures, "", "today"))
        return AnswerSummary(title(answer), said, tiles, guarantee)
    return AnswerSummary(
        title(answer),
        (
            *speeds(plan),
            *cpu_sufficient_sentences(plan),
            _totals_sentence(plan, answer.pair or (answer.best,), futures),
            *income_sentences(answer),
            *rests_on(plan, answer.pair or (answer.best,)),
            *lost_time_sentences(plan, answer),
            *left_out(answer),
            *likely(plan, answer),
            *confidence_sentences(answer),
            *limit_probability_sentences(answer, futures),
            *(most_likely_change(plan, answer, futures) if futures is not None else ()),
            *_asked(plan, answer),
            *_other_options_text(answer),
            *_close(answer),
            *_limit_sentences(answer),
            *carbon_sentences(answer),
            *(_too_late(plan, answer.pair[0]) if answer.pair else ()),
            *((guarantee,) if guarantee else ()),
        ),
        _figures(plan, answer, futures),
        guarantee,
        (plan, answer),
    )


def not_counted(plan: Plan) -> str:
    """What no line of the plan holds."""
    fits = "" if _names_models(plan) else "whether the work fits into the memory (no model is named), "
    return f"{fits}{NOT_COUNTED}"


def _names_models(plan: Plan) -> bool:
    asked = plan.setting.resolved
    return asked is not None and bool(asked.trainings or asked.servings or asked.others)


def speeds(plan: Plan) -> tuple[str, ...]:
    """How fast the models of the plan run on what is asked for, with the band of the prediction."""
    asked = plan.setting.resolved
    if asked is None:
        return ()
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    trained = tuple(in_short(result, label) for result in asked.trainings)
    served = tuple(_served(result, label) for result in asked.servings)
    others = tuple(other_work_title(result, label) for result in asked.others) + tuple(
        known_run_title(result, label) for result in asked.runs
    )
    return trained + served + others + correction_sentences(plan)


def _served(result: ServingResult, label: str) -> str:
    each = result.output_tokens_per_s / max(result.replicas, 1)
    peak = f"{result.accelerators_at_peak:,}" if result.accelerators_at_peak else "no number of them"
    count = result.accelerators_per_replica
    who = "each generates" if count == 1 else f"each group of {count:,} generates"
    return (
        f"{result.model} needs {result.accelerators_at_average or 0:,} x {label} on average and {peak} at the peak; "
        f"{who} {each:,.0f} tokens/s."
    )


def workload_text(plan: Plan) -> str:
    """How much work, in words: 8 x H100 SXM5 80 GB, busy 60% of the time. Named models have said it before."""
    if _names_models(plan):
        return "the work costs"
    need = plan.setting.demand.all
    most = f"{need.peak_accelerators:,} x {plan.setting.catalogue.accelerator_label(need.accelerator)}"
    if has_constant_demand(plan):
        return f"{most}, busy {words.percent(busy_share(plan.setting, 1.0))} of the time, cost"
    hours = f"{words.round_significant(need.busy_accelerator_hours):,.0f}"
    return f"{hours} GPU-hours, on up to {most} at once, cost"


def _totals_sentence(plan: Plan, ways: Sequence[EvaluatedOption], futures: Futures | None) -> str:
    rate = words.percent(plan.setting.discount_rate_per_year, 1)
    hold = "ranges hold" if len(ways) > 1 else "the range holds"
    often = "" if futures is None or NO_RANGE in map(_ends, ways) else f"; {hold} 8 of 10 futures"
    each = ", or ".join(f"{_money(way)} {_how(plan, way)}" for way in reversed(ways))
    return (
        f"Over {years_words(plan.setting.scenario.years)}, {workload_text(plan)} {each}: in today's money, at {rate} a "
        f"year{often}."
    )


def left_out(answer: Answer) -> tuple[str, ...]:
    """What one might want to compare and cannot, with what to enter; that nothing else was asked for, where it was."""
    lines = (f"{WAYS[absent.way].starting.capitalize()} is left out: {absent.reason}" for absent in answer.left_out)
    only = answer.pair is None and not answer.left_out and answer.best is not None
    alone = (f"Only {WAYS[answer.best.option.way].starting} was asked for",) if only and answer.best else ()
    return tuple(words.sentence(line) for line in (*lines, *alone))


def likely(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """That the price of what is bought is taken from what others cost, where a way that is told rests on it."""
    told = answer.pair or ((answer.best,) if answer.best else ())
    what = machine(plan.setting)
    rests = any(value_of("usd_per_accelerator", way.option.ledger) for way in told if WAYS[way.option.way].owns)
    if what is None or what.estimate is None or not rests:
        return ()
    one = what.estimate
    others = words.count(one.others, "other costs", "others cost")
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    return (
        f"Nobody publishes what one {label} costs to buy: about {words.usd(one.typical)} is assumed "
        f"({words.usd(one.low)} to {words.usd(one.high)}), from what {others}.",
    )


def _money(way: EvaluatedOption) -> str:
    least = "at least" if way.measures.unpriced else "about"
    ends, usd = _ends(way), way.present_usd
    amount = f"{least} {words.usd(usd)}" if usd >= 0 else f"less than nothing, a gain of about {words.usd(-usd)}"
    return amount + (f" (cost: {ends})" if ends != NO_RANGE and usd < 0 else f" ({ends})" if ends != NO_RANGE else "")


def _ends(way: EvaluatedOption, usd: Callable[[float], str] = words.usd) -> str:
    """The range of a cost in words, or that there is none: who enters every figure himself has no range."""
    low, high = usd(way.low_usd), usd(way.high_usd)
    return NO_RANGE if low == high else f"{low} to {high}"


def _how(plan: Plan, way: EvaluatedOption) -> str:
    option = way.option
    yours = plan.setting.scenario.rent.usd_per_accelerator_hour is not None or plan.setting.offers.on_demand is None
    seller = f"{'at' if yours else 'from'} {option.what}"
    title = words.lower_first(option.title)
    if WAYS[option.way].side == "mix" and option.orders:
        title = f"{title} ({order_schedule_text(option.orders)})"
    return WAYS[option.way].said.format(count=_bought(plan, option), what=option.what, seller=seller, title=title)


def _bought(plan: Plan, option: Option) -> str:
    """What one orders: one workstation with 2 x RTX 4090; 16 in two servers of 8, and one spare board on the shelf."""
    what, many = machine(plan.setting), option.accelerators
    if option.orders:
        return f"{many:,.0f} in {words.count(len(option.orders), 'order')} ({order_schedule_text(option.orders)})"
    if what is not None and what.host is not None and option.way == "own":
        return option.what
    said = f"{many:,.0f}"
    if what is not None and what.accelerators > many:
        said = f"{'a rack' if what.accelerators > ONE_MACHINE else 'a server'} of {what.accelerators} for {said}"
    elif what is not None and what.accelerators > 1 and many > what.accelerators:
        servers = words.count(
            -(-int(many) // what.accelerators), "rack" if what.accelerators > ONE_MACHINE else "server"
        )
        said = f"{said} in {servers}"
    share = value_of("spare_share", option.ledger)
    spare = 0 if share is None else spare_boards(many, share[0])
    return f"{said} and {words.count(spare, 'spare board')}" if spare else said


def _other_options_text(answer: Answer) -> tuple[str, ...]:
    """What the side costs that neither of the two ways told speaks for; and the cheapest way, where it is a third."""
    named = {way.option.key for way in answer.pair or (answer.best,) if way is not None}
    beside = [way for way in (answer.own, answer.rent) if way is not None and way.option.key not in named]
    told = [] if answer.pair is None else [f"Beside them: {_money(pin)} {_how(answer.plan, pin)}." for pin in beside]
    best, left_out = answer.ranked[0], {absent.way for absent in answer.left_out}
    known = named | {pin.option.key for pin in beside}
    if best.option.key not in known and answer.verdict != "limited" and best.option.way not in left_out:
        told.append(f"The cheapest of all {len(answer.ranked)} ways is {_money(best)} {_how(answer.plan, best)}.")
    return tuple(told)


def _asked(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """What the fleet that was asked for would do, where another number of machines is better."""
    asked, own, rent = answer.asked, answer.own, answer.rent
    if asked is None or own is None or rent is None or own is asked or own.option.way != "own":
        return ()
    number = f"{asked.option.accelerators:,.0f}"
    available = asked.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    share = words.percent(float(asked.option.useful_hours.sum()) / available)
    against = asked.present_usd - rent.present_usd
    beside = f"{words.usd(abs(against))} {'more' if against > 0 else 'less'} than renting"
    back = payback_month_text(asked.measures.simple_payback)
    paid = f"would pay back after {back}, counted plainly" if back else "would not pay back"
    return (f"The {number} you asked for would be busy {share} of the time, {paid}, and cost {beside}.",)


def _close(answer: Answer) -> tuple[str, ...]:
    if answer.verdict != "close" or answer.pair is None:
        return ()
    first, second = (WAYS[way.option.way] for way in answer.pair)
    today, then = (words.usd(float(way.measures.cash_today_usd)) for way in answer.pair)
    if first.owns and second.owns:
        return (f"So choose on cash: {first.starting} takes {today} on day one, {second.starting} {then}.",)
    if first.owns or first.side == "mix":
        free = f"{second.starting} can be stopped"
        return (f"So choose on cash and freedom: {first.starting} takes {today} on day one, {free}.",)
    if first.commitment_rank > second.commitment_rank:
        return (f"So choose on freedom: {first.starting} binds you for its term, {second.starting} can be stopped.",)
    return ("So choose on what is less work: both can be stopped.",)


def _limit_sentences(answer: Answer) -> tuple[str, ...]:
    """What breaks a limit on money where the title has no room for it, and what would do."""
    over = answer.limit
    if over is None:
        return ()
    if over.is_least:
        return (f"{words.upper_first(over.who)} would do with {over.more}.",)
    left_out = f"The cheapest way is left out: {over.said}. " if answer.verdict == "close" else ""
    return (f"{left_out}{words.upper_first(over.who)} would take {over.more}.",)


def _too_late(plan: Plan, own: EvaluatedOption) -> tuple[str, ...]:
    """A sentence where what is bought arrives when there is nothing left to do."""
    months = lead_time_months(plan.setting, own.option)
    if not WAYS[own.option.way].waits_for_delivery or months is None:
        return ()
    needed = np.flatnonzero(plan.setting.demand.all.busy_hours > 0)
    if not needed.size or needed[-1] > months:
        return ()
    wait = words.count(words.round_significant(months), "month")
    return (f"What is ordered today arrives after {wait}, when the work is done.",)


def _figures(plan: Plan, answer: Answer, futures: Futures | None) -> tuple[Tile, ...]:
    if answer.pair is None:
        assert answer.best is not None  # there is an answer
        return (_total(answer.best), _cost_per_hour_tile(answer.best), _day_one(answer.best, futures, "", "today"))
    first, second = answer.pair
    pays, other = (
        (second, first) if second is answer.best and WAYS[second.option.way].side == "mix" else (first, second)
    )
    takes = words.format_usd_short(float(other.measures.cash_today_usd))
    beside = f"; {WAYS[other.option.way].starting} takes {takes}"
    if WAYS[pays.option.way].owns:
        paid = _cash_recovery_text(answer)
        last = _day_one(pays, futures, f"{beside}. Payback is in today's money", paid)
    else:
        last = _day_one(pays, futures, beside, f"{WAYS[other.option.way].starting}: {takes}")
    return (_total(second), _total(first), _break_even(plan, answer, futures), last)


def _cash_recovery_text(answer: Answer) -> str:
    """What becomes of the cash of day one; it is money that comes back, so no `pays` here: cash does not pay."""
    month = scalar(answer.payback.month)
    if month is not None:
        return f"back in month {month:.0f}"
    return "back with its sale" if pays_back_only_by_resale(answer) else "not earned back"


def _day_one(way: EvaluatedOption, futures: Futures | None, detail: str, under: str) -> Tile:
    said = f"What {WAYS[way.option.way].starting} takes today{cash_range(way, futures)}{detail}"
    return Tile("Cash on day one", words.format_usd_short(float(way.measures.cash_today_usd)), under, said)


def _cost_per_hour_tile(way: EvaluatedOption) -> Tile:
    """What an hour of useful work comes to, where nothing else stands beside the total."""
    usd = scalar(way.measures.usd_per_useful_hour.value)
    shown = "none" if usd is None else words.usd_per_hour(usd)
    return Tile("An hour of a GPU", shown, "in today's money", "The whole plan over its hours of useful work")


def _break_even(plan: Plan, answer: Answer, futures: Futures | None) -> Tile:
    """How busy, or, where the work comes and goes, how much more of it makes both cost the same."""
    busy = answer.break_even("busy_share")
    value = None if busy is None else busy.value
    detail = f"{_utilization_detail(busy)}{break_even_range(answer, futures, 'busy_share')}"
    if has_constant_demand(plan):
        shown = "none" if value is None else words.percent(value)
        return Tile("Break-even use", shown, f"you: {words.percent(busy_share(plan.setting, 1.0))}", detail)
    times = None if busy is None or value is None or not busy.you else value / busy.you
    shown = "none" if times is None else f"{words.number(times)} times"
    return Tile("Break-even work", shown, "you: once" if times is not None else "not by use alone", detail)


def _utilization_detail(busy: BreakEven | None) -> str:
    same = "The share of busy hours at which both cost the same"
    return same if busy is None or busy.value is not None else str(busy.reason)


def _total(way: EvaluatedOption) -> Tile:
    value = words.format_usd_short(way.present_usd)
    detail = f"{way.option.title}, {way.option.what}: the whole plan in today's money; 8 of 10 futures lie in the range"
    return Tile(WAYS[way.option.way].name, value, _ends(way, words.format_usd_short), detail)
