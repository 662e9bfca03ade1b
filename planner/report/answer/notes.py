"""Sentences beside the verdict: the bill that is paid now, a budget, the largest entry nobody typed, emissions."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from planner.money.by_token import hosted_usd_per_request
from planner.money.carbon import KG_PER_T, EmissionRange, finite_or_none
from planner.money.ledger import Ledger
from planner.money.measures import discounted_ledger, monthly_discount_factors, present_usd
from planner.money.old_figures import sight_of
from planner.money.owning.resale import existing_ages, existing_hardware, used_worth
from planner.money.plan import Plan, hosted_residency_conflict
from planner.money.renting.orders import busiest_order
from planner.money.setting import PlanContext
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS, OptionSpec
from planner.money.ways.keep import is_done_once
from planner.money.yardsticks import YARDSTICKS
from planner.report import words
from planner.report.forms import scalar
from planner.report.title import current_option
from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.durations import months_words
from planner.scenario.path import get_value
from planner.scenario.question import KEYS
from planner.scenario.rent import CurrentBill
from planner.speed.kept_data import cheapest_hosted_price
from pricing.market.depth import DAY_MONTHS
from pricing.market.depth import Purchase as Buying
from pricing.market.rivals import BOARDS, alike_models, scores_text, usual_board
from pricing.market.sellers import TERM_MONTHS, band_of


def bill_sentences(plan: Plan, answer: Answer) -> Iterator[str]:
    """Yield the bill beside the answer; nothing where no bill is entered."""
    bill, now, best = plan.setting.scenario.bill, current_option(answer), answer.best
    if bill is None or now is None or best is None:
        return
    month = f"You pay {words.usd(bill.usd_per_month)} a month for {now.option.what}"
    if best is not now and now.present_usd > 0:
        saved = 1 - best.present_usd / now.present_usd
        yield f"{month}: {WAYS[best.option.way].start_text} costs {words.percent(saved)} less over the plan."
    else:
        yield f"{month}: no other option costs less."
    shown = {way.option.key: way for way in answer.ranked}
    if "alike" in shown:
        yield from map(words.sentence, shown["alike"].option.warnings)
    if "elsewhere" in shown and shown["elsewhere"].present_usd >= now.present_usd:
        yield "No other seller on record asks less for the same model."
    yield from _own_model_sentences(plan, bill)
    if answer.own is not None and now.present_usd > 0:
        usd = bill.usd_per_month * answer.own.present_usd / now.present_usd
        yield f"Owning costs as much as a bill of {words.usd(usd)} a month for the same work."


def _own_model_sentences(plan: Plan, bill: CurrentBill) -> Iterator[str]:
    """Yield a sentence for each model to run that is not known to be as good as the one that is paid for."""
    models, paid = plan.setting.catalogue.models, plan.setting.catalogue.hosted.get(bill.price or "")
    if paid is None:
        return
    board = bill.like or usual_board(paid.model) or BOARDS[0]
    served = {work.serve.model for work in plan.setting.written.work if work.serve}
    for name in served & models.keys() - {paid.model, *alike_models(paid.model, board)}:
        scores = scores_text(paid, name, board) or "no board known here has both"
        yield f"{models[name].label} is not known to be as good as {paid.label} ({scores}): try it first."


def beside_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return what the seller that is named lists, and how a service by the second wakes up."""
    seconds = (way.option for way in answer.cards.values() if way.option.way == "serverless")
    warnings = tuple(words.sentence(f"{each.title}: {note}") for each in seconds for note in each.warnings)
    return (*_named_seller_sentences(plan.setting), *warnings)


