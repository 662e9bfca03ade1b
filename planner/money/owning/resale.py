"""The resale of machines: at the market price, at one agreed today, or at least at a guaranteed one.

Shares are shares of the dollars that were paid. Machines replaced at a refresh are sold on the terms of the final
sale, and the new machines have a guarantee of their own.
Machines that are there already: which they are, how fast beside the plan's, and what they fetch, now and later.
"""

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.money.formula import Num, formula
from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, TRIED, YOUR_INPUT, InputSheet, Line
from planner.money.owning.machine import machine
from planner.money.owning.machine_price import TIMES
from planner.money.owning.place import existing_accelerator, purchase_of_existing
from planner.money.setting import PlanContext
from planner.money.timeline import NEARLY, PLAN, Holding
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import ExistingHardware, OwnInputs
from pricing.catalogue import Catalogue
from pricing.market.band import Z80
from pricing.market.constants import constants
from pricing.market.hardware import new_price, used_share
from pricing.records import Accelerator

# Below this rate a year no interest is computed: its formula would divide nothing by nothing.
_FLAT = "1e-6"


@dataclass(frozen=True)
class Installments:
    """Level payments from the delivery on, the last of them at the latest when the machines are sold."""

    holding: Holding
    months: Num  # whole ones
    in_advance: bool = False

    def add_to(self, sheet: InputSheet, name: str) -> None:
        """Add the number of payments and the months they fall in; `name` tells loans from leases."""
        number = self.holding.plan.month - self.holding.delivery_month + float(self.in_advance)
        last = self.holding.delivery_month + self.months
        sold_in = np.ceil(np.asarray(self.holding.stop) - NEARLY)
        due = (number >= 1) & (number <= self.months) & (self.holding.plan.month <= sold_in)
        pays = np.asarray(due * self.holding.comes, dtype=np.float64)
        settles = np.equal(self.holding.plan.month, np.minimum(last, sold_in)) * self.holding.comes
        payments = np.asarray(np.sum(pays, axis=-1, keepdims=np.ndim(pays) > 1), dtype=np.float64)
        sheet.add(f"{name}_months", self.months, "months", PLAN)
        sheet.add("month", self.holding.plan.month, "its number", PLAN)
        sheet.add("delivery_month", self.holding.delivery_month, "its number", PLAN)
        sheet.add("payments_made", payments if payments.ndim else float(payments), "payments", PLAN)
        sheet.add("pays", pays, "1 in months with a payment, else 0", PLAN)
        sheet.add("settles", settles, "1 in the month in which all is settled, else 0", PLAN)


def whole_months(years: Num | None, otherwise_months: Num) -> Num:
    months = otherwise_months if years is None else np.asarray(years) * MONTHS_PER_YEAR
    return np.maximum(np.ceil(np.asarray(months, dtype=np.float64) - NEARLY), 1.0)[()]


def first_principal_share(rate: str, months: str) -> str:
    """The part of a loan that its first level payment in arrears repays; each later one repays (1 + rate) more."""
    some = f"((1 + {rate}) ** (1 / 12) - 1) / max((1 + {rate}) ** ({months} / 12) - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, 1 / {months})"


def grown(rate: str) -> str:
    """Return what a dollar has grown to from the first month after the delivery to each month: to 1 in that month."""
    return f"(1 + {rate}) ** ((month - 1) / 12) / (1 + {rate}) ** (delivery_month / 12)"


def outstanding_share(rate: str, months: str, payments: str) -> str:
    """The part of a loan that is owed after so many level payments in arrears."""
    end = f"(1 + {rate}) ** ({months} / 12)"
    some = f"({end} - (1 + {rate}) ** ({payments} / 12)) / max({end} - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, ({months} - {payments}) / {months})"


def level_payment(rate: str, months: str, left: str, *, in_advance: bool) -> str:
    """The level payment for each dollar lent, of which a share is left owing at the end."""
    annuity = f"(1 - (1 + {rate}) ** (-1 / 12))" if in_advance else f"((1 + {rate}) ** (1 / 12) - 1)"
    some = f"{annuity} * ((1 - {left}) / max(1 - (1 + {rate}) ** (-1 * {months} / 12), 1e-9) + {left})"
    return f"where({rate} > {_FLAT}, {some}, (1 - {left}) / {months})"


def value(sheet: InputSheet, how: str) -> Num:
    """Return what a formula gives for the inputs that were said."""
    return formula(how)({name: sheet.used[name].value for name in formula(how).names})


