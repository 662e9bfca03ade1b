"""How a source is asked, and what a person reads where it misbehaves."""

import gzip
import hashlib
import threading
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.feed import Feed, FeedError, FeedReply
from pricing.feeds.reply import RefreshCancelled
from tests.pricing.feeds.server import Answer, Asked, Server, _Handler

HOST, OTHER = "prices.example", "more.example"
PAGE = f"https://{HOST}/prices"
BRISK = ClientLimits(connect_s=2, silent_s=0.2, total_s=20, tries=3, first_pause_s=0.001, longest_pause_s=1.5, pages=20)


def feed(**changes: object) -> Feed:
    """A source of the tests."""
    told = {"name": "example", "label": "Example", "page": PAGE, "hosts": (HOST, OTHER), "licence": "MIT"}
    return Feed(**{**told, "read": lambda ask: iter(()), **changes})  # type: ignore[arg-type]


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """Asks the server in place of both hosts."""
    made = Client(feed(), limits=BRISK, at=server.at(HOST, OTHER), environ={})
    yield made
    made.close()


def refused(reply: FeedReply | None = None, client: Client | None = None) -> str:
    """The sentence a person reads."""
    with pytest.raises(FeedError) as caught:
        (reply or client.get(PAGE)).json()  # type: ignore[union-attr]
    return str(caught.value)


def test_a_page_is_read_with_its_digest(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json={"items": [1]}))
    reply = client.get(PAGE, params={"page": "2"}, headers={"X-Mine": "yes"})
    assert reply.json() == {"items": [1]}
    assert reply.digest == hashlib.sha256(b'{"items": [1]}').hexdigest()
    asked = server.asked[0]
    assert (asked.host, asked.params, asked.headers["X-Mine"]) == (HOST, {"page": "2"}, "yes")


def test_a_body_is_sent_as_json(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json=[]))
    assert client.post(PAGE, {"limit": 10}).json() == []
    assert (server.asked[0].method, server.asked[0].body) == ("POST", b'{"limit": 10}')


def test_a_packed_reply_has_the_digest_of_what_is_in_it(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b"a,b\r\n1,2\n3", packed=True))
    reply = client.get(PAGE)
    assert list(reply.lines()) == ["a,b", "1,2", "3"]
    assert reply.digest == hashlib.sha256(b"a,b\r\n1,2\n3").hexdigest()


def test_no_password_out_of_a_netrc_is_sent(
    server: Server, client: Client, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"  # type: ignore[operator]
    netrc.write_text("default login anna password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    client._session.trust_env = True  # as it is where people use it
    server.says("/prices", Answer(json=[]))
    client.get(PAGE).json()
    assert "Authorization" not in server.asked[0].headers


# Patience


def test_it_waits_as_long_as_it_is_asked_to(server: Server, client: Client) -> None:
    waited: list[float] = []
    client.cancelled.wait = waited.append  # type: ignore[assignment]
    server.says("/prices", Answer(status=429, headers={"Retry-After": "1"}), Answer(json=[1]))
    assert client.get(PAGE).json() == [1]
    assert waited == [1]


def test_who_asks_for_a_long_wait_is_left_for_another_day(server: Server, client: Client) -> None:
    server.says("/prices", Answer(status=429, headers={"Retry-After": "3600"}))
    assert refused(client=client) == "Example wants a pause of 3,600 seconds, which is too long to wait."
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_out_of_order_is_asked_again(server: Server, client: Client, status: int) -> None:
    server.says("/prices", Answer(status=status), Answer(status=status), Answer(json=[1]))
    assert client.get(PAGE).json() == [1]


@pytest.mark.parametrize(("status", "tries", "sentence"), [
    (500, 3, "Example is out of order (500), after 3 tries too."),
    (503, 3, "Example is out of order (503), after 3 tries too."),
    (429, 3, "Example refused too many requests (429), after 3 tries too."),
    (404, 1, "Example has no such page any more (404)."),
    (410, 1, "Example has no such page any more (410)."),
    (403, 1, "Example did not let us in (403)."),
    (204, 1, "Example answered 204, and not with its prices."),
])  # fmt: skip
def test_an_unhappy_status_is_told(server: Server, client: Client, status: int, tries: int, sentence: str) -> None:
    server.says("/prices", Answer(status=status, body=b""))
    assert refused(client=client) == sentence
    assert len(server.asked) == tries


def test_a_slow_server_is_not_waited_for(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json={"items": [1] * 50}, silent_at=20, silent_s=10))
    assert refused(client=client) == "Example fell silent in the middle of its reply."


@pytest.mark.slow
def test_one_that_says_nothing_at_all_is_asked_again(server: Server, client: Client) -> None:
    def silent(_: Asked) -> Answer:
        server.over.wait(5)
        return Answer(json=[])

    server.says("/prices", silent)
    assert refused(client=client) == "Example did not answer in time."
    assert len(server.asked) == BRISK.tries


@pytest.mark.slow
def test_a_drip_of_bytes_ends_with_the_time_of_the_feed(server: Server) -> None:
    limits = ClientLimits(silent_s=2, total_s=0.5, tries=1)
    client = Client(feed(), limits=limits, at=server.at(HOST), environ={})
    server.says("/prices", Answer(json={"items": [1] * 500}, drip_s=0.05))
    assert refused(client=client) == "Example took longer than 0 seconds."
    client.close()


def test_nobody_at_the_address(client: Client) -> None:
    client.at = {HOST: "http://127.0.0.1:1"}
    assert refused(client=client) == f"Example cannot be reached: no connection to {HOST}."


# What comes


def test_a_reply_that_breaks_off(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json={"items": [1] * 50}, cut_at=40))
    assert refused(client=client) == "Example broke off in the middle of its reply."


