"""The answer in words: a title, sentences with both totals and what would change them, four figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.money.option import Option
from planner.money.owning import machine, spare_boards
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import ledger_input_value, plan_utilization
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import group
from planner.money.ways import WAYS
from planner.money.ways.keep import is_done_once
from planner.report import words
from planner.report.answer.advice import guarantee_sentence, rests_on
from planner.report.answer.feasibility import cpu_sufficient_sentences, infeasible_title, too_much
from planner.report.answer.notes import (
    assumed_entry_sentences,
    beside_rent_text,
    beside_sentences,
    bill_sentences,
    budget_sentences,
    carbon_sentences,
    deciding_people_sentences,
    kept_sentences,
    quote_sentences,
    unhosted_sentences,
)
from planner.report.answer.other_measures import lost_time_sentences
from planner.report.answer.profit_words import break_even_sentences, income_sentences, seller_sentences, seller_tiles
from planner.report.answer.sensitivity import (
    cheaper_above_break_even,
    has_constant_demand,
    month_text,
    most_likely_change,
    payback_month_text,
    sensitivity_sentences,
)
from planner.report.forms import scalar
from planner.report.futures.counted import cash_range, confidence_sentences, limit_probability_sentences
from planner.report.speed.runs import correction_sentences
from planner.report.speed.serving_words import known_run_texts, other_work_title
from planner.report.speed.training_words import in_short
from planner.report.title import costs_alike, hour_selling_option, order_schedule_text, tied_options, title
from planner.report.words import Tile
from planner.scenario.base import ONE_MACHINE
from planner.scenario.durations import years_words
from planner.speed.serving import ServingResult
from planner.study.plan_any import in_time, owned_for_less
from planner.study.uncertainty.futures import Futures
from pricing.caching import cached_property

NO_RANGE = "no range"
NOT_COUNTED = "your engineers' time for setup, moving your data, taxes not filled in"


@dataclass(frozen=True)
class AnswerSummary:
    """The answer as it is shown."""

    title: str
    sentences: tuple[str, ...]  # the most important facts
    figures: tuple[Tile, ...]
    guarantee: str = ""  # the value of a resale guarantee, if there is one; one of the sentences
    of: tuple[Plan, Answer] | None = field(default=None, compare=False, repr=False)  # where two options are compared
    deciding: tuple[str, ...] = ()  # the sentences that a short answer holds; empty where all do

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """Return what would change the answer. Solved on first use: few look at it, and it takes as long as a plan."""
        return () if self.of is None else sensitivity_sentences(*self.of)


def summarize_answer(plan: Plan, answer: Answer, futures: Futures | None = None) -> AnswerSummary:
    """Return title, sentences and figures, all from one answer and its futures."""
    work = plan.setting.resolved
    if work is not None and work.problems:
        problems = map(words.sentence, work.problems)
        return AnswerSummary(infeasible_title(work), (*problems, *in_time(plan)), too_much(work))
    if answer.best is None:
        return AnswerSummary(title(answer), (*speeds(plan), *map(words.sentence, answer.missing)), ())
    guarantee, ways = guarantee_sentence(futures), answer.pair or (answer.best,)
    if (own := hour_selling_option(answer)) is not None:
        sentences = (
            *seller_sentences(plan, answer, f"{_purchase_text(plan, own.option)} {WAYS[own.option.way].purchase_text}"),
            *break_even_sentences(plan, own),
            *left_out(answer),
            *estimated_price_sentences(plan, answer),
            *_limit_sentences(answer),
            *filter(None, (guarantee,)),
        )
        tiles = (*seller_tiles(plan, own), _day_one_tile(plan, own, futures, "", "today"))
        return AnswerSummary(title(answer), sentences, tiles, guarantee)
    deciding = (
        *speeds(plan),
        *cpu_sufficient_sentences(plan),
        _totals_sentence(plan, ways, futures),
        *quote_sentences(plan),
        *bill_sentences(plan, answer),
        *unhosted_sentences(plan),
        *kept_sentences(plan, answer),
        *budget_sentences(answer),
        *income_sentences(answer),
        *rests_on(plan, ways),
        *lost_time_sentences(plan, answer),
        *left_out(answer),
        *assumed_entry_sentences(plan, ways),
        *deciding_people_sentences(plan, answer),
        *(f"To own, {which} cost least: about {words.usd(share * own.present_usd)}. Name them to compare."
          for which, share in owned_for_less(plan) for own in answer.ranked if own.option.way == "own"
          and share * own.present_usd < min(it.present_usd for it in answer.ranked if WAYS[it.option.way].owns)),
        *beside_sentences(plan, answer),
    )  # fmt: skip
    sentences = (
        *deciding,
        *estimated_price_sentences(plan, answer),
        *confidence_sentences(answer),
        *limit_probability_sentences(answer, futures),
        *(most_likely_change(plan, answer, futures) if futures is not None else ()),
        *_requested_fleet_text(plan, answer),
        *_other_options_text(answer),
        *_tie_sentences(answer),
        *_limit_sentences(answer),
        *carbon_sentences(answer),
        *filter(None, (guarantee,)),
    )
    return AnswerSummary(title(answer), sentences, _tiles(plan, answer, futures), guarantee, (plan, answer), deciding)


def not_counted(plan: Plan) -> str:
    """Return the costs that no line of the plan holds."""
    fits = "" if _names_models(plan) else "whether it fits the memory (no model is named), "
    return f"{fits}{NOT_COUNTED}"


def _names_models(plan: Plan) -> bool:
    work = plan.setting.resolved
    return work is not None and bool(work.trainings or work.servings or work.others)


def speeds(plan: Plan) -> tuple[str, ...]:
    """Return the speed of each model of the plan, with the band of the prediction."""
    work = plan.setting.resolved
    if work is None:
        return ()
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    return (
        *(in_short(result, label) for result in work.trainings),
        *(_serving_text(result, label) for result in work.servings),
        *(other_work_title(result, label) for result in work.others),
        *(f"{': '.join(known_run_texts(result, label))}." for result in work.runs),
        *correction_sentences(plan),
    )


def _serving_text(result: ServingResult, label: str) -> str:
    each, size = result.output_tokens_per_s / max(result.replicas, 1), result.accelerators_per_replica
    peak = f"{result.accelerators_at_peak:,}" if result.accelerators_at_peak else "no number of them"
    does = f"takes {each:,.0f} requests/s" if (  # one that writes no text
        result.output_tokens_per_s <= 1.001 * result.requests_per_s) else f"generates {each:,.0f} tokens/s"  # fmt: skip
    return (f"{result.model} needs {result.accelerators_at_average or 0:,} x {label} on average and {peak} at the peak;"
        f" {'each' if size == 1 else f'each group of {size:,}'} {does}.")  # fmt: skip


def workload_text(plan: Plan) -> str:
    """Return the amount of work: 8 x H100 SXM5 80 GB, used 60% of the time; named models stand in `speeds`."""
    if _names_models(plan):
        return "The work"
    need = plan.setting.demand.all
    most = f"{need.peak_accelerators:,} x {plan.setting.catalogue.accelerator_label(need.accelerator)}"
    if has_constant_demand(plan):
        return f"{most}, used {words.percent(plan_utilization(plan.setting, 1.0))} of the time,"
    return f"{words.round_significant(need.busy_accelerator_hours):,.10g} GPU-hours, on up to {most} at once,"


def _totals_sentence(plan: Plan, ways: Sequence[EvaluatedOption], futures: Futures | None) -> str:
    """Return the net present cost of the options, the lowest first, with the discount rate."""
    by_cost = sorted(ways, key=lambda way: way.present_usd)
    each = ". Or ".join(f"{_cost_text(way)} {_terms_text(plan, way)}{beside_rent_text(plan, way)}" for way in by_cost)
    hold = "ranges hold" if len(ways) > 1 else "range holds"
    often = "" if futures is None or NO_RANGE in map(_range_text, ways) else f"; the {hold} 8 of 10 futures"
    is_once = _names_models(plan) and is_done_once(plan.setting)
    over = "once" if is_once else f"over {years_words(plan.setting.scenario.years)}"
    return (f"{workload_text(plan)} {over}: {each}. Discounted to today at "
            f"{words.percent(plan.setting.discount_rate_per_year, 1)} a year{often}.")  # fmt: skip


def left_out(answer: Answer) -> tuple[str, ...]:
    """Return the options that cannot be compared, with the input they need; or that only one was requested."""
    lines = [f"{WAYS[absent.way].start_text.capitalize()} is left out: {absent.reason}" for absent in answer.left_out]
    if answer.pair is None and not lines and answer.best is not None:
        lines = [f"Only {WAYS[answer.best.option.way].start_text} was chosen"]
    return tuple(map(words.sentence, lines))


def estimated_price_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return a sentence where an option rests on a purchase price that is estimated from other accelerators."""
    server = machine(plan.setting)
    ways = answer.pair or ((answer.best,) if answer.best else ())
    ledgers = (way.option.ledger for way in ways if WAYS[way.option.way].owns)
    if server is None or server.estimate is None or not any(
            ledger_input_value("usd_per_accelerator", ledger) for ledger in ledgers):  # fmt: skip
        return ()
    price, label = server.estimate, plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    return (
        f"No purchase price of {label} is published: about {words.usd(price.typical)} each is assumed "
        f"({words.usd(price.low)} to {words.usd(price.high)}), from the prices of "
        f"{words.count(price.others, 'other')}.",
    )


