"""A store that somebody edited, or something else in its place: every reader is told in one sentence."""

import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.web import live_prices
from pricing import PricingError, load_catalogue
from pricing.feeds.database import open_read_only, opened
from pricing.feeds.folder import FILE, FOLDER
from pricing.feeds.live import current
from pricing.feeds.naming import NameInput, say
from pricing.feeds.refresh import RefreshResult, Ways, refresh
from pricing.feeds.store import LivePriceStore
from tests.house import ROOT
from tests.pricing.feeds.made import BRISK, HOST, row, source
from tests.pricing.feeds.server import Answer, Server, serving

SEED, EDITS = 11, 30
TODAY = date.today()
NOW = datetime.now(UTC)
TABLES = ("refreshes", "products", "replies", "readings", "events")
ODD: tuple[Any, ...] = (
    None, 0, -1, 5, 2**62, 1.5, -2.5, 0.0, float("inf"), float("-inf"), "", "x", "nan", "2026-02-30", "20261123",
    "0001-01-01", "9999-12-31", "2026-11-23T12:00:00", "believed", "held", "hosted", "{}", "[1, 2]", "null", "{",
    '{"kind": "zzz"}', '{"seller": 5}', "\u202eAWS", "a\nb", b"\xff\x00", "x" * 5_000, "[" * 50_000,
)  # fmt: skip


def feeds(server: Server) -> tuple[Any, ...]:
    """Three sources: rented machines, models by the token, a currency."""
    server.says("/example", Answer(json={"rows": [
        row(2.79), row(269.0, sku="Secure Cloud"), row(0, sku="Spare"), row(3.0, seller="Polar Cloud"),
        row(2.59, accelerator="H900"), row(8.0, count=8, sku="Whole", region="here", note="a note"),
    ]}))  # fmt: skip
    told = {"vendor": "Anthropic", "model": "claude-3-haiku", "input_usd_per_mtoken": 0.3, "output_usd_per_mtoken": 1.3}
    server.says("/api", Answer(json={"rows": [told, {**told, "model": "new", "input_usd_per_mtoken": 0.0}]}))
    server.says("/rates", Answer(json={"rows": [{"code": "EUR", "usd": 1.16}, {"code": "XXX", "usd": 2.0}]}))
    return source(), source("api", kind="hosted"), source("rates", kind="exchange")


def read_again(folder: Path, server: Server) -> RefreshResult:
    """A refresh of all three into the store of this folder."""
    ways = Ways({FOLDER: str(folder)}, BRISK, server.at(HOST), day=TODAY)
    return refresh(feeds(server), load_catalogue(), ways)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture(scope="module")
