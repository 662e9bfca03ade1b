"""Sign-in by a real OpenID provider: who is believed, and that no token, cookie, header or link of anybody else is."""

import json
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError

import pytest
from itsdangerous import URLSafeTimedSerializer

from planner.store import Right
from planner.store.access import Asker
from planner.store.kept import PlanStore
from planner.web import sign_in
from planner.web.serving.visitors import SignInMiddleware
from pricing.feeds.folder import FOLDER
from tests import started
from tests.facts import CATALOGUE
from tests.kept.made import version
from tests.rows import each_row
from tests.web.provider import DISCOVERY, SECRET, Person, Provider, provider

slow = pytest.mark.slow
HOUR_S = 3_600
USER = "_streamlit_user"
NAME = "X-Forwarded-User"


@pytest.fixture(scope="module")
def at_work() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture(scope="module")
def app(at_work: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app whose operator has also named a header and a role; Ada keeps a plan that she shares with a group."""
    folder, port = tmp_path_factory.mktemp("app"), started.free_port()
    environ = at_work.settings(folder, port)
    ada = PlanStore(Asker("ada@example.org"), {FOLDER: environ[FOLDER]})
    ada.share(ada.save("Lab", version(), CATALOGUE).id, ["@Pricing"], Right.VIEW)
    with started.app(port=port, **environ, **{sign_in.NAME_HEADER: NAME, sign_in.REVIEWERS: "@pricing"}) as running:
        yield running.address


def signed_in(app: str, at_work: Provider, name: str, **claims: object) -> Person:
    at_work.knows(name, **claims)
    person = Person(app)
    person.sign_in(name)
    return person


def is_in(page: bytes) -> bool:
    assert b"Sign in" in page or b"signed-in" in page
    return b"signed-in" in page


def now() -> int:
    return int(time.time())


@slow
def test_who_signs_in_sees_their_plans_and_what_their_groups_may(app: str, at_work: Provider) -> None:
    assert not is_in(Person(app).sees())
    ada = signed_in(app, at_work, "ada")
    page = ada.sees("saved=1.1", "plans")
    assert is_in(page)
    assert b"Lab" in page
    assert b"ada@example.org" in page
    assert b"read-today" not in ada.sees("view=Live prices", "compare")
    upper = signed_in(app, at_work, "upper", email="ADA@Example.ORG")  # the same address
    assert b"kept-archive-1" in upper.sees("", "plans")
    bob = signed_in(app, at_work, "bob", groups=["Pricing", 7])
    assert b"to view" in bob.sees("", "plans")
    assert b"read-today" in bob.sees("view=Live prices", "compare")
    eve = signed_in(app, at_work, "eve", groups="pricing", roles=["pricing2"])  # no list; another group
    assert b"Lab" not in eve.sees("saved=1.1", "plans")
    assert b"read-today" not in eve.sees("view=Live prices", "compare")


@slow
@each_row(("claims",), [
    ({"email_verified": False},), ({"email_verified": None},), ({"email_verified": "false"},), ({"email": ""},),
    ({"email": "\u212aate@example.org"},), ({"email": "ada@example.org,eve@example.org"},), ({"email": "@pricing"},),
    ({"email": ["ada@example.org"]},), ({"aud": "another"},), ({"exp": 1},), ({"iss": "https://evil.example"},),
    ({"nonce": "of another sign-in"},), ({"iat": None},), ({"nbf": 4_000_000_000},),
])  # fmt: skip
def test_a_token_that_is_not_sound_signs_nobody_in(app: str, at_work: Provider, claims: dict[str, Any]) -> None:
    assert not is_in(signed_in(app, at_work, "mallory", **claims).sees())


@slow
def test_a_token_for_another_program_or_of_yesterday_counts_for_nothing(app: str, at_work: Provider) -> None:
    """Streamlit itself takes the first two: their `azp` names this program, and it asks nothing of the second."""
    client = json.loads(_user_cookie(signed_in(app, at_work, "ada").cookies[USER]))["aud"]
    assert not is_in(signed_in(app, at_work, "mallory", aud="another", azp=client).sees())
    for age_h, counts in ((11, True), (13, False)):
        person = signed_in(app, at_work, "mallory", iat=now() - age_h * HOUR_S)
        assert USER in person.cookies
        assert is_in(person.sees()) == counts


def _user_cookie(signed: str) -> str:
    return str(URLSafeTimedSerializer(SECRET, salt=USER).loads(signed))


@slow
def test_a_token_that_another_key_has_signed_signs_nobody_in(at_work: Provider, tmp_path: Path) -> None:
    with provider() as other, _metadata(at_work, {"jwks_uri": f"{other.address}/jwks"}) as address:
        port = started.free_port()
        with started.app(port=port, **at_work.settings(tmp_path, port, address)) as app:
            person = signed_in(app.address, at_work, "ada")
            assert USER not in person.cookies
            assert not is_in(person.sees())


class _metadata:  # noqa: N801
    """A provider's metadata with other entries, at an address."""

    def __init__(self, of: Provider, changed: dict[str, str]) -> None:
        with urllib.request.urlopen(f"{of.address}/{DISCOVERY}") as answer:
            body = json.dumps(json.load(answer) | changed).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


@slow
def test_a_cookie_that_somebody_has_made_or_changed_is_none(app: str, at_work: Provider) -> None:
    eve = signed_in(app, at_work, "eve")
    assert is_in(eve.sees())
    whole = eve.cookies
    claims = json.loads(_user_cookie(whole[USER]))
    forged = json.dumps(claims | {"email": "ada@example.org"})
    payload, stamp, signature = whole[USER].rsplit(".", 2)
    changed = URLSafeTimedSerializer("another secret", salt=USER).dumps(forged)
    other_place = URLSafeTimedSerializer(SECRET, salt="_streamlit_user_tokens").dumps(forged)
    mixed = f"{changed.rsplit('.', 2)[0]}.{stamp}.{signature}"
    for cookie in (changed, other_place, mixed, payload, f"{payload}.{stamp}x.{signature}", "chunks-2"):
        assert not is_in(eve.sees(cookies=whole | {USER: cookie}))
    assert not is_in(eve.sees(cookies={USER: whole[USER]}))  # from another site: without its own token
    assert is_in(eve.sees(cookies=whole))


@slow
def test_where_people_sign_in_no_header_and_no_place_vouches_for_anybody(app: str) -> None:
    for headers in ({}, {NAME: "ada@example.org"}, {sign_in.HERE: "1"}, {"X-Forwarded-Email": "ada@example.org"}):
        stranger = Person(app)
        page = stranger.sees("saved=1.1&view=Live prices", "plans", **headers)
        assert not is_in(page)
        assert b"Lab" not in page.replace(b"DeepLab", b"")
        assert b"read-today" not in stranger.sees("view=Live prices", "compare", **headers)


@slow
def test_no_other_way_in_knows_kept_plans(app: str, at_work: Provider) -> None:
    ada = signed_in(app, at_work, "ada")
    for path in ("plans", "plan?plan=Lab", "compare?plan=Lab&plan=startup"):
        with pytest.raises(HTTPError, match=r"40[04]|422"):
            ada.opened(f"{app}/api/v1/{path}")
    answers = [ada.opened(f"{app}/api/v1/plan?gpus=8{more}").read() for more in ("", "&saved=1.1")]
    assert json.loads(answers[0]) == json.loads(answers[1])  # the number of a kept plan is for pages


@slow
@each_row(("where", "back"), [
    ("/?gpus=16&name=A%20B", "/?gpus=16&name=A%20B"), ("/compare?gpus=8", "/compare?gpus=8"),
    ("//evil.example/", "/"), ("/\\evil.example", "/"), ("https://evil.example/x", "/"),
])  # fmt: skip
def test_who_has_signed_in_is_back_on_the_page_of_their_plan(
    app: str, at_work: Provider, where: str, back: str
) -> None:
    at_work.knows("ada")
    person = Person(app)
    person.sign_in("ada", came_from=where if where.startswith("https") else app + where)
    assert person.landed == app + back


@pytest.mark.parametrize("kept", ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nx: y", ""])
def test_a_cookie_of_the_way_back_leads_to_no_other_site(kept: str) -> None:
    sent = _through({"path": "/oauth2callback", "cookie": f"rent-or-buy-return={kept}"}, 302)
    assert sent == [(b"location", b"/"), (b"set-cookie", b"a=b")]


def test_over_tls_every_cookie_is_for_tls_only() -> None:
    assert _through({"scheme": "https"}, 200) == [(b"location", b"/"), (b"set-cookie", b"a=b; Secure")]
    assert _through({"scheme": "http"}, 200) == [(b"location", b"/"), (b"set-cookie", b"a=b")]


def _through(asked: dict[str, str], status: int) -> list[tuple[bytes, bytes]]:
    """The headers of an answer behind the middleware."""
    import asyncio

    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status,
                    "headers": [(b"location", b"/"), (b"set-cookie", b"a=b")]})  # fmt: skip

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"cookie", asked.get("cookie", "").encode())]
    scope = {"type": "http", "path": asked.get("path", "/"), "scheme": asked.get("scheme", "http"), "headers": headers}
    asyncio.run(SignInMiddleware(app, "")(scope, None, send))  # type: ignore[arg-type]
    return list(sent[0]["headers"])


