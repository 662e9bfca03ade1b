"""Boxes for an accelerator, a model or a place: they list names, and read typed names as links and files do."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import streamlit as st

from planner.report import words
from planner.scenario.known_names import accelerator_meant
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.speed.match_model import model_meant, substitution_note
from planner.speed.serving import match_non_llm_work
from planner.speed.training.images import match_image_network
from planner.web.shared import memory
from pricing import Catalogue, UnknownNameError, names
from pricing.caching import cached
from pricing.errors import NameLookupError
from pricing.meant import Meant

NameReader = Callable[[Catalogue, str], Meant]
TYPE_IT = "Type a name and press Enter, or choose"
UNCHANGED = "The value was not changed."
_VALUES, _NOTES = "name_box_held", "name_box_notes"
_SHORT = 3  # letters


def _model(catalogue: Catalogue, name: str, other: Callable[[str], str | None]) -> Meant:
    """Return a model of the catalogue, else measured work of another kind. A name with a substitute is kept."""
    try:
        model, note = model_meant(catalogue, name), substitution_note(catalogue, name) or ""
        return Meant(model.key if model.note or not note else name, note)
    except UnknownNameError:
        if (work := other(name)) is None:
            raise
        return Meant(work)


# By short key: the meaning of a typed name.
READERS: Mapping[str, NameReader] = {
    "gpu": accelerator_meant,
    "havegpu": accelerator_meant,
    "site": lambda catalogue, name: Meant(names.site(catalogue, name)),
    "train": lambda catalogue, name: _model(catalogue, name, match_image_network),
    "serve": lambda catalogue, name: _model(catalogue, name, match_non_llm_work),
}


def label(catalogue: Catalogue, key: str, value: str) -> str:
    """Return the text of an id in a box: its name."""
    if key == "site":
        return _site_label(catalogue, value)
    if key in ("gpu", "havegpu"):
        if value == ANY_ACCELERATOR:
            return "any GPU"
        return catalogue.accelerators[value].label if value in catalogue.accelerators else value
    return catalogue.models[value].label if value in catalogue.models else value


def _site_label(catalogue: Catalogue, value: str) -> str:
    """Return a place with its other names and its cities, so that the box finds it by any of them."""
    if value not in catalogue.sites:
        key = short_names(catalogue).get(value)
        return f"{value} · {catalogue.sites[key].label}" if key else value
    site = catalogue.sites[value]
    return f"{site.label} ({value})" + (f" · {', '.join(site.aliases)}" if site.aliases else "")


@cached(4, same=lambda catalogue: (catalogue.sites,))
def short_names(catalogue: Catalogue) -> Mapping[str, str]:
    """Return places by names as short as UK. As options of their own they stand above longer ones that begin alike."""
    aliases = ((alias, key) for key, site in catalogue.sites.items() for alias in site.aliases)
    return {alias: key for alias, key in aliases if len(alias) <= _SHORT and alias not in catalogue.sites}


@cached(4, same=lambda catalogue: (catalogue.sites,))
def sites(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the places, each with its short names after it."""
    short = short_names(catalogue)
    return tuple(name for key in catalogue.sites for name in (key, *(alias for alias in short if short[alias] == key)))


class Box(NamedTuple):
    """A box that no address holds, by the key of its widget. `names_of` is the short key whose names it takes."""

    key: str
    title: str
    names_of: str
    first: str | None = None
    help_text: str | None = None


def ask(catalogue: Catalogue, box: Box, options: Iterable[str]) -> str | None:
    """Show a box and return its name; None until one is chosen. An unknown name changes nothing."""
    value = memory().setdefault(_VALUES, {}).setdefault(box.key, box.first)
    if box.key not in st.session_state:
        st.session_state[box.key] = value
    choices = tuple(dict.fromkeys([*options, *([value] if value else [])]))
    st.selectbox(
        box.title, choices, index=None, key=box.key, help=box.help_text, placeholder=TYPE_IT, accept_new_options=True,
        format_func=lambda option: label(catalogue, box.names_of, option),
        on_change=_resolve, args=(catalogue, box, choices),
    )  # fmt: skip
    if note := memory().get(_NOTES, {}).get(box.key):
        st.warning(words.markdown(note), icon=":material/help:")
    return st.session_state[box.key]


def _resolve(catalogue: Catalogue, box: Box, choices: tuple[str, ...]) -> None:
    values: dict[str, str | None] = memory()[_VALUES]
    notes: dict[str, str] = memory().setdefault(_NOTES, {})
    typed, notes[box.key] = st.session_state[box.key], ""
    try:
        name = Meant(typed) if typed is None or typed in choices else READERS[box.names_of](catalogue, typed)
        st.session_state[box.key] = values[box.key] = name.key
        notes[box.key] = name.note
    except NameLookupError as refusal:
        st.session_state[box.key] = values[box.key]
        notes[box.key] = f"{refusal} {UNCHANGED}"
