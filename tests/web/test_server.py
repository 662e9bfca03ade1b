"""What the server sends: packed as the browser allows, kept for as long as it stays the same, closed to strangers."""

import asyncio
import base64
import gzip
import hashlib
import json
import re
import socket
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import brotli
import pytest
from starlette.applications import Starlette
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from planner.web.serving import launcher, settings, web_app
from planner.web.serving.web_app import (
    CODECS,
    PARTS,
    STATIC,
    SYMBOLS,
    SYMBOLS_OF,
    PageHeadMiddleware,
    StaticCompressionMiddleware,
    SymbolsMiddleware,
    needed_part,
    negotiate_codec,
)  # fmt: skip
from tests.house import ROOT
from tests.rows import each_row
from tools import plotly_parts, symbols

PLOTLY = next(STATIC.glob("static/js/PlotlyChart*.js"))
SCRIPT = next(STATIC.glob("static/js/index.*.js"))


class Said(NamedTuple):
    """What a server said, byte by byte as on the line."""

    status: int
    headers: dict[str, str]
    raw: bytes


def asked(path: str, method: str = "GET", **headers: str) -> Said:
    """Streamlit's own files as the app serves them. A path may be one that a client of good manners would mend."""
    files = Starlette(routes=create_streamlit_static_assets_routes(None))
    served = PageHeadMiddleware(SymbolsMiddleware(StaticCompressionMiddleware(files)))
    said: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def receive() -> dict[str, Any]:
        return await asyncio.Future()  # whoever asked stays

    lines = [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()]
    where, _, query = path.partition("?")
    scope = {
        "type": "http", "method": method, "path": unquote(where), "root_path": "", "headers": lines,
        "query_string": query.encode(),
    }  # fmt: skip
    asyncio.run(served(scope, receive, send))
    told = {name.decode().lower(): value.decode() for name, value in said[0]["headers"]}
    return Said(said[0]["status"], told, b"".join(one.get("body", b"") for one in said[1:]))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is packed behind the test's back."""
    monkeypatch.setattr(StaticCompressionMiddleware, "start", lambda self: None)


@pytest.mark.parametrize(("accepted", "name"), [
    ("gzip, deflate, br, zstd", "br"), ("gzip, deflate", "gzip"), ("br;q=0, gzip;q=0.5", "gzip"), ("BR", "br"),
    ("*", "br"), ("*;q=0", None), ("identity", None), ("gzip;q=none", None), ("", None),
])  # fmt: skip
def test_the_browser_chooses_how_files_are_packed(accepted: str, name: str | None) -> None:
    way = negotiate_codec(accepted)
    assert (way and way.name) == name


@pytest.mark.parametrize(("accepted", "name"), [("gzip, br", "br"), ("gzip", "gzip"), ("identity", None)])
def test_a_file_arrives_whole_and_is_kept_for_good(accepted: str, name: str | None) -> None:
    answer = asked(f"/static/js/{SCRIPT.name}", accept_encoding=accepted)
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[name]
    assert answer.headers.get("content-encoding") == name
    assert unpack(answer.raw) == SCRIPT.read_bytes()
    assert int(answer.headers["content-length"]) == len(answer.raw)
    assert len(answer.raw) < SCRIPT.stat().st_size / 2 or name is None
    assert "immutable" in answer.headers["cache-control"]
    if name:
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["etag"].startswith("W/")


def test_a_head_tells_the_same_and_sends_nothing() -> None:
    answer = asked(f"/static/js/{SCRIPT.name}", "HEAD", accept_encoding="br")
    assert answer.headers["content-encoding"] == "br"
    assert not answer.raw


def test_a_file_the_browser_has_is_not_sent_again() -> None:
    where = f"/static/js/{SCRIPT.name}"
    tag = asked(where, accept_encoding="br").headers["etag"]
    again = asked(where, accept_encoding="br", if_none_match=tag)
    assert again.status == 304
    assert not again.raw


@pytest.mark.parametrize(
    "path",
    ["/static/../../../../../etc/passwd", "/static/%2e%2e/%2e%2e/METADATA", "/static/js/..%5c..%5cx", "//static/js/x"],
)
def test_no_path_leads_out_of_the_folder(path: str) -> None:
    assert asked(path, accept_encoding="br").status == 400


@pytest.mark.parametrize("path", ["/", "/compare", "/index.html"])
def test_a_page_is_asked_for_anew_and_may_run_only_what_is_ours(path: str) -> None:
    answer = asked(path, accept_encoding="br", if_none_match='"x"')
    policy = dict(one.split(" ", 1) for one in answer.headers["content-security-policy"].split("; "))
    assert answer.status == 200
    assert answer.headers["content-encoding"] == "br"
    assert answer.headers["cache-control"] == "no-cache"
    assert "etag" not in answer.headers
    assert policy["frame-ancestors"] == "'none'"
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "data:", "blob:"} & set(policy["script-src"].split())
    written = re.findall(rb"<script>(.*?)</script>", brotli.decompress(answer.raw), re.DOTALL)
    assert len(written) > 1
    for script in written:
        assert base64.b64encode(hashlib.sha256(script).digest()).decode() in policy["script-src"]


