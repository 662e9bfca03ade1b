"""Fields of the question bar: a widget for each short key of the address, which is the widget's key too."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from planner.report import words
from planner.scenario import link_text
from planner.scenario.amounts import format_amount, parse_amount
from planner.scenario.durations import years_words
from planner.scenario.link import ALSO, extra_by_hour, scenario_from_link
from planner.scenario.question import KEYS, LinkKey
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.scenario.typed_money import AmountError, is_money, parse_money
from planner.speed.serving.chips import serving_data
from planner.web import address, name_box
from planner.web.shared import memory, shared
from pricing import Catalogue
from pricing.errors import NameLookupError
from pricing.exchange import Rates, rates

GPUS, BUSY, HOURS = "gpus", "busy", "hours"
INSTEAD = (HOURS, "team", "weekly")  # these give the utilization in place of the share
MODELS = ("train", "serve")
USUAL_BUSY_PERCENT = 60
_USUAL, _USUAL_YEARS = "usual_years", (1.0, 2.0, 3.0, 5.0)
_PERCENT, _SMALL_RATE, _LONGEST_AMOUNT = 100.0, 100.0, 40
_ON_SCREEN, _STASH, _DECIMALS = "fields_on_screen", "fields_aside", "typed_in_parts"
_NO_AMOUNT, _NO_MONEY, _NAME_NOTES = "typed_and_refused", "typed_and_no_money", "typed_names"
_LARGE_HELP = "Such as 1 T, 300 B, 200 M or 2e9."
_MONEY_HELP = "US dollars, or any currency with a rate: 1.85 EUR, £2."
_BUSY_HELP = "{} Calculated from GPU-hours, people, jobs or the hours of the day when those are entered."
_ROUNDED = "{label}: {value:g} counts as {whole:,}. If you meant {meant:,.0f}, type it without a point."


# On the screen, or put aside


def start() -> None:
    """Begin a run: no field is on the screen yet."""
    memory()[_ON_SCREEN] = set()


def filled() -> set[str]:
    """Return the names of all fields that hold another value than their default, on the screen or not."""
    return KEYS.keys() & address.texts().keys()


def number(name: str) -> float | None:
    """Return the number a field holds; None where it holds none."""
    text = address.text(name)
    return None if text is None else float(text)


def is_shown(name: str) -> bool:
    """Return whether a field is on the screen in this run."""
    return name in memory()[_ON_SCREEN]


def stash_field(name: str) -> None:
    """Put the value of a field aside while it does not count. The address is without it until it is restored."""
    if (text := address.text(name)) is not None:
        memory()[_STASH][name] = text
        address.put({name: None})


def clear_stash() -> None:
    """Forget the values put aside: another plan is shown."""
    memory()[_STASH] = {}


def restore_all_fields() -> None:
    """Restore every field that was put aside."""
    for name in list(memory()[_STASH]):
        restore_field(name)


def restore_field(name: str) -> None:
    """Give a field the value again that was put aside."""
    if (text := memory()[_STASH].pop(name, None)) is not None:
        address.put({name: text})


# Values


def widget_value(key: LinkKey, text: str | None, *, as_number: bool = False) -> Any:
    """Return the value of a widget for the text of an address; for none, its default.

    A widget shows percent, amounts as 1 T and money as typed; as numbers, amounts and money are plain, and money that
    was typed in another currency is empty.
    """
    default, kind = key.default, key.shape.kind
    if kind == "switch":
        return bool(default) if text is None else text in ("1", "true")
    if kind in ("choice", "text"):
        return default if text is None else text
    if is_money(key.path) and not as_number:
        return _with_separators(text or ("" if default is None else f"{default:.12g}"))
    value = None if default is None else float(default) * (_PERCENT if key.percent else 1.0)
    if text is not None:
        value = float(text) if link_text.is_number(text) else None
    if key.amount and not as_number:
        return "" if text is None else format_amount(float(text))
    if key.key == BUSY and not as_number:
        return USUAL_BUSY_PERCENT if value is None else round(value)
    return value


def _with_separators(text: str) -> str:
    """Return a plain amount with its thousands apart; any other text as it was typed."""
    whole, point, cents = text.partition(".")
    return f"{int(whole):,}{point}{cents}" if whole.isdecimal() and link_text.is_number(text) else text


def address_text(key: LinkKey, value: Any) -> str:
    """Return the text of an address for the value of a widget."""
    if key.amount and isinstance(value, str):
        value = parse_amount(value) or 0
    elif isinstance(value, str) and is_money(key.path) and value == _with_separators(plain := value.replace(",", "")):
        value = plain
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = math.ceil(value) if key.shape.kind == "whole" else float(f"{value:.12g}")
        value = value / _PERCENT if key.percent else value
    return link_text.format_value(key, value)


def _texts_of(key: LinkKey, value: Any) -> address.Texts:
    """Return a widget's value as the address keeps it: the text it was filled from, as long as it was not changed."""
    text = address.text(key.key)
    if text is not None and value == widget_value(key, text):
        return (text,)
    return () if value is None or value == widget_value(key, None) else (address_text(key, value),)


