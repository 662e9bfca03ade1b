"""What it costs that jobs wait: a line of its own where an hour of it has a price, which nobody is paid."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.measures import cash_by_year_usd, cash_today_usd
from planner.money.plan import Plan, plan_from_context
from planner.money.sizing import wait_hours
from planner.money.verdict.answer import build_answer
from planner.report.files.csv import cash_table
from tests.examples import at_most
from tests.money.owning import EIGHTY
from tests.money.renting import MARKET, plan, setting, work

POOL = work(
    accelerators=80, accelerators_per_job=1, busy_share=None, accelerator_hours_per_month=10_000.0, may_wait=True
)
OWN = {**EIGHTY, "usd_per_accelerator": 10_500.0, "accelerators_per_server": 1}


def made(usd: float | None = 5.0, pool: dict[str, Any] = POOL, **more: Any) -> Plan:
    """Two years of one-accelerator jobs of eight hours that may wait."""
    terms = {"rent_change_per_year": 0.0, "usd_per_waiting_hour": usd}
    rent = {"hours_per_session": 8.0}
    return plan_from_context(
        setting(plan(pool, **{"own": OWN, "years": 2.0, "terms": terms, "rent": rent, **more}), MARKET)
    )


def waited_usd(there: Plan, key: str) -> float:
    option = there.option(key)
    assert option is not None
    return sum(float(line.total_usd) for line in option.ledger.lines if line.part == "waiting")


def test_by_hand() -> None:
    """16 machines are 86 % busy: 1,250 jobs a month wait so long each, for 24 months, at five dollars an hour."""
    there = made()
    wait = float(np.asarray(wait_hours(there.setting, 16).value))
    assert 0.5 < wait < 4.0
    assert waited_usd(there, "own") == pytest.approx(1_250 * wait * 24 * 5.0)
    assert waited_usd(there, "on_demand") == 0.0  # what is rented comes when it is wanted


def test_without_a_price_there_is_no_line() -> None:
    assert waited_usd(made(None), "own") == 0.0
    assert waited_usd(made(pool=work(busy_share=0.5)), "own") == 0.0  # nor where nothing may wait


def test_nothing_waits_before_the_fleet_is_there() -> None:
    late = made(own={**OWN, "lead_time_months": 6.0})
    assert waited_usd(late, "own") == pytest.approx(waited_usd(made(), "own") * 18 / 24)


def test_it_is_a_cost_and_no_payment() -> None:
    """Neither day one, nor a year, nor tax knows of it; the cash flow calls it no cash."""
    free, dear = made(0.0), made(5.0)
    with_tax = {"tax": {"tax_share": 0.25}}
    for key in ("own", "reserved"):
        ledgers = [one.ledger for there in (free, dear) if (one := there.option(key)) is not None]
        assert len(ledgers) == 2
        assert cash_today_usd(ledgers[0]) == cash_today_usd(ledgers[1])
        plain = ledgers[0].monthly_usd  # two years, of which the first has day one
        for ledger in ledgers:
            assert cash_by_year_usd(ledger) == pytest.approx(np.array([plain[:13].sum(), plain[13:].sum()]))
        assert ledgers[1].total_usd - ledgers[0].total_usd == pytest.approx(waited_usd(dear, key))
        assert waited_usd(dear, key) > 0
    taxed = [one.ledger for usd in (0.0, 5.0) if (one := made(usd, **with_tax).option("own")) is not None]
    assert taxed[1].part_usd("tax") == pytest.approx(taxed[0].part_usd("tax"))
    rows = cash_table(dear).to_pandas()
    row = rows[(rows["cost_category"] == "waiting") & (rows["option"] == "own")]
    assert set(row["cash_or_noncash"]) == {"noncash"}
    assert row["amount"].sum() == pytest.approx(waited_usd(dear, "own"))


def test_a_queue_that_only_grows_has_no_price() -> None:
    """Ten machines for the work of 13.7: how long jobs wait before somebody rents is not known, and not nothing."""
    there = made(own={**OWN, "accelerators": 10})
    option = there.option("own")
    assert "Jobs that wait" in option.ledger.unpriced
    assert build_answer(there).verdict == "rent" or build_answer(there).missing


@at_most(20)
@given(st.integers(14, 80), st.floats(0.0, 50.0))
def test_a_larger_fleet_waits_less(fleet: int, usd: float) -> None:
    small, large = (
        waited_usd(made(usd, own={**OWN, "accelerators": size}), "own") for size in (fleet, min(fleet + 4, 80))
    )
    assert large <= small + 1e-9