def _named_seller_sentences(setting: PlanContext) -> Iterator[str]:
    """Yield what the seller that the plan names lists for its GPU, by term, and what other sellers ask on demand."""
    catalogue, offer = setting.catalogue, setting.catalogue.offers.get(setting.scenario.rent.offer or "")
    if offer is None or setting.scenario.rent.usd_per_accelerator_hour is not None:
        return
    prices = [
        (0.0 if each is offer else TERM_MONTHS[each.purchase], each.usd_per_accelerator_hour.newest.typical)
        for each in catalogue.offers.values()
        if (each.provider, each.accelerator) == (offer.provider, offer.accelerator) and each.usd_per_accelerator_hour
        and (each is offer or each.purchase in TERM_MONTHS)
    ]  # fmt: skip
    listed = dict(sorted(prices, key=lambda price: -price[1]))  # the lowest of each term stays
    seller, own, order = catalogue.providers[offer.provider].label, listed.pop(0.0, None), busiest_order(setting)
    terms = [f"{words.usd_per_hour(usd)} for {months_words(months)}" for months, usd in sorted(listed.items())]
    now = "no price on demand" if own is None else f"{words.usd_per_hour(own)} a GPU-hour on demand"
    yield f"{seller} lists {now}, and {words.listed(terms) if terms else 'none for a term: ask'}."
    if (band := band_of(catalogue, offer.accelerator, order, setting.day, "on_demand")) is not None:
        other = band.cheapest_seller and catalogue.providers[band.cheapest_seller].label
        yield f"On demand, {order.accelerators:,} of them: {words.market_price(band, other)}."


