"""One line of plain English as a plan: what was understood of it, what was not, and where two readings exist.

A small grammar of names, numbers, units, places and verbs. The plan is built through the fields of a scenario and their
checks. What two things can mean is never chosen: the choices are lines with one of them written out.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from planner.scenario.known_names import accelerator_meant
from planner.scenario.typed_money import AmountError
from planner.study.one_line.line_asks import SAYS_ENOUGH, ask_for_chip, ask_what_for, is_negated, unknown_words
from planner.study.one_line.line_money import find_amounts
from planner.study.one_line.line_names import (
    LineName,
    find_names,
    provider_called,
    sells_tokens,
    tokens,
    work_of_kind,
)
from planner.study.one_line.line_plan import plan_of
from planner.study.one_line.line_records import (
    GPU_WORDS,
    MACHINE_WORDS,
    VERB_WORDS,
    LineCount,
    LineError,
    LineParts,
    LineQuestion,
    LineReading,
    count_beside,
    machine_size,
)
from planner.study.one_line.line_rules import RULES, STRAY
from planner.study.one_line.line_spelling import middle_of_ranges, plain_spelling
from planner.study.one_line.line_verbs import VERBS
from planner.study.one_line.line_words import FILLERS, WORDS
from planner.study.one_line.quantities import BLANK, blank, take
from pricing import Catalogue, PricingError, names
from pricing.exchange import rates
from pricing.formulas import printable
from pricing.meant import Meant

LONGEST = 300
_MACHINES_BEHIND = re.compile(r" (?:servers|nodes|machines|boxes|racks)(?![a-z])")
_EACH = re.compile(
    r"(?: in)? each(?![a-z])"
    r"| (?:per|(?:for|in) (?:each|every)) (?!(?:hour|day|week|month|quarter|year|gpu|card|node|server|kwh"
    r"|token|second|minute)(?![a-z]))[a-z]+"
)
_ONLY = re.compile(r" only(?![a-z])")
_MOST_BETWEEN = 2  # words between `we have` and what there is
_EXAMPLE = "64 H100 for 3 months in Germany, or Llama 70B at 5 requests a second"
_ONE = {"place": "place", "model": "model", "provider": "seller", "seller": "seller", "price": "model"}
_OWNED_SINCE = re.compile(
    r"(?<![a-z])(?:owned since|(?:bought|purchased|owned)(?: in)? (?:19|20)\d\d)(?![a-z])", re.IGNORECASE
)
_OWNED = re.compile(
    r"s? (?:(?:that |which )?(?:we|i)(?: already)? (?:have|own)|owned|(?:since|from) (?:19|20)\d\d)(?![a-z])"
)
_DYING = re.compile(
    r"s? (?:(?:is|are|was|just|has|have|card|gpu) )*"
    r"(?:dies|died|dying|dead|broke|broken|failed|failing|gave up|fried|toast)(?![a-z])"
)
_UNITS = {unit + plural for unit in ("hour", "day", "week", "month", "year") for plural in ("", "s")}
_COSTS = re.compile(r"(?<![a-z])(?:costs?|price|prices|much|expensive|pay)(?![a-z])")
_SECOND_WORK = re.compile(
    r"(?<![a-z-])(?:(?:pre-?)?train(?:ing)?|serv(?:e|ing)|host(?:ing)?)(?![a-z])[^;]*?"
    r"(?P<second>[,;]? (?:and |we )*(?:then|afterwards?|later|followed by)(?![a-z])"
    r"(?: (?!(?:buy|rent|own)(?![a-z]))[a-z]+){0,3}? (?:(?:fine-? ?)?tun|sft|dpo|rlhf|serv|host|deploy"
    r"|(?:pre-?)?train)[^,;.]*)"
)
_BY_THE_HOUR = {
    "busy": re.compile(r"(?!.*(?:%|per ?cent|util|used|load|busy|idle)).*(?:\d|hours|day|night|even|shift|weekend)"),
    "rps": re.compile(r"(?!.*(?:average|mean|usual|typical|normal)).*(?:sec|min|hour|/ ?[smh]|[rq]p[sm])"),
}
_ADJECTIVE = re.compile(
    rf"(?<![a-z|-])(?P<nation>{'|'.join(WORDS['nationalities'])})(?:[- ]based)?"
    rf"(?= (?:(?!(?:for|and|or|in|on|to|with|at|of|speech|language|text|{'|'.join(WORDS['nationalities'])})"
    rf" )[a-z-]+ ){{0,2}}?(?:{WORDS['organizations'].replace(' ', '|')})(?![a-z]))"
)
_UNIT_BEHIND = re.compile(rf"\s*(?!(?:{'|'.join(sorted(map(re.escape, FILLERS - _UNITS)))})(?![\w/]))[^\W\d]")
_REPLACES = re.compile(
    r"(?<![a-z])(?:replac|sell(?:ing)? (?:my|our)|upgrad|swap|exchang|mov(?:e|ing)|migrat|chang|switch|convert"
    r"|transition|phas|retir|scrap|from (?:(?:our|the|\d+)\s?x?\s?)*[a-z]+ ?\d)\w*(?:[^.;?]|\.\w)*?(?<![a-z])"
    r"(?:with|by|to|for|buy|get|rent)(?![a-z])|[-=]>|→"
)


def read_line(catalogue: Catalogue, typed: str, day: date | None = None) -> LineReading:
    """Return the plan that a line asks for on a day (none: the catalogue's). Raises `LineError` where there is none."""
    line = " ".join(unicodedata.normalize("NFKC", typed).split())
    if not line:
        raise LineError(f"The line is empty: write {_EXAMPLE}.")
    if len(line) > LONGEST:
        raise LineError(f"The line has {len(line):,} characters, at most {LONGEST} are read: write {_EXAMPLE}.")
    lower = "".join(low if len(low := mark.lower()) == 1 else mark for mark in line)
    parts = LineParts(line, plain_spelling(lower), {"day": day or catalogue.day})
    parts.rest = middle_of_ranges(parts.rest, parts.notes)
    try:
        _read_quantities(catalogue, parts)
    except AmountError as error:
        raise LineError(f"{error}.") from error
    _read_names(catalogue, parts)
    _read_generic_count(parts)
    ask_for_chip(catalogue, parts)
    periods = (
        () if _COSTS.search(parts.line.lower()) else take(parts.rest, STRAY)
    )  # per month, of nothing that was read
    stray = [parts.line[start:end] for _, _, start, end in periods]
    unknown = (*unknown_words(catalogue, parts), *stray)
    ask_what_for(parts)
    parts.phrases.sort(key=lambda phrase: line.find(phrase.text))
    if parts.questions:
        return LineReading(line, None, tuple(parts.phrases), tuple(parts.notes), unknown, tuple(parts.questions))
    if not parts.values.keys() & SAYS_ENOUGH:
        raise LineError(f"Nothing in {printable(line, 60)!r} says what is wanted: write {_EXAMPLE}.")
    return _with_plan(catalogue, parts, unknown)


def _with_plan(catalogue: Catalogue, parts: LineParts, unknown: tuple[str, ...]) -> LineReading:
    values = parts.values
    scenario, notes = plan_of(catalogue, values)
    budget = scenario.terms.budget_usd
    is_open = budget is not None and "gpus" not in values and "model" not in values and "bill" not in values
    train = scenario.work[0].train
    fills = train is not None and not {"tokens", "images", "due", "method", "tune"} & values.keys()
    return LineReading(
        parts.line, scenario, tuple(parts.phrases), (*parts.notes, *notes), unknown, budget_usd=budget,
        count_is_open=is_open, tokens_are_open=fills and {"gpus", "length"} <= values.keys(),
    )  # fmt: skip


def _read_quantities(catalogue: Catalogue, parts: LineParts) -> None:
    if second := _SECOND_WORK.search(parts.rest):  # train a 7b, then fine-tune it
        parts.leave_out("work", second["second"].strip(" ,;"), *second.span("second"))
    exchange = rates(catalogue)
    for amount in find_amounts(parts.rest, exchange, sells_tokens(catalogue, parts.rest)):
        value: Any = (
            amount.usd if amount.kind in ("monthly_budget", "havesold_each", "contract", "all_price") else amount.text
        )
        parts.values |= {"budget_usd": amount.usd} if amount.kind == "budget" else {}
        parts.add(amount.kind, value, amount.start, amount.end, f"{amount.usd:,.10g} USD")
        parts.notes += [amount.note] if amount.note else []
    for name, value, start, end in take(parts.rest, RULES):
        if BLANK not in parts.rest[start:end]:
            parts.add(name, value, start, end)
            if name in _BY_THE_HOUR and _BY_THE_HOUR[name].match(parts.line[start:end].lower()):
                parts.values[f"{name}_by_the_hour"] = True
    if {"gpu_hours", "texts"} & parts.values.keys():
        for name, value, start, end in take(parts.rest, STRAY):
            parts.add(name, value, start, end)


def _read_names(catalogue: Catalogue, parts: LineParts) -> None:
    found = list(find_names(catalogue, parts.rest, parts.line))
    verbs = list(take(parts.rest, VERBS))
    kept_from = next((end for verb, _, _, end in verbs if verb == "have"), None)
    replaced = _REPLACES.search(parts.line.lower())
    if replaced and any(name.kind in ("chip", "machine") and name.start >= replaced.end() for name in found):
        parts.replaced_until = replaced.end()
    has_chip = any(name.kind in ("chip", "machine") for name in found) or "gpus" in parts.values
    has_chip = has_chip or (any(verb in ("train", "tune") for verb, *_ in verbs) and "bill" not in parts.values)
    for name in (_rented_from(catalogue, parts, each) if has_chip else each for each in found):
        _add_name(catalogue, parts, name, kept_from)
    for place in _read_nationality(parts):
        _add_name(catalogue, parts, place, None)
    for verb, value, start, end in take(parts.rest, VERBS):
        if verb == "have":  # it says which GPUs are there, and nothing by itself
            parts.rest = blank(parts.rest, start, end)
        else:
            parts.add(verb, value, start, end, VERB_WORDS.get(verb, "yes") if value is True else None)
    for work in work_of_kind(parts.line.lower()):
        if "model" not in parts.values:
            _add_name(catalogue, parts, work, None)
        parts.rest = blank(parts.rest, work.start, work.end)


def _read_nationality(parts: LineParts) -> Iterator[LineName]:
    """Yield the place of an adjective before what stands there: a Swiss bank, Dutch power prices."""
    for match in _ADJECTIVE.finditer(parts.rest):
        place = next(place for word, place in WORDS["nationalities"].items() if re.fullmatch(word, match["nation"]))
        site = parts.values.get("site", place)
        if site.startswith(place):  # another place that is named counts
            yield LineName("place", match.start("nation"), match.end("nation"), Meant(site))


def _rented_from(catalogue: Catalogue, parts: LineParts, name: LineName) -> LineName:
    """Return a seller of tokens as the seller of GPUs that it is too."""
    provider = provider_called(catalogue, parts.rest[name.start : name.end]) if name.kind == "seller" else None
    return name if provider is None else name._replace(kind="provider", meant=provider)


def _add_name(catalogue: Catalogue, parts: LineParts, name: LineName, kept_from: int | None) -> None:
    if is_negated(catalogue, parts, name):
        return
    if not name.meant.key:
        rewritten = {each: parts.line[: name.start] + each + parts.line[name.end :] for each in name.choices}
        called = {_called(catalogue, each): line for each, line in rewritten.items()}
        parts.questions.append(LineQuestion(parts.line[name.start : name.end], called))
        parts.rest = blank(parts.rest, *_with_count(name, count_beside(parts.rest, name.start, name.end)))
        return
    if name.kind in ("chip", "machine"):
        _add_chip(catalogue, parts, name, kept_from)
        return
    kind, key = name.kind, name.meant.key
    quantity = {"place": "site", "price": "billfor"}.get(kind, kind)
    records: Mapping[str, Any] = {"place": catalogue.sites, "model": catalogue.models, "provider": catalogue.providers}
    record = records.get(kind, {}).get(key)
    label = record.label if record else key
    if parts.values.get(quantity, key) != key:
        parts.leave_out(_ONE[kind], label, name.start, name.end)
        return
    parts.values |= {"stay": True} if kind == "place" and _ONLY.match(parts.rest, name.end) else {}
    parts.add(quantity, key, name.start, name.end, label)
    parts.notes += [name.meant.note] if name.meant.note else []


def _with_count(name: LineName, count: LineCount | None) -> tuple[int, int]:
    """Return where a name and the count beside it begin and end."""
    return (min(count.start, name.start), max(count.end, name.end)) if count else (name.start, name.end)


def _add_chip(catalogue: Catalogue, parts: LineParts, name: LineName, kept_from: int | None) -> None:
    count = count_beside(parts.rest, name.start, name.end)
    if _is_dying(parts, name, count):
        return
    machine, offer = catalogue.servers.get(name.meant.key), catalogue.offers.get(name.meant.key)
    chip = machine.accelerator if machine else offer.accelerator if offer else name.meant.key
    is_replaced = name.end <= parts.replaced_until
    is_owned = "owned" not in parts.values and _OWNED.match(parts.line.lower(), name.end) is not None
    is_owned = is_owned or _OWNED_SINCE.search(parts.line) is not None
    is_behind = is_owned or is_replaced or _is_behind(parts.rest, kept_from, count)
    is_kept = "have" not in parts.values and count is not None and is_behind
    label = catalogue.accelerator_label(chip)
    if (is_replaced or parts.values.get("chip", chip) != chip) and not is_kept:
        parts.leave_out("kind of GPU", label, *_with_count(name, count))
        return
    is_dgx = re.match(r"[dh]gx [abh]\d", parts.rest[name.start : name.end]) is not None
    is_whole = is_dgx or (count is not None and (count.of_machines or _MACHINES_BEHIND.match(parts.rest, name.end)))
    each = machine.accelerators if machine else offer.accelerators_per_instance if offer else 0
    each = each or int(parts.values.get("machine_size", machine_size(chip)) if is_whole else 1)
    if count is not None or machine or offer or is_dgx:
        many = (count.many if count else parts.values.pop("gpus", 1) if offer or machine else 1) * each
        parts.values |= {"chip_have" if is_kept else "chip": chip}
        parts.values |= {"of_each": True} if not is_whole and _EACH.match(parts.rest, name.end) else {}
        parts.add("have" if is_kept else "gpus", many, *_with_count(name, count), f"{many:,} x {label}")
    else:
        parts.values["chip"] = chip
        parts.add("gpu", chip, name.start, name.end, label)
    parts.notes += [name.meant.note] if name.meant.note else []


def _is_dying(parts: LineParts, name: LineName, count: LineCount | None) -> bool:
    """Return whether a line says of a card that it broke: then it is not what is wanted."""
    if dying := _DYING.match(parts.line.lower(), name.end):
        parts.dying = _with_count(name, count)[0], dying.end()
        parts.rest = blank(parts.rest, *parts.dying)
    return dying is not None


def _is_behind(rest: str, have_end: int | None, count: LineCount | None) -> bool:
    """Return whether a count stands right behind `we have`."""
    if have_end is None or count is None or have_end > count.start:
        return False
    between = rest[have_end : count.start]
    return BLANK not in between and len(between.split()) <= _MOST_BETWEEN


def _read_generic_count(parts: LineParts) -> None:
    """Read `16 gpus` and a number that stands alone, where no chip has a count; `32 more` beside those one has."""
    for word in tokens(parts.rest):
        count = count_beside(parts.rest, word.start, word.end)
        if "gpus" not in parts.values and word.text in GPU_WORDS and count:
            parts.add("gpus", count.many, count.start, word.end)
        elif "gpus" not in parts.values and "chip" in parts.values and count and word.text in MACHINE_WORDS:
            many = count.many * machine_size(parts.values["chip"])
            parts.add("gpus", many, count.start, word.end, f"{many:,}")
        elif word.text in ("more", "additional") and count and {"have", "gpus"} & parts.values.keys():
            name, now = ("gpus", "have") if "have" in parts.values else ("grows_to", "gpus")
            parts.add(name, parts.values[now] + count.many, count.start, word.end)
    for word in tokens(parts.rest):
        is_alone = _UNIT_BEHIND.match(parts.rest, word.end) is None
        if "chip" in parts.values and "gpus" not in parts.values and word.text.isdecimal() and is_alone:
            parts.add("gpus", int(word.text), word.start, word.end)


def _called(catalogue: Catalogue, choice: str) -> str:
    """Return the label of a choice: Georgia (country), Georgia (US state)."""
    if choice in catalogue.sites:
        site = catalogue.sites[choice]
        return f"{site.label}, {site.country or f'the {site.kind}'}"
    if choice in catalogue.models:
        return f"as {catalogue.models[choice].label}"
    try:
        return catalogue.accelerator_label(accelerator_meant(catalogue, choice).key)
    except PricingError:
        return catalogue.sites[names.site(catalogue, choice)].label