LATER = "(1 + hardware_price_change_per_year)"
PRICED = "priced_after_years"  # of an order with a price of its own: from today to the month it is typed for
PRICED_PATH = "priced_path"
HOST = "host_part"  # of the price
COST, GUARANTEED = "guarantee_cost_share", "guaranteed_residual_share"
_REPLACED = " of what is replaced"


@dataclass(frozen=True, eq=False)
class _SaleTiming:
    """When machines arrive or are sold, and the day of their price."""

    when: str  # the flag of its months; of a replacement, times the change of prices
    priced_after_years: Num
    of: str = ""  # behind the names of its lines
    left: str = "residual_share"  # the input for the residual share


def sale_lines(
    sheet: InputSheet, setting: PlanContext, price: str, host_part: str | None, held: Holding, *, replaced: str | None
) -> tuple[Line, ...]:
    """Return the lines of every sale. `host_part` is the formula for the host's share of the price, if it has one.

    `price` is that of the order; `replaced` the price that a replacement starts from, None where nothing is replaced.
    """
    own = setting.scenario.own
    for name in (GUARANTEED, COST, "forward_residual_share"):
        sheet.add(name, getattr(own, name) or 0.0, "share of the price", YOUR_INPUT)
    if own.host_residual_share is not None:
        times, where = sheet.tried.get(TIMES, 1.0), TRIED if TIMES in sheet.tried else YOUR_INPUT
        sheet.add("host_residual_share", own.host_residual_share * times, "share of the host's price", where)
        if host_part is not None:
            sheet.add(HOST, value(sheet, host_part), "share of the price", replace(COMPUTED, note=host_part))
    arrivals = [(_SaleTiming("delivered", held.ordered_years), price)]
    sales = [(_SaleTiming("sold", held.ordered_years), price)]
    if replaced is not None:  # machines then are bought at the price of another day
        arrivals.append((_refresh_timing(sheet, "new", "refreshes", _REPLACED), replaced))
        old = _refresh_timing(sheet, "old", "refreshes", _REPLACED, "residual_share_at_refresh")
        sales = [(old, replaced), (_refresh_timing(sheet, "last", "sold"), replaced)]
    lines: list[Line] = []
    for timing, paid in arrivals if own.guaranteed_residual_share is not None else ():
        fee = sheet.line(f"Guarantee of the resale{timing.of}", "resale", f"{paid} * {COST} * {timing.when}")
        lines += deflate_lines(setting, (fee,), timing.priced_after_years)
    for timing, paid in sales:
        lines += deflate_lines(setting, _sale_proceeds_lines(sheet, own, paid, timing), timing.priced_after_years)
    return tuple(lines)


def become(sheet: InputSheet, name: str) -> str:
    """The factor of the machine price on a later day: since today, or since its own day."""
    path = name.replace("_after_years", "_path")
    beside = f" * {path}" if path in sheet.used else ""
    if PRICED not in sheet.used:
        return f"{LATER} ** {name}{beside}"
    return f"{LATER} ** ({name} - {PRICED}){beside}{f' / {PRICED_PATH}' if beside else ''}"


def _refresh_timing(
    sheet: InputSheet, which: str, flag: str, of: str = "", left: str = "residual_share"
) -> _SaleTiming:
    name = f"{which}_price_after_years"
    return _SaleTiming(f"{become(sheet, name)} * {flag}", sheet.used[name].value, of, left)


def _sale_proceeds_lines(sheet: InputSheet, own: OwnInputs, price: str, timing: _SaleTiming) -> tuple[Line, ...]:
    """The proceeds of one sale: the agreed price, or the market price and the top-up of a guarantee."""
    if own.forward_residual_share is not None:
        how = f"-1 * {price} * forward_residual_share * {timing.when}"
        return (sheet.line(f"Resale{timing.of}", "resale", how, treatment="sale"),)
    sold, left = f"-1 * {price} * (1 - selling_cost_share)", timing.left
    shares = {"Resale": left}
    if HOST in sheet.used:
        shares = {"Resale, GPUs": f"(1 - {HOST}) * {left}", "Resale, hosts": f"{HOST} * host_residual_share"}
        left = " + ".join(shares.values())
    lines = tuple(
        sheet.line(f"{name}{timing.of}", "resale", f"{sold} * {share} * {timing.when}", treatment="sale")
        for name, share in shares.items()
    )
    if own.guaranteed_residual_share is None:
        return lines
    short = f"max({GUARANTEED} - (1 - selling_cost_share) * ({left}), 0)"
    how = f"-1 * {price} * {short} * {timing.when}"
    return (*lines, sheet.line(f"Paid up to the guarantee{timing.of}", "resale", how, treatment="sale"))


