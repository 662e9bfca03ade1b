"""Kept plans on the page: saved, listed first, opened with the figures of their day, moved on; faults lose nothing."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from planner.store import HERE
from planner.store.kept import PlanStore
from planner.store.versions import new_version
from planner.web import kept_plans, sign_in, state
from tests.facts import CATALOGUE, DAY
from tests.house import ROOT
from tests.kept.made import AT, later_facts, report, version

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor on this machine, on the day of the tests."""
    monkeypatch.setattr(state, "today", lambda: DAY)
    monkeypatch.setattr(sign_in, "HEADERS", [lambda: {sign_in.HERE: "1"}])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlanStore:
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path))
    return PlanStore()


def visit(**keys: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in keys.items():
        app.query_params[key] = value
    return app.run()


def texts(app: AppTest) -> str:
    parts = (*app.title, *app.markdown, *app.info, *app.error, *app.warning)
    return "\n".join(str(part.value) for part in parts).replace("\\", "")


def save(app: AppTest, name: str) -> AppTest:
    """Open the Share box, type a name and press Save."""
    app.session_state["share"] = True
    app.run()
    app.text_input("kept-name").set_value(name)
    return app.button("kept-save").click().run()


def test_a_plan_is_saved_from_the_page_and_the_address_opens_it_again(store: PlanStore) -> None:
    app = save(visit(gpus="16"), "Lab")
    assert not app.exception
    plan = store.find("Lab")
    assert plan.newest.number == 1
    assert dict(parse_qsl(plan.newest.link)) == {"gpus": "16"}
    assert app.query_params["saved"] in ("1.1", ["1.1"])
    again = visit(gpus="16", saved="1.1")
    assert "version 1 of “Lab”" in texts(again)


def test_next_month_the_page_shows_the_same_answer_and_moves_on_by_one_click(
    store: PlanStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save("Lab", version(), CATALOGUE)
    then = report().summary
    monkeypatch.setattr(state, "live_catalogue", lambda: later_facts(2.5))
    app = visit()
    app.button("kept-open-1").click().run()
    assert not app.exception
    assert app.title[0].value.replace("\\", "") == then.title
    assert [metric.value for metric in app.metric][:2] == [tile.value for tile in then.figures][:2]
    assert "Today's prices change this answer from" in texts(app)
    app.button("kept-today").click().run()
    assert app.title[0].value.replace("\\", "") != then.title
    assert not app.exception
    assert app.query_params["saved"] in ("1.1-today", ["1.1-today"])
    save(app, "Lab")
    assert store.find("Lab").newest.digest == later_facts(2.5).digest
    assert store.version(store.find("Lab"), 1).digest == CATALOGUE.digest


def test_alone_on_one_machine_nobody_signs_in_and_nothing_is_shared(store: PlanStore) -> None:
    store.save("Lab", version(), CATALOGUE)
    keys = {str(button.key) for button in visit().button}
    plans = AppTest.from_function(_plans_page, default_timeout=120).run()
    assert not keys & {"sign-in", "sign-out"}
    assert "kept-archive-1" in {str(button.key) for button in plans.button}
    assert "Share with" not in texts(plans)
    assert not [field for field in plans.text_input if field.key == "share-name"]
    assert [line[2:] for line in store.trail()] == [(HERE, "saved", "version 1")]


def test_plans_stand_first_and_on_a_page_of_their_own(store: PlanStore) -> None:
    assert "Your plans" not in texts(visit())
    store.save("Lab", version(), CATALOGUE, labels={"folder": "CC 12", "tags": ["a"]})
    store.save("Lab", replace(version(2.0), saved=AT.replace(hour=12)), CATALOGUE)
    assert "Your plans" in texts(visit())
    assert "Your plans" not in texts(visit(gpus="16"))
    app = AppTest.from_function(_plans_page, default_timeout=120).run()
    assert not app.exception
    assert "CC 12 · a · version 2" in texts(app).replace(", ", " · ")
    app = AppTest.from_function(_plans_page, default_timeout=120)
    app.query_params["plans"] = "Versions"
    app.run()
    assert len(app.dataframe) == 2 or "The same." in texts(app)
    app.text_input("kept-copy").set_value("Room").run()
    app.button("kept-duplicate").click().run()
    assert [plan.name for plan in store.plans()][:1] == ["Room"]
    app = AppTest.from_function(_plans_page, default_timeout=120).run()
    app.button("kept-archive-1").click().run()
    assert [plan.name for plan in store.plans()] == ["Room"]


def test_plans_that_are_picked_share_a_fleet(store: PlanStore) -> None:
    store.save("Lab", version(), CATALOGUE, labels={"folder": "CC 12"})
    store.save("Room", version(2.0), CATALOGUE, labels={"folder": "CC 12"})
    app = AppTest.from_function(_plans_page, default_timeout=120)
    app.query_params["plans"], app.query_params["portfolio"] = "Portfolio", ["1", "2"]
    app.run()
    assert not app.exception
    assert "One fleet for all 2 plans: $" in texts(app)
    teams, table = (part.value for part in app.dataframe)
    assert sorted(table["Plan"]) == ["Lab", "Room"]
    assert (list(teams["Team"]), teams["Pays, USD"].sum()) == (["CC 12"], pytest.approx(table["Pays, USD"].sum()))
    app.segmented_control("by").set_value("peak").run()
    assert app.query_params["by"] in ("peak", ["peak"])
    assert "the most GPUs that each plan uses at once" in texts(app)
    app.multiselect("portfolio").set_value(["1"]).run()
    assert not app.dataframe
    app.button("portfolio-all").click().run()
    assert len(app.dataframe) == 2
    assert not app.exception


def test_a_bill_stays_with_the_plan_that_is_open(store: PlanStore) -> None:
    store.save("Lab", version(), CATALOGUE)
    app = visit(saved="1.1")
    app.session_state["accounting"] = True
    app.run()
    head = "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingQuantity,PricingUnit,ServiceCategory"
    bill = f"{head}\n900,USD,Usage,{DAY}T00:00:00Z,10,Hours,Compute\n"
    app.file_uploader("actuals_file").upload("bill.csv", bill.encode()).run()
    app.number_input("actuals_gpus").set_value(4).run()
    app.button("actuals-keep").click().run()
    assert not app.exception
    again = visit(saved="1.1")
    assert "Bills of $900 are kept with it" in texts(again)
    again.session_state["accounting"] = True
    again.run()
    assert "An hour of a machine counts as 4 GPU-hours" in texts(again)
    assert any("By price, USD" in table.value.columns for table in again.dataframe)


def _plans_page() -> None:
    import streamlit as st

    from planner.web import ask, frame, state
    from planner.web.pages import answer, plans

    frame.begin_run()
    pages = [st.Page(plans.page, title="Plans", default=True), st.Page(answer.page, title="Answer", url_path="a")]
    chosen = st.navigation(pages)
    state.session().pages = {page.title: page for page in pages}
    frame.show_notices()
    ask.scenario(state.catalogue())
    chosen.run()


def test_somebody_elses_save_is_told_and_nothing_of_either_is_lost(store: PlanStore) -> None:
    store.save("Lab", version(), CATALOGUE)
    app = visit(saved="1.1", gpus="16")
    newer = new_version(report(2.0), CATALOGUE, "Bob", AT, "1.0")
    store.save("Lab", newer, CATALOGUE)
    save(app, "Lab")
    assert "Bob saved “Lab” as version 2" in texts(app)
    assert store.find("Lab").newest.number == 2
    app.button("kept-save").click().run()
    assert store.find("Lab").newest.number == 3
    assert dict(parse_qsl(store.find("Lab").newest.link)) == {"gpus": "16"}


def test_a_store_that_cannot_be_written_leaves_the_plan_on_the_page(
    store: PlanStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit(gpus="16")
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(blocked / "data"))
    save(app, "Lab")
    assert "cannot be made: Not a directory. Nothing was saved" in texts(app)
    assert app.query_params["gpus"] in ("16", ["16"])
    assert "16" in texts(app)
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path))
    app.button("kept-save").click().run()
    assert store.find("Lab").newest.number == 1


def test_who_may_keep_nothing_sees_nothing(store: PlanStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save("Lab", version(), CATALOGUE)
    monkeypatch.setattr(sign_in, "HEADERS", [dict])
    app = visit(saved="1.1", gpus="16")
    app.session_state["share"] = True
    app.run()
    assert "Lab" not in texts(app)
    assert not [button for button in app.button if button.key == "kept-save"]
    assert kept_plans.KEY not in app.query_params
