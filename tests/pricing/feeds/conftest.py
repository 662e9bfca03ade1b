"""A server that stands in for every source, and nobody's data folder but the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pricing.feeds.server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this machine, for this test alone."""
    with serving() as started:
        yield started
