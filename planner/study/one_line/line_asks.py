"""Questions about a line: words and numbers that nothing took, names it does not want, work without a model."""

import re
from collections.abc import Iterator

from planner.study.one_line.line_names import LineName, LineToken, chips_of_memory, near_name, tokens
from planner.study.one_line.line_patterns import END9, PLAIN_N, rule
from planner.study.one_line.line_records import GPU_WORDS, REST_OF_WORD, LineParts, LineQuestion
from planner.study.one_line.line_words import FILLERS, WORDS
from planner.study.one_line.quantities import BLANK, Rule, blank, number_in, take
from pricing import Catalogue, names
from pricing.exchange import rates

_QUIET = frozenset(WORDS["quiet"].split())
_WEIGHTY = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS['weighty'])})(?![\w-])")
_BEHIND = re.compile(r"(?: [^\s,.;?!]+){0,3}")
_NUMBER_BEHIND = re.compile(r"[ -]\d{3,}\w*(?: (?:ti|super|xtx?))*(?!\w)")
SAYS_ENOUGH = frozenset({
    "chip", "model", "bill", "gpus", "team", "budget", "monthly_budget", "have", "gpu_hours", "rps", "tokens", "anyone",
    "seller", "billfor", "team_each", "audio",
    "each_rps", "node_hours", "texts", "audio_each", "token_rates", "inflight", "batch", "cpu", "contract",
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
_LIKE_NAME = re.compile(
    r"(?:[gr]tx|titan|quadro|jetson|schnell|kontext|turbo|nano)$"
    r"|(?!p\d\d$|\d+k$|\d+e\d+$|[a-z]+-\d+[a-z]$|\d[\d.]*[- ]?[a-z]{3,}$)(?=.*[a-z])(?=.*\d)[\w.+-]+"
)
_COMPUTES = re.compile(
    r"(?<![a-z])(?:gpu|card|model|ai|ml|llm|gpt|train|tun|serv|host|infer|comput|chat|bot|cluster|server|cloud"
    r"|rent|buy|own|token"
    r"|api|deep|learn|research|phd|data|lab|rag|vision|people$)"
)
_NO_PLACE = re.compile(
    r".*(?:ing|ic|ese|ish)|autumn|fall|spring|winter|summer|fy|fiscal|eur|usd|dollars|euros|reais|crypto|things"
    r"|stuff|advance|bulk"
    r"|principle|parallel|theory|practice|real|nerf|my|our"
)
_NUMBER_LEFT = re.compile(
    r"(?!(?:19|20)\d\d(?!\d))[$€£]?-?(?P<digits>\d[\d.,]*(?:[km]|e\+?\d+| (?:million|billion|thousand))?)(?![\w%.])"
)
OTHER_CURRENCIES = (
    "KES NGN GHS EGP ARS CLP COP PEN VND PKR BDT LKR UAH KZT MAD TND DZD ETB UGX TZS ZMW RSD BGN"
    " QAR KWD BHD OMR SAR AED JOD"
)
_OTHER_MONEY = re.compile(
    r"(?:(?P<before>[A-Z]{3}) ?)?(?<![\w.,])(?P<n>\d[\d.,]*(?: ?(?:k|m|million|billion|thousand)\b)?)(?: ?"
    r"(?P<after>[A-Za-z]{3})\b"
    r"| (?P<named>pesos?|naira|shillings?|dirhams?|dinars?|riyals?|rubles?|roubles?|hryvnia|taka|birr|cedis?)\b)?"
)
_HARMLESS = re.compile(
    r"p\d\d(?!\d)|[\d.]+ ?% uptime"
    r"|\d+(?:st|nd|rd|th)?[ -]?(?:languages?|countries|country|timezones?|time zones?|x(?![a-z])|scenarios?"
    r"|projects?|seeds?|dB|db|meter"
    r"|floors?|rooms?|years? old|uptime|nines|classes|categories|channels?|models?|types?|kinds?|options?|phases?"
    r"|steps?)"
)
_MAY_BE_SUM = re.compile(r"(?:[1-9]\d{3,}|\d{3}|\d[km]|\d (?:million|thousand))\W*$")
NEGATION = re.compile(
    r"(?<![a-z])(?<!why )(?<!or )(?<!if )(?:not|no|without|never|outside(?: of)?|except(?: for)?|excluding"
    r"|avoid(?:ing)?|anything but|neither|nor|to leave|(?:out|away|off|leaving|quit|ditch)(?: of| from)?|other"
    r" than|don't want|nothing"
    r" from|(?:can't|cannot|won't|mustn't|must not|may not|never)(?: (?!leave)[a-z]+){1,4}"
    r"|(?P<moves>(?:mov(?:e|ing)|migrat(?:e|ing)|switch(?:ing)?) (?:away )?from)|(?P<instead>rather than|instead of))"
    r"(?: (?:in|at|on|to|from|the|use|using|be|any|an?|our|nvidia|amd|\d+|[x|]+))* $"
)

MEMORY: tuple[Rule, ...] = (
    rule("memory", rf"{PLAIN_N}\s?gi?b{END9}(?: of (?:vram|memory)| vram| memory)?", number_in),
)


def ask_what_for(parts: LineParts) -> None:
    """Ask which model does a work that is named without one, or which work where only its terms are stated."""
    values = parts.values
    if parts.dying and not {"model", "chip"} & values.keys():
        start, end = parts.dying
        lines = {chip: f"{parts.line[:start]}one {chip}{parts.line[end:]}" for chip in WORDS["cards_to_choose"]}
        parts.questions.append(LineQuestion(parts.line[start:end], lines))
    stated = values.keys() & SAYS_ENOUGH
    has_work = {"serve", "train", "tune"} & values.keys() or _COMPUTES.search(parts.line.lower())
    if stated == {"team"} and not has_work:
        values.pop("team")
    is_asked = bool(parts.phrases) or re.search(r"(?<![a-z])(?:gpus?|llms?|ai)(?![a-z])", parts.line.lower())
    if parts.questions or not is_asked or values.keys() & SAYS_ENOUGH - {"texts"}:
        return
    is_work = bool({"train", "tune", "serve", "texts", "images", "all_audio", "tokens", "token_rate"} & values.keys())
    wanted = WORDS["models_to_choose"] if is_work else WORDS["works_to_choose"]
    lines = {label: f"{parts.line.rstrip(' .?!')} {words}" for label, words in wanted.items()}
    parts.questions.append(LineQuestion("which model" if is_work else "what for", lines, is_whole=True))


def ask_for_currency(catalogue: Catalogue, parts: LineParts) -> None:
    """Ask about a sum in a currency that has no rate: it is not in dollars."""
    sums = [each for each in _OTHER_MONEY.finditer(parts.line) if each["before"] or each["after"] or each["named"]]
    codes = set(OTHER_CURRENCIES.split()) - rates(catalogue).keys() if sums else set()
    for match in sums:
        words = {(match["before"] or "").upper(), (match["after"] or "").upper()} & codes or {match["named"]} - {None}
        if words and not any(match["n"] in question.text for question in parts.questions):
            lines = {"dollars": f"{parts.line[: match.start()]}${match['n']}{parts.line[match.end() :]}"}
            lines["leave it out"] = parts.line[: match.start()] + parts.line[match.end() :]
            parts.questions.append(LineQuestion(match[0].strip(), lines))


def ask_for_period(parts: LineParts, periods: list[tuple[int, int]]) -> None:
    """Ask about a period of nothing that was read: `a week` where nobody knows what of."""
    for start, end in periods if parts.phrases else []:
        text = parts.line[start:end].strip()
        lines = {"leave it out": " ".join((parts.line[:start] + " " + parts.line[end:]).split())}
        parts.questions.append(LineQuestion(text, lines))


def is_negated(catalogue: Catalogue, parts: LineParts, name: LineName) -> bool:
    """Return whether a line says that it does not want what it names; for a place ask which one instead."""
    negation = NEGATION.search(parts.line[: name.start].lower())
    is_chip = name.kind in ("chip", "machine")
    if negation is None or (negation["instead"] and not is_chip) or (negation["moves"] and is_chip):
        return False
    if negation["instead"] and re.search(r" (?:our|my) ", negation[0]):  # those are there
        return False
    start = negation.start()
    if name.kind == "place":
        without = catalogue.around(name.meant.key) if name.meant.key else ()
        others = [key for key in WORDS["places_to_choose"] if key not in (name.meant.key, *without)]
        lines = {catalogue.sites[key].label: f"in {catalogue.sites[key].label}" for key in others} | {
            "leave it out": ""
        }
        lines = {label: f"{parts.line[:start]}{text}{parts.line[name.end :]}" for label, text in lines.items()}
        parts.questions.append(LineQuestion(parts.line[start : name.end], lines))
    else:
        parts.left_out.append(parts.line[start : name.end].strip())
    parts.rest = blank(parts.rest, start, name.end)
    return True


def ask_for_chip(catalogue: Catalogue, parts: LineParts) -> None:
    """Ask which card is meant where only its memory is stated."""
    for _, gb, start, end in take(parts.rest, MEMORY):
        chips = () if "chip" in parts.values else chips_of_memory(catalogue, gb)
        if "chip" in parts.values:
            parts.rest = blank(parts.rest, start, end)
            parts.left_out.append(f"{parts.line[start:end]}, as the GPU is named")
        if chips and (parts.phrases or GPU_WORDS & {word.text for word in tokens(parts.rest)}):
            lines = {each: f"{parts.line[:start]}{each}{parts.line[end:]}" for each in chips}
            labels = {catalogue.accelerator_label(each): line for each, line in lines.items()}
            parts.questions.append(LineQuestion(parts.line[start:end], labels))
            parts.rest = blank(parts.rest, start, end)


def unknown_words(catalogue: Catalogue, parts: LineParts) -> Iterator[str]:
    """Yield each run of words that nothing took; a word that is nearly a name becomes a question.

    A run with a number in it has weight: the plan leaves it out, as it does a word that changes a cost.
    """
    for match in _WEIGHTY.finditer(parts.rest):
        end = match.end() + len(_BEHIND.match(parts.line, match.end())[0])  # type: ignore[index]
        parts.left_out.append(parts.line[match.start() : end].strip())
        parts.rest = blank(parts.rest, match.start(), match.end())
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
        text = parts.line[start : REST_OF_WORD.match(parts.line, end).end()]  # type: ignore[union-attr]
        if re.search(r"(?<![a-z])[\d]", _HARMLESS.sub("", parts.rest[start:end])):
            parts.left_out.append(text)
        else:
            yield text


def _ask_about_number(parts: LineParts, start: int, end: int) -> None:
    """Ask what a number counts that nothing took: one that stands alone, or the only amount of a line."""
    text, values = parts.line[start:end].strip(), parts.values
    number = _NUMBER_LEFT.match(parts.rest[start:end] if parts.rest[start] == "-" else text)
    if parts.rest[start] == "-" != parts.line[start]:  # minus four
        start = max(parts.line.lower().rfind(word, 0, end) for word in ("minus", "negative"))
        text = parts.line[start:end].strip()
    if number is None or not parts.phrases or parts.line[end : end + 1] in ("x", "%"):
        return
    if any(question.text in text for question in parts.questions):
        return
    is_alone = number.end() in (len(text), end - start)
    if _HARMLESS.match(text):
        return
    digits, is_counted = number["digits"].lstrip("0") or "0", bool({"gpus", "have"} & values.keys())
    stated = values.keys() & _AMOUNTS
    counts = {f"{digits} more GPUs": f"{digits} more"} if is_counted else {f"{digits} GPUs": digits}
    counts = counts if re.fullmatch(r"\d{1,4}|\d[\d.]*k", digits) else {}
    if not is_alone or not ("chip" in values or is_counted):
        may_be_people = is_alone or re.match(r" (?!minutes|hours|days|cents)[a-z]{3,}s(?![a-z])", text[number.end() :])
        nouns = (
            ()
            if "." in digits or not may_be_people
            else ("people",)
            if stated
            else ("people", "requests a day", "GPUs")
        )
        counts = {f"{digits} {noun}": f"{digits} {noun}" for noun in nouns if noun != "people" or "team" not in values}
    counts |= {f"{digits} dollars": f"${digits}"} if _MAY_BE_SUM.search(parts.line[:end]) else {}
    counts |= {"leave it out": ""}
    lines = {label: f"{parts.line[:start]}{text}{parts.line[end:]}" for label, text in counts.items()}
    parts.questions.append(LineQuestion(text, {label: " ".join(line.split()) for label, line in lines.items()}))


def _ask_about(catalogue: Catalogue, parts: LineParts, word: LineToken) -> None:
    """Ask about a word that may name another chip, model or place than the plan would have."""
    if word.text.isalpha() and (number := _NUMBER_BEHIND.match(parts.rest, word.end)):
        word = word._replace(end=number.end())
    is_behind = parts.rest[: word.start].split()[-1:] in (["in"], ["near"], ["from"])
    close = near_name(catalogue, word.text, is_place=is_behind)
    is_place = (
        "site" not in parts.values
        and is_behind
        and word.text[0].isalpha()
        and word.text not in WORDS["nationalities"]
        and not _NO_PLACE.fullmatch(word.text)
    )
    if parts.phrases and (close or is_place or _LIKE_NAME.fullmatch(word.text)):
        before, after = parts.line[: word.start], parts.line[word.end :]
        shorter = re.sub(r"\bin\s*$", "", before) + after if is_place else before + after
        choices = {close: before + close + after} if close else {}
        choices["leave it out"] = " ".join(shorter.split())
        parts.questions.append(LineQuestion(parts.line[word.start : word.end], choices))