def deciding_people_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return a sentence where the option that costs least does so since it takes fewer people."""
    first = min(answer.ranked, key=lambda way: _without_people_usd(plan, way))
    entered = min(answer.ranked, key=lambda way: way.as_entered_usd)  # the median of two that are close may be turned
    name, least = (WAYS[way.option.way].start_text for way in (first, answer.ranked[0]))
    is_turned = first not in (entered, answer.ranked[0]) and name != least and answer.verdict != "close"
    return (f"The people decide: without them {name} would cost less than {least}.",) if is_turned else ()


def _without_people_usd(plan: Plan, way: EvaluatedOption) -> float:
    people = Ledger("", tuple(line for line in way.option.ledger.lines if line.part == "staff"))
    return way.as_entered_usd - float(present_usd(plan.setting, people))


def unhosted_sentences(plan: Plan) -> Iterator[str]:
    """Yield why a served model is not bought by the token, and what it, or the nearest that is sold so, would cost."""
    catalogue, written = plan.setting.catalogue, plan.setting.written
    served = [(work.serve, work.last_month or written.months) for work in written.work if work.serve]
    model = catalogue.models.get(served[0][0].model) if len(served) == 1 else None
    if model is None or written.hosted or model.modality not in ("text", "text_encoder"):
        return
    if written.ways and ("hosted" in written.ways or all(WAYS[way].owns for way in written.ways)):
        return
    (task, months), is_read = served[0], model.modality == "text_encoder"
    tokens = {"input_tokens": task.input_tokens, "output_tokens": 0 if is_read else task.output_tokens}
    requests = task.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH * months

    def sold(key: str) -> str:
        usd, price = hosted_usd_per_request(catalogue, key, **tokens) * requests, catalogue.hosted[key]
        return f"{price.label} of {price.vendor}, costs {words.usd(usd)}, undiscounted"

    if (offered := cheapest_hosted_price(catalogue, task)) is not None:
        conflict = hosted_residency_conflict(catalogue, written)
        if conflict is not None or written.ways:
            why = conflict or "the plan names other options"
            yield f"By the token the cheapest, {sold(offered)}. It is left out: {why}."
        return
    miss = {
        key: 0.0 if is_read else abs(math.log(catalogue.models[price.model].params_b / model.params_b))
        for key, price in catalogue.hosted.items()
        if (price.output_usd_per_mtoken is None if is_read else price.model in catalogue.models)
    }
    nearest = min(miss, key=lambda key: (miss[key], hosted_usd_per_request(catalogue, key, **tokens)))
    yield f"By the token nobody on record sells {model.label}; the nearest, {sold(nearest)}."


_OF_MACHINES = {"capex_usd": "for day one", "usd_per_server": "for a machine", "usd_per_accelerator": "for a GPU"}


def quote_sentences(plan: Plan) -> Iterator[str]:
    """Yield each price of yours beside the catalogue's for such machines, or the market's for the same order."""
    setting, scenario = plan.setting, plan.setting.scenario
    for name, of in _OF_MACHINES.items():
        usd = getattr(scenario.own, name)
        usual = YARDSTICKS["own", name](sight_of(plan)) if usd else None
        if usual is not None and 0 < usual.usual < math.inf:
            yield f"Your {words.usd(usd)} {of} is {_beside_usual(usd, usual[:3], words.usd)} of the catalogue."
    term = scenario.reserve.term or "on_demand"
    months, order = TERM_MONTHS.get(term, DAY_MONTHS), busiest_order(setting)
    yours: list[tuple[float | None, Buying, str, float]] = [
        (scenario.rent.usd_per_accelerator_hour, "on_demand", "on demand", DAY_MONTHS),
        (scenario.reserve.usd_per_accelerator_hour, "reserved", f"for {months_words(months)}, {{}} in all", months),
    ]
    for usd, buying, how, bound in yours:
        band = band_of(setting.catalogue, scenario.accelerator, order, setting.day, buying, bound)
        if usd is None or band is None:
            continue
        least = "no seller that likely has it lists a price"
        if band.cheapest_read is not None and band.cheapest_seller is not None:
            seller = setting.catalogue.providers[band.cheapest_seller].label
            below = _set_against(usd, band.cheapest_read)
            least = f"{below} the lowest list price, {words.usd_per_hour(band.cheapest_read)} ({seller})"
        typical = _beside_usual(usd, (band.low, band.typical, band.high), words.usd_per_hour)
        paid = how.format(words.usd(band.typical * order.accelerators * bound * HOURS_PER_MONTH))
        yield f"Your {words.usd_per_hour(usd)} an hour is {typical} that such an order typically pays {paid}; {least}."


def _beside_usual(usd: float, ends: tuple[float, float, float], write: Callable[[float], str]) -> str:
    low, typical, high = map(write, ends)
    return f"{_set_against(usd, ends[1])} the {typical}{'' if low == high else f' ({low} to {high})'}"


def _set_against(usd: float, other: float) -> str:
    share = usd / other - 1
    near = "as much as" if abs(share) < 0.005 else f"{words.percent(abs(share))} {'above' if share > 0 else 'below'}"
    return f"{words.number(usd / other)} times" if share > _MANY_TIMES else near


def month_text(answer: Answer) -> str:
    """Return the cash that each option of a card takes a month, and its electricity; empty of work done once."""

    def each(way: EvaluatedOption) -> str:
        of_power = (float(it.total_usd) for it in way.option.ledger.lines if it.name.startswith("Electricity"))
        month, power = (
            float(usd) / answer.plan.setting.scenario.months for usd in (way.measures.bills_usd, sum(of_power))
        )
        of_it = f", of it {words.format_usd_short(power)} for electricity" if 0 < power <= month else ""
        return f"{WAYS[way.option.way].start_text} {words.format_usd_short(month)}{of_it}"

    return "" if is_done_once(answer.plan.setting) else "; ".join(map(each, answer.cards.values()))


def gpu_hour_text(answer: Answer) -> str:
    """Return what an hour of work of a GPU costs with each option of a card; empty of services, paid by the request."""
    work = answer.plan.setting.resolved
    if work is not None and (work.servings or work.others):
        return ""
    usd = {way.option.way: scalar(way.measures.usd_per_useful_hour.value) for way in answer.cards.values()}
    return "; ".join(f"{WAYS[way].start_text} {words.usd_per_hour(it)}" for way, it in usd.items() if it is not None)


def budget_sentences(answer: Answer) -> tuple[str, ...]:
    """Return what the cheapest ways of up to three groups leave of the budget; nothing where none is entered."""
    usd, current = answer.plan.setting.terms.budget_usd, current_option(answer)
    ways = [way for way in answer.cards.values() if way is not current][:_MOST_WAYS]
    if usd is None or not ways:
        return ()
    months = None if is_done_once(answer.plan.setting) else answer.plan.setting.scenario.months
    each = [_spent_text(WAYS[way.option.way], way.measures.peak.bills_usd, usd, months) for way in ways]
    return (f"Of your {words.usd(usd)}, in cash before any resale: {'; '.join(each)}.",)


def _spent_text(way: OptionSpec, spent_usd: float, budget_usd: float, months: float | None) -> str:
    left, name = budget_usd - spent_usd, way.start_text
    if left < 0:
        until = f": it lasts {months_words(months * budget_usd / spent_usd)}" if months and way.side == "rent" else ""
        return f"{name} takes {words.usd(spent_usd)}, {words.usd(-left)} too much{until}"
    rest = f", and it is enough for {words.round_significant(budget_usd / spent_usd, 2):,.0f} times as much" if (
        0 < _MANY_TIMES * spent_usd < budget_usd) else f" and leaves {words.usd(left)}"  # fmt: skip
    return f"{name} takes {words.usd(spent_usd)}{rest}"


LARGE_SHARE, _LEAST_BESIDE, _MANY_TIMES, _MOST_WAYS = 0.2, 0.1, 20, 3
_OF_KEPT = {"hardware": "the worth that it loses", "resale": "the worth that it loses", "idle": "electricity"}
# The part of a ledger, in words, and the keys of which one replaces it. Chips and rents are named by their price.
_ENTRIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "storage": ("disks", ("disk",)),
    "egress": ("traffic out", ("egress",)),
    "staff": ("people", ("crew", "leastpeople", "people", "salary", "running")),
    "space": ("space and hosting", ("colo", "running")),
    "power": ("electricity", ("kwh", "running")),
    "network": ("the network between servers", ("net", "capex")),
    "upkeep": ("maintenance and insurance", ("upkeep", "running")),
    "support": ("support", ("support",)),
}


def assumed_entry_sentences(plan: Plan, ways: Sequence[EvaluatedOption]) -> tuple[str, ...]:
    """Return a sentence about the largest entry that was not typed, if it is over a fifth of an option's cost."""
    entries = [entry for way in ways for entry in _untyped_entries(plan, way)]
    share, usd, way, part = max(entries, key=lambda entry: entry[0], default=(0.0, 0.0, None, ""))
    if way is None or share <= LARGE_SHARE:
        return ()
    name, keys = _ENTRIES[part]
    return (
        f"Not entered, but at usual figures {words.percent(share)} of what {WAYS[way.option.way].start_text} costs: "
        f"{name}, about {words.usd(usd)} of it. Yours goes under “{KEYS[keys[0]].label}”.",
    )


