"""One of something is in the singular, and one sentence writes its amounts in one way."""

import re

import pytest

from planner.report import words
from planner.report.answer.phrases import question_text
from planner.scenario.presets import load_presets
from planner.scenario.question import HOURS, QUESTIONS
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests import golden
from tests.facts import DAY
from tests.report.plain_plans import lines_of, plain_plan
from tests.rows import each_row

SEEDS = 24
# "1 is", "1 was", "a month on 1 costs" are verbs; 0.1, $1 and 1,001 are other numbers.
ONE_OF_MANY = re.compile(
    r"(?<![\d.,$/-])\b1 (?!(?:is|was|has|does|comes|costs|writes|less|plus|minus|as|this)\b)[a-zA-Z]+s\b(?!')"
)
THESE_ONE = re.compile(r"\b(these|those|all|both) 1\b|\b1 (that )?(are|were|have)\b")
IN_FULL = re.compile(r"\$[\d.]+ (?:million|billion)|\$\d+,\d{3}")
IN_BRIEF = re.compile(r"\$[\d.]+[kMB]\b")
SCENARIOS = {"default": Scenario(), **{preset.key: preset.scenario for preset in load_presets()}}


def faults(line: str) -> list[str]:
    """What of a line is in the plural though it is one, and amounts of two forms."""
    found = [one[0] for pattern in (ONE_OF_MANY, THESE_ONE) for one in pattern.finditer(line)]
    return [*found, *(["two forms"] if IN_FULL.search(line) and IN_BRIEF.search(line) else [])]


def test_the_check_sees_what_it_is_for() -> None:
    bad = (
        "with 1 servers", "for these 1 bought", "1 that are there", "$4.27 million ($3.95M to $5M)", "at 1 requests/s",
    )  # fmt: skip
    assert all(faults(line) for line in bad)
    good = (
        "1 server", "1 is enough", "0.1 months", "$1 days", "11 months", "1,001 GPUs", "$4.27 million to $5 million",
    )  # fmt: skip
    assert not any(faults(line) for line in good)


@each_row("key", golden.KEYS)
def test_the_text_of_a_preset_is_grammar(key: str) -> None:
    assert [(fault, line) for line in golden.kept(key).splitlines() for fault in faults(line)] == []


@pytest.mark.parametrize("key", [
    "default", *(pytest.param(one.key, marks=pytest.mark.slow) for one in load_presets()),
])  # fmt: skip
def test_what_is_said_of_a_preset_is_grammar(key: str) -> None:
    assert [(fault, line) for line in lines_of(load_catalogue(), SCENARIOS[key], DAY) for fault in faults(line)] == []


@pytest.mark.slow
def test_what_is_said_of_any_plan_is_grammar() -> None:
    catalogue = load_catalogue()
    wrong = [
        (seed, fault, line)
        for seed in range(SEEDS)
        for line in lines_of(catalogue, plain_plan(seed, catalogue), DAY)
        for fault in faults(line)
    ]
    assert wrong == []


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=lambda one: one.name)
def test_the_sentence_of_a_page_of_ones_is_grammar(question: object) -> None:
    ones = dict.fromkeys(
        ("hours", "team", "weekly", "jobhours", "tokens", "due", "runs", "rps", "peak", "in", "out"), "1"
    )
    said = [question_text(load_catalogue(), question, ones | {"years": "1", "gpus": "1"})]  # type: ignore[arg-type]
    if question is HOURS:
        said += [question_text(load_catalogue(), HOURS, {"weekly": "1", "jobhours": "1"})]
    assert [fault for line in said for fault in faults(line)] == []


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1 month"), (1.0, "1 month"), (2.5, "2.5 months"), (0, "0 months"), (12_000, "12,000 months")],
)
def test_a_count_is_singular_for_one_alone(number: float, text: str) -> None:
    assert words.count(number, "month") == text
    assert words.count(f"{number:,}".removesuffix(".0"), "month") == text
