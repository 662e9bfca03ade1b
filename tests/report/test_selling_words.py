"""Plans that sell hours, in words: whether it pays, what it brings beside work of one's own, what renting is for."""

from typing import Any

import pytest

from planner.money.ledger import Ledger
from planner.money.owned_fleet import idle, split
from planner.report import words
from planner.report.answer.document import answer_document
from planner.report.answer.plan_report import PlanReport, plan_text
from planner.report.answer.profit_words import break_even_sentences, primary_selling_option, profit_csv, profit_table
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.files.document_parts import LUMP, priced
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import Judged, decided
from pricing import load_catalogue
from tests.facts import DAY

HARDLY = ({"accelerators": 1, "busy_share": 0.01, "storage_tb": 0.0, "egress_tb_per_month": 0.0},)


def read(sell: dict[str, Any], **more: Any) -> tuple[Judged, AnswerSummary]:
    """The answer to buying 64 and selling their hours, and its words."""
    plan = {"work": HARDLY, "own": {"accelerators": 64}, "sell": sell, **more}
    judged = decided(planned(load_catalogue(), Scenario.model_validate(plan), DAY))
    return judged, summarize_answer(judged.answer.plan, judged.answer, judged.futures)


def test_a_seller_reads_whether_it_pays_and_not_what_renting_costs() -> None:
    judged, said = read({"usd_per_accelerator_hour": 2.1, "share_sold": 0.7})
    assert said.title in ("Do not buy to sell: it does not pay.", "Probably do not buy to sell: it does not pay.")
    first = said.sentences[0]
    assert "64 in 8 servers and 3 spare boards leased, with 70% of idle hours sold at $2.10, less a fee of 10%" in first
    assert "lose about $" in first
    assert "against not buying" in first
    assert "Renting serves only the little work of your own" in " ".join(said.sentences)
    assert not any("cheaper than" in sentence for sentence in said.sentences)
    assert judged.answer.own is not None


def test_at_a_price_that_pays_the_title_says_buy() -> None:
    judged, said = read({"usd_per_accelerator_hour": 6.0, "share_sold": 0.9, "fee_share": 0.0})
    assert said.title in ("Buy and sell the hours: it pays.", "Lease and sell the hours: it pays.")
    assert "gain about $" in said.sentences[0]
    assert judged.answer.best.present_usd < 0


@pytest.mark.parametrize(("usd", "ways"), [(2.1, ()), (12.0, ("own", "on_demand"))])
def test_the_title_is_that_of_the_comparison(usd: float, ways: tuple[str, ...]) -> None:
    judged, said = read({"usd_per_accelerator_hour": usd}, ways=ways)
    found = judged.answer
    assert ("the hours: it pays" in said.title) == (found.best.option.way != "on_demand")
    assert found.best is min(found.ranked, key=lambda one: one.present_usd)


@pytest.mark.parametrize(
    ("usd", "title"), [(2.1, "Do not buy to sell: it does not pay."), (12.0, "sell the hours: it pays.")]
)
def test_where_only_ways_to_own_are_asked_for_it_is_weighed_against_not_buying(usd: float, title: str) -> None:
    judged, said = read({"usd_per_accelerator_hour": usd, "share_sold": 0.7}, ways=("own", "lease"))
    assert said.title.endswith(title)
    assert not any(
        "It pays in" in sentence for sentence in said.sentences
    )  # that one beats the other says nothing of it
    assert ("it pays" in said.title) == (judged.answer.best.present_usd < 0)


def test_its_tiles_are_gain_or_loss_and_from_where_on_it_pays() -> None:
    judged, said = read({"usd_per_accelerator_hour": 2.1, "share_sold": 0.7})
    tiles = {figure.label: figure for figure in said.figures}
    assert list(tiles) == ["Loss", "Pays at a price of", "Pays if you sell", "Cash on day one"]
    own = judged.answer.own
    assert tiles["Loss"].value == words.format_usd_short(own.present_usd)
    assert tiles["Pays at a price of"].range == "you: $2.10"
    price = float(tiles["Pays at a price of"].value.removeprefix("$"))
    again, _ = read({"usd_per_accelerator_hour": price, "share_sold": 0.7}, ways=(own.option.way, "on_demand"))
    assert abs(again.answer.own.as_entered_usd) < 0.02 * own.as_entered_usd


def test_the_table_its_file_and_the_document_say_the_same() -> None:
    judged, said = read({"usd_per_accelerator_hour": 2.1, "share_sold": 0.7})
    found, plan = judged.answer, judged.answer.plan
    own = primary_selling_option(found)
    assert own is found.own
    table = profit_table(plan, own)
    assert table[table.columns[0]][0] == "Hours sold on"
    assert table[table.columns[0]][-1] == "Cash, beside it"
    file = profit_csv(found)
    cash = [usd for way, row, usd in zip(file["option"], file["row"], file["usd"], strict=True)
            if (way, row) == (own.option.key, "cash")]  # fmt: skip
    assert sum(cash) == pytest.approx(table["All years"][-1])
    document = answer_document(PlanReport("", plan, found, said, futures=judged.futures))
    rows = {option.key: option.profit_and_loss for option in document.options}
    assert rows[own.option.key] is not None
    assert rows["on_demand"] is None
    assert {one.name: one.total_usd for one in rows[own.option.key].rows}["cash"] == pytest.approx(sum(cash))
    assert "profit and loss, USD as billed" in plan_text(PlanReport("", plan, found, said, futures=judged.futures))
    assert "as billed, nothing is lost from $" in break_even_sentences(plan, own)[0]


def test_beside_work_of_ones_own_a_sentence_says_what_is_sold() -> None:
    work = ({"accelerators": 8, "busy_share": 0.6},)
    judged, said = read({"usd_per_accelerator_hour": 2.0, "share_sold": 0.5}, work=work, own={})
    sentence = next(one for one in said.sentences if "has 50% of idle hours sold at $2.00" in one)
    assert "discounted to today" in sentence
    own = judged.answer.own
    waits = idle(judged.answer.plan.setting, own.option)
    assert waits.share == pytest.approx(0.2)  # half of the 40 % that it stands is sold
    parts = split(judged.answer.plan.setting, own.option.ledger)
    assert parts.sold_on_usd < 0
    assert parts.owned_usd + parts.rented_usd + parts.sold_on_usd == pytest.approx(own.as_entered_usd)


def test_a_cost_below_nothing_is_a_gain() -> None:
    work = ({"accelerators": 8, "busy_share": 0.3},)
    _, said = read({"usd_per_accelerator_hour": 9.0, "share_sold": 1.0}, work=work, own={})
    assert any("less than nothing, a gain of about $" in sentence for sentence in said.sentences)


def test_the_file_has_hours_at_a_price_and_the_fee_as_a_sum() -> None:
    judged, _ = read({"usd_per_accelerator_hour": 2.1, "share_sold": 0.7})
    own = judged.answer.own
    assert own is not None
    lines = {line.name: priced(line) for line in own.option.ledger.lines if line.part in ("income", "selling")}
    assert lines["Hours sold on"].unit == "accelerator-hour"
    assert lines["Hours sold on"].usd_per_unit[20] == pytest.approx(2.1)
    assert lines["Fee for selling them"].unit == LUMP


def test_income_is_a_part_of_its_own() -> None:
    judged, _ = read({"usd_per_accelerator_hour": 2.1, "share_sold": 0.7})
    own = judged.answer.own
    ledger: Ledger = own.option.ledger
    assert float(ledger.part_usd("income")) < 0 < float(ledger.part_usd("selling"))
