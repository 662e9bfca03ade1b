"""A way as the verdict sees it: what it costs at most, with what nobody publishes, and what it takes when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import Num
from planner.money.ledger import Ledger, Line
from planner.money.measures import cash_by_year_usd, cash_today_usd, present_usd
from planner.money.option import Option
from planner.money.setting import Setting
from planner.money.ways import WAYS, Side
from pricing import Catalogue

# What a line without a published price costs at most: the dearest that any provider publishes.
_DEAREST = {
    "usd_per_gb_month_of_disk": "block_storage_usd_per_gb_month",
    "usd_per_gb_of_egress": "egress_usd_per_gb",
}


@dataclass(frozen=True)
class Runner:
    """An option as the verdict sees it."""

    option: Option
    present_usd: float
    low_usd: float
    high_usd: float
    unknown_usd: Mapping[str, float]  # what is not priced, at its dearest, by input; infinite where nobody knows
    today_usd: float
    dearest_year_usd: float  # what is paid in the year that takes most, day one being in the first
    dearest_year: int

    @property
    def at_most_usd(self) -> float:
        """The present cost with what is not priced at its dearest."""
        return self.present_usd + sum(self.unknown_usd.values())

    @property
    def side(self) -> Side:
        """Which of the answers it speaks for."""
        return WAYS[self.option.way].side


def runners_of(setting: Setting, option: Option) -> list[Runner]:
    """An option as the verdict sees it; one for each draw, where the setting tries several."""
    ledgers = (option.ledger, option.low, option.high)
    unknown = unknown_usd(setting, option.ledger)
    years = cash_by_year_usd(option.ledger)
    cash = (cash_today_usd(option.ledger), years.max(axis=-1), years.argmax(axis=-1) + 1)
    every = [*(present_usd(setting, one) for one in ledgers), *cash, *unknown.values()]
    rows = zip(*(np.atleast_1d(one).tolist() for one in np.broadcast_arrays(*every)), strict=True)
    return [
        Runner(
            option=option,
            present_usd=usd,
            low_usd=min(usd, low, high),
            high_usd=max(usd, low, high),
            unknown_usd=dict(zip(unknown, rest, strict=True)),
            today_usd=today,
            dearest_year_usd=year_usd,
            dearest_year=int(year),
        )
        for usd, low, high, today, year_usd, year, *rest in rows
    ]


def unknown_usd(setting: Setting, ledger: Ledger) -> dict[str, Num]:
    """What the lines without a price cost at most, in today's money, by the input that has none."""
    found: dict[str, Num] = {}
    for line in ledger.lines:
        unpriced = np.isnan(line.total_usd)
        if not unpriced.any():
            continue
        names = [one.name for one in line.used if np.isnan(one.value).any()]
        dearest = Ledger(ledger.title, (_dearest(setting.catalogue, line),))
        usd = float("inf") if dearest.unpriced else present_usd(setting, dearest)
        name = names[0] if names else line.name
        found[name] = found.get(name, 0.0) + np.where(unpriced, usd, 0.0)
    return found


def _dearest(catalogue: Catalogue, line: Line) -> Line:
    used = tuple(
        replace(one, value=_highest(catalogue, _DEAREST[one.name]))
        if one.name in _DEAREST and np.isnan(one.value).any()
        else one
        for one in line.used
    )
    return replace(line, used=used)


def _highest(catalogue: Catalogue, field: str) -> float:
    figures = (getattr(provider, field) for provider in catalogue.providers.values())
    return max((figure.newest.typical for figure in figures if figure is not None), default=float("nan"))
