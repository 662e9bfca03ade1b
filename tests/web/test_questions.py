"""The question bar starts from the work: each question has its fields, and none loses what was typed for another."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from planner.money.plan import plan
from planner.report import words
from planner.report.answer.phrases import echo
from planner.scenario.latency import day_patterns, latency_classes
from planner.scenario.link import extra_with_hours, scenario_from_link, scenario_to_link
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.question import HOURS, KEYS, QUESTIONS, SERVE, TRAIN, TUNE, detect_question
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.web import ask
from pricing import load_catalogue
from tests.facts import DAY
from tests.web.test_pages import SLOW, one_page, unfolded

pytestmark = pytest.mark.slow

WIDGETS = ("number_input", "text_input", "selectbox", "toggle", "slider")


def visit(page: str = "Answer", **held: str) -> AppTest:
    """A visitor on the Answer page, by a link."""
    app = AppTest.from_function(one_page, args=(page,), default_timeout=SLOW)
    for key, text in held.items():
        app.query_params[key] = text
    return app.run()


def on_screen(app: AppTest) -> set[str]:
    """The short keys that have a field."""
    return {one.key for kind in WIDGETS for one in getattr(app, kind) if one.key in KEYS}


def asked(app: AppTest) -> Scenario:
    """What the question bar asks for."""
    scenario: Scenario = app.session_state["memory"]["scenario"]
    return scenario


def turn(app: AppTest, question: str) -> AppTest:
    """Press one of the pills."""
    return app.button_group(key="work").set_value(question).run()


@pytest.mark.parametrize("question", [TRAIN, TUNE, SERVE], ids=lambda one: one.name)
def test_a_question_shows_its_fields_and_starts_from_its_example(question) -> None:  # type: ignore[no-untyped-def]
    app = turn(visit(), question.name)
    assert not app.exception
    others = frozenset().union(*(one.own for one in QUESTIONS.values())) - question.own
    assert on_screen(app) >= {*question.main, "years", "site"} - {"gpus"}
    assert on_screen(unfolded(app)) >= {*question.main, *question.more, "years", "site"} - {"gpus"}
    assert not on_screen(app) & others
    example = find_preset(question.example)
    assert example is not None
    told = {key: text for key, text in scenario_to_link(example.scenario).items() if key in question.own - {"due"}}
    assert {key: text for key, text in scenario_to_link(asked(app)).items() if key in question.own} == told


def test_going_to_another_question_and_back_keeps_what_was_typed() -> None:
    app = visit(gpus="16", busy="80")
    before = asked(app)
    turn(app, "Serve")
    app.number_input(key="rps").set_value(7.0).run()
    turn(app, "Fine-tune")
    app.selectbox(key="method").set_value("qlora").run()
    turn(app, "Train")
    assert asked(app).work[0].train.method == "full"  # type: ignore[union-attr]
    turn(app, "Fine-tune")
    assert asked(app).work[0].train.method == "qlora"  # type: ignore[union-attr]
    turn(app, "Serve")
    assert asked(app).work[0].serve.requests_per_s == 7.0  # type: ignore[union-attr]
    turn(app, "GPU-hours")
    assert asked(app) == before
    assert not app.exception


def test_a_link_holds_only_what_its_question_asks_and_says_the_same_elsewhere() -> None:
    app = visit(gpus="16", busy="80", rate="7")
    turn(app, "Serve")
    held = dict(app.query_params)
    assert {"serve", "rps", "rate"} <= held.keys()
    assert not held.keys() & {"gpus", "busy", "hours", "train", "tokens"}
    assert asked(visit(**held)) == asked(app)


@pytest.mark.parametrize(("held", "question", "work"), [
    ({"train": "Llama-3-8B", "gpus": "16"}, "Train", Work(accelerators=16, train=TrainingTask(model="Llama-3-8B"))),
    (
        {"train": "llama 3 70b", "method": "lora", "runs": "20", "tokens": "2e8"},
        "Fine-tune",
        Work(train=TrainingTask(model="Llama-3-70B", method="lora", tokens=2e8, runs_per_month=20.0)),
    ),
    ({"serve": "Llama-3-70B", "rps": "20"}, "Serve", Work(serve=ServingTask(model="Llama-3-70B", requests_per_s=20.0))),
    ({"gpus": "9", "waits": "1"}, "GPU-hours", Work(accelerators=9, may_wait=True)),
])  # fmt: skip
def test_links_of_before_keep_their_meaning(held: dict[str, str], question: str, work: Work) -> None:
    app = visit(**held)
    assert not app.exception
    assert not app.warning
    assert asked(app) == Scenario(work=(work,))
    assert app.session_state["work"] == question
    assert detect_question(scenario_to_link(asked(app))).name == question


def test_what_a_link_says_of_another_question_is_told() -> None:
    app = visit(serve="Llama-3-70B", hours="50")
    assert [one.value for one in app.warning] == [
        "This link held hours = 50 beside a question of another kind \\(Serve\\)\\. It is left out\\."
    ]
    assert asked(app) == Scenario(work=(Work(serve=ServingTask(model="Llama-3-70B")),))
    assert "hours" not in app.query_params


def test_a_model_nobody_knows_and_no_model_are_told() -> None:
    app = visit(train="lama-9")
    assert "lama-9" in app.warning[0].value
    assert any("Name the model to be trained" in one.value for one in app.markdown)
    assert asked(app) == Scenario()


def test_a_latency_class_fills_in_what_it_promises_and_is_known_by_it() -> None:
    app = unfolded(turn(visit(), "Serve"))
    assert "How fast? **chat**" in [one.value for one in app.markdown]
    names = list(latency_classes())
    app.button(key=f"pace-{names.index('long context')}").click().run()
    assert "How fast? **long context**" in [one.value for one in app.markdown]
    serve, wanted = asked(app).work[0].serve, latency_classes()["long context"]
    assert (serve.ttft_ms, serve.tpot_ms) == (wanted.ttft_ms, wanted.tpot_ms)
    assert (serve.input_tokens, serve.output_tokens) == (wanted.input_tokens, wanted.output_tokens)
    app.number_input(key="tpot").set_value(33.0).run()
    assert "How fast? **as entered**" in [one.value for one in app.markdown]
    assert not app.exception


def test_a_usual_span_is_one_press_and_a_typed_one_stays_as_it_is() -> None:
    """A run that follows at once sends what the browser showed before: nothing may bring an older span back."""
    app = visit()
    app.number_input(key="years").set_value(1.5).run()
    app.run()
    assert app.number_input(key="years").value == 1.5
    app.button(key="usual_years-3").click().run()
    assert app.number_input(key="years").value == 5.0
    assert app.query_params["years"] == "5"


def test_every_preset_stands_in_the_row_and_undo_brings_back_what_was_there() -> None:
    app = visit(gpus="16")
    before = asked(app)
    for preset in load_presets():
        app.button_group(key="preset").set_value(preset.short).run()
        assert not app.exception, preset.key
        assert asked(app) == preset.scenario, preset.key
        app.button(key="undo").click().run()
        assert asked(app) == before, preset.key


def test_a_closed_box_has_no_fields_and_loses_nothing() -> None:
    app = visit(kwh="0.2")
    assert not {"kwh", "price", "rate", "waits"} & on_screen(app)
    assert asked(app).own.usd_per_kwh == 0.2
    assert changed(app) == "1 changed"
    unfolded(app).text_input(key="price").set_value("30000").run()
    assert {"kwh", "price", "rate", "waits"} < on_screen(app)
    app.session_state[ask.BOX] = False
    assert changed(app.run()) == "2 changed"
    assert (asked(app).own.usd_per_kwh, asked(app).own.usd_per_accelerator) == (0.2, 30_000.0)
    assert not {"kwh", "price", "rate", "waits"} & on_screen(app)


def test_a_price_may_be_typed_in_any_currency_and_the_line_under_the_fields_says_the_rate() -> None:
    app = unfolded(visit(price="30000"))
    app.text_input(key="price").set_value(" 25k EUR ").run()
    assert asked(app).own.usd_per_accelerator == 25_000 * 1.1172
    assert app.query_params["price"] == "25k EUR"
    text = words.markdown("25k EUR at 1.1172 USD of 2026-10-30 (ECB) is 27,930 USD.")
    assert any(text in one.value for one in app.markdown)
    app.text_input(key="price").set_value("300 XYZ").run()
    assert "no rate of XYZ is known" in app.warning[0].value
    assert (app.text_input(key="price").value, asked(app).own.usd_per_accelerator) == ("25k EUR", 25_000 * 1.1172)
    app.text_input(key="price").set_value("").run()
    assert asked(app).own.usd_per_accelerator is None
    assert not app.warning


def changed(app: AppTest) -> str:
    """How many assumptions are said to be changed, behind the switch of their box."""
    said = (one.value.removeprefix(":small[").removesuffix("]") for one in app.markdown)
    return next(one for one in said if one.endswith(" changed"))


def test_a_rare_field_that_holds_something_stays_on_the_screen() -> None:
    app = unfolded(visit(pue="1.2"))
    assert "pue" in on_screen(app)
    assert "people" not in on_screen(app)
    unfolded(app).toggle(key="all").set_value(True).run()
    app.number_input(key="people").set_value(0.02).run()
    app.toggle(key="all").set_value(False).run()
    assert not app.exception
    assert {"pue", "people"} <= on_screen(app)
    assert asked(app).own.fte_per_accelerator == 0.02


@pytest.mark.parametrize(("work", "said"), [
    (Work(train=TrainingTask(model="Llama-2-7B", tokens=1.4e12)), "= 1.4 trillion tokens, 208 for each parameter."),
    (Work(train=TrainingTask(model="Llama-2-7B")), "= 132 billion tokens, 19.6 for each parameter."),
    (Work(accelerators=8), "= 3,500 GPU-hours a month."),
])  # fmt: skip
def test_large_numbers_are_said_back_in_words(work: Work, said: str) -> None:
    written = Scenario(work=(work,))
    question = detect_question(scenario_to_link(written)).name
    assert echo(plan(load_catalogue(), written, DAY), written, question) == said


def test_a_service_says_how_many_it_takes() -> None:
    written = find_preset("chat-service").scenario  # type: ignore[union-attr]
    made = plan(load_catalogue(), written, DAY)
    peak = made.setting.resolved.servings[0].accelerators_at_peak  # type: ignore[union-attr]
    assert f"It takes {peak} x H100 SXM5 80 GB at the peak" in echo(made, written, "Serve")


def test_a_question_is_told_by_what_an_address_holds() -> None:
    assert detect_question({}) is HOURS
    assert detect_question({}, "Serve") is SERVE
    assert detect_question({"train": "x"}, "Serve") is TRAIN
    assert detect_question({"train": "x"}, "Fine-tune") is TUNE
    assert scenario_from_link({"train": "Llama-2-7B", "choose": "1"})[0].work[0].train.choose_count  # type: ignore[union-attr]


def test_hours_of_the_day_say_how_busy_it_is() -> None:
    """The slider stands still, and the plan is that of the same link in the shell."""
    also = json.dumps({"work": [{"by_hour": [1.0] * 8 + [0.25] * 16}]})
    app = visit(also=also)
    assert not app.exception
    assert app.slider(key="busy").disabled
    made = plan(load_catalogue(), scenario_from_link({"also": also})[0], DAY)
    there = app.session_state["memory"]["current_plan"].result.plan.setting.demand
    assert there.all_hours.tolist() == made.setting.demand.all_hours.tolist() == pytest.approx([730 * 8 * 0.5])


def test_a_day_is_chosen_by_its_name_and_put_back() -> None:
    app = unfolded(visit(gpus="32"))
    assert "by_hour" not in app.query_params.get("also", "")
    app.selectbox(key="through_the_day").set_value("office hours").run()
    assert not app.exception
    work = app.session_state["memory"]["scenario"].work[0]
    assert work.by_hour == day_patterns()["office hours"].by_hour
    assert work.accelerators == 32
    assert "by_hour" in str(app.query_params["also"])
    app.selectbox(key="through_the_day").set_value("the same at any hour").run()
    assert app.session_state["memory"]["scenario"].work[0].by_hour == ()
    assert "also" not in app.query_params


def test_a_day_waits_while_a_run_is_asked_for() -> None:
    also = extra_with_hours(None, day_patterns()["office hours"].by_hour) or ""
    app = visit(also=also)
    app.button_group(key="work").set_value("Train").run()
    assert not app.exception
    assert not app.warning
    assert app.session_state["memory"]["scenario"].work[0].by_hour == ()
    app.button_group(key="work").set_value("GPU-hours").run()
    assert app.session_state["memory"]["scenario"].work[0].by_hour == day_patterns()["office hours"].by_hour


@pytest.mark.parametrize("also", ['{"wrok":[{}]}', "{", '{"own":{"pue":9}}'])
def test_a_bad_rest_of_a_link_is_told_once_and_dropped(also: str) -> None:
    app = visit(also=also, gpus="16")
    assert len(app.warning) == 1
    assert "also" not in app.query_params
    app.button(key="understood-0").click().run()
    assert not app.warning
    assert asked(app).work[0].accelerators == 16


def test_what_does_not_agree_stays_in_the_link_until_it_does() -> None:
    """Two fields that exclude each other: the page keeps what was typed and says so, here and elsewhere."""
    app = visit(gpus="16", job="12")
    app.number_input(key="gpus").set_value(4.0).run()
    held = dict(app.query_params)
    assert (held["gpus"], held["job"]) == ("4", "12")
    there = visit(**held)
    assert len(app.warning) == len(there.warning) == 1
    assert "job = 12, which does not agree with the rest" in there.warning[0].value.replace("\\", "")
    assert asked(app) == asked(there)
    app.number_input(key="gpus").set_value(12.0).run()
    assert not app.warning
    assert asked(app).work[0].accelerators_per_job == 12


def test_whole_numbers_stand_whole_in_the_link() -> None:
    app = visit()
    app.number_input(key="gpus").set_value(64.0).run()
    assert app.query_params["gpus"] == "64"


def test_a_field_that_is_emptied_shows_what_counts_then() -> None:
    app = visit(gpus="64")
    app.number_input(key="gpus").set_value(None).run()
    assert app.number_input(key="gpus").value == 8.0
    assert "gpus" not in app.query_params


def test_tokens_read_as_people_say_them() -> None:
    app = visit(train="Llama-2-7B", tokens="1000000000000")
    assert app.text_input(key="tokens").value == "1 T"
    app.text_input(key="tokens").set_value("300B").run()
    assert (app.text_input(key="tokens").value, app.query_params["tokens"]) == ("300 B", "300000000000")
    assert asked(app).work[0].train.tokens == 3e11  # type: ignore[union-attr]
    app.text_input(key="tokens").set_value("many").run()
    assert "“many” was not used" in app.warning[0].value.replace("\\", "")
    assert app.text_input(key="tokens").value == "300 B"
    app.text_input(key="tokens").set_value("2e9").run()
    assert not app.warning
    assert app.text_input(key="tokens").value == "2 B"


def test_the_slider_stands_at_what_follows_from_the_hours_and_comes_back() -> None:
    app = visit(gpus="10", busy="30")
    app.number_input(key="hours").set_value(3_650.0).run()
    assert app.slider(key="busy").disabled
    assert app.slider(key="busy").value == 50
    assert "busy" not in app.query_params
    assert visit(**dict(app.query_params)).slider(key="busy").value == 50
    app.number_input(key="hours").set_value(None).run()
    assert not app.slider(key="busy").disabled
    assert (app.slider(key="busy").value, app.query_params["busy"]) == (30, "30")


def test_a_link_says_more_than_a_slider_can_show() -> None:
    app = visit(busy="59.37")
    assert app.slider(key="busy").value == 59
    assert app.query_params["busy"] == "59.37"
    assert asked(app).work[0].busy_share == 0.5937


def test_any_gpu_without_a_model_to_choose_for_is_told_and_ends_nothing() -> None:
    app = visit(gpu="any", gpus="16")
    assert not app.exception
    assert "any needs a model or a run to choose for" in app.warning[0].value.replace("\\", "")
    assert len(app.warning) == 1
    app = visit(train="Llama-2-7B", gpu="any", choose="1")
    assert not app.warning
    app.selectbox(key="train").set_value(None).run()
    assert not app.exception
    assert "any needs a model or a run to choose for" in " ".join(one.value for one in app.warning).replace("\\", "")


@pytest.mark.parametrize("where", ["questions.apply_link", "address.write"])
def test_a_first_run_that_is_cut_short_loses_nothing_of_the_link(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is quicker than the page: the run after it starts from the same link."""

    def cut_short(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(f"planner.web.{where}", cut_short)
        app = visit(gpus="16", busy="30")
        assert app.exception
    app.run()
    assert not app.exception
    assert asked(app).work[0].accelerators == 16
    assert (app.query_params["gpus"], app.query_params["busy"]) == ("16", "30")


def test_a_part_of_a_gpu_counts_whole_though_its_edit_was_cut_short() -> None:
    """The run that would have made it whole was cut short by the next edit, so that nothing new tells of it."""
    app = visit()
    app.session_state["gpus"] = 32.5
    app.run()
    assert app.number_input(key="gpus").value == 33.0
    assert app.query_params["gpus"] == "33"
