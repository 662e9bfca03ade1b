"""The best mix and the best month in words, tables and charts: the numbers of the study, and nothing else."""

from typing import Any

import plotly.graph_objects as go
import pytest

from planner.money.plan import Plan, plan_from_context
from planner.report import mix_report, words
from planner.report.futures.counted import buy_or_wait_sentences, buy_or_wait_summary, buy_or_wait_table
from planner.report.mix_report import (
    base_size_summary,
    base_size_table,
    layers_table,
    load_summary,
    load_table,
    mix_sentences,
    mix_text,
)
from planner.scenario.rent import MixInputs
from planner.study.buy_or_wait import Waiting, waiting
from planner.study.mix.best_mix import ALIKE, BestMix, best_mix
from tests.money.owning import EIGHTY
from tests.money.renting import MARKET, plan, setting, work

LEVELS = (work(busy_share=0.95), work(accelerators=16, busy_share=0.1))


def made(*works: dict[str, Any], price: float = 10_500.0, only_now: bool = False, **more: Any) -> Plan:
    """Two years of this work in the small market."""
    own = {**EIGHTY, "usd_per_accelerator": price, **more.pop("own", {})}
    offers = {"now": MARKET["now"]} if only_now else MARKET
    return plan_from_context(setting(plan(*(works or LEVELS), own=own, years=2.0, **more), offers))


def best(there: Plan) -> BestMix:
    found = best_mix(there)
    assert isinstance(found, BestMix)
    return found


def waits(there: Plan) -> Waiting:
    found = waiting(there)
    assert isinstance(found, Waiting)
    return found


def test_a_mix_says_what_to_do_what_it_saves_and_why() -> None:
    mix = best(made())
    said = " ".join(mix_sentences(mix))
    assert said.startswith(f"Own 8, rent the peaks: it costs about {words.usd(mix.usd)}")
    saved = words.percent(mix.saving_usd / mix.single_option_usd)
    assert f"{saved} less than the best option alone ({mix.single_option.title}" in said
    assert "8 of 24 would be that busy" in said
    assert "The number matters: the next best" in said


def test_where_it_is_flat_it_says_so() -> None:
    share = float(best(made()).break_even_utilization.value)  # type: ignore[arg-type]
    mix = best(made(work(busy_share=0.95), work(accelerators=32, busy_share=share)))
    low, high = mix.flat
    assert f"It is flat: with anything between {low} and {high} owned it costs within 1%" in " ".join(
        mix_sentences(mix)
    )


def test_no_mix_says_why() -> None:
    assert mix_sentences(best_mix(made(work()))) == (f"There is no mix to look for: {ALIKE}.",)
    dear = best(made(price=90_000.0, only_now=True))
    assert mix_sentences(dear)[0].startswith("No mix is cheaper than one option alone (Rent on demand")
    assert "never pays here" in mix_sentences(dear)[1]


@pytest.mark.parametrize(("mix", "said"), [
    (MixInputs(own_accelerators=1_000, reserve_accelerators=8), "Own 1,000, reserve 8, rent the peaks"),
    (MixInputs(peaks="spot"), "Rent the peaks, on spot machines where work may stop"),
    (MixInputs(own_accelerators=8, peaks="hosted"), "Own 8, pay for the peaks by the token"),
])  # fmt: skip
def test_a_mix_in_words(mix: MixInputs, said: str) -> None:
    assert mix_text(mix) == said


def test_the_tables_hold_the_numbers_of_the_study() -> None:
    mix = best(made())
    layers = layers_table(mix).to_pandas()
    assert layers["Layer"].tolist() == ["Own", "Reserve", "Rent on demand"]
    assert layers["GPUs"].tolist() == ["8", "0", "what is left"]
    assert base_size_table(mix)["Owned"] == [one.accelerators for one in mix.curve]
    assert min(base_size_table(mix)["Above the least"]) == 0
    assert sum(load_table(mix)["Hours"]) == pytest.approx(mix.load.hours.sum())


@pytest.mark.parametrize("dark", [False, True])
def test_the_charts_are_plotlys_own_and_have_their_finding(dark: bool) -> None:
    found, later = best(made()), waits(made())
    for figure in (
        mix_report.load_chart(found, dark),
        mix_report.base_size_chart(found, dark),
        mix_report.buy_or_wait_chart(later, dark),
    ):
        go.Figure(figure.to_dict())  # plotly checks every property
    load = mix_report.load_chart(found, dark).to_dict()["data"]
    assert [bar["name"] for bar in load] == ["Own (8)", "Rent on demand (16)"]
    assert sum(sum(bar["width"]) for bar in load) == 24
    assert "8 does" in load_summary(found)
    assert words.usd(found.at_most_usd) in base_size_summary(found)
    assert words.usd(later.now_usd) in buy_or_wait_summary(later)


def test_waiting_says_when_to_order_and_what_it_costs() -> None:
    now = waits(made(work(busy_share=0.95), own={"hardware_price_change_per_year": -0.1}))
    assert buy_or_wait_sentences(now)[0].startswith("If you buy (buy 8 and run them), buy now: ")
    never = waits(made(work(busy_share=0.05), own={"hardware_price_change_per_year": -0.1}))
    assert buy_or_wait_sentences(never)[0].startswith("Do not buy: renting throughout costs")
    assert "prices of hardware fall 10% a year, and 0 months until delivery" in " ".join(buy_or_wait_sentences(never))
    table = buy_or_wait_table(now).to_pandas()
    assert table["Order in month"].tolist() == list(now.months)
    assert table["Worth of waiting, USD"].tolist() == pytest.approx(
        (table["On the machines, USD"] - table["Rent meanwhile, USD"]).tolist()
    )


def test_what_cannot_be_put_off_says_why() -> None:
    late = waiting(made(work(), own={"lead_time_months": 30.0}))
    assert buy_or_wait_sentences(late) == (
        "There is nothing to put off: the machines come after 30 months, when the plan ends: too late to run, and all "
        "work would be rented.",
    )
