"""Pydantic's genai-prices: what hosted models cost for each million tokens, by who sells them."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, HostedPriceObservation
from pricing.feeds.parsing import Row, Rows, Told, day, number, positive, text

URL = "https://raw.githubusercontent.com/pydantic/genai-prices/refs/heads/main/prices/new_data/v2/data.json"
BY_LENGTH = "longer contexts cost more"


def read(ask: Fetcher) -> Told:
    """The one file."""
    rows, today = Rows("genai-prices"), date.today()
    reply = ask.get(URL)
    for vendor in rows.list_at(reply.json()):
        for model in rows.list_at(vendor, "models"):
            yield from rows.each(reply, _model, model, vendor, today)
    rows.check()


def _model(rows: Rows, model: Row, vendor: Row, today: date) -> Iterator[AnyObservation]:
    if odd := rows.lacks(model, "id", "prices"):
        yield odd
        return
    prices = _now(model["prices"], today)
    if (sent := positive(_base(prices.get("input_mtok")))) is None:
        return  # free, or sold otherwise than by the token
    yield HostedPriceObservation(
        vendor=text(vendor.get("name")) or text(vendor.get("id")),
        model=text(model["id"]),
        input_usd_per_mtoken=sent,
        output_usd_per_mtoken=number(_base(prices.get("output_mtok"))),
        cached_input_usd_per_mtoken=number(_base(prices.get("cache_read_mtok"))),
        note=BY_LENGTH if isinstance(prices.get("input_mtok"), Mapping) else "",
        day=day(model.get("prices_checked")),
    )


def _now(prices: object, today: date) -> Mapping[str, Any]:
    """What holds today: of several, the last whose first day has come. Those for hours of the day are left out."""
    if isinstance(prices, Mapping):
        return prices
    holds: Mapping[str, Any] = {}
    for one in prices if isinstance(prices, list) else ():
        since = one.get("constraint") if isinstance(one, Mapping) else {"unknown": True}
        start = day(since.get("start_date")) if isinstance(since, Mapping) else None
        if not since or (start is not None and start <= today):
            holds = one.get("prices") or {}
    return holds


def _base(price: object) -> object:
    return price.get("base") if isinstance(price, Mapping) else price


FEED = Feed(
    name="genai-prices",
    label="genai-prices",
    page="https://github.com/pydantic/genai-prices",
    hosts=("raw.githubusercontent.com",),
    licence="MIT",
    read=read,
    kind="hosted",
    via="third_party",
)
