"""The fields of the question bar: a widget for each short key of the address, which is the widget's key too."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from planner.report import words
from planner.scenario.amounts import format_amount, parse_amount
from planner.scenario.link import ALSO, extra_by_hour, scenario_from_link
from planner.scenario.question import KEYS, LinkKey
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.scenario.typed_money import AmountError, is_money, parse_money
from planner.speed.serving import work_names
from planner.web import address, name_box
from pricing import Catalogue
from pricing.errors import NameLookupError
from pricing.exchange import Rates, rates

GPUS, BUSY, HOURS = "gpus", "busy", "hours"
INSTEAD = (HOURS, "team", "weekly")  # what says how busy it is in place of the share
MODELS = ("train", "serve")
USUAL_BUSY_PERCENT = 60
_ON_SCREEN, _ASIDE, _PARTS = "fields_on_screen", "fields_aside", "typed_in_parts"


def start() -> None:
    """A new run: no field is on the screen yet."""
    st.session_state[_ON_SCREEN] = set()


def filled() -> set[str]:
    """The names of all fields that hold something else than their default, on the screen or not."""
    return KEYS.keys() & address.texts().keys()


def number(name: str) -> float | None:
    """The number a field holds; None where it holds none."""
    said = address.text(name)
    return None if said is None else float(said)


def is_shown(name: str) -> bool:
    """Whether a field is on the screen in this run."""
    return name in st.session_state[_ON_SCREEN]


def stash_field(name: str) -> None:
    """Keep what a field holds while it does not count. The address is without it until it is brought back."""
    if (said := address.text(name)) is not None:
        st.session_state[_ASIDE][name] = said
        address.put({name: None})


def clear_stash() -> None:
    """Forget what was put aside: another plan is shown."""
    st.session_state[_ASIDE] = {}


def restore_all_fields() -> None:
    """Let every field that was put aside hold again what it held before."""
    for name in list(st.session_state[_ASIDE]):
        restore_field(name)


def restore_field(name: str) -> None:
    """Let a field hold again what it held when it was put aside."""
    if (said := st.session_state[_ASIDE].pop(name, None)) is not None:
        address.put({name: said})


def show(catalogue: Catalogue, name: str, hints: Mapping[str, str]) -> None:
    """The widget of one short key."""
    key = KEYS[name]
    st.session_state[_ON_SCREEN].add(name)
    if name == BUSY:
        if _is_utilization_derived():
            _derived_utilization_slider(key)
            return
        restore_field(BUSY)
    if key.default is not None and name in st.session_state and st.session_state[name] is None:
        address.put({name: None})  # a field that was emptied shows what counts then
    address.bind(
        name, lambda said: typed(key, said[-1] if said else None),
        lambda value: _taken(key, _meant(catalogue, key, value)),
    )  # fmt: skip
    if name in name_box.READERS and st.session_state[name] != (held := typed(key, address.text(name))):
        st.session_state[name] = held  # a name that was typed stands as the one that it means
    _widget(catalogue, key, hints.get(name))


def _widget(catalogue: Catalogue, key: LinkKey, hint: str | None) -> None:
    options = _options_of(catalogue, key)
    if key.key == "years":
        st.slider(key.label, 0.25, 10.0, 3.0, 0.25, format="%g", key=key.key, help=key.told)
    elif key.key == BUSY:
        st.slider(key.label, 1, 100, USUAL_BUSY_PERCENT, format="%d%%", key=key.key, help=_BUSY_HELP.format(key.told))
    elif key.amount:
        _large_number_field(key, hint)
    elif is_money(key.path):
        _money(catalogue, key, hint)
    elif options is not None:
        _options(catalogue, key, options, hint)
    elif key.shape.kind == "switch":
        st.toggle(key.label, bool(key.default), key=key.key, help=key.told or None)
    else:
        _number(key, hint)


def _meant(catalogue: Catalogue, key: LinkKey, value: Any) -> Any:
    """What a typed name means; for one that nobody knows, what the field held before. What was taken is noted."""
    read, held = name_box.READERS.get(key.key), typed(key, address.text(key.key))
    notes: dict[str, tuple[Any, str]] = st.session_state.setdefault(_NAME_NOTES, {})
    if read is None or value is None or value == held:
        return value
    notes.pop(key.key, None)
    if value in (_options_of(catalogue, key) or ()):
        return value
    try:
        found = read(catalogue, str(value))
    except NameLookupError as refusal:
        notes[key.key] = held, f"{refusal} {name_box.UNCHANGED}"
        return held
    if found.note:
        notes[key.key] = found.key, found.note
    return found.key


_NAME_NOTES = "typed_names"


def _taken(key: LinkKey, value: Any) -> address.Texts:
    """A widget's value as the address keeps it: the text it was filled from, as long as nobody moved it."""
    held = address.text(key.key)
    if held is not None and value == typed(key, held):
        return (held,)
    return () if value is None or value == typed(key, None) else (written(key, value),)


