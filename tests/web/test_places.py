"""Where machines stand is asked on the Answer page, in words, and the answer follows it."""

from typing import get_args

import pytest

from planner.report import words
from planner.scenario.own import CapexPer, Place
from tests.web.test_pages import unfolded
from tests.web.test_questions import asked, visit

pytestmark = pytest.mark.slow


def test_every_place_has_words() -> None:
    assert set(words.PLACES) == set(get_args(Place))
    assert set(words.CHOICES["per"]) == set(get_args(CapexPer))


def test_the_place_is_chosen_in_words_and_the_answer_follows_it() -> None:
    app = unfolded(visit(gpu="RTX-4090-24GB", gpus="2", site="DE", price="1600"))
    place = app.selectbox(key="place")
    assert place.options == list(words.PLACES.values())
    assert any(one.startswith("Germany (DE)") for one in app.selectbox(key="site").options)
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
    app = unfolded(visit(own="24"))
    app.toggle(key="all").set_value(True).run()
    app.text_input(key="orders_typed").input("16, 8 in eighteen").run()
    assert asked(app).own.orders == ()
    assert any(one.value.startswith("Enter numbers of GPUs and months") for one in app.caption)
    app.text_input(key="orders_typed").input("16, 8 in month 18").run()
    assert [(one.accelerators, one.month) for one in asked(app).own.orders] == [(16, 0), (8, 18)]
    assert asked(app).own.accelerators is None
    assert app.text_input(key="orders_typed").value == "16, 8 in 18"
    assert any("24 in 2 orders" in one.value for one in app.markdown)
    app.text_input(key="orders_typed").input("").run()
    assert asked(app).own.orders == ()
