"""One line of plain English as a plan, by a small grammar; what means two things is asked, with a line for each."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

from pydantic import ValidationError

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH
from planner.scenario.known_names import ScenarioError, error_path
from planner.scenario.question import KEYS
from planner.scenario.scenario import USUAL_ACCELERATOR, Scenario
from planner.scenario.typed_money import AmountError
from planner.speed.work_to_hours import convert_to_hours
from planner.study.one_line.line_asks import (
    SAYS_ENOUGH,
    ask_for_chip,
    ask_for_currency,
    ask_for_role,
    ask_what_for,
    called_as,
    is_guess,
    is_negated,
    label_of,
    leave_names_out,
    leave_places_out,
    read_periods,
    unknown_words,
)
from planner.study.one_line.line_chips import add_chip, read_generic_count, with_count
from planner.study.one_line.line_money import find_amounts, total_of
from planner.study.one_line.line_names import LineName, correct_slips, find_names, sells_tokens, work_of_kind
from planner.study.one_line.line_plan import plan_of
from planner.study.one_line.line_records import (
    ANSWER_IT,
    MOST_SIDES,
    LineError,
    LineParts,
    LineQuestion,
    LineReading,
    count_beside,
)
from planner.study.one_line.line_rules import BLANK, PATTERNS, RULES, STRAY, VERBS, blank, take
from planner.study.one_line.line_sellers import ask_for_open_model, offers_of, provider_called
from planner.study.one_line.line_spelling import in_digits, middle_of_ranges, plain_spelling
from planner.study.one_line.line_words import WORDS
from pricing import Catalogue, PricingError, names
from pricing.exchange import rates
from pricing.formulas import printable
from pricing.meant import Meant

LONGEST, _MOST_BUDGET = 600, 1e11  # characters; dollars: more than all that makers ship in a year
_MOST_OF_EACH = {"in": 16e6, "out": 1e6}  # tokens of a request: more are those of a month
_ALWAYS, _EXAMPLE = (("busy", 1.0), ("every", 1.0)), "64 H100 for 3 months in Germany"
_MOST_UNSTATED, _MOST_WITH_GPUS, _LEAST_OF_TERM = 1_000, 500, 2_044  # unstated GPUs; people; hours of a contract


def read_line(catalogue: Catalogue, typed: str, day: date | None = None) -> LineReading:
    """Return the plan that a line asks for on a day (none: the catalogue's). Raises `LineError` where there is none."""
    parts = _spelled(catalogue, typed, day or catalogue.day)
    line = parts.line
    if offers := offers_of(catalogue, line):
        return _with_offers(catalogue, line, offers, parts.values["day"])
    ask_for_currency(parts)
    try:
        _read_quantities(catalogue, parts)
    except AmountError as error:
        raise LineError(f"{error}.") from error
    _read_names(catalogue, parts)
    leave_places_out(catalogue, parts)
    read_generic_count(parts)
    ask_for_chip(catalogue, parts)
    read_periods(parts)
    unknown = tuple(unknown_words(catalogue, parts))
    ask_for_open_model(catalogue, parts)
    ask_what_for(parts)
    parts.phrases.sort(key=lambda phrase: line.find(phrase.text))
    if parts.questions:
        asked, runs = [each.text for each in parts.questions], (unknown, parts.left_out)
        words, left = (tuple(it for it in run if not any(it in text or text in it for text in asked)) for run in runs)
        return LineReading(line, None, tuple(parts.phrases), tuple(parts.notes), words, tuple(parts.questions),
            left_out=left)  # fmt: skip
    if PATTERNS["of_trouble"].search(parts.plain) or not parts.values.keys() & SAYS_ENOUGH:
        raise LineError(f"Nothing in {printable(line, 60)!r} is about what GPUs cost: write a line such as {_EXAMPLE}.")
    return _with_plan(catalogue, parts, unknown)


def _with_offers(catalogue: Catalogue, line: str, offers: Mapping[str, str], day: date) -> LineReading:
    """Return the plan of the cheapest of several offers, with the plan of each other one beside it."""
    first, *others = offers
    reading = read_line(catalogue, offers[first], day)
    beside = {**reading.beside, **{label: offers[label] for label in others}}
    left_out = (*reading.left_out, *(f"{it}, as so many plans are too many" for it in [*beside][MOST_SIDES - 1 :]))
    notes = (f"Of {len(offers)} offers the one at the lowest price is taken: {first}; the others stand beside it.",)
    return replace(
        reading, line=line, notes=(*notes, *reading.notes), left_out=left_out, side=first,
        beside=dict(list(beside.items())[: MOST_SIDES - 1]),
        choices={**reading.choices, ANSWER_IT: line} if left_out else {},
    )  # fmt: skip


def _spelled(catalogue: Catalogue, typed: str, day: date) -> LineParts:
    """Return a line in the spelling that its rules read. Raises `LineError` where it is empty or too long."""
    line = " ".join(unicodedata.normalize("NFKC", typed.replace("m²", "sqm")).split())
    line = PATTERNS["hours_and_minutes"].sub(lambda it: f"{int(it['h']) * 60 + int(it['m'])} minutes", line)
    if not line:
        raise LineError(f"The line is empty: write {_EXAMPLE}.")
    if len(line) > LONGEST:
        raise LineError(f"The line has {len(line):,} characters, at most {LONGEST} are read: write {_EXAMPLE}.")
    line, notes = correct_slips(catalogue, line)
    lower = "".join(low if len(low := mark.lower()) == 1 else mark for mark in line)
    parts = LineParts(line, plain_spelling(lower), {"day": day}, notes=notes)
    parts.rest = parts.plain = middle_of_ranges(parts.rest, parts.notes)
    return parts


def _with_plan(catalogue: Catalogue, parts: LineParts, unknown: tuple[str, ...]) -> LineReading:
    values = parts.values
    try:
        scenario, notes, unused = plan_of(catalogue, values)
    except ScenarioError as error:
        raise LineError(_refusal(parts, error)) from error
    if is_guess(scenario, values):  # a word that nobody knows may be the name
        parts.left_out, unknown = [*parts.left_out, *unknown], ()
    explained = {"machine_size", "growth_each", *(
        name for name, by in WORDS["explained"].items() if {*by.split()} & values.keys())}  # fmt: skip
    ignored = (
        name for name in sorted(parts.spans.keys() & values.keys() - explained, key=parts.spans.__getitem__)
        if re.search(r"\d", in_digits(parts.words_of(name).lower())) and _is_ignored(catalogue, values, name, scenario)
    )  # fmt: skip
    reasons = {**dict.fromkeys(ignored, "this plan has no use for it"), **unused}
    idle = {name: f"{parts.words_of(name)}, as {why}" for name, why in reasons.items() if name in parts.spans}
    heavy = {"team"} if PATTERNS["multiplies"].search(parts.line) else set()
    quiet = {it for it in idle if it in {*WORDS["weightless"]} - heavy or (it, values.get(it)) in _ALWAYS}
    notes += tuple(f"Not used: {idle[name]}." for name in idle if name in quiet)
    sides = parts.compared()
    beside = {name: side for name, side in sides.items() if side != parts.line}
    parts.left_out += [*(idle[name] for name in idle if name not in quiet), *_doubts(catalogue, parts, scenario)]
    left_out, budget = leave_names_out(catalogue, parts, scenario, sides), scenario.terms.budget_usd
    if budget is not None and not 1 <= budget <= _MOST_BUDGET:
        raise LineError(f"A budget of {budget:,.15g} USD buys no plan: write one of 1 to {_MOST_BUDGET:,.0f} USD.")
    train, serve = scenario.work[0].train, scenario.work[0].serve
    is_counted = values.get("gpus", 0) > ("chip" not in values) or "gpu_hours" in parts.spans  # `a GPU` is none
    is_open = budget is not None and not (is_counted or "bill" in values or train or serve)
    fills = train is not None and not {"tokens", "images", "due", "examples", "texts"} & values.keys()
    return LineReading(
        parts.line, scenario, tuple(parts.phrases), (*parts.notes, *notes), unknown, budget_usd=budget,
        count_is_open=is_open, chip_is_open=not {"chip", "chip_have"} & values.keys(),
        tokens_are_open=fills and {"gpus", "length"} <= values.keys(), left_out=left_out,
        choices={ANSWER_IT: parts.line, **parts.other_lines()} if left_out else {}, beside=beside,
        side=next((name for name in sides if name not in beside), ""),
    )  # fmt: skip


def _doubts(catalogue: Catalogue, parts: LineParts, scenario: Scenario) -> Iterator[str]:
    """Yield that a service takes more GPUs than a line without a count is likely to mean: a number may be misread."""
    if scenario.work[0].serve is not None and "gpus" not in parts.values:
        usual = scenario.model_copy(update={"accelerator": USUAL_ACCELERATOR})
        with suppress(ValidationError):  # more than a plan can have: it says so
            many = convert_to_hours(catalogue, usual).scenario.work[0].accelerators
            if many > _MOST_UNSTATED:
                yield f"whether {many:,} GPUs are meant, which so many requests take: write how many requests there are"


def _refusal(parts: LineParts, error: ScenarioError) -> str:
    """Return why there is no plan in the words of the page and of the line, without the name of a field."""
    cause = error.__cause__
    wrong = {error_path(it): it["input"] for it in cause.errors()} if isinstance(cause, ValidationError) else {}
    field = next((key for key in KEYS.values() if key.path in wrong), None)
    if field is None:
        return f"{error.wish}."
    value = float(wrong[field.path])
    number = re.compile(rf"(?<![\w.]){value:.10g}(?![\w.])")
    texts = [it.text for it in parts.phrases if number.search(it.value.replace(",", ""))]
    text = next((it.text for it in parts.phrases if it.field == field.label), texts[0] if len(texts) == 1 else "")
    where = f" It was read from {printable(text, 60)!r}: write another there." if text else ""
    return f"{field.label}: a plan can have {field.range}, not {value * (100 if field.percent else 1):,.15g}.{where}"


def _is_ignored(catalogue: Catalogue, values: Mapping[str, Any], name: str, scenario: Scenario) -> bool:
    value = values[name]
    other: Any = (value[0] * 3, *value[1:]) if isinstance(value, tuple) and value else None
    other = f"3{value}" if isinstance(value, str) and re.match(r"\d", value) else other
    if isinstance(value, int | float) and not isinstance(value, bool):
        other = value * 3 if value > 1 else value / 3
    with suppress(PricingError):
        return other is not None and plan_of(catalogue, {**values, name: other})[0] == scenario
    return False


def _read_quantities(catalogue: Catalogue, parts: LineParts) -> None:
    for pair in PATTERNS["pair"].finditer(parts.rest):  # 1 or 3 years: the second; the line of the first stands beside
        parts.pairs[f"{parts.line[slice(*pair.span('second'))]}{pair['unit']}"] = parts.line
        parts.pairs[f"{parts.line[slice(*pair.span('first'))]}{pair['unit']}"] = (
            parts.line[: pair.end("first")] + parts.line[pair.end("second") :])  # fmt: skip
        parts.rest = blank(parts.rest, pair.start(), pair.start("second"))
    named = [it for it in find_names(catalogue, parts.rest, parts.line)
        if PATTERNS["numbered"].fullmatch(parts.rest[it.start : it.end])]  # fmt: skip
    for name in named:  # gemini 2.5 pro invoices: no rule takes the number of a name
        parts.rest = blank(parts.rest, name.start, name.end)
    if second := PATTERNS["second_work"].search(parts.rest):  # train a 7b, then fine-tune it
        parts.leave_out("work: write it as a line of its own", second["second"].strip(" ,;"), *second.span("second"))
    for kind, said in WORDS["asides"].items():  # a bill that went from 3k to 9k; founded in 2019
        for aside in PATTERNS[kind].finditer(parts.rest):
            parts.notes.append(said.format(parts.line[aside.start() : aside.end()].strip(" ,.;")))
            parts.rest, parts.taken = (
                parts.rest[: aside.start()] + " " * len(aside[0]) + parts.rest[aside.end() :],
                [*parts.taken, aside.span()],
            )
    _read_amounts(catalogue, parts)
    _read_rules(parts)
    for name in named:
        parts.rest = parts.rest[: name.start] + parts.plain[name.start : name.end] + parts.rest[name.end :]


def _read_amounts(catalogue: Catalogue, parts: LineParts) -> None:
    amounts = [*find_amounts(parts.rest, rates(catalogue), sells_tokens(catalogue, parts.rest))]
    if len(bills := [it for it in amounts if it.kind == "bill"]) > 1:
        parts.values["bill"] = total_of(bills)
        parts.notes.append(f"All {len(bills)} sums are taken for the bill: {parts.values['bill']} a month.")
    for amount in amounts:
        before = parts.rest[: amount.start]
        is_offer = amount.kind in ("all_price", "quote") and PATTERNS["quoted"].search(before)
        names = find_names(catalogue, before, parts.line) if is_offer else ()
        if amount.kind == "sum" or {it.meant.key for it in names if it.kind[-2:] == "er"} - {*WORDS["makers"]}:
            ask_for_role(parts, amount.start, amount.end)
            continue
        value: Any = {"bill": parts.values.get("bill", amount.text), "gone": True}.get(
            amount.kind, amount.usd if amount.kind in WORDS["in_dollars"].split() else amount.text)  # fmt: skip
        parts.values.setdefault("currency", amount.code)
        parts.values |= {"budget_usd": amount.usd} if amount.kind == "budget" else {}
        parts.add(amount.kind, value, amount.start, amount.end, f"{amount.usd:,.10g} USD")
        parts.notes += [amount.note] if amount.note else []


def _read_rules(parts: LineParts) -> None:
    for name, value, start, end in take(parts.rest, RULES):
        is_open = name == "bare_rate" and PATTERNS["of_text"].search(parts.plain)  # of requests or tokens
        if BLANK not in parts.rest[start:end] and not is_open:
            parts.add("all_" * (name in _MOST_OF_EACH and value > _MOST_OF_EACH[name]) + name, value, start, end)
            _keep_manner(parts, name, value, (start, end))
    for name in {"runs", "every"} & parts.values.keys():  # more than hours: they may be requests
        if parts.values[name] > HOURS_PER_MONTH and "run_hours" not in parts.values:
            parts.ask(*parts.spans[name], {text: text for text in [f"{parts.values[name]:.0f} requests a month"]})
    if {"gpu_hours", "texts", "frame_hours"} & parts.values.keys():
        for name, value, start, end in take(parts.rest, STRAY):
            parts.add(name, value, start, end)


def _keep_manner(parts: LineParts, name: str, value: Any, place: tuple[int, int]) -> None:
    values, line, hourly = parts.values, parts.line.lower(), f"{name}_by_the_hour"
    text, behind = line[slice(*place)], line[place[1] :]
    is_of_firm = PATTERNS["firm_behind"].match(behind) or PATTERNS["of_a_firm"].search(line[: place[1]])
    is_of_vision = name in WORDS["of_load"] and PATTERNS["of_vision"].search(f"{parts.plain}; {line}")
    flags = (("are_served", name == "team" and (value > _MOST_WITH_GPUS or not PATTERNS["own_gpus"].search(text))),
        ("is_term", name == "reservation" or ((name == "date" or (name == "length" and value > _LEAST_OF_TERM))
            and PATTERNS["for_a_term"].search(line))),
        ("is_renewal", name in ("date", "start") and PATTERNS["contract_ends"].search(line)),
        ("is_firm", name == "team" and is_of_firm), ("tune", name == "by_feedback"),
        ("of_images", name in ("rps", "texts", "each_rps", "two_kinds") and PATTERNS["makes_images"].search(line)),
        ("is_over", name == "length" and text.startswith("over")),
        ("rest_is_free", name == "busy" and "%" in text and PATTERNS["shared_gpus"].search(parts.plain)),
        *((kind, is_of_vision and PATTERNS[kind].search(is_of_vision.string)) for kind in WORDS["kinds_of_pictures"]),
        ("of_artists", name == "team" and PATTERNS["of_artists"].search(text)),
        ("of_people", name == "rps" and PATTERNS["of_people"].search(text)),
        (hourly, hourly in PATTERNS and PATTERNS[hourly].match(parts.plain[slice(*place)])),
    )  # fmt: skip
    values |= {flag: True for flag, holds in flags if holds}
    values |= {"busy": values.pop("length", value) / HOURS_PER_DAY} if (  # at night, ten hours
        name == "length" and value < HOURS_PER_DAY and "busy" in values) else {}  # fmt: skip
    values |= {"replicas": values.pop("gpus")} if name == "gpus" and "server" in values else {}  # we need four


def _read_verbs(parts: LineParts) -> None:
    for verb, value, start, end in take(parts.rest, VERBS):
        before = parts.line[:start].lower()
        is_unwanted = PATTERNS["negation"].search(before) or (
            verb == "place" and re.search(r"(?<![a-z])no [a-z]+ $", before))  # fmt: skip
        if is_unwanted and verb not in ("stay", "have"):
            parts.rest = blank(parts.rest, start, end)
            parts.notes.append(f"{parts.line[start:end].strip()} is not wanted: it is left out.")
        elif verb == "have":  # it says which GPUs are there, and nothing by itself
            parts.rest = blank(parts.rest, start, end)
        else:
            parts.add(verb, value, start, end, WORDS["verb_words"].get(verb, "yes") if value is True else None)
    parts.values |= {name: True for name in WORDS["of_whole_line"] if PATTERNS[name].search(parts.plain)}


def _read_names(catalogue: Catalogue, parts: LineParts) -> None:
    found = list(find_names(catalogue, parts.rest, parts.line))
    makers = [it for it in found
        if it.kind == "chip" and re.match(r"(?i)[a-z, -]*(?:amd|nvidia)", parts.line[it.start :])]  # fmt: skip
    for maker in makers if len({it.meant.key for it in found if it.kind in ("chip", "machine")}) > 1 else []:
        found.remove(maker)  # which of its chips stands beside it
        parts.rest = blank(parts.rest, maker.start, maker.end)
    verbs = list(take(parts.rest, VERBS))
    kept_from = next((end for verb, _, _, end in verbs if verb == "have"), None)
    replaced = PATTERNS["paid_for"].search(parts.plain) or (None if PATTERNS["lease_of"].search(parts.plain) else (
        PATTERNS["replaces"].search(parts.line.lower())))  # fmt: skip
    if replaced and any(name.kind in ("chip", "machine") and name.start >= replaced.end() for name in found):
        parts.replaced_until = replaced.end()
    has_chip = any(name.kind in ("chip", "machine") for name in found) or "gpus" in parts.values
    is_of_gpus = not any(name.kind in ("model", "price") for name in found)
    has_chip = has_chip or (any(verb in ("train", "tune") for verb, *_ in verbs) and "bill" not in parts.values)
    if is_of_gpus and PATTERNS["of_gpus"].search(parts.rest):
        has_chip = parts.values["is_of_gpus"] = True
    for name in found:
        provider = provider_called(catalogue, parts.rest[name.start : name.end]) if name.kind == "seller" else None
        rented = name._replace(kind="provider", meant=provider) if provider and has_chip else name
        _add_name(catalogue, parts, rented, kept_from)
    for place in _read_nationality(parts):
        _add_name(catalogue, parts, place, None)
    _read_verbs(parts)
    for work in work_of_kind(parts.line.lower()):
        if "model" not in parts.values:
            _add_name(catalogue, parts, work, None)
        parts.rest = blank(parts.rest, work.start, work.end)


def _read_nationality(parts: LineParts) -> Iterator[LineName]:
    """Yield the place of an adjective before what stands there: a Swiss bank, Dutch power prices."""
    for match in PATTERNS["adjective"].finditer(parts.rest):
        lands = WORDS["nationalities"] | WORDS["institutes"]
        place = next(land for word, land in lands.items() if re.fullmatch(word, match["nation"]))
        site = parts.values.get("site", place)
        is_unwanted = PATTERNS["negation"].search(parts.plain[: match.start("nation")]) or (
            PATTERNS["is_out"].match(parts.plain, match.end("nation")))  # fmt: skip
        if is_unwanted or site.startswith(place):  # another place that is named counts
            yield LineName("place", match.start("nation"), match.end("nation"), Meant(place if is_unwanted else site))


def _add_unclear(catalogue: Catalogue, parts: LineParts, name: LineName) -> None:
    """Ask which is meant by a name; of what has no record take the GPUs, and of a region its first place."""
    text, first = parts.typed(name.start, name.end), name.choices[0]
    before, behind = parts.line[: name.start], parts.line[name.start + len(text) :]
    called = {called_as(catalogue, each): before + each + behind for each in name.choices}
    is_model = set(name.choices) <= catalogue.models.keys()  # there is no record of it
    is_of_gpus = not {*WORDS["of_load"]} & parts.values.keys() and (
        {"gpus", "budget"} & parts.values.keys() or PATTERNS["gpus_stated"].search(parts.rest))  # fmt: skip
    if is_model and ("model" in parts.values or is_of_gpus):  # hours of GPUs
        why = "how many pictures it takes is not stated" if re.match("ResNet|ViT", first) and not re.search(
            "train|tun[ei]|epoch", parts.plain) else "there is no record of it"  # fmt: skip
        parts.left_out.append(f"{text}, as {why}")
        parts.others |= called if "model" not in parts.values else {}
    elif is_model:
        label, *others = called
        parts.left_out.append(f"{text}, as there is no record of it: {label[3:]} stands in, and yours may be slower")
        parts.others |= {each: called[each] for each in others}
        parts.add("model", first, name.start, name.end, label_of(catalogue, "model", first))
    elif name.kind == "several" and "site" not in parts.values and first in WORDS["first_of_region"]:
        parts.left_out.append(f"{text}, as a plan has one place: {first} is taken")
        parts.others |= {label: line for label, line in called.items() if label != first}
        parts.values["site"] = names.site(catalogue, first)
    else:
        parts.questions.append(LineQuestion(text, called))
    parts.rest = blank(parts.rest, *with_count(name, count_beside(parts.rest, name.start, name.end)))


def _add_name(catalogue: Catalogue, parts: LineParts, name: LineName, kept_from: int | None) -> None:
    if is_negated(catalogue, parts, name):
        return
    if not name.meant.key or name.kind in ("chip", "machine"):
        if name.meant.key:
            add_chip(catalogue, parts, name, kept_from)
        else:
            _add_unclear(catalogue, parts, name)
        return
    kind, key = name.kind, name.meant.key
    quantity = {"place": "site", "price": "billfor"}.get(kind, kind)
    label, typed = label_of(catalogue, kind, key), parts.line[name.start : name.end]
    if kind == "model" and any(each not in label for each in PATTERNS["version"].findall(typed)):  # wan 2.2
        parts.left_out.append(f"{typed}, as there is no record of it: {label} is taken")
    other = PATTERNS["of_other_kind"].match(parts.plain, name.end) if kind == "model" else None
    if other and PATTERNS["size"].fullmatch(typed.lower()):  # a 1b speech model
        parts.left_out.append(f"{other['kind']}, as a network of that size is taken to work like one of text: {label}")
    if parts.values.get(quantity, key) != key:
        parts.leave_out(WORDS["of_one"][kind], label, name.start, name.end)
        return
    parts.values |= {"stay": True} if kind == "place" and PATTERNS["only"].match(parts.rest, name.end) else {}
    parts.values |= {"of_vision": True, "modality": "vision", "serve": True} if kind == "model" and name.choices else {}
    parts.add(quantity, key, name.start, name.end, label)
    parts.notes += [name.meant.note] if name.meant.note else []
