"""The name of a browser: given once, taken from nobody, and no text that somebody sends can be one by chance."""

import random
import string

from planner.web.headers import BROWSER_COOKIE as COOKIE
from planner.web.headers import browser_name, naming_headers


def scope(cookie: str) -> dict[str, object]:
    return {"type": "http", "headers": [(b"cookie", cookie.encode("latin-1"))] if cookie else []}


def given() -> str:
    (name, said), *more = naming_headers(scope(""))
    assert (name, more) == (b"set-cookie", [])
    return said.decode()


def test_a_browser_without_a_name_gets_one_of_its_own() -> None:
    first, second = (given().split(";")[0].removeprefix(f"{COOKIE}=") for _ in range(2))
    assert first != second
    assert browser_name({COOKIE: first}) == first


def test_no_script_and_no_other_site_gets_the_name() -> None:
    assert given().split("; ")[1:] == ["Path=/", "HttpOnly", "SameSite=Lax"]


def test_a_browser_keeps_its_name() -> None:
    mine = given().split(";")[0]
    assert naming_headers(scope(f"a=b; {mine}; c=d")) == []


def test_what_is_no_name_is_none() -> None:
    rng = random.Random(28)
    marks = string.printable + "é\u00ff"
    for _ in range(500):
        said = "".join(rng.choices(marks, k=rng.choice((0, 1, 21, 23, 300))))
        assert browser_name({COOKIE: said}) is None
        assert naming_headers(scope(f"{COOKIE}={said.replace(';', '')}x!"))
