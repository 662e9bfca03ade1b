"""Fields of owning that are lists, typed as text: the link holds the list, and the text follows from it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from planner.scenario.link import ALSO, extra_ownership_field, extra_with_ownership
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


@dataclass(frozen=True)
class ListTextField:
    """One such field: how it is asked for, read and kept."""

    key: str
    name: str  # of the field of owning
    label: str
    empty: str  # what an empty field stands for
    told: str
    wanted: str
    text: Callable[[Any], str]  # of what the link holds
    read: Callable[[str, Any], list[dict[str, Any]] | None]  # of what is typed, beside what the link holds
    instead_of: tuple[str, ...] = ()  # other fields of owning that it stands in place of
    instead_of_keys: tuple[str, ...] = ()  # and those that have a short key of their own

    def ask(self) -> None:
        """The field. What cannot be used stays in it, and what is wanted is said."""
        refused = st.session_state.get(self._refused)
        st.session_state[self.key] = self.text(self._held()) if refused is None else refused
        st.text_input(self.label, key=self.key, on_change=partial(self._take), placeholder=self.empty, help=self.told)
        if refused is not None:
            st.caption(self.wanted)

    def is_entered(self) -> bool:
        """Whether the plan has such a list, or something stands in the field that is none."""
        return bool(self._held()) or self._refused in st.session_state

    def forget(self) -> None:
        """Forget what was typed and cannot be used: another plan is shown."""
        st.session_state.pop(self._refused, None)

    @property
    def _refused(self) -> str:
        return f"{self.key}_refused"

    def _held(self) -> Any:
        return extra_ownership_field(address.text(ALSO), self.name) or ()

    def _take(self) -> None:
        address.sync_from_widgets()
        typed = st.session_state[self.key]
        found = self.read(typed, self._held())
        if found is None:
            st.session_state[self._refused] = typed
            return
        self.forget()
        told = {self.name: found or None, **dict.fromkeys(self.instead_of)}
        others = dict.fromkeys(self.instead_of_keys) if found else {}
        address.put({ALSO: extra_with_ownership(address.text(ALSO), told), **others})


def _read_power(typed: str, _: Any) -> list[dict[str, Any]] | None:
    points = parse_power_curve(typed)
    return None if points is None else [one.model_dump() for one in points]


def _read_orders(typed: str, held: Any) -> list[dict[str, Any]] | None:
    orders = parse_orders(typed, validate_orders(held) or ())
    return None if orders is None else [one.model_dump(exclude_defaults=True) for one in orders]


POWER = ListTextField(
    key="power_curve",
    name="power_at_load",
    label="Power by load, % of rated",
    empty="a straight line",
    told=f"Pairs of load and power in percent, such as {POWER_EXAMPLE}. For machines that share their load evenly, "
    "as those that serve do: load is the busy share of the month. For jobs that run or wait leave it empty.",
    wanted=f"Want pairs from 0 to 100 % of load, with no less power at more load, such as {POWER_EXAMPLE}.",
    text=lambda held: format_power_curve(validate_power_curve(held) or ()),
    read=_read_power,
    instead_of=("busy_power_share", "idle_power_share"),
)
ORDERS = ListTextField(
    key="orders_typed",
    name="orders",
    label="Orders: how many, in which month",
    empty="as the work grows",
    told=f"Such as {ORDERS_EXAMPLE}: 16 GPUs today, 8 in month 18, 8 in month 30. Empty: all at once, or in time for "
    "work that grows. Prices and terms of single orders are for scenario files.",
    wanted=f"Want numbers of GPUs and months, each later than the one before, such as {ORDERS_EXAMPLE}.",
    text=lambda held: format_orders(validate_orders(held) or ()),
    read=_read_orders,
    instead_of=("order_month",),
    instead_of_keys=("own",),
)
EVERY = (POWER, ORDERS)


def forget() -> None:
    """Forget what was typed anywhere and cannot be used."""
    for one in EVERY:
        one.forget()
