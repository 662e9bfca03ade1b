"""Questions about a line: words and numbers that nothing took, names it does not want, work without a model."""

import re
from collections.abc import Iterator

from planner.study.one_line.line_names import LineName, LineToken, chips_of_memory, near_name, tokens
from planner.study.one_line.line_records import REST_OF_WORD, LineParts, LineQuestion
from planner.study.one_line.line_rules import MEMORY
from planner.study.one_line.line_words import FILLERS, WORDS
from planner.study.one_line.quantities import BLANK, blank, take
from pricing import Catalogue, names

_QUIET = frozenset(WORDS["quiet"].split())
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
_NUMBER_LEFT = re.compile(
    r"(?!(?:19|20)\d\d(?!\d))-?(?P<digits>\d[\d.,]*(?:[km]|e\+?\d+| (?:million|billion|thousand))?)(?![\w%.])"
)
_STANDS_ALONE = re.compile(
    r"\s*(?:$|[,.;?!)|]|(?:now|then|later|at|in|on|for|and|or|from|with|by|when|next|reserved|[hgbarv]\d+)(?![a-z]))"
)
_MAY_BE_SUM = re.compile(r"(?:[1-9]\d{3,}|\d{3}|\d[km])\W*$")
_NEGATION = re.compile(
    r"(?<![a-z])(?<!why )(?<!or )(?<!if )(?:not|no|without|never|outside(?: of)?|except(?: for)?|excluding"
    r"|avoid(?:ing)?|anything but|other than|don't want|nothing from|(?P<instead>rather than|instead of))"
    r"(?: (?:in|at|on|to|from|the|use|using|be|any|an?|our|nvidia|amd|\d+|[x|]+))* $"
)


def ask_what_for(parts: LineParts) -> None:
    """Ask which model does a work that is named without one, or which work where only its terms are stated."""
    values = parts.values
    if parts.dying and not {"model", "chip"} & values.keys():
        start, end = parts.dying
        lines = {chip: f"{parts.line[:start]}one {chip}{parts.line[end:]}" for chip in WORDS["cards_to_choose"]}
        parts.questions.append(LineQuestion(parts.line[start:end], lines))
    if parts.questions or not parts.phrases or values.keys() & SAYS_ENOUGH - {"texts"}:
        return
    is_work = bool({"train", "tune", "serve", "texts", "images", "all_audio", "tokens", "token_rate"} & values.keys())
    wanted = WORDS["models_to_choose"] if is_work else WORDS["works_to_choose"]
    lines = {label: f"{parts.line.rstrip(' .?!')} {words}" for label, words in wanted.items()}
    parts.questions.append(LineQuestion("which model" if is_work else "what for", lines))


def is_negated(catalogue: Catalogue, parts: LineParts, name: LineName) -> bool:
    """Return whether a line says that it does not want what it names; for a place ask which one instead."""
    negation = _NEGATION.search(parts.line[: name.start].lower())
    if negation is None or (negation["instead"] and name.kind not in ("chip", "machine")):
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
        parts.notes.append(f"{parts.line[start : name.end].strip()}: it is left out.")
    parts.rest = blank(parts.rest, start, name.end)
    return True


def ask_for_chip(catalogue: Catalogue, parts: LineParts) -> None:
    """Ask which card is meant where only its memory is stated."""
    for _, gb, start, end in take(parts.rest, MEMORY):
        chips = () if "chip" in parts.values else chips_of_memory(catalogue, gb)
        if "chip" in parts.values:
            parts.rest = blank(parts.rest, start, end)
            parts.notes.append(f"{parts.line[start:end]} is not used: the GPU is named.")
        if chips and parts.phrases:
            lines = {each: f"{parts.line[:start]}{each}{parts.line[end:]}" for each in chips}
            labels = {catalogue.accelerator_label(each): line for each, line in lines.items()}
            parts.questions.append(LineQuestion(parts.line[start:end], labels))
            parts.rest = blank(parts.rest, start, end)


def unknown_words(catalogue: Catalogue, parts: LineParts) -> Iterator[str]:
    """Yield each run of words that nothing took; a word that is nearly a name becomes a question."""
    run: list[str] = []
    last, start = 0, 0
    for word in tokens(parts.rest):
        is_word = (
            not {word.text, names.bare(word.text)} & (FILLERS | _QUIET) and re.search(r"\w", word.text) is not None
        )
        if run and (not is_word or BLANK in parts.rest[last : word.start]):
            _ask_about_number(parts, start, last)
            yield " ".join(run)
            run = []
        if is_word:
            start = start if run else word.start
            run.append(parts.line[word.start : REST_OF_WORD.match(parts.line, word.end).end()])  # type: ignore[union-attr]
            _ask_about(catalogue, parts, word)
        last = word.end
    if run:
        _ask_about_number(parts, start, last)
        yield " ".join(run)


def _ask_about_number(parts: LineParts, start: int, end: int) -> None:
    """Ask what a number counts that nothing took: one that stands alone, or the only amount of a line."""
    text, values = parts.line[start:end], parts.values
    number = _NUMBER_LEFT.match(text)
    if number is None or not parts.phrases:
        return
    is_only, is_alone = not values.keys() & _AMOUNTS, number.end() == len(text)
    if not is_only and not (is_alone and _STANDS_ALONE.match(parts.line.lower(), end)):
        return
    digits, is_counted = number["digits"], bool({"gpus", "have"} & values.keys())
    counts = {f"{digits} more GPUs": f"{digits} more"} if is_counted else {f"{digits} GPUs": digits}
    if not is_counted and not ("chip" in values and is_alone):
        counts = {f"{digits} {noun}": f"{digits} {noun}" for noun in ("people", "requests a day", "GPUs")}
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
        "site" not in parts.values and is_behind and word.text[0].isalpha() and word.text not in WORDS["nationalities"]
    )
    if parts.phrases and (close or is_place or _LIKE_NAME.fullmatch(word.text)):
        before, after = parts.line[: word.start], parts.line[word.end :]
        shorter = re.sub(r"\bin\s*$", "", before) + after if is_place else before + after
        choices = {close: before + close + after} if close else {}
        choices["leave it out"] = " ".join(shorter.split())
        parts.questions.append(LineQuestion(parts.line[word.start : word.end], choices))
