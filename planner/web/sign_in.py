"""Who asks for a page, what they may do, and who has signed in with an OpenID provider.

Everyone on this machine may do everything; elsewhere those whom a proxy or a provider vouches for. Streamlit checks the
provider's token once, at the sign-in, and keeps its claims in a signed cookie of 30 days, which a page reads once, when
it is opened. So the claims are checked again at each run, and a sign-in that ended is kept in the database: no other
tab, server or copy of the cookie goes on with it.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section

from planner.report import words
from pricing import PricingError
from pricing.caching import cached
from pricing.formulas import unseen

LASTS_S = 12 * 3_600
_LONGEST = 100
_WHY = "Your sign-in has ended, or its provider has not verified your e-mail address."
_IS_TRUE = (True, "true", 1, "1")
_VERIFIED = ("email_verified", "xms_edov")  # the second of Microsoft Entra ID


def is_set_up() -> bool:
    """Return whether people sign in on this server."""
    return "is_logged_in" in st.user.to_dict()


def person() -> tuple[str, frozenset[str]]:
    """Return the verified e-mail address of who signed in, and their groups; an empty one where nobody has."""
    claims = st.user.to_dict()
    name = email.strip() if isinstance(email := claims.get("email"), str) else ""
    is_sound = name.isascii() and name.find("@") > 0 and len(name) <= _LONGEST and not set(name) & set(", \t\r\n")
    if not is_sound or not _is_valid(claims) or _has_ended(_digest(claims), int(time.monotonic())):
        return "", frozenset()
    return name, frozenset(f"@{group.casefold()}" for claim in ("groups", "roles") for group in _names(claims, claim))


def _names(claims: Mapping[str, Any], claim: str) -> list[str]:
    names = claims.get(claim)
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _is_valid(claims: Mapping[str, Any]) -> bool:
    """Return whether a sign-in counts: of this program, fresh, with an address that the provider has verified."""
    since, audience = claims.get("iat"), claims.get("aud")
    is_fresh = isinstance(since, int | float) and time.time() - since < LASTS_S
    is_ours = bool(_clients() & set(audience if isinstance(audience, list) else [audience]))
    is_verified = any(claims.get(claim) in _IS_TRUE for claim in _VERIFIED)
    return claims.get("is_logged_in") is True and is_fresh and is_ours and is_verified


def _clients() -> set[str]:
    section = get_secrets_auth_section()
    sections = [section, *(part for part in section.values() if isinstance(part, Mapping))]
    return {str(part["client_id"]) for part in sections if "client_id" in part}


def _digest(claims: Mapping[str, Any]) -> str:
    """Return what a sign-in is known by; each has a nonce of its own."""
    kept = {name: text for name, text in claims.items() if name != "tokens"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()


@cached(256)
def _has_ended(digest: str, _second: int) -> bool:
    """Return whether somebody has signed out of a sign-in, looked up once a second; also where nobody can tell."""
    from planner.store.access import has_ended

    try:
        return has_ended(digest)
    except PricingError:
        return True


def entry() -> None:
    """Show who has signed in, with the way out, or the way in. Nothing where no sign-in is set up."""
    if not is_set_up():
        return
    name, _ = person()
    if not name:
        why = _WHY if st.user.to_dict().get("is_logged_in") else None
        st.button("Sign in", key="sign-in", type="tertiary", on_click=st.login, help=why)
        return
    with st.popover(words.markdown(name), key="signed-in"):
        st.button("Sign out", key="sign-out", on_click=sign_out)


def sign_out() -> None:
    """End the sign-in, in all tabs and for every copy of its cookie. Only in a callback."""
    from planner.store.access import end_sign_in

    with suppress(PricingError):  # where it cannot be kept, this browser at least forgets it
        end_sign_in(_digest(st.user.to_dict()), datetime.now(UTC))
    st.logout()


HERE = "x-rent-or-buy-here"  # a header of ours: nobody else can send it
NAME_HEADER, REVIEWERS = "RENT_OR_BUY_NAME_HEADER", "RENT_OR_BUY_REVIEWERS"  # names, @groups, or * for all with a name
HEADERS: list[Callable[[], Mapping[str, str]]] = [lambda: st.context.headers]  # a test has its own
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Visitor:
    """The visitor of a page."""

    may_change: bool  # live prices
    name: str = ""  # as somebody vouches for it; empty where visitors type their names
    means: str = "typed on this machine"  # how the name is known
    groups: frozenset[str] = frozenset()  # of the sign-in, each as @name


def visitor() -> Visitor:
    """Return who asks for this page. Where sign-in is set up, nothing else vouches for anybody."""
    header = os.environ.get(NAME_HEADER, "").strip()
    reviewers = set(os.environ.get(REVIEWERS, "").casefold().replace(",", " ").split())
    if is_set_up():
        name, groups = person()
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


def _named(header: str) -> str:
    """Return the name that the proxy sends; none where it sends two, or none that can be shown."""
    headers = HEADERS[-1]()
    every = headers.get_all(header) if hasattr(headers, "get_all") else [headers.get(header, "")]
    name = every[0].strip() if header and len(every) == 1 else ""
    return "" if len(name) > _LONGEST_NAME or unseen(name) or "," in name or name.startswith("@") else name
