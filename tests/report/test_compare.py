"""The comparison: ranked on the whole bill, nothing invented, nothing at zero."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import plotly.graph_objects as go
import pytest

from planner.money.ledger import Ledger
from planner.money.plan import plan
from planner.money.renting.bill import OfferBills, bills
from planner.money.setting import PlanContext
from planner.report import charts
from planner.report.answer.tables import parts_table
from planner.report.market.compare import (
    BUY_ID,
    COLUMNS,
    FOLD_DAYS,
    Finding,
    PurchaseComparison,
    cheapest,
    compare_table,
    hidden_offers_text,
    hidden_reasons_text,
    hide_old_prices,
    old_prices_label,
    order_sentence,
    purchase_comparison,
    selectable_rows,
    unique,
)
from planner.report.market.job_offers import JobBills, OfferComparison
from planner.report.market.prices import (
    chart_row_order,
    order_data,
    order_line,
    price_history_summary,
    value_for_money_summary,
    value_for_money_table,
)
from planner.report.table import Table
from planner.report.words import market_price
from planner.scenario.scenario import Scenario
from planner.study.market.price_history import dots, histories, worth
from planner.study.market.survey import sized_accelerator
from pricing import Catalogue, load_catalogue
from pricing.orderable import Order
from pricing.query import OfferFilter, find
from tests.facts import DAY

SCENARIO = Scenario()
SETTING = PlanContext(load_catalogue(), SCENARIO, DAY)
NEED = SETTING.demand.all
WISH = OfferFilter(accelerators=frozenset({"H100-SXM5-80GB"}))


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="module")
def rent(catalogue: Catalogue) -> OfferBills:
    return bills(SETTING, NEED, find(catalogue, WISH, DAY).ids)


def bought() -> PurchaseComparison:
    """Buying, in the plan that everybody sees first."""
    own = purchase_comparison(plan(load_catalogue(), SCENARIO, DAY))
    assert own is not None
    return own


def test_an_order_like_yours_pays_what_the_answer_says(catalogue: Catalogue, rent: OfferBills) -> None:
    """One figure on Compare, in `prices` and in the answer for the same order."""
    made = plan(catalogue, SCENARIO, DAY)
    (paid,) = (price for price in made.setting.offers.market if price.months == 0 and price.offer)
    table = compare_table(catalogue, NEED, rent, None, DAY, SETTING).to_pandas()
    on_demand = table[table["Terms"] == "on demand"]
    assert on_demand["Typical order USD/GPU-h"].to_numpy() == pytest.approx(paid.band.typical, rel=1e-3)
    assert (table["Typical order low"] < table["Typical order USD/GPU-h"]).all()
    assert (table["Typical order high"] > table["Typical order USD/GPU-h"]).all()
    typical = market_price(paid.band, None).partition("; such an order ")[2]
    assert typical in order_sentence(SETTING, "on_demand")
    found = cheapest(catalogue, NEED, rent, None, SETTING)
    assert order_sentence(SETTING, catalogue.offers[found.offer or ""].purchase) in found.sentences
    (row,) = order_data(catalogue, ["H100-SXM5-80GB"], frozenset(), Order(paid.count), DAY)
    assert (row["low"], row["typical"], row["high"]) == (paid.band.low, paid.band.typical, paid.band.high)
    assert typical in order_line(catalogue, row)
    beyond = order_data(catalogue, ["H100-SXM5-80GB"], frozenset(), Order(20_000), DAY)
    assert "20,000 H100 SXM5 80 GB on demand is likely not available" in order_line(catalogue, beyond[0])


def test_the_table_is_the_bills_and_the_purchase(catalogue: Catalogue, rent: OfferBills) -> None:
    own = bought()
    table = compare_table(catalogue, NEED, rent, own, DAY).to_pandas()
    assert tuple(table.columns) == COLUMNS
    assert sorted(table.index) == sorted([*rent.offers, BUY_ID])
    for key, total in zip(rent.offers, rent.total_usd, strict=True):
        assert table.at[key, "Plan total USD"] == pytest.approx(total, nan_ok=True)
    assert table.at[BUY_ID, "Plan total USD"] == own.total_usd
    complete = table[table["Total is"] == "complete"]["Plan total USD"]
    assert list(complete) == sorted(complete)


def test_what_has_no_price_is_last_and_says_so(catalogue: Catalogue) -> None:
    wish = OfferFilter(accelerators=frozenset({"B300-SXM-288GB"}))
    setting = PlanContext(catalogue, Scenario(accelerator="B300-SXM-288GB"), DAY)
    need = setting.demand.all
    table = compare_table(catalogue, need, bills(setting, need, find(catalogue, wish, DAY).ids), None, DAY)
    last = table.to_pandas().iloc[-1]
    assert last["Total is"] == "ask for a quote"
    assert np.isnan(last["Plan total USD"])
    assert (table.ids or ())[-1] not in selectable_rows(table)


def test_reservations_say_that_they_bill_idle_hours(catalogue: Catalogue, rent: OfferBills) -> None:
    table = compare_table(catalogue, NEED, rent, None, DAY).to_pandas()
    reserved = table[table["Terms"].str.contains("reserved")]
    assert len(reserved) > 5
    assert reserved["Notes"].str.contains("bills idle hours").all()
    ratio = reserved["USD per useful GPU-h"] / reserved["Sticker USD/GPU-h"]
    assert (ratio >= 1 / 0.6 - 1e-9).all()


def test_the_headline_names_the_first_of_the_table_and_what_its_price_rests_on(
    catalogue: Catalogue, rent: OfferBills
) -> None:
    finding = cheapest(catalogue, NEED, rent, None)
    assert finding.offer == rent.offers[rent.ranking[0]]
    price = rent.prices.of(finding.offer)
    assert f"today about ${price.typical:,.2f}" in finding.details[1]
    lower = sum(one.read_usd < price.read_usd for one in map(rent.prices.of, rent.offers))
    assert any(sentence.startswith(f"{lower} offer") for sentence in finding.details) == bool(lower)


def test_a_seller_is_never_named_without_the_age_of_an_old_price(catalogue: Catalogue) -> None:
    late = PlanContext(catalogue, SETTING.scenario, date(2028, 1, 1))
    keys = find(catalogue, OfferFilter(accelerators=frozenset({SETTING.scenario.accelerator})), late.day).ids
    finding = cheapest(catalogue, NEED, bills(late, NEED, keys), None)
    assert "on a price read" in finding.title
    assert finding.title.endswith("days ago")


def test_without_offers_the_page_says_what_to_do(catalogue: Catalogue) -> None:
    finding = cheapest(catalogue, NEED, bills(SETTING, NEED, ()), None)
    assert finding.title == "No offer here has a price for H100 SXM5 80 GB"
    assert "Widen the filters" in finding.sentences[0]


def opened(picks: Sequence[str], table: Table, rent: OfferBills, own: PurchaseComparison | None) -> list[Ledger]:
    """The ledgers behind chosen rows, as the page opens them."""
    return OfferComparison(Finding("", ()), table, {}, (JobBills(sized_accelerator(SETTING), rent),), own).opened(picks)


def test_price_and_age_come_right_after_the_provider() -> None:
    assert COLUMNS[:3] == ("Provider", "Today USD/GPU-h", "Days old")


def test_old_prices_are_folded_but_for_the_one_that_is_named(catalogue: Catalogue, rent: OfferBills) -> None:
    table = compare_table(catalogue, NEED, rent, bought(), DAY)
    ages = table.by_id("Days old")
    old = [key for key, days in ages.items() if days is not None and days > FOLD_DAYS]
    assert old
    fresh, number = hide_old_prices(table, old[0])
    assert number == len(old) - 1
    assert fresh.ids == tuple(key for key in ages if key not in old[1:])
    assert BUY_ID in ages
    only_old = table.only(key in {*old, BUY_ID} for key in ages)
    assert hide_old_prices(only_old, None) == (only_old, 0)
    assert old_prices_label(1) == "1 offer read more than 60 days ago: show"


def test_hidden_offers_are_counted_by_reason() -> None:
    assert hidden_offers_text({}) == ""
    assert hidden_offers_text({"another accelerator": 9}) == ""
    hidden = {"another accelerator": 9, "price too old": 1, "another region": 2}
    assert hidden_offers_text(hidden) == "3 offers of this GPU hidden"
    assert hidden_reasons_text(hidden) == "1 price too old and 2 another region"


def test_parts_sum_to_the_total_and_names_are_told_apart(catalogue: Catalogue, rent: OfferBills) -> None:
    own = bought()
    table = compare_table(catalogue, NEED, rent, own, DAY)
    picks = [*selectable_rows(table)[:5], BUY_ID]
    ledgers = opened(picks, table, rent, own)
    parts = parts_table(ledgers).to_pandas()
    assert len(set(parts.columns)) == len(picks) + 1
    for number, key in enumerate(picks, start=1):
        column = parts.iloc[:, number]
        assert column.iloc[:-1].sum() == pytest.approx(column.iloc[-1])
        assert column.iloc[-1] == pytest.approx(table.by_id("Plan total USD")[key])
    assert unique(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_worth_counts_each_provider_once(catalogue: Catalogue) -> None:
    rows = {row.accelerator: row for row in worth(catalogue, find(catalogue, OfferFilter(), DAY).ids, DAY)}
    h100 = rows["H100-SXM5-80GB"]
    assert h100.lowest_usd <= h100.median_usd <= h100.highest_usd
    assert h100.usd_per_pflop_hour == pytest.approx(h100.median_usd / 0.989, rel=0.01)
    assert h100.usd_per_gb_hour == pytest.approx(h100.median_usd / 80)


@pytest.mark.parametrize("dark", [False, True])
def test_every_chart_is_made_of_what_plotly_knows(catalogue: Catalogue, rent: OfferBills, dark: bool) -> None:
    """Figures are built from plain dictionaries; plotly refuses a misspelt property."""
    ids = find(catalogue, OfferFilter(), DAY).ids
    rows = worth(catalogue, ids, DAY)
    order = chart_row_order(catalogue, rows, NEED.accelerator)
    table = compare_table(catalogue, NEED, rent, None, DAY)
    lines = histories(catalogue, NEED.accelerator)
    figures = (
        charts.cost_parts(opened(selectable_rows(table)[:3], table, rent, None), dark),
        charts.price_dots(dots(catalogue, ids, DAY), order, dark),
        charts.value_for_money_bars(rows, dict(order), "pflop", dark),
        charts.value_for_money_bars(rows, dict(order), "gb", dark),
        charts.price_history(lines, dark),
    )
    for unchecked in figures:
        figure = go.Figure(unchecked.to_dict())  # refuses what plotly does not know
        assert figure.data
        assert figure.layout.height >= 200
        assert figure.layout.dragmode is False


def test_histories_leave_gaps_as_gaps(catalogue: Catalogue) -> None:
    lines = {line.key: line for line in histories(catalogue, "H100-SXM5-80GB")}
    contract = lines["semianalysis/H100-SXM5-80GB/contract-1y"]
    assert contract.usd == (1.70, None, 2.35)
    assert contract.points == 2
    assert all(list(line.days) == sorted(line.days) for line in lines.values())


def test_the_fall_and_the_rise_are_told_in_words(catalogue: Catalogue) -> None:
    told = price_history_summary(catalogue, histories(catalogue, "H100-SXM5-80GB"), "H100-SXM5-80GB")
    assert "rose from $1.70 on 1 Oct 2025 to $2.35 on 1 Mar 2026" in told
    assert price_history_summary(catalogue, [], "H100-SXM5-80GB").startswith("No history of prices for H100 SXM5")


def test_the_market_in_words_and_as_a_table(catalogue: Catalogue) -> None:
    rows = worth(catalogue, find(catalogue, OfferFilter(max_age_days=365), DAY).ids, DAY)
    assert "H100 SXM5 80 GB costs" in value_for_money_summary(catalogue, rows, "H100-SXM5-80GB")
    assert (
        value_for_money_summary(catalogue, [], "H100-SXM5-80GB")
        == "Too few offers fit the filters to compare accelerators."
    )
    assert len(value_for_money_table(catalogue, rows)) == len(rows)
