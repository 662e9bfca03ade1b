"""The pages through the app's own entrypoint, without a browser: asserted against the engine, not against copies."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.inputs.need import Need
from planner.money.owned import buying
from planner.money.rented import bills
from planner.report import words
from planner.report.findings import cheapest
from planner.web import filters, state
from pricing import load_catalogue
from pricing.asof import as_of
from pricing.query import Wish, find

APP = str(Path(__file__).parents[2] / "app.py")
DAY = date(2026, 11, 21)
SLOW = 60


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A visitor on a fixed day."""
    monkeypatch.setattr(state, "today", lambda: DAY)
    return AppTest.from_file(APP, default_timeout=SLOW)


def headline(need: Need, day: date = DAY) -> str:
    """What the engine says for this need under the usual filters, on a day."""
    catalogue = as_of(load_catalogue(), day)
    usual = frozenset(kind for term in filters.USUAL_TERMS for kind in filters.TERMS[term])
    wish = Wish(
        accelerators=frozenset({need.accelerator}), purchases=usual, max_age_days=filters.AGES[filters.USUAL_AGE]
    )
    rent = bills(catalogue, need, find(catalogue, wish, day).ids)
    return words.markdown(cheapest(catalogue, need, rent, buying(catalogue, need), day).title)


def test_the_first_visit_holds_an_answer(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert app.title[0].value == headline(Need(accelerator="H100-SXM5-80GB"))


@pytest.mark.parametrize(
    ("key", "value", "need"),
    [
        ("gpus", 9, Need(accelerator="H100-SXM5-80GB", accelerators=9)),
        ("gpus", 16_384, Need(accelerator="H100-SXM5-80GB", accelerators=16_384)),
        ("session", 0.5, Need(accelerator="H100-SXM5-80GB", hours_per_session=0.5)),
        ("disk", 0.0, Need(accelerator="H100-SXM5-80GB", storage_tb=0.0)),
        ("egress", 100_000.0, Need(accelerator="H100-SXM5-80GB", egress_tb_per_month=100_000.0)),
    ],
)
def test_a_changed_number_moves_the_answer(app: AppTest, key: str, value: float, need: Need) -> None:
    app.run()
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert app.title[0].value == headline(need)


def test_every_accelerator_one_can_choose_gives_a_page(app: AppTest) -> None:
    app.run()
    for gpu in app.selectbox(key="gpu").options:
        app.selectbox(key="gpu").set_value(gpu).run()
        assert not app.exception, gpu
        assert app.title[0].value == headline(Need(accelerator=gpu)), gpu


@pytest.mark.parametrize(
    "view", ["Where the money goes", "Buy and run it", "Other GPUs", "Price history", "Your own prices"]
)
def test_every_view_opens_from_a_link(app: AppTest, view: str) -> None:
    app.query_params["view"] = view
    app.query_params["gpu"] = "B300-SXM-288GB"
    app.run()
    assert not app.exception
    assert app.title[0].value == headline(Need(accelerator="B300-SXM-288GB"))


def test_what_a_link_held_wrongly_is_said_once_and_can_be_put_away(app: AppTest) -> None:
    app.query_params["gpus"] = "99999999"
    app.query_params["gpu"] = "H100"
    app.query_params["asof"] = "yesterday"
    app.run()
    said = [warning.value for warning in app.warning]
    assert app.query_params["asof"] == DAY.isoformat()
    assert len(said) == 3
    assert any("gpus" in text and "16,384" in text for text in said)
    assert any("H100\\-SXM5\\-80GB" in text and "GH200" in text for text in said)
    app.button(key="understood-0").click().run()
    assert len(app.warning) == 2
    app.slider(key="busy").set_value(90).run()
    assert len(app.warning) == 2


def test_an_old_link_says_what_its_sender_saw_until_one_asks_for_today(app: AppTest) -> None:
    made = date(2026, 8, 25)
    app.query_params["asof"] = made.isoformat()
    app.run()
    assert app.title[0].value == headline(Need(accelerator="H100-SXM5-80GB"), made)
    assert "25 Aug 2026" in app.info[0].value
    assert app.query_params["asof"] == made.isoformat()
    app.button(key="use-today").click().run()
    assert app.title[0].value == headline(Need(accelerator="H100-SXM5-80GB"))
    assert not app.info
    assert app.query_params["asof"] == DAY.isoformat()


@pytest.mark.parametrize("held", ["1999-01-01", "2027-01-01"])
def test_a_link_of_an_impossible_day_is_answered(app: AppTest, held: str) -> None:
    app.query_params["asof"] = held
    app.run()
    assert "when nothing was known" in app.warning[0].value
    assert app.title[0].value == headline(Need(accelerator="H100-SXM5-80GB"))


@pytest.mark.parametrize("path", ["asof", "gpu", "site"])
def test_script_in_a_link_stays_text(app: AppTest, path: str) -> None:
    app.query_params[path] = "<script>alert(1)</script>[x](javascript:alert(1))$x$"
    app.run()
    assert not app.exception
    for warning in app.warning:
        assert "<script>" not in warning.value
        assert "[x](" not in warning.value


def test_filters_that_leave_nothing_say_what_to_do(app: AppTest) -> None:
    app.query_params["gpu"] = "TPU-v6e"
    app.query_params["terms"] = "Capacity block"
    app.run()
    assert not app.exception
    assert app.title[0].value == words.markdown("No offer here has a price for TPU v6e Trillium 32 GB") or (
        app.title[0].value.startswith("No offer here has a price for")
    )


def assumptions_alone() -> None:
    """The Assumptions page with the question bar, as the entrypoint puts them together."""
    import streamlit as st

    from planner.web import ask, state
    from planner.web.pages import assumptions, compare

    pages = (
        st.Page(assumptions.page, title="Assumptions", url_path="assumptions", default=True),
        st.Page(compare.page, title="Compare", url_path="compare"),
    )
    chosen = st.navigation(pages)
    state.remember_pages(pages)
    state.remember(ask.need(state.catalogue()))
    chosen.run()


def test_hidden_offers_can_be_shown(app: AppTest) -> None:
    app.run()
    few = len(app.dataframe[0].value)
    app.button(key="show-hidden").click().run()
    assert not app.exception
    catalogue = load_catalogue()
    wide = {key for key, name in catalogue.ambiguous.items() if "H100-SXM5-80GB" in name.candidates}
    every = [o for o in catalogue.offers.values() if o.accelerator in {"H100-SXM5-80GB", *wide}]
    assert few < len(app.dataframe[0].value) == len(every) + 1  # and buying
    assert not any(button.key == "show-hidden" for button in app.button)


def test_the_assumptions_page_lists_what_the_plan_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
    app = AppTest.from_function(assumptions_alone, default_timeout=SLOW).run()
    assert not app.exception
    assert app.title[0].value == "Every number, its source and its date"
    used = app.dataframe[0].value
    assert {"usd_per_accelerator_hour", "usd_per_kwh", "residual_share"} <= set(used["Assumption"])
    assert used["Said by"].str.len().min() > 0
    sources = app.dataframe[1].value
    assert len(sources) == len(load_catalogue().sources)
    assert sources["Licence"].str.len().min() > 0
