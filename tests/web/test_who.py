"""Who may change live prices: everyone on this machine, elsewhere whom a setting names, and nobody who only says so."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from planner.web import live_prices, sign_in, state
from planner.web.live_prices import READER, PriceRefresher
from planner.web.serving.visitors import VisitorMiddleware
from pricing.feeds.database import opened
from pricing.feeds.refresh import Ways, refresh
from tests import started
from tests.pricing.feeds.made import BRISK, DAY, HOST, row, source
from tests.pricing.feeds.server import Answer, Server, serving
from tests.web.test_pages import visit

NAME = "X-Forwarded-User"
HERE = sign_in.HERE


def seen(*headers: tuple[str, str], peer: str = "127.0.0.1", **environ: str) -> dict[str, str]:
    """The headers of a request as the app sees them."""
    passed: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)

    lines = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "websocket", "scheme": "ws", "client": (peer, 1234), "headers": lines}
    asyncio.run(VisitorMiddleware(app, environ)(scope, None, None))  # type: ignore[arg-type]
    return {name.decode(): value.decode() for name, value in passed[0]["headers"]}


LOCAL = (("Host", "127.0.0.1:8501"), ("Origin", "http://127.0.0.1:8501"))


@pytest.mark.parametrize(
    ("peer", "headers"),
    [("127.0.0.1", LOCAL), ("::1", (("Host", "[::1]:8501"),)), ("127.0.0.1", (("Host", "localhost"),))],
)
def test_a_browser_of_this_machine_is_here(peer: str, headers: tuple[tuple[str, str], ...]) -> None:
    assert seen(*headers, peer=peer)[HERE] == "1"


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("10.0.0.5", LOCAL),
        ("10.0.0.5", (*LOCAL, (HERE, "1"))),  # says it of itself
        ("127.0.0.1", (*LOCAL, ("X-Forwarded-For", "127.0.0.1"))),
        ("127.0.0.1", (*LOCAL, ("X-Forwarded-Host", "localhost"), (HERE, "1"))),
        ("127.0.0.1", (*LOCAL, ("Forwarded", "for=127.0.0.1"))),
        ("127.0.0.1", (*LOCAL, ("Via", "1.1 proxy"))),
        ("127.0.0.1", (*LOCAL, ("X-Real-IP", "127.0.0.1"))),
        ("127.0.0.1", (("Host", "plans.example"), ("Origin", "https://plans.example"))),
        ("127.0.0.1", (("Host", "127.0.0.1:8501"), ("Origin", "https://plans.example"))),
        ("127.0.0.1", (("Host", "127.0.0.1"), ("Host", "plans.example"))),
        ("127.0.0.1", (("Host", "127.0.0.1.evil.example"),)),
        ("127.0.0.1", (("Host", "[bad"),)),
        ("127.0.0.1", ()),
        ("", LOCAL),
    ],
)
def test_whoever_comes_from_elsewhere_is_not(peer: str, headers: tuple[tuple[str, str], ...]) -> None:
    assert HERE not in seen(*headers, peer=peer)


def test_a_name_counts_only_where_a_trusted_proxy_sends_it() -> None:
    named = (NAME, "ada@corp.example")
    setting = {sign_in.NAME_HEADER: NAME}
    assert seen(named, **setting)["x-forwarded-user"] == "ada@corp.example"
    assert "x-forwarded-user" not in seen(named, peer="10.0.0.5", **setting)
    assert "x-forwarded-user" not in seen(named, ("X-Forwarded-For", "127.0.0.1"), peer="10.0.0.5", **setting)
    assert seen(named, peer="10.0.0.5", FORWARDED_ALLOW_IPS="10.0.0.5", **setting)["x-forwarded-user"] == named[1]


class Sent(dict[str, str]):
    """Headers, of which one may stand there twice."""

    def get_all(self, name: str) -> list[str]:
        return [value for value in self.get(name, "").split("|") if value]


@pytest.mark.parametrize(
    ("sent", "settings", "expected"),
    [
        ({HERE: "1"}, {}, sign_in.Visitor(may_change=True)),
        ({}, {}, sign_in.Visitor(may_change=False)),
        (
            {HERE: "1"},
            {sign_in.REVIEWERS: "ada"},
            sign_in.Visitor(may_change=False),
        ),  # a proxy that says nothing of itself
        ({HERE: "1"}, {sign_in.NAME_HEADER: NAME}, sign_in.Visitor(may_change=False)),
        (
            {NAME: "Ada"},
            {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "bob, ada"},
            sign_in.Visitor(True, "Ada", f"by {NAME}"),
        ),
        (
            {NAME: "Eve"},
            {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "bob, ada"},
            sign_in.Visitor(False, "Eve", f"by {NAME}"),
        ),
        (
            {NAME: "Eve"},
            {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "*"},
            sign_in.Visitor(True, "Eve", f"by {NAME}"),
        ),
        ({NAME: "*"}, {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "ada"}, sign_in.Visitor(False, "*", f"by {NAME}")),
        ({NAME: "Ada"}, {sign_in.NAME_HEADER: NAME}, sign_in.Visitor(False, "Ada", f"by {NAME}")),
        ({NAME: "Ada"}, {sign_in.REVIEWERS: "ada"}, sign_in.Visitor(may_change=False)),  # no proxy is named
        ({NAME: "Eve|Ada"}, {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "ada"}, sign_in.Visitor(may_change=False)),
        ({NAME: "Eve,Ada"}, {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "ada"}, sign_in.Visitor(may_change=False)),
        ({NAME: "ada\u202e"}, {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "*"}, sign_in.Visitor(may_change=False)),
        ({NAME: "a" * 101}, {sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "*"}, sign_in.Visitor(may_change=False)),
    ],
)
def test_who_may_and_under_which_name(
    sent: dict[str, str], settings: dict[str, str], expected: sign_in.Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (sign_in.NAME_HEADER, sign_in.REVIEWERS):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sign_in, "HEADERS", [lambda: Sent(sent)])
    assert sign_in.visitor() == expected


# The page


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def store(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store with one price that is believed and one on hold, and nobody on the page yet."""
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(state, "today", lambda: DAY)
    server.says("/example", Answer(json={"rows": [row(2.79), row(269.0, sku="Secure")]}))
    ways = Ways(limits=BRISK, at=server.at(HOST), day=DAY, person="root (account root)")
    refresh((source(),), ways=ways)
    monkeypatch.setattr(live_prices, "FEEDS", [lambda names: (source(),)])
    monkeypatch.setattr(live_prices, "WAYS", [lambda: ways])
    READER.__dict__.update(PriceRefresher().__dict__)
    yield
    READER.wait(60)


