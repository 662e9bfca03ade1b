"""A config.json on the page: read, shown, part of the plan, and in its link; the shell says the same of the file."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from planner.scenario.link import scenario_from_link
from pricing import load_catalogue
from tests.web.test_own_runs import held, title
from tests.web.test_questions import visit

pytestmark = pytest.mark.slow

CONFIG = {
    "_name_or_path": "us/our-llama", "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 40,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
    "tie_word_embeddings": False,
}  # fmt: skip


def paste(app: AppTest, text: str) -> AppTest:
    return app.text_area(key="config_text").set_value(text).run()


@pytest.mark.parametrize("task", ["train", "serve"])
def test_from_the_text_to_the_link(task: str) -> None:
    app = paste(visit("Speed"), json.dumps(CONFIG))
    assert not app.exception
    (said,) = [one.value for one in app.success]
    assert "9.78 billion parameters" in said.replace("\\", "")
    app.button(key=f"{task}-own-model").click().run()
    assert not app.exception
    assert "our-llama" in title(app)
    scenario, _ = scenario_from_link(held(app), load_catalogue())
    assert [(model.name, model.layers, model.hidden) for model in scenario.models] == [("our-llama", 40, 4096)]
    again = visit("Speed", **held(app))
    assert title(again) == title(app)


def test_what_cannot_be_read_is_said_and_changes_nothing() -> None:
    app = visit("Speed")
    before = title(app)
    paste(app, json.dumps({**CONFIG, "num_attention_heads": 0}))
    assert not app.exception
    assert "num_attention_heads: want a whole number of 1 or more, got 0" in app.error[0].value.replace("\\", "")
    assert title(app) == before
