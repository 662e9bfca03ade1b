"""The drawer: every line says how it comes to its amount, in words, with numbers that give it."""

import math
import re
from functools import lru_cache

import numpy as np
import pytest

from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.ways import WAYS
from planner.report.answer.line_words import format_input, formula_text, sourced_inputs, total_text
from planner.report.answer.sentences import summarize_answer
from planner.report.answer.tables import discounted_ledgers
from planner.report.futures.input_words import formula_input_label
from planner.scenario.presets import load_presets
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.facts import DAY
from tests.test_docs import every_way

CODE = re.compile(r"_|\b(many|starts|ceil|where|max|min|pue_|usd)\b|\*")
NUMBER = re.compile(r"(-?)\$?(-?[\d,]+(?:\.\d+)?)(%?)")


@lru_cache(maxsize=1)
def every_line() -> tuple[tuple[Ledger, Line], ...]:
    """Each line of every way in every preset, in the answer's money and as billed."""
    found = []
    for scenario in (*(preset.scenario for preset in load_presets()), *every_way()):
        plan = planned(load_catalogue(), scenario, DAY)
        answer = decided(plan).answer
        for ledger in (*discounted_ledgers(plan, answer), *(option.ledger for option in plan.options)):
            found += [(ledger, line) for line in ledger.lines]
    return tuple(found)


def product(said: str) -> float:
    """What the numbers of a formula in words give, read as a person would."""
    plain = re.sub(r"\([^()]*\)", "", said).strip()
    value = -1.0 if plain.startswith("minus ") else 1.0
    for sign, text in re.findall(r"(?:^|\s)(x |/ )?(\S.*?)(?=\s+[x/] |$)", plain.removeprefix("minus ")):
        number = NUMBER.match(text)
        assert number is not None, f"{text!r} in {said!r} begins with no number"
        factor = float(number[1] + number[2].replace(",", "")) / (100 if number[3] else 1)
        value = value / factor if sign == "/ " else value * factor
    return value


@pytest.mark.slow
def test_the_lines_are_of_every_way() -> None:
    ways = {option.way for one in every_way() for option in planned(load_catalogue(), one, DAY).options}
    assert ways == WAYS.keys()
    assert len(every_line()) > 500


@pytest.mark.slow
def test_no_line_says_a_name_of_the_code() -> None:
    for _, line in every_line():
        shown = sourced_inputs(line)
        said = [formula_text(line), *(formula_input_label(one.name) for one in shown), *map(format_input, shown)]
        assert [text for text in said if CODE.search(text)] == []


@pytest.mark.slow
def test_the_numbers_of_a_line_give_its_amount() -> None:
    for _, line in every_line():
        text = formula_text(line)
        if not math.isfinite(float(line.total_usd)) or line.total_usd == 0:
            continue
        formula, amount = text.rsplit(" = ", 1)
        shown = float(amount.replace("$", "").replace(",", ""))
        digit = 10 ** (math.floor(math.log10(abs(shown))) - 3)
        assert shown == pytest.approx(float(line.total_usd), abs=0.51 * digit)
        assert product(formula) == pytest.approx(shown, abs=1.01 * digit), text


def test_whole_servers_are_printed_and_months_counted() -> None:
    def say(name: str, value: float, unit: str) -> LedgerInput:
        return LedgerInput(name, value, unit, YOUR_INPUT)

    used = (say("accelerators", 24, "accelerators"), say("accelerators_per_server", 8, "accelerators"),
            say("usd_per_server", 262_000, "USD"), say("scarcity_premium_share", 0.05, "1"))  # fmt: skip
    how = "ceil(accelerators / accelerators_per_server) * usd_per_server * (1 + scarcity_premium_share)"
    bought = formula_text(Line("Servers", "hardware", how, used))
    said = "3 servers x $262,000 (price of one server) x 1.05 (from premium for sooner delivery 5%)"
    assert bought == f"{said} = $825,300"
    runs = LedgerInput("runs", np.array([0.0, 1.0, 1.0, 1.0]), "share of each month", YOUR_INPUT)
    bills = say("running_usd_per_month", 50, "USD a month")
    rented = Line("Rent", "compute", "running_usd_per_month * runs", (bills, runs))
    assert formula_text(rented) == "$50 a month (all running costs in one sum) x 3 (3 months summed) = $150"


def test_what_has_no_price_says_which_input_nobody_publishes() -> None:
    unknown = LedgerInput("usd_per_kwh", math.nan, "USD/kWh", YOUR_INPUT)
    text = formula_text(Line("Power", "power", "usd_per_kwh * 10", (unknown,)))
    assert text == "Not priced, as no figure is published: electricity."


@pytest.mark.slow
def test_the_sum_stands_behind_the_card_of_the_page() -> None:
    for preset in load_presets():
        plan = planned(load_catalogue(), preset.scenario, DAY)
        judged = decided(plan)
        cards = [tile.detail for tile in summarize_answer(plan, judged.answer, judged.futures).figures]
        ledgers = {ledger.title: total_text(ledger) for ledger in discounted_ledgers(plan, judged.answer)}
        for option in judged.answer.cards.values():
            entered = f"At the inputs as entered: {ledgers[option.option.title]}"
            assert len(judged.answer.cards) == 1 or any(card.endswith(entered) for card in cards)
