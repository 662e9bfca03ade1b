"""Keep: what it would fetch today is its price, its work is bounded by its speed, and the rest is rented."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.ledger import Ledger
from planner.money.measures import cash_by_year_usd, cash_paid_usd, cash_today_usd, peak_cash
from planner.money.option import OptionLedger, Unavailable
from planner.money.owning.resale import existing_ages, used_worth
from planner.money.plan import Plan, plan
from planner.money.setting import PlanContext
from planner.money.verdict.answer import build_answer
from planner.money.ways import keep
from planner.report.answer.document import answer_document
from planner.report.files.csv import cash_table
from planner.scenario.own import ExistingHardware, SaleAndLeaseBack
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.money.anyplan import of, plans
from tests.money.owning import EIGHTY, built, by_line, monthly, scenario, setting
from tests.report.test_answer_schema import calculated

POWER = {**EIGHTY, "usd_per_kwh": 0.1, "pue": 1.5, "power_price_change_per_year": 0.1}
KEPT = {
    "label": "the old cluster", "accelerators": 160, "relative_speed": 0.5, "usd_today_if_sold": 200_000.0,
    "usd_at_end": 50_000.0, "power_w_each": 400.0, "idle_power_w_each": 100.0, "running_usd_per_month": 3_000.0,
}  # fmt: skip


def way(kept: dict[str, Any] = KEPT, **plan: Any) -> OptionLedger:
    """Keeping this, where 80 are wanted half the time."""
    return built(keep.build, setting(scenario(POWER, kept=kept, **plan)))


def test_by_hand() -> None:
    """160 of half the speed do the work of 80, half the time: 80 of them work at 400 W and 80 idle at 100 W."""
    ledger = way()
    meter = 730 * 1.5 * 0.1
    first = 80 * 0.4 * meter + 80 * 0.1 * meter + 3_000
    assert monthly(ledger)[:2].tolist() == pytest.approx([200_000, first])
    assert monthly(ledger)[13] == pytest.approx((first - 3_000) * 1.1 + 3_000)
    usd = by_line(ledger)
    assert usd["Electricity while idle"][1] == pytest.approx(80 * 0.1 * meter)
    assert usd["What it is worth at the end"][48] == -50_000
    assert ledger.title == "Keep the old cluster"
    assert ledger.accelerators == 160
    assert ledger.warnings == ()


def test_people_and_space_have_prices_that_move() -> None:
    """160 / 100 people at 60,000 a year, 5 % dearer each year; space by the kW 3 %."""
    own = {**POWER, "fte_per_accelerator": 0.01, "usd_per_fte_year": 60_000.0, "usd_per_kw_month": 200.0}
    own |= {"wage_change_per_year": 0.05, "space_price_change_per_year": 0.03}
    kept = {name: value for name, value in KEPT.items() if name != "running_usd_per_month"}
    usd = by_line(built(keep.build, setting(scenario(own, kept=kept))))
    assert usd["People"][[1, 25]] == pytest.approx([8_000, 8_000 * 1.05**2])
    assert usd["Space, by contracted power"][25] == pytest.approx(usd["Space, by contracted power"][1] * 1.03**2)


def test_the_sale_at_the_end_is_a_sale_and_nothing_was_bought() -> None:
    """What was paid for it is gone and must not enter; what it would fetch today is forgone."""
    treated = {line.name: line.treatment for line in way().lines}
    assert treated["What it would fetch today"] == "forgone"
    assert treated["What it is worth at the end"] == "sale"
    assert "capital" not in treated.values()


def kept_plan(kept: dict[str, Any] = KEPT, **more: Any) -> Plan:
    """The same as a plan of this one way, or of those that are named."""
    return plan(load_catalogue(), scenario(POWER, kept=kept, **{"ways": ("keep",), **more}), DAY)


def test_what_it_would_fetch_today_costs_and_is_not_cash() -> None:
    """200,000 forgone today: in the comparison, and in no sum of cash."""
    made = kept_plan()
    (option,) = made.options
    rows = cash_table(made).to_pandas()
    forgone = rows[rows["line_name"] == "What it would fetch today"]
    assert set(forgone["cash_or_noncash"]) == {"noncash"}
    assert forgone["amount"].sum() == forgone["present_value"].sum() == 200_000
    measures = build_answer(made).ranked[0].measures
    assert measures.cash_today_usd == 0
    assert measures.bills_usd == pytest.approx(float(option.ledger.total_usd) - 200_000)
    assert peak_cash(made.setting, option.ledger).month > 0
    data = answer_document(calculated(made)).model_dump(mode="json")
    assert data["options"][0]["cash_by_year_usd"][0] == 0
    assert [line["name"] for line in data["options"][0]["lines"] if not line["is_cash"]] == [
        "What it would fetch today"
    ]


@pytest.mark.parametrize("profit", [None, 1e9])
def test_the_tax_on_the_sale_that_is_forgone_is_no_cash_either(profit: float | None) -> None:
    """Who sells today pays a quarter of 200,000 as tax, so keeping forgoes 150,000; nobody pays the state less."""
    tax = {"tax_share": 0.25, "profit_usd_per_year": profit}
    free, taxed = (kept_plan(kept, tax=tax).options[0].ledger for kept in ({**KEPT, "usd_today_if_sold": 0.0}, KEPT))
    assert float(taxed.total_usd - free.total_usd) == pytest.approx(150_000)
    assert cash_paid_usd(taxed) == pytest.approx(cash_paid_usd(free))


_KEPT = st.fixed_dictionaries(
    {"accelerators": st.integers(1, 300), "usd_today_if_sold": st.floats(0, 1e7), "usd_at_end": st.floats(0, 1e6)},
    optional={"relative_speed": st.floats(0.1, 2.0), "running_usd_per_month": st.floats(0, 1e5)},
)


@pytest.mark.slow
@at_most(40)
@given(plans(), _KEPT, st.sampled_from([None, {"of": "kept", "price_share": 0.8}]))
def test_cash_of_the_file_is_the_cash_of_the_answer(any_plan: Scenario, kept: Any, back: Any) -> None:
    """Of any plan that keeps machines: day one, the years and the most cash out are what the file calls cash."""
    said = {"kept": ExistingHardware(**kept), "sale_and_lease_back": None if back is None else SaleAndLeaseBack(**back)}
    made = of(any_plan.model_copy(update=said))
    rows = cash_table(made).to_pandas()
    cash = rows[(rows["cash_or_noncash"] == "cash") & rows["amount"].notna()]
    for option in made.options:
        mine = cash[cash["option"] == option.key].groupby("period_index")["amount"].sum()
        paid = mine.reindex(range(made.setting.timeline.last + 1), fill_value=0.0).to_numpy()
        little = 1e-9 * max(float(np.abs(option.ledger.monthly_usd).sum()), 1.0)
        assert paid[0] == pytest.approx(float(cash_today_usd(option.ledger)), abs=little)
        assert paid.sum() == pytest.approx(float(cash_by_year_usd(option.ledger).sum()), abs=little)
        assert paid[:13].sum() == pytest.approx(float(cash_by_year_usd(option.ledger)[0]), abs=little)


def test_the_file_has_every_month_of_an_option_that_costs_nothing() -> None:
    made = of(Scenario())
    free = replace(made.options[0], ledger=Ledger("free", ()))
    hours = cash_table(replace(made, options=(free,))).to_pandas()
    assert sorted(hours["period_index"].unique()) == list(range(made.setting.timeline.last + 1))


@pytest.mark.parametrize(("count", "speed", "able"), [(32, 1.0, 32.0), (8, 0.1, 0.8), (200, 0.05, 10.0)])
def test_what_it_cannot_do_is_rented(count: int, speed: float, able: float) -> None:
    """Half the time 80 are wanted: so many of them it is worth, the others are rented at 2 an hour."""
    ledger = way({**KEPT, "accelerators": count, "relative_speed": speed})
    usd = by_line(ledger)
    assert usd["What it cannot do: useful hours"][1:] == pytest.approx((80 - able) * 0.5 * 730 * 2)
    assert usd["Electricity while working"][1] == pytest.approx(count * 0.5 * 0.4 * 730 * 1.5 * 0.1)
    assert usd["Electricity while idle"][1] == pytest.approx(count * 0.5 * 0.1 * 730 * 1.5 * 0.1)
    share = f"{able / 80:.0%}"
    assert ledger.warnings == (
        f"It cannot do the work alone: it does {share} of the hours, the rest is rented on demand",
    )
    assert ledger.useful_hours[1] == 80 * 0.5 * 730


def test_every_field_moves_the_ledger() -> None:
    changed = {
        "accelerators": 320, "relative_speed": 1.0, "usd_today_if_sold": 0.0, "usd_at_end": 0.0, "power_w_each": 500.0,
        "idle_power_w_each": 0.0, "running_usd_per_month": 0.0,
    }  # fmt: skip
    base = monthly(way()).tolist()
    for name, value in changed.items():
        assert monthly(way({**KEPT, name: value})).tolist() != pytest.approx(base, rel=1e-6), name


def test_nothing_there_is_nothing_to_keep() -> None:
    assert isinstance(keep.build(setting(scenario(POWER))), Unavailable)


def test_what_nobody_says_is_filled_in_from_facts() -> None:
    """8 H100 in a machine rated 10,200 W: 1,275 W each, 0.76 busy and 0.25 idle, 969 and 318.75 W.

    People: a tenth of one at least, 0.1 x 200,000 / 12 = 1,666.67 a month. Space: 10.2 kW at 194.95 = 1,988.49.
    """
    found = built(keep.build, setting(scenario({}, 8, kept={"accelerators": 8})))
    usd = by_line(found)
    assert usd["People"][1] == pytest.approx(1_666.67, abs=0.01)
    assert usd["Space, by contracted power"][1] == pytest.approx(1_988.49)
    watts = {one.name: one.value for line in found.lines for one in line.used if one.name.endswith("power_w_each")}
    assert watts == {"power_w_each": pytest.approx(969), "idle_power_w_each": pytest.approx(318.75)}
    assert found.warnings == (
        "Filled in from facts: 969 W each and people and space. Enter kept.power_w_each and kept.running_usd_per_month",
    )


def test_what_is_kept_is_called_by_its_name_and_draws_what_that_draws() -> None:
    """Two RTX 4090 at home: (145 + 0.9 x 900) / 2 = 477.5 W each; nobody is hired and no desk is rented."""
    kept = {"label": "RTX 4090", "accelerators": 2}
    found = built(keep.build, setting(scenario({"place": "home"}, 2, kept=kept, site="DE")))
    watts = {one.name: one.value for line in found.lines for one in line.used}
    assert watts["power_w_each"] == pytest.approx(477.5)
    assert by_line(found)["People"].sum() + by_line(found)["Space, by contracted power"].sum() == 0


def test_what_is_there_has_a_chip_a_speed_and_the_worth_of_its_age() -> None:
    """A V100 does an eighth of an H100's work, and machines of a year fetch what used ones of that age do."""

    def kept(**more: Any) -> dict[str, float]:
        scenario = Scenario(work=({"accelerators": 16},), kept={"accelerators": 16, **more})
        ledger = plan(live_catalogue(), scenario, DAY).option("keep").ledger  # type: ignore[union-attr]
        return {used.name: float(np.max(used.value)) for line in ledger.lines for used in line.used}

    newer, older = kept(bought_year=2025), kept(bought_year=2023)
    assert newer["usd_today_if_sold"] > older["usd_today_if_sold"] > older["usd_at_end"] > 0
    assert kept(bought_year=2023, usd_today_if_sold=5.0)["usd_today_if_sold"] == 5
    slow = kept(accelerator="V100-SXM2-16GB", bought_year=2019)
    assert slow["relative_speed"] == pytest.approx(125 / 989.4, rel=0.01)
    assert slow["usd_today_if_sold"] < older["usd_today_if_sold"] / 20
    assert kept(accelerator="V100-SXM2-16GB", relative_speed=0.5)["relative_speed"] == 0.5


@pytest.mark.parametrize(("chip", "ages"), [
    ("A100-SXM4-80GB", (6.01, 3.61, 2.68)),  # released 2020-11, the H100 2022-09
    ("RTX-4090-24GB", (4.09, 2.46, 0.34)),  # 2022-10, the RTX 5090 2025-01
    ("L40S-48GB", (3.26, 1.95, 0.0)),  # 2023-08, with none after it
])  # fmt: skip
def test_machines_of_no_stated_year_are_as_old_as_their_chip_was_sold(chip: str, ages: tuple[float, ...]) -> None:
    """Between the release and a year and a half after the next chip; usually three fifths of the age of the chip."""
    kept = ExistingHardware(accelerators=8, accelerator=chip)
    context = PlanContext(live_catalogue(), Scenario(kept=kept), date(2026, 11, 21))
    assert existing_ages(context, kept) == pytest.approx(ages, abs=0.01)
    low, typical, high = used_worth(context, kept, 0.0)  # type: ignore[misc]
    assert 0 < low < typical < high
    known = used_worth(context, kept.model_copy(update={"bought_year": 2023}), 0.0)
    assert known is not None
    assert high - low > known[2] - known[0]
