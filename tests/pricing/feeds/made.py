"""Small sources for tests: each asks one page of the test's server, and says rows as they stand there."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from pricing.feeds.client import ClientLimits
from pricing.feeds.feed import (
    AnyObservation,
    ExchangeRateObservation,
    Feed,
    FeedReply,
    Fetcher,
    HostedPriceObservation,
    Observation,
)

DAY = date(2026, 11, 23)
HOST = "prices.example"
BRISK = ClientLimits(connect_s=2, silent_s=0.3, total_s=20, tries=2, first_pause_s=0.001, longest_pause_s=1, pages=120)
KINDS = {"rental": Observation, "hosted": HostedPriceObservation, "exchange": ExchangeRateObservation}


def source(name: str = "example", **changes: Any) -> Feed:
    """A source whose page is a list of observations, with the page after it."""

    def read(ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
        url: str | None = f"https://{HOST}/{name}"
        while url:
            reply = ask.get(url)
            told = reply.json()
            yield from ((reply, KINDS[changes.get("kind", "rental")](**_tuples(row))) for row in told["rows"])
            url = told.get("next")

    told = {"name": name, "label": name.title(), "page": f"https://{HOST}/{name}", "hosts": (HOST,), "licence": "MIT"}
    return Feed(**{**told, "read": read, **changes})


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has lists where an observation has tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def row(price: float = 2.69, **changes: Any) -> dict[str, Any]:
    """RunPod's H100, as its source could say it."""
    told = {"seller": "RunPod", "accelerator": "H100 SXM", "count": 1, "purchase": "on_demand", "memory_gb": 80,
            "sku": "Community Cloud"}  # fmt: skip
    return {**told, "price": price, **changes}