def events() -> list[tuple[str, str]]:
    with closing(opened()) as database:
        return database.rows("SELECT kind, person FROM events ORDER BY id")  # type: ignore[return-value]


def looks(monkeypatch: pytest.MonkeyPatch, sent: dict[str, str]) -> Any:
    monkeypatch.setattr(sign_in, "HEADERS", [lambda: sent])
    app = visit("Compare")
    app.query_params["view"] = live_prices.VIEW
    return app.run()


ATTACKS = ("read-today", "undo-live", "believed-", "refused-")


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_stranger_sees_prices_and_can_change_none(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    before, asked = events(), len(server.asked)
    app = looks(monkeypatch, {})
    shown = " ".join(str(one.value) for one in (*app.markdown, *app.caption))
    assert "Only people whom the administrator of this server names" in shown
    assert "read-today" not in [one.key for one in app.button]
    assert not app.text_input or "live-name" not in [one.key for one in app.text_input]
    for button in app.button:  # a client of one's own presses what is greyed out
        if str(button.key).startswith(ATTACKS):
            assert button.disabled
            button.proto.disabled = False
            button.click().run()
            assert not app.exception
    assert (events(), len(server.asked)) == (before, asked)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_page_that_was_opened_here_changes_nothing_once_its_visitor_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    app = looks(monkeypatch, {HERE: "1"})
    app.text_input(key="live-name").set_value("The CFO").run()
    before = events()
    monkeypatch.setattr(sign_in, "HEADERS", [dict])
    app.button(key="undo-live").click().run()
    app.button(key="read-today").click().run() if "read-today" in [one.key for one in app.button] else None
    assert events() == before
    assert "names" in " ".join(str(one.value) for one in app.error)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_whom_the_proxy_names_decides_under_that_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sign_in.NAME_HEADER, NAME)
    monkeypatch.setenv(sign_in.REVIEWERS, "ada@corp.example")
    app = looks(monkeypatch, {NAME: "Ada@corp.example"})
    assert "live-name" not in [one.key for one in app.text_input]
    app.button(key="undo-live").click().run()
    assert not app.exception
    assert events()[-1] == ("undone", f"Ada@corp.example (by {NAME})")
    assert ("refreshed", "root (account root)") in events()


@pytest.mark.slow
def test_a_refresh_is_cancelled_by_the_browser_that_began_it(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    server.says("/example", Answer(json={"rows": []}, silent_at=1, silent_s=30))
    monkeypatch.setattr(live_prices, "FEEDS", [lambda names: (source(),)])
    monkeypatch.setattr(live_prices, "WAYS", [lambda: Ways(at=server.at(HOST), dry=True)])
    reader = PriceRefresher()
    reader.begin("Ada", browser="a" * 22)
    reader.cancel("b" * 22)
    assert not reader.is_cancelling
    reader.cancel("a" * 22)
    server.over.set()
    reader.wait(30)
    assert reader.result is not None
    assert reader.result.cancelled


def said(tab: started.Tab) -> bytes:
    """All that a page sends until its run is over."""
    sent = b""
    while True:
        message = tab._line.recv(started.PATIENCE_S)
        sent += bytes(message)  # type: ignore[arg-type]
        if ForwardMsg.FromString(bytes(message)).WhichOneof("type") == "script_finished":  # type: ignore[arg-type]
            return sent


@pytest.mark.slow
def test_a_server_knows_who_is_here_and_believes_no_header(tmp_path: Path) -> None:
    with started.app(RENT_OR_BUY_DATA=str(tmp_path)) as app:
        for headers, may in (
            ({}, True),
            ({"X_Forwarded_For": "127.0.0.1"}, False),
            ({"X_Forwarded_For": "203.0.113.7", "X_Rent_Or_Buy_Here": "1"}, False),
        ):
            tab = started.Tab(app.address, **headers)
            tab._line.send(_compare().SerializeToString())
            page = said(tab)
            assert (b"read-today" in page) == may, headers
            assert b"No live prices were read yet" in page
            tab.leave()


def _compare() -> Any:
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ClientState_pb2 import ClientState

    return BackMsg(rerun_script=ClientState(query_string="view=Live prices", page_name="compare"))
