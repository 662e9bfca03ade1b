"""The pages through the app's own entrypoint, without a browser: asserted against the engine, not against copies."""

import re
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.money.plan import plan
from planner.money.renting.cheapest_offer import default_offer_filter
from planner.report import words
from planner.report.answer.advice import HEAD, overdue_figure_lines
from planner.report.answer.sentences import summarize_answer
from planner.report.market.compare import cheapest, purchase_comparison
from planner.report.market.job_offers import rented
from planner.scenario.link import PAGE_KEYS, scenario_from_link
from planner.scenario.question import KEYS
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from planner.study.market.survey import sized_accelerator
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from planner.web import ask, fields, state
from planner.web.pages.compare import FORMER, VIEWS
from pricing import load_catalogue
from pricing.stale import as_of
from tests.facts import DAY
from tests.rows import slow_except

APP = str(Path(__file__).parents[2] / "app.py")
SLOW = 60


def one_page(name: str) -> None:
    """One page under the question bar, as the entrypoint puts them together; a test cannot walk between pages."""
    import streamlit as st

    from planner.web import ask, frame, state
    from planner.web.pages import answer, assumptions, compare, side_by_side, speed, what_if

    known = {
        "Answer": answer.page, "Speed": speed.page, "Compare": compare.page, "What if": what_if.page,
        "Assumptions": assumptions.page, "Side by side": side_by_side.page,
    }  # fmt: skip
    pages = tuple(
        st.Page(page, title=title, url_path=title.lower().replace(" ", "-"), default=title == name)
        for title, page in known.items()
    )
    frame.begin_run()
    chosen = st.navigation(pages)
    state.session().pages = {page.title: page for page in pages}
    frame.show_notices()
    ask.scenario(state.catalogue())
    chosen.run()


def visit(name: str) -> AppTest:
    return AppTest.from_function(one_page, args=(name,), default_timeout=SLOW)


def unfolded(app: AppTest) -> AppTest:
    """The same visitor, with the box of assumptions open."""
    app.session_state[ask.BOX] = True
    return app.run()


@pytest.fixture
def app() -> AppTest:
    """A visitor on the Compare page."""
    return visit("Compare")


def headline(scenario: Scenario, day: date = DAY) -> str:
    """What the engine says of renting for this scenario under the usual filters, on a day."""
    catalogue = as_of(load_catalogue(), day)
    made = plan(catalogue, scenario, day)
    all_rented, _ = rented(
        catalogue, (sized_accelerator(made.setting),), default_offer_filter(scenario.accelerator), day, able_only=True
    )
    return words.markdown(
        cheapest(catalogue, made.setting.demand.all, all_rented[0].bills, purchase_comparison(made)).title
    )


def told_of(scenario: Scenario) -> str:
    """The title of the answer, from the engine."""
    made = planned(load_catalogue(), scenario, DAY)
    sure = decided(made)
    return summarize_answer(made, sure.answer, sure.futures).title


def working(**work: object) -> Scenario:
    """The usual scenario with other work."""
    return Scenario(work=(Work.model_validate(work),))


