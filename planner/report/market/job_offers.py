"""The offers for one job that names a model: how many accelerators, how long, and the cost of the job."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, Part
from planner.money.measures import discounted_ledger
from planner.money.people import people_lines
from planner.money.renting.bill import TODAY, Money, OfferBills, bills
from planner.money.renting.cheapest_offer import choose
from planner.money.renting.orders import able, orders_of
from planner.report import words
from planner.report.market.compare import (
    BUY_ID,
    COLUMNS,
    Finding,
    PurchaseComparison,
    buy_row,
    buying_sentences,
    cheapest,
    compare_table,
    order_sentence,
    price_age_suffix,
    ranked_table,
    rent_rows,
    row_names,
)
from planner.report.market.prices import region_words
from planner.report.table import Table
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.durations import format_duration, years_words
from planner.study.market.survey import SizedAccelerator
from pricing import Catalogue
from pricing.orderable import refusal_reason
from pricing.query import OfferFilter, find

_BESIDE_MACHINES: tuple[Part, ...] = ("storage", "egress", "staff")
ONE_RUN, A_MONTH = "One run USD", "A month USD"
JOB_COLUMNS = ("GPU", "GPUs", "Takes days", "Memory")


@dataclass(frozen=True, eq=False)
class JobBills:
    """The bills of one accelerator's offers."""

    size: SizedAccelerator
    bills: OfferBills

    @property
    def unit(self) -> str:
        """The column of the job's cost."""
        return ONE_RUN if self.size.is_run else A_MONTH

    @property
    def job_usd(self) -> NDArray[np.float64]:
        """Cost of machines for one run, or for a month of a service, without disks, traffic and people. [USD]"""
        machines_usd = self.bills.total_usd - sum(self.bills.part_usd(part) for part in _BESIDE_MACHINES)
        days = self.size.days
        if days is None:
            return machines_usd / self.bills.months
        return machines_usd / (
            self.bills.busy_accelerator_hours / (days.typical * HOURS_PER_DAY * self.size.accelerators)
        )


@dataclass(frozen=True, eq=False)
class OfferComparison:
    """The content of the Compare page: the finding, the table, the hidden offers and the ledgers behind."""

    finding: Finding
    table: Table
    hidden: dict[str, int]
    all_rented: tuple[JobBills, ...]
    own: PurchaseComparison | None

    @property
    def of(self) -> str:
        """The accelerators of the hidden offers in words."""
        return "of this GPU" if len(self.all_rented) == 1 else "of these GPUs"

    def opened(self, picks: Sequence[str]) -> list[Ledger]:
        """Return the ledgers of the selected rows, each under a name of its own."""
        ledgers = map(self._ledger, picks, row_names(picks, self.table))
        return [ledger for ledger in ledgers if ledger is not None]

    def _ledger(self, key: str, name: str) -> Ledger | None:
        if key == BUY_ID:
            return None if self.own is None else replace(self.own.ledger, title=name)
        return next((job.bills.ledger_for(key, name) for job in self.all_rented if key in job.bills.offers), None)


def compare_offers(  # noqa: PLR0913 - a question of as many parts
    catalogue: Catalogue,
    sizes: Sequence[SizedAccelerator],
    wish: OfferFilter,
    day: date,
    own: PurchaseComparison | None,
    *,
    able_only: bool,
    is_job: bool,
    money: Money = TODAY,
) -> OfferComparison:
    """Return the comparison for a job that names a model, or for plain GPU-hours on one accelerator."""
    all_rented, hidden = rented(catalogue, sizes, wish, day, able_only=able_only, money=money)
    if is_job:
        finding = cheapest_job_finding(catalogue, all_rented, own)
        table = job_table(catalogue, all_rented, own, day)
    else:
        need, only = sizes[0].need, all_rented[0].bills
        finding = cheapest(catalogue, need, only, own, sizes[0].setting)
        table = compare_table(catalogue, need, only, own, day, sizes[0].setting)
    if wish.areas:
        regions = [
            region_words(catalogue, key, wish.areas) if key in catalogue.offers else region
            for key, region in table.by_id("Region").items()
        ]
        table = Table({**table.cells, "Region": regions}, table.ids)
    return OfferComparison(finding, table, hidden, all_rented, own)


