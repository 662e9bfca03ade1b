"""A line as a plan: what was understood, what was not, open questions, and the number that stands beside a chip."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planner.scenario.amounts import format_amount
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from planner.study.one_line.quantities import blank, parse_number
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
    """A line as a plan. There is no scenario while a question is open.

    What the plan leaves out though it has weight, a number or a second GPU, stands before the answer with choices.
    """

    line: str
    scenario: Scenario | None
    understood: tuple[UnderstoodPhrase, ...]
    notes: tuple[str, ...]  # the usual meaning that was taken, and what no field holds
    unknown: tuple[str, ...]  # words that were not understood and change no cost
    questions: tuple[LineQuestion, ...] = ()
    budget_usd: float | None = None
    count_is_open: bool = False  # as many GPUs as the budget pays for
    tokens_are_open: bool = False  # as many as the GPUs read in the time of the plan
    left_out: tuple[str, ...] = ()  # what has weight, and the plan does not have
    choices: Mapping[str, str] = field(default_factory=dict)  # where something is left out: this line, and others


def question_sentence(question: LineQuestion) -> str:
    """Return an open question with its choices, each as what to write."""
    choices = "; ".join(f"{label} (write {line})" for label, line in question.choices.items())
    return f"{printable(question.text, 40)}: {choices}"


def sentence_of_reading(reading: LineReading, plan: str, ending: str = ANSWERED) -> str:
    """Return the plan of a line as a sentence, with what it leaves out and whether it is answered."""
    if not reading.left_out:
        return f"Read as: {plan}."
    left = "; ".join(printable(each, 90) for each in reading.left_out)
    return f"Read as: {plan}. Left out: {left}. {ending}"


def reading_sentences(reading: LineReading) -> tuple[str, ...]:
    """Return what each part of a line was taken as, what by usual meaning, and what was not understood."""
    taken = "; ".join(f"{phrase.text} = {phrase.value} ({phrase.field})" for phrase in reading.understood)
    unknown = (
        f"Not understood: {', '.join(printable(each, 60) for each in reading.unknown)}." if reading.unknown else ""
    )
    return tuple(filter(None, (f"Taken as: {taken}." if taken else "", *reading.notes, unknown)))


LEAST_RPS = 0.0001  # that a plan may have
GPU_WORDS = frozenset({"gpu", "gpus", "cards", "card", "accelerators", "accelerator", "graphics", "chips"})
MACHINE_WORDS = frozenset(
    {
        "rack",
        "racks",
        "node",
        "nodes",
        "server",
        "servers",
        "machine",
        "machines",
        "box",
        "boxes",
        "hosts",
        "instance",
        "instances",
    }
)


def machine_size(chip: str) -> int:
    """Return how many of a chip a whole machine or rack has, where a line says only that."""
    return 72 if "NVL72" in chip else 4 if "MI250X" in chip else 8  # a node of Frontier or LUMI has four MI250X


_SPELT = "an?|one|dual|quad|a single|single"
_COUNT_BEFORE = re.compile(
    rf"(?<![\w.-])(?P<count>my(?= $)|\d+(?:,\d{{3}})*k?|{_SPELT})\s*"
    rf"(?:[x*]\s*(?:(?P<times>\d{{1,3}})\s*[x*]?\s*)?"
    rf"|(?P<box>{'|'.join(sorted(MACHINE_WORDS, key=len, reverse=True))})\s+(?:(?:of|with|w/|x|a|à|each|@)\s+)?"
    r"(?P<each>\d+\s*[x*]?\s*)?)?"
    r"(?:(?:used|new|nvidia|amd|of|more|our|geforce|second-hand|[|]+)\s+)*$"
)
_COUNT_AFTER = re.compile(
    rf"\s*(?:[x*]\s*(?P<count>\d+)|(?P<times>\d+)\s*x|, (?P<listed>0*\d{{1,3}}|{_SPELT})(?= *(?:,|$)))(?!\w)"
)


class LineCount(NamedTuple):
    """A count beside a name, and where its words begin and end."""

    many: int
    start: int
    end: int
    of_machines: bool = False


def count_beside(line: str, start: int, end: int) -> LineCount | None:
    """Return the count beside a name: `2 nodes of 8`, `8 x`, `one`, or `x8` behind it."""
    if match := _COUNT_BEFORE.search(line[:start]):
        each = re.sub(r"\D", "", match["each"] or match["times"] or "")
        of_machines = match["box"] is not None and not each
        many = 1.0 if match["count"] == "my" else parse_number(match["count"])
        return LineCount(int(many * int(each or 1)), match.start(), start, of_machines)
    match = _COUNT_AFTER.match(line, end)
    return (
        None
        if match is None
        else LineCount(int(parse_number(match["count"] or match["times"] or match["listed"])), end, match.end())
    )


VERB_WORDS = {"train": "train", "tune": "fine-tune", "serve": "serve", "anyone": "any"}
LABELS = {
    "gpus": "GPUs at once", "gpu": "GPU", "train": "work", "tune": "work", "serve": "work",
    "model": "model", "site": "place", "have": "GPUs that you have", "budget": "budget, USD",
    "monthly_budget": "budget, USD a month", "token_rate": "tokens a second", "since": "bought in",
    "seller": "seller", "provider": "rented from",
    "length": "how long, months", "gpu_hours": "GPU-hours", "anyone": "GPU", "spot": "may be interrupted",
    "each_rps": "requests of each", "date": "date", "audio": "sound", "texts": "texts",
    "sellers": "sellers of the Union", "stay_eu": "data stays in the Union", "token_rates": "tokens read and written",
    "every": "runs a month", "online": "users at once", "epochs": "epochs", "examples": "examples",
    "havesold_each": "each fetches today, USD", "cpu": "no GPU", "discount": "discount rate",
    "inflight": "requests at once", "batch": "hours of all runs", "replicas": "times so many",
    "machine_size": "GPUs of each", "each_hours": "hours of each", "cash": "cash on day one, USD",
    "contract": "contract in all, USD", "all_price": "price of all GPUs, USD", "average": "on average",
    "of_each": "GPUs of each", "sites": "how many places", "team_each": "people in each",
    "all_audio": "hours of sound", "stray": "every, hours", "grows_to": "GPUs at the end",
    "audio_each": "sound of each", "setting": "setting", "node_hours": "machine-hours",
    "online_share": "share at once", "resale_bare": "resale",
    "token_price": "price of tokens", "paid_each": "paid for each", "many_hours": "hours an hour",
    "no_spot": "may not be interrupted", "bought": "GPUs bought", "rented": "GPUs rented",
    "tps": "tokens a second", "leased": "a way to get it", "machine_rent": "rent of a machine",
    "small_sum": "a sum", "age": "years old",
    "images": "images", "precision": "precision", "billfor": "the bill is for", "stay": "data stays",
}  # fmt: skip


def _percent(share: float) -> str:
    return f"{share * 100:,.3g} %"


def _hours(amount: tuple[float, float | None]) -> str:
    return f"{amount[0]:,.10g}{'' if amount[1] is None else ' in each period'}"


_SHOWN: Mapping[str, Callable[[Any], str]] = {
    "length": lambda hours: f"{hours / HOURS_PER_MONTH:,.3g}", "due": lambda hours: f"{hours / HOURS_PER_DAY:,.4g}",
    "audio": lambda rate: f"{rate * HOURS_PER_DAY * SECONDS_PER_HOUR:,.4g} hours a day",
    "audio_each": lambda rate: f"{rate * HOURS_PER_DAY * SECONDS_PER_HOUR:,.3g} hours a day",
    "token_rates": lambda rates: f"{rates[0]:,.6g} and {rates[1]:,.6g} a second", "date": lambda match: str(match[0]),
    "gpu_hours": _hours, "node_hours": _hours, "tokens": format_amount, "images": format_amount, "busy": _percent,
    "growth": _percent, "tax": _percent, "discount": _percent, "vat": _percent, "resale": _percent, "loan": _percent,
}  # fmt: skip


def shown_value(name: str, value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    usual: Callable[[Any], str] = "{:,.6g}".format if is_number else str
    return _SHOWN.get(name, usual)(value)


_AND = re.compile(r"\s*(?:,|\+|&|and|plus|,\s*and)\s*")
_ANOTHER = re.compile(r"(?:(?<![a-z])(?:and|plus)|[+&]) *$", re.IGNORECASE)
_ONE_COUNTS = {
    "gpus", "have", "team", "budget", "bill", "rent", "price", "length", "tokens", "rps", "texts", "busy", "kwh",
    "disk",
}  # fmt: skip
REST_OF_WORD = re.compile(r"\w*")
_FIRST = {
    "kind of GPU": ("gpus", "gpu"), "place": ("site",), "model": ("model", "billfor"), "seller": ("provider", "seller"),
}  # fmt: skip


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
    left_out: list[str] = field(default_factory=list)
    seconds: list[tuple[str, str, int, int]] = field(default_factory=list)  # of a kind: which, its label, its place
    dying: tuple[int, int] | None = None  # where a card stands that is broken
    replaced_until: int = 0  # where the GPUs end that others replace

    def add(self, name: str, value: Any, start: int, end: int, shown: str | None = None) -> None:
        """Keep a quantity and blank out its words; the first of a kind counts, a second one is not understood."""
        if name == "gpus" and name in self.values and _ANOTHER.search(self.line[:start]):  # 16 here and 16 there
            self.left_out.append(self.line[start:end].strip(" ,;"))
        if self.values.get(name, value) != value:
            if name == "team" and _AND.fullmatch(self.line[self.spans[name][1] : start]):  # 4 students and 2 postdocs
                value += self.values[name]
            else:
                self._ask_which(name, start, end)
                self.rest = blank(self.rest, start, end)
                return
        self.spans.setdefault(name, (start, end))
        self.values[name] = value
        self.rest = blank(self.rest, start, end)
        label = LABELS.get(name) or (KEYS[name].label if name in KEYS else name)
        if self.line[end - 1 : end].isalnum():
            end = REST_OF_WORD.match(self.line, end).end()  # type: ignore[union-attr]
        text = self.line[start:end].strip(" ,;")
        self.phrases.append(UnderstoodPhrase(text, label, shown_value(name, value) if shown is None else shown))

    def _ask_which(self, name: str, start: int, end: int) -> None:
        """Ask which of two figures of a kind counts; say of another second one that it is left out."""
        second = self.line[start:end].strip(" ,;")
        first = self.line[slice(*self.spans.get(name, (0, 0)))].strip(" ,;")
        is_served = name == "team" and re.match(r"(?:to|for|with) ", first.lower())  # a 6 person startup, for 800 users
        if name not in _ONE_COUNTS or not re.search(r"\d", second) or not first or is_served:
            has_weight = name != "place" and not is_served and (name != "team" or re.search(r"\d", second))
            (self.left_out if has_weight else self.notes).append(f"{second}, as {first or name} is taken")
            return
        first_start, first_end = self.spans[name]
        kept = {first: self.line[:start] + self.line[end:], second: self.line[:first_start] + self.line[first_end:]}
        lines = {label: " ".join(line.split()) for label, line in kept.items()}
        self.questions.append(LineQuestion(f"{first} or {second}", lines))

    def leave_out(self, what: str, label: str, start: int, end: int) -> None:
        """Keep a second thing of a kind as what the plan leaves out."""
        self.rest = blank(self.rest, start, end)
        self.left_out.append(f"{label}, as a plan has one {what}")
        self.seconds.append((what, label, start, end))

    def words_of(self, name: str) -> str:
        """Return the words of a quantity as they were typed."""
        start, end = self.spans.get(name, (0, 0))
        return self.line[start:end].strip(" ,;") or LABELS.get(name, name)

    def other_lines(self) -> dict[str, str]:
        """Return the line with each second thing of a kind in the place of the first."""
        lines: dict[str, str] = {}
        for what, label, start, _ in self.seconds:
            first = next((self.spans[name] for name in _FIRST.get(what, ()) if name in self.spans), None)
            dropped = [(begin, end) for kind, _, begin, end in self.seconds if kind == what and begin != start]
            line = self.line
            for begin, end in sorted([*dropped, first], reverse=True) if first else ():
                line = line[:begin] + line[end:]
            lines |= {f"{label} instead": " ".join(line.split())} if first else {}
        return lines
