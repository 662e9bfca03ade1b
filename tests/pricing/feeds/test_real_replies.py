"""Every reader on replies that sources really sent, and what must come out of each, by hand."""

import csv
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from pricing.feeds.feed import AnyObservation, HostedPriceObservation, Observation, UnreadableRow
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import Replay
from tests.rows import each_row

FOLDER = Path(__file__).parent / "real"
Row = Mapping[str, str]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table of the folder."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


EXPECTED: dict[str, list[Row]] = defaultdict(list)
for _row in rows("expected.csv"):
    EXPECTED[_row["source"]].append(_row)
WITH_TABLE = sorted(EXPECTED)


def said(name: str) -> list[AnyObservation]:
    """All that a source says of its real reply."""
    return [one for _, one in feeds()[name].read(Replay(name, folder=FOLDER))]


def key_of(one: AnyObservation) -> tuple[str, int, str, str]:
    """How the table calls it."""
    if isinstance(one, Observation):
        return one.accelerator, one.count, one.purchase, one.region
    assert isinstance(one, HostedPriceObservation)
    return f"{one.vendor} {one.model}", 0, one.tier, ""


@each_row("name", WITH_TABLE)
def test_what_a_source_really_sent_is_read(name: str) -> None:
    found: dict[tuple[str, int, str, str], list[AnyObservation]] = defaultdict(list)
    for one in said(name):
        if not isinstance(one, UnreadableRow):
            found[key_of(one)].append(one)
    for row in EXPECTED[name]:
        of = found.get((row["accelerator"], int(row["count"]), row["purchase"], row["region"]), [])
        prices = {
            round(one.price if isinstance(one, Observation) else one.input_usd_per_mtoken, 4)  # type: ignore[union-attr]
            for one in of
        }
        if not row["price"]:
            assert not prices, row
            continue
        assert round(float(row["price"]), 4) in prices, (row, sorted(found))
        if row["free"]:
            assert int(row["free"]) in {one.free for one in of if isinstance(one, Observation)}, row


def test_currencies_of_a_real_day() -> None:
    rates = {one.code: (round(one.usd, 4), one.day) for one in said("ecb")}  # type: ignore[union-attr]
    assert rates["EUR"] == (1.138, date(2026, 7, 29))


def test_aws_says_how_many_spot_machines_it_takes_back() -> None:
    shares = {(one.machine, one.region): one.share for one in said("aws-spot-advisor")}  # type: ignore[union-attr]
    assert shares["p5.48xlarge", "us-east-1"] == 0.25  # "over 20 %", and not the class of Windows
    assert shares["p5en.48xlarge", "us-east-1"] == 0.025
    assert ("p2.xlarge", "us-east-1") not in shares, "no accelerator of the catalogue"


def test_each_folder_names_its_publisher_and_its_licence() -> None:
    named = {row["source"]: row for row in rows("index.csv")}
    assert sorted(named) == sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
    assert all(row["licence"] and row["published"] and row["day"] for row in named.values())
    assert set(named) == {*WITH_TABLE, "ecb", "aws-spot-advisor"}


@pytest.mark.parametrize("without_key", [True, False])
def test_a_vast_reply_that_is_full_is_asked_again_by_the_size_of_the_machine(without_key: bool) -> None:
    offer = {"gpu_name": "H100 SXM", "gpu_ram": 81_559, "num_gpus": 1, "dph_total": 2.5, "geolocation": "Texas, US"}

    class Market(Replay):
        def post(self, url: str, body: object, *, headers: object = None) -> object:  # type: ignore[override]
            assert isinstance(body, dict)
            self.asked.append(str(body))
            of_h100 = body["gpu_name"] == {"eq": "H100 SXM"}
            sizes = body.get("num_gpus")
            offers = [offer] * 64 if of_h100 and sizes in (None, {"eq": 1}) else []
            offers += [{**offer, "num_gpus": 8, "dph_total": 18.0}] if of_h100 and sizes == {"gte": 8} else []
            return type("Sent", (), {"json": lambda _: {"offers": offers}, "digest": ""})()

    market = Market("vast", secret="" if without_key else "a-key", keyless=without_key)
    found = [one for _, one in feeds()["vast"].read(market)]
    prices = {(one.count, one.price) for one in found if isinstance(one, Observation)}
    odd = [one.why for one in found if isinstance(one, UnreadableRow)]
    assert prices == ({(1, 2.5), (8, 18.0)} if without_key else {(1, 2.5)})
    assert len(odd) == without_key
    assert len(market.asked) > 60, "one question for each accelerator"
