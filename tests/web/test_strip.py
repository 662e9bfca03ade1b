"""The strip: the question as a sentence, the verdict in sight, undo and redo, pinned plans, and where one starts."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from planner.report import words
from planner.report.answer.phrases import SAID_WHERE_FILLED, phrases
from planner.report.answer.plan_report import VerdictSummary, last_edit_text
from planner.scenario.file import SavedScenario, read_scenario, write_scenario
from planner.scenario.link import scenario_to_link
from planner.scenario.presets import load_presets
from planner.scenario.question import QUESTIONS, detect_question
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from planner.web import history
from pricing import load_catalogue
from pricing.market.rivals import alike_models
from tests.facts import DAY
from tests.web.test_pages import APP, SLOW
from tests.web.test_questions import asked, visit

pytestmark = pytest.mark.slow


def verdict_line(app: AppTest) -> str:
    """The second line of the strip; the verdict itself is the title of the Answer page."""
    return next(one.value for one in app.markdown if "Last edit" in one.value)


def entrypoint(**held: str) -> AppTest:
    """A visitor of the whole app."""
    app = AppTest.from_file(APP, default_timeout=SLOW)
    for key, text in held.items():
        app.query_params[key] = text
    return app.run()


@pytest.mark.parametrize("preset", load_presets(), ids=lambda one: one.key)
def test_every_preset_is_a_sentence_that_opens_each_of_its_fields(preset) -> None:  # type: ignore[no-untyped-def]
    held = scenario_to_link(preset.scenario)
    question = detect_question(held)
    said = phrases(load_catalogue(), question, held)
    assert all(one.says and "None" not in one.says for one in said)
    filled = SAID_WHERE_FILLED.keys() & held.keys()
    assert {name for one in said for name in one.names} == {*question.main, "years", "site", "place", *filled}
    assert ("growth" in filled) == (preset.scenario.work[0].growth_per_year != 0)


def test_the_sentence_says_what_was_entered() -> None:
    held = {"gpus": "16", "years": "0.5", "site": "DE", "busy": "45"}
    said = [phrase.says for phrase in phrases(load_catalogue(), QUESTIONS["GPU-hours"], held)]
    assert said == ["16", "H100 SXM5 80 GB", "6 months", "Germany", "in colocation", "busy 45%"]


def test_the_last_edit_and_what_it_did_stand_beside_the_verdict() -> None:
    app = visit()
    app.number_input(key="gpus").set_value(16.0).run()
    first, then = (planned(load_catalogue(), asked_for, DAY) for asked_for in (Scenario(), asked(app)))
    before, after = (decided(one).answer.rent for one in (first, then))
    more = words.format_usd_short(after.present_usd - before.present_usd)
    assert words.markdown(f"how many at once: 8 → 16. Renting +{more}") in verdict_line(app)


def test_an_edit_that_changes_the_option_of_a_card_says_so() -> None:
    before, now = (VerdictSummary("Buy.", {}, "", {"rent": ("renting", 9e3), "own": own}) for own in
                   (("buying", 2e3), ("leasing", 3e3)))  # fmt: skip
    told = last_edit_text(load_catalogue(), {"gpus": "16"}, now, {"gpus": "8"}, before)
    assert told == "Last edit, how many at once: 8 → 16. Renting unchanged, buying → leasing +$1k."


@pytest.mark.slow
@pytest.mark.parametrize(("held", "title", "why"), [
    ({"train": "Llama-3-70B", "tokens": "2000000000000", "gpus": "64"}, "Over a year: 443 days.", "them take "),
    ({"train": "Llama-3-70B", "gpus": "2"}, "Llama 3 70B does not fit on 2 x H100-SXM5-80GB.", "it needs"),
])  # fmt: skip
def test_what_cannot_be_as_it_was_asked_says_why_under_the_title(held: dict[str, str], title: str, why: str) -> None:
    app = entrypoint(**held)
    assert not app.exception
    assert app.title[0].value == words.markdown(title)
    assert any(why in text.value for text in app.markdown)


@pytest.mark.slow
def test_undo_and_redo_go_step_by_step_and_a_new_edit_ends_what_was_ahead() -> None:
    app = visit()
    for count in (16.0, 24.0):
        app.number_input(key="gpus").set_value(count).run()
    app.button(key="undo").click().run()
    assert asked(app).work[0].accelerators == 16
    app.button(key="undo").click().run()
    assert asked(app) == Scenario()
    assert app.button(key="undo").disabled
    app.button(key="redo").click().run()
    assert asked(app).work[0].accelerators == 16
    app.number_input(key="years").set_value(2.0).run()
    assert app.button(key="redo").disabled
    app.button(key="undo").click().run()
    assert (asked(app).work[0].accelerators, asked(app).years) == (16, 3.0)


def test_undo_brings_back_the_question_too() -> None:
    app = visit(work="Fine-tune", train="Llama-3.3-70B", tokens="1e8")
    before = asked(app)
    app.button_group(key="work").set_value("GPU-hours").run()
    assert asked(app) != before
    app.button(key="undo").click().run()
    assert asked(app) == before
    assert app.button_group(key="work").value == "Fine-tune"


@pytest.mark.slow
def test_pinned_plans_stand_beside_the_one_on_the_screen_and_in_the_link() -> None:
    app = entrypoint(gpus="16")
    app.button(key="pin-plan").click().run()
    app.number_input(key="gpus").set_value(24.0).run()
    assert dict(parse_qsl(app.query_params["pin"])) == {"gpus": "16"}
    again = visit("Side by side", gpus="24", pin="gpus=16")
    assert not again.exception
    assert " more than A" in again.title[0].value.replace("\\", "")
    table = next(one.value for one in again.table if "On the screen" in one.value.columns)
    assert list(table.loc["How many at once"]) == ["16", "24", ""]
    before, now, more = table.loc[words.markdown("Rent, net present cost, USD")]
    assert more.startswith(words.markdown("+$"))
    assert before != now
    assert all(len(set(row[:2])) == 2 for row in table.itertuples(index=False)), "equal rows are left out"
    again.button(key="use-pin-0").click().run()
    assert asked(again).work[0].accelerators == 16
    again.button(key="unpin-0").click().run()
    assert "pin" not in again.query_params


@pytest.mark.slow
def test_four_plans_are_pinned_and_no_fifth() -> None:
    app = entrypoint()
    for count in range(1, 5):
        app.number_input(key="gpus").set_value(float(count)).run()
        app.button(key="pin-plan").click().run()
    assert len(app.query_params["pin"]) == 4
    assert app.button(key="pin-plan").disabled


@pytest.mark.slow
def test_what_a_link_has_no_room_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LONGEST_LINK", 10)
    app = entrypoint(gpus="16")
    app.button(key="pin-plan").click().run()
    app.number_input(key="gpus").set_value(24.0).run()
    app.button(key="pin-plan").click().run()
    assert app.query_params["pin"] == "gpus=16"
    assert any("The link is too long to include B" in one.value for one in app.warning)


def test_a_link_with_nonsense_for_a_pin_opens() -> None:
    app = entrypoint(pin="gpus=-3&nonsense=1&site=Atlantis")
    assert not app.exception
    assert app.title[0].value


@pytest.mark.slow
def test_a_budget_buys_as_many_as_it_pays_for_and_not_one_more() -> None:
    app = entrypoint()
    app.number_input(key="budget_usd").set_value(250_000.0)
    app.button(key="budget_go").click().run()
    many = asked(app).work[0].accelerators

    def bills(count: int) -> float:
        work = Scenario().work[0].model_copy(update={"accelerators": count})
        best = decided(planned(load_catalogue(), Scenario(work=(work,)), DAY)).answer.best
        return float(best.measures.total_usd)

    assert bills(many) <= 250_000 < bills(many + 1)
    assert not any(one.key == "budget_go" for one in app.button), "the starts are gone once there is a plan"


def test_a_plan_with_a_budget_says_what_is_left_on_the_first_screen() -> None:
    app = entrypoint(budget="600000", look="Why")
    assert not app.exception
    assert any("Of your" in text.value and "leaves" in text.value for text in app.markdown)
    assert any(box.label == "What the budget pays for" for box in app.expander)


def test_a_budget_too_small_for_one_says_so() -> None:
    app = entrypoint()
    app.number_input(key="budget_usd").set_value(10.0)
    app.button(key="budget_go").click().run()
    assert any("pays for about 3 hours of one H100" in one.value for one in app.info)
    assert asked(app).work[0].accelerators == 1


@pytest.mark.slow
def test_an_api_bill_becomes_the_requests_that_it_pays_for() -> None:
    app = entrypoint()
    app.number_input(key="bill_usd").set_value(30_000.0)
    app.button(key="bill_go").click().run()
    assert not app.exception
    bill, serve = asked(app).bill, asked(app).work[0].serve
    assert bill.usd_per_month == 30_000.0
    price = load_catalogue().hosted[bill.price or ""]
    written = price.output_usd_per_mtoken or price.input_usd_per_mtoken
    request_usd = (
        serve.input_tokens * price.input_usd_per_mtoken.newest.typical + serve.output_tokens * written.newest.typical
    ) / 1e6
    assert serve.requests_per_s * 730 * 3600 * request_usd == pytest.approx(30_000.0)


def test_the_api_bill_form_offers_a_model_of_like_quality_for_each_that_is_paid_for() -> None:
    app = entrypoint()
    app.selectbox(key="bill_price").set_value("OpenAI/gpt-4o").run()
    app.button(key="bill_go").click().run()
    assert not app.exception
    assert asked(app).work[0].serve.model in alike_models("gpt-4o", "reasoning")


@pytest.mark.slow
def test_gpus_that_one_has_are_beside_the_plan() -> None:
    app = entrypoint()
    app.number_input(key="have_many").set_value(16)
    app.selectbox(key="have_gpu").set_value("A100-SXM4-80GB")
    app.number_input(key="have_year").set_value(2023)
    app.button(key="have_go").click().run()
    assert not app.exception
    kept = asked(app).kept
    assert (kept.accelerators, kept.accelerator, kept.bought_year) == (16, "A100-SXM4-80GB", 2023)
    assert any("what we have" in metric.label or "Keep" in metric.label for metric in app.metric)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["Train", "Fine-tune", "Serve"])
def test_a_model_becomes_its_question(what: str) -> None:
    app = entrypoint()
    app.button_group(key="model_work").set_value(what).run()
    app.selectbox(key="model_name").set_value("Llama-3.1-8B").run()
    app.button(key="model_go").click().run()
    assert not app.exception
    work = asked(app).work[0]
    task = work.serve if what == "Serve" else work.train
    assert task.model == "Llama-3.1-8B"


@pytest.mark.slow
def test_a_plan_has_a_name_and_a_note_that_go_with_its_link_and_its_file() -> None:
    app = visit(gpus="16")
    app.text_input(key="name").set_value("Board, *March*").run()
    app.text_input(key="note").set_value(" ask   =legal first ").run()
    assert (asked(app).name, asked(app).note) == ("Board, *March*", "ask =legal first")
    again = visit(**{key: app.query_params[key] for key in ("gpus", "name", "note")})
    assert asked(again) == asked(app)
    saved = write_scenario(SavedScenario(asked(app), DAY, load_catalogue().digest))
    assert read_scenario(saved.encode(), "plan.yaml", load_catalogue()).scenario == asked(app)


@pytest.mark.slow
def test_what_is_said_of_money_and_people_is_a_phrase_and_no_second_field() -> None:
    held = {"gpus": "8", "growth": "30", "have": "4", "bill": "9000", "crew": "0.5", "budget": "500000"}
    app = entrypoint(**held, assumptions="true", all="true")
    assert not app.exception
    scenario = asked(app)
    assert (scenario.kept.accelerators, scenario.bill.usd_per_month) == (4, 9_000.0)
    assert (scenario.run_by_fte, scenario.terms.budget_usd) == (0.5, 500_000.0)
