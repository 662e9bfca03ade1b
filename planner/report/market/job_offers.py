"""The offers of one job, where a model is named: with how many it takes, how long, and what the job costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.renting.bill import TODAY, Money, OfferBills, bills
from planner.money.renting.cheapest_offer import choose
from planner.money.renting.orders import able, orders_of
from planner.report import words
from planner.report.market.compare import (
    BUY_ID,
    COLUMNS,
    Finding,
    Own,
    against,
    buy_row,
    cheapest,
    compare_table,
    price_age_suffix,
    ranked_table,
    rent_rows,
    row_names,
)
from planner.report.market.offers import region_words
from planner.report.table import Table
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.durations import format_duration, years_words
from planner.study.market.sized_accelerators import SizedAccelerator
from pricing import Catalogue
from pricing.orderable import refusal_reason
from pricing.query import OfferFilter, find

ONE_RUN, A_MONTH = "One run USD", "A month USD"
JOB_COLUMNS = ("GPU", "GPUs", "Takes days", "Memory")


@dataclass(frozen=True, eq=False)
class OfferComparison:
    """What the Compare page shows: the finding, the table, what is hidden, and the ledgers behind."""

    finding: Finding
    table: Table
    hidden: dict[str, int]
    all_rented: tuple[JobBills, ...]
    own: Own | None

    @property
    def of(self) -> str:
        """Which accelerators the hidden offers are of, in words."""
        return "of this GPU" if len(self.all_rented) == 1 else "of these GPUs"

    def opened(self, picks: Sequence[str]) -> list[Ledger]:
        """The ledgers of the chosen rows, each under a name of its own."""
        return [
            ledger
            for key, name in zip(picks, row_names(picks, self.table), strict=True)
            if (ledger := self._ledger(key, name)) is not None
        ]

    def _ledger(self, key: str, name: str) -> Ledger | None:
        if key == BUY_ID:
            return None if self.own is None else replace(self.own.ledger, title=name)
        return next((one.bills.one(key, name) for one in self.all_rented if key in one.bills.offers), None)


def compare_offers(  # noqa: PLR0913 - a question of as many parts
    catalogue: Catalogue,
    doers: Sequence[SizedAccelerator],
    wish: OfferFilter,
    day: date,
    own: Own | None,
    *,
    able_only: bool,
    is_job: bool,
    money: Money = TODAY,
) -> OfferComparison:
    """All of it: for a job that names a model, or for plain GPU-hours on one accelerator."""
    all_rented, hidden = rented(catalogue, doers, wish, day, able_only=able_only, money=money)
    if is_job:
        found = cheapest_job_finding(catalogue, all_rented, own)
        table = job_table(catalogue, all_rented, own, day)
        return OfferComparison(found, _with_places(catalogue, table, wish), hidden, all_rented, own)
    need, only = doers[0].need, all_rented[0].bills
    found = cheapest(catalogue, need, only, own)
    table = compare_table(catalogue, need, only, own, day)
    return OfferComparison(found, _with_places(catalogue, table, wish), hidden, all_rented, own)


def _with_places(catalogue: Catalogue, table: Table, wish: OfferFilter) -> Table:
    """The table with the places of each region that lie where a person wants them."""
    regions = [
        region_words(catalogue, key, wish.areas) if key in catalogue.offers else region
        for key, region in table.by_id("Region").items()
    ]
    return Table({**table.cells, "Region": regions}, table.ids) if wish.areas else table


@dataclass(frozen=True, eq=False)
class JobBills:
    """The bills of one accelerator's offers."""

    doer: SizedAccelerator
    bills: OfferBills

    @property
    def unit(self) -> str:
        """What the job's cost is for."""
        return ONE_RUN if self.doer.is_run else A_MONTH

    @property
    def job_usd(self) -> NDArray[np.float64]:
        """What machines cost for one run, or for a month of a service: without disks and traffic."""
        beside = self.bills.part_usd("storage") + self.bills.part_usd("egress")
        days = self.doer.days
        if days is None:
            return (self.bills.total_usd - beside) / self.bills.months
        runs = self.bills.busy_accelerator_hours / (days.typical * HOURS_PER_DAY * self.doer.accelerators)
        return (self.bills.total_usd - beside) / runs


