"""Boxes of names take what people type; what nobody knows changes nothing."""

import pytest
from streamlit.testing.v1 import AppTest

from planner.web import name_box
from pricing import load_catalogue
from tests.web.test_questions import asked, visit
from tests.web.test_strip import entrypoint

pytestmark = pytest.mark.slow


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
    assert not notes(app)


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
    assert serve is not None
    assert serve.model == "Mixtral-8x7B"


@pytest.mark.parametrize("key", name_box.READERS)
def test_no_two_names_in_a_box_are_the_same(key: str) -> None:
    facts = load_catalogue()
    lists = {"gpu": facts.accelerators, "site": name_box.sites(facts), "train": facts.models, "serve": facts.models}
    labels = [name_box.label(facts, key, one).casefold() for one in lists[key]]
    assert len(set(labels)) == len(labels)