def test_a_site_of_the_setting_may_show_an_embedded_plan_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def frames(path: str) -> tuple[str, str | None]:
        told = asked(path).headers
        policy = dict(one.split(" ", 1) for one in told["content-security-policy"].split("; "))
        return policy["frame-ancestors"], told.get("x-frame-options")

    assert frames("/?embed=true") == ("'none'", "DENY")
    monkeypatch.setattr(web_app, "FRAMED_BY", "https://wiki.example.com http://localhost:3000")
    assert frames("/?gpus=8&embed=true") == ("https://wiki.example.com http://localhost:3000", None)
    assert frames("/?gpus=8") == ("'none'", "DENY")
    assert frames("/?gpus=8&embed=trueish") == ("'none'", "DENY")


@each_row(("said", "site"), [
    ("", ""), ("https://wiki.example.com", "https://wiki.example.com"), (" http://a.b:8 https://*.c.d ", "http://a.b:8 https://*.c.d"),
    ("*", None), ("'self'", None), ("https://a.b; script-src *", None), ("wiki.example.com", None),
])  # fmt: skip
def test_only_sites_are_taken_that_may_show_a_plan(said: str, site: str | None) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(settings.FRAME_ANCESTORS, said)
        if site is None:
            with pytest.raises(SystemExit, match=r"want sites such as https://wiki\.example\.com\."):
                settings.frame_ancestors()
        else:
            assert settings.frame_ancestors() == site


@pytest.mark.parametrize("path", ["/", f"/static/js/{SCRIPT.name}", "/static/nothing.js", "/_stcore/health"])
def test_every_answer_is_closed_to_strangers(path: str) -> None:
    told = asked(path).headers
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
    assert told["x-frame-options"] == "DENY"
    assert "camera=()" in told["permissions-policy"]


def test_the_smallest_copy_is_kept_and_a_damaged_one_made_again(tmp_path: Path) -> None:
    plain = b"let there = 'light';" * 500
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "a.js").write_bytes(plain)
    kept = tmp_path / "kept"
    first = StaticCompressionMiddleware(lambda *_: None, tmp_path, kept)
    first.compress_all()
    file, way = tmp_path / "static" / "a.js", CODECS[0]
    assert brotli.decompress((kept / "a.js.br").read_bytes()) == plain
    (kept / "a.js.br").write_bytes(b"damaged")
    (kept / "a.js.gzip").write_bytes(gzip.compress(b"evil()"))
    second = StaticCompressionMiddleware(lambda *_: None, tmp_path, kept)
    second.compress_all()
    assert [codec.decompress(second.packed(file, codec)) for codec in CODECS] == [plain, plain]
    assert brotli.decompress((kept / "a.js.br").read_bytes()) == plain
    assert len(second.packed(file, way)) < len(plain) / 20


def test_the_address_is_the_one_to_type_and_no_small_answer_is_held_back() -> None:
    """The kernel would keep the second piece of an answer until the browser has confirmed the first, up to 40 ms."""
    with launcher.listen(0) as listener:
        assert launcher.address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_icons_that_are_used_are_sent_in_the_place_of_all() -> None:
    where = f"/static/media/{SYMBOLS_OF}"
    assert (STATIC / "static" / "media" / SYMBOLS_OF).is_file(), "Streamlit has another font: run tools/symbols.py"
    answer = asked(where)
    assert answer.raw == SYMBOLS.read_bytes()
    assert answer.headers["cache-control"] == "no-cache"
    assert len(answer.raw) < 20_000
    again = asked(where, if_none_match=answer.headers["etag"])
    assert (again.status, again.raw) == (304, b"")
    assert not asked(where, "HEAD").raw


def test_every_icon_that_is_named_is_in_the_font() -> None:
    in_streamlit = symbols.names(STATIC / "static" / "media" / SYMBOLS_OF)
    assert len(in_streamlit) > 3_000
    assert symbols.names(SYMBOLS) == symbols.icons() & in_streamlit


def test_of_the_library_of_charts_only_the_part_is_sent_that_is_used() -> None:
    where = f"/static/js/{PLOTLY.name}"
    answer = asked(where, accept_encoding="br")
    assert brotli.decompress(answer.raw) == needed_part(PLOTLY)
    assert answer.headers["cache-control"] == "no-cache"
    again = asked(where, accept_encoding="br", if_none_match=answer.headers["etag"])
    assert (again.status, again.raw) == (304, b"")
    assert asked(where).raw == PLOTLY.read_bytes()  # who takes nothing packed gets all


def test_what_is_left_out_is_what_no_chart_of_ours_needs() -> None:
    record, whole = json.loads(PARTS.read_text()), PLOTLY.read_bytes()
    digest = hashlib.sha256(whole).hexdigest()
    assert (record["file"], record["sha256"]) == (PLOTLY.name, digest), "another Streamlit: run tools/plotly_parts.py"
    pieces = plotly_parts.cuts(whole.decode("latin-1"))
    assert [tuple(piece) for piece in record["cuts"]] == pieces
    assert sum(end - start for start, end in pieces) > len(whole) / 2
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "planner" / "report").rglob("*.py"))
    kinds = set(re.findall(r'"type": "(\w+)"', code)) - {"line", "rect", "log", "scatter"}
    assert kinds <= set(plotly_parts.KINDS)
    assert not re.search(r"\bgo\.(?!Figure\b)\w+\(|plotly\.express", code)


def test_another_library_of_charts_is_sent_whole(tmp_path: Path) -> None:
    other = tmp_path / PLOTLY.name
    other.write_bytes(b"another")
    assert needed_part(other) == b"another"
