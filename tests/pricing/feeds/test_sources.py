"""What holds for every source, whatever its reply."""

import json
import random
import re
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest

from pricing import names
from pricing.choices import Purchase
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds import parsing
from pricing.feeds.feed import (
    ExchangeRateObservation,
    FeedError,
    HostedPriceObservation,
    InterruptionObservation,
    Observation,
    UnreadableRow,
)
from pricing.feeds.machines import boards, machines, regions, rule, table
from pricing.feeds.sources import feeds
from pricing.records import ListingDoubt
from tests.frozen import live_catalogue
from tests.pricing.feeds.replay import FOLDER, Replay, index, raw, read
from tests.rows import each_row

ALL = sorted(feeds())
NONSENSE: tuple[Any, ...] = (None, "", "much", [], {}, [[]], -1, 0, 1e300, True, "12,34.5 EUR", {"a": None})


def test_every_source_has_a_record_of_its_own_and_recorded_replies() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == ALL
    for name, feed in feeds().items():
        assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
        assert feed.licence
        assert feed.label
        assert feed.page.startswith("https://")
        assert feed.kind in ("rental", "hosted", "exchange", "interruption")


@each_row("name", ALL)
def test_a_source_asks_its_own_hosts_only_and_keeps_its_key_out_of_addresses(name: str) -> None:
    asked = Replay(name)
    list(feeds()[name].read(asked))
    assert {urlsplit(url).hostname for url in asked.asked} <= set(feeds()[name].hosts)
    assert all(url.startswith("https://") for url in asked.asked)
    secret = asked.key().rpartition(":")[2]
    assert not any(secret in url for url in asked.asked)
    assert {entry["url"] for entry in index(name)} & {url.partition("?")[0] for url in asked.asked}


@each_row("name", ALL)
def test_every_recorded_reply_is_read(name: str) -> None:
    asked = Replay(name)
    list(feeds()[name].read(asked))
    assert {entry["file"] for entry in index(name)} == asked.given


@each_row("name", ALL)
def test_what_is_said_is_a_price_that_can_be(name: str) -> None:
    found = read(feeds()[name])
    kinds = {
        "rental": Observation,
        "hosted": HostedPriceObservation,
        "exchange": ExchangeRateObservation,
        "interruption": InterruptionObservation,
    }
    assert {type(one) for one in found} - {UnreadableRow} == {kinds[feeds()[name].kind]}
    for one in found:
        if isinstance(one, Observation):
            assert 0 < one.price < 1_000
            assert one.count >= 1
            assert one.purchase in get_args(Purchase)
            assert set(one.doubts) <= set(get_args(ListingDoubt))
            assert one.accelerator
            assert one.seller


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_whatever_stands_in_a_reply_it_is_a_price_odd_or_a_sentence(name: str) -> None:
    chance = random.Random(name)  # the same each time, another for each source
    for file in sorted(path.name for path in (FOLDER / name).glob("*.json") if path.name != "index.json"):
        whole = json.loads(raw(name, file))
        for _ in range(40):
            told = json.dumps(_with_nonsense(json.loads(json.dumps(whole)), chance)).encode()
            try:
                found = read(feeds()[name], {file: told})
            except FeedError as error:
                assert str(error).endswith((".", "…")) or len(str(error)) > 20
            else:
                assert all(one.price > 0 for one in found if isinstance(one, Observation))


@each_row("name", ALL)
@each_row("sent", [b"[]", b"{}", b"null", b"7", b'"text"', b"[1, 2]", b'{"data": null}'])
def test_a_reply_of_another_kind_is_told(name: str, sent: bytes) -> None:
    changed = {entry["file"]: sent for entry in index(name)}
    if feeds()[name].may_be_empty and sent in (b"[]", b"[1, 2]"):
        return  # a list of nothing that can be had
    if (name, sent) == ("hot-aisle", b"null"):
        return  # so it says that there is nothing now
    with pytest.raises(FeedError):
        read(feeds()[name], changed)


def _with_nonsense(reply: Any, chance: random.Random) -> Any:
    """The reply with nonsense at one place, or one key less."""
    places = list(_places(reply))
    if not places:
        return chance.choice(NONSENSE)
    holder, key = chance.choice(places)
    if isinstance(holder, dict) and chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(NONSENSE)
    return reply


def _places(found: Any) -> list[tuple[Any, Any]]:
    inner = (
        list(found.items()) if isinstance(found, dict) else list(enumerate(found)) if isinstance(found, list) else []
    )
    return [(found, key) for key, _ in inner] + [place for _, one in inner for place in _places(one)]


def test_the_tables_name_what_the_catalogue_has() -> None:
    catalogue = live_catalogue()
    known = set(catalogue.accelerators) | set(catalogue.ambiguous)
    sellers = {"any", "linode", "thunder", "gpurentalprices"} | set(catalogue.providers)
    for name in ("machines", "boards"):
        for row in table(name):
            assert row["accelerator"] in known, row
            assert row["seller"] in sellers, row
            assert row["source"].startswith("https://")
    assert {row["source"] for row in table("coverage")} <= set(ALL)
    known |= {hosted.vendor for hosted in catalogue.hosted.values()} | {"EUR", "GBP", "JPY"}
    assert {name for row in table("coverage") for name in row["names"].split()} <= known
    alone = {row["family"] for row in table("gcp_skus") if row["part"] == "alone"}
    families = {name.rpartition("-")[0] for name in machines("gcp")}
    assert {row["family"] for row in table("gcp_skus")} - alone <= families
    assert alone <= known
    assert rule("oci_preemptible_share") == 0.5
    assert "us-east-1" in regions("aws")
    assert boards("vultr")["a100"][0].memory_gb == 80


@each_row("name", [name for name in ALL if feeds()[name].kind == "rental"])
def test_most_names_of_a_source_are_known_to_the_catalogue(name: str) -> None:
    """Those that are not are new ones of our own making."""
    catalogue, unknown = live_catalogue(), set()
    for one in read(feeds()[name]):
        if isinstance(one, Observation):
            try:
                names.provider(catalogue, one.seller)
                names.accelerator(catalogue, one.accelerator)
            except AmbiguousNameError:
                continue
            except UnknownNameError:
                unknown.add(f"{one.seller}: {one.accelerator}")
    assert unknown <= {"runpod: R200", "vast: Rubin R300", "excesssupply: A100-80GB"}


@each_row(("found", "value"), [
    ("3.50", 3.5), ("$1,234.5", 1234.5), (2, 2.0), ("0E-9", 0.0), (True, None), ("", None), (None, None),
    ("1.2.3", None), ("nan", None), (float("inf"), None), (float("nan"), None), ("12 EUR", None), ([], None),
])  # fmt: skip
def test_numbers_come_as_texts_too(found: object, value: float | None) -> None:
    assert parsing.number(found) == value


def test_parts_of_an_accelerator_are_no_count() -> None:
    assert [parsing.whole(one) for one in (8, "8", 8.0, "0.5", 0.125, 0, -1, "many")] == [8, 8, 8, *[None] * 5]


def test_a_term_has_the_hours_that_all_here_count_with() -> None:
    assert parsing.HOURS_OF == {"reserved_1y": 365 * 24, "reserved_3y": 3 * 365 * 24}
    assert parsing.leading("1,152 GiB") == 1152
    assert parsing.day("2026-11-20T06:21:55Z").isoformat() == "2026-11-20"  # type: ignore[union-attr]
    assert parsing.day("2026-02-31") is None
