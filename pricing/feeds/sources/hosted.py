"""Lists of what hosted models cost for each million tokens: LiteLLM's, OpenRouter's, Pydantic's genai-prices."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from pricing.feeds.feed import DEAREST_HOURS, Feed, Fetcher, HostedPriceObservation
from pricing.feeds.parsing import Observations, ReplyRows, Row, by_rows, day, number, text
from pricing.feeds.sources import PriceList, list_feed

LITELLM = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
EXAMPLE = "sample_spec"  # explains the fields
MODES = frozenset({"chat", "completion", "responses", "embedding"})
PER_TOKEN = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
LONGER = re.compile(r"input_cost_per_token(?P<end>_above_(?P<over>\d+k)_tokens)")
REGIONS = frozenset({"us", "eu", "jp", "au", "apac", "ca"})  # in front of a model's name at Bedrock
REGIONAL, PEAK, OFF_PEAK = "regional", "peak hours", "off-peak hours"
MILLION = 1e6
DIGITS = 9
GENAI_PRICES = "https://raw.githubusercontent.com/pydantic/genai-prices/refs/heads/main/prices/new_data/v2/data.json"


@by_rows("LiteLLM")
def _read_litellm(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Some models stand there with and without their seller's name in front: each counts once."""
    reply = ask.get(LITELLM)
    table = rows.table_at(reply.json()).items()
    models = ({"name": name, **row} for name, row in table if name != EXAMPLE and row.get("mode") in MODES)
    seen: set[tuple[str, str, str]] = set()
    for _, observation in rows.read(reply, models, ("litellm_provider",), _litellm, date.today()):
        if isinstance(observation, HostedPriceObservation):
            key = observation.vendor, observation.model, observation.tier
            if key in seen:
                continue
            seen.add(key)
        yield reply, observation


def _litellm(row: Row, today: date) -> Iterator[HostedPriceObservation]:
    """Only the seller's own name is taken off: `perplexity/perplexity/sonar` is another model than its `sonar`.

    Where prices differ by the hour it names the highest.
    """
    vendor, gone = text(row["litellm_provider"]), day(row.get("deprecation_date"))
    if gone is not None and gone <= today:
        return
    model = text(row["name"]).removeprefix(f"{vendor}/")
    region, dot, name = model.partition(".")
    place, model = (REGIONAL, name) if dot and region in REGIONS else ("", model)
    for end, tier in {"": place or DEAREST_HOURS, **_lengths(row)}.items():
        sent, written, cached = (_per_million(row.get(f"{name}{end}")) for name in PER_TOKEN)
        if sent is not None and sent > 0:
            yield HostedPriceObservation(vendor, model, sent, written, cached, tier)


def _lengths(row: Row) -> dict[str, str]:
    """Return the tiers of longer prompts, by the end of the names of their fields."""
    matches = (LONGER.fullmatch(name) for name in row)
    return {match["end"]: f"over {match['over']}" for match in matches if match}


def _per_million(usd_per_token: object) -> float | None:
    usd = number(usd_per_token)
    return None if usd is None else round(usd * MILLION, DIGITS)


# OpenRouter: its own prices, by model, with others for longer prompts and for some hours


def _openrouter(row: Row) -> Iterator[HostedPriceObservation]:
    periods: list[tuple[float, Row]] = []
    for price in (row["pricing"], *(row["pricing"].get("overrides") or ())):
        if over := number(price.get("min_prompt_tokens")):
            yield from _tier("OpenRouter", row["id"], price, f"over {over / 1000:g}k")
        elif "utc_start" in price or "utc_days" in price:
            days = len(price.get("utc_days") or ()) or 7
            periods.append((days * _hours(price.get("utc_start") or 0, price.get("utc_end") or 0), price))
    for tier, price in _by_hours(periods, "prompt") or [("", row["pricing"])]:
        yield from _tier("OpenRouter", row["id"], price, tier)


def _tier(vendor: str, model: object, price: Row, tier: str) -> Iterator[HostedPriceObservation]:
    sent, written, cached = (_per_million(price.get(name)) for name in ("prompt", "completion", "input_cache_read"))
    if sent is not None and sent > 0:  # -1: it depends on which model answers
        yield HostedPriceObservation(vendor, text(model), sent, written, cached, tier)


