"""The cost of renting: the plan's whole bill at each offer, not its list price.

Four things make a bill differ from price x useful hours. Machines are rented whole and some providers have a minimum.
Sessions are rounded up to the billing increment. A reservation bills the idle hours too, and runs on after the plan
ends. Disks and outgoing traffic are billed beside it. Each is a line of its own here, for all offers at once.

`bills` does this for many offers, to compare providers; `renting` for the one a plan takes, with your own terms over
it and with support.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, InputSheet, Ledger, Line, Part
from planner.money.measures import discounted_ledger, monthly_discount_factors
from planner.money.price_path import add_forward_rent, add_rent_path
from planner.money.renting.offer_inputs import (
    LOST,
    add_demand_inputs,
    add_offer_inputs,
    assumed_provider_prices,
    estimated_prices,
)
from planner.money.row_sums import by_month_usd
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.rent import RentalInputs
from pricing.belief import PriceEstimates
from pricing.caching import cached_property

Money = Literal["today", "bills"]
TODAY: Money = "today"
SUPPORT = "support-share"
BILLED = "ceil(max(accelerators, minimum_accelerators) / accelerators_per_machine) * accelerators_per_machine"
BUSY = "busy_share * hours_per_month"
BEYOND = "(ceil(months / max(term_months, 0.001)) * max(term_months, 0.001) - months)"
_SESSION = "session_hours * 3600"
ROUNDED = f"(ceil({_SESSION} / billing_increment_s) * billing_increment_s / ({_SESSION}) - 1)"


@dataclass(frozen=True)
class OfferBills:
    """The ledgers of many offers at once: every line holds one amount for each offer."""

    offers: tuple[str, ...]
    ledger: Ledger
    busy_accelerator_hours: float  # each counted like the money of its month
    months: float  # of the plan, counted likewise
    prices: PriceEstimates  # estimates on the day of the plan
    assumed: tuple[tuple[str, ...], ...]  # of each offer: costs at the median price of other providers

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
    def ranking(self) -> NDArray[np.intp]:
        """The order to show its offers in, as `rank` has it."""
        return rank((self,))

    def ledger_for(self, offer: str, title: str) -> Ledger:
        """The ledger of one offer, every input with its own origin."""
        return self.ledger.at(self.offers.index(offer), title)

    def part_usd(self, part: Part) -> NDArray[np.float64]:
        """The priced lines of one part, for each offer."""
        of_part = np.array([line.part == part for line in self.ledger.lines])
        total: NDArray[np.float64] = np.nansum(self.usd[of_part], axis=0)
        return total


def rank(several: Sequence[OfferBills]) -> NDArray[np.intp]:
    """Return the order to show the offers of several bills in: cheapest plan first, then by id; unpriced ones last.

    The indices are those of the offers of the first bills, then of the second, and so on.
    """
    usd = np.concatenate([market.total_usd for market in several])
    return cost_order(usd, [key for market in several for key in market.offers])


def cost_order(usd: NDArray[np.float64], offers: Sequence[str]) -> NDArray[np.intp]:
    """Return the order of some costs, equal ones by the id of the offer, unpriced ones last."""
    cents = np.round(np.where(np.isnan(usd), np.inf, usd), 2)  # prices that differ by less are the same
    return np.lexsort((np.array(offers, dtype=np.str_), cents))


def bills(  # noqa: PLR0913 - a question of as many parts
    setting: PlanContext,
    need: DemandLayer,
    offers: tuple[str, ...],
    *,
    when: Num | None = None,
    months: Num | None = None,
    prices: PriceEstimates | None = None,
    money: Money = TODAY,
) -> OfferBills:
    """The bill of a layer of demand at each of `offers`, month by month, along the plan's path of rents.

    In the share of each month that `when` says, which is over after `months`; the whole plan where they are empty.
    `prices` are what the offers' prices are worth, where they are not those of the plan's own market. What comes later
    counts as `money` says: for what it is worth today, as everywhere in the answer, or as it is billed.
    """
    sheet = setting.input_sheet()
    add_demand_inputs(sheet, setting, need)
    _add_active_share(sheet, when)
    if months is not None:
        sheet.add("months", months, "months", PLAN)
    worth = prices or estimated_prices(setting, offers)
    # your own terms belong to the plan's offer, not to all
    set_after = add_offer_inputs(sheet, setting, offers, RentalInputs(), prices=worth)
    lines = rent_lines(sheet, setting, add_rent_path(sheet, setting, set_after))
    beside = tuple(assumed_provider_prices(setting.catalogue, setting.catalogue.offers[key], need) for key in offers)
    ledger = Ledger("Renting", lines)
    counts = monthly_discount_factors(setting) if money == TODAY else np.ones_like(monthly_discount_factors(setting))
    hours, months = (
        float(np.atleast_2d((each * counts).sum(axis=-1))[0, 0]) for each in (need.busy_hours, setting.timeline.runs)
    )
    return OfferBills(
        offers, discounted_ledger(setting, ledger) if money == TODAY else ledger, hours, months, worth, beside
    )


def renting(
    setting: PlanContext,
    need: DemandLayer,
    offer: str | None,
    *,
    when: Num | None = None,
    yours: RentalInputs | None = None,
) -> tuple[Line, ...]:
    """The lines of renting from one offer, or at your own price, in the share of each month that `when` says.

    `yours` are your own terms where they are not those of the scenario's `rent`.
    """
    own = yours or setting.scenario.rent
    sheet = setting.input_sheet()
    add_demand_inputs(sheet, setting, need)
    _add_active_share(sheet, when)
    set_after = add_offer_inputs(sheet, setting, () if offer is None else (offer,), own)
    price = add_forward_rent(sheet, setting, add_rent_path(sheet, setting, set_after))
    return with_support(sheet, drop_zero_lines(sheet, rent_lines(sheet, setting, price)), own.support_share)


def rent_lines(
    sheet: InputSheet, setting: PlanContext, price: str, *, runs: str = "runs", ends: str = "ends"
) -> tuple[Line, ...]:
    """Return the lines of a bill from the inputs of the sheet, at this price of an hour.

    `runs` and `ends` name the flags of the months in which machines are paid for, and in which the last of them are.
    """
    hours = f"accelerators * {BUSY} * {runs} * {price}"
    data = (
        sheet.line("Disk", "storage", "where(storage_gb > 0, storage_gb * usd_per_gb_month_of_disk, 0) * runs"),
        sheet.line(
            "Traffic out",
            "egress",
            "where(egress_gb_per_month > 0, max(egress_gb_per_month - free_egress_gb_per_month, 0)"
            " * usd_per_gb_of_egress, 0) * runs",
        ),
    )
    return (
        *_work_hour_lines(sheet, hours),
        sheet.line(
            "Whole machines and minimums", "whole machines", f"({BILLED} - accelerators) * {BUSY} * {runs} * {price}"
        ),
        sheet.line(
            "Sessions rounded up", "rounding", f"{BILLED} * {BUSY} * (1 - bills_idle) * {ROUNDED} * {runs} * {price}"
        ),
        sheet.line(
            "Idle hours paid for",
            "idle",
            f"{BILLED} * (1 - busy_share) * hours_per_month * bills_idle * {runs} * {price}",
        ),
        sheet.line(
            "Reservation beyond the plan",
            "commitment",
            f"{BILLED} * {BEYOND} * bills_idle * hours_per_month * {ends} * {price}",
        ),
        *deflate_lines(setting, data),
    )


def _work_hour_lines(sheet: InputSheet, hours: str) -> tuple[Line, ...]:
    """The hours of work; those known to be lost to failures apart."""
    if LOST not in sheet.used:
        return (sheet.line("Useful hours", "compute", hours),)
    return (
        sheet.line("Useful hours", "compute", f"{hours} * (1 - {LOST})"),
        sheet.line("Time lost to failures and restarts", "interruptions", f"{hours} * {LOST}"),
    )


def drop_zero_lines(sheet: InputSheet, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Drop lines that cannot cost anything here: no idle hours on demand, no rounding of whole hours."""

    def is_zero(name: str) -> bool:
        value = sheet.used[name].value
        return np.ndim(value) == 0 and float(value) == 0.0

    session, increment = (sheet.used[name].value for name in ("session_hours", "billing_increment_s"))
    whole_increments = np.ndim(session) == np.ndim(increment) == 0 and float(session * 3600 % increment) == 0.0
    one_machine = input_is_one(sheet, "accelerators_per_machine") and input_is_one(sheet, "minimum_accelerators")
    none = {
        "idle": is_zero("bills_idle"),
        "commitment": is_zero("bills_idle"),
        "rounding": input_is_one(sheet, "bills_idle") or whole_increments,
        "whole machines": one_machine,
        "storage": is_zero("storage_gb"),
        "egress": is_zero("egress_gb_per_month"),
    }
    return tuple(line for line in lines if not none.get(line.part, False))


def input_is_one(sheet: InputSheet, name: str) -> bool:
    """Return whether an input is the plain number 1."""
    value = sheet.used[name].value
    return np.ndim(value) == 0 and float(value) == 1.0


def with_support(sheet: InputSheet, lines: tuple[Line, ...], yours: Num | None) -> tuple[Line, ...]:
    """Add support as a share of the bill: of its priced part, where disk or traffic have no price."""
    sheet.fact("support_share", SUPPORT, yours)
    has_rows = any(line.has_rows for line in lines)
    bill = by_month_usd(lines) if has_rows else np.nan
    if np.isnan(bill).any():
        bill = sum(line.priced_usd if line.part in ("storage", "egress") else line.usd for line in lines)
    sheet.add("bill_usd", np.asarray(bill), "USD", COMPUTED)
    return (*lines, sheet.line("Support", "support", "support_share * bill_usd"))


def _add_active_share(sheet: InputSheet, when: Num | None) -> None:
    if when is not None:
        sheet.add("runs", when, "share of each month", PLAN)
