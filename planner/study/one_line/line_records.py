"""A line as a plan: what was understood, what was not, open questions, and the number that stands beside a chip."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planner.scenario.amounts import format_amount
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_rules import PATTERNS, blank, parse_number
from planner.study.one_line.line_words import WORDS
from pricing import PricingError
from pricing.formulas import printable


class LineError(PricingError):
    """A line that no plan can be made of; the text says why and what would do."""


@dataclass(frozen=True)
class UnderstoodPhrase:
    """A part of the line, the field that it fills, and the value taken."""

    text: str
    field: str
    value: str


@dataclass(frozen=True)
class LineQuestion:
    """A part of the line with two readings: what each is called, and the line with that one written out."""

    text: str
    choices: Mapping[str, str]
    is_whole: bool = False  # the text is the question itself: which model


ANSWER_IT = "Answer for what was read"
ANSWERED, NOT_YET = "The answer is for what was read.", "Below is still the plan from before."


@dataclass(frozen=True)
class LineReading:
    """A line as a plan: none while a question is open; what has weight and is left out stands before the answer."""

    line: str
    scenario: Scenario | None
    understood: tuple[UnderstoodPhrase, ...]
    notes: tuple[str, ...]  # the usual meaning that was taken, and what no field holds
    unknown: tuple[str, ...]  # words that were not understood and change no cost
    questions: tuple[LineQuestion, ...] = ()
    budget_usd: float | None = None
    count_is_open: bool = False  # as many GPUs as the budget pays for
    chip_is_open: bool = False  # no GPU is named
    tokens_are_open: bool = False  # as many as the GPUs read in the time of the plan
    left_out: tuple[str, ...] = ()  # what has weight, and the plan does not have
    choices: Mapping[str, str] = field(default_factory=dict)  # where something is left out: this line, and others
    beside: Mapping[str, str] = field(default_factory=dict)  # the other sides of what it compares: names and lines
    side: str = ""  # of h100 or mi300x, what this one is called


def question_sentence(question: LineQuestion) -> str:
    """Return an open question with its choices, each as what to write."""
    choices = (f"{label} (write {line})" for label, line in question.choices.items())
    return f"{printable(question.text, 40)}: {'; '.join(choices)}"


def sentence_of_reading(reading: LineReading, plan: str, ending: str = ANSWERED) -> str:
    """Return the plan of a line as a sentence, with what it leaves out and whether it is answered."""
    left = "; ".join(printable(each, 120) for each in reading.left_out)
    return f"Read as: {plan}. Left out: {left}. {ending}" if left else f"Read as: {plan}."


def reading_sentences(reading: LineReading) -> tuple[str, ...]:
    """Return what each part of a line was taken as, what by usual meaning, and what was not understood."""
    taken = "; ".join(f"{phrase.text} = {phrase.value} ({phrase.field})" for phrase in reading.understood)
    unknown = f"Not understood: {', '.join(printable(it, 60) for it in reading.unknown)}." if reading.unknown else ""
    beside = f"Pinned beside it, to compare: {', '.join(reading.beside)}." if reading.beside else ""
    return tuple(filter(None, (beside, f"Taken as: {taken}." if taken else "", *reading.notes, unknown)))


LEAST_RPS, REQUESTS_OF_ONE, MOST_SIDES = 0.0001, 0.01, 4  # of a plan; of a person, an assumption; plans to pin
GPU_WORDS = frozenset({"gpu", "gpus", "cards", "card", "accelerators", "accelerator", "graphics", "chips"})


def machine_size(chip: str, table: str = "machine_sizes") -> int:
    """Return how many of a chip a whole machine or rack has, or a box where a line says only that."""
    return next(int(size) for pattern, size in WORDS[table].items() if re.match(pattern, chip))


class LineCount(NamedTuple):
    """A count beside a name, and where its words begin and end."""

    many: int
    start: int
    end: int
    of_machines: bool = False


def count_beside(line: str, start: int, end: int) -> LineCount | None:
    """Return the count beside a name: `2 nodes of 8`, `8 x`, `one`, or `x8` behind it."""
    behind = PATTERNS["count_after"].match(line, end)
    if match := PATTERNS["count_before"].search(line[:start]):
        each = parse_number(match["each"] or match["times"] or "")
        of_machines = match["box"] is not None and not each
        many = 1.0 if match["count"] == "my" else parse_number(match["count"])
        many, last = (many * 2, behind.end()) if behind and behind["pair"] else (many, start)  # an h100 nvl pair
        return LineCount(int(many * (each or 1)), match.start(), last, of_machines)
    if behind is None:
        return None
    many = 2 if behind["pair"] else int(parse_number(next(filter(None, behind.groups()), "")))
    return LineCount(many, end, behind.end())


_SHOWN: Mapping[str, Callable[[Any], str]] = {
    "length": lambda hours: f"{hours / HOURS_PER_MONTH:,.3g}", "due": lambda hours: f"{hours / HOURS_PER_DAY:,.4g}",
    **dict.fromkeys(("audio", "audio_each"), lambda it: f"{it * HOURS_PER_DAY * SECONDS_PER_HOUR:,.4g} hours a day"),
    "token_rates": lambda rates: f"{rates[0]:,.6g} and {rates[1]:,.6g} a second",
    **dict.fromkeys(("date", "start", "spend_by"), lambda match: " ".join(match[0].split())),
**dict.fromkeys(("gpu_hours", "node_hours"), lambda it: f"{it[0]:,.10g}{' in each period' if it[1] else ''}"),
    **dict.fromkeys(("tokens", "tokens_of_texts", "images", "texts"), format_amount), "since": str,
    "multiple_in": lambda of: f"{of[0]:g} times as much in {of[1] / HOURS_PER_MONTH:,.3g} months",
    "step": lambda step: f"{step[0]:,.10g} from year {step[1]:.0f}",
    "texts_of": lambda of: f"{format_amount(of[0])} of {of[1]:,.10g} tokens",
    "place": lambda it: it.replace("_", " "), "two_kinds": lambda it: f"{it[0] * 8.64e4:.4g} and {it[1] * 8.64e4:.3g}",
    "rps": lambda rate: f"{rate:,.3g}" if rate >= 0.01 else f"{rate * HOURS_PER_DAY * SECONDS_PER_HOUR:,.3g} a day",
    **dict.fromkeys(WORDS["shares"].split(), lambda it: f"{it * 100:,.3g} %"),
}  # fmt: skip


def shown_value(name: str, value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    is_exact = is_number and (abs(value) >= 1_000 or round(value, 2) == value)
    usual = "{:,.10g}".format if is_exact else "{:,.3g}".format if is_number else str
    return "yes" if value is True else _SHOWN.get(name, usual)(value)


class LineSecond(NamedTuple):
    """A second thing of a kind: its label and place, and where the first of its kind stands."""

    what: str
    label: str
    start: int
    end: int
    first: tuple[int, int]


@dataclass
class LineParts:
    """What a line states, by quantity, and how each part was read."""

    line: str
    rest: str
    values: dict[str, Any] = field(default_factory=dict)
    phrases: list[UnderstoodPhrase] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    questions: list[LineQuestion] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)  # where the first of each quantity stands
    plain: str = ""  # the line in the spelling that rules read, with nothing taken from it
    taken: list[tuple[int, int]] = field(default_factory=list)  # where quantities stand that are no names
    left_out: list[str] = field(default_factory=list)
    unwanted: list[tuple[str, int, int]] = field(default_factory=list)  # places that a line does not want, and where
    refused: list[tuple[str, int]] = field(default_factory=list)  # kinds of names not wanted, and where each ends
    seconds: list[LineSecond] = field(default_factory=list)
    pairs: dict[str, str] = field(default_factory=dict)  # lines of two figures that are compared: 1 or 3 years
    others: dict[str, str] = field(default_factory=dict)  # other readings of what is left out, each as a line
    replaced_until: int = 0  # where the GPUs end that others replace

    def add(self, name: str, value: Any, start: int, end: int, shown: str | None = None) -> None:
        """Keep a quantity and blank out its words; the first of a kind counts, a second one is not understood."""
        self.taken += [] if name in WORDS["named"] else [(start, end)]
        if name == "gpus" and name in self.values and PATTERNS["another"].search(self.line[:start]):
            self.left_out.append(self.typed(start, end))  # 16 here and 16 there
        if self.values.get(name, value) != value:
            if name == "team" and PATTERNS["and"].fullmatch(self.line[self.spans[name][1] : start]):
                value += self.values[name]  # 4 students and 2 postdocs
            else:
                self._leave_second(name, start, end)
                self.rest = blank(self.rest, start, end)
                return
        self.spans.setdefault(name, (start, end))
        self.values[name] = value
        self.rest = blank(self.rest, start, end)
        label = WORDS["labels"].get(name) or (KEYS[name].label if name in KEYS else name)
        shown = shown_value(name, value) if shown is None else shown
        self.phrases.append(UnderstoodPhrase(self.typed(start, end), label, shown))

    def _leave_second(self, name: str, start: int, end: int) -> None:
        second, first = self.typed(start, end), self.typed(*self.spans.get(name, (0, 0)))
        is_served = name == "team" and re.match(r"(?:to|for|with) ", first.lower())  # a 6 person startup, for 800 users
        has_weight = name != "place" and not is_served and (name != "team" or re.search(r"\d", second))
        if has_weight and name in WORDS["one_counts"].split() and re.search(r"\d", second) and first:
            self.seconds.append(LineSecond(name, second, start, end, self.spans[name]))
        (self.left_out if has_weight else self.notes).append(f"{second}, as {first or name} is taken")

    def ask(
        self, start: int, end: int, texts: Mapping[str, str], since: int | None = None, **more: Mapping[str, str]
    ) -> None:
        """Ask what a part of the line is: with each text in its place, or without it and what stands there since."""
        lines = {label: self.line[:start] + text + self.line[end:] for label, text in texts.items()}
        lines |= more.get("lines", {})
        lines["leave it out"] = self.line[: start if since is None else since] + self.line[end:]
        choices = {label: " ".join(line.split()) for label, line in lines.items()}
        self.questions.append(LineQuestion(self.line[start:end].strip(), choices))

    def leave_out(self, what: str, label: str, start: int, end: int) -> None:
        """Keep a second thing of a kind as what the plan leaves out."""
        self.rest = blank(self.rest, start, end)
        self.left_out.append(f"{' '.join(label.split())}, as a plan has one {what}")
        spans = (self.spans.get(name, (end, end)) for name in WORDS["first_of"].get(what, "").split())
        self.seconds += [LineSecond(what, label, start, end, span) for span in spans if span[1] <= start][:1]

    def words_of(self, name: str) -> str:
        """Return the words of a quantity as they were typed."""
        return self.typed(*self.spans.get(name, (0, 0))) or WORDS["labels"].get(name, name)

    def typed(self, start: int, end: int) -> str:
        """Return a part of the line as it was typed, in whole words: an English word may be shorter than its own."""
        end += len(re.match(r" *", self.plain[end:])[0]) if self.line[end : end + 1].strip() else 0  # type: ignore[index]
        if self.line[end - 1 : end] not in (" ", ",", ";"):
            end = PATTERNS["rest_of_word"].match(self.line, end).end()  # type: ignore[union-attr]
        start -= len(re.search(r"\w*$", self.line[:start])[0]) if self.line[start : start + 1].isalnum() else 0  # type: ignore[index]
        return self.line[start:end].strip(" ,;")

    def compared(self) -> dict[str, str]:
        """Return the line of each side that it compares, h100 or mi300x, itself for the first: none is left out.

        What stands beside each side goes with it: 8 h100 at 2.30 or 16 mi300x at 1.90.
        """
        lines = dict(self.pairs)
        alternatives = [each for each in self.seconds if self._is_alternative(each)][: MOST_SIDES - 1]
        for second in alternatives:
            same, mates = [each for each in alternatives if each.what == second.what], [second]
            for what in dict.fromkeys(each.what for each in alternatives if each.what != second.what):
                others = [each for each in alternatives if each.what == what]
                ends, starts = (second.first[1], others[0].first[1]), (same[0].start, others[0].start)
                if len(others) == len(same) and max(ends) <= min(starts):
                    mates.append(others[same.index(second)])
            kinds, dropped = {mate.what for mate in mates}, {mate.first for mate in mates}
            dropped |= {(it.start, it.end) for it in self.seconds if it.what in kinds and it not in mates}
            dropped |= self._prices_before(second)
            lines.setdefault(self._words({mate.first for mate in mates}), self.line)
            label = self._words({(mate.start, mate.end) for mate in mates})
            is_counted = PATTERNS["counted"].match(self.plain[second.start : second.end]) is not None
            line = self._without(dropped, None if is_counted or second.first != self.spans.get("gpus") else second)
            lines |= {} if line in lines.values() else {label: line}
        kept = {f"{each.label}, as " for each in alternatives}
        self.left_out = [it for it in self.left_out if not any(it.startswith(each) for each in kept)]
        return dict(list(lines.items())[:MOST_SIDES])

    def _prices_before(self, second: LineSecond) -> set[tuple[int, int]]:
        """Return where prices of the first GPU stand: they are none of another."""
        priced = [self.spans[it] for it in WORDS["prices_of_gpus"] if it in self.spans]
        return {it for it in priced if it[1] <= second.start and second.what in WORDS["what_is_priced"]}

    def _words(self, spans: set[tuple[int, int]]) -> str:
        return ", ".join(self.line[slice(*span)].strip(" ,;") for span in sorted(spans))

    def _is_alternative(self, second: LineSecond) -> bool:
        """Return whether `or`, or so, stands between a second thing and the one of its kind before it."""
        ends = [each.end for each in self.seconds if each.what == second.what and each.end <= second.start]
        starts = [each.start for each in self.seconds if each.what == second.what and each.start >= second.end]
        where, asks = slice(max([second.first[1], *ends]), second.start), PATTERNS["asks_which"].search(self.plain)
        gap = self.plain[where]
        is_compared = (asks and PATTERNS["compared_with"].fullmatch(gap)) or (
            PATTERNS["would_be"].search(gap) and re.search("cheaper|better", self.plain[second.end :]))  # fmt: skip
        following = self.plain[second.end : max(starts, default=0)]
        is_all = "compar" in self.plain and re.search(" and ", following)
        is_listed = PATTERNS["listed"].fullmatch(gap) and (is_all or PATTERNS["or"].search(following))
        has_or = PATTERNS["or"].search(gap) or PATTERNS["or"].search(self.line[where])
        return second.first[1] <= second.start and bool(
            is_compared or has_or or is_listed or "is_renewal" in self.values)  # fmt: skip

    def _without(self, spans: set[tuple[int, int]], second: LineSecond | None = None) -> str:
        line, text = self.line, ""
        if second is not None:  # so many of it stand in the place of the first
            text = f"{self.values.get('as_many', self.values['gpus'])} {self.line[second.start : second.end]}"
            spans = {*spans, (second.start, second.end)}
        for begin, end in sorted(spans, reverse=True):
            line = line[:begin] + (text if second is not None and (begin, end) == second.first else "") + line[end:]
        return " ".join(re.sub("instead of|rather than", "or", line).split())  # the second alone: it is not refused

    def other_lines(self) -> dict[str, str]:
        """Return the line with each second thing that is left out in the place of the first, and its other readings."""
        left = [each for each in self.seconds if not self._is_alternative(each)]
        return {
            f"{each.label} instead": self._without(
                {each.first, *((it.start, it.end) for it in self.seconds if it.what == each.what and it != each),
                    *self._prices_before(each)})
            for each in left
        } | self.others  # fmt: skip
