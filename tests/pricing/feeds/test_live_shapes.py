"""What `make live` would say, asked of replies on this machine."""

import json

import pytest

from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import Replay, raw
from tools import live


def said(recorded: object, now: object) -> list[str]:
    return live.moved(live.shape(recorded), live.shape(now))


def test_what_is_gone_new_or_of_another_type_is_said_once() -> None:
    recorded = {"offers": [{"id": 1, "price": 2.5, "where": {"city": "Oslo"}}, {"id": 2, "price": 3}], "next": None}
    now = {"offers": [{"id": 1, "price": "2.50", "place": {"city": "Oslo"}}], "next": "page 2"}
    assert said(recorded, now) == [
        "gone  .offers[].where", "other .offers[].price: number, now text", "new   .offers[].place",
    ]  # fmt: skip
    assert said(recorded, recorded) == []


def test_an_empty_list_or_a_record_not_given_says_nothing() -> None:
    full = {"rows": [{"id": 1}], "more": {"page": 2}}
    assert said(full, {"rows": [], "more": None}) == []
    assert said({"rows": [], "more": None}, full) == []


def test_names_of_things_are_no_fields() -> None:
    machine = {"price": 1.0, "gpus": 8}
    assert said({"a1": machine, "a2": machine}, {"b1": machine, "b2": machine, "b3": {**machine, "free": 1}}) == [
        "new   .*.free"
    ]


def test_tables_and_xml_have_their_columns() -> None:
    assert live.moved(
        live.shape_of_bytes(b'"Small print"\n"SKU","Price","Unit"\n"a","1","h"\n'),
        live.shape_of_bytes(b'"SKU","PricePerUnit","Unit"\n'),
    ) == ["gone  .Price", "new   .PricePerUnit"]
    assert live.shape_of_bytes(b"<Cube currency='USD' rate='1.1'/>") == {
        ".Cube.currency": {"text"},
        ".Cube.rate": {"text"},
    }


@pytest.mark.parametrize("name", sorted(feeds()))
def test_a_source_that_sends_what_is_recorded_has_not_moved(name: str) -> None:
    lines, wrong = live.check_source(feeds()[name], Replay(name))
    assert not wrong, lines
    assert not [line for line in lines if ": gone" in line or ": other" in line or ": new" in line]
    assert not lines[0].startswith(f"{name}: 0 prices")


def test_a_source_that_moved_is_told_with_the_field() -> None:
    page = json.loads(raw("lium", "nodes.json"))
    for node in page["nodes"]:
        node["hourly"] = node.pop("price_per_gpu_hour")
    lines, wrong = live.check_source(feeds()["lium"], Replay("lium", {"nodes.json": json.dumps(page).encode()}))
    assert wrong
    assert "no price_per_gpu_hour any more" in lines[1]
    assert "  https://lium.io/api/public/v1/nodes: gone  .nodes[].price_per_gpu_hour" in lines
    assert "  https://lium.io/api/public/v1/nodes: new   .nodes[].hourly" in lines
