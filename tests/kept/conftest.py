"""Kept plans in a folder of a test's own, and in a PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.store import database
from pricing.feeds.folder import DATABASE, FOLDER
from tests.kept.postgres import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty database of each kind, named by the environment; the name of its kind."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "data"))
    monkeypatch.setattr(database, "BUSY_S", [0.5])
    if request.param == "postgres":
        url = request.getfixturevalue("server")
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        monkeypatch.setenv(DATABASE, url)
    return request.param