def _resolved_name(catalogue: Catalogue, key: LinkKey, value: Any) -> Any:
    """Return the meaning of a typed name; for an unknown one, the value before it. The reading is noted."""
    read, before = name_box.READERS.get(key.key), widget_value(key, address.text(key.key))
    notes: dict[str, tuple[Any, str]] = memory().setdefault(_NAME_NOTES, {})
    if read is None or value is None or value == before:
        return value
    notes.pop(key.key, None)
    if value in (_options_of(catalogue, key) or ()):
        return value
    try:
        name = read(catalogue, str(value))
    except NameLookupError as refusal:
        notes[key.key] = before, f"{refusal} {name_box.UNCHANGED}"
        return before
    if name.note:
        notes[key.key] = name.key, name.note
    return name.key


# Widgets


def show(catalogue: Catalogue, name: str, hints: Mapping[str, str]) -> None:
    """Show the widget of one short key."""
    key = KEYS[name]
    memory()[_ON_SCREEN].add(name)
    if name == BUSY:
        if any(address.text(other) is not None for other in INSTEAD) or extra_by_hour(address.text(ALSO)):
            _derived_utilization_slider(key)
            return
        restore_field(BUSY)
    if key.default is not None and name in st.session_state and st.session_state[name] is None:
        address.put({name: None})  # a field that was emptied shows what counts then
    address.bind(
        name, lambda texts: widget_value(key, texts[-1] if texts else None),
        lambda value: _texts_of(key, _resolved_name(catalogue, key, value)),
    )  # fmt: skip
    if name in name_box.READERS and st.session_state[name] != (value := widget_value(key, address.text(name))):
        st.session_state[name] = value  # a typed name is replaced by the one that it means
    _widget(catalogue, key, hints.get(name))


def _widget(catalogue: Catalogue, key: LinkKey, hint: str | None) -> None:
    options = _options_of(catalogue, key)
    if key.key == "years":
        _years_field(key)
    elif key.key == BUSY:
        st.slider(key.label, 1, 100, USUAL_BUSY_PERCENT, format="%d%%", key=key.key, help=_BUSY_HELP.format(key.help))
    elif key.amount:  # a text field for numbers of many digits: it takes and shows 1 T
        st.text_input(
            key.label, key=key.key, placeholder=hint or "", help=key.help or _LARGE_HELP,
            on_change=_parse_large_number, args=(key.key,), max_chars=_LONGEST_AMOUNT,
        )  # fmt: skip
    elif is_money(key.path):  # takes any currency that has a rate; it shows the text that was typed
        st.text_input(
            key.label, key=key.key, placeholder=hint or "", help=f"{key.help} {_MONEY_HELP}".strip(),
            on_change=_parse_money, args=(key.key, rates(catalogue)), max_chars=_LONGEST_AMOUNT,
        )  # fmt: skip
    elif options is not None:
        _select_field(catalogue, key, options, hint)
    elif key.shape.kind == "switch":
        st.toggle(key.label, bool(key.default), key=key.key, help=key.help or None)
    else:
        _number_field(key, hint)


