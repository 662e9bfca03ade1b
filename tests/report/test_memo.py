"""The memo: what the page says, on two pages at most, whatever stands in a plan's words."""

import re
from typing import Any

import pytest

from planner.report import words
from planner.report.answer.plan_report import PlanReport, doubt_text, evaluate
from planner.report.handouts import memo_data, write_memo
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.tornado import tornado
from pricing import load_catalogue
from tests.facts import DAY
from tests.rows import slow_except

PLANS = {"default": Scenario(), **{preset.key: preset.scenario for preset in load_presets()}}


def report(scenario: Scenario) -> PlanReport:
    result = evaluate(load_catalogue(), scenario, DAY, with_details=True)
    return PlanReport(scenario.name, result.plan, result.answer, result.summary, futures=result.futures)


def data(made: PlanReport, link: str = "") -> dict[str, Any]:
    pair = made.answer.pair
    return memo_data(made, () if pair is None else tornado(made.plan, pair[0].option, pair[1].option), link)


@pytest.mark.parametrize("key", slow_except(("default", "chat-service"), PLANS))
def test_the_memo_says_what_the_page_says_on_two_pages_at_most(key: str) -> None:
    made = report(PLANS[key])
    memo = data(made, "https://example.com/?gpus=8&years=3")
    text = write_memo(memo, ".md").decode()
    assert text.startswith(f"# {made.summary.title}\n")
    assert doubt_text(made.answer) in text
    for tile in made.summary.figures:
        assert f"**{tile.label}** {tile.value}" in text
    for way in made.answer.ranked:
        assert f"| {way.option.title} | {words.usd(way.present_usd)} | {words.usd(way.low_usd)} |" in text
    assert all(sentence in text for sentence in (*made.summary.sentences, *made.summary.turns))
    assert "<https://example.com/?gpus=8&years=3>" in text
    pdf = write_memo(memo, ".pdf")
    assert pdf == write_memo(memo, ".pdf"), "one plan, one file"
    assert len(re.findall(rb"/Type */Page\b", pdf)) <= 2
    assert b"pdfuaid" in pdf


def test_words_of_a_plan_are_never_code_of_the_memo() -> None:
    made = report(Scenario())
    memo = data(made) | {"question": '#panic("no") $x$ *a* @b <c> \\ "', "link": ""}
    memo["options"] = [["a | b", *row[1:]] for row in memo["options"]]
    assert write_memo(memo, ".pdf").startswith(b"%PDF")
    assert "| a / b |" in write_memo(memo, ".md").decode()