def _cost_text(way: EvaluatedOption) -> str:
    ends, usd = _range_text(way), way.present_usd
    if usd < 0:
        return f"less than nothing, a gain of about {words.usd(-usd)}{'' if ends == NO_RANGE else f' (cost: {ends})'}"
    least, share = "at least" if way.measures.unpriced else "about", way.option.work_share
    part = "" if share >= _WHOLE else f" for {words.percent(share)} of the work"
    return f"{least} {words.usd(usd)}{'' if ends == NO_RANGE else f' ({ends})'}{part}"


def _range_text(way: EvaluatedOption, usd: Callable[[float], str] = words.usd) -> str:
    """Return the range of a cost; there is none where every figure is entered."""
    low, high = usd(way.low_usd), usd(way.high_usd)
    return NO_RANGE if low == high else f"{low} to {high}"


def _terms_text(plan: Plan, way: EvaluatedOption) -> str:
    option, scenario = way.option, plan.setting.scenario
    is_yours = scenario.rent.usd_per_accelerator_hour is not None or plan.setting.offers.on_demand is None
    title = words.lower_first(option.title)
    if WAYS[option.way].side == "mix" and option.orders:
        title = f"{title} ({order_schedule_text(option.orders)})"
    seller = f"{'at' if is_yours else 'from'} {option.what}"
    return WAYS[option.way].result_text.format(
        count=_purchase_text(plan, option), what=option.what, seller=seller, title=title
    )


