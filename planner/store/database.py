"""The database of kept plans: its tables, and how it is opened."""

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
from pricing.caching import cached
from pricing.errors import PricingError
from pricing.feeds.database import run_first
from pricing.feeds.folder import DATABASE, FOLDER

HEAD = "0003"  # the last migration
METADATA = sa.MetaData()

PLANS = sa.Table(
    "plans", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("author", sa.Text, nullable=False),  # empty: the people of this machine
    sa.Column("key", sa.Text, nullable=False),  # the name in small letters
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("folder", sa.Text, nullable=False),  # or cost centre
    sa.Column("tags", sa.Text, nullable=False),  # a JSON list
    sa.Column("archived", sa.Text),  # when; None: it is in use
    sa.UniqueConstraint("author", "key", name="plans_by_name"),
)  # fmt: skip
FACTS = sa.Table(
    "facts", METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("packed", sa.LargeBinary, nullable=False),  # the catalogue as JSON, packed
)  # fmt: skip
VERSIONS = sa.Table(
    "versions", METADATA,
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("saved", sa.Text, nullable=False),  # when
    sa.Column("person", sa.Text, nullable=False),  # by whom
    sa.Column("release", sa.Text, nullable=False),  # of the program that calculated it
    sa.Column("day", sa.Text, nullable=False),  # of the plan
    sa.Column("facts", sa.Text, sa.ForeignKey("facts.digest"), nullable=False),
    sa.Column("text", sa.Text, nullable=False),  # the file of the plan
    sa.Column("link", sa.Text, nullable=False),  # empty where a link cannot hold it
    sa.Column("result", sa.Text, nullable=False),  # title, best option and measures, a JSON record
)  # fmt: skip
SHARES = sa.Table(
    "shares", METADATA,
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
    sa.Column("person", sa.Text, primary_key=True),  # an e-mail address, @group, or * for everyone who has signed in
    sa.Column("level", sa.Integer, nullable=False),  # a number of `access.Right`
)  # fmt: skip
TRAIL = sa.Table(  # takes new rows only
    "trail", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
)  # fmt: skip
SIGN_OUTS = sa.Table(
    "sign_outs", METADATA,
    sa.Column("digest", sa.Text, primary_key=True),  # of the token of a sign-in
    sa.Column("at", sa.Text, nullable=False),
)  # fmt: skip
ACTUALS = sa.Table(
    "actuals", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("imported", sa.Text, nullable=False),  # when
    sa.Column("person", sa.Text, nullable=False),  # by whom
    sa.Column("bill", sa.Text, nullable=False),  # its sums by month of the plan, a JSON record
)  # fmt: skip


BUSY_S = [10.0]  # patience with others who save; a test has less
_TURN = 7_241_019  # of PostgreSQL's advisory locks, ours
_UNSAVED = "Nothing was saved; earlier versions are whole."
_DAMAGED = "Move it away to start anew, or put a copy back."


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
        raise PricingError(f"There is no home folder to keep plans in: name one in {FOLDER}. {_UNSAVED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise PricingError(f"The folder {path.parent} cannot be made: {error.strerror}. {_UNSAVED}") from error
    return path


@contextmanager
def _opened(engine: sa.Engine, url: str | None, path: Path | None, *, writes: bool) -> Iterator[sa.Connection]:
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        raise PricingError(_sentence(error.orig or error, _name(url, path), writes=writes)) from error


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
        raise PricingError(f"{name} was written by a newer release of this program: update this one.")


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
        raise PricingError(f"{DATABASE} names a database, and its driver is not installed: {wish}.") from error
    connection = psycopg.connect(place, connect_timeout=10)
    with suppress(psycopg.Error):
        connection.execute(f"SET lock_timeout = {int(BUSY_S[-1] * 1_000)}")
        connection.commit()
    return connection
