"""Questions about a line: words and numbers that nothing took, names it does not want, work without a model."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from planner.scenario.known_names import accelerator_meant
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_SITE, Scenario
from planner.speed.serving.chips import serving_data
from planner.study.one_line.line_names import LineName, LineToken, chips_of_memory, find_names, near_name, tokens
from planner.study.one_line.line_records import GPU_WORDS, LineParts, LineQuestion, UnderstoodPhrase, count_beside
from planner.study.one_line.line_rules import BLANK, PATTERNS, STRAY, Rule, blank, number_in, rule, take, whole
from planner.study.one_line.line_sellers import provider_called
from planner.study.one_line.line_words import FILLERS, QUIET, WORDS
from pricing import Catalogue, PricingError, names
from pricing.orderable import bloc_members

_WEIGHTY = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS['weighty'])})(?![\w-])")
SAYS_ENOUGH = frozenset(WORDS["says_enough"].split())
_AMOUNTS = SAYS_ENOUGH - {"chip", "model", "anyone", "seller", "billfor", "cpu"} | {"token_rate", "tps", "all_audio"}
_KNOWN_ENOUGH, _BEFORE_TOWN = {"chip", "model", "bill", "billfor", "have"}, ("in", "near", "from")
_LEAST_OF_TYPO, _MOST_BEFORE_RATE = 7, 3  # letters in capitals, fewer are an acronym; words: 300 chest x-rays a day
_LARGEST_DENSE = 4.5e11  # parameters: larger models are mixtures of experts
MEMORY: tuple[Rule, ...] = (rule("memory", whole(WORDS["memory"]), number_in),)


def ask_what_for(parts: LineParts) -> None:
    """Ask which model does a work that is named without one, or which work where only its terms are stated."""
    values = parts.values
    has_work = {"serve", "train", "tune"} & values.keys() or PATTERNS["computes"].search(parts.line.lower())
    if values.keys() & SAYS_ENOUGH == {"team"} and not has_work:
        values.pop("team")
    line = parts.line.rstrip(" .?!")
    asked = {"to_learn": PATTERNS["learns"].search(parts.line.lower()), "no_speed": "no_speed" in values and (
        "chip" not in values or {*WORDS["counted_work"]} & values.keys())}  # fmt: skip
    for kind in (it for it in asked if asked[it] and not {*WORDS[f"{it}_unless"]} & values.keys()):
        lines = {label: f"{line}, {words}" for label, words in WORDS[f"{kind}_choices"].items()}
        parts.questions.append(LineQuestion(WORDS["said"][kind].format(parts.words_of(kind)), lines, is_whole=True))
    if values.get("own_size", 0) >= _LARGEST_DENSE and not {"active_size", "model"} & values.keys():
        sizes = ("40B", f"{values['own_size'] / 1e9:g}B")
        lines = {f"{text} work on each token": f"{parts.line}, {text} active" for text in sizes}
        parts.questions.append(LineQuestion("how many of its parameters work on each token", lines, is_whole=True))
    is_bare = values.get("gpus") == len(parts.phrases) == 1 and "chip" not in values  # do I need a GPU
    is_asked = not PATTERNS["of_trouble"].search(parts.plain) and (parts.spans.keys() - {*WORDS["says_little"]} or
        PATTERNS["of_the_field"].search(parts.line.lower()))  # fmt: skip
    if not (parts.questions or not is_asked or (values.keys() & SAYS_ENOUGH - {"texts", "anyone"} and not is_bare)):
        _ask_for_work(parts, "" if is_bare else line, has_work=bool(has_work))


def _ask_for_work(parts: LineParts, line: str, *, has_work: bool) -> None:
    values = parts.values
    is_work = bool({"train", "tune", "serve", "texts", "images", "all_audio", "tokens", "token_rate"} & values.keys())
    kind = "models" if is_work else "programs" if PATTERNS["programs"].search(parts.line.lower()) else "works"
    lines = {label: f"{line} {words}".strip() for label, words in WORDS[f"{kind}_to_choose"].items()
        if not {f"no {label.split()[0]}"} & {*parts.left_out}}  # fmt: skip
    has_more = len(parts.phrases) > 1 or parts.left_out or values.keys() & {"texts", "images", "length", "busy"}
    parts.others |= lines
    if not (line and has_more and (is_work or has_work)):
        parts.questions.append(LineQuestion(WORDS["said"][f"which_{kind}"], lines, is_whole=True))
    elif is_work:
        kind = next((it for it in ("tune", "train", *WORDS["kinds_without_model"]) if it in values), "serve")
        values["model"] = WORDS["usual_models"][kind]
        parts.left_out.append(f"which model, as none is named: {values['model']} is taken")
    else:
        values["gpus"] = 1
        parts.left_out.append(WORDS["said"][f"one_of_{kind}"])


def ask_for_currency(parts: LineParts) -> None:
    """Ask for a sum in a currency that has no rate, or in crowns of no country: it is not in dollars."""
    for match in PATTERNS["other_money"].finditer(parts.line):
        (start, end), number = match.span(), match["n"] or match["n2"]
        if parts.rest[start:end].casefold() == match[0].casefold():  # crowns of a country have their code by now
            size = re.search(r"[tkm](?=kr)", match[0].lower())
            codes = ("SEK", "NOK", "DKK") if "kr" in match[0].lower() else ("$",)
            texts = [code + number + (size[0] if size else "") for code in codes]
            parts.ask(start, end, dict(zip(texts, texts, strict=True)))
            parts.rest = blank(parts.rest, start, end)


def ask_for_role(parts: LineParts, start: int, end: int) -> None:
    """Ask for what a sum is whose words do not say it: taken for a budget, a quote or a bill would be another plan."""
    text = parts.typed(start, end)
    end = start + len(text)
    by_month = re.search(r"(?i)month|(?<![a-z])mo(?![a-z])", text) is not None
    paid = {f"paid now: {text}": f"we now pay {text}"} if by_month else {f"bought for {text}": f"bought for {text}"}
    parts.ask(start, end, {f"a budget of {text}": f"a budget of {text}", **paid})
    parts.rest = blank(parts.rest, start, end)


def is_negated(catalogue: Catalogue, parts: LineParts, name: LineName) -> bool:
    """Return whether a line says that it does not want what it names."""
    is_out = PATTERNS["is_out"].match(parts.plain, name.end)  # US providers are out
    negation = PATTERNS["negation"].search(parts.plain[: name.start])
    is_chip, start, end = name.kind in ("chip", "machine"), name.start, name.end
    if is_further := any(
        kind == name.kind and PATTERNS["between"].fullmatch(parts.line[last:start]) for kind, last in parts.refused
    ):  # not from google or aws
        negation = None
    if not (negation or is_further or is_out) or (negation and _is_of_now(parts, negation, name)):
        return False
    start = negation.start() if negation else start
    parts.refused.append((name.kind, end))
    parts.taken.append((start, end))
    provider = provider_called(catalogue, parts.plain[name.start : end]) if name.kind != "place" else None
    end = is_out.end() if is_out else end
    if name.kind == "place":
        behind = PATTERNS["sellers_behind"].match(parts.plain, end)
        end = PATTERNS["rest_of_word"].match(parts.line, behind.end() if behind else end).end()  # type: ignore[union-attr]
        parts.unwanted.append((name.meant.key, start, end))
    elif provider is not None and not is_chip and not (negation and PATTERNS["leaves"].match(negation[0])):
        parts.values.setdefault("refused", set()).add(provider.key)
        text, label = parts.line[start:end].strip(" ,;"), catalogue.providers[provider.key].label
        parts.phrases.append(UnderstoodPhrase(text, WORDS["labels"]["refused"], label))
    else:
        parts.left_out.append(parts.typed(start, end))
    parts.rest = blank(parts.rest, start, end)
    return True


def _is_of_now(parts: LineParts, negation: re.Match[str], name: LineName) -> bool:
    """Return whether what a line moves from, or has in place of another, is what is there or paid now."""
    is_chip = name.kind in ("chip", "machine")
    is_replaced = not is_chip or "chip" in parts.values or re.search(r" (?:our|my) ", negation[0])
    return bool(is_replaced if negation["instead"] else negation["moves"] and (
        is_chip or ("bill" in parts.values and name.kind != "place")))  # fmt: skip


def leave_places_out(catalogue: Catalogue, parts: LineParts) -> None:
    """Say of a place that a line does not want that no seller is left out by it, and plan for another place."""
    for key, start, end in parts.unwanted:
        without = {key, *(catalogue.around(key) if key else ())}
        others = [each for each in WORDS["places_to_choose"] if each not in without]
        is_there = not key or USUAL_SITE in (key, *bloc_members(catalogue, key)) or (
            re.search(r"(?i)american|(?<![a-z])u\.?s\.?(?![a-z])", parts.line[start:end]) is not None)  # fmt: skip
        if "site" not in parts.values and is_there:
            parts.values["site"] = others[0]
        site, text = parts.values.get("site", USUAL_SITE), parts.line[start:end].strip()
        is_of_sellers = PATTERNS["sellers_behind"].search(parts.plain[start:end])
        if is_there and site in ("EU", *bloc_members(catalogue, "EU")) and is_of_sellers:
            parts.values["sellers"] = True
            parts.notes.append(f"{text}: only sellers of the European Union are taken.")
        elif is_of_sellers and key:
            lands = bloc_members(catalogue, key)
            refused = {it for it, seller in catalogue.providers.items() if seller.headquarters in lands}
            parts.values.setdefault("refused", set()).update(refused)
            parts.notes.append(f"{text}: {len(refused)} sellers with headquarters there are left out.")
        else:
            place = catalogue.sites[site].label
            parts.left_out.append(f"{text}, as no seller is left out by its country ({place} is taken)")
            for other in (each for each in others if each != parts.values.get("site")):
                line = f"{parts.line[:start]}in {catalogue.sites[other].label}{parts.line[end:]}"
                parts.others[f"in {catalogue.sites[other].label}"] = line


def leave_names_out(catalogue: Catalogue, parts: LineParts, scenario: Scenario, said: Iterable[str]) -> tuple[str, ...]:
    """Leave out each chip, model, place or seller that a line names and its plan is not for, whatever lost it."""
    known = " ".join((*parts.left_out, *said)).lower()
    spans = [*parts.taken, *((start, end) for _, start, end in parts.unwanted)]
    bill, offer, work = scenario.bill, catalogue.offers.get(scenario.rent.offer or ""), scenario.work[0]
    billed = catalogue.hosted.get((bill and bill.price) or (scenario.hosted and scenario.hosted.price) or "")
    planned = {
        scenario.accelerator, parts.values.get("chip_have"), *catalogue.around(scenario.site),
        "EU" if "eu" in str(scenario.stay) else None, offer.provider if offer else None,
        *(task.model for task in (work.train, work.serve) if task), *((bill.price, bill.label) if bill else ()),
        *((billed.vendor, billed.model, billed.label) if billed else ()),
        ({"rent", "paid_rent", "spent_credits"} & parts.values.keys() or scenario.reserve.usd_per_accelerator_hour)
        and parts.values.get("provider"),
    }  # fmt: skip
    for name in find_names(catalogue, parts.plain, parts.line):
        text, spelled = parts.line[name.start : name.end], parts.plain[name.start : name.end]
        is_taken = any(start <= name.start and name.end <= end for start, end in spans)
        is_name = name.meant.key and text.lower() == spelled and not PATTERNS["size"].fullmatch(spelled)
        if is_name and not is_taken and spelled not in known:
            alike = _alike(catalogue, name, spelled)
            if not alike & planned and not any(label.lower() in known for label in alike):
                why = WORDS["why_not"].get(name.kind, "the plan is for another")
                parts.left_out.append(f"{text}, as {'the plan is for another' if billed else why}")
    return tuple(parts.left_out)


def _alike(catalogue: Catalogue, name: LineName, spelled: str) -> set[str]:
    kind, key = name.kind, name.meant.key
    if kind == "machine":
        key = (catalogue.servers.get(key) or catalogue.offers[key]).accelerator
    alike = {key, WORDS["cards"].get(key, key), label_of(catalogue, kind, key),
        *(bloc_members(catalogue, key) if kind == "place" else ())}  # fmt: skip
    if kind == "chip" and not re.search(r"\d", spelled):  # hopper, macbook: any of that maker
        chips = catalogue.accelerators
        alike |= {each for each, chip in chips.items() if chip.vendor == chips[key].vendor}
    if kind == "seller" and (provider := provider_called(catalogue, spelled)):
        alike |= {provider.key, label_of(catalogue, "provider", provider.key)}
    return alike


def label_of(catalogue: Catalogue, kind: str, key: str) -> str:
    """Return the label of what a name means: of a chip, a model, a place, a seller, a hosted model."""
    records: Mapping[str, Mapping[str, Any]] = {
        "place": catalogue.sites, "model": {**serving_data().work, **catalogue.models}, "provider": catalogue.providers,
        "chip": catalogue.accelerators, "machine": catalogue.accelerators, "price": catalogue.hosted,
    }  # fmt: skip
    record = records.get(kind, {}).get(key)
    return record.label if record else key


def ask_for_chip(catalogue: Catalogue, parts: LineParts) -> None:
    """Take the most offered card of a memory where only that is stated."""
    for _, gb, start, end in take(parts.rest, MEMORY):
        chips = () if "chip" in parts.values else chips_of_memory(catalogue, gb)
        if "chip" in parts.values:
            parts.rest = blank(parts.rest, start, end)
            is_its_own = parts.values["chip"].endswith(f"-{gb:g}GB")
            parts.left_out += [] if is_its_own else [f"{parts.line[start:end]}, as the GPU is named"]
        if chips and (parts.phrases or GPU_WORDS & {word.text for word in tokens(parts.rest)}):
            lines = {
                catalogue.accelerator_label(each): f"{parts.line[:start]}{each}{parts.line[end:]}" for each in chips
            }
            parts.left_out.append(f"{parts.line[start:end]}, as several have it: {next(iter(lines))} is taken")
            parts.others |= dict(list(lines.items())[1:])
            if (count := count_beside(parts.rest, start, end)) is not None and "gpus" not in parts.values:
                parts.add("gpus", count.many, count.start, start)
            parts.values["chip"] = chips[0]
            parts.rest = blank(parts.rest, start, end)


def unknown_words(catalogue: Catalogue, parts: LineParts) -> Iterator[str]:
    """Yield each run of words that nothing took; ask about one that is nearly a name, leave one with a number out."""
    for match in _WEIGHTY.finditer(parts.rest):
        named = [start for name, (start, _) in parts.spans.items() if name in WORDS["named"] and start >= match.end()]
        end = min([match.end() + len(PATTERNS["behind"].match(parts.line, match.end())[0]), *named])  # type: ignore[index]
        parts.left_out.append(re.sub(r" (?:in|at|on|for|of|with)$", "", parts.typed(match.start(), end)))
        parts.rest = blank(parts.rest, match.start(), end)
    runs: list[list[LineToken]] = [[]]
    for word in tokens(parts.rest):
        is_word = not {word.text, names.bare(word.text)} & (FILLERS | QUIET) and re.search(r"\w", word.text) is not None
        if runs[-1] and (not is_word or BLANK in parts.rest[runs[-1][-1].end : word.start]):
            runs.append([])
        runs[-1] += [word] if is_word else []
    foreign = [it.span() for it in PATTERNS["other_script"].finditer(parts.line)
        if BLANK not in parts.rest[slice(*it.span())]]  # fmt: skip
    if foreign and parts.phrases:
        kept = "".join(" " if any(a <= at < b for a, b in foreign) else each for at, each in enumerate(parts.line))
        parts.questions.append(LineQuestion(" … ".join(parts.line[slice(*span)] for span in foreign), {
            "leave it out": " ".join(kept.split())}))  # fmt: skip
    for run in filter(None, runs):
        are_names = [_ask_about(catalogue, parts, word) for word in run]
        start, end = run[0].start, run[-1].end
        _ask_about_number(parts, start, end)
        if any(are_names) or re.search(r"(?<![a-z])[\d]", PATTERNS["harmless"].sub("", parts.rest[start:end])):
            parts.left_out.append(parts.typed(start, end))
        else:
            yield parts.typed(start, end)


def _ask_about_number(parts: LineParts, start: int, end: int) -> None:
    """Ask what a number counts that nothing took: one that stands alone, or the only amount of a line."""
    text, values, unit = parts.typed(start, end), parts.values, parts.values.get("currency", "dollars")
    number = PATTERNS["number_left"].match(parts.rest[start:end] if parts.rest[start] == "-" else text)
    if parts.rest[start] == "-" != parts.line[start]:  # minus four
        start = max(parts.line.lower().rfind(word, 0, end) for word in ("minus", "negative"))
        text = parts.line[start:end].strip()
    if number is None or not parts.phrases or parts.line[end : end + 1] in ("x", "%") or (
            PATTERNS["harmless"].match(text) or any(asked.text in text for asked in parts.questions)):  # fmt: skip
        return
    end = start + number.end() if PATTERNS["rate_behind"].match(text, number.end()) else end  # 900/day
    is_alone = number.end() in (len(text), end - start)
    digits, is_counted = number["digits"].lstrip("0") or "0", bool({"gpus", "have"} & values.keys())
    more, is_count = (" more" if is_counted else ""), re.fullmatch(r"\d{1,4}|\d[\d.]*k", digits)
    whole = f"{math.ceil(float(digits))}" if re.fullmatch(r"\d*\.\d+", digits) else digits  # no GPU is half a GPU
    counts = {f"{whole}{more} GPUs": f"{whole}{more or ' GPUs'}"} if is_count or whole != digits else {}
    if not is_alone or not ("chip" in values or is_counted):
        may_be_people = is_alone or re.match(r" (?!minutes|hours|days|cents)[a-z]{3,}s(?![a-z])", text[number.end() :])
        nouns = ["people"] if values.keys() & _AMOUNTS else ["people", "requests a day", "GPUs"]
        counts = {f"{digits} {noun}": f"{digits} {noun}" for noun in nouns if may_be_people and "." not in digits
            and (noun != "people" or "team" not in values)}  # fmt: skip
    is_rate = (PATTERNS["rate_behind"].match(parts.rest, end) and len(text.split()) <= _MOST_BEFORE_RATE
        and "model" in values and not {"rps", "texts", "token_rate"} & values.keys())  # fmt: skip
    counts = {f"{digits} {it}": f"{digits} {it}" for it in ("requests", "tokens", "dollars")} if is_rate else {
        **counts, **({f"{digits} {unit}": f"{digits} {unit}"} if PATTERNS["may_be_sum"].search(
            parts.line[:end]) else {})}  # fmt: skip
    if "bill" in values and is_alone and digits[-1] in "km" and not (is_rate or is_counted):
        parts.add("bill", digits, start, end)
    elif is_rate or text.startswith(("-", "minus", "negative")) or (not is_counted and "chip" in values and is_alone):
        parts.ask(start, end, counts)
    else:
        parts.others |= {label: f"{parts.line[:start]}{text}{parts.line[end:]}" for label, text in counts.items()}


def _ask_about(catalogue: Catalogue, parts: LineParts, word: LineToken) -> bool:
    """Ask about a word that may be another chip, model or place; return whether it has weight: a firm, a seller."""
    if word.text.isalpha() and (number := PATTERNS["number_behind"].match(parts.rest, word.end)):
        word = word._replace(end=number.end())
    slot, typed = PATTERNS["name_slot"].search(parts.line[: word.start]), parts.line[word.start : word.end]
    at, is_no_place = slot["at"].lower() if slot else "", PATTERNS["no_place"].fullmatch(word.text)
    is_short = typed.isupper() and len(typed) < _LEAST_OF_TYPO and not parts.line.isupper()  # ETH, INRIA
    is_plain = typed.islower() and PATTERNS["in_other_words"].search(parts.line.lower())  # prima, of an Italian line
    close = None if is_short or is_plain else near_name(catalogue, word.text, is_place=at in _BEFORE_TOWN)
    is_elsewhere = "site" in parts.values or is_no_place or word.text in WORDS["nationalities"]  # in Frascati, Italy
    is_place = at in ("in", "near") and typed[0].isalpha() and not is_elsewhere
    is_capital = PATTERNS["capital"].match(parts.line, word.start) and not (at in _BEFORE_TOWN and is_elsewhere)
    has_weight = bool(slot and slot["who"] is None and is_capital and not parts.line.isupper())
    is_asker = (is_short or (at == "at" and "site" in parts.values)) and bool(  # of 8 H100 at ETH all is known
        ({"chip"} if at == "on" else _KNOWN_ENOUGH) & parts.values.keys())  # fmt: skip
    known = {"model"} if PATTERNS["sized_name"].match(parts.line.lower(), word.end) else {"chip", "model"}  # 400M bert
    is_name = PATTERNS["code"].match(parts.line, word.start) or (has_weight and not is_asker) or (
        PATTERNS["like_name"].fullmatch(word.text) and not known <= parts.values.keys())  # fmt: skip
    is_weighty = slot or PATTERNS["size"].fullmatch(word.text) or parts.values.keys() & {"serve", "model"} == {
        "serve"} or ("chip" not in parts.values and word.text[0].isalpha())  # fmt: skip
    if parts.phrases and (close or is_place or (is_name and is_weighty)):
        since = slot.start() if slot is not None and (is_place or is_name) else word.start
        parts.ask(word.start, word.end, {close: close} if close else {}, since=since)
    return bool(is_name or (has_weight and is_asker))


def called_as(catalogue: Catalogue, choice: str) -> str:
    """Return what a choice of a name that can be several things is called."""
    if choice in {**serving_data().work, **catalogue.models}:
        return f"as {label_of(catalogue, 'model', choice)}"
    try:
        return catalogue.accelerator_label(accelerator_meant(catalogue, choice).key)
    except PricingError:
        site = catalogue.sites[names.site(catalogue, choice)]
        return site.label if choice == site.label else f"{site.label}, {site.country or f'the {site.kind}'}"


def is_guess(scenario: Scenario, values: Mapping[str, Any]) -> bool:
    """Return whether the GPU or the model of a plan is one that its line does not name."""
    has_model = scenario.work[0].train is not None or scenario.work[0].serve is not None
    is_open = {"chip", "chip_have", "cpu"} & values.keys() or scenario.accelerator == ANY_ACCELERATOR
    return not {"bill", "billfor", "seller"} & values.keys() and (not is_open or (has_model and "model" not in values))


def read_periods(parts: LineParts) -> None:
    """Take the period that a cost is for, and leave out one of nothing that was read."""
    is_cost = PATTERNS["costs"].search(parts.plain)
    for _, hours, start, end in [] if "each_hours" in parts.values else [*take(parts.rest, STRAY)]:
        if is_cost and "chip" in parts.values and "length" not in parts.values:
            parts.add("length", hours, start, end)
        elif not is_cost:
            parts.left_out.append(parts.typed(start, end))
