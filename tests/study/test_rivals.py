"""What a plan is compared with: what is paid now, the same model elsewhere, an open one like it, GPUs by the second."""

from typing import Any

import numpy as np
import pydantic
import pytest

from planner.money.many_ledgers import build_ledger
from planner.money.measures import present_usd
from planner.money.plan import Plan
from planner.money.ways import WAYS
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import doubt_text
from planner.report.answer.tables import budget_table
from planner.scenario.file import SavedScenario, read_scenario, write_scenario
from planner.scenario.latency import latency_classes
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.question import HOURS
from planner.scenario.rent import CurrentBill
from planner.scenario.scenario import Scenario
from planner.study.plan_any import CARDS_TO_OWN, planned, scenario_from_token_bill
from planner.study.uncertainty.sure_verdict import decided
from pricing import meant
from pricing.market.rivals import BOARDS, alike_models, open_model_for, rivals, usual_board
from tests.frozen import live_catalogue
from tests.study.test_market_cases import told

CATALOGUE = live_catalogue()
DAY = CATALOGUE.day
PAID = "OpenAI/gpt-4o"


def asked(**data: Any) -> Plan:
    return planned(CATALOGUE, Scenario.model_validate(data), DAY)


def of_a_bill(usd: float = 30_000.0, **more: Any) -> Plan:
    usual = next(iter(latency_classes().values()))
    scenario = scenario_from_token_bill(CATALOGUE.hosted[PAID], PAID, usd, "Llama-3.3-70B", usual)
    return planned(CATALOGUE, scenario.model_copy(update=more), DAY)


def present(plan: Plan) -> dict[str, float]:
    return {way.option.key: way.present_usd for way in decided(plan, 128).answer.ranked}


def test_a_bill_is_an_option_with_its_name_in_the_headline_beside_three_rivals() -> None:
    plan = of_a_bill()
    usd, said = present(plan), told(plan)
    assert {"bill", "alike", "hosted", "on_demand", "own"} <= usd.keys()
    assert 0.8e6 < usd["bill"] < 1.1e6
    assert usd["alike"] < usd["bill"] / 10
    assert usd["hosted"] < usd["bill"] / 10
    assert "GPT-4o of OpenAI" in said.title
    text = " ".join(said.sentences)
    assert "You pay $30,000 a month for GPT-4o of OpenAI" in text
    assert "Owning costs as much as a bill of" in text
    assert any(tile.label == "GPT-4o of OpenAI" for tile in said.figures)


def test_a_small_bill_is_kept_from_those_who_would_hire_for_it() -> None:
    usd = present(of_a_bill(300.0))
    assert usd["bill"] < min(usd["on_demand"], usd["own"])


def test_a_contract_of_any_kind_is_compared_with_the_plan() -> None:
    plan = asked(work=({"accelerators": 8},), bill={"usd_per_month": 1_000.0, "label": "our contract"})
    summary = told(plan)
    assert summary.title.startswith("Keep paying our contract")
    assert "no other option costs less" in " ".join(summary.sentences)


def test_like_is_by_a_board_that_the_asker_sees_and_changes() -> None:
    assert usual_board("gpt-4o") == "reasoning"
    plan = of_a_bill()
    by_default = plan.option("alike")
    assert by_default is not None
    assert "GPQA" in by_default.warnings[0]
    chat = of_a_bill(bill=plan.setting.scenario.bill.model_copy(update={"like": "chat"})).option("alike")
    assert chat is not None
    assert "Arena" in chat.warnings[0]
    assert chat.what != by_default.what
    closed = set(rivals().closed)
    every = {name for board in BOARDS for paid in closed for name in alike_models(paid, board)}
    assert every
    assert not every & closed


