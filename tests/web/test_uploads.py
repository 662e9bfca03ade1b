"""A file of which nothing can be used leaves what was in use as it was, and the page says so."""

from datetime import date

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from planner.money.verdict.answer import build_answer
from planner.report.files.csv_style import CsvStyle
from planner.report.handouts import write_pack
from planner.scenario.own_prices import RentalQuote, SellerDiscount
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.web import ask, state, uploads
from pricing import load_catalogue
from tests.evidence.mine import as_csv, own_rows
from tests.facts import DAY
from tests.web.test_pages import visit

pytestmark = pytest.mark.slow

QUOTES = "kind,provider,accelerator,accelerators_per_instance,purchase,usd_per_accelerator_hour\n"
GOOD = QUOTES + "offer,Ours,H100 SXM5 80GB,8,on_demand,1.95\n"
NONE_GOOD = QUOTES + "offer,Ours,H100 SXM5 80GB,8,on_demand,free\noffer,Ours,no such chip,8,on_demand,2\n"


def bring(app: AppTest, key: str, name: str, content: str) -> AppTest:
    """Upload a file."""
    return app.file_uploader(key=key).upload(name, content.encode()).run()


def test_quotes_of_which_none_can_be_used_leave_those_before() -> None:
    app = visit("Compare")
    app.query_params["view"] = "Live prices"
    app.run()
    bring(app, "quote_file", "good.csv", GOOD)
    before = app.session_state["memory"]["session"].quotes
    assert len(before.offers) == 1
    bring(app, "quote_file", "none.csv", NONE_GOOD)
    assert app.session_state["memory"]["session"].quotes is before
    said = app.error[0].value.replace("\\", "")
    assert "none.csv has no row that can be used" in said
    assert "no such chip" in said
    assert "Nothing was changed" in said


def test_the_plans_own_prices_are_a_table_that_says_what_became_of_each() -> None:
    app = visit("Compare")
    app.query_params["view"] = "Live prices"
    app.query_params["also"] = (
        '{"quotes":[{"seller":"Acme","accelerators":64,"purchase":"reserved_1y","usd_per_accelerator_hour":0.02,'
        '"valid_until":"2027-01-29"}],"discounts":[{"provider":"aws","discount_share":0.1}]}'
    )
    app.run()
    assert not app.exception
    said = " ".join(each.value for each in app.markdown).replace("\\", "")
    assert "Your quote of 0.02 USD from Acme is far from the" in said
    assert "holds until 2027-01-29: order by then." in said


def test_edited_rows_become_the_plans_own_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Scenario] = []
    monkeypatch.setattr(state, "scenario", Scenario)
    monkeypatch.setattr(ask, "use", taken.append)
    session: dict[str, dict[str, str | None]] = {}
    monkeypatch.setattr(st, "session_state", session)
    row = {"usd_per_accelerator_hour": 2.1, "valid_until": "2026-11-27", "accelerators": 64.0, "seller": None}
    uploads.use_rows("quotes", [row, {"seller": "no price yet"}], (), RentalQuote.model_validate)
    uploads.use_rows("discounts", [{"provider": "aws", "discount_share": 10.0}], (), uploads.discount_of)
    assert taken[0].quotes == (
        RentalQuote(usd_per_accelerator_hour=2.1, valid_until=date(2026, 11, 27), accelerators=64),
    )
    assert taken[1].discounts == (SellerDiscount(provider="aws", discount_share=0.1),)
    uploads.use_rows("quotes", [{**row, "ends": "2026-12-24"}], (), RentalQuote.model_validate)
    assert len(taken) == 2
    assert "the earlier day on which it starts" in (session["memory"]["own_prices_refused"] or "")


def test_runs_of_which_none_can_be_used_leave_those_before() -> None:
    app = visit("Speed")
    app.query_params["speed"] = "Your own runs"
    app.run()
    bring(app, "runs_file", "runs.csv", as_csv(own_rows(load_catalogue(), "training", (0.8, 0.82))))
    before = app.session_state["memory"]["own_runs"]
    assert before is not None
    bring(app, "runs_file", "none.csv", "id,accelerator,model\n1,no such chip,no such model\n")
    assert app.session_state["memory"]["own_runs"] is before
    assert "Nothing was changed" in app.error[-1].value.replace("\\", "")


@pytest.mark.parametrize(("name", "content"), [
    *(("plan.yaml", content)
      for content in ("", "years: 300", "accelerator: no-such-chip", "[1, 2]", "a: &x 1\nb: *x")),
    ("plan.csv", "name,value\nyears,300\n"), ("plan.csv", "years,3\n"), ("pack.zip", "PK\x03\x04cut off"),
])  # fmt: skip
def test_a_scenario_of_which_nothing_can_be_used_leaves_the_plan(name: str, content: str) -> None:
    app = visit("Answer")
    app.query_params["gpus"] = "16"
    app.session_state["share"] = True
    app.run()
    before = app.session_state["memory"]["scenario"]
    app.file_uploader(key="scenario_file").upload(name, content.encode()).run()
    assert app.session_state["memory"]["scenario"] == before
    assert app.query_params["gpus"] == "16"
    assert app.error[0].value.casefold().count("nothing was changed") == 1


def test_a_pack_is_the_plan_again() -> None:
    scenario = Scenario(years=2.25, name="=1+1", site="NO")
    plan = planned(load_catalogue(), scenario, DAY)
    app = visit("Answer")
    app.session_state["share"] = True
    app.run()
    pack = write_pack(plan, build_answer(plan), None, "Buy.", CsvStyle("semicolon", "comma"))
    app.file_uploader(key="scenario_file").upload("pack.zip", pack).run()
    assert not app.error
    assert app.session_state["memory"]["scenario"] == scenario
