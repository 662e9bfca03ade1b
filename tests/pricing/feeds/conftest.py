"""A server that stands in for every source, and a data folder of the test's own."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pricing.feeds import live
from pricing.feeds.database import opened
from tests.pricing.feeds.server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this machine, for this test alone."""
    with serving() as started:
        yield started


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Where this test keeps its live prices; copies of them are kept beside.

    A file, or the empty PostgreSQL that RENT_OR_BUY_TEST_DATABASE names: its tables are dropped before each test.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    there = {"RENT_OR_BUY_DATA": str(tmp_path / "data")}
    url = os.environ.get("RENT_OR_BUY_TEST_DATABASE")
    if url is None:
        return there
    there |= {"RENT_OR_BUY_DATABASE": url}
    live._stored.cache_clear()  # of the tables that stood there before
    live._with_live_prices.cache_clear()
    with closing(opened(there)) as database:
        database.run("DROP TABLE events, readings, replies, products, refreshes")
    return there
