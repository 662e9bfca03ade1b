"""Comparing who does a job: each accelerator in its own number, ranked by what the whole plan comes to."""

from dataclasses import replace
from datetime import date

import pytest

from planner.money.plan import Plan
from planner.money.renting.cheapest_offer import default_offer_filter
from planner.report.market.compare import BUY_ID, hidden_reasons_text, purchase_comparison
from planner.report.market.job_offers import A_MONTH, ONE_RUN, OfferComparison, compare_offers
from planner.scenario.presets import find_preset
from planner.scenario.scenario import Scenario
from planner.study.market.survey import SizedAccelerator, is_single_model_work, sized_accelerator, sized_accelerators
from planner.study.plan_any import planned
from pricing.orderable import Order, refusal_reason
from tests.facts import CATALOGUE, DAY


def plan_of(key: str) -> Plan:
    preset = find_preset(key)
    return planned(CATALOGUE, preset.scenario, DAY)


def compared(
    made: Plan, who: tuple[SizedAccelerator, ...], *, able_only: bool = True, day: date = DAY
) -> OfferComparison:
    """What the page shows under the usual filters."""
    wish = replace(default_offer_filter(""), accelerators=frozenset(one.accelerator for one in who))
    return compare_offers(CATALOGUE, who, wish, day, purchase_comparison(made), able_only=able_only, is_job=True)


@pytest.fixture(scope="module")
def tuning() -> Plan:
    return plan_of("fine-tune-70b")


@pytest.fixture(scope="module")
def anybody(tuning: Plan) -> tuple[SizedAccelerator, ...]:
    return sized_accelerators(tuning.setting)


def test_one_run_costs_its_hours_at_each_offer(tuning: Plan) -> None:
    doer = sized_accelerator(tuning.setting)
    comparison = compared(tuning, (doer,))
    table = comparison.table.to_pandas()
    rows = table[(table["Terms"] == "on demand") & table[ONE_RUN].notna()]
    assert len(rows) > 10
    hours = doer.days.typical * 24 * doer.accelerators
    assert (rows[ONE_RUN] >= rows["Today USD/GPU-h"] * hours * 0.999).all()
    whole = rows.loc["lambda/H100-SXM5-80GB/8x/all-regions/on_demand"]
    assert whole[ONE_RUN] == pytest.approx(whole["Today USD/GPU-h"] * hours, rel=0.02)
    assert (rows["GPUs"] == 8).all()
    assert comparison.finding.title.startswith(
        f"{CATALOGUE.providers[CATALOGUE.offers[comparison.finding.offer].provider].label}"  # type: ignore[index]
    )
    assert "a run, 2." in comparison.finding.title
    assert "hours on 8 x H100 SXM5 80 GB" in comparison.finding.title


def test_who_cannot_take_the_order_is_left_out_and_counted(tuning: Plan) -> None:
    doer = sized_accelerator(tuning.setting)
    assert doer.together == 8
    strict, free = compared(tuning, (doer,)), compared(tuning, (doer,), able_only=False)
    gone = set(free.table.ids or ()) - set(strict.table.ids or ())
    reasons = {str(refusal_reason(CATALOGUE, key, Order(8, 8))) for key in gone}
    assert len(gone) == sum(strict.hidden[reason] for reason in reasons) > 0
    assert "too few at once" in hidden_reasons_text(strict.hidden)


@pytest.mark.slow
def test_any_gpu_has_its_own_number_and_time_and_the_order_is_by_the_plan(
    tuning: Plan, anybody: tuple[SizedAccelerator, ...]
) -> None:
    assert anybody[0].accelerator == "H100-SXM5-80GB"
    assert len({one.accelerator for one in anybody}) == len(anybody) > 10
    assert len({one.accelerators for one in anybody}) > 1
    comparison = compared(tuning, anybody)
    table = comparison.table.to_pandas()
    complete = table[table["Total is"] == "complete"]["Plan total USD"]
    assert list(complete) == sorted(complete)
    for one in anybody:
        label = CATALOGUE.accelerator_label(one.accelerator)
        rows = table[(table["GPU"] == label) & (table.index != BUY_ID)]
        assert (rows["GPUs"] == one.accelerators).all()
    assert comparison.finding.offer is not None
    assert refusal_reason(CATALOGUE, comparison.finding.offer, Order()) is None
    ledgers = comparison.opened([*table.index[:3], BUY_ID])
    assert [float(ledger.total_usd) for ledger in ledgers] == pytest.approx(
        [table.at[key, "Plan total USD"] for key in (*table.index[:3], BUY_ID)]
    )


