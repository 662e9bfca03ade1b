"""Prices that one person publishes and another reads: the same prices, through the same gate."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest

from planner.cli import main
from pricing import PricingError, load_catalogue
from pricing.feeds.feed import (
    AnyObservation,
    AnyPriced,
    ExchangeRateObservation,
    Feed,
    FeedError,
    FeedReply,
    Fetcher,
    HostedPriceObservation,
    Observation,
)
from pricing.feeds.live import current
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.registry import LATEST, asked_for, published_feed
from pricing.formulas import unescape_csv_formula
from tests.pricing.feeds.made import BRISK, HOST, row
from tests.pricing.feeds.server import Answer, Server, serving

KNOWN = next(one for one in load_catalogue().hosted.values() if one.output_usd_per_mtoken)
HOSTED = HostedPriceObservation(KNOWN.vendor, KNOWN.model, KNOWN.input_usd_per_mtoken.newest.typical, 10.5)
H100 = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"


@dataclass(frozen=True)
class Said:
    """A reply that nobody sent."""

    digest: str = "d" * 64


def rental(price: float, **changes: Any) -> Observation:
    """RunPod's H100."""
    return Observation(**row(price, **changes))


Home = Callable[[str], None]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Home:
    """Whose live prices are used from now on."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda name: monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / name))


def brought(*said: AnyPriced, kind: Literal["rental", "hosted", "exchange"] = "rental") -> None:
    """A refresh of one source that says this."""

    def read(ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
        reply: Any = Said()
        yield from ((reply, one) for one in said)

    refresh((Feed(kind, kind.title(), f"https://{HOST}/{kind}", (HOST,), "MIT", read, kind),))


def published(folder: Path) -> list[dict[str, str]]:
    name = json.loads((folder / LATEST).read_text())["file"]
    content = gzip.decompress((folder / name).read_bytes()).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def test_what_one_publishes_another_reads(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    home("ada")
    brought(
        rental(2.79, note='=HYPERLINK("http://evil","x")', free=3, countries=("US", "DE")), rental(269.0, sku="Secure")
    )
    brought(HOSTED, kind="hosted")
    brought(ExchangeRateObservation("EUR", 1.16), kind="exchange")
    assert main(["publish-prices", str(folder)]) == 0
    ours = current()
    home("bob")
    assert main(["refresh", "--source", str(folder)]) == 0
    theirs = current()
    for facts in (ours, theirs):
        figure = facts.offers[H100].usd_per_accelerator_hour
        assert figure.newest.typical == 2.79
    assert {key: offer.usd_per_accelerator_hour.newest.typical for key, offer in theirs.offers.items()
            if offer.usd_per_accelerator_hour} == {
        key: one.usd_per_accelerator_hour.newest.typical for key, one in ours.offers.items()
        if one.usd_per_accelerator_hour}  # fmt: skip
    assert theirs.facts["exchange-rate-eur"].figure.newest.typical == 1.16
    assert main(["publish-prices", str(tmp_path / "again")]) == 2  # nobody publishes what others did


def test_held_prices_and_formulas_stay_out_and_every_source_is_named(home: Home, tmp_path: Path) -> None:
    home("ada")
    formula = '=HYPERLINK("http://evil","x")'
    brought(rental(2.79, note=formula), rental(269.0, sku="Secure"))
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    (one,) = published(tmp_path / "out")
    assert one["note"] == f"'{formula}"
    assert unescape_csv_formula(one["note"]) == formula
    assert (one["source"], one["price"]) == ("rental", "2.79")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "| rental | Rental | https://prices.example/rental | MIT |" in text
    parquet = pytest.importorskip("pyarrow.parquet")
    (file,) = (tmp_path / "out").glob("*.parquet")
    assert parquet.read_table(file).column("price").to_pylist() == [2.79]


def test_every_kind_of_row_is_read_as_it_was(home: Home, tmp_path: Path) -> None:
    home("ada")
    brought(rental(2.79, free=3, vcpus=12.5, doubts=("minimum_bid",), region="US 'east', \"1\""))
    brought(ExchangeRateObservation("EUR", 1.16), kind="exchange")
    brought(HOSTED, kind="hosted")
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    said = [one for _, one in published_feed(str(tmp_path / "out")).read(None)]  # type: ignore[arg-type]
    (one,) = [it for it in said if isinstance(it, Observation)]
    assert (one.price, one.free, one.vcpus, one.count) == (2.79, None, 12.5, 1), "its source counts no machines"
    assert (one.doubts, one.region) == (("minimum_bid",), "US 'east', \"1\"")
    assert [one.code for one in said if isinstance(one, ExchangeRateObservation)] == ["EUR"]
    assert [one for one in said if isinstance(one, HostedPriceObservation)] == [replace(HOSTED, day=date.today())]


def test_a_folder_on_a_web_server_is_read_over_https(home: Home, tmp_path: Path) -> None:
    home("ada")
    brought(rental(2.79))
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    home("bob")
    with serving() as server:
        _serve(server, tmp_path / "out")
        result = refresh((published_feed(f"https://{HOST}/ours/"),), ways=Ways(limits=BRISK, at=server.at(HOST)))
    assert result.sources[0].verdicts == {"believed": 1}
    assert current().offers[H100].usd_per_accelerator_hour.newest.typical == 2.79  # type: ignore[union-attr]


def _serve(server: Server, folder: Path) -> None:
    for file in folder.iterdir():
        server.says(f"/ours/{file.name}", Answer(body=file.read_bytes()))


@pytest.mark.parametrize("where", ["http://prices.example/x", "ftp://prices.example/x", "https://me:secret@a.example/"])
def test_an_address_that_is_not_encrypted_or_holds_a_password_is_refused(where: str) -> None:
    with pytest.raises(PricingError, match="no address to read prices from"):
        asked_for([where])


def test_a_file_that_was_cut_or_named_otherwise_is_refused(home: Home, tmp_path: Path) -> None:
    home("ada")
    brought(rental(2.79))
    folder = tmp_path / "out"
    assert main(["publish-prices", str(folder)]) == 0
    (file,) = folder.glob("*.csv.gz")
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    with pytest.raises(FeedError, match="is not the file that"):
        list(published_feed(str(folder)).read(None))  # type: ignore[arg-type]
    head = json.loads((folder / LATEST).read_text())
    (folder / LATEST).write_text(json.dumps(head | {"file": "../../etc/passwd"}))
    with pytest.raises(FeedError, match="in a form"):
        list(published_feed(str(folder)).read(None))  # type: ignore[arg-type]
