"""A file is made when its button is pressed, without a session; where it cannot be made, the page says so."""

from collections.abc import Callable
from threading import Thread

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.web.test_pages import SLOW, visit

Make = Callable[[], bytes]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Make]:
    """What each button of a page would give, by the name of the file."""
    files: dict[str, Make] = {}

    def button(label: str, data: Make, file_name: str, mime: str, **_: object) -> None:
        files[file_name] = data

    monkeypatch.setattr(st, "download_button", button)
    return files


def pressed(make: Make) -> bytes:
    """What a button gives: its callable runs in another thread, as Streamlit runs it."""
    given: list[bytes] = []
    thread = Thread(target=lambda: given.append(make()))
    thread.start()
    thread.join()
    assert given, "the callable raised: it asked for something that is gone by then"
    return given[0]


def test_no_file_asks_the_session_when_it_is_made(offered: dict[str, Make]) -> None:
    app = visit("Answer")
    app.session_state["share"] = True
    app.run()
    assert not app.exception
    assert {"cash-flow.csv", "assumptions.csv", "results.csv", "scenario.yaml"} <= offered.keys()
    assert all(len(pressed(make)) > 0 for make in offered.values())


def one_broken_file() -> None:
    """A page with a button whose file cannot be made."""
    from planner.web.show import download

    def broken() -> bytes:
        raise ZeroDivisionError

    download("Broken", "broken.csv", broken, "broken")


@pytest.mark.slow
def test_a_file_that_cannot_be_made_is_said(offered: dict[str, Make]) -> None:
    app = AppTest.from_function(one_broken_file, default_timeout=SLOW).run()
    assert not app.error
    with pytest.raises(ZeroDivisionError):
        offered["broken.csv"]()
    app.run()
    assert app.error[0].value.replace("\\", "").startswith("broken.csv could not be made the last time. Your plan")