def test_a_service_is_told_by_the_month() -> None:
    plan = plan_of("chat-service")
    doer = sized_accelerator(plan.setting)
    comparison = compared(plan, (doer,))
    table = comparison.table.to_pandas()
    assert "serves it for the least" in comparison.finding.title
    assert "a month on 8 x H100 SXM5 80 GB" in comparison.finding.title
    rows = table[(table["Terms"] == "on demand") & table[A_MONTH].notna()]
    busy = doer.need.busy_accelerator_hours / doer.need.months
    assert (rows[A_MONTH] >= rows["Today USD/GPU-h"] * busy * 0.999).all()


def test_a_region_filter_names_the_place_that_fits() -> None:
    plan = planned(CATALOGUE, Scenario(), DAY)
    wish = replace(default_offer_filter("H100-SXM5-80GB"), areas=frozenset({"europe"}))
    comparison = compare_offers(
        CATALOGUE,
        (sized_accelerator(plan.setting),),
        wish,
        DAY,
        purchase_comparison(plan),
        able_only=False,
        is_job=False,
    )
    regions = comparison.table.by_id("Region")
    assert regions["hyperstack/H100-SXM5-80GB/1x/canada-norway-us/on_demand"] == "Norway (of Canada/Norway/US)"
    assert regions[BUY_ID] == plan.setting.catalogue.sites["US"].label
    assert "all-regions" not in " ".join(key for key in regions if key.startswith("lambda/"))


def test_years_later_the_title_says_how_old_its_price_is() -> None:
    made, late = plan_of("chat-service"), date(2028, 1, 1)
    comparison = compare_offers(
        CATALOGUE,
        (sized_accelerator(made.setting),),
        default_offer_filter("H100-SXM5-80GB"),
        late,
        None,
        able_only=True,
        is_job=True,
    )
    assert (
        "on a price read" not in comparison.finding.title
    )  # the plan is of its own day, and so is what prices are worth


def test_work_without_tokens_can_be_compared_across_accelerators() -> None:
    plan = plan_of("sentiment-api")
    who = sized_accelerators(plan.setting)
    assert {"RTX-4090-24GB", "H100-SXM5-80GB", "L4-24GB"} <= {one.accelerator for one in who}
    assert min(compared(plan, who).table["GPUs"]) == 1


def test_without_offers_the_page_says_what_to_do(tuning: Plan) -> None:
    doer = sized_accelerator(tuning.setting)
    wish = replace(default_offer_filter(doer.accelerator), region="nowhere")
    comparison = compare_offers(CATALOGUE, (doer,), wish, DAY, None, able_only=True, is_job=True)
    assert comparison.finding.title == "No offer here has a price for this job"
    assert "try any GPU" in comparison.finding.sentences[0]


def test_plain_hours_and_mixed_work_name_no_model() -> None:
    assert not is_single_model_work(planned(CATALOGUE, Scenario(), DAY).setting)
    assert not is_single_model_work(plan_of("research-lab").setting)


@pytest.mark.slow
def test_what_does_not_fit_as_asked_may_fit_elsewhere() -> None:
    preset = find_preset("fine-tune-70b")
    asked = preset.scenario.model_copy(update={"accelerator": "T4-16GB"})
    plan = planned(CATALOGUE, asked, DAY)
    assert plan.setting.resolved.problems
    able = sized_accelerators(plan.setting)
    assert "T4-16GB" not in {each.accelerator for each in able if each.accelerators == 8}
    assert "H100-SXM5-80GB" in {each.accelerator for each in able}


@pytest.mark.slow
def test_what_is_left_to_be_chosen_stays_open_in_what_was_written() -> None:
    preset = find_preset("pre-train-7b")
    work = preset.scenario.work[0]
    open_work = work.model_copy(update={"train": work.train.model_copy(update={"choose_count": True})})
    asked = preset.scenario.model_copy(update={"accelerator": "any", "work": (open_work,)})
    plan = planned(CATALOGUE, asked, DAY)
    assert plan.setting.written == asked
    assert plan.setting.scenario.accelerator in CATALOGUE.accelerators
    assert plan.options


@pytest.mark.slow
def test_training_on_pictures_is_compared_by_its_run() -> None:
    work = {"accelerators": 8, "train": {"model": "resnet-50"}}
    scenario = Scenario.model_validate({"accelerator": "H100-SXM5-80GB", "work": (work,)})
    comparison = compared(
        planned(CATALOGUE, scenario, DAY), sized_accelerators(planned(CATALOGUE, scenario, DAY).setting)
    )
    table = comparison.table.to_pandas()
    rows = table[table[ONE_RUN].notna()]
    assert rows["GPU"].nunique() > 3
    assert set(rows["Memory"]) == {"not checked"}
    assert (rows["Takes days"] > 0).all()
    assert "trains it" in comparison.finding.title