def rented(
    catalogue: Catalogue,
    doers: Iterable[SizedAccelerator],
    wish: OfferFilter,
    day: date,
    *,
    able_only: bool,
    money: Money = TODAY,
) -> tuple[tuple[JobBills, ...], dict[str, int]]:
    """The bills of every offer that fits the wish; and how many were left out for which reason.

    With `able_only` only offers that can take what is ordered; where none has all of it, those that have a job's worth.
    """
    by_chip = {one.accelerator: one for one in doers}
    found = find(catalogue, wish, day)
    hidden: dict[str, int] = {str(reason): number for reason, number in found.hidden.items()}
    ids: dict[str, list[str]] = {key: [] for key in by_chip}
    for key in found.ids:
        doer = by_chip.get(catalogue.offers[key].accelerator) or next(iter(by_chip.values()))  # a name that may mean it
        ids[doer.accelerator].append(key)
    if able_only:
        for chip, doer in by_chip.items():
            orders = orders_of(doer.setting)
            kinds = {catalogue.offers[key].purchase for key in ids[chip]}
            kept: set[str] = set()
            for kind in kinds:
                there = able(catalogue, [key for key in ids[chip] if catalogue.offers[key].purchase == kind], orders)
                kept |= set() if there is None else set(there.keys)
            for key in set(ids[chip]) - kept:
                why = str(refusal_reason(catalogue, key, orders[0]))
                hidden[why] = hidden.get(why, 0) + 1
            ids[chip] = [key for key in ids[chip] if key in kept]
    jobs = (JobBills(one, bills(one.setting, one.need, tuple(ids[key]), money=money)) for key, one in by_chip.items())
    return tuple(jobs), hidden


def job_table(catalogue: Catalogue, all_rented: Sequence[JobBills], own: Own | None, day: date) -> Table:
    """Every bill of every accelerator and the purchase, ranked by the whole plan. The index holds the offer ids."""
    rows = [row for one in all_rented for row in _rows(catalogue, one, own, day)]
    bought = None
    if own is not None:
        bought = own.total_usd, {**buy_row(all_rented[0].doer.need, own), **_about(catalogue, all_rented[0])}
    first = (COLUMNS[0], all_rented[0].unit, "Days old")
    names = (*first, *JOB_COLUMNS, *(name for name in COLUMNS if name not in first))
    return ranked_table(names, [one.bills for one in all_rented], rows, bought)


def _rows(catalogue: Catalogue, one: JobBills, own: Own | None, day: date) -> Iterator[dict[str, Any]]:
    """The offers of one accelerator as rows, with what the job costs at each."""
    about = _about(catalogue, one)
    for row, job in zip(rent_rows(catalogue, one.bills, own, day), one.job_usd.tolist(), strict=True):
        yield {**row, **about, one.unit: job}


def _about(catalogue: Catalogue, one: JobBills) -> dict[str, Any]:
    """The cells that are the same for every offer of an accelerator."""
    doer = one.doer
    return {
        "GPU": catalogue.accelerator_label(doer.accelerator),
        "GPUs": doer.accelerators,
        "Takes days": None if doer.days is None else words.round_significant(doer.days.typical),
        "Memory": _memory(doer),
    }


def _memory(doer: SizedAccelerator) -> str:
    """How full one accelerator is: it says what fits."""
    if doer.training is not None:
        return f"{doer.training.least_memory_gb:,.0f} of {doer.training.memory_gb:,.0f} GB"
    if doer.serving is not None:
        held, each = doer.serving.memory, doer.serving.accelerators_per_replica
        full = held.weights_gb + held.adapters_gb + held.working_gb
        return f"{full / each:,.0f} of {held.device_gb / each:,.0f} GB before requests"
    return "small" if doer.run is None else "not checked"


def cheapest_job_finding(catalogue: Catalogue, all_rented: Sequence[JobBills], own: Own | None) -> Finding:
    """Who does this job for the least: what it costs, how long it takes, on what."""
    best, chips = choose([one.bills for one in all_rented]), {one.doer.accelerator for one in all_rented}
    bought = against(catalogue, own, chips.pop() if len(chips) == 1 else None)
    if best is None:
        return Finding(
            "No offer here has a price for this job",
            ("Widen the filters below, try any GPU, or enter your own price.", *bought),
        )
    of, at = [(one, at) for one in all_rented for at in range(len(one.bills.offers))][best]
    doer, key, price = of.doer, of.bills.offers[at], of.bills.prices.at(at)
    offer = catalogue.offers[key]
    who = words.seller(catalogue.providers[offer.provider].label, offer.sku)
    done = f"{who} {'trains' if doer.is_run else 'serves'} it"
    total = words.usd(float(of.bills.total_usd[at]))
    over = f"The plan of {years_words(doer.setting.scenario.years)}, disks and traffic included"
    sentences = (f"{over}, comes to {total} there, {words.PURCHASE[offer.purchase]}.", f"{words.worth(price)}.")
    return Finding(
        f"{done} for the least: {_cost(catalogue, of, at)}{price_age_suffix(price)}", (*sentences, *bought), key
    )


def _cost(catalogue: Catalogue, of: JobBills, at: int) -> str:
    """$41,200 in 12 days on 64 x H100."""
    doer = of.doer
    usd = words.usd(float(of.job_usd[at]))
    on = f"{doer.accelerators:,} x {catalogue.accelerator_label(doer.accelerator)}"
    if doer.days is None:
        return f"{usd} a month on {on}"
    time = format_duration(doer.days.typical)
    monthly = doer.setting.written.work[0].train
    if monthly is not None and monthly.runs_per_month is not None:
        return f"{usd} a run, {time} on {on}"
    return f"{usd} in {time} on {on}"