def kept_sentences(plan: Plan, answer: Answer) -> Iterator[str]:
    """Yield the age of what is there, where it is assumed; and what keeping it is made of, if it is not the answer."""
    kept = next((way for way in answer.ranked if way.option.way == "keep"), None)
    entered, there = plan.setting.scenario.kept, existing_hardware(plan.setting)
    if kept is None or entered is None or there is None:
        return
    ages = existing_ages(plan.setting, entered)
    if entered.bought_year is None and entered.usd_today_if_sold is None and ages is not None:
        yield (
            f"What you have is taken to be {ages[1]:.1f} years old ({ages[2]:.1f} to {ages[0]:.1f}) and to fetch "
            f"{words.usd(there.usd_today_if_sold or 0.0)} today: enter yours under “{KEYS['havesince'].label}”."
        )
    worth = used_worth(plan.setting, entered, 0.0)
    if (usd := entered.usd_today_if_sold) and worth is not None and worth[1] > 0:
        yield f"Your {words.usd(usd)} for them is {_beside_usual(usd, worth, words.usd)} that used ones usually fetch."
    if kept is answer.best:
        return
    sums: dict[str, float] = {}
    for line in discounted_ledger(plan.setting, kept.option.ledger).lines:
        name = _OF_KEPT.get(line.part) or _ENTRIES.get(line.part, ("renting the rest",))[0]
        sums[name] = sums.get(name, 0.0) + float(np.nansum(line.usd))
    largest = sorted(sums.items(), key=lambda each: -each[1])[:_MOST_WAYS]
    each = (f"{words.usd(usd)} for {name}" for name, usd in largest if usd > 0)
    yield f"Keeping costs {words.listed(each)}, at the plan's inputs."


def _untyped_entries(plan: Plan, way: EvaluatedOption) -> Iterator[tuple[float, float, EvaluatedOption, str]]:
    """Yield share, sum, option and part of each part of its ledger for which nothing was typed, of the cost shown."""
    for part, share in _shares_of_entries(plan, way).items():
        typed = (get_value(plan.setting.written, KEYS[key].path) for key in _ENTRIES[part][1])
        if all(value is None for value in typed):
            yield share, share * max(way.present_usd, 0.0), way, part


def _shares_of_entries(plan: Plan, way: EvaluatedOption) -> dict[str, float]:
    sums: dict[str, float] = {}
    worth = monthly_discount_factors(plan.setting)
    for line in way.option.ledger.lines:
        sums[line.part] = sums.get(line.part, 0.0) + float((line.priced_usd * worth).sum())
    total = sum(usd for usd in sums.values() if usd > 0)
    return {part: usd / total for part, usd in sums.items() if part in _ENTRIES and total > 0}


