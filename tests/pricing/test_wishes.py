"""Whatever a record refuses, it says in the words of this house; and a day is a day in quotes too."""

import re
from datetime import date
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from pricing.figure import Day
from pricing.strict_yaml import first_error_message

NOT_OURS = re.compile(r"Input should|valid (?:tuple|dict|string|number|integer|boolean|list)|instance of|Extra inputs")


class Inner(BaseModel):
    """A group of keys."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    share: Annotated[float, Field(gt=0, le=1)] = 0.5
    count: Annotated[int, Field(ge=1, lt=10)] = 1
    kind: Literal["own", "rent"] = "own"


class Everything(BaseModel):
    """One field of each form that our records have."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    name: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]*$")] = "a"
    on: Day | None = None
    switch: bool = True
    several: Annotated[tuple[Inner, ...], Field(min_length=1, max_length=2)] = (Inner(),)
    by_name: dict[str, float] = Field(default_factory=dict)
    either: str | float = 1.0
    inner: Inner = Inner()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["share", "count", "kind", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*Everything.model_fields, "colour"]), VALUES)
def test_every_refusal_is_in_our_words(field: str, value: Any) -> None:
    try:
        Everything.model_validate({field: value})
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        assert place[0] == field
        assert not NOT_OURS.search(wish)
        assert re.search(r"want |missing|no such key|calendar", wish), wish


@pytest.mark.parametrize(("data", "place", "said"), [
    ({"several": {}}, ("several",), "want a list, got a group of keys: write - before each entry"),
    ({"several": ()}, ("several",), "want at least 1 entries, got 0"),
    ({"several": ({}, {}, {})}, ("several",), "want at most 2 entries, got 3"),
    ({"inner": ()}, ("inner",), "want a group of keys, got a list"),
    ({"inner": {"share": 0}}, ("inner", "share"), "want a number above 0, got 0"),
    ({"inner": {"share": 1.5}}, ("inner", "share"), "want a number, at most 1, got 1.5"),
    ({"inner": {"count": 1.5}}, ("inner", "count"), "want a whole number, got 1.5"),
    ({"inner": {"kind": "buy"}}, ("inner", "kind"), "want one of own or rent, got 'buy'"),
    ({"by_name": {"x": "y"}}, ("by_name", "x"), "want a number, got 'y'"),
    ({"either": ()}, ("either",), "want text or a number, got a list"),
    ({"name": ""}, ("name",), "want text of at least 1 characters, got ''"),
    ({"switch": "yes"}, ("switch",), "want true or false, got 'yes'"),
    ({"on": "soon"}, ("on",), "want a day such as 2026-11-21, got 'soon'"),
    ({"on": "2026-11-31"}, ("on",), "2026-11-31 is not a day of the calendar"),
    ({"on": 20261121}, ("on",), "want a day such as 2026-11-21, got 20261121"),
    ({"colour": 1}, ("colour",), "there is no such key"),
])  # fmt: skip
def test_what_was_wanted_is_said(data: dict[str, Any], place: tuple[str, ...], said: str) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        Everything.model_validate(data)
    assert first_error_message(refusal.value)[:2] == (place, said)


@pytest.mark.parametrize("said", [date(2026, 11, 21), "2026-11-21", " 2026-11-21 "])
def test_a_day_in_quotes_is_a_day(said: object) -> None:
    assert Everything.model_validate({"on": said}).on == date(2026, 11, 21)
