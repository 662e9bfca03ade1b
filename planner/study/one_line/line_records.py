"""A line as a plan: the phrases that were understood, the words that were not, and the questions that are open."""

from collections.abc import Mapping
from dataclasses import dataclass

from planner.scenario.scenario import Scenario
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


@dataclass(frozen=True)
class LineReading:
    """A line as a plan. There is no scenario while a question is open."""

    line: str
    scenario: Scenario | None
    understood: tuple[UnderstoodPhrase, ...]
    notes: tuple[str, ...]  # the usual meaning that was taken, and what no field holds
    unknown: tuple[str, ...]  # words that were not understood
    questions: tuple[LineQuestion, ...] = ()
    budget_usd: float | None = None
    count_is_open: bool = False  # as many GPUs as the budget pays for
    tokens_are_open: bool = False  # as many as the GPUs read in the time of the plan


def question_sentence(question: LineQuestion) -> str:
    """Return an open question with its choices, each as what to write."""
    choices = "; ".join(f"{label} (write {line})" for label, line in question.choices.items())
    return f"{printable(question.text, 40)}: {choices}"


def reading_sentences(reading: LineReading) -> tuple[str, ...]:
    """Return what a line was taken as, what by usual meaning, and what was not understood."""
    taken = "; ".join(f"{phrase.text} = {phrase.value} ({phrase.field})" for phrase in reading.understood)
    unknown = (
        f"Not understood: {', '.join(printable(each, 60) for each in reading.unknown)}." if reading.unknown else ""
    )
    return tuple(filter(None, (f"Taken as: {taken}." if taken else "", *reading.notes, unknown)))