def test_weights_of_ones_own_are_served_by_nobody_by_the_token() -> None:
    tune = {"train": {"model": "Llama-3.1-8B", "method": "full", "tokens": 1e9, "runs_per_month": 4}}
    serve = {"serve": {"model": "Llama-3.1-8B", "requests_per_s": 10}}
    plan = asked(work=(tune, serve))
    assert not any(WAYS[option.way].is_billed_by_token for option in plan.options)
    assert "hosted" not in told(plan).title
    stated = asked(work=({"serve": {**serve["serve"], "own_weights": True}},))
    assert stated.option("hosted") is None
    assert asked(work=(serve,)).option("hosted") is not None


def test_seconds_scale_to_zero_and_say_what_a_cold_start_takes() -> None:
    def seconds(requests_per_s: float) -> Any:
        work = ({"serve": {"model": "Llama-3.1-8B", "requests_per_s": requests_per_s}},)
        plan = asked(work=work, run_by_fte=0.0)
        return plan.option("serverless"), present(plan)

    (rare, rarely), (_, often) = seconds(0.0005), seconds(5.0)
    assert rarely["serverless"] < rarely["on_demand"] / 5
    assert often["serverless"] > often["on_demand"] * 0.5
    assert "wake up" in rare.warnings[0]
    assert asked(work=({"accelerators": 8},)).option("serverless") is None


def test_many_services_at_once_are_what_each_is_alone() -> None:
    work = ({"serve": {"model": "Llama-3.1-8B", "requests_per_s": 0.5}, "growth_per_year": 0.2},)
    setting = asked(work=work).setting
    for name, values in {"busy_factor": (0.1, 1.0, 1.9), "usd_per_second": (1e-4, 2e-3)}.items():
        many = setting.with_tried({name: np.array(values)[:, None]})
        together = build_ledger(many, WAYS["serverless"].build)
        assert together is not None
        usd = np.broadcast_to(np.asarray(present_usd(many, together)), len(values))
        for value, present_of_many in zip(values, usd, strict=True):
            one = setting.with_tried({name: value})
            alone = build_ledger(one, WAYS["serverless"].build)
            assert alone is not None
            assert present_of_many == pytest.approx(float(present_usd(one, alone)))


def test_a_bill_is_kept_in_the_link() -> None:
    scenario = of_a_bill().setting.written
    assert scenario_from_link(scenario_to_link(scenario), CATALOGUE) == (scenario, [])


@pytest.mark.parametrize("usd", [0.0, 1e12])
def test_a_bill_beyond_all_bounds_is_one_sentence(usd: float) -> None:
    with pytest.raises(pydantic.ValidationError) as refused:
        Scenario.model_validate({"bill": {"usd_per_month": usd}})
    assert refused.value.error_count() == 1
    assert scenario_from_link({"bill": f"{usd:g}"}, CATALOGUE)[1]


def test_what_is_said_stays_in_the_link_the_file_and_the_sentence() -> None:
    data = {
        "work": ({"accelerators": 8},), "terms": {"budget_usd": 500_000.0}, "run_by_fte": 0.5,
        "bill": {"usd_per_month": 9_000.0, "label": "our contract"},
        "kept": {"accelerators": 4, "usd_today_if_sold": 20_000.0},
    }  # fmt: skip
    plan = asked(**data)
    scenario = plan.setting.written
    link = scenario_to_link(scenario)
    assert {"budget", "crew", "bill", "have", "havesold"} <= link.keys()
    assert scenario_from_link(link, CATALOGUE) == (scenario, [])
    saved = write_scenario(SavedScenario(scenario, DAY, CATALOGUE.digest))
    assert read_scenario(saved.encode(), "plan.yaml", CATALOGUE).scenario == scenario
    sentence = question_text(CATALOGUE, HOURS, link)
    for said in ("beside 4 you have", "a bill of 9,000 USD a month", "run by 0.5 people", "with 500,000 USD to spend"):
        assert said in sentence


