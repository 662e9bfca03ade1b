"""A server that stands in for every source, and a data folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pricing.feeds.server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this machine, for this test alone."""
    with serving() as started:
        yield started


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Where this test keeps its live prices; copies of them are kept beside."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return {"RENT_OR_BUY_DATA": str(tmp_path / "data")}
