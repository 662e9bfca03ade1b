"""Questions about a line: words and numbers that nothing took, names it does not want, work without a model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from planner.scenario.scenario import Scenario
from planner.study.one_line.line_names import LineName, LineToken, chips_of_memory, find_names, near_name, tokens
from planner.study.one_line.line_patterns import END9, PATTERNS, PLAIN_N, rule
from planner.study.one_line.line_records import GPU_WORDS, NAMED, LineParts, LineQuestion, count_beside
from planner.study.one_line.line_sold_names import provider_called
from planner.study.one_line.line_words import FILLERS, WORDS
from planner.study.one_line.quantities import BLANK, Rule, blank, number_in, take
from pricing import Catalogue, names
from pricing.orderable import bloc_members

_QUIET = frozenset(WORDS["quiet"].split())
_WEIGHTY = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS['weighty'])})(?![\w-])")
SAYS_ENOUGH = frozenset({
    "chip", "model", "bill", "gpus", "team", "budget", "monthly_budget", "have", "gpu_hours", "rps", "tokens", "anyone",
    "seller", "billfor", "team_each", "audio", "kw",
    "paid_each",
    "each_rps", "node_hours", "texts", "texts_of", "audio_each", "token_rates", "inflight", "batch", "cpu", "contract",
})  # fmt: skip
_AMOUNTS = (SAYS_ENOUGH | {"token_rate", "tps", "all_audio", "have"}) - {
    "chip",
    "model",
    "anyone",
    "seller",
    "billfor",
    "cpu",
}
# zz900 and 900b may be names; p95, 40k, 12kg and imagenet-21k are none.
USUAL_SITE = Scenario().site
_WHY_NOT = {
    "provider": "no offer of it is taken: name a GPU that it lists",
    **dict.fromkeys(("seller", "price"), "neither a bill nor an amount for it is stated"),
}

MEMORY: tuple[Rule, ...] = (
    rule("memory", rf"{PLAIN_N}\s?gi?b{END9}(?: of (?:vram|memory)| vram| memory)?", number_in),
)


def ask_what_for(parts: LineParts) -> None:
    """Ask which model does a work that is named without one, or which work where only its terms are stated."""
    values = parts.values
    has_work = {"serve", "train", "tune"} & values.keys() or PATTERNS["computes"].search(parts.line.lower())
    if values.keys() & SAYS_ENOUGH == {"team"} and not has_work:
        values.pop("team")
    is_asked = bool(parts.phrases) or re.search(
        r"(?<![a-z])(?:gpus?|cards?|replacement|llms?|ai|render|folding|alphafold|cuda|(?:deep|machine) learning)"
        r"(?![a-z])",
        parts.line.lower(),
    )
    if parts.questions or not is_asked or values.keys() & SAYS_ENOUGH - {"texts", "anyone"}:
        return
    is_work = bool({"train", "tune", "serve", "texts", "images", "all_audio", "tokens", "token_rate"} & values.keys())
    wanted = WORDS["models_to_choose"] if is_work else WORDS["works_to_choose"]
    lines = {label: f"{parts.line.rstrip(' .?!')} {words}" for label, words in wanted.items()}
    has_more = len(parts.phrases) > 1 or parts.left_out or values.keys() & {"texts", "images", "length", "busy"}
    if not has_more or not (is_work or has_work):
        parts.questions.append(LineQuestion("which model" if is_work else "what for", lines, is_whole=True))
        return
    parts.others |= lines
    if not is_work:
        values["gpus"] = 1
        parts.left_out.append("what for and how many GPUs, as neither is stated: one is taken")
        return
    usual = WORDS["usual_models"]
    values["model"] = usual["tune" if "tune" in values else "train" if "train" in values else "serve"]
    parts.left_out.append(f"which model, as none is named: {values['model']} is taken")


def ask_for_currency(parts: LineParts) -> None:
    """Leave out a sum in a currency that has no rate: it is not in dollars."""
    for match in PATTERNS["other_money"].finditer(parts.line):
        (start, end), number = match.span(), match["n"] or match["n2"]
        parts.others[f"{number} dollars"] = f"{parts.line[:start]}${number}{parts.line[end:]}"
        parts.left_out.append(f"{match[0].strip()}, as no rate of that currency is known")
        parts.rest = blank(parts.rest, start, end)


def is_negated(catalogue: Catalogue, parts: LineParts, name: LineName) -> bool:
    """Return whether a line says that it does not want what it names."""
    negation = PATTERNS["negation"].search(parts.line[: name.start].lower())
    is_chip = name.kind in ("chip", "machine")
    if negation is None or (negation["instead"] and not is_chip) or (negation["moves"] and is_chip):
        return False
    if negation["moves"] and "bill" in parts.values and name.kind != "place":  # what is paid now
        return False
    if negation["instead"] and re.search(r" (?:our|my) ", negation[0]):  # those are there
        return False
    start, end = negation.start(), name.end
    if name.kind == "place":
        behind = PATTERNS["sellers_behind"].match(parts.line, end)
        end = behind.end() if behind else end
        parts.unwanted.append((name.meant.key, start, end))
    else:
        parts.left_out.append(parts.line[start:end].strip())
    parts.rest = blank(parts.rest, start, end)
    return True


def leave_places_out(catalogue: Catalogue, parts: LineParts) -> None:
    """Say of a place that a line does not want that no seller is left out by it, and plan for another place."""
    for key, start, end in parts.unwanted:
        without = {key, *(catalogue.around(key) if key else ())}
        others = [each for each in WORDS["places_to_choose"] if each not in without]
        is_there = not key or USUAL_SITE in (key, *bloc_members(catalogue, key))
        is_there = is_there or re.search(r"(?i)american|(?<![a-z])u\.?s\.?(?![a-z])", parts.line[start:end]) is not None
        if "site" not in parts.values and is_there:
            parts.values["site"] = others[0]
        site, text = parts.values.get("site", USUAL_SITE), parts.line[start:end].strip()
        if is_there and site in ("EU", *bloc_members(catalogue, "EU")) and PATTERNS["sellers_behind"].search(text):
            parts.values["sellers"] = True
            parts.notes.append(f"{text}: only sellers of the European Union are taken.")
            continue
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
        scenario.accelerator, scenario.kept and scenario.kept.accelerator, *catalogue.around(scenario.site),
        "EU" if "eu" in str(scenario.stay) else None, offer.provider if offer else None,
        *(task.model for task in (work.train, work.serve) if task), *((bill.price, bill.label) if bill else ()),
        *((billed.vendor, billed.model, billed.label) if billed else ()),
    }  # fmt: skip
    for name in find_names(catalogue, parts.plain, parts.line):
        text, spelled = parts.line[name.start : name.end], parts.plain[name.start : name.end]
        is_taken = any(start <= name.start and name.end <= end for start, end in spans)
        is_name = name.meant.key and text.lower() == spelled and not PATTERNS["size"].fullmatch(spelled)
        if is_name and not is_taken and spelled not in known:
            alike = _alike(catalogue, name, spelled)
            if not alike & planned and not any(label.lower() in known for label in alike):
                why = _WHY_NOT.get(name.kind, "the plan is for another")
                parts.left_out.append(f"{text}, as {'the plan is for another' if bill else why}")
    return tuple(parts.left_out)


def _alike(catalogue: Catalogue, name: LineName, spelled: str) -> set[str]:
    """Return the ids and labels by which a plan may have what a line names."""
    kind, key = name.kind, name.meant.key
    if kind == "machine":
        key = (catalogue.servers.get(key) or catalogue.offers[key]).accelerator
    alike = {key, label_of(catalogue, kind, key), *(bloc_members(catalogue, key) if kind == "place" else ())}
    if kind == "chip" and not re.search(r"\d", spelled):  # hopper, macbook: any of that maker
        chips = catalogue.accelerators
        alike |= {each for each, chip in chips.items() if chip.vendor == chips[key].vendor}
    if kind == "seller" and (provider := provider_called(catalogue, spelled)):
        alike |= {provider.key, label_of(catalogue, "provider", provider.key)}
    return alike


def label_of(catalogue: Catalogue, kind: str, key: str) -> str:
    """Return the label of what a name means: of a chip, a model, a place, a seller, a hosted model."""
    records: Mapping[str, Mapping[str, Any]] = {
        "place": catalogue.sites, "model": catalogue.models, "provider": catalogue.providers,
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
            parts.left_out.append(f"{parts.line[start:end]}, as the GPU is named")
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
    """Yield each run of words that nothing took; a word that is nearly a name becomes a question.

    A run with a number in it has weight: the plan leaves it out, as it does a word that changes a cost.
    """
    for match in _WEIGHTY.finditer(parts.rest):
        named = [start for name, (start, _) in parts.spans.items() if name in NAMED and start >= match.end()]
        end = min([match.end() + len(PATTERNS["behind"].match(parts.line, match.end())[0]), *named])  # type: ignore[index]
        parts.left_out.append(re.sub(r" (?:in|at|on|for|of|with)$", "", parts.line[match.start() : end].strip()))
        parts.rest = blank(parts.rest, match.start(), end)
    runs: list[list[LineToken]] = [[]]
    for word in tokens(parts.rest):
        is_word = (
            not {word.text, names.bare(word.text)} & (FILLERS | _QUIET) and re.search(r"\w", word.text) is not None
        )
        if runs[-1] and (not is_word or BLANK in parts.rest[runs[-1][-1].end : word.start]):
            runs.append([])
        runs[-1] += [word] if is_word else []
    for run in filter(None, runs):
        for word in run:
            _ask_about(catalogue, parts, word)
        start, end = run[0].start, run[-1].end
        _ask_about_number(parts, start, end)
        text = parts.line[start : PATTERNS["rest_of_word"].match(parts.line, end).end()]  # type: ignore[union-attr]
        if max(text) > "\u02ff" or re.search(r"(?<![a-z])[\d]", PATTERNS["harmless"].sub("", parts.rest[start:end])):
            parts.left_out.append(text)
        else:
            yield text


def _ask_about_number(parts: LineParts, start: int, end: int) -> None:
    """Ask what a number counts that nothing took: one that stands alone, or the only amount of a line."""
    text, values = parts.line[start:end].strip(), parts.values
    number = PATTERNS["number_left"].match(parts.rest[start:end] if parts.rest[start] == "-" else text)
    if parts.rest[start] == "-" != parts.line[start]:  # minus four
        start = max(parts.line.lower().rfind(word, 0, end) for word in ("minus", "negative"))
        text = parts.line[start:end].strip()
    is_asked = any(question.text in text for question in parts.questions) or PATTERNS["harmless"].match(text)
    if number is None or is_asked or not parts.phrases or parts.line[end : end + 1] in ("x", "%"):
        return
    is_alone = number.end() in (len(text), end - start)
    digits, is_counted = number["digits"].lstrip("0") or "0", bool({"gpus", "have"} & values.keys())
    counts = {f"{digits} more GPUs": f"{digits} more"} if is_counted else {f"{digits} GPUs": f"{digits} GPUs"}
    counts = counts if re.fullmatch(r"\d{1,4}|\d[\d.]*k", digits) else {}
    if not is_alone or not ("chip" in values or is_counted):
        may_be_people = is_alone or re.match(r" (?!minutes|hours|days|cents)[a-z]{3,}s(?![a-z])", text[number.end() :])
        nouns = ["people"] if values.keys() & _AMOUNTS else ["people", "requests a day", "GPUs"]
        is_person = may_be_people and "." not in digits
        nouns = [noun for noun in nouns if is_person and (noun != "people" or "team" not in values)]
        counts = {f"{digits} {noun}": f"{digits} {noun}" for noun in nouns}
    counts |= {f"{digits} dollars": f"${digits}"} if PATTERNS["may_be_sum"].search(parts.line[:end]) else {}
    lines = {label: f"{parts.line[:start]}{text}{parts.line[end:]}" for label, text in counts.items()}
    if text.startswith(("-", "minus", "negative")) or (not is_counted and "chip" in values and is_alone):  # how many
        lines["leave it out"] = parts.line[:start] + parts.line[end:]
        parts.questions.append(LineQuestion(text, {label: " ".join(line.split()) for label, line in lines.items()}))
    else:
        parts.others |= {label: " ".join(line.split()) for label, line in lines.items()}


def _ask_about(catalogue: Catalogue, parts: LineParts, word: LineToken) -> None:
    """Ask about a word that may name another chip, model or place than the plan would have."""
    if word.text.isalpha() and (number := PATTERNS["number_behind"].match(parts.rest, word.end)):
        word = word._replace(end=number.end())
    is_behind = parts.rest[: word.start].split()[-1:] in (["in"], ["near"], ["from"])
    close = near_name(catalogue, word.text, is_place=is_behind)
    is_place = (
        "site" not in parts.values
        and is_behind
        and word.text[0].isalpha()
        and word.text not in WORDS["nationalities"]
        and not PATTERNS["no_place"].fullmatch(word.text)
    )
    is_size_of_named = PATTERNS["sized_name"].match(parts.line.lower(), word.end)  # 400M bert
    known = {"model"} if is_size_of_named else {"chip", "model"}
    is_name = PATTERNS["like_name"].fullmatch(word.text) and not known <= parts.values.keys()
    if parts.phrases and (close or is_place or is_name):
        before, after = parts.line[: word.start], parts.line[word.end :]
        shorter = re.sub(r"\bin\s*$", "", before) + after if is_place else before + after
        choices = {close: before + close + after} if close else {}
        choices["leave it out"] = " ".join(shorter.split())
        parts.questions.append(LineQuestion(parts.line[word.start : word.end], choices))