def test_what_is_left_of_a_budget_is_said_for_three_ways() -> None:
    serve = ({"serve": {"model": "Llama-3.3-70B", "requests_per_s": 2.0}},)
    text = " ".join(told(asked(work=serve, terms={"budget_usd": 400_000.0})).sentences)
    assert "Of your $400,000, in cash before any resale:" in text
    assert text.count(" takes $") >= 3
    assert "leaves $" in text
    assert "too much" in text


def test_a_sale_in_the_end_pays_for_nothing_before() -> None:
    """What buying takes in all lies under the budget, what is out before the sale above it."""
    plan = asked(work=({"accelerators": 8},), ways=("own",))
    (bought,) = decided(plan, 128).answer.ranked
    net, most = float(bought.measures.bills_usd), bought.measures.peak.bills_usd
    assert net < most
    between = asked(work=({"accelerators": 8},), ways=("own",), terms={"budget_usd": (net + most) / 2})
    shown = told(between)
    assert shown.title.startswith("Over your $")
    assert "too much" in " ".join(shown.sentences)


@pytest.mark.parametrize("people", [0.0, -1.0, 1e9])
def test_people_may_be_none_and_no_fewer(people: float) -> None:
    scenario, notes = scenario_from_link({"crew": f"{people:g}"}, CATALOGUE)
    assert (scenario.run_by_fte == 0.0, len(notes)) == ((True, 0) if people == 0 else (False, 1))


def test_two_readings_are_one_sentence() -> None:
    said = meant.accelerator(CATALOGUE, "A6000")
    assert (said.key, "RTX 6000 Ada" in said.note) == ("RTX-A6000-48GB", True)
    notes = scenario_from_link({"site": "Georgia"}, CATALOGUE)[1]
    assert len(notes) == 1
    assert "can be GE" in notes[0]


def test_adapters_that_the_plan_tunes_are_served_by_the_token_where_a_seller_takes_them() -> None:
    """Fireworks serves LoRA adapters of an 8B at its base model's price; all weights of one's own nobody does."""

    def hosted(method: str, model: str = "Llama-3.1-8B") -> Any:
        tuned = {"accelerators": 8, "train": {"model": model, "method": method, "tokens": 1e8, "runs_per_month": 4.0}}
        return asked(work=(tuned, {"serve": {"model": model, "requests_per_s": 10.0}})).option("hosted")

    adapters = hosted("lora")
    assert "of Fireworks AI" in adapters.what
    assert hosted("full") is None
    assert hosted("lora", "Llama-3.3-70B") is None  # Fireworks lists none


@pytest.mark.parametrize(
    ("paid", "model"),
    [
        ("Anthropic/claude-sonnet-5", "DeepSeek-V4-Pro"),  # 73.58 to 75.82: the cheapest by the token within 4 points
        ("OpenAI/gpt-5.5", "GLM-5.2"),  # 76.24 to 80.71: none within 4 points, the best of the open ones
        ("Anthropic/claude-opus-5.5", "GLM-5.2"),  # that no board has
        ("Together-AI/Llama-3.3-70B-Instruct-Turbo", "Llama-3.3-70B"),  # open itself
    ],
)
def test_an_open_model_of_like_quality_is_run_in_place_of_one_that_is_paid_for(paid: str, model: str) -> None:
    found, why = open_model_for(CATALOGUE, CATALOGUE.hosted[paid], 1_000.0, 300.0)
    assert found == model
    assert ("LiveBench" in why) == (model != "Llama-3.3-70B")


def test_no_closed_model_is_run_in_place_of_another() -> None:
    for price in CATALOGUE.hosted.values():
        model, _ = open_model_for(CATALOGUE, price, 1_000.0, 300.0)
        assert model in CATALOGUE.models
        assert model not in rivals().closed


def test_a_model_that_is_not_known_to_be_as_good_is_named() -> None:
    opus = CurrentBill(usd_per_month=30_000.0, price="Anthropic/claude-opus-5.5")
    assert "Llama 3.3 70B is not known to be as good as Claude Opus 5.5" in " ".join(
        told(of_a_bill(bill=opus)).sentences
    )
    assert "not known to be as good" not in " ".join(told(of_a_bill()).sentences)  # 47.44 to 49.21 of GPT-4o


