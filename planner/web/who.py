"""Who asks for a page, and what they may do: everyone on this machine; elsewhere those whom somebody vouches for."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from planner.web import sign_in
from pricing.formulas import unseen

HERE = "x-rent-or-buy-here"  # a header of ours: nobody else can send it
NAME_HEADER, REVIEWERS = "RENT_OR_BUY_NAME_HEADER", "RENT_OR_BUY_REVIEWERS"  # names, @groups, or * for all with a name
HEADERS: list[Callable[[], Mapping[str, str]]] = [lambda: st.context.headers]  # a test has its own
_LONGEST = 100


@dataclass(frozen=True)
class Visitor:
    """The visitor of a page."""

    may_change: bool  # live prices
    name: str = ""  # as somebody vouches for it; empty where visitors type their names
    means: str = "typed on this machine"  # how the name is known
    groups: frozenset[str] = frozenset()  # of the sign-in, each as @name


def visitor() -> Visitor:
    """Return who asks for this page. Where sign-in is set up, nothing else vouches for anybody."""
    header, reviewers = os.environ.get(NAME_HEADER, "").strip(), _reviewers()
    if sign_in.is_set_up():
        name, groups = sign_in.person()
        means = "signed in"
    else:
        name, groups, means = _named(header), frozenset[str](), f"by {header}"
        if not name and not header and not reviewers:
            return Visitor(HEADERS[-1]().get(HERE) == "1")
    if not name:
        return Visitor(may_change=False)
    return Visitor(bool({name.casefold(), "*", *groups} & reviewers), name, means, groups)


def keeper() -> str | None:
    """Return the author of this visitor's kept plans: a name, or empty for the people of this machine; None: nobody."""
    known = visitor()
    return known.name.casefold() or ("" if known.may_change else None)


def _reviewers() -> set[str]:
    return set(os.environ.get(REVIEWERS, "").casefold().replace(",", " ").split())


def _named(header: str) -> str:
    """Return the name that the proxy sends; none where it sends two, or none that can be shown."""
    headers = HEADERS[-1]()
    every = headers.get_all(header) if hasattr(headers, "get_all") else [headers.get(header, "")]
    name = every[0].strip() if header and len(every) == 1 else ""
    return "" if len(name) > _LONGEST or unseen(name) or "," in name or name.startswith("@") else name
