"""The address of the page is its state: its texts are kept here by key, and every widget is a view of one of them.

It is read on a first visit and on Back and Forward, and written in every run. A widget that is new on the page is
filled from here, and the value of a widget is taken over at the start of the next run, before its first use. So no
entry is lost with a box that closes, another page, or a run that was cut short.

Streamlit can bind a widget to the address by itself. It takes the key out again when the widget leaves the screen, and
one Back undoes every edit at once; here each edit is a step of the browser's history.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id

from planner.web.shared import memory

Texts = tuple[str, ...]  # a key may stand in an address several times
Read = Callable[[Texts], Any]
Write = Callable[[Any], Texts]
_TEXTS, _WRITTEN, _VIEWS, _COMMITTED = "address", "address_written", "address_views", "address_taken"
_IN_BROWSER = "address_widgets_there"


def begin_run() -> bool:
    """Begin a run. Return whether its address comes from outside: on a first visit, or by Back or Forward.

    Called before the navigation, which gives the page that one turns to the address that was written last.
    """
    run, kept = get_script_run_ctx(), memory()
    kept[_IN_BROWSER] = _browser_widget_keys()
    if not kept.get(_COMMITTED) or (run is not None and run.is_history_navigation):
        kept[_WRITTEN] = _query_values()
        kept[_TEXTS] = dict(kept[_WRITTEN])
        kept[_VIEWS] = {}  # every widget is filled anew
        kept[_COMMITTED] = False
        return True
    if _query_values() != kept[_WRITTEN]:  # as after a click on another page, which drops it
        st.query_params.from_dict(kept[_WRITTEN])
    sync_from_widgets()
    return False


def commit_run() -> None:
    """Note that the address was taken over. A run that was cut short before this begins again with it."""
    memory()[_COMMITTED] = True


def sync_from_widgets() -> None:
    """Keep the values of the last run's widgets. At the start of a run, and of a callback, which comes before."""
    views: dict[str, Write] = memory()[_VIEWS]
    values = st.session_state.to_dict()  # asking Streamlit once for all is many times cheaper than once for each
    for key, write in views.items():
        if key in values:
            set_values(key, write(values[key]))


def write() -> None:
    """Bring the texts into the browser's address, as a new step of its history where they differ."""
    values = dict(memory()[_TEXTS])
    if values != _query_values():
        st.query_params.from_dict(values)
    memory()[_WRITTEN] = values


def link() -> str:
    """Return the address of this page, as it was written in this run."""
    parts = urlsplit(st.context.url or "")
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", urlencode(_query_values(), doseq=True), ""))


def texts() -> dict[str, str]:
    """Return all texts by key; of a key that stands there several times the last."""
    return {key: values[-1] for key, values in _texts().items()}


def text(key: str) -> str | None:
    """Return the text of a key; None where there is none."""
    values = _texts().get(key)
    return values[-1] if values else None


def get_values(key: str) -> Texts:
    """Return all texts of a key, in their order."""
    return _texts().get(key, ())


def set_values(key: str, values: Texts) -> None:
    """Keep several texts under a key; without any, nothing."""
    if values:
        _texts()[key] = values
    else:
        _texts().pop(key, None)


def put(new: Mapping[str, str | None]) -> None:
    """Keep other texts (None: nothing). Their widgets show them from their next showing on."""
    for key, value in new.items():
        set_values(key, () if value is None else (value,))
        memory()[_VIEWS].pop(key, None)


def replace(new: Mapping[str, str], keys: Iterable[str]) -> None:
    """Keep these texts under these keys and nothing else under them."""
    put({key: new.get(key) for key in keys})


def bind(key: str, read: Read, write: Write) -> None:
    """Fill a widget from the address before it is made, unless it stood here already; its value is kept.

    A browser makes the content of a box when the box is opened, from the last run's message: until then the value is
    set in every run, or the box would show an old one.
    """
    kept = memory()
    views: dict[str, Write] = kept[_VIEWS]
    if key not in views or key not in kept[_IN_BROWSER] or key not in st.session_state:
        st.session_state[key] = read(kept[_TEXTS].get(key, ()))
    views[key] = write


def choice(key: str, options: Iterable[str], default: str) -> None:
    """Bind a widget that takes one of some options, which are their own texts."""
    known = tuple(options)
    bind(
        key,
        lambda values: values[-1] if values and values[-1] in known else default,
        lambda value: () if value in (None, default) else (str(value),),
    )


def choices(key: str, options: Iterable[str], default: Iterable[str] = ()) -> None:
    """Bind a widget that takes several of some options. An empty text stands for none of them."""
    known, usual = tuple(options), list(default)
    bind(
        key,
        lambda values: [value for value in values if value in known] if values else usual,
        lambda value: () if list(value) == usual else tuple(value) or ("",),
    )


def switch(key: str, default: bool = False) -> None:
    """Bind a toggle."""
    bind(
        key,
        lambda values: values[-1].casefold() in ("1", "true") if values else default,
        lambda value: () if value == default else ("true" if value else "false",),
    )


def _texts() -> dict[str, Texts]:
    texts: dict[str, Texts] = memory()[_TEXTS]
    return texts


def _browser_widget_keys() -> set[str]:
    """Return the widgets that the browser has made: it sends their values with every run that it asks for."""
    run = get_script_run_ctx()
    sent = () if run is None else run.session_state.get_widget_states()
    return {key for widget in sent if (key := user_key_from_element_id(widget.id)) is not None}


def _query_values() -> dict[str, Texts]:
    return {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
