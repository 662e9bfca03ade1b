"""Request headers, and the browser's random name in a cookie.

The name lets a reload continue what the same browser did before. It says nothing about a person, no script on the page
can read it, and the browser drops it when it ends.
"""

import re
import secrets
from collections.abc import Mapping

from starlette.types import Scope

BROWSER_COOKIE = "rent-or-buy-browser"
_NAME = re.compile(r"[\w-]{22}", re.ASCII)  # 128 bits


def header_value(scope: Scope, name: bytes) -> str:
    """Return a header of a request; its values joined where it stands there several times."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def browser_name(cookies: Mapping[str, str]) -> str | None:
    """Return the browser's name; None where it has none of ours."""
    name = cookies.get(BROWSER_COOKIE)
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None


def naming_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the header that names a browser which has no name yet."""
    if re.search(rf"\b{BROWSER_COOKIE}={_NAME.pattern}(;|$)", header_value(scope, b"cookie"), re.ASCII):
        return []
    cookie = f"{BROWSER_COOKIE}={secrets.token_urlsafe(16)}; Path=/; HttpOnly; SameSite=Lax"
    return [(b"set-cookie", cookie.encode())]
