"""The address of the page is its state: its texts are kept here by key, and every widget is a view of one of them.

It is read when somebody arrives and when they go Back or Forward, and written in every run. A widget that is new on
the page is filled from here, and whatever a widget holds is taken over at the start of the next run, before anybody
asks for it. So nothing that was entered is lost with a box that closes, another page, or a run that was cut short.

Streamlit can bind a widget to the address by itself. It takes the key out again when the widget leaves the screen, and
one Back undoes every edit at once; here each edit is a step of the browser's history.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id

Texts = tuple[str, ...]  # a key may stand in an address several times
Read = Callable[[Texts], Any]
Write = Callable[[Any], Texts]
_HELD, _WRITTEN, _VIEWS, _TAKEN = "address", "address_written", "address_views", "address_taken"
_THERE = "address_widgets_there"


def arrive() -> bool:
    """Begin a run. Whether its address comes from outside: on a first visit, or by Back or Forward.

    Called before the navigation, which gives the page that one turns to the address that was written last.
    """
    run = get_script_run_ctx()
    st.session_state[_THERE] = _browser_widget_keys()
    if not st.session_state.get(_TAKEN) or (run is not None and run.is_history_navigation):
        st.session_state[_WRITTEN] = _query_values()
        st.session_state[_HELD] = dict(st.session_state[_WRITTEN])
        st.session_state[_VIEWS] = {}  # every widget is filled anew
        st.session_state[_TAKEN] = False
        return True
    if _query_values() != st.session_state[_WRITTEN]:  # as after a click on another page, which drops it
        st.query_params.from_dict(st.session_state[_WRITTEN])
    sync_from_widgets()
    return False


def commit_run() -> None:
    """What the address held is taken over. A run that was cut short before this begins again with it."""
    st.session_state[_TAKEN] = True


def sync_from_widgets() -> None:
    """Keep what the widgets of the last run hold now. At the start of a run, and of a callback, which comes before."""
    views: dict[str, Write] = st.session_state[_VIEWS]
    there = st.session_state.to_dict()  # asking Streamlit once for all is many times cheaper than once for each
    for key, write in views.items():
        if key in there:
            _keep(key, write(there[key]))


def write() -> None:
    """Bring what is kept into the browser's address, as a new step of its history where it differs."""
    held = dict(st.session_state[_HELD])
    if held != _query_values():
        st.query_params.from_dict(held)
    st.session_state[_WRITTEN] = held


def link() -> str:
    """The address of this page, as it was written in this run."""
    there = urlsplit(st.context.url or "")
    return urlunsplit((there.scheme, there.netloc, there.path or "/", urlencode(_query_values(), doseq=True), ""))


def texts() -> dict[str, str]:
    """All that is kept, by key; of a key that stands there several times the last."""
    return {key: said[-1] for key, said in _held().items()}


def text(key: str) -> str | None:
    """What is kept under a key; None where there is nothing."""
    said = _held().get(key)
    return said[-1] if said else None


def get_values(key: str) -> Texts:
    """All texts that are kept under a key, in their order."""
    return _held().get(key, ())


def set_values(key: str, said: Texts) -> None:
    """Keep several texts under a key that no widget shows."""
    _keep(key, said)


def put(new: Mapping[str, str | None]) -> None:
    """Keep other texts (None: nothing). Their widgets show them from their next showing on."""
    for key, said in new.items():
        _keep(key, () if said is None else (said,))
        st.session_state[_VIEWS].pop(key, None)


def replace(new: Mapping[str, str], keys: Iterable[str]) -> None:
    """Keep these texts under these keys and nothing else under them."""
    put({key: new.get(key) for key in keys})


def bind(key: str, read: Read, write: Write) -> None:
    """Before a widget is made: fill it with what is kept, unless it stood here already; what it holds is kept.

    A browser makes what stands in a box when the box is opened, of what the last run said of it: until then it is said
    in every run, or the box would show what a field holds that nobody filled.
    """
    views: dict[str, Write] = st.session_state[_VIEWS]
    if key not in views or key not in st.session_state[_THERE] or key not in st.session_state:
        st.session_state[key] = read(_held().get(key, ()))
    views[key] = write


def choice(key: str, options: Iterable[str], usual: str) -> None:
    """Before a widget that takes one of some options, which are their own texts."""
    known = tuple(options)
    bind(
        key,
        lambda said: said[-1] if said and said[-1] in known else usual,
        lambda value: () if value in (None, usual) else (str(value),),
    )


def choices(key: str, options: Iterable[str], usual: Iterable[str] = ()) -> None:
    """Before a widget that takes several of some options. An empty text stands for none of them."""
    known, default = tuple(options), list(usual)
    bind(
        key,
        lambda said: [one for one in said if one in known] if said else default,
        lambda value: () if list(value) == default else tuple(value) or ("",),
    )


def switch(key: str, usual: bool = False) -> None:
    """Before a toggle."""
    bind(
        key,
        lambda said: said[-1].casefold() in ("1", "true") if said else usual,
        lambda value: () if value == usual else ("true" if value else "false",),
    )


def _held() -> dict[str, Texts]:
    held: dict[str, Texts] = st.session_state[_HELD]
    return held


def _keep(key: str, said: Texts) -> None:
    if said:
        _held()[key] = said
    else:
        _held().pop(key, None)


def _browser_widget_keys() -> set[str]:
    """The widgets that the browser has made: it sends what they hold with every run that it asks for."""
    run = get_script_run_ctx()
    sent = () if run is None else run.session_state.get_widget_states()
    return {key for one in sent if (key := user_key_from_element_id(one.id)) is not None}


def _query_values() -> dict[str, Texts]:
    return {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