def _years_field(key: LinkKey) -> None:
    st.number_input(key.label, 0.25, 10.0, 3.0, 0.25, format="%g", key=key.key, help=key.help)
    choice_buttons(
        _USUAL, {years_words(years): "" for years in _USUAL_YEARS},
        lambda at: address.put({"years": address_text(key, _USUAL_YEARS[at])}),
    )  # fmt: skip


def choice_buttons(name: str, choices: Mapping[str, str], take: Callable[[int], None]) -> None:
    """Show a button for each choice with its help; `take` gets the place of the one that is pressed.

    Not a list whose choice follows from other fields: a browser that has not heard of a new choice sends the old one,
    and what was just typed is lost.
    """

    def press(at: int) -> None:
        address.sync_from_widgets()
        take(at)

    with st.container(horizontal=True, gap="small"):
        for at, (label, text) in enumerate(choices.items()):
            st.button(label, key=f"{name}-{at}", help=text or None, on_click=press, args=(at,), width="content")


def _options_of(catalogue: Catalogue, key: LinkKey) -> tuple[str, ...] | None:
    if key.key == "gpu":
        has_model = any(is_shown(name) for name in MODELS)
        return (*((ANY_ACCELERATOR,) if has_model else ()), *accelerator_choices(catalogue))
    if key.key == "havegpu":
        return accelerator_choices(catalogue)
    if key.key == "currency":
        return tuple(sorted(rates(catalogue)))
    if key.key in MODELS:
        return model_choices(catalogue, key.key)
    lists = {"site": catalogue.sites, "written": catalogue.schedules, "billfor": catalogue.hosted}
    if key.key in lists:
        return tuple(lists[key.key])
    return key.shape.choices if key.shape.kind == "choice" else None


