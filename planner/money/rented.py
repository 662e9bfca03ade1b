"""What renting costs: the plan's whole bill at each offer, not its sticker.

Four things make a bill differ from price x useful hours. Machines are rented whole and some providers have a minimum.
Sessions are rounded up to the billing increment. A reservation bills the idle hours too, and runs on after the plan
ends. Disks and outgoing traffic are billed beside it. Each is a line of its own here, for all offers at once.

Left out for now: taxes, support plans, the work lost when a spot machine is taken away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from planner.inputs.need import Need
from planner.money.formula import formula
from planner.money.ledger import CONVENTION, YOUR_INPUT, Ledger, Line, Origin, Part, Used
from planner.money.origin import judged, origin
from planner.money.timeline import PLAN, Timeline
from pricing import Catalogue, Figure
from pricing.records import Offer

GB_PER_TB = 1_000.0
SECONDS_PER_HOUR = 3_600.0

# Months a customer is bound for. A capacity block is booked by the day; the rest can be ended at any time.
TERM_MONTHS: dict[str, float] = {
    "on_demand": 0.0,
    "spot": 0.0,
    "capacity_block": 12 / 365,
    "reserved_1m": 1.0,
    "reserved_3m": 3.0,
    "reserved_6m": 6.0,
    "reserved_1y": 12.0,
    "reserved_2y": 24.0,
    "reserved_3y": 36.0,
}

BILLED = "ceil(max(accelerators, minimum_accelerators) / accelerators_per_machine) * accelerators_per_machine"
BUSY = "busy_share * hours_per_month * runs"
_SESSION = "session_hours * 3600"

_HOURLY = judged("no billing increment is published; whole hours assumed")
_NO_MINIMUM = judged("no minimum is published; one machine assumed")
_NO_FREE = judged("no free allowance is published; none assumed")
_UNKNOWN = judged("not published: not priced")


@dataclass(frozen=True)
class Bills:
    """The ledgers of many offers at once: every line holds one amount for each offer."""

    offers: tuple[str, ...]
    ledger: Ledger
    busy_accelerator_hours: float

    @cached_property
    def usd(self) -> NDArray[np.float64]:
        """Lines x offers, over the whole plan; not-a-number where nobody publishes a price."""
        return np.vstack([np.broadcast_to(line.total_usd, len(self.offers)) for line in self.ledger.lines])

    @cached_property
    def total_usd(self) -> NDArray[np.float64]:
        """Priced lines of the whole plan; not-a-number where even the machine has no price."""
        return np.where(np.isnan(self.usd[0]), np.nan, np.nansum(self.usd, axis=0))

    @cached_property
    def usd_per_busy_hour(self) -> NDArray[np.float64]:
        """The whole bill over the useful accelerator-hours: what an hour of work really costs."""
        return self.total_usd / self.busy_accelerator_hours

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """The order to show them in: cheapest plan first, then by id; offers to ask for come last.

        A bill with an unpublished line must not win by its silence: for the order alone, that line counts as the median
        of what the others charge for it.
        """
        unknown = np.isnan(self.usd)
        medians = [
            np.median(line[~gaps]) if (~gaps).any() else 0.0 for line, gaps in zip(self.usd, unknown, strict=True)
        ]
        supposed = self.total_usd + np.where(unknown, np.array(medians)[:, np.newaxis], 0.0).sum(axis=0)
        cents = np.round(np.nan_to_num(supposed, nan=np.inf), 2)  # what differs by less is the same price
        return np.lexsort((np.array(self.offers, dtype=np.str_), cents))

    def one(self, offer: str, title: str) -> Ledger:
        """The ledger of one offer, every input with its own origin."""
        return self.ledger.at(self.offers.index(offer), title)

    def part_usd(self, part: Part) -> NDArray[np.float64]:
        """The priced lines of one part, for each offer."""
        of_part = np.array([line.part == part for line in self.ledger.lines])
        total: NDArray[np.float64] = np.nansum(self.usd[of_part], axis=0)
        return total

    @cached_property
    def not_priced(self) -> list[tuple[str, ...]]:
        """The lines that nobody published a price for, for each offer."""
        names = [line.name for line in self.ledger.lines]
        return [tuple(compress(names, gaps)) for gaps in np.isnan(self.usd).T.tolist()]


def bills(catalogue: Catalogue, need: Need, offers: tuple[str, ...], rent_change_per_year: float = 0.0) -> Bills:
    """The bill of the whole plan at each of `offers`, month by month, at prices that change by this share a year."""
    timeline = Timeline(need.months)
    path = Used("rent_change_per_year", rent_change_per_year, "share a year", YOUR_INPUT)
    used = {one.name: one for one in (*_plan(need), path, *timeline.flags, *_terms(catalogue, offers, timeline))}

    def line(name: str, part: Part, how: str) -> Line:
        return Line(name, part, how, tuple(used[name] for name in formula(how).names))

    price = "usd_per_accelerator_hour * (1 + rent_change_per_year) ** (price_set_after_months / 12)"
    lines = (
        line("Useful hours", "compute", f"accelerators * {BUSY} * {price}"),
        line("Whole machines and minimums", "whole machines", f"({BILLED} - accelerators) * {BUSY} * {price}"),
        line(
            "Sessions rounded up",
            "rounding",
            f"{BILLED} * {BUSY} * (1 - bills_idle) * {price}"
            f" * (ceil({_SESSION} / billing_increment_s) * billing_increment_s / ({_SESSION}) - 1)",
        ),
        line(
            "Idle hours paid for",
            "idle",
            f"{BILLED} * (1 - busy_share) * hours_per_month * runs * bills_idle * {price}",
        ),
        line(
            "Reservation beyond the plan",
            "commitment",
            f"ends * {BILLED} * (ceil(months / max(term_months, 0.001)) * max(term_months, 0.001) - months)"
            f" * bills_idle * hours_per_month * {price}",
        ),
        line("Disk", "storage", "runs * where(storage_gb > 0, storage_gb * usd_per_gb_month_of_disk, 0)"),
        line(
            "Traffic out",
            "egress",
            "runs * where(egress_gb_per_month > 0, max(egress_gb_per_month - free_egress_gb_per_month, 0)"
            " * usd_per_gb_of_egress, 0)",
        ),
    )
    return Bills(offers, Ledger("Renting", lines), need.busy_accelerator_hours)


def _plan(need: Need) -> tuple[Used, ...]:
    return (
        Used("accelerators", float(need.accelerators), "accelerators", YOUR_INPUT),
        Used("busy_share", need.busy_share, "share of hours", YOUR_INPUT),
        Used("months", need.months, "months", YOUR_INPUT),
        Used("hours_per_month", need.hours_per_month, "hours", CONVENTION),
        Used("session_hours", need.hours_per_session, "hours", YOUR_INPUT),
        Used("storage_gb", need.storage_tb * GB_PER_TB, "GB", YOUR_INPUT),
        Used("egress_gb_per_month", need.egress_tb_per_month * GB_PER_TB, "GB a month", YOUR_INPUT),
    )


def _terms(catalogue: Catalogue, keys: tuple[str, ...], timeline: Timeline) -> tuple[Used, ...]:
    """The offers' own numbers as arrays, one entry for each offer; when each month's price was set, by month."""
    offers = [catalogue.offers[key] for key in keys]
    providers = [catalogue.providers[offer.provider] for offer in offers]
    term = [TERM_MONTHS[offer.purchase] for offer in offers]
    machine = [float(offer.accelerators_per_instance) for offer in offers]

    def price(index: int) -> Origin:
        figure = offers[index].usd_per_accelerator_hour
        return _UNKNOWN if figure is None else origin(catalogue, figure)

    def of_provider(name: str, unit: str, field: str, otherwise: float, why: Origin) -> Used:
        figures: list[Figure | None] = [getattr(provider, field) for provider in providers]
        values = _column([otherwise if figure is None else figure.newest.typical for figure in figures])
        return Used(name, values, unit, _origins(catalogue, figures, why))

    return (
        Used("usd_per_accelerator_hour", _column([_price(offer) for offer in offers]), "USD/accelerator-hour", price),
        Used("accelerators_per_machine", _column(machine), "accelerators", _offer_says),
        Used("term_months", _column(term), "months", _offer_says),
        Used("price_set_after_months", _price_set(term, timeline), "months", PLAN),
        Used("bills_idle", _column([float(months > 0) for months in term]), "1 or 0", _offer_says),
        of_provider("minimum_accelerators", "accelerators", "minimum_accelerators", 1.0, _NO_MINIMUM),
        of_provider("billing_increment_s", "seconds", "billing_increment_s", SECONDS_PER_HOUR, _HOURLY),
        of_provider("usd_per_gb_month_of_disk", "USD/GB-month", "block_storage_usd_per_gb_month", np.nan, _UNKNOWN),
        of_provider("usd_per_gb_of_egress", "USD/GB", "egress_usd_per_gb", np.nan, _UNKNOWN),
        of_provider("free_egress_gb_per_month", "GB a month", "free_egress_gb_per_month", 0.0, _NO_FREE),
    )


def _price_set(term_months: list[float], timeline: Timeline) -> NDArray[np.float64]:
    """After how many months the price of each month was set: at its beginning, or when the reservation began."""
    term = _column(term_months)
    begun = np.maximum(np.arange(timeline.last + 1, dtype=np.float64) - 1, 0.0)
    return np.where(term > 0, np.floor(begun / np.maximum(term, 1e-9)) * term, begun)


def _column(values: list[float]) -> NDArray[np.float64]:
    """One value for each offer, standing beside the months."""
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def _offer_says(_: int) -> Origin:
    return Origin("the offer itself", "spec")


def _origins(catalogue: Catalogue, figures: list[Figure | None], why: Origin) -> Callable[[int], Origin]:
    def of_one(index: int) -> Origin:
        figure = figures[index]
        return why if figure is None else origin(catalogue, figure)

    return of_one


def _price(offer: Offer) -> float:
    figure = offer.usd_per_accelerator_hour
    return float("nan") if figure is None else figure.newest.typical
