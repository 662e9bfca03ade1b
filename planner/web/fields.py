"""The fields of the question bar: a widget for each short key of the address, and what it holds as text.

A field's widget key is its short key, and it is bound to the address. Streamlit keeps the value of a bound widget that
leaves the screen, takes its key out of the address, and brings both back with the widget.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from planner.inputs.keys import KEYS, Key
from planner.inputs.scenario import ANY_ACCELERATOR
from planner.speed.serving import work_names
from pricing import Catalogue

URL = "query-params"
BUSY = "busy"
MODELS = ("train", "serve")
USUAL_BUSY_PERCENT = 60
BY_HOUR = '"by_hour"'  # of the part of an address that has no fields
_PUT, _ON_SCREEN = "put", "on_screen"


def start() -> None:
    """A new run: no field is on the screen yet."""
    st.session_state[_ON_SCREEN] = set()


def put(texts: Mapping[str, str | None]) -> None:
    """Let fields hold these texts (None: their default) from their next showing on."""
    st.session_state.setdefault(_PUT, {}).update(texts)


def text(name: str) -> str | None:
    """What a field holds or will hold, as an address writes it; None where that is its default."""
    return _text(name, st.session_state.get(_PUT, {}), st.session_state, st.query_params)


def filled() -> set[str]:
    """The names of all fields that hold something else than their default, on the screen or not."""
    # Asking Streamlit once for all is many times cheaper than once for each.
    waiting, there, linked = st.session_state.get(_PUT, {}), st.session_state.to_dict(), st.query_params.to_dict()
    return {name for name in KEYS if _text(name, waiting, there, linked) is not None}


def _text(
    name: str, waiting: Mapping[str, str | None], there: Mapping[Any, Any], linked: Mapping[str, str]
) -> str | None:
    if name in waiting:
        return waiting[name]
    if name not in there:
        return linked.get(name) or None
    key, value = KEYS[name], there[name]
    return None if value is None or value == typed(key, None) else written(key, value)


def number(name: str) -> float | None:
    """The number a field holds; None where it holds none, or what cannot be used."""
    try:
        return float(text(name) or "")
    except ValueError:
        return None


def held() -> dict[str, str]:
    """What the fields on the screen hold, as an address writes it; defaults are left out."""
    there = st.session_state[_ON_SCREEN]
    return {name: said for name in KEYS if name in there and (said := text(name)) is not None}


def is_shown(name: str) -> bool:
    """Whether a field is on the screen in this run."""
    return name in st.session_state[_ON_SCREEN]


def show(catalogue: Catalogue, name: str, hints: Mapping[str, str]) -> None:
    """The widget of one short key."""
    key = KEYS[name]
    _ready(key)
    kind = key.shape.kind
    options = _options_of(catalogue, key)
    if name in ("years", BUSY):
        _slider(key)
    elif options is not None:
        _options(key, options, hints.get(name))
    elif kind == "switch":
        st.toggle(key.label, bool(key.default), key=name, bind=URL, help=key.help or None)
    else:
        _number(key, hints.get(name))


def _ready(key: Key) -> None:
    """What was put into a field goes there before its widget is made.

    A widget that is new on the page does not write into the address what it is given; so that is done here.
    """
    st.session_state[_ON_SCREEN].add(key.key)
    waiting = st.session_state.get(_PUT, {})
    if key.key not in waiting:
        return
    said = waiting.pop(key.key)
    is_new = key.key not in st.session_state
    st.session_state[key.key] = typed(key, said)
    if is_new and said is not None:
        st.query_params[key.key] = "true" if st.session_state[key.key] is True else said


def _options_of(catalogue: Catalogue, key: Key) -> tuple[str, ...] | None:
    """What a field can be chosen from; None where it is typed."""
    if key.key == "gpu":
        named = any(name in st.session_state[_ON_SCREEN] for name in MODELS)
        return (*((ANY_ACCELERATOR,) if named else ()), *choices(catalogue))
    if key.key in MODELS:
        return models(catalogue, key.key)
    lists = {"site": catalogue.sites, "written": catalogue.schedules}
    if key.key in lists:
        return tuple(lists[key.key])
    return key.shape.choices if key.shape.kind == "choice" else None


def models(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """What can be trained, or can answer: also measured work that writes no tokens."""
    return (*catalogue.models, *(one for one in work_names() if name == "serve" and one not in catalogue.models))


@st.cache_resource(show_spinner=False, max_entries=4)
def _choices(digest: str, _catalogue: Catalogue) -> tuple[str, ...]:
    offered: dict[str, int] = {}
    for offer in _catalogue.offers.values():
        offered[offer.accelerator] = offered.get(offer.accelerator, 0) + 1
    priced = [key for key, chip in _catalogue.accelerators.items() if chip.price_usd is not None]
    wanted = {key for key in (*offered, *priced) if key in _catalogue.accelerators}
    return tuple(sorted(wanted, key=lambda key: (-offered.get(key, 0), key)))


def choices(catalogue: Catalogue) -> tuple[str, ...]:
    """The accelerators one can rent or buy, those with the most offers first."""
    return _choices(catalogue.digest, catalogue)


def _number(key: Key, hint: str | None) -> None:
    # Not a field for whole numbers: such a field takes 1e12 for 1 and 32.500 for 32, and says nothing.
    low, high = key.low, key.high
    st.number_input(
        key.label,
        None if low is None else float(low),
        None if high is None else float(high),
        typed(key, None),
        _step(key),
        format="%g",  # all digits: rounded to cents, a price of 0.085 would read 0.09
        key=key.key,
        bind=URL,
        placeholder=hint,
        help=key.help or None,
    )


def _step(key: Key) -> float:
    """What one press of plus adds: a thousand dollars of a large sum, a hundredth of a small rate, else one."""
    if key.key in _STEPS:
        return _STEPS[key.key]
    high = key.high or 0.0
    if key.shape.kind != "whole" and not key.percent and (high < _SMALL or key.key in _RENTS):
        return 0.01
    return 1_000.0 if high >= _LARGE else 1.0


_SMALL, _RENTS = 100.0, ("rent", "reserved", "spot")
_LARGE = 1e9
_STEPS = {"tokens": 1e9}


def _slider(key: Key) -> None:
    """How busy (unless the hours are said, or each hour of the day is), or for how long."""
    if key.key == "years":
        st.slider(key.label, 0.25, 10.0, 3.0, 0.25, format="%g", key=key.key, bind=URL, help=key.help)
        return
    hours = st.session_state.get("hours", st.query_params.get("hours")) is not None
    said = hours or BY_HOUR in (st.session_state.get("carried_also") or "")
    told = f"{key.help} Follows from the GPU-hours a month, or from the hours of the day, where those are filled in."
    st.slider(key.label, 1, 100, USUAL_BUSY_PERCENT, format="%d%%", key=key.key, bind=URL, disabled=said, help=told)


def _options(key: Key, options: Iterable[str], hint: str | None) -> None:
    known = tuple(options)
    place = known.index(key.default) if key.default in known else None
    st.selectbox(key.label, known, place, key=key.key, bind=URL, help=key.help or None, placeholder=hint or "")


def typed(key: Key, said: str | None) -> Any:
    """What a widget holds for the text of an address; for none, its default."""
    if key.key == BUSY:
        return USUAL_BUSY_PERCENT if said is None else round(float(said))
    kind = key.shape.kind
    if kind == "switch":
        return bool(key.default) if said is None else said in ("1", "true")
    if kind in ("choice", "text"):
        return key.default if said is None else said
    if said is not None:
        return float(said)
    return None if key.default is None else float(key.default) * (100.0 if key.percent else 1.0)


def written(key: Key, value: Any) -> str:
    """A widget's value as an address writes it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float | int):
        whole = math.ceil(value) if key.shape.kind == "whole" else value
        return f"{whole:.12g}"
    return str(value)
