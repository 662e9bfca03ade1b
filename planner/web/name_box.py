"""Boxes for an accelerator, a model or a place: they list names, and take what a person types as links and files do."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import streamlit as st

from planner.report import words
from planner.scenario.known_names import accelerator_meant
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.speed.match_model import model_meant, substitution_note
from planner.speed.serving import match_non_llm_work
from planner.speed.training.images import match_image_network
from pricing import Catalogue, UnknownNameError, names
from pricing.caching import cached
from pricing.errors import NameLookupError
from pricing.meant import Meant

NameReader = Callable[[Catalogue, str], Meant]
TYPE_IT = "Type a name and press Enter, or choose"
_HELD, _NOTES = "name_box_held", "name_box_notes"


def _site(catalogue: Catalogue, name: str) -> Meant:
    return Meant(names.site(catalogue, name))


def _trained(catalogue: Catalogue, name: str) -> Meant:
    return _model(catalogue, name, match_image_network)


def _served(catalogue: Catalogue, name: str) -> Meant:
    return _model(catalogue, name, match_non_llm_work)


def _model(catalogue: Catalogue, name: str, other: Callable[[str], str | None]) -> Meant:
    """A model of the catalogue, else measured work of another kind. A name that a neighbour stands for is kept."""
    try:
        found, note = model_meant(catalogue, name), substitution_note(catalogue, name) or ""
        return Meant(found.key if found.note or not note else name, note)
    except UnknownNameError:
        if (work := other(name)) is None:
            raise
        return Meant(work)


# By short key: what a typed name means.
READERS: Mapping[str, NameReader] = {"gpu": accelerator_meant, "site": _site, "train": _trained, "serve": _served}


def label(catalogue: Catalogue, key: str, value: str) -> str:
    """How a box shows an id: by its name."""
    if key == "site":
        return _site_label(catalogue, value)
    if key == "gpu":
        return _chip_label(catalogue, value)
    return catalogue.models[value].label if value in catalogue.models else value


def _site_label(catalogue: Catalogue, value: str) -> str:
    """A place with what else people call it and its cities, so that the box finds it by any of them."""
    if value not in catalogue.sites:
        key = short_names(catalogue).get(value)
        return f"{value} · {catalogue.sites[key].label}" if key else value
    site = catalogue.sites[value]
    return f"{site.label} ({value})" + (f" · {', '.join(site.aliases)}" if site.aliases else "")


def _chip_label(catalogue: Catalogue, value: str) -> str:
    if value == ANY_ACCELERATOR:
        return "any GPU"
    return catalogue.accelerators[value].label if value in catalogue.accelerators else value


@cached(4, same=lambda catalogue: (catalogue.sites,))
def short_names(catalogue: Catalogue) -> Mapping[str, str]:
    """Places by names as short as UK. As options of their own they stand above longer ones that begin alike."""
    sites = catalogue.sites
    return {
        name: key for key, one in sites.items() for name in one.aliases if len(name) <= _LETTERS and name not in sites
    }


_LETTERS = 3


def sites(catalogue: Catalogue) -> tuple[str, ...]:
    """The places, each with its short names after it."""
    short = short_names(catalogue)
    return tuple(name for key in catalogue.sites for name in (key, *(one for one in short if short[one] == key)))


# A box that no address holds


class Box(NamedTuple):
    """What a box asks for, by the key of its widget. `of` is the short key whose names it takes."""

    key: str
    title: str
    of: str
    first: str | None = None
    help_text: str | None = None


def ask(catalogue: Catalogue, box: Box, options: Iterable[str]) -> str | None:
    """The name that a box holds; None until one is chosen. A name that nobody knows changes nothing."""
    held = st.session_state.setdefault(_HELD, {}).setdefault(box.key, box.first)
    if box.key not in st.session_state:
        st.session_state[box.key] = held
    known = tuple(dict.fromkeys([*options, *([held] if held else [])]))
    st.selectbox(
        box.title, known, index=None, key=box.key, help=box.help_text, placeholder=TYPE_IT, accept_new_options=True,
        format_func=lambda one: label(catalogue, box.of, one), on_change=_settle, args=(catalogue, box, known),
    )  # fmt: skip
    if note := st.session_state.get(_NOTES, {}).get(box.key):
        st.warning(words.markdown(note), icon=":material/help:")
    chosen: str | None = st.session_state[box.key]
    return chosen


def _settle(catalogue: Catalogue, box: Box, known: tuple[str, ...]) -> None:
    held: dict[str, str | None] = st.session_state[_HELD]
    notes: dict[str, str] = st.session_state.setdefault(_NOTES, {})
    typed, notes[box.key] = st.session_state[box.key], ""
    try:
        found = Meant(typed) if typed is None or typed in known else READERS[box.of](catalogue, typed)
        st.session_state[box.key] = held[box.key] = found.key
        notes[box.key] = found.note
    except NameLookupError as refusal:
        st.session_state[box.key] = held[box.key]
        notes[box.key] = f"{refusal} {UNCHANGED}"


UNCHANGED = "It was not taken."