def beside_rent_text(plan: Plan, way: EvaluatedOption) -> str:
    """Return what a rented option costs beside its rent, where that is over a tenth: of it $36,000 for people."""
    shares = sorted(_shares_of_entries(plan, way).items(), key=lambda each: -each[1])
    beside = sum(share for _, share in shares)
    if WAYS[way.option.way].side != "rent" or beside <= _LEAST_BESIDE:
        return ""
    named = {_ENTRIES[part][0]: share for part, share in shares if share >= _LEAST_BESIDE * beside}
    return f", of it {words.usd(sum(named.values()) * max(way.present_usd, 0.0))} for {words.listed(named)}"


DIFFER = 1.5  # times: what is known of making alone is no nearer
NOT_COUNTED = "network, disks, buildings and transport are not counted"
_IN_TONNES_FROM_KG = 10_000.0
CONVENTION = (
    "Making purchased hardware counts in full, resale takes nothing off; making rented hardware counts by the share "
    f"of its life that its hours take. Grid figures are of generation in the country; {NOT_COUNTED}."
)


def carbon_sentences(answer: Answer) -> tuple[str, ...]:
    """Return the emissions of the two compared options, where they differ; and a limit that cannot be checked."""
    return (*_beside(answer), *_unverified_limit(answer))


def _beside(answer: Answer) -> tuple[str, ...]:
    if answer.pair is None:
        return ()
    typical = {way: way.emissions.typical for way in answer.pair}
    kg = {way: float(np.nan_to_num(each.operation_kg + each.making_kg, nan=math.inf)) for way, each in typical.items()}
    first, second = sorted(answer.pair, key=lambda way: kg[way])
    if not 0 < DIFFER * kg[first] < kg[second] < math.inf:
        return ()
    less, more = first.emissions.total_kg, second.emissions.total_kg
    if less is None or more is None:
        return ()
    doing, other = (_option_and_grid(answer, way) for way in (first, second))
    share = words.percent(less.typical / more.typical)
    text = f"{words.upper_first(doing)} would emit about {share} of what {other} does: about {tonnes(less)} of CO2"
    return (f"{text} equivalent against {tonnes(more)}, operation and making; {NOT_COUNTED}.",)


def _unverified_limit(answer: Answer) -> tuple[str, ...]:
    """A limit is set, and nobody knows whether the way that is advised keeps to it."""
    most = answer.plan.setting.terms.most_t_co2e
    if most is None or answer.best is None or answer.best.emissions.operation_kg is not None:
        return ()
    doing = WAYS[answer.best.option.way].gerund
    return (f"Whether {doing} keeps to {most:g} t of CO2 equivalent is not known: {answer.best.emissions.notes[0]}.",)


def _option_and_grid(answer: Answer, way: EvaluatedOption) -> str:
    where = way.emissions.where
    places = {site.label for site in answer.plan.setting.catalogue.sites.values() if site.kind != "world"}
    return f"{WAYS[way.option.way].gerund}{f' ({where})' if where in places else ''}"


def tonnes(kg: EmissionRange) -> str:
    """A quantity with its range: 12 t (9 to 20)."""
    low, typical, high = (f"{words.round_significant(end / KG_PER_T, 2):,.10g}" for end in kg)
    return f"{typical} t ({low} to {high})"


def carbon_unit(answer: Answer) -> tuple[str, float]:
    """Return the unit of emissions in tables, and its kilograms: tonnes where any option emits ten of them."""
    each = (way.emissions.typical for way in answer.ranked)
    kg = (finite_or_none(kg) or 0.0 for emitted in each for kg in (emitted.operation_kg, emitted.making_kg))
    return ("t", KG_PER_T) if max(kg, default=0.0) >= _IN_TONNES_FROM_KG else ("kg", 1.0)


def carbon_notes(answer: Answer) -> tuple[str, ...]:
    """Return each substitute and each unknown once."""
    notes = (note for way in answer.ranked for note in way.emissions.notes)
    return tuple(f"Carbon: {note}." for note in dict.fromkeys(notes))
