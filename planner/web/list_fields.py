"""Fields for lists: the hours of the day by a name, orders and power as text. The link holds the list itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from planner.scenario.latency import day_patterns, match_day_pattern
from planner.scenario.link import ALSO, extra_by_hour, extra_ownership_field, extra_with_hours, extra_with_ownership
from planner.scenario.question import TRAIN, TUNE, QuestionKind
from planner.scenario.typed_money import (
    ORDERS_EXAMPLE,
    POWER_EXAMPLE,
    format_orders,
    format_power_curve,
    parse_orders,
    parse_power_curve,
    validate_orders,
    validate_power_curve,
)
from planner.web import address

DAY_KEY, EVEN, OWN_HOURS = "through_the_day", "the same at any hour", "as entered"
_STASHED_HOURS = "hours_of_the_day_waiting"


# The hours of the day


def ask_day() -> None:
    """Show a list of days. Choosing one fills in its 24 hours; the link holds the hours, and the name follows."""
    by_hour = extra_by_hour(address.text(ALSO))
    pattern = match_day_pattern(by_hour)
    st.session_state[DAY_KEY] = EVEN if not by_hour else OWN_HOURS if pattern is None else pattern.name
    descriptions = " ".join(f"**{day.name}**: {day.says}" for day in day_patterns().values())
    st.selectbox(
        "When is it wanted?",
        [EVEN, *day_patterns(), *([OWN_HOURS] if st.session_state[DAY_KEY] == OWN_HOURS else [])],
        key=DAY_KEY,
        on_change=_take_day,
        help=f"Hours that differ may make it best to own a base and rent the peaks. {descriptions}",
    )


def _take_day() -> None:
    address.sync_from_widgets()
    name = st.session_state[DAY_KEY]
    if name != OWN_HOURS:
        _put_hours(() if name == EVEN else day_patterns()[name].by_hour)


def stash_hours(question: QuestionKind) -> None:
    """Put the hours of the day aside for a training run, which has none, and restore them for other questions."""
    by_hour = extra_by_hour(address.text(ALSO))
    if question in (TRAIN, TUNE):
        if by_hour:
            st.session_state[_STASHED_HOURS] = by_hour
            _put_hours(())
    elif (stashed := st.session_state.pop(_STASHED_HOURS, None)) is not None:
        _put_hours(stashed)


def _put_hours(by_hour: tuple[float, ...]) -> None:
    address.put({ALSO: extra_with_hours(address.text(ALSO), by_hour)})


# Lists as text


@dataclass(frozen=True)
class ListTextField:
    """A field of owning that is typed as text: how it is shown, parsed and kept."""

    key: str
    name: str  # of the field of owning
    label: str
    placeholder: str
    help_text: str
    error: str
    text_of: Callable[[Any], str]  # of the list in the link
    parse: Callable[[str, Any], list[dict[str, Any]] | None]  # of the typed text and the list in the link
    replaces_fields: tuple[str, ...] = ()  # other fields of owning, emptied with it
    replaces_keys: tuple[str, ...] = ()  # and those that have a short key of their own

    def ask(self) -> None:
        """Show the field. A text that cannot be used stays in it, with a message."""
        rejected = st.session_state.get(self._rejected_key)
        st.session_state[self.key] = self.text_of(self._value()) if rejected is None else rejected
        st.text_input(self.label, key=self.key, on_change=self._take, placeholder=self.placeholder, help=self.help_text)
        if rejected is not None:
            st.caption(self.error)

    def is_entered(self) -> bool:
        """Return whether the plan has such a list, or the field holds a text that cannot be used."""
        return bool(self._value()) or self._rejected_key in st.session_state

    def forget(self) -> None:
        """Forget a text that cannot be used: another plan is shown."""
        st.session_state.pop(self._rejected_key, None)

    @property
    def _rejected_key(self) -> str:
        return f"{self.key}_refused"

    def _value(self) -> Any:
        return extra_ownership_field(address.text(ALSO), self.name) or ()

    def _take(self) -> None:
        address.sync_from_widgets()
        text = st.session_state[self.key]
        value = self.parse(text, self._value())
        if value is None:
            st.session_state[self._rejected_key] = text
            return
        self.forget()
        changes = {self.name: value or None, **dict.fromkeys(self.replaces_fields)}
        emptied = dict.fromkeys(self.replaces_keys) if value else {}
        address.put({ALSO: extra_with_ownership(address.text(ALSO), changes), **emptied})


def _parse_power(text: str, _: Any) -> list[dict[str, Any]] | None:
    points = parse_power_curve(text)
    return None if points is None else [point.model_dump() for point in points]


def _parse_orders(text: str, value: Any) -> list[dict[str, Any]] | None:
    orders = parse_orders(text, validate_orders(value) or ())
    return None if orders is None else [order.model_dump(exclude_defaults=True) for order in orders]


POWER = ListTextField(
    key="power_curve",
    name="power_at_load",
    label="Power by load, % of rated",
    placeholder="a straight line",
    help_text=f"Pairs of load and power in percent, such as {POWER_EXAMPLE}. For machines that share their load "
    "evenly, as those that serve do: load is the utilization of the month. For jobs that run or wait leave it empty.",
    error=f"Enter pairs from 0 to 100 % of load, with no less power at more load, such as {POWER_EXAMPLE}.",
    text_of=lambda value: format_power_curve(validate_power_curve(value) or ()),
    parse=_parse_power,
    replaces_fields=("busy_power_share", "idle_power_share"),
)
ORDERS = ListTextField(
    key="orders_typed",
    name="orders",
    label="Orders: how many, in which month",
    placeholder="as the work grows",
    help_text=f"Such as {ORDERS_EXAMPLE}: 16 GPUs today, 8 in month 18, 8 in month 30. Empty: all at once, or in time "
    "for work that grows. Prices and terms of single orders are for scenario files.",
    error=f"Enter numbers of GPUs and months, each later than the one before, such as {ORDERS_EXAMPLE}.",
    text_of=lambda value: format_orders(validate_orders(value) or ()),
    parse=_parse_orders,
    replaces_fields=("order_month",),
    replaces_keys=("own",),
)


def forget() -> None:
    """Forget hours put aside and texts that cannot be used: another plan is shown."""
    st.session_state.pop(_STASHED_HOURS, None)
    for field in (POWER, ORDERS):
        field.forget()
