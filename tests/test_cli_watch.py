"""`watch`: news only when an answer turns or a price falls; and what today's prices change in an older plan."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.common import NEWS
from pricing import load_catalogue
from pricing.feeds.database import opened
from pricing.feeds.feed import Observation
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.store import LivePriceStore, PriorPrices, SourceRefresh
from pricing.feeds.written import SourceInfo
from tests.pricing.feeds.made import row

TODAY = date.today()
Keep = Callable[[float], None]


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Keep:
    """Puts a believed price of RunPod's H100 into a store of the test's own."""
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    market = MarketPrices.of(load_catalogue())

    def done(price: float) -> None:
        now = datetime.now(UTC)
        reading = PriceValidator(market, PriorPrices(), TODAY).reading(Observation(**row(price)), "digest")
        about = SourceInfo("Example", "https://prices.example", "MIT", "price_api")
        with closing(opened()) as database:
            store = LivePriceStore(database)
            with store.writing():
                believed = type(reading)(**{name: getattr(reading, name) for name in reading.__slots__}
                                         | {"reason": None})  # fmt: skip
                store.keep(SourceRefresh(f"{price}", "example", about, TODAY, now, seen=1), [believed], now)

    return done


def plan_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    return str(path)


PLAN = "accelerator: H100-SXM5-80GB\nwork:\n  - accelerators: 8\n    busy_share: 0.4\n"


def test_a_price_that_falls_is_news_once(keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]) -> None:
    plan = plan_file(tmp_path, PLAN)
    keep(2.79)
    watch = ["watch", plan, "--below", "1.10"]
    assert main(watch) == 0
    assert capsys.readouterr().out == ""
    keep(1.05)
    assert main(watch) == NEWS == 3
    out = capsys.readouterr().out
    assert "RunPod asks $1.05" in out
    assert "below $1.10" in out
    assert main(watch) == 0
    assert capsys.readouterr().out == ""


def test_an_answer_that_turns_is_news_once(keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]) -> None:
    plan = plan_file(tmp_path, PLAN.replace("0.4", "0.95"))
    assert main(["watch", plan]) == 0
    keep(0.40)
    assert main(["watch", plan]) == NEWS
    assert "Today's prices change this answer from “Too close to call” to “Rent”" in capsys.readouterr().out
    assert main(["watch", plan]) == 0


def test_another_plan_in_the_same_file_is_looked_at_anew(keep: Keep, tmp_path: Path) -> None:
    assert main(["watch", plan_file(tmp_path, PLAN.replace("0.4", "0.95"))]) == 0
    assert main(["watch", plan_file(tmp_path, PLAN.replace("0.4", "0.01"))]) == 0


@pytest.mark.parametrize("below", ["0", "-1", "1001", "nan", "cheap"])
def test_a_line_that_is_no_price_is_refused(below: str, tmp_path: Path) -> None:
    assert main(["watch", plan_file(tmp_path, PLAN), f"--below={below}"]) == 2


@pytest.mark.slow
def test_a_plan_of_an_earlier_day_is_told_what_today_changes(
    keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]
) -> None:
    day = load_catalogue().day
    plan = plan_file(tmp_path, f"day: {day}\n{PLAN.replace('0.4', '0.95')}")
    assert main(["plan", plan]) == 0
    assert "Today's prices" not in capsys.readouterr().err
    keep(0.40)
    assert main(["plan", plan]) == 0
    assert "Today's prices change this answer from “Too close to call” to “Rent”" in capsys.readouterr().err
