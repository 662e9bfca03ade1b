"""A plan that is late, or does not fit, keeps its numbers: marked, with the reason."""

from typing import get_args

import pytest
from streamlit.testing.v1 import AppTest

from planner.report import words
from planner.report.answer.sentences import summarize_answer
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.own import CapexPer, Place
from planner.scenario.presets import find_preset
from planner.study.market.survey import sized_accelerators
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from planner.web import name_box
from planner.web.filters import ANY
from pricing import load_catalogue
from tests.facts import DAY
from tests.report.test_job_offers import compared
from tests.web.test_pages import unfolded
from tests.web.test_questions import asked, visit
from tests.web.test_strip import entrypoint

pytestmark = pytest.mark.slow


LATE = {"train": "Llama-3.3-70B", "tokens": "1e12", "gpus": "64", "due": "90"}


def test_a_late_plan_keeps_its_numbers_marked_as_late() -> None:
    app = visit("Answer", **LATE)
    assert not app.exception
    assert app.title[0].value.startswith("Too late")
    assert "days after it" in app.warning[0].value
    undated, _ = scenario_from_link({key: text for key, text in LATE.items() if key != "due"}, load_catalogue())
    plan = planned(load_catalogue(), undated, DAY)
    sure = decided(plan)
    assert [one.value for one in app.metric] == [
        figure.value for figure in summarize_answer(plan, sure.answer, sure.futures).figures
    ]


def test_compare_shows_the_offers_for_a_late_plan_all_the_same() -> None:
    app = visit("Compare", **LATE)
    assert not app.exception
    assert "days after it" in app.warning[0].value
    assert len(app.dataframe[0].value) > 2


def test_what_does_not_fit_keeps_the_number_that_is_too_large() -> None:
    app = visit("Answer", train="Llama-3-70B", gpus="8")
    assert [one.label for one in app.metric] == ["Memory of each"]


def test_the_job_is_compared_on_the_same_gpu_and_then_on_any() -> None:
    scenario = find_preset("fine-tune-70b").scenario  # type: ignore[union-attr]
    app = visit("Compare", **scenario_to_link(scenario))
    assert not app.exception
    assert "a run, 2\\." in app.title[0].value
    assert set(app.dataframe[0].value["GPU"]) == {"H100 SXM5 80 GB"}
    app.button_group(key="across").set_value(ANY).run()
    assert not app.exception
    plan = planned(load_catalogue(), scenario, DAY)
    assert app.title[0].value == words.markdown(compared(plan, sized_accelerators(plan.setting)).finding.title)
    assert len(set(app.dataframe[0].value["GPU"])) > 10
    before = len(app.dataframe[0].value)
    app.toggle(key="large").set_value(False).run()
    assert len(app.dataframe[0].value) > before


def test_plain_hours_are_compared_as_before() -> None:
    app = visit("Compare")
    assert "GPU" not in app.dataframe[0].value
    assert app.toggle(key="large").label == "Only sellers with capacity: 8 GPUs at once"


def test_old_prices_are_a_switch_away_and_a_link_holds_it() -> None:
    app = visit("Compare")
    few = _rows(app)
    assert app.toggle(key="old").label.endswith(" offers read more than 60 days ago: show")
    app.toggle(key="old").set_value(True).run()
    every = _rows(app)
    assert f"{len(every) - len(few)} offers" in app.toggle(key="old").label
    assert set(few) < set(every)
    assert _rows(visit("Compare", old="true")) == every


def _rows(app: AppTest) -> list[str]:
    return [str(row) for row in app.dataframe[0].value.itertuples(index=False)]


def test_what_cannot_be_done_as_asked_is_said_and_any_gpu_may_do_it() -> None:
    app = visit("Compare", train="Llama-3.3-70B", method="lora", runs="8", tokens="1e8", gpu="T4-16GB")
    assert not app.exception
    assert "does not fit on 8 x" in app.title[0].value
    app.button_group(key="across").set_value(ANY).run()
    assert not app.exception
    assert "trains it for the least" in app.title[0].value


def test_every_place_has_words() -> None:
    assert set(words.PLACES) == set(get_args(Place))
    assert set(words.CHOICES["per"]) == set(get_args(CapexPer))


def test_the_place_is_chosen_in_words_and_the_answer_follows_it() -> None:
    app = unfolded(visit(gpu="RTX-4090-24GB", gpus="2", site="DE", price="1600", look="Why"))
    place = app.selectbox(key="place")
    assert place.options == list(words.PLACES.values())
    assert any(option.startswith("Germany (DE)") for option in app.selectbox(key="site").options)
    app = place.set_value("home").run()
    assert asked(app).own.place == "home"
    assert any("one workstation with 2 x RTX 4090 24 GB" in one.value for one in app.markdown)


def test_what_a_guarantee_is_worth_is_said_where_it_is_entered() -> None:
    app = unfolded(visit())
    app.toggle(key="all").set_value(True).run()
    assert not any("guarantee" in one.value for one in app.markdown)
    app.number_input(key="floor").set_value(40.0).run()
    said = [one.value for one in app.markdown if one.value.startswith(":small[The guarantee of the resale")]
    assert len(said) == 1
    assert "is entered as free" in said[0]
    app.number_input(key="floorcost").set_value(2.0).run()
    assert any(one.value.startswith(":small[The guarantee of the resale costs") for one in app.markdown)