def test_the_same_model_at_another_seller_is_a_card_and_the_age_is_that_of_the_price_that_wins() -> None:
    bill = CurrentBill(usd_per_month=10_000.0, price="Together-AI/Llama-3.3-70B-Instruct-Turbo")
    plan = of_a_bill(bill=bill)
    said = told(plan)
    assert "Same model, other seller" in [tile.label for tile in said.figures]
    best = min(plan.options, key=lambda option: float(present_usd(plan.setting, option.ledger)))
    age = [sentence for sentence in said.sentences if "was read" in sentence]
    assert [sentence.startswith(f"The price of {best.what} was read") for sentence in age] == [True]


def test_a_named_seller_has_its_card_beside_its_rivals() -> None:
    offer = "azure/H100-SXM5-80GB/8x/eastus/on_demand"
    said = told(asked(work=({"accelerators": 64},), rent={"offer": offer}))
    labels = [tile.label for tile in said.figures]
    assert "Azure, on demand" in labels
    assert "Rent, reserved" in labels
    text = " ".join(said.sentences)
    assert "Azure lists $12.29 a GPU-hour on demand, and none for a term: ask." in text
    assert "On demand, 64 of them:" in text


def test_a_plan_of_which_all_is_over_the_budget_says_so_first() -> None:
    work = ({"accelerators": 8},)
    small, large = (asked(work=work, terms={"budget_usd": usd}) for usd in (100_000.0, 2e6))
    assert told(small).title.startswith("Over your $100,000. ")
    assert "Over" not in told(large).title
    assert "leaves $" in doubt_text(decided(large).answer)


def test_a_budget_is_spent_in_three_ways_each_on_as_many_as_it_pays_for() -> None:
    plan = asked(work=({"accelerators": 8},), terms={"budget_usd": 600_000.0})
    rows = budget_table(decided(plan).answer).records()
    assert len(rows) == 3
    for row in rows:
        assert row["Most cash out, USD"] + row["Left, USD"] == pytest.approx(600_000.0)
        assert row["Left, USD"] >= 0
    (rented,) = [row for row in rows if row["Option"] == "Rent on demand"]
    more = asked(work=({"accelerators": int(rented["GPUs"]) + 1},))
    (cash,) = [
        each.measures.peak.bills_usd for each in decided(more, 128).answer.ranked if each.option.way == "on_demand"
    ]
    assert cash > 600_000.0
    assert len(budget_table(decided(asked(work=({"accelerators": 8},)), 128).answer)) == 0
    task = asked(work=({"serve": {"model": "Llama-3.1-8B"}},), terms={"budget_usd": 1e6})
    assert len(budget_table(decided(task, 128).answer)) == 0


def test_a_budget_too_small_for_a_server_buys_cards() -> None:
    plan = asked(work=({"accelerators": 5},), terms={"budget_usd": 300_000.0})
    bought = {row["Option"]: row for row in budget_table(decided(plan, 128).answer).records() if "Buy" in row["Option"]}
    assert bought.pop("Buy")["GPUs"] == 0
    assert list(bought) == ["Buy H100 PCIe 80 GB", "Buy RTX PRO 6000 Blackwell 96 GB", "Buy RTX 5090 32 GB"]
    for key, row in zip(CARDS_TO_OWN, bought.values(), strict=True):
        cash = []
        for more in (0, 1):
            cards = asked(accelerator=key, work=({"accelerators": int(row["GPUs"]) + more},))
            ranked = decided(cards, 128).answer.ranked
            cash += [each.measures.peak.bills_usd for each in ranked if each.option.way == "own"]
        assert cash[0] == pytest.approx(row["Most cash out, USD"])
        assert cash[0] <= 300_000.0 < cash[1]
