"""The verdict where only one side is left, and where nobody prices a part of a way."""

from dataclasses import replace
from typing import Any

import pytest

from planner.money.ledger import YOUR_INPUT, LedgerInput, Line
from planner.money.option import Option
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from tests.facts import CATALOGUE, DAY, options_of_side
from tests.money.test_answer import asked, option, said
from tests.rows import each_row


def test_where_a_side_has_no_price_the_rest_is_answered() -> None:
    found = asked(Scenario(accelerator="TPU-v5e", rent=RentalInputs(usd_per_accelerator_hour=1.2)))
    assert found.own is None
    assert found.verdict == "rent"
    assert found.missing == ("TPU v5e, per chip is not sold: enter what you would pay for one",)
    assert [one.way for one in found.left_out] == ["own"]
    assert found.best.option.way in options_of_side("rent")
    assert not found.payback.is_found
    lone = asked(Scenario(ways=("on_demand",)))
    assert (lone.verdict, lone.missing, lone.left_out) == ("rent", ("owning was not chosen",), ())
    assert (lone.break_evens, lone.pair, lone.against) == ((), None, None)


@each_row(("usd", "verdict", "best", "pair"), [
    ({"on_demand": (80, 90, 99), "reserved": (101, 110, 120)}, "rent", "on_demand", ("reserved", "on_demand")),
    ({"on_demand": (101, 110, 120), "reserved": (80, 90, 102)}, "probably rent", "reserved", ("reserved", "on_demand")),
    ({"on_demand": 100, "hosted": 104, "spot": 150}, "close", "on_demand", ("on_demand", "hosted")),
    ({"own": 100, "lease": 90}, "own", "lease", None),  # nobody asked how to pay for it
    ({"own": 100, "loan": 99, "lease": 120}, "own", "loan", None),
    ({"own": 100, "keep": 50}, "keep", "keep", ("own", "keep")),
    ({"on_demand": 100, "reserved": 120, "mix": 90}, "mix", "mix", ("mix", "on_demand")),
    ({"on_demand": 100, "mix": 98}, "close", "mix", ("mix", "on_demand")),
    ({"mix": 98}, "mix", "mix", None),
])  # fmt: skip
def test_of_one_side_alone_its_two_best_ways_are_compared(usd: Any, verdict: str, best: str, pair: Any) -> None:
    made = plan(CATALOGUE, Scenario(), DAY)
    answer = build_answer(
        replace(made, options=tuple(option(made, key, amounts) for key, amounts in usd.items()), absent=())
    )
    assert answer.verdict == verdict
    assert answer.best.option.key == best
    assert (answer.pair and tuple(way.option.key for way in answer.pair)) == pair


def test_how_to_pay_is_a_question_where_the_ways_were_chosen() -> None:
    assert said(own=100, lease=99).verdict == "close"


def unpriced(made: Option, name: str, factor: float) -> Option:
    """The same with a line whose price nobody knows."""
    used = (
        LedgerInput(name, float("nan"), "USD", YOUR_INPUT),
        LedgerInput("gb_months", factor, "GB-months", YOUR_INPUT),
    )
    line = Line("Disk", "storage", f"{name} * gb_months", used)
    return replace(made, ledger=replace(made.ledger, lines=(*made.ledger.lines, line)))


@pytest.mark.parametrize(("own", "rent", "is_left_out"), [
    (100, 80, True),  # it might win only because nobody prices a part of it
    (80, 100, False),  # what is dearer already only gets dearer: it blocks nothing
])  # fmt: skip
def test_a_missing_price_never_wins_and_blocks_nothing(own: float, rent: float, is_left_out: bool) -> None:
    made = plan(CATALOGUE, Scenario(ways=("own", "on_demand")), DAY)
    rented = unpriced(option(made, "on_demand", rent), "usd_per_gb_month_of_disk", 1.0)
    answer = build_answer(replace(made, options=(option(made, "own", own), rented)))
    assert answer.verdict == "own"
    assert answer.missing[0] == "on_demand: no price for disk"
    assert [one.reason for one in answer.left_out] == ["no published price for disk: enter one"] * is_left_out
    assert (answer.pair is None) == is_left_out


def test_what_nobody_prices_on_either_side_counts_on_neither() -> None:
    """An owner waits for delivery and rents from the same offer meanwhile: its disk has no price on either side."""
    made = plan(CATALOGUE, Scenario(ways=("own", "on_demand")), DAY)
    name = "usd_per_gb_month_of_disk"
    own, rent = unpriced(option(made, "own", 80), name, 1e4), unpriced(option(made, "on_demand", 100), name, 3e4)
    answer = build_answer(replace(made, options=(own, rent)))
    assert (answer.verdict, answer.left_out) == ("own", ())
