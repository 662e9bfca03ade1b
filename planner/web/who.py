"""Who may read prices, decide on them and undo: everyone on this machine; elsewhere those whom a setting names."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pricing.formulas import unseen

HERE = "x-rent-or-buy-here"  # a header of ours: nobody else can send it
NAME_HEADER, REVIEWERS = "RENT_OR_BUY_NAME_HEADER", "RENT_OR_BUY_REVIEWERS"  # names, or * for everyone with a name
HEADERS: list[Callable[[], Mapping[str, str]]] = [lambda: st.context.headers]  # a test has its own
_LONGEST = 100


@dataclass(frozen=True)
class Visitor:
    """The visitor of a page."""

    may_change: bool  # live prices
    name: str = ""  # as somebody vouches for it; empty where visitors type their names
    means: str = "typed on this machine"  # how the name is known


def visitor() -> Visitor:
    """Return who asks for this page."""
    header, reviewers = os.environ.get(NAME_HEADER, "").strip(), _reviewers()
    name, means = (_signed_in(), "signed in") if _signed_in() else (_named(header), f"by {header}")
    if name:
        return Visitor(bool({name.casefold(), "*"} & reviewers), name, means)
    return Visitor(HEADERS[-1]().get(HERE) == "1" and not header and not reviewers)


def keeper() -> str | None:
    """Return the author of this visitor's kept plans: a name, or empty for the people of this machine; None: nobody."""
    known = visitor()
    return known.name.casefold() or ("" if known.may_change else None)


def _reviewers() -> set[str]:
    return set(os.environ.get(REVIEWERS, "").casefold().replace(",", " ").split())


def _signed_in() -> str:
    """Return the address of who signed in, where Streamlit's own sign-in is set up."""
    is_verified = st.user.get("is_logged_in") is True and st.user.get("email_verified") is not False
    return str(st.user.get("email") or "")[:_LONGEST] if is_verified else ""


def _named(header: str) -> str:
    """Return the name that the proxy sends; none where it sends two, or none that can be shown."""
    headers = HEADERS[-1]()
    every = headers.get_all(header) if hasattr(headers, "get_all") else [headers.get(header, "")]
    name = every[0].strip() if header and len(every) == 1 else ""
    return "" if len(name) > _LONGEST or unseen(name) or "," in name else name