def _purchase_text(plan: Plan, option: Option) -> str:
    """Return the order: one workstation with 2 x RTX 4090; 16 in two servers of 8, and one spare board."""
    server, many = machine(plan.setting), option.accelerators
    if option.orders:
        return f"{many:,.0f} in {words.count(len(option.orders), 'order')} ({order_schedule_text(option.orders)})"
    if server is not None and server.host is not None and option.way == "own":
        return option.what
    text = f"{many:,.0f}"
    if server is not None:
        size, unit = server.accelerators, "rack" if server.accelerators > ONE_MACHINE else "server"
        unit = "workstation" if server.holds_cards else unit
        if size > many:
            text = f"a {unit} of {size} for {text}"
        elif 1 < size < many:
            text = f"{text} in {words.count(-(-int(many) // size), unit)}"
    share = ledger_input_value("spare_share", option.ledger)
    spare = 0 if share is None else spare_boards(many, share[0])
    return f"{text} and {words.count(spare, 'spare board')}" if spare else text


def _other_options_text(answer: Answer) -> tuple[str, ...]:
    """Return the cost of a side that neither compared option speaks for; and the cheapest option, if it is a third."""
    named = {way.option.key for way in answer.pair or (answer.best,) if way is not None}
    beside = [way for way in (answer.own, answer.rent) if way is not None and way.option.key not in named]
    texts = [f"Beside them: {_cost_text(way)} {_terms_text(answer.plan, way)}." for way in beside if answer.pair]
    best, absent = answer.ranked[0], {each.way for each in answer.left_out}
    named |= {way.option.key for way in beside}
    if best.option.key not in named and answer.verdict != "limited" and best.option.way not in absent:
        cost = f"{_cost_text(best)} {_terms_text(answer.plan, best)}"
        texts.append(f"The cheapest of all {len(answer.ranked)} options costs {cost}.")
    return tuple(texts)


