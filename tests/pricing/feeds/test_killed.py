"""A refresh killed at fifty random moments: nothing that was kept is lost, and no row is there twice."""

import random
import subprocess
import sys
import time
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pricing import load_catalogue
from pricing.feeds.database import opened
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.store import LivePriceStore
from tests.house import ROOT
from tests.pricing.feeds.made import BRISK, HOST, row, source
from tests.pricing.feeds.server import Answer, Server

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