def test_lines_that_break_off_are_no_whole_list(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b"a\n" * 500, cut_at=400))
    with pytest.raises(FeedError, match=r"^Example broke off in the middle of its reply\.$"):
        list(client.get(PAGE).lines())


def test_a_packed_reply_whose_end_is_missing(server: Server, client: Client) -> None:
    half = gzip.compress(b'{"items": []}' + b" " * 9_000)[:-12]
    server.says("/prices", Answer(body=half, headers={"Content-Encoding": "gzip"}))
    assert refused(client=client) == "Example broke off in the middle of its reply."


def test_what_cannot_be_unpacked(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b"not packed", headers={"Content-Encoding": "gzip"}))
    assert refused(client=client) == "Example sent a packed reply that cannot be unpacked."


def test_half_a_page_of_json(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b'{"items": [{"price": 1.2'))
    assert refused(client=client) == "Example sent what is no JSON, or only a part of it."


@pytest.mark.parametrize("body", [b"[NaN]", b"[1e999, Infinity]", b"[" * 100_000, b"[" + b"9" * 10_000 + b"]"])
def test_json_that_nobody_can_reckon_with(server: Server, client: Client, body: bytes) -> None:
    server.says("/prices", Answer(body=body))
    assert refused(client=client) == "Example sent what is no JSON, or only a part of it."


def test_an_empty_reply(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b" \n"))
    assert refused(client=client) == "Example sent an empty reply."


@pytest.mark.parametrize("start", [b"<!DOCTYPE html><p>", b"\xef\xbb\xbf\n <html lang=en>"])
def test_a_web_page_in_place_of_json(server: Server, client: Client, start: bytes) -> None:
    server.says("/prices", Answer(body=start + b"Sign in"))
    assert refused(client=client) == "Example sent a web page in place of JSON."


def test_a_web_page_in_place_of_a_list(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b"<html>Sign in"))
    with pytest.raises(FeedError, match=r"^Example sent a web page in place of a list of prices\.$"):
        next(client.get(PAGE).lines())


def test_bytes_in_place_of_text(server: Server, client: Client) -> None:
    server.says("/prices", Answer(body=b"price,\xff\xfe\n"))
    with pytest.raises(FeedError, match=r"^Example sent what is no text, at byte 6\.$"):
        client.get(PAGE).text()


def test_a_reply_that_is_too_large(server: Server) -> None:
    client = Client(feed(largest_reply_bytes=1_000), limits=BRISK, at=server.at(HOST), environ={})
    server.says("/prices", Answer(body=b"x" * 1_001))
    assert refused(client=client) == "Example sent more than the 1,000 bytes we read of it."
    client.close()


