"""`refresh` and `held`: live prices on the command line, from sources that say what a test lets them say."""

import getpass
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.report.market.live_prices import progress_text
from pricing.feeds.feed import AnyObservation, Feed, FeedError, FeedReply, Fetcher, Observation
from pricing.feeds.refresh import SourceProgress

ANNA = f"Anna (account {getpass.getuser()})"
KEY = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"


@dataclass(frozen=True)
class Said:
    """A reply that nobody sent."""

    digest: str = "d" * 64


def source(
    *prices: float, name: str = "example", refused: str = "", seller: str = "RunPod", key: str | None = None
) -> Feed:
    """A source that says what RunPod's H100 costs, or somebody else's."""

    def read(ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
        if refused:
            raise FeedError(refused)
        told = {"accelerator": "H100 SXM", "count": 1, "purchase": "on_demand", "sku": "Community Cloud"}
        reply: Any = Said()
        yield from ((reply, Observation(seller=seller, price=price, **told)) for price in prices)

    page = "https://prices.example"
    return Feed(name, name.title(), page, ("prices.example",), "MIT", read, key_name=key)


Says = Callable[..., None]


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Says:
    """Which sources there are from now on. Prices are kept in a folder of the test's own."""
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def done(*feeds: Feed) -> None:
        monkeypatch.setattr("pricing.feeds.registry.asked_for", lambda names: feeds)

    return done


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    """What a verb prints as JSON."""
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def price_of(capsys: pytest.CaptureFixture[str]) -> float:
    """RunPod's H100 as `prices` has it."""
    offers = told(capsys, "prices", "--provider", "runpod", "--accelerator", "H100 SXM", "--purchase", "on_demand")
    found: float = next(one["usd_per_accelerator_hour"] for one in offers["offers"] if one["id"] == KEY)
    return found


def test_refreshed_prices_are_what_prices_says(says: Says, capsys: pytest.CaptureFixture[str]) -> None:
    assert price_of(capsys) == 2.69
    says(source(2.99))
    assert main(["refresh"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split() == ["example", "read", "1", "1", "1", "0", "0", "0", "0"]
    assert err.splitlines()[-1].startswith("Example: read, 1 price (")
    assert price_of(capsys) == 2.99
    assert main(["refresh", "--undo", "--by", "Anna"]) == 0
    assert "1 price of example, is put aside" in capsys.readouterr().out
    assert price_of(capsys) == 2.69


def test_the_progress_counts_the_sources_that_are_read_and_not_those_without_a_key(
    says: Says, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("A_KEY", raising=False)
    says(source(2.99), source(2.49, name="other", seller="Lambda"), source(name="locked", key="A_KEY"))
    assert main(["refresh"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sorted(line.rpartition("; ")[2] for line in lines if ": read," in line) == [
        "1 of 2 sources done, 1 price", "2 of 2 sources done, 2 prices"
    ]  # fmt: skip
    assert not [line for line in lines if line.startswith("Locked")]


def test_a_dry_run_changes_nothing(says: Says, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    says(source(2.99))
    assert told(capsys, "refresh", "--dry-run")["dry_run"] is True
    assert price_of(capsys) == 2.69
    assert not (tmp_path / "data").exists()


def test_it_has_failed_only_where_no_source_could_be_read(says: Says, capsys: pytest.CaptureFixture[str]) -> None:
    broken = source(name="broken", refused="Broken is out of order (500), after 4 tries too.")
    says(source(2.99), broken)
    found = told(capsys, "refresh")
    assert [one["state"] for one in found["sources"]] == ["read", "failed"]
    says(broken)
    assert main(["refresh"]) == 1
    assert "Broken is out of order (500), after 4 tries too.\n" in capsys.readouterr().out


def test_a_held_price_shows_before_and_after_and_is_decided(
    says: Says, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    says(source(2.69))
    assert main(["refresh"]) == 0
    says(source(9.90))
    assert main(["refresh"]) == 0
    assert "Held for a person: 1 price. `held` lists them with the reasons." in capsys.readouterr().out
    (one,) = told(capsys, "held")["held"]
    assert (one["usd"], one["before_usd"], one["reason"]) == (9.90, 2.69, "jump")
    assert one["why"] == "$9.90, $2.69 before: further than such prices move"
    assert one["what"] == "RunPod, H100 SXM, Community Cloud, on_demand"
    assert price_of(capsys) == 2.69
    assert main(["held", "--csv", str(tmp_path / "held.csv")]) == 0
    assert "further than such prices move" in (tmp_path / "held.csv").read_text(encoding="utf-8-sig")
    capsys.readouterr()
    assert main(["held", "--accept", one["id"], "--by", "Anna"]) == 0
    assert capsys.readouterr().out == f"1 price accepted, 0 refused by {ANNA}.\nNothing is held.\n"
    assert price_of(capsys) == 9.90


def test_a_name_that_nobody_knows_is_explained_once(says: Says, capsys: pytest.CaptureFixture[str]) -> None:
    says(source(2.89, seller="Polar Cloud"))
    assert main(["refresh"]) == 0
    capsys.readouterr()
    assert main(["held"]) == 0
    assert capsys.readouterr().out == (
        "Which seller is Polar Cloud? The catalogue has none of that name (1 price)\n"
        '`held --name "Polar Cloud=ID" --by NAME` gives the id of the catalogue; "=new" adds a seller, '
        '"=none" rejects all its prices, and nothing behind "=" undoes it.\n'
    )
    assert main(["held", "--name", "polar cloud=new", "--by", "Anna"]) == 0
    assert capsys.readouterr().out == (
        "Polar Cloud: 1 price judged anew, 1 believed, 0 held and 0 refused.\nNothing is held.\n"
    )
    (name,) = told(capsys, "held")["names"]
    assert (name["called"], name["what"], name["means"], name["by"]) == (
        "Polar Cloud",
        "seller",
        "new",
        f"Anna (account {getpass.getuser()})",
    )
    offers = told(capsys, "prices", "--provider", "Polar Cloud")["offers"]
    assert [offer["usd_per_accelerator_hour"] for offer in offers] == [2.89]
    assert main(["held", "--name", "Polar Cloud=", "--by", "Ben"]) == 0
    assert capsys.readouterr().out == "The decision about Polar Cloud is undone.\nNothing is held.\n"
    assert main(["prices", "--provider", "Polar Cloud"]) == 2


@pytest.mark.parametrize(("words", "sentence"), [
    (["held", "--name", "H900"], "--name 'H900': want NAME=ID, as in 'H900 with 192 GB=B200'."),
    (["held", "--name", "H900=B200"], "No price waits under the name 'H900': `held` lists the names that wait."),
    (["held", "--accept", "9-9"], "Nothing that is held is called '9-9': `held` lists what is."),
    (["held", "--accept", "1-1", "--refuse", "1-1"], "--accept and --refuse both name 1-1: want one of them."),
    (["refresh", "--undo"], "There is no refresh to undo."),
    (["refresh"], "There is no source of prices to read."),
])  # fmt: skip
def test_what_cannot_be_done_is_told(
    says: Says, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    says()
    assert main(words) == 2
    assert capsys.readouterr().err == f"{sentence}\n"


def test_a_source_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refresh", "--source", "nosuch"]) == 2
    assert capsys.readouterr().err.startswith("No source of prices is called 'nosuch'.")


def test_progress_says_how_much_of_a_source_is_read() -> None:
    source = SourceProgress("lium", "Lium", "reading", 4, 2.0, 3.0, 1.26)
    assert progress_text(source) == "Lium: reading, 4 prices (2 a second), 1.3 MB, 3 s left of this reply"
