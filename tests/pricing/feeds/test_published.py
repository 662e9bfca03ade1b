"""A folder that somebody published, with anything at all in its files, and addresses that are none."""

import hashlib
import json
import random
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from pricing import PricingError, load_catalogue
from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.database import opened
from pricing.feeds.feed import FeedError
from pricing.feeds.live import current
from pricing.feeds.naming import unresolved_names
from pricing.feeds.refresh import SourceResult, Ways, refresh
from pricing.feeds.registry import COLUMNS, LATEST, published_feed
from pricing.feeds.store import LivePriceStore
from pricing.formulas import unseen
from tests.pricing.feeds.made import DAY
from tests.pricing.feeds.server import Answer, Asked, Server, raw_server
from tests.pricing.feeds.test_client import HOST, PAGE, feed, refused

FILE = "prices-2026-11-20.csv"
H100 = {"kind": "rental", "source": "runpod", "day": "2026-11-20", "seller": "RunPod", "accelerator": "H100 SXM",
        "count": "1", "purchase": "on_demand", "price": "2.79", "memory_gb": "80"}  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, 10**400, "", "x", "\u202eAWS", "a\nb", "\ud800", "\x00", "..", "/etc/passwd",
    [], [1, 2], [[]], {}, {"file": FILE}, "prices-2026-11-20.csv\n", "9" * 5_000, "nan", "inf", "-inf", "1e999",
    "1e-400", "0001-01-01", "9999-12-31", "2026-02-30", "on_demand", "=1+1", "'=1+1", "é€…😀", "x" * 200_000,
)  # fmt: skip


def publish(folder: Path, rows: list[Mapping[str, str]], **head: Any) -> None:
    """A folder as `publish-prices` writes it, but for what is named."""
    folder.mkdir(exist_ok=True)
    lines = [",".join(COLUMNS), *(",".join(_quoted(row.get(name, "")) for name in COLUMNS) for row in rows)]
    raw = "\n".join(lines).encode("utf-8", "surrogatepass")
    (folder / FILE).write_bytes(raw)
    told = {"version": 1, "day": "2026-11-20", "file": FILE, "sha256": hashlib.sha256(raw).hexdigest(), "prices": 1}
    (folder / LATEST).write_text(json.dumps({**told, **head}))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def read(folder: Path, environ: Mapping[str, str]) -> SourceResult:
    """What becomes of it in a refresh."""
    feeds = (published_feed(str(folder)),)
    return refresh(feeds, load_catalogue(), Ways(environ=environ, day=DAY)).sources[0]


def is_a_sentence(said: str) -> bool:
    """One line that ends, in which no name of an error of Python's stands."""
    return said.isprintable() and said.endswith(".") and "Error" not in said and len(said) < 500


@pytest.mark.parametrize(("content", "sentence"), [
    ("[1, 2]", "latest.json is not what `publish-prices` writes: want an object, got a list. Publish it again."),
    ("null", "latest.json is not what `publish-prices` writes: want an object, got nothing. Publish it again."),
    ("7", "latest.json is not what `publish-prices` writes: want an object, got a number. Publish it again."),
    ('"x"', "latest.json is not what `publish-prices` writes: want an object, got a text. Publish it again."),
    ("{", "latest.json is no JSON. Publish it again."),
    ("", "latest.json is no JSON. Publish it again."),
    ("[" * 100_000, "latest.json is no JSON. Publish it again."),
    ("9" * 10_000, "latest.json is no JSON. Publish it again."),
    ("\xff\xfe", "latest.json is no JSON. Publish it again."),
])  # fmt: skip
def test_what_stands_in_latest_json_is_told_in_a_sentence(
    tmp_path: Path, environ: dict[str, str], content: str, sentence: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / LATEST).write_text(content, encoding="latin-1")
    result = read(folder, environ)
    assert (result.state, result.said) == ("failed", f"{folder}: {sentence}")


@pytest.mark.parametrize(
    "head",
    [
        {"file": None}, {"file": 7}, {"file": [FILE]}, {"file": {"name": FILE}}, {"file": f"../{FILE}"},
        {"version": None}, {"version": "1"}, {"version": [1]}, {"version": 2}, {"sha256": None}, {"sha256": 7},
        {"sha256": [1]},
    ],
    ids=str,
)  # fmt: skip
def test_a_field_of_another_type_is_told_in_a_sentence(
    tmp_path: Path, environ: dict[str, str], head: dict[str, Any]
) -> None:
    publish(tmp_path / "out", [H100], **head)
    result = read(tmp_path / "out", environ)
    assert result.state == "failed"
    assert is_a_sentence(result.said)


