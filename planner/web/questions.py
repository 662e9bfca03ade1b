"""The question (to train, to fine-tune, to serve, or GPU-hours), its fields for lists, values of other questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from planner.scenario.latency import day_patterns, match_day_pattern
from planner.scenario.link import (
    ALSO,
    PAGE_KEYS,
    clean_link,
    extra_by_hour,
    extra_field,
    extra_with_hours,
    extra_with_ownership,
    scenario_from_link,
    scenario_to_link,
)
from planner.scenario.presets import find_preset
from planner.scenario.question import HOURS, KEYS, OF_A_QUESTION, QUESTIONS, TRAIN, TUNE, QuestionKind, detect_question
from planner.scenario.typed_money import (
    ORDERS_EXAMPLE,
    POWER_EXAMPLE,
    format_orders,
    format_power_curve,
    own_list,
    parse_orders,
    parse_power_curve,
)
from planner.web import address, fields, name_box
from planner.web.shared import memory
from pricing import Catalogue, PricingError
from pricing.formulas import printable

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
        "When is it needed?",
        [EVEN, *day_patterns(), *([OWN_HOURS] if st.session_state[DAY_KEY] == OWN_HOURS else [])],
        key=DAY_KEY,
        on_change=_take_day,
        help=f"If demand varies by hour, it may be best to own a base and rent the peaks. {descriptions}",
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
            memory()[_STASHED_HOURS] = by_hour
            _put_hours(())
    elif (stashed := memory().pop(_STASHED_HOURS, None)) is not None:
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
        rejected = memory().get(self._rejected_key)
        st.session_state[self.key] = self.text_of(self._value()) if rejected is None else rejected
        st.text_input(self.label, key=self.key, on_change=self._take, placeholder=self.placeholder, help=self.help_text)
        if rejected is not None:
            st.caption(self.error)

    def is_entered(self) -> bool:
        """Return whether the plan has such a list, or the field holds a text that cannot be used."""
        return bool(self._value()) or self._rejected_key in memory()

    def forget(self) -> None:
        """Forget a text that cannot be used: another plan is shown."""
        memory().pop(self._rejected_key, None)

    @property
    def _rejected_key(self) -> str:
        return f"{self.key}_refused"

    def _value(self) -> Any:
        return extra_field(address.text(ALSO), "own", self.name) or ()

    def _take(self) -> None:
        address.sync_from_widgets()
        text = st.session_state[self.key]
        value = self.parse(text, self._value())
        if value is None:
            memory()[self._rejected_key] = text
            return
        self.forget()
        changes = {self.name: value or None, **dict.fromkeys(self.replaces_fields)}
        emptied = dict.fromkeys(self.replaces_keys) if value else {}
        address.put({ALSO: extra_with_ownership(address.text(ALSO), changes), **emptied})


def _parse_power(text: str, _: Any) -> list[dict[str, Any]] | None:
    points = parse_power_curve(text)
    return None if points is None else [point.model_dump() for point in points]


def _parse_orders(text: str, value: Any) -> list[dict[str, Any]] | None:
    orders = parse_orders(text, own_list("orders", value) or ())
    return None if orders is None else [order.model_dump(exclude_defaults=True) for order in orders]


POWER = ListTextField(
    key="power_curve",
    name="power_at_load",
    label="Power by load, % of rated",
    placeholder="a straight line",
    help_text=f"Pairs of load and power in percent, such as {POWER_EXAMPLE}. For machines that share their load "
    "evenly, as those that serve do: load is the utilization of the month. For jobs that run or wait leave it empty.",
    error=f"Enter pairs from 0 to 100 % of load, with no less power at more load, such as {POWER_EXAMPLE}.",
    text_of=lambda value: format_power_curve(own_list("power_at_load", value) or ()),
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
    text_of=lambda value: format_orders(own_list("orders", value) or ()),
    parse=_parse_orders,
    replaces_fields=("order_month",),
    replaces_keys=("own",),
)


def forget() -> None:
    """Forget hours put aside and texts that cannot be used: another plan is shown."""
    memory().pop(_STASHED_HOURS, None)
    for field in (POWER, ORDERS):
        field.forget()


KEY = "work"  # in the address: work=Train
_SHOWN, _SAVED = "question_shown", "questions_kept"
_WORK = ("train", "serve", fields.BUSY, *fields.INSTEAD)


def apply_link(catalogue: Catalogue) -> list[str]:
    """Take over the address of a visitor, before there are widgets; return a sentence for each part not usable."""
    values = address.texts()
    question = detect_question(values, values.get(KEY))
    plan = {
        name: text
        for name, text in values.items()
        if name == ALSO or (name in KEYS and (name in question.own or name not in OF_A_QUESTION))
    }
    unknown = {name: text for name, text in values.items() if name not in KEYS}
    usable, notes = clean_link({**plan, **unknown}, catalogue, PAGE_KEYS)
    notes += _resolve_model_names(catalogue, usable)
    for name in _WORK:
        if name in values and name not in plan:
            text = f"{name} = {printable(values[name])}"
            notes.append(f"This link held {text} beside a question of another kind ({question.name}). It is left out.")
    _forget()
    address.replace({**usable, **_question_values(question)}, (*KEYS, ALSO, KEY))
    memory()[_SHOWN] = question.name
    return notes


def _forget() -> None:
    fields.clear_stash()
    forget()


def _question_values(question: QuestionKind) -> dict[str, str]:
    return {} if question is HOURS else {KEY: question.name}


def _resolve_model_names(catalogue: Catalogue, usable: dict[str, str]) -> list[str]:
    """Write loosely spelt models as the lists do, with a sentence for each that is ambiguous or unknown.

    An unknown name is dropped. A model of the plan's own keeps its name, and so does one that another record stands
    for: the page then says so.
    """
    notes: list[str] = []
    names = usable.keys() & set(fields.MODELS)
    own_models = {model.name for model in scenario_from_link(usable)[0].models} if names else ()
    for name in names:
        if usable[name] not in fields.model_choices(catalogue, name) and usable[name] not in own_models:
            text = f"This link held {name} = {printable(usable[name])}."
            try:
                usable[name], note = name_box.READERS[name](catalogue, usable[name])
                notes += [f"{text} {note}"] if note else []
            except PricingError as refusal:
                del usable[name]
                notes.append(f"{text} {refusal}")
    return notes


def shown() -> QuestionKind:
    """Return the question of this run, before its pills are made."""
    return QUESTIONS.get(address.text(KEY) or HOURS.name, HOURS)


def ask() -> QuestionKind:
    """Show the pills, and return the question they stand at."""
    address.choice(KEY, QUESTIONS, HOURS.name)
    st.pills("What is the work?", list(QUESTIONS), required=True, key=KEY, on_change=_on_change)
    memory()[_SHOWN] = st.session_state[KEY]
    return QUESTIONS[st.session_state[KEY]]


def turn_to(values: Mapping[str, str]) -> None:
    """Show the question of an address. The values typed for the one on the screen are saved."""
    _save(QUESTIONS[memory()[_SHOWN]])
    _forget()
    question = detect_question(values, values.get(KEY))
    address.put({KEY: None, **_question_values(question)})
    memory()[_SHOWN] = question.name


def _on_change() -> None:
    """Save the values typed, and restore those typed here before; the first time, a real case's numbers."""
    address.sync_from_widgets()
    _save(QUESTIONS[memory()[_SHOWN]])
    question = QUESTIONS[st.session_state[KEY]]
    values = memory().get(_SAVED, {}).get(question.name)
    if values is None:
        example = find_preset(question.example) if question.example else None
        values = {} if example is None else scenario_to_link(example.scenario)
        values.pop("due", None)  # a deadline of the example is no goal of the visitor
    address.replace(values, question.own)
    stash_hours(question)
    st.session_state["preset"] = None


def _save(question: QuestionKind) -> None:
    fields.restore_all_fields()
    texts = address.texts()
    values = {name: texts[name] for name in question.own if name in texts}
    memory().setdefault(_SAVED, {})[question.name] = values
    address.put(dict.fromkeys(question.own))
