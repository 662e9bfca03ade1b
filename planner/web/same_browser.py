"""A browser's name: a cookie of random letters, so that a reload finds what the same browser did before.

It says nothing of anybody, no script on the page can read it, and the browser drops it when it ends.
"""

import re
import secrets
from collections.abc import Mapping

from planner.web.packed import Message, asked_for

COOKIE = "rent-or-buy-browser"
_NAME = re.compile(r"[\w-]{22}", re.ASCII)  # 128 bits


def name_in(cookies: Mapping[str, str]) -> str | None:
    """The browser's name; None where it has none of ours."""
    said = cookies.get(COOKIE)
    return said if isinstance(said, str) and _NAME.fullmatch(said) else None


def naming(scope: Message) -> list[tuple[bytes, bytes]]:
    """What the answer with a page says to a browser that has no name yet: its name from now on."""
    if re.search(rf"\b{COOKIE}={_NAME.pattern}(;|$)", asked_for(scope, b"cookie"), re.ASCII):
        return []
    cookie = f"{COOKIE}={secrets.token_urlsafe(16)}; Path=/; HttpOnly; SameSite=Lax"
    return [(b"set-cookie", cookie.encode())]