@slow
@each_row(("changed", "wish"), [
    ('cookie_secret = "short"', "want 32 random characters"),
    ('redirect_uri = "http://plans.example/oauth2callback"', "https"),
    ('redirect_uri = "https://plans.example/"', "/oauth2callback behind it"), ('client_id', "cannot be read"),
    ('#client_secret', "missing the following keys: ['client_secret']"),
])  # fmt: skip
def test_settings_that_would_let_others_in_are_refused_with_a_sentence(tmp_path: Path, changed: str, wish: str) -> None:
    key = changed.split(" ", maxsplit=1)[0].lstrip("#")
    lines = {"redirect_uri": "http://127.0.0.1:8501/oauth2callback", "cookie_secret": SECRET, "client_id": "a",
             "client_secret": "b", "server_metadata_url": "http://127.0.0.1:1/"}  # fmt: skip
    text = "".join(f"{changed}\n" if name == key else f'{name} = "{value}"\n' for name, value in lines.items())
    (tmp_path / "secrets.toml").write_text(f"[auth]\n{text}")
    code, sentence = started.refusal(STREAMLIT_SECRETS_FILES=str(tmp_path / "secrets.toml"))
    assert code == 2
    assert wish in sentence
    assert SECRET not in sentence


@slow
def test_streamlits_own_trust_in_headers_is_refused() -> None:
    code, sentence = started.refusal(STREAMLIT_SERVER_TRUSTED_USER_HEADERS='{"X-User": "email"}')
    assert code == 2
    assert "RENT_OR_BUY_NAME_HEADER" in sentence
