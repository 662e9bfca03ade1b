"""The question bar: widgets in, one checked `Scenario` out.

It stands in the entrypoint: every page has it and every link keeps it. Widget keys are the short keys of the address
(`planner.inputs.keys`). What the widgets hold goes the same way as a link does, through `from_address`; so there is one
place that checks, and a link, a file and a hand on the slider mean the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from planner.inputs.address import ALSO, from_address, to_address
from planner.inputs.keys import KEYS, Key
from planner.inputs.presets import presets
from planner.inputs.scenario import Scenario
from planner.report import words
from planner.web import state
from pricing import Catalogue

URL = "query-params"
CARRIED = ("name", "offer", ALSO)  # part of the address without a field of their own
ALL = "all"  # whether the fields that few need are shown; hidden, they keep what they hold
BUSY, HOURS, GPUS, MODELS = "busy", "hours", "gpus", ("train", "serve")
USUAL_BUSY_PERCENT = 60
# The expander's headings: what stands under each, and what besides when all fields are asked for.
HEADINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "A model in place of hours": (
        ("train", "method", "tokens", "runs", "due", "serve", "rps", "peak", "in", "out"),
        (),
    ),
    "The work": (("hours", "job", "growth", "session", "disk", "egress", "waits", "stops"), ()),
    "What you buy": (
        ("site", "own", "price", "wait"),
        ("server", "extra", "net", "spares", "install", "capex"),
    ),
    "Running it": (
        ("kwh", "resale"),
        ("running", "place", "colo", "kwhs", "pue", "watts", "people", "salary", "upkeep", "fail"),
    ),
    "Renting": (("rent", "rents"), ("support", "reserved", "term", "spot", "taken")),
    "Money": (("rate", "cash", "tax"), ("written", "vat", "timing", "inflation", "loan", "lease")),
}
RARE = frozenset(key for _, rare in HEADINGS.values() for key in rare)


def wrong_in_link(catalogue: Catalogue) -> list[str]:
    """What the address held that cannot be used. Read before the widgets exist, since they drop it in silence."""
    held = _address()
    for key in (*CARRIED, *RARE):
        if key in held:
            _carry(key, held[key])
    return from_address(held, catalogue)[1]


def _address() -> dict[str, str]:
    return {key: st.query_params[key] for key in st.query_params}


@st.cache_data(show_spinner=False, max_entries=4)
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


def scenario(catalogue: Catalogue) -> Scenario:
    """The question bar. Always returns a scenario: what does not agree is said, and the rest is used."""
    shown = state.reckoned(state.last_asked() or from_address(_address(), catalogue)[0]).hints
    with st.container(key="question"):
        _presets()
        with st.grid(4, min_column_width=150, vertical_alignment="bottom"):
            _number(KEYS[GPUS], shown)
            _options(KEYS["gpu"], choices(catalogue))
            _sliders()
        changed = sum(1 for key in _held() if key not in (GPUS, "gpu", BUSY, "years"))
        label = f"Adjust assumptions ({changed} changed)" if changed else "Adjust assumptions"
        with st.expander(label, key="assumptions"):
            every = st.toggle("Show all fields", key=ALL, bind=URL, help="Also those that few people change.")
            for heading, (usual, rare) in HEADINGS.items():
                st.markdown(f"**{heading}**")
                with st.grid(4, min_column_width=170, vertical_alignment="bottom"):
                    for key in (*usual, *(rare if every else ())):
                        _field(catalogue, KEYS[key], shown)
        _question_parts()
    held = _held()
    # Names that were chosen from a list need no second look; those that came with a link or a file do.
    asked, told = from_address(held, catalogue if any(name in held for name in CARRIED) else None)
    for sentence in told:
        st.warning(words.markdown(sentence.replace("This link held", "You entered")), icon=":material/help:")
    for key in (*CARRIED, *(() if every else RARE)):
        if carried := _carried(key):
            st.query_params[key] = carried
    return asked


def _carried(key: str) -> str | None:
    text: str | None = st.session_state.get(f"carried_{key}")
    return text


def _carry(key: str, text: str | None) -> None:
    st.session_state[f"carried_{key}"] = text


def use(asked: Scenario) -> None:
    """Make the question bar show another scenario. Only before its widgets are made, as in a callback."""
    held = to_address(asked)
    for name in (*CARRIED, *RARE):
        _carry(name, held.get(name))
        if name in st.query_params and name not in held:
            del st.query_params[name]
    for key in KEYS.values():
        if key.key not in CARRIED and (key.key not in RARE or st.session_state.get(ALL)):
            st.session_state[key.key] = _typed(key, held.get(key.key))


def _presets() -> None:
    """Real situations to start from; the one before can be had back."""
    known = {preset.title: preset for preset in presets()}

    def take() -> None:
        title = st.session_state["preset"]
        if title in known:
            st.session_state["before"] = state.scenario()
            use(known[title].scenario)
            st.toast(words.money_in_markdown(f"{title}: {known[title].what}"), icon=":material/edit:")

    def undo() -> None:
        use(st.session_state.pop("before"))
        st.session_state["preset"] = None

    with st.container(horizontal=True, vertical_alignment="bottom", key="presets"):
        st.pills("Start from", list(known), key="preset", on_change=take)
        if "before" in st.session_state:
            st.button("Undo", icon=":material/undo:", on_click=undo, key="undo")


def _field(catalogue: Catalogue, key: Key, shown: Mapping[str, str]) -> None:
    kind = key.shape.kind
    if key.key in RARE and key.key not in st.session_state and (carried := _carried(key.key)) is not None:
        st.session_state[key.key] = _typed(key, carried)
    if key.key == "site":
        _options(key, tuple(catalogue.sites))
    elif key.key in MODELS:
        _options(key, tuple(catalogue.models), shown.get(key.key))
    elif key.key == "written":
        _options(key, tuple(catalogue.schedules), shown.get(key.key))
    elif kind == "switch":
        st.toggle(key.label, bool(key.default), key=key.key, bind=URL, help=key.help or None)
    elif kind == "choice":
        _options(key, key.shape.choices, shown.get(key.key))
    else:
        _number(key, shown)


def _number(key: Key, shown: Mapping[str, str]) -> None:
    # Not a field for whole numbers: such a field takes 1e12 for 1 and 32.500 for 32, and says nothing.
    default = _typed(key, None)
    low, high = key.low, key.high
    st.number_input(
        key.label,
        None if low is None else float(low),
        None if high is None else float(high),
        default,
        _step(key),
        format="%g",  # all digits: rounded to cents, a price of 0.085 would read 0.09
        key=key.key,
        bind=URL,
        placeholder=shown.get(key.key),
        help=key.help or None,
    )


def _step(key: Key) -> float:
    """What one press of plus adds: a thousand dollars of a large sum, a hundredth of a small rate, else one."""
    high = key.high or 0.0
    if key.shape.kind != "whole" and not key.percent and (high < _SMALL or key.key in _RENTS):
        return 0.01
    return 1_000.0 if high >= _LARGE else 1.0


_SMALL, _RENTS = 100.0, ("rent", "reserved", "spot")
_LARGE = 1e9


def _sliders() -> None:
    """How busy (unless the hours are said), and for how long."""
    busy, years = KEYS[BUSY], KEYS["years"]
    said = any(st.session_state.get(key, st.query_params.get(key)) is not None for key in (HOURS, *MODELS))
    st.slider(
        busy.label, 1, 100, USUAL_BUSY_PERCENT, format="%d%%", key=BUSY, bind=URL, disabled=said,
        help=f"{busy.help} Follows from the GPU-hours a month where those are filled in.",
    )  # fmt: skip
    st.slider(years.label, 0.25, 10.0, 3.0, 0.25, format="%g", key="years", bind=URL, help=years.help)


def _options(key: Key, options: Iterable[str], hint: str | None = None) -> None:
    known = tuple(options)
    place = known.index(key.default) if key.default in known else None
    st.selectbox(key.label, known, place, key=key.key, bind=URL, help=key.help or None, placeholder=hint or "")


def _typed(key: Key, text: str | None) -> Any:
    """What a widget holds for the text of an address; for none, its default."""
    if key.key == BUSY:
        return USUAL_BUSY_PERCENT if text is None else round(float(text))
    kind = key.shape.kind
    if kind == "switch":
        return bool(key.default) if text is None else text == "1"
    if kind in ("choice", "text"):
        return key.default if text is None else text
    if text is not None:
        return float(text)
    return None if key.default is None else float(key.default) * (100.0 if key.percent else 1.0)


def _held() -> dict[str, str]:
    """What the widgets hold, as an address writes it; defaults are left out."""
    held = {name: text for name in (*CARRIED, *RARE) if (text := _carried(name))}
    for key in KEYS.values():
        if key.key in CARRIED or (key.key in RARE and key.key not in st.session_state):
            continue
        value = st.session_state.get(key.key)
        text = None if value is None or value == _typed(key, None) else _written(key, value)
        held.pop(key.key, None)
        if text is not None:
            held[key.key] = text
        if key.key in RARE:
            _carry(key.key, text)
    if any(key in held for key in (HOURS, *MODELS)):
        held.pop(BUSY, None)
    return {key: text for key, text in held.items() if key not in _PARTS or _PARTS[key] in held}


# What belongs to a model says nothing without it.
_PARTS = {
    **dict.fromkeys(("method", "tokens", "runs", "due"), "train"),
    **dict.fromkeys(("rps", "peak", "in", "out"), "serve"),
}


def _written(key: Key, value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float | int):
        whole = math.ceil(value) if key.shape.kind == "whole" else value
        return f"{whole:.12g}"
    return str(value)


def _question_parts() -> None:
    """A part of a GPU is questioned: it is rounded up, and a point may have been typed for a comma."""
    typed = st.session_state[GPUS]
    whole = math.ceil(typed)
    if whole != typed:
        text = _NOT_WHOLE.format(typed=typed, whole=whole, thousand=round(typed * 1_000))
        st.warning(text, icon=":material/help:")


_NOT_WHOLE = "GPUs come whole: {typed:g} counts as {whole:,}. If you meant {thousand:,}, type it without a point."

MOST_PICKS = 6
FIRST_PICKS = 4


def picks(options: list[str], buy: str) -> list[str]:
    """Which rows to draw, kept by offer id: a new order or another filter never points at the wrong row."""
    if "pick" in st.session_state:
        st.session_state["pick"] = [key for key in st.session_state["pick"] if key in options]
    chosen = st.multiselect(
        "Offers to open up",
        options,
        key="pick",
        bind=URL,
        max_selections=MOST_PICKS,
        placeholder="The cheapest, and buying. Choose here, or tick rows in the table above",
    )
    return chosen or list(dict.fromkeys([*options[:FIRST_PICKS], *([buy] if buy in options else [])]))