def sound(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all there is in one: believed, held, refused, named and put aside."""
    folder = tmp_path_factory.mktemp("sound")
    read_again(folder, server)
    with closing(opened({FOLDER: str(folder)})) as database:
        store = LivePriceStore(database)
        held = [one.id for one in store.held(TODAY) if one.reason.acceptable]
        store.decide({"believed": held[:1], "refused": held[1:]}, "Ada", NOW)
        say(store, load_catalogue(), NameInput("Polar Cloud", "new", "Ada", NOW))
    read_again(folder, server)
    undone = read_again(folder, server)
    with closing(opened({FOLDER: str(folder)})) as database:
        LivePriceStore(database).undo(undone.run, "Ada", NOW)
        database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


@pytest.fixture
def place(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of this test: a copy, with nothing else kept."""
    return copied(sound, tmp_path / "data", monkeypatch)


def copied(sound: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the store, used from now on."""
    folder.mkdir()
    shutil.copy(sound / FILE, folder / FILE)
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return folder / FILE


def edited(path: Path, sql: str, *values: object) -> None:
    """Somebody's edit, by whatever tool."""
    with closing(sqlite3.connect(path, isolation_level=None)) as editor:
        editor.execute("PRAGMA foreign_keys=OFF")
        for change in ("UPDATE", "DELETE"):
            editor.execute(f"DROP TRIGGER IF EXISTS events_no_{change}")
        editor.execute(sql, values)


def looks(server: Server, folder: Path) -> dict[str, Any]:
    """What each reader of the store does; a sentence where it refuses."""
    ways = {
        "current": current, "stored": live_prices.status, "had": live_prices.availability,
        "refresh": lambda: read_again(folder, server),
    }  # fmt: skip
    found = {}
    for name, look in ways.items():
        try:
            found[name] = look()
        except PricingError as error:
            found[name] = str(error)
    return found


def verbs(folder: Path) -> list[list[str]]:
    """The verbs that read or write the store."""
    return [
        ["prices", "--provider", "runpod", "--accelerator", "H100 SXM"], ["held"], ["refresh", "--undo", "--dry-run"],
        ["publish-prices", str(folder / "out")],
    ]  # fmt: skip


def is_a_sentence(said: str, path: Path) -> bool:
    """One line that names the file and ends."""
    return str(path) in said and said.isprintable() and said.endswith(".")


def test_every_reader_reads_a_sound_store(place: Path, server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert [look for look in looks(server, place.parent).values() if isinstance(look, str)] == []
    for verb in verbs(place.parent):
        assert main(verb) == 0, capsys.readouterr().err


@pytest.mark.parametrize("verb", ["prices", "plan startup", "held", "refresh --undo", "publish-prices", "cheapest",
                                  "facts gpus", "stale", "watch startup"])  # fmt: skip
@pytest.mark.parametrize("what", ["a day that is none", "no table", "a folder"])
def test_every_verb_says_in_one_sentence_what_is_wrong_with_the_store(
    verb: str, what: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if what == "a day that is none":
        edited(place, "UPDATE readings SET day = 'x'")
    elif what == "no table":
        edited(place, "DROP TABLE readings")
    else:
        place.unlink()
        place.mkdir()
    words = verb.split() + {"publish-prices": [str(tmp_path / "out")], "cheapest": _CHEAPEST}.get(verb, [])
    code = main(words)
    out, err = capsys.readouterr()
    if what == "a day that is none" and verb == "refresh --undo":  # needs no day of a price
        assert code == 0
        return
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert str(place) in err
    assert "Move it away to start anew, or put a copy back." in err


_CHEAPEST = ["--model", "llama-3-8b", "--tokens", "1e11"]


def test_a_table_that_is_gone_is_not_made_anew(place: Path, server: Server) -> None:
    for table in TABLES:
        shutil.copy(place, place.with_name("whole"))
        edited(place, f"DROP TABLE {table}")
        with pytest.raises(PricingError, match=f"is damaged: it has no whole table {table}"):
            read_again(place.parent, server)
        with closing(sqlite3.connect(place)) as kept:
            assert table not in {name for (name,) in kept.execute("SELECT name FROM sqlite_master")}
        shutil.move(place.with_name("whole"), place)


def test_a_column_that_is_gone_is_told(place: Path, server: Server) -> None:
    edited(place, "ALTER TABLE readings DROP COLUMN free")
    assert [look for look in looks(server, place.parent).values() if not is_a_sentence(str(look), place)] == []


@pytest.mark.parametrize("what", ["a folder", "no database"])
def test_something_else_in_place_of_the_lock_is_told(place: Path, server: Server, what: str) -> None:
    lock = place.with_name("refresh.lock")
    lock.mkdir() if what == "a folder" else lock.write_text("no database at all\n" * 200)
    with pytest.raises(PricingError) as caught:
        read_again(place.parent, server)
    assert is_a_sentence(str(caught.value), lock)


def test_a_product_of_an_older_version_whose_name_hides_marks_is_left_out(place: Path, server: Server) -> None:
    edited(
        place, """UPDATE products SET told = replace(told, 'RunPod', '\u202eRunPod') WHERE told LIKE '%Community%'"""
    )
    found = looks(server, place.parent)
    assert [look for look in found.values() if isinstance(look, str)] == []
    assert "\u202e" not in str(found["stored"]) + str(found["had"])


def test_a_price_of_nothing_that_was_refused_hinders_no_later_one(place: Path, server: Server) -> None:
    """A model that was said to cost nothing has a price on another day."""
    told = {"vendor": "Anthropic", "model": "new", "input_usd_per_mtoken": 0.5, "output_usd_per_mtoken": 1.3}
    every = feeds(server)
    server.says("/api", Answer(json={"rows": [told]}))
    ways = Ways({FOLDER: str(place.parent)}, BRISK, server.at(HOST), day=TODAY)
    assert refresh(every[1:2], load_catalogue(), ways).sources[0].verdicts == {"believed": 1}


@pytest.mark.slow
def test_any_edit_of_the_store_is_survived(
    sound: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    draw, told = random.Random(SEED), 0
    for number in range(EDITS):
        path = copied(sound, tmp_path / str(number), monkeypatch)
        wrong = tuple(_edit(path, draw) for _ in range(draw.randrange(1, 3)))
        for look in looks(server, path.parent).values():
            told += isinstance(look, str)
            assert not isinstance(look, str) or is_a_sentence(look, path), (wrong, look)
        for verb in verbs(path.parent):
            assert main(verb) in (0, 2), wrong
            err = capsys.readouterr().err
            assert "Traceback" not in err
            assert err.count("\n") <= 1, wrong
        shutil.rmtree(path.parent)
    assert told > EDITS / 6


def _edit(path: Path, draw: random.Random) -> tuple[str, object]:
    """One random edit: a cell, a column of cells, a row, a table or a column."""
    table = draw.choice(TABLES)
    with closing(sqlite3.connect(path)) as asked:
        columns = [column[1] for column in asked.execute(f"PRAGMA table_info({table})")]
    column, value = draw.choice(columns or ["gone"]), draw.choice(ODD)
    one = f"rowid IN (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"
    sql, values = draw.choice(
        [
            (f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {one}", (value,)),
            (f"UPDATE OR IGNORE {table} SET {column} = ?", (value,)), (f"DELETE FROM {table} WHERE {one}", ()),
            (f"DROP TABLE {table}", ()), (f"ALTER TABLE {table} DROP COLUMN {column}", ()),
        ][: 5 if draw.random() < 0.15 else 3]
    )  # fmt: skip
    with suppress(sqlite3.Error):
        edited(path, sql, *values)
    return sql, value


def test_nothing_is_read_where_there_is_no_store(tmp_path: Path) -> None:
    assert LivePriceStore(open_read_only({FOLDER: str(tmp_path)})).sources() == {}


SOURCES, ROWS, KILLS = 6, 400, 50


def rows(environ: dict[str, str], sql: str) -> list[tuple[Any, ...]]:
    """What stands in the store."""
    with closing(opened(environ)) as database:
        return database.rows(sql)


def killed(url: str, folder: str, after_s: float) -> bool:
    """A refresh begun and killed; whether it was still at work."""
    ready = Path(folder).with_suffix(".ready")
    ready.unlink(missing_ok=True)
    words = [sys.executable, "-m", "tests.pricing.feeds.victim", url, folder]
    victim = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    while not ready.exists() and victim.poll() is None:
        time.sleep(0.002)
    time.sleep(after_s)
    victim.kill()
    return victim.wait() == -9


@pytest.mark.slow
def test_killed_at_fifty_moments_nothing_is_lost_and_nothing_is_twice(server: Server, environ: dict[str, str]) -> None:
    chance = random.Random(20261123)
    for n in range(SOURCES):
        prices = [row(2.5 + chance.random() / 2, sku=f"kind {kind}") for kind in range(ROWS)]
        server.says(f"/source{n}", Answer(json={"rows": prices}))
    ways = Ways(environ=environ, limits=BRISK, at=server.at(HOST))
    sources = [source(f"source{n}") for n in range(SOURCES)]
    refresh(sources[:1], load_catalogue(), ways)
    kept = frozenset(rows(environ, "SELECT refresh, product, price FROM readings"))
    died_at_work, latest_s = 0, 0.6
    for _ in range(KILLS):
        if killed(server.url, environ["RENT_OR_BUY_DATA"], chance.random() * latest_s):
            died_at_work += 1
        else:
            latest_s *= 0.8  # this machine is done sooner: kill earlier
        now = frozenset(rows(environ, "SELECT refresh, product, price FROM readings"))
        assert kept <= now
        kept = now
        whole = rows(environ, "SELECT COUNT(*) FROM readings GROUP BY refresh")
        assert {count for (count,) in whole} <= {ROWS}, "a source is kept whole or not at all"
    assert died_at_work > KILLS / 2
    refresh(sources, load_catalogue(), ways)
    ((every,),) = rows(environ, "SELECT COUNT(*) FROM readings")
    ((products,),) = rows(environ, "SELECT COUNT(*) FROM (SELECT DISTINCT product FROM readings) AS each_one")
    assert every == products == SOURCES * ROWS
    assert rows(environ, "SELECT refresh, product FROM readings GROUP BY refresh, product HAVING COUNT(*) > 1") == []
    with closing(opened(environ)) as database:
        assert len(LivePriceStore(database).believed(date(2026, 1, 1))) == SOURCES * ROWS