def _hours(start: float, end: float) -> float:
    first, last = (time // 100 + time % 100 / 60 for time in (start, end))
    return (last - first) % 24 or 24


def _by_hours(periods: list[tuple[float, Row]], field: str) -> list[tuple[str, Row]]:
    """Return the price of most hours as the base, and one that is higher or lower at others as a tier."""
    hours: defaultdict[float, float] = defaultdict(float)
    of: dict[float, Row] = {}
    for count, price in periods:
        if (usd := _base(price.get(field))) is not None:
            hours[usd] += count
            of[usd] = price
    if not of:
        return []
    most = max(hours, key=lambda usd: hours[usd])
    other = max(of) if max(of) > most else min(of)
    return [("", of[most])] + [(PEAK if other > most else OFF_PEAK, of[other])] * (other != most)


def _base(price: object) -> float | None:
    return number(price.get("base") if isinstance(price, Mapping) else price)


# genai-prices


@by_rows("genai-prices")
def _read_genai_prices(ask: Fetcher, rows: ReplyRows) -> Observations:
    today = date.today()
    reply = ask.get(GENAI_PRICES)
    for vendor in rows.list_at(reply.json()):
        name = text(vendor.get("name")) or text(vendor.get("id"))
        yield from rows.read(reply, rows.list_at(vendor, "models"), ("id", "prices"), _genai_model, name, today)


def _genai_model(model: Row, vendor: str, today: date) -> Iterator[HostedPriceObservation]:
    for tier, prices in _prices_on(model["prices"], today):
        cells = [prices.get(name) for name in ("input_mtok", "output_mtok", "cache_read_mtok")]
        starts = {start: f"over {start / 1000:g}k" for cell in cells for start in _starts(cell)} if not tier else {}
        for start, name in {0.0: tier, **starts}.items():
            sent, written, cached = (_from(cell, start) for cell in cells)
            if sent is not None and sent > 0:  # else it is free, or not sold by the token
                checked = day(model.get("prices_checked"))
                yield HostedPriceObservation(vendor, text(model["id"]), sent, written, cached, name, day=checked)


def _starts(cell: object) -> list[float]:
    tiers = cell.get("tiers") or () if isinstance(cell, Mapping) else ()
    return [start for tier in tiers if (start := number(tier.get("start"))) is not None]


def _from(cell: object, start: float) -> float | None:
    price = _base(cell)
    for tier in (cell.get("tiers") or ()) if isinstance(cell, Mapping) else ():
        if (number(tier.get("start")) or 0.0) <= start:
            price = number(tier.get("price"))
    return price


def _prices_on(prices: object, today: date) -> list[tuple[str, Row]]:
    """Return the prices that hold today, by hours: of those by day the last whose first day has come."""
    if isinstance(prices, Mapping):
        return [("", prices)]
    current: Row = {}
    by_hour: list[tuple[float, Row]] = []
    for period in prices if isinstance(prices, list) else ():
        since = period.get("constraint") if isinstance(period, Mapping) else {"unknown": True}
        start = day(since.get("start_date")) if isinstance(since, Mapping) else None
        if not since or (start is not None and start <= today):
            current = period.get("prices") or {}
        elif isinstance(since, Mapping) and since.get("start_time"):
            times = (float(text(since[name])[:5].replace(":", "")) for name in ("start_time", "end_time"))
            by_hour.append((_hours(*times), period.get("prices") or {}))
    rest = 24 - sum(hours for hours, _ in by_hour)
    return _by_hours([(rest, current), *by_hour], "input_mtok") or [("", current)]


_HOSTS = ("raw.githubusercontent.com",)
FEEDS = (
    Feed("litellm", "LiteLLM", "https://github.com/BerriAI/litellm", _HOSTS, "MIT", _read_litellm, "hosted",
         "third_party"),
    Feed("genai-prices", "genai-prices", "https://github.com/pydantic/genai-prices", _HOSTS, "MIT",
         _read_genai_prices, "hosted", "third_party"),
    list_feed(
        "openrouter", "OpenRouter", "https://openrouter.ai/models",
        PriceList("https://openrouter.ai/api/v1/models", ("data",), ("id", "pricing"), _openrouter), kind="hosted",
    ),
)  # fmt: skip