@pytest.mark.slow
def test_a_bomb_is_stopped_by_what_it_unpacks_to(server: Server) -> None:
    client = Client(feed(largest_reply_bytes=5_000_000), limits=BRISK, at=server.at(HOST), environ={})
    server.says("/prices", Answer(body=b"\0" * 300_000_000, packed=True))
    server.says("/prices", Answer(body=server.answer(Asked("", "", "/prices", {}, {}, b"")).content(),
                                  headers={"Content-Encoding": "gzip"}))  # fmt: skip
    tracemalloc.start()
    assert refused(client=client) == "Example sent more than the 5 MB we read of it."
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    client.close()
    assert most < 20_000_000


@pytest.mark.slow
def test_a_long_list_is_never_whole_in_memory(server: Server) -> None:
    line = b"Standard_ND96isr_H100_v5,eastus,98.32," + b"x" * 120 + b"\n"
    pieces = 3_000
    client = Client(feed(largest_reply_bytes=10**10), limits=BRISK, at=server.at(HOST), environ={})
    server.says("/prices", Answer(pieces=lambda: (line * 100 for _ in range(pieces))))
    tracemalloc.start()
    count = sum(1 for _ in client.get(PAGE).lines())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    client.close()
    assert count == pieces * 100
    assert most < 10_000_000 < pieces * 100 * len(line)


# Where it leads


def test_a_redirect_within_the_hosts_is_followed_without_the_key(server: Server, client: Client) -> None:
    server.says("/prices", Answer(status=302, body=b"", headers={"Location": f"https://{OTHER}/moved"}))
    server.says("/moved", Answer(json=[1]))
    assert client.get(PAGE, headers={"Authorization": "Bearer mine"}).json() == [1]
    assert [asked.host for asked in server.asked] == [HOST, OTHER]
    assert "Authorization" not in server.asked[1].headers


@pytest.mark.parametrize(("where", "sentence"), [
    ("https://evil.example/", "Example sends us to evil.example, which is none of its hosts: not followed."),
    ("//evil.example/x", "Example sends us to evil.example, which is none of its hosts: not followed."),
    ("https://169.254.169.254/", "Example sends us to a private address, where no seller is: not followed."),
    ("http://127.0.0.1:8501/", "Example sends us to a private address, where no seller is: not followed."),
    ("https://[::1]/", "Example sends us to a private address, where no seller is: not followed."),
    ("https://localhost/", "Example sends us to a private address, where no seller is: not followed."),
    (f"http://{HOST}/prices", "Example sends us to an address that is not encrypted: not followed."),
    (f"https://{HOST}:81/x", "Example sends us to port 81 of prices.example, which is none of its: not followed."),
    (f"https://{OTHER}:80/x", "Example sends us to port 80 of more.example, which is none of its: not followed."),
    (f"//{HOST}:0/x", "Example sends us to port 0 of prices.example, which is none of its: not followed."),
    (f"https://{HOST}:99999/x", "Example sends us to what is no address: not followed."),
    (f"https://{HOST}:port/x", "Example sends us to what is no address: not followed."),
    ("https://[bad/x", "Example sends us to what is no address: not followed."),
    ("file:///etc/passwd", "Example sends us to no host, which is none of its hosts: not followed."),
    ("https://a@evil.example/", "Example sends us to evil.example, which is none of its hosts: not followed."),
    ("/prices", "Example sends us on more than 5 times."),
])  # fmt: skip
def test_a_redirect_elsewhere_is_refused(server: Server, client: Client, where: str, sentence: str) -> None:
    server.says("/prices", Answer(status=302, body=b"", headers={"Location": where}))
    assert refused(client=client) == sentence


@pytest.mark.parametrize("port", ["", ":443"])
def test_the_usual_port_may_be_named(server: Server, client: Client, port: str) -> None:
    server.says("/prices", Answer(status=302, body=b"", headers={"Location": f"https://{HOST}{port}/moved"}))
    server.says("/moved", Answer(json=[1]))
    assert client.get(PAGE).json() == [1]


