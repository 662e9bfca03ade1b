"""`cheapest`: which accelerator, how many, from whom, paid for how, for one piece of work."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from datetime import date

from planner.cli.common import with_own_prices
from planner.cli.scenarios import Opened
from planner.cli.terminal import redraw
from planner.cli.told import stamp, told
from planner.report.forms import plain_data
from planner.report.market.cheapest_words import market_data, market_table, market_text
from planner.report.market.gpu_uses import together_sentence, uses_data, uses_table, uses_text
from planner.study.market.gpu_guide import choices, together
from planner.study.market.hours_needed import Progress
from planner.study.market.survey import market
from pricing.feeds.live import current

_SECONDS_BEFORE_A_BAR, _BAR = 1.0, 30


def run(opened: Opened, wanted: argparse.Namespace) -> int:
    """One piece of work on every accelerator, in every number and way of paying."""
    found = market(
        opened.facts,
        opened.scenario,
        opened.day,
        budget_usd=wanted.budget_usd,
        accelerators=wanted.accelerator,
        counts=wanted.count,
        progress=_bar() if sys.stderr.isatty() else None,
    )
    mixed = together(opened.facts, opened.scenario, opened.day)
    both = {"all_on_one_kind": [plain_data(asdict(one)) for one in mixed]}
    return told(
        wanted,
        table=lambda: market_table(found),
        data=lambda: {**stamp(opened.facts, opened.day), **market_data(found), **both},
        text=lambda: market_text(found) + (f"\n{together_sentence(mixed)}\n" if mixed else ""),
    )


def for_each_use(wanted: argparse.Namespace) -> int:
    """What to choose for learning, fine-tuning, training, serving and a bit of everything, where no job is named."""
    day = wanted.day or date.today()
    facts = with_own_prices(current(), wanted.quotes, day)
    found = choices(facts, day, _bar() if sys.stderr.isatty() else lambda _: None)
    return told(
        wanted,
        table=lambda: uses_table(found),
        data=lambda: {**stamp(facts, day), "uses": uses_data(found)},
        text=lambda: uses_text(found),
    )


def _bar() -> Progress:
    """A bar on stderr for whoever waits longer than a second."""
    begun = time.monotonic()
    shown = False

    def tell(share: float) -> None:
        nonlocal shown
        if time.monotonic() - begun > _SECONDS_BEFORE_A_BAR or shown:
            shown = True
            done = round(share * _BAR)
            end = "\r\033[K" if share >= 1 else ""
            redraw(f"[{'#' * done}{'.' * (_BAR - done)}] {share:.0%}{end}")

    return tell