def _requested_fleet_text(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return the result of the fleet as requested, where another number of machines is better."""
    fleet, own, rent = answer.requested, answer.own, answer.rent
    if fleet is None or own is None or rent is None or own is fleet or own.option.way != "own":
        return ()
    available = fleet.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    share = words.percent(float(fleet.option.useful_hours.sum()) / available)
    more, payback = fleet.present_usd - rent.present_usd, payback_month_text(fleet.measures.payback)
    pays = f"would pay back after {payback}" if payback else "would not pay back"
    return (
        f"The {fleet.option.accelerators:,.0f} you entered would be used {share} of the time. They {pays}, and cost "
        f"{words.usd(abs(more))} {'more' if more > 0 else 'less'} than renting.",
    )


def _tie_sentences(answer: Answer) -> tuple[str, ...]:
    if answer.verdict != "close" or answer.pair is None or not costs_alike(*tied_options(answer)):
        return ()
    first, second = (WAYS[way.option.way] for way in answer.pair)
    today, other = (words.usd(float(way.measures.cash_today_usd)) for way in answer.pair)
    if first.owns and second.owns:
        return (f"So choose on cash: {first.start_text} takes {today} on day one, {second.start_text} {other}.",)
    takes_cash = float(answer.pair[0].measures.cash_today_usd) > 0
    if takes_cash and (first.owns or first.side == "mix"):
        cash = f"{first.start_text} takes {today} on day one"
        return (f"So choose on cash and freedom: {cash}, {second.start_text} can be stopped.",)
    if first.commitment_rank > second.commitment_rank:
        return (
            f"So choose on freedom: {first.start_text} binds you for its term, {second.start_text} can be stopped.",
        )
    return ("Both can be stopped, so choose the one that takes less work.",)


def _limit_sentences(answer: Answer) -> tuple[str, ...]:
    """Return the broken limit on money where the title has no room for it, and the sum that would be enough."""
    limit = answer.limit
    if limit is None:
        return ()
    if limit.is_unavoidable:
        return (f"{words.upper_first(limit.option_text)} would do with {limit.remedy}.",)
    cheapest = f"The cheapest option is left out: {limit.message}. " if answer.verdict == "close" else ""
    return (f"{cheapest}{words.upper_first(limit.option_text)} would take {limit.remedy}.",)


def _tiles(plan: Plan, answer: Answer, futures: Futures | None) -> tuple[Tile, ...]:
    """Return the best of renting, of owning and of hosted models, in fixed places; break-even; cash on day one."""
    if answer.pair is None:
        assert answer.best is not None  # there is an answer
        way = answer.best
        usd = scalar(way.measures.usd_per_useful_hour.value)
        shown, detail = (
            "none" if usd is None else words.usd_per_hour(usd),
            "The whole plan over its hours of useful work",
        )
        hour = Tile("An hour of a GPU", shown, "discounted to today", detail)
        return (_cost_tile(plan, way), hour, _day_one_tile(plan, way, futures, "", "today"))
    cards = tuple(answer.cards.values()) if len(answer.cards) > 1 else tuple(reversed(answer.pair))
    first, second = answer.pair
    is_mix = second is answer.best and WAYS[second.option.way].side == "mix"
    payer, other = (second, first) if is_mix else (first, second)
    takes, name = words.format_usd_short(float(other.measures.cash_today_usd)), WAYS[other.option.way].start_text
    beside = f"; {name} takes {takes}"
    if WAYS[payer.option.way].owns and float(payer.measures.cash_today_usd) > 0:
        month = scalar(answer.payback.month)  # the cash comes back, so no `pays` here: cash does not pay
        back = "not earned back" if month is None else f"back in {month_text(answer.payback)}"
        day_one = _day_one_tile(plan, payer, futures, f"{beside}. Payback is discounted to today", back)
    else:
        day_one = _day_one_tile(plan, payer, futures, beside, f"{name}: {takes}")
    return (*(_cost_tile(plan, way) for way in cards), _break_even_tile(plan, answer), day_one)


def _day_one_tile(plan: Plan, way: EvaluatedOption, futures: Futures | None, detail: str, under: str) -> Tile:
    usd = map(words.format_usd_short, (way.measures.peak.bills_usd, float(way.measures.bills_usd)))
    cash = ". Not discounted: most cash out {}, total cash {}".format(*usd)
    deposit = ledger_input_value("deposit_share", way.option.ledger)
    machines = (np.asarray(line.usd) for line in way.option.ledger.lines if line.part == "hardware")
    if deposit and 0 < deposit[0] < 1 and any(usd[0] > 0 and np.any(usd[1:] > 0) for usd in machines):
        under = f"{words.percent(deposit[0])} deposit, {under}"
        detail += ". The deposit is paid with the order, the rest at delivery"
    text = f"What {WAYS[way.option.way].start_text} takes today{cash_range(way, futures)}{detail}{cash}"
    return Tile("Cash on day one", words.format_usd_short(float(way.measures.cash_today_usd)), under, text)


def _break_even_tile(plan: Plan, answer: Answer) -> Tile:
    """Return the break-even utilization; of work that comes and goes, the break-even multiple of it."""
    busy = answer.break_even("busy_share")
    value = None if busy is None else busy.value
    detail = (
        "The share of busy hours at which both cost the same, at the inputs as entered"
        if busy is None or value is not None
        else str(busy.reason)
    )
    as_planned = ", as planned" if value is not None and any(way.is_skewed for way in answer.pair or ()) else ""
    above = ""
    if busy is not None and value is not None and not as_planned:  # a phone has room for one of the two
        above = f"{WAYS[cheaper_above_break_even(answer, busy).option.way].side} above; "
    if has_constant_demand(plan):
        shown, you = "none" if value is None else words.percent(value), plan_utilization(plan.setting, 1.0)
        return Tile("Break-even use", shown, f"{above}you: {words.percent(you)}{as_planned}", detail)
    if busy is None or value is None or not busy.you:
        return Tile("Break-even work", "none", "not by use alone", detail)
    return Tile("Break-even work", f"{words.number(value / busy.you)}×", f"{above}you: once{as_planned}", detail)


_WHOLE = 0.995  # share of the work from which no share is stated
_CARDS = {"rent": "Rent", "own": "Own", "hosted": "Hosted", "now": "Now"}


def _cost_tile(plan: Plan, way: EvaluatedOption) -> Tile:
    """Return the card of an option: its place is that of its group, and it says which option it is."""
    spec, value = WAYS[way.option.way], words.format_usd_short(way.present_usd)
    place = group(way.option)
    bought = ("peaks rented" if place == "own" else "some reserved") if spec.side == "mix" else spec.purchase_text
    offer = plan.setting.catalogue.offers.get(plan.setting.scenario.rent.offer or "")
    is_named = offer is not None and spec.offer(plan.setting.offers) == plan.setting.scenario.rent.offer
    seller = plan.setting.catalogue.providers[offer.provider].label if offer and is_named else _CARDS[place]
    name = spec.name if spec.inputs in ("kept", "bill") else f"{seller}, {bought}"
    name = way.option.what if spec.key == "bill" else name
    entered = words.format_usd_short(way.as_entered_usd)
    detail = (
        f"{way.option.title}, {way.option.what}: the whole plan discounted to today, as the median of all futures; "
        f"8 of 10 lie in the range. At the inputs as entered: {entered}"
    )
    return Tile(name, value, _range_text(way, words.format_usd_short), detail, place)