def _options_of(catalogue: Catalogue, key: LinkKey) -> tuple[str, ...] | None:
    """What a field can be chosen from; None where it is typed."""
    if key.key == "gpu":
        named = any(is_shown(name) for name in MODELS)
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
    return _choices(digest=catalogue.digest, _catalogue=catalogue)


def _number(key: LinkKey, hint: str | None) -> None:
    # Not a field for whole numbers: such a field takes 1e12 for 1 and 32.500 for 32, and says nothing.
    low, high = key.low, key.high
    if key.shape.kind == "whole":
        _round_to_integer(key.key)
    st.number_input(
        key.label,
        None if low is None else float(low),
        None if high is None else float(high),
        typed(key, None),
        _step(key),
        format="%g",  # all digits: rounded to cents, a price of 0.085 would read 0.09
        key=key.key,
        placeholder=hint,
        help=key.told or None,
    )


def _large_number_field(key: LinkKey, hint: str | None) -> None:
    """A field for numbers of many digits, which nobody counts: it takes and shows 1 T."""
    st.text_input(
        key.label, key=key.key, placeholder=hint or "", help=key.told or _LARGE_HELP, on_change=_parse_large_number,
        args=(key.key,), max_chars=_LONGEST_AMOUNT,
    )  # fmt: skip


def _parse_large_number(name: str) -> None:
    """What is typed is shown back with its unit; what is no such number leaves the field as it was, and is said."""
    key, said = KEYS[name], str(st.session_state[name] or "").strip()
    value = parse_amount(said)
    refused: dict[str, str] = st.session_state.setdefault(_REFUSED, {})
    refused.pop(name, None)
    if said and (value is None or not key.shape.holds(value)):
        refused[name] = said
        value = number(name)
    st.session_state[name] = "" if value is None else format_amount(value)


def _money(catalogue: Catalogue, key: LinkKey, hint: str | None) -> None:
    """A field for money, which takes any currency that has a rate; it shows what was typed."""
    st.text_input(
        key.label, key=key.key, placeholder=hint or "", help=f"{key.told} {_MONEY_HELP}".strip(),
        on_change=_parse_money, args=(key.key, rates(catalogue)), max_chars=_LONGEST_AMOUNT,
    )  # fmt: skip


def _parse_money(name: str, known: Rates) -> None:
    """What is no amount, or of a currency without a rate, leaves the field as it was, and is said."""
    key, said = KEYS[name], str(st.session_state[name] or "").strip()
    told: dict[str, str] = st.session_state.setdefault(_NO_MONEY, {})
    told.pop(name, None)
    try:
        wrong = "" if not said or key.shape.holds(parse_money(said, known)[0]) else f"{said} is outside {key.range} USD"
    except AmountError as error:
        wrong = str(error)
    if wrong:
        told[name], said = wrong, address.text(name) or ""
    st.session_state[name] = said


_NO_MONEY = "typed_and_no_money"
_MONEY_HELP = "US dollars, or any currency with a rate: 1.85 EUR, £2."


def refused() -> list[str]:
    """A sentence for each field on the screen that could not take its last text, or took it for one of several."""
    told: dict[str, str] = st.session_state.get(_REFUSED, {})
    money: dict[str, str] = st.session_state.get(_NO_MONEY, {})
    noted: dict[str, tuple[Any, str]] = st.session_state.get(_NAME_NOTES, {})
    return [
        *(_amount_error(KEYS[name], said) for name, said in told.items() if is_shown(name)),
        *(f"{KEYS[name].label}: {wrong}. It was not taken." for name, wrong in money.items() if is_shown(name)),
        *(
            f"{KEYS[name].label.rstrip('?')}: {note}"
            for name, (held, note) in noted.items()
            if is_shown(name) and typed(KEYS[name], address.text(name)) == held
        ),
    ]


