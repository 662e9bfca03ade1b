"""A source that only drips is given up; one that thinks first, or that we read slowly, is not."""

import pytest

from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.feed import FeedError
from tests.pricing.feeds.server import Answer, Asked, Server, raw_server
from tests.pricing.feeds.test_client import HOST, PAGE, feed, refused

STEADY = ClientLimits(silent_s=5, total_s=60, tries=1, slow_s=0.3)
SLOW = "Example sent less than 1,000 bytes a second for 0.3 seconds: given up."


def test_a_source_that_sends_its_reply_byte_by_byte_is_given_up(server: Server) -> None:
    server.says("/prices", Answer(json={"items": [1] * 5_000}, drip_s=0.02))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    assert refused(client=client) == SLOW
    client.close()


def test_a_source_that_sends_its_headers_byte_by_byte_is_given_up() -> None:
    with raw_server(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 5_000, drip_s=0.02) as url:
        client = Client(feed(), limits=STEADY, at={HOST: url}, environ={})
        assert refused(client=client) == SLOW
        client.close()


def test_pages_that_are_each_a_little_slow_are_given_up_together(server: Server) -> None:
    server.says("/prices", Answer(json=[1, 2, 3], drip_s=0.02))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    pages = (client.get(PAGE, params={"page": str(page)}).json() for page in range(100))
    with pytest.raises(FeedError) as caught:
        list(pages)
    assert str(caught.value) == SLOW
    client.close()


def test_a_source_that_thinks_first_and_then_sends_at_once_is_read(server: Server) -> None:
    def late(_: Asked) -> Answer:
        server.over.wait(0.4)
        return Answer(json=[1])

    server.says("/prices", late)
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    for page in range(3):
        assert client.get(PAGE, params={"page": str(page)}).json() == [1]
    client.close()


def test_a_long_reply_that_is_read_slowly_by_us_is_not_given_up(server: Server) -> None:
    server.says("/prices", Answer(body=b"a line\n" * 50_000))
    client = Client(feed(), limits=STEADY, at=server.at(HOST), environ={})
    lines = client.get(PAGE).lines()
    next(lines)
    server.over.wait(0.5)
    assert sum(1 for _ in lines) == 49_999
    client.close()
