"""Where machines stand is asked on the Answer page, in words, and the answer follows it."""

from __future__ import annotations

from typing import get_args

import pytest

from planner.report import words
from planner.scenario.own import CapexPer, Place
from planner.web import state
from tests.web.test_pages import DAY, unfolded
from tests.web.test_questions import asked, visit

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test visits on the same day."""
    monkeypatch.setattr(state, "today", lambda: DAY)


def test_every_place_has_words() -> None:
    assert set(words.PLACES) == set(get_args(Place))
    assert set(words.CHOICES["per"]) == set(get_args(CapexPer))


def test_the_place_is_chosen_in_words_and_the_answer_follows_it() -> None:
    app = unfolded(visit(gpu="RTX-4090-24GB", gpus="2", site="DE", price="1600"))
    place = app.selectbox(key="place")
    assert place.options == list(words.PLACES.values())
    assert "Germany (DE)" in app.selectbox(key="site").options
    app = place.set_value("home").run()
    assert asked(app).own.place == "home"
    assert any("one workstation with 2 x RTX 4090 24 GB" in one.value for one in app.markdown)