def _amount_error(key: LinkKey, said: str) -> str:
    low, high = (format_amount(end or 0.0) for end in (key.low, key.high))
    return f"{key.label}: “{said}” was not taken. Want a number from {low} to {high}, such as 1 T, 300 B or 2e9."


_LONGEST_AMOUNT, _REFUSED = 40, "typed_and_refused"
_LARGE_HELP = "Such as 1 T, 300 B, 200 M or 2e9."


def _round_to_integer(name: str) -> None:
    """What was typed in parts counts whole; it is remembered, since a point may have been typed for a comma.

    Before the widget is made, in every run: a callback can be lost with a run that is cut short.
    """
    typed_in = st.session_state[name]
    if typed_in is not None and typed_in != math.ceil(typed_in):
        st.session_state.setdefault(_PARTS, {})[name] = typed_in
        st.session_state[name] = float(math.ceil(typed_in))


def rounded_inputs() -> list[str]:
    """A sentence for each field on the screen that holds the whole number above what was typed."""
    parts: dict[str, float] = st.session_state.get(_PARTS, {})
    for name in [one for one, said in parts.items() if is_shown(one) and st.session_state[one] != math.ceil(said)]:
        del parts[name]
    return [
        _IN_PARTS.format(label=KEYS[name].label.rstrip("?"), said=said, whole=math.ceil(said), meant=said * 1_000)
        for name, said in parts.items()
        if is_shown(name)
    ]


_IN_PARTS = "{label}: {said:g} counts as {whole:,}. If you meant {meant:,.0f}, type it without a point."


def _step(key: LinkKey) -> float:
    """What one press of plus adds: a hundredth of a small rate, else one."""
    return 0.01 if key.shape.kind != "whole" and not key.percent and (key.high or 0.0) < _SMALL else 1.0


_SMALL = 100.0


def _is_utilization_derived() -> bool:
    """Whether hours, people, jobs or each hour of the day say how busy it is."""
    return any(address.text(one) is not None for one in INSTEAD) or bool(extra_by_hour(address.text(ALSO)))


def _derived_utilization_slider(key: LinkKey) -> None:
    """The slider at what follows from the hours; nobody moves it."""
    stash_field(BUSY)
    share = scenario_from_link(address.texts())[0].work[0].effective_utilization
    st.session_state[BUSY] = min(max(round(share * 100), 1), 100)
    st.slider(key.label, 1, 100, format="%d%%", key=BUSY, disabled=True, help=_BUSY_HELP.format(key.told))


_BUSY_HELP = "{} Follows from GPU-hours, people, jobs or the hours of the day, where those are filled in."


def _options(catalogue: Catalogue, key: LinkKey, options: Iterable[str], hint: str | None) -> None:
    named = key.key in name_box.READERS
    known = name_box.sites(catalogue) if key.key == "site" else tuple(options)
    there = st.session_state[key.key]
    if there is not None and there not in known:
        known = (*known, there)  # an accelerator that nobody rents or sells has facts all the same
    place = known.index(key.default) if key.default in known else None
    st.selectbox(
        key.label, known, place, key=key.key, help=key.told or None,
        placeholder=hint or (name_box.TYPE_IT if named else ""), accept_new_options=named,
        format_func=lambda one: name_box.label(catalogue, key.key, one) if named else words.choice(key.key, one),
    )  # fmt: skip


def typed(key: LinkKey, said: str | None) -> Any:
    """What a widget holds for the text of an address; for none, its default."""
    if key.key == BUSY:
        return USUAL_BUSY_PERCENT if said is None else round(float(said))
    kind = key.shape.kind
    if kind == "switch":
        return bool(key.default) if said is None else said in ("1", "true")
    if key.amount:
        return "" if said is None else format_amount(float(said))
    if is_money(key.path):
        said, kind = said or ("" if key.default is None else f"{key.default:.12g}"), "text"
    if kind in ("choice", "text"):
        return key.default if said is None else said
    if said is not None:
        return float(said)
    return None if key.default is None else float(key.default) * (100.0 if key.percent else 1.0)


def written(key: LinkKey, value: Any) -> str:
    """A widget's value as an address writes it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if key.amount:
        return f"{parse_amount(value) or 0:.12g}"
    if isinstance(value, float | int):
        return f"{math.ceil(value) if key.shape.kind == 'whole' else value:.12g}"
    return str(value)
