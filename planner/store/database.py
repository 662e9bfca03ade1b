"""The database of kept plans: a file in the person's data folder, or the team's PostgreSQL.

There is nothing to set up: the first save makes the file and its tables, and alembic moves older tables on.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from planner.store import plans_file
from planner.store.tables import HEAD
from pricing.caching import cached
from pricing.errors import PricingError
from pricing.feeds.database import run_first
from pricing.feeds.folder import DATABASE, FOLDER

BUSY_S = [10.0]  # patience with others who save; a test has less
_TURN = 7_241_019  # of PostgreSQL's advisory locks, ours
_UNSAVED = "Nothing was saved; earlier versions are whole."
_DAMAGED = "Move it away to start anew, or put a copy back."


class PlanStoreError(PricingError):
    """Plans cannot be kept or read, in a sentence."""


@contextmanager
def reading(environ: Mapping[str, str] = os.environ) -> Iterator[sa.Connection | None]:
    """Open the database for one reading. None: no plan was ever saved."""
    url = environ.get(DATABASE)
    path = None if url else plans_file(environ)
    if not url and (path is None or not _is_there(path)):
        yield None
        return
    with _opened(_engine(url or str(path), writes=False), url, path, writes=False) as connection:
        revision = _revision(connection)
        _require_known(revision, _name(url, path))
        if revision in (None, HEAD):
            yield connection if revision else None
            return
    with writing(environ):
        pass  # moves the tables of an older release on
    with reading(environ) as connection:
        yield connection


def _is_there(path: Path) -> bool:
    """Return whether there is a file; one that may not be looked at is refused when it is opened."""
    try:
        return path.exists()
    except PermissionError:
        return True


@contextmanager
def writing(environ: Mapping[str, str] = os.environ) -> Iterator[sa.Connection]:
    """Open the database for one change: all of it or nothing; nobody else writes meanwhile."""
    url = environ.get(DATABASE)
    path = None if url else _writable_file(environ)
    with _opened(_engine(url or str(path), writes=True), url, path, writes=True) as connection:
        if url:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TURN)))
        revision = _revision(connection)
        if revision != HEAD:
            _require_known(revision, _name(url, path))
            _migrate(connection)
        yield connection


def _writable_file(environ: Mapping[str, str]) -> Path:
    path = plans_file(environ)
    if path is None:
        raise PlanStoreError(f"There is no home folder to keep plans in: name one in {FOLDER}. {_UNSAVED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise PlanStoreError(f"The folder {path.parent} cannot be made: {error.strerror}. {_UNSAVED}") from error
    return path


@contextmanager
def _opened(engine: sa.Engine, url: str | None, path: Path | None, *, writes: bool) -> Iterator[sa.Connection]:
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        raise PlanStoreError(_sentence(error.orig or error, _name(url, path), writes=writes)) from error


def _name(url: str | None, path: Path | None) -> str:
    return str(path) if url is None else f"The database at {urlsplit(url).hostname or 'the address in ' + DATABASE}"


_LOCKED = "is in use by someone else who saves. Try again in a moment."
_FULL = "has no room left: the disk is full. Free some space and try again."
_WHY_SQLITE = {
    sqlite3.SQLITE_BUSY: _LOCKED, sqlite3.SQLITE_LOCKED: _LOCKED, sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: f"cannot be written to. {FOLDER} can name another folder.",
    sqlite3.SQLITE_CANTOPEN: f"cannot be opened. {FOLDER} can name another folder.",
    sqlite3.SQLITE_PERM: f"cannot be written to. {FOLDER} can name another folder.",
    sqlite3.SQLITE_NOTADB: f"is no database of plans, or damaged. {_DAMAGED}",
    sqlite3.SQLITE_CORRUPT: f"is damaged. {_DAMAGED}",
}  # fmt: skip
_WHY_POSTGRES = {
    "55P03": _LOCKED, "53100": _FULL, "25006": "cannot be written to: it is read-only.",
    "42501": "does not let this account keep plans.", None: "cannot be reached.",
}  # fmt: skip


def _sentence(error: BaseException, name: str, *, writes: bool) -> str:
    if isinstance(error, sqlite3.Error):
        why = _WHY_SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    else:
        why = _WHY_POSTGRES.get(getattr(error, "sqlstate", "unknown"))
    text = " ".join(str(error).split()).rstrip(".")
    end = f" {_UNSAVED}" if writes else ""
    return f"{name} {why}{end}" if why else f"{name} cannot be used: {text}.{end}"


def _require_known(revision: str | None, name: str) -> None:
    if revision is not None and revision > HEAD:
        raise PlanStoreError(f"{name} was written by a newer release of this program: update this one.")


def _revision(connection: sa.Connection) -> str | None:
    """Return the migration that the tables stand at; None: there are no tables."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _migrate(connection: sa.Connection) -> None:
    from alembic.config import Config  # once in the life of a database
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    folder = Path(__file__).parent / "migrations"
    script = ScriptDirectory(str(folder), version_locations=[str(folder)])

    def steps(revision: Any, _context: Any) -> Any:
        return script._upgrade_revs(HEAD, revision)  # as alembic's own command does

    with EnvironmentContext(Config(), script, fn=steps, destination_rev=HEAD) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()


@cached(8)
def _engine(place: str, *, writes: bool) -> sa.Engine:
    """Return the engine of a file or of PostgreSQL; each use has a connection of its own, so a fault never stays."""
    if "://" in place or "=" in place:
        return sa.create_engine("postgresql+psycopg://", creator=lambda: _connect_postgres(place), poolclass=NullPool)
    connect = _connect_to_write if writes else _connect_to_read
    engine = sa.create_engine("sqlite://", creator=lambda: connect(Path(place)), poolclass=NullPool)
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin) and None)
    return engine


def _connect_to_write(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S[-1], isolation_level=None, check_same_thread=False)
    run_first(connection, *(f"PRAGMA {text}" for text in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")))
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    last: sqlite3.Error | None = None
    for how in ("mode=ro", "immutable=1"):  # where nobody may write beside it, nothing in it changes
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(path))}?{how}", uri=True, timeout=BUSY_S[-1], isolation_level=None,
                check_same_thread=False,
            )  # fmt: skip
            run_first(connection, "SELECT COUNT(*) FROM sqlite_master")
        except sqlite3.OperationalError as error:
            last = error
        else:
            return connection
    raise last or sqlite3.OperationalError("no database")


def _connect_postgres(place: str) -> Any:
    try:
        psycopg = import_module("psycopg")
    except ImportError as error:
        wish = "pip install -r requirements-postgres.txt"
        raise PlanStoreError(f"{DATABASE} names a database, and its driver is not installed: {wish}.") from error
    connection = psycopg.connect(place, connect_timeout=10)
    with suppress(psycopg.Error):
        connection.execute(f"SET lock_timeout = {int(BUSY_S[-1] * 1_000)}")
        connection.commit()
    return connection