def test_a_source_at_another_port_stays_there(server: Server) -> None:
    client = Client(feed(hosts=(f"{HOST}:8443",)), limits=BRISK, at=server.at(HOST), environ={})
    server.says("/prices", Answer(json=[1]))
    assert client.get(f"https://{HOST}:8443/prices").json() == [1]
    server.says("/prices", Answer(status=302, body=b"", headers={"Location": f"https://{HOST}:8444/prices"}))
    with pytest.raises(FeedError, match=r"^Example sends us to port 8444 of prices\.example"):
        client.get(f"https://{HOST}:8443/prices?page=2")
    server.says("/prices", Answer(status=302, body=b"", headers={"Location": f"https://{HOST}/prices"}))
    with pytest.raises(FeedError, match=r"^Example sends us to port 443 of prices\.example"):
        client.get(f"https://{HOST}:8443/prices?page=3")
    client.close()


def test_a_next_page_elsewhere_is_refused_too(client: Client) -> None:
    with pytest.raises(FeedError, match="none of its hosts"):
        client.get("https://evil.example/page/2")
    with pytest.raises(FeedError, match=r"port 8443 of prices\.example"):
        client.get(f"https://{HOST}:8443/page/2")
    with pytest.raises(FeedError, match="no address"):
        client.get("https://[bad/x")


@pytest.mark.slow
def test_a_list_of_pages_that_never_ends(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json={}))
    for page in range(BRISK.pages):
        client.get(PAGE, params={"page": str(page)}).json()
    with pytest.raises(FeedError) as caught:
        client.get(PAGE, params={"page": "21"})
    assert str(caught.value) == "Example goes on after 20 pages."
    assert len(server.asked) == BRISK.pages


def test_a_page_that_names_itself_as_the_next(server: Server, client: Client) -> None:
    server.says("/prices", Answer(json={}))
    client.get(PAGE, params={"page": "1"}).json()
    with pytest.raises(FeedError) as caught:
        client.get(PAGE, params={"page": "1"})
    assert str(caught.value) == "Example sends us in a circle: a page of it names one that we have read."


# Keys and cancelling


def test_a_key_comes_from_the_environment_and_is_never_told(server: Server) -> None:
    keyed = feed(key_name="EXAMPLE_KEY")
    client = Client(keyed, limits=BRISK, at=server.at(HOST), environ={"EXAMPLE_KEY": " s3cret\n"})
    server.says("/prices", Answer(status=401))
    with pytest.raises(FeedError) as caught:
        client.get(PAGE, params={"key": client.key()})
    client.close()
    assert str(caught.value) == "Example did not accept the key in EXAMPLE_KEY (401)."
    assert server.asked[0].params == {"key": "s3cret"}


@pytest.mark.parametrize(("environ", "sentence"), [
    ({}, "Example wants a key: set EXAMPLE_KEY."),
    ({"EXAMPLE_KEY": " "}, "Example wants a key: set EXAMPLE_KEY."),
    (
        {"EXAMPLE_KEY": "a\nHost: b"},
        "Example cannot use the key in EXAMPLE_KEY: it has letters that no key has.",
    ),
])  # fmt: skip
def test_a_key_that_is_none(environ: dict[str, str], sentence: str) -> None:
    client = Client(feed(key_name="EXAMPLE_KEY"), at={}, environ=environ)
    with pytest.raises(FeedError) as caught:
        client.key()
    client.close()
    assert str(caught.value) == sentence


def test_who_cancels_waits_for_no_pause(server: Server) -> None:
    cancelled = threading.Event()
    client = Client(
        feed(), limits=ClientLimits(first_pause_s=60, longest_pause_s=600), cancelled=cancelled, at=server.at(HOST)
    )

    def out_of_order(_: Asked) -> Answer:
        cancelled.set()
        return Answer(status=503)

    server.says("/prices", out_of_order)
    with pytest.raises(RefreshCancelled):
        client.get(PAGE)
    client.close()


@pytest.mark.parametrize(("days", "is_read"), [(0, True), (-7, True), (365, False), (-365, False)])
def test_a_clock_that_is_a_year_off_dates_no_price(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch, days: int, is_read: bool
) -> None:
    now = datetime.now(UTC) + timedelta(days=days)
    monkeypatch.setattr(_Handler, "date_time_string", lambda *_: format_datetime(now, usegmt=True))
    server.says("/prices", Answer(json=[1]))
    if is_read:
        assert client.get(PAGE).json() == [1]
    else:
        said = f"Example says that today is {now.date()}, and this machine says {datetime.now(UTC).date()}."
        assert refused(client=client) == said