@pytest.mark.slow
def test_a_refresh_survives_anything_in_a_published_folder(tmp_path: Path, environ: dict[str, str]) -> None:
    draw = random.Random(5)
    folder = tmp_path / "out"
    for _ in range(60):
        rows = [dict(H100) for _ in range(3)]
        for row in rows:
            for name in draw.sample(COLUMNS, draw.randrange(4)):
                row[name] = str(draw.choice(ODD))
        head = {name: draw.choice(ODD) for name in ("version", "file", "sha256", "day") if draw.random() < 0.1}
        publish(folder, rows, **head)
        result = read(folder, environ)
        assert not result.said or is_a_sentence(result.said), (rows, head)
    with closing(opened(environ)) as database:
        texts = [text for table in ("products", "refreshes", "readings", "events") for kept in database.rows(
            f"SELECT * FROM {table}") for text in kept if isinstance(text, str)]  # fmt: skip
        assert [text for text in texts if unseen(text)] == []
        kept = LivePriceStore(database)
        unresolved_names(kept.held(DAY))
    current(environ)


@pytest.mark.parametrize("where", [
    "https://[bad/x", "https://host:port/x", "https://host:99999/x", "https://", "https:///x", "http://host/x",
    "ftp://host/x", "https://user:secret@host/x", "https://host/x?key=1", "https://ho st/x", "https://host/\nx",
    "https://\u202ehost/x", "://", "https://[::1/x", "https://host/x#part", "https://ho\x00st/x",
])  # fmt: skip
def test_an_address_that_is_none_is_told_in_a_sentence(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        PricingError, match=r"is no address to read prices from: want https://HOST/FOLDER, or a folder\."
    ):
        published_feed(where)
    assert main(["refresh", "--source", where]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("where", ["a/b\x00c", "./a\nb", "x" * 5_000 + "/y", "\ud800/x"])
def test_a_folder_that_cannot_be_one_is_told_in_a_sentence(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path))
    assert main(["refresh", "--source", where]) in (1, 2)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "Error" not in out + err


def test_a_port_of_an_address_is_its_only_one() -> None:
    assert published_feed("https://prices.example/x").hosts == ("prices.example",)
    assert published_feed("https://prices.example:8443/x").hosts == ("prices.example:8443",)
    assert published_feed("https://[::1]:8443/x").hosts == ("[::1]:8443",)


STEADY = ClientLimits(silent_s=5, total_s=60, tries=1, slow_s=0.3)
SLOW = "Example sent less than 1,000 bytes a second for 0.3 seconds: given up."


@pytest.mark.slow
def test_a_source_that_sends_its_reply_byte_by_byte_is_given_up(server: Server) -> None:
    server.says("/prices", Answer(json={"items": [1] * 5_000}, drip_s=0.02))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    assert refused(client=client) == SLOW
    client.close()


@pytest.mark.slow
def test_a_source_that_sends_its_headers_byte_by_byte_is_given_up() -> None:
    with raw_server(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 5_000, drip_s=0.02) as url:
        client = Client(feed(), limits=STEADY, at={HOST: url}, environ={})
        assert refused(client=client) == SLOW
        client.close()


@pytest.mark.slow
def test_pages_that_are_each_a_little_slow_are_given_up_together(server: Server) -> None:
    server.says("/prices", Answer(json=[1, 2, 3], drip_s=0.02))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    pages = (client.get(PAGE, params={"page": str(page)}).json() for page in range(100))
    with pytest.raises(FeedError) as caught:
        list(pages)
    assert str(caught.value) == SLOW
    client.close()


@pytest.mark.slow
def test_a_source_that_thinks_first_and_then_sends_at_once_is_read(server: Server) -> None:
    def late(_: Asked) -> Answer:
        server.over.wait(0.4)
        return Answer(json=[1])

    server.says("/prices", late)
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    for page in range(3):
        assert client.get(PAGE, params={"page": str(page)}).json() == [1]
    client.close()


@pytest.mark.slow
def test_a_long_reply_that_is_read_slowly_by_us_is_not_given_up(server: Server) -> None:
    server.says("/prices", Answer(body=b"a line\n" * 50_000))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    lines = client.get(PAGE).lines()
    next(lines)
    server.over.wait(0.5)
    assert sum(1 for _ in lines) == 49_999
    client.close()
