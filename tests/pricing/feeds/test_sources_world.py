"""Every source through the client that ships, from a server of this machine that answers as recorded."""

from collections.abc import Iterator

import pytest

from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.feed import FeedError
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import read
from tests.pricing.feeds.server import Answer, Server
from tests.pricing.feeds.world import World, environ_of, the_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with the_world() as started:
        yield started


@pytest.mark.parametrize("name", sorted(feeds()))
def test_a_source_says_the_same_through_the_client(name: str, world: World) -> None:
    feed = feeds()[name]
    patient = ClientLimits(tries=1, first_pause_s=0.0)
    client = Client(feed, patient, at=world.hosts(), environ=environ_of(feed))
    try:
        found = [(reply.digest, one) for reply, one in feed.read(client)]
    finally:
        client.close()
    told = [one for _, one in found]
    alike = [one for one in told if getattr(one, "why", "").startswith("could not be read")]
    recorded = [one for one in read(feed) if not getattr(one, "why", "").startswith("could not be read")]
    assert [one for one in told if one not in alike] == recorded
    assert all(len(digest) == 64 for digest, _ in found)


def test_keys_go_in_headers_only_and_to_their_own_host(world: World) -> None:
    for feed in feeds().values():
        client = Client(feed, ClientLimits(tries=1), at=world.hosts(), environ=environ_of(feed))
        asked_before = len(world.asked)
        list(feed.read(client))
        client.close()
        secrets = [value.rpartition(":")[2] for value in environ_of(feed).values()]
        for asked in world.asked[asked_before:]:
            told = f"{asked.path} {asked.params} {asked.body!r}"
            assert not any(secret in told for secret in secrets)
            assert bool(secrets) == any(secret in str(asked.headers) for secret in [*secrets, "a-key", "a-token"])


ENDLESS = {
    "azure": '{"Items": [], "NextPageLink": "https://prices.azure.com/api/retail/prices?$skip=%d"}',
    "gcp-billing": '{"skus": [], "nextPageToken": "page-%d"}',
    "vultr": '{"plans": [], "meta": {"links": {"next": "page-%d"}}}',
    "linode": '{"data": [], "page": %d, "pages": 1000000000}',
    "digitalocean": '{"sizes": [], "links": {"pages": {"next": "https://api.digitalocean.com/?page=%d"}}}',
    "scaleway": '{"servers": {%s}}' % ", ".join(f'"{n}": {{}}' for n in range(100)),  # noqa: UP031 - as the others
}


@pytest.mark.parametrize("name", sorted(ENDLESS))
def test_a_source_without_an_end_is_left(name: str, server: Server) -> None:
    feed, page = feeds()[name], iter(range(1_000))
    server.answer = lambda asked: Answer(body=_page(ENDLESS[name], next(page)))  # type: ignore[method-assign]
    client = Client(feed, ClientLimits(tries=1, pages=12), at=server.at(*feed.hosts), environ=environ_of(feed))
    with pytest.raises(FeedError, match=r"goes on after 12 pages|in a circle"):
        list(feed.read(client))
    client.close()


def _page(told: str, number: int) -> bytes:
    return (told % number if "%d" in told else told).encode()
