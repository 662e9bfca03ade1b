"""Lists of what hosted models cost for each million tokens, by seller: LiteLLM's and Pydantic's genai-prices."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from pricing.feeds.feed import Feed, Fetcher, HostedPriceObservation
from pricing.feeds.parsing import Observations, ReplyRows, Row, day, number, text

LITELLM = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
EXAMPLE = "sample_spec"  # explains the fields
MODES = frozenset({"chat", "completion", "responses", "embedding"})
MILLION = 1e6
DIGITS = 9
GENAI_PRICES = "https://raw.githubusercontent.com/pydantic/genai-prices/refs/heads/main/prices/new_data/v2/data.json"


def _read_litellm(ask: Fetcher) -> Observations:
    """Some models stand there with and without their seller's name in front: each counts once."""
    rows = ReplyRows("LiteLLM")
    reply = ask.get(LITELLM)
    table = rows.table_at(reply.json()).items()
    models = ({"name": name, **row} for name, row in table if name != EXAMPLE and row.get("mode") in MODES)
    seen: set[tuple[str, str]] = set()
    for _, observation in rows.read(reply, models, ("litellm_provider",), _litellm):
        if isinstance(observation, HostedPriceObservation):
            if (observation.vendor, observation.model) in seen:
                continue
            seen.add((observation.vendor, observation.model))
        yield reply, observation
    rows.check()


def _litellm(row: Row) -> Iterator[HostedPriceObservation]:
    """Only the seller's own name is taken off: `perplexity/perplexity/sonar` is another model than its `sonar`."""
    vendor = text(row["litellm_provider"])
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    sent, written, cached = (None if (usd := number(row.get(name))) is None else round(usd * MILLION, DIGITS)
                             for name in names)  # fmt: skip
    if sent is not None and sent > 0:
        yield HostedPriceObservation(vendor, text(row["name"]).removeprefix(f"{vendor}/"), sent, written, cached)


def _read_genai_prices(ask: Fetcher) -> Observations:
    rows, today = ReplyRows("genai-prices"), date.today()
    reply = ask.get(GENAI_PRICES)
    for vendor in rows.list_at(reply.json()):
        name = text(vendor.get("name")) or text(vendor.get("id"))
        yield from rows.read(reply, rows.list_at(vendor, "models"), ("id", "prices"), _genai_model, name, today)
    rows.check()


def _genai_model(model: Row, vendor: str, today: date) -> Iterator[HostedPriceObservation]:
    prices = _prices_on(model["prices"], today)
    names = ("input_mtok", "output_mtok", "cache_read_mtok")
    sent, written, cached = (
        number(price.get("base") if isinstance(price := prices.get(name), Mapping) else price) for name in names
    )
    if sent is None or sent <= 0:
        return  # free, or not sold by the token
    by_length = isinstance(prices.get("input_mtok"), Mapping)
    yield HostedPriceObservation(
        vendor, text(model["id"]), sent, written, cached, note="longer contexts cost more" if by_length else "",
        day=day(model.get("prices_checked")),
    )  # fmt: skip


def _prices_on(prices: object, today: date) -> Mapping[str, Any]:
    """Return the prices that hold today: the last whose first day has come; prices by hour of day are left out."""
    if isinstance(prices, Mapping):
        return prices
    current: Mapping[str, Any] = {}
    for period in prices if isinstance(prices, list) else ():
        since = period.get("constraint") if isinstance(period, Mapping) else {"unknown": True}
        start = day(since.get("start_date")) if isinstance(since, Mapping) else None
        if not since or (start is not None and start <= today):
            current = period.get("prices") or {}
    return current


_HOSTS = ("raw.githubusercontent.com",)
FEEDS = (
    Feed("litellm", "LiteLLM", "https://github.com/BerriAI/litellm", _HOSTS, "MIT", _read_litellm, "hosted",
         "third_party"),
    Feed("genai-prices", "genai-prices", "https://github.com/pydantic/genai-prices", _HOSTS, "MIT",
         _read_genai_prices, "hosted", "third_party"),
)  # fmt: skip