_MID_YEAR = 0.5  # when machines of a year were bought
_Ends = tuple[float, float, float]  # the cheap end for who keeps them, typical, the other


def relative_speed(catalogue: Catalogue, own: str | None, planned: str) -> float:
    """Return how much of a planned accelerator's work another does, by their dense rates; 1 where one is unknown."""
    chips = [catalogue.accelerators.get(key or "") for key in (own, planned)]
    rates = [each.newest.typical for it in chips if it and (each := it.bf16_dense_tflops or it.fp16_dense_tflops)]
    return rates[0] / rates[1] if len(rates) == len(chips) else 1.0


def existing_hardware(setting: PlanContext) -> ExistingHardware | None:
    """Return the machines that are there with what nobody entered filled in: their name, speed and worth."""
    kept = setting.scenario.kept
    if kept is None:
        return None
    filled: dict[str, object] = {}
    if kept.accelerator is not None and "label" not in kept.model_fields_set:
        filled["label"] = setting.catalogue.accelerator_label(kept.accelerator)
    if kept.relative_speed is None:
        own = existing_accelerator(setting.catalogue, kept) if kept.accelerator else None
        filled["relative_speed"] = relative_speed(setting.catalogue, own, setting.scenario.accelerator)
    for name, years in (("usd_today_if_sold", 0.0), ("usd_at_end", setting.scenario.years)):
        if getattr(kept, name) is None:
            worth = used_worth(setting, kept, years)
            filled[name] = 0.0 if worth is None else worth[1]
    return kept.model_copy(update=filled)


def used_worth(setting: PlanContext, kept: ExistingHardware, years: float) -> _Ends | None:
    """Return what all of them fetch after so many years, as used ones of their age; None without an age or a price."""
    bought = purchase_of_existing(setting, kept)
    chip = setting.catalogue.accelerators.get(bought.scenario.accelerator)  # none while any will do
    what = None if chip is None else machine(bought)
    ages = existing_ages(setting, kept)
    if ages is None or what is None or chip is None:
        return None
    price = what.price.newest.typical if what.price else what.estimate.typical if what.estimate else None
    if price is None:
        return None
    each = _new_usd(setting, chip, price / (what.accelerators if what.is_priced_whole else 1), years)
    low, typical, high = (
        float(kept.accelerators * each * used_share(age + years, chip.hardware_class, z))
        for age, z in zip(ages, (-Z80, 0.0, Z80), strict=True)
    )
    return low, typical, high


def existing_ages(setting: PlanContext, kept: ExistingHardware) -> _Ends | None:
    """Return the age in years of machines that are there: the oldest, typical, the youngest; None where it is unknown.

    Where no year is stated, they were bought between the release of the chip and the end of its sale.
    """
    today = _year(setting.day)
    if kept.bought_year is not None:
        return (max(today - kept.bought_year - _MID_YEAR, 0.0),) * 3
    key = existing_accelerator(setting.catalogue, kept) or setting.scenario.accelerator
    chip = setting.catalogue.accelerators.get(key)
    if chip is None or chip.launch_year is None:
        return None
    following, used = setting.catalogue.accelerators.get(chip.successor or ""), constants().used
    last = today if following is None or following.launch_year is None else following.launch_year
    oldest, youngest = max(today - chip.launch_year, 0.0), max(today - last - used.sold_beside_years, 0.0)
    return oldest, max(used.bought_age * oldest, youngest), youngest


def _year(day: date) -> float:
    return day.year + day.timetuple().tm_yday / 365.25


def _new_usd(setting: PlanContext, chip: Accelerator, usd: float, years: float) -> float:
    """Return the price of a new one of them after so many years. [USD]"""
    today, following = _year(setting.day), setting.catalogue.accelerators.get(chip.successor or "")
    product_age = 0.0 if chip.launch_year is None else max(today - chip.launch_year, 0.0)
    if chip.priced_used:
        usd /= float(used_share(constants().used.bought_age * product_age, chip.hardware_class))
    successor_in = None if following is None or following.launch_year is None else following.launch_year - today
    return float(np.asarray(new_price(usd, years, chip.hardware_class, 0.0, successor_in, product_age)))