def rented(
    catalogue: Catalogue,
    sizes: Iterable[SizedAccelerator],
    wish: OfferFilter,
    day: date,
    *,
    able_only: bool,
    money: Money = TODAY,
) -> tuple[tuple[JobBills, ...], dict[str, int]]:
    """Return the bills of every offer that fits the wish; and how many were left out for which reason.

    With `able_only` only offers that can take the whole order; where none can, those that can take one job.
    """
    by_chip, matches = {size.accelerator: size for size in sizes}, find(catalogue, wish, day)
    hidden: dict[str, int] = {str(reason): number for reason, number in matches.hidden.items()}
    ids: dict[str, list[str]] = {chip: [] for chip in by_chip}
    for key in matches.ids:
        size = by_chip.get(catalogue.offers[key].accelerator) or next(iter(by_chip.values()))  # of an ambiguous name
        ids[size.accelerator].append(key)
    if able_only:
        for chip, size in by_chip.items():
            orders, allowed = orders_of(size.setting), set[str]()
            for purchase in {catalogue.offers[key].purchase for key in ids[chip]}:
                same = [key for key in ids[chip] if catalogue.offers[key].purchase == purchase]
                allowed |= set(able(catalogue, same, orders))
            for key in set(ids[chip]) - allowed:
                reason = str(refusal_reason(catalogue, key, orders[0]))
                hidden[reason] = hidden.get(reason, 0) + 1
            ids[chip] = [key for key in ids[chip] if key in allowed]
    return tuple(JobBills(size, _bills(size, tuple(ids[chip]), money)) for chip, size in by_chip.items()), hidden


def _bills(size: SizedAccelerator, offers: tuple[str, ...], money: Money) -> OfferBills:
    """Return the bills of offers with the people who run them, as buying beside them has them."""
    bill = bills(size.setting, size.need, offers, money=money)
    people = Ledger("People", people_lines(size.setting))
    if money == TODAY:
        people = discounted_ledger(size.setting, people)
    return replace(bill, ledger=bill.ledger.with_lines(people.lines))


def job_table(catalogue: Catalogue, all_rented: Sequence[JobBills], own: PurchaseComparison | None, day: date) -> Table:
    """Return every bill of every accelerator and the purchase, ranked by plan total. The index holds the offer ids."""
    rows = []
    for job in all_rented:
        common = _common_cells(catalogue, job.size)
        for row, usd in zip(
            rent_rows(catalogue, job.bills, own, day, job.size.setting), job.job_usd.tolist(), strict=True
        ):
            rows.append({**row, **common, job.unit: usd})
    first, bought = all_rented[0], None
    if own is not None:
        bought = own.total_usd, {**buy_row(first.size.need, own), **_common_cells(catalogue, first.size)}
    heads = (COLUMNS[0], first.unit, "Days old")
    names = (*heads, *JOB_COLUMNS, *(name for name in COLUMNS if name not in heads))
    return ranked_table(names, [job.bills for job in all_rented], rows, bought)


def _common_cells(catalogue: Catalogue, size: SizedAccelerator) -> dict[str, Any]:
    memory = "small" if size.run is None else "not checked"
    if size.training is not None:
        memory = f"{size.training.least_memory_gb:,.0f} of {size.training.memory_gb:,.0f} GB"
    elif size.serving is not None:
        replica, each = size.serving.memory, size.serving.accelerators_per_replica
        full = replica.weights_gb + replica.adapters_gb + replica.working_gb
        memory = f"{full / each:,.0f} of {replica.device_gb / each:,.0f} GB before requests"
    return {
        "GPU": catalogue.accelerator_label(size.accelerator),
        "GPUs": size.accelerators,
        "Takes days": None if size.days is None else words.round_significant(size.days.typical),
        "Memory": memory,
    }


def cheapest_job_finding(
    catalogue: Catalogue, all_rented: Sequence[JobBills], own: PurchaseComparison | None
) -> Finding:
    """Return the cheapest seller of this job: cost, time and machines."""
    best, chips = choose([job.bills for job in all_rented]), {job.size.accelerator for job in all_rented}
    bought = buying_sentences(catalogue, own, chips.pop() if len(chips) == 1 else None)
    if best is None:
        advice = "Widen the filters below, try any GPU, or enter your own price."
        return Finding("No offer here has a price for this job", (advice, *bought))
    job, place = [(job, place) for job in all_rented for place in range(len(job.bills.offers))][best]
    size, key, price = job.size, job.bills.offers[place], job.bills.prices.at(place)
    offer = catalogue.offers[key]
    seller = words.seller(catalogue.providers[offer.provider].label, offer.sku)
    usd, total = words.usd(float(job.job_usd[place])), words.usd(float(job.bills.total_usd[place]))
    machines = f"{size.accelerators:,} x {catalogue.accelerator_label(size.accelerator)}"
    train = size.setting.written.work[0].train
    if size.days is None:
        cost = f"{usd} a month on {machines}"
    elif train is not None and train.runs_per_month is not None:
        cost = f"{usd} a run, {format_duration(size.days.typical)} on {machines}"
    else:
        cost = f"{usd} in {format_duration(size.days.typical)} on {machines}"
    years = years_words(size.setting.scenario.years)
    plan = f"The plan of {years} costs {total} there, disks and traffic included, {words.PURCHASE[offer.purchase]}."
    title = f"{seller} {'trains' if size.is_run else 'serves'} it for the least: {cost}{price_age_suffix(price)}"
    typical = filter(None, (order_sentence(size.setting, offer.purchase),))
    return Finding(title, (*typical, *bought), key, (plan, f"{words.worth(price)}."))