def test_the_first_visit_holds_an_answer(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert app.title[0].value == headline(Scenario())


@pytest.mark.parametrize(("key", "value", "scenario"), [
    ("gpus", 9.0, working(accelerators=9)),
    pytest.param("gpus", 1_000_000.0, working(accelerators=1_000_000), marks=pytest.mark.slow),
    pytest.param("gpus", 32.5, working(accelerators=33), marks=pytest.mark.slow),
    pytest.param("session", 0.5, Scenario(rent=RentalInputs(hours_per_session=0.5)), marks=pytest.mark.slow),
    ("disk", 0.0, working(storage_tb=0.0)),
    pytest.param("egress", 100_000.0, working(egress_tb_per_month=100_000.0), marks=pytest.mark.slow),
])  # fmt: skip
def test_a_changed_number_moves_the_answer(app: AppTest, key: str, value: float, scenario: Scenario) -> None:
    unfolded(app.run())
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert app.title[0].value == headline(scenario)


def test_a_part_of_a_gpu_is_questioned(app: AppTest) -> None:
    app.run()
    app.number_input(key="gpus").set_value(32.5).run()
    text = words.markdown("How many at once: 32.5 counts as 33. If you meant 32,500, type it without a point.")
    assert app.warning[0].value == text
    assert app.number_input(key="gpus").value == 33.0
    assert app.query_params["gpus"] == "33"
    app.number_input(key="gpus").set_value(34.0).run()
    assert not app.warning


@pytest.mark.slow
@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_every_accelerator_one_can_choose_gives_a_page(app: AppTest, every: int) -> None:
    app.run()
    for gpu in fields.accelerator_choices(load_catalogue())[::-every]:  # the last have the fewest offers and prices
        app.selectbox(key="gpu").set_value(gpu).run()
        assert not app.exception, gpu
        assert app.title[0].value == headline(Scenario(accelerator=gpu)), gpu


@pytest.mark.slow
@pytest.mark.parametrize("view", [*VIEWS, *FORMER])
def test_every_view_opens_from_a_link(app: AppTest, view: str) -> None:
    app.query_params["view"] = view
    app.query_params["gpu"] = "B300-SXM-288GB"
    app.run()
    assert not app.exception
    assert app.title[0].value == headline(Scenario(accelerator="B300-SXM-288GB"))


def test_what_a_link_held_wrongly_is_said_once_and_can_be_put_away(app: AppTest) -> None:
    app.query_params["gpus"] = "99999999"
    app.query_params["gpu"] = "H100"
    app.query_params["asof"] = "yesterday"
    app.run()
    said = [warning.value for warning in app.warning]
    assert app.query_params["asof"] == DAY.isoformat()
    assert len(said) == 3
    assert any("gpus" in text and "1,000,000" in text for text in said)
    assert any("H100 SXM5 80 GB" in text and "GH200" in text for text in said)
    app.button(key="understood-0").click().run()
    assert len(app.warning) == 2
    app.slider(key="busy").set_value(90).run()
    assert len(app.warning) == 2


@pytest.mark.parametrize("page", slow_except(("Answer",), ("Answer", "Speed", "Compare", "What if", "Assumptions")))
def test_no_key_of_a_page_counts_as_unknown(page: str) -> None:
    """Every key that the address keeps for a widget, on every page and in every view of it."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(state.__file__).parent.rglob("*.py")))
    named = set(re.findall(r'(?:address\.choices?|address\.switch|show\.views)\("(\w+)"', source))
    app = visit(page)
    bound = {"asof", "pin", *named, *(app.run().session_state["memory"]["address_views"])}
    assert {"terms", "area", "look", "pick", "work"} <= bound
    assert not [name for name in bound - KEYS.keys() if scenario_from_link({name: "1"}, others=PAGE_KEYS)[1]]


def test_unknown_keys_and_marks_that_do_not_show_are_told_on_the_page(app: AppTest) -> None:
    app.query_params["flavour"] = "5"
    app.query_params["serve"] = "\u202e50000"
    app.query_params["server"] = "\u202e50000"
    app.query_params["asof"] = "\u202e2026"
    app.query_params["pin"] = "name=a%E2%80%AEb"
    app.run()
    said = [warning.value.replace("\\", "") for warning in app.warning]
    assert any("flavour, which is no key of this page. It is left out." in text for text in said)
    assert any("server = ?50000, in which U+202E at character 1 does not show" in text for text in said)
    assert not [text for text in said if "\u202e" in text]


@pytest.mark.slow
def test_an_old_link_says_what_its_sender_saw_until_one_asks_for_today(app: AppTest) -> None:
    made = date(2026, 8, 25)
    app.query_params["asof"] = made.isoformat()
    app.run()
    assert app.title[0].value == headline(Scenario(), made)
    assert "25 Aug 2026" in app.info[0].value
    assert app.query_params["asof"] == made.isoformat()
    app.button(key="use-today").click().run()
    assert app.title[0].value == headline(Scenario())
    assert not app.info
    assert app.query_params["asof"] == DAY.isoformat()


@pytest.mark.parametrize("held", ["1999-01-01", "2027-01-01"])
def test_a_link_of_an_impossible_day_is_answered(app: AppTest, held: str) -> None:
    app.query_params["asof"] = held
    app.run()
    assert "There are no prices of" in app.warning[0].value
    assert app.title[0].value == headline(Scenario())


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


def test_the_assumptions_page_lists_the_sources() -> None:
    app = visit("Assumptions")
    app.query_params["facts"] = "Sources"
    app.run()
    assert not app.exception
    assert app.title[0].value == "Every number, its source and its date"
    sources = app.dataframe[0].value
    assert len(sources) == len(load_catalogue().sources)
    assert sources["Licence"].str.len().min() > 0


def verdict(scenario: Scenario) -> str:
    """The title the engine gives."""
    made = plan(load_catalogue(), scenario, DAY)
    return words.markdown(summarize_answer(made, decided(made).answer).title)


def test_the_entrypoint_opens_on_the_answer() -> None:
    app = AppTest.from_file(APP, default_timeout=SLOW).run()
    assert not app.exception
    assert app.title[0].value == verdict(Scenario())
    assert [metric.label.replace("\\", "") for metric in app.metric] == [
        "Rent, on demand", "Own, leased", "Break-even use", "Cash on day one",
    ]  # fmt: skip


def test_the_first_answer_is_there_before_anybody_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    state.precompute_default_answer()
    monkeypatch.delattr(state, "evaluate")  # so that nothing can be calculated any more
    facts, first = load_catalogue(), Scenario()
    kept = state.shared_result(facts, first, DAY)
    assert kept.summary.title == told_of(first)


def test_what_leaves_the_page_is_made_when_it_is_asked_for() -> None:
    app = visit("Answer").run()
    assert len(app.get("download_button")) == 1  # of the table of options
    app.session_state["share"] = True
    app.run()
    assert not app.exception
    assert len(app.get("download_button")) == 9


def test_how_sure_it_is_can_be_opened() -> None:
    app = visit("Answer")
    app.query_params["look"] = "How sure is this?"
    app.run()
    assert not app.exception
    assert any("costs less than renting in " in text.value for text in app.markdown)
    assert any("Cheapest, of 100 futures" in table.value.columns for table in app.dataframe)


@pytest.mark.slow
def test_the_answer_turns_with_use_and_with_the_path_of_rents() -> None:
    app = visit("Answer").run()
    app.slider(key="busy").set_value(10).run()
    assert app.title[0].value == verdict(working(busy_share=0.1)) == "Rent\\."
    app.slider(key="busy").set_value(100).run()
    busy = app.title[0].value
    assert busy == verdict(working(busy_share=1.0))
    assert busy != "Rent\\."
    unfolded(app).number_input(key="rents").set_value(-60.0).run()
    assert not app.exception
    falling = Scenario(work=(Work(busy_share=1.0),), terms=FinancialTerms(rent_change_per_year=-0.6))
    assert app.title[0].value == verdict(falling) != busy


@pytest.mark.parametrize(("gpu", "title", "said"), [
    ("TPU-v3", "Not enough to answer yet.", "TPU v3, per chip is not sold"),
    ("Gaudi3-128GB", "Only buying can be priced.",
     "Renting is left out: there is no published price for renting Gaudi 3"),
])  # fmt: skip
def test_without_a_price_it_says_what_is_left_out_and_what_to_enter(gpu: str, title: str, said: str) -> None:
    app = visit("Answer")
    app.query_params["gpu"] = gpu
    app.run()
    assert not app.exception
    assert app.title[0].value == words.markdown(title)
    assert any(words.markdown(said) in text.value for text in app.markdown)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["Answer", "Compare"])
def test_what_does_not_fit_can_be_left_to_be_chosen(page: str) -> None:
    app = visit(page)
    for key, text in {"train": "Llama-3-70B", "tokens": "1000000000000", "gpus": "8"}.items():
        app.query_params[key] = text
    app.run()
    assert app.title[0].value.replace("\\", "") == "Llama 3 70B does not fit on 8 x H100-SXM5-80GB."
    app.button(key="choose-for-me").click().run()
    assert not app.exception
    assert "does not fit" not in app.title[0].value
    assert not [one for one in app.button if one.key == "choose-for-me"]


def test_the_answer_names_the_old_figures_it_rests_on() -> None:
    app = visit("Answer").run()
    assert not app.exception
    found = decided(planned(load_catalogue(), Scenario(), DAY)).answer
    box = next(one for one in app.expander if one.label == HEAD)
    assert overdue_figure_lines(found)
    for line in overdue_figure_lines(found):
        assert words.markdown(line) in box.markdown[0].value
