"""The few figures of buying that stand beside the rent."""

from __future__ import annotations

from planner.report import words
from planner.report.market.compare import Own
from pricing import Catalogue


def running_table(catalogue: Catalogue, own: Own) -> list[tuple[str, str, str]]:
    """Label, value and detail: price, total, per busy hour, electricity."""
    bought = own.bought
    value = bought.price.newest
    ends = f"{words.usd(value.low or value.typical)} to {words.usd(value.high or value.typical)}"
    source = catalogue.sources[value.source].title
    what = "server" if bought.accelerators_per_server > 1 else "GPU"
    return [
        (f"One {what}", words.usd_short(value.typical), f"{ends}; {source}, {words.day(bought.price.since)}"),
        (
            "Buy and run",
            words.usd_short(own.total_usd),
            "Hardware, network, space, power, people, less resale",
        ),
        (
            "Per busy GPU-hour",
            words.usd_per_hour(own.usd_per_busy_hour),
            "The whole total over the hours of useful work",
        ),
        (
            "Electricity",
            words.usd_short(float(own.option.ledger.part_usd("power"))),
            f"At {bought.site_label}'s price, by what is drawn",
        ),
    ]