def model_choices(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """Return the models that can be trained, or served: of the latter also measured work that writes no tokens."""
    others = tuple(serving_data().work) if name == "serve" else ()
    return (*catalogue.models, *(other for other in others if other not in catalogue.models))


@shared(4)
def accelerator_choices(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the accelerators that can be rented or bought, those with the most offers first."""
    counts: dict[str, int] = {}
    for offer in catalogue.offers.values():
        counts[offer.accelerator] = counts.get(offer.accelerator, 0) + 1
    priced = [key for key, accelerator in catalogue.accelerators.items() if accelerator.price_usd is not None]
    keys = {key for key in (*counts, *priced) if key in catalogue.accelerators}
    return tuple(sorted(keys, key=lambda key: (-counts.get(key, 0), key)))


def _number_field(key: LinkKey, hint: str | None) -> None:
    # Not a field for whole numbers: such a field takes 1e12 for 1 and 32.500 for 32, and says nothing.
    is_whole = key.shape.kind == "whole"
    if is_whole:
        _round_to_integer(key.key)
    is_small = not is_whole and not key.percent and (key.high or 0.0) < _SMALL_RATE
    st.number_input(
        key.label,
        None if key.low is None else float(key.low),
        None if key.high is None else float(key.high),
        widget_value(key, None),
        0.01 if is_small else 1.0,
        format="%g",  # all digits: rounded to cents, a price of 0.085 would read 0.09
        key=key.key,
        placeholder=hint,
        help=key.help or None,
    )


def _select_field(catalogue: Catalogue, key: LinkKey, options: Iterable[str], hint: str | None) -> None:
    takes_names = key.key in name_box.READERS
    choices = name_box.sites(catalogue) if key.key == "site" else tuple(options)
    value = st.session_state[key.key]
    if value is not None and value not in choices:
        choices = (*choices, value)  # an accelerator that is neither rented nor sold has facts all the same
    index = choices.index(key.default) if key.default in choices else None
    st.selectbox(
        key.label, choices, index, key=key.key, help=key.help or None,
        placeholder=hint or (name_box.TYPE_IT if takes_names else ""), accept_new_options=takes_names,
        format_func=lambda option: (
            name_box.label(catalogue, key.key, option) if takes_names else words.choice(key.key, option)
        ),
    )  # fmt: skip


def _derived_utilization_slider(key: LinkKey) -> None:
    """Show the slider at the utilization that follows from the hours; it cannot be moved."""
    stash_field(BUSY)
    share = scenario_from_link(address.texts())[0].work[0].effective_utilization
    st.session_state[BUSY] = min(max(round(share * 100), 1), 100)
    st.slider(key.label, 1, 100, format="%d%%", key=BUSY, disabled=True, help=_BUSY_HELP.format(key.help))


# Texts that were typed


def _parse_large_number(name: str) -> None:
    """Show a typed number with its unit; a text that is no such number leaves the field as it was, with a message."""
    key, text = KEYS[name], str(st.session_state[name] or "").strip()
    value = parse_amount(text)
    rejected: dict[str, str] = memory().setdefault(_NO_AMOUNT, {})
    rejected.pop(name, None)
    if text and (value is None or not key.shape.holds(value)):
        rejected[name] = text
        value = number(name)
    st.session_state[name] = "" if value is None else format_amount(value)


def _parse_money(name: str, known: Rates) -> None:
    """Leave the field as it was, with a message, where the text is no amount or of a currency without a rate."""
    key, text = KEYS[name], str(st.session_state[name] or "").strip()
    errors: dict[str, str] = memory().setdefault(_NO_MONEY, {})
    errors.pop(name, None)
    try:
        is_valid = not text or key.shape.holds(parse_money(text, known)[0])
        error = "" if is_valid else f"{text} is outside {key.range} USD"
    except AmountError as refusal:
        error = str(refusal)
    if error:
        errors[name], text = error, address.text(name) or ""
    st.session_state[name] = _with_separators(text)


def rejected_inputs() -> list[str]:
    """Return a sentence for each field on the screen that rejected its last text, or read it as one of several."""
    amounts: dict[str, str] = memory().get(_NO_AMOUNT, {})
    money: dict[str, str] = memory().get(_NO_MONEY, {})
    names: dict[str, tuple[Any, str]] = memory().get(_NAME_NOTES, {})
    return [
        *(_amount_error(KEYS[name], text) for name, text in amounts.items() if is_shown(name)),
        *(f"{KEYS[name].label}: {error}. {name_box.UNCHANGED}" for name, error in money.items() if is_shown(name)),
        *(
            f"{KEYS[name].label.rstrip('?')}: {note}"
            for name, (value, note) in names.items()
            if is_shown(name) and widget_value(KEYS[name], address.text(name)) == value
        ),
    ]


def _amount_error(key: LinkKey, text: str) -> str:
    low, high = (format_amount(end or 0.0) for end in (key.low, key.high))
    return f"{key.label}: “{text}” was not used. Enter a number from {low} to {high}, such as 1 T, 300 B or 2e9."


def _round_to_integer(name: str) -> None:
    """Round a typed decimal number up; it is remembered, since a point may have been typed for a comma.

    Before the widget is made, in every run: a callback can be lost with a run that is cut short.
    """
    value = st.session_state[name]
    if value is not None and value != math.ceil(value):
        memory().setdefault(_DECIMALS, {})[name] = value
        st.session_state[name] = float(math.ceil(value))


def rounded_inputs() -> list[str]:
    """Return a sentence for each field on the screen that holds the whole number above the typed one."""
    decimals: dict[str, float] = memory().get(_DECIMALS, {})
    for name in list(decimals):
        if is_shown(name) and st.session_state[name] != math.ceil(decimals[name]):
            del decimals[name]
    return [
        _ROUNDED.format(label=KEYS[name].label.rstrip("?"), value=value, whole=math.ceil(value), meant=value * 1_000)
        for name, value in decimals.items()
        if is_shown(name)
    ]