def test_power_by_load_is_typed_in_pairs_and_the_link_holds_it() -> None:
    app = unfolded(visit())
    app.toggle(key="all").set_value(True).run()
    app.text_input(key="power_curve").input("0:25, 100").run()
    assert asked(app).own.power_at_load == ()
    assert app.text_input(key="power_curve").value == "0:25, 100"
    assert any(one.value.startswith("Enter pairs") for one in app.caption)
    app.text_input(key="power_curve").input("0:25,50:60,100:76").run()
    assert [one.power_share for one in asked(app).own.power_at_load] == [0.25, 0.6, 0.76]
    assert app.text_input(key="power_curve").value == "0:25, 50:60, 100:76"
    assert not any(one.value.startswith("Enter pairs") for one in app.caption)
    app.text_input(key="power_curve").input("").run()
    assert asked(app).own.power_at_load == ()


def test_orders_are_typed_as_numbers_and_months() -> None:
    """In place of how many to buy; what cannot be used stays in the field, and what is wanted is said."""
    app = unfolded(visit(own="24", look="Why"))
    app.toggle(key="all").set_value(True).run()
    app.text_input(key="orders_typed").input("16, 8 in eighteen").run()
    assert asked(app).own.orders == ()
    assert any(one.value.startswith("Enter numbers of GPUs and months") for one in app.caption)
    app.text_input(key="orders_typed").input("16, 8 in month 18").run()
    assert [(order.accelerators, order.month) for order in asked(app).own.orders] == [(16, 0), (8, 18)]
    assert asked(app).own.accelerators is None
    assert app.text_input(key="orders_typed").value == "16, 8 in 18"
    assert any("24 in 2 orders" in one.value for one in app.markdown)
    app.text_input(key="orders_typed").input("").run()
    assert asked(app).own.orders == ()


def notes(app: AppTest) -> str:
    return " ".join(one.value for one in (*app.warning, *app.info)).replace("\\", "")


def type_in(app: AppTest, key: str, text: str) -> None:
    """What a browser sends for a text that is not in the list."""
    box = app.selectbox(key=key)
    box.options.append(text)
    box.set_value(text).run()


def test_the_box_of_accelerators_takes_what_people_type() -> None:
    app = visit()
    assert {"H100 SXM5 80 GB", "RTX 4090 24 GB"} <= set(app.selectbox(key="gpu").options)
    for typed, key in (("rtx 4090", "RTX-4090-24GB"), ("h100 pcie", "H100-PCIe-80GB"), ("A100 80GB", "A100-SXM4-80GB")):
        type_in(app, "gpu", typed)
        assert asked(app).accelerator == key
        assert app.selectbox(key="gpu").value == key
        assert ("is taken for" in notes(app)) == (typed == "A100 80GB")
    type_in(app, "gpu", "rtx 9090")
    assert asked(app).accelerator == "A100-SXM4-80GB"
    assert "No accelerator is called 'rtx 9090'. Did you mean" in notes(app)
    assert "The value was not changed" in notes(app)
    type_in(app, "gpu", "H100-SXM5-80GB")
    assert "No accelerator" not in notes(app)
    assert "taken for" not in notes(app)


def test_the_box_of_places_takes_what_people_type() -> None:
    app = visit()
    assert "UK · United Kingdom" in app.selectbox(key="site").options
    for typed, key in (("UK", "GB"), ("european union", "EU"), ("Deutschland", "DE"), ("the Netherlands", "NL")):
        type_in(app, "site", typed)
        assert (asked(app).site, app.selectbox(key="site").value) == (key, key)


@pytest.mark.parametrize(("question", "key"), [("train", "train"), ("serve", "serve")])
def test_the_boxes_of_models_take_what_people_type(question: str, key: str) -> None:
    app = visit(**{question: "Llama-3-8B"})
    for typed, found in (("llama 70b", "Llama-3.3-70B"), ("qwen 32b", "Qwen3-32B"), ("mixtral 8x7b", "Mixtral-8x7B")):
        type_in(app, key, typed)
        task = getattr(asked(app).work[0], question)
        assert task.model == found
    type_in(app, key, "llama 71b")
    assert getattr(asked(app).work[0], question).model == "Mixtral-8x7B"
    assert "No model is called 'llama 71b'" in notes(app)


def test_a_neighbour_that_stands_for_a_model_is_said() -> None:
    app = visit(serve="Llama-3-8B")
    type_in(app, "serve", "deepseek-v3.1")
    assert "there is no record of deepseek-v3.1 itself: counted as DeepSeek-V3" in notes(app)


@pytest.mark.parametrize(("held", "note"), [
    ({"gpu": "h100"}, "'h100' is taken for H100 SXM5 80 GB"),
    ({"train": "llama 70b"}, "'llama 70b' is taken for Llama 3.3 70B"),
    ({"serve": "gemma 27b"}, "'gemma 27b' is taken for Gemma 3 27B"),
])  # fmt: skip
def test_a_link_with_a_name_of_several_says_which_is_taken(held: dict[str, str], note: str) -> None:
    app = visit(**held)
    assert note in notes(app)


def test_i_have_a_model_never_answers_for_another() -> None:
    app = entrypoint()
    type_in(app, "model_name", "llama 71b")
    assert app.selectbox(key="model_name").value is None
    assert "No model is called 'llama 71b'" in notes(app)
    app.button(key="model_go").click().run()
    assert asked(app).work[0].serve is None
    assert "Choose a model first" in notes(app)
    type_in(app, "model_name", "mixtral 8x7b")
    app.button(key="model_go").click().run()
    serve = asked(app).work[0].serve
    assert serve.model == "Mixtral-8x7B"


@pytest.mark.parametrize("key", name_box.READERS)
def test_no_two_names_in_a_box_are_the_same(key: str) -> None:
    facts = load_catalogue()
    lists = {"gpu": facts.accelerators, "site": name_box.sites(facts), "train": facts.models, "serve": facts.models,
             "havegpu": facts.accelerators}  # fmt: skip
    labels = [name_box.label(facts, key, one).casefold() for one in lists[key]]
    assert len(set(labels)) == len(labels)
