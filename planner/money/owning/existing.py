"""Machines that are there already: which they are, how fast beside the plan's, and what they fetch, now and later."""

import numpy as np

from planner.money.owning.machine import machine
from planner.money.owning.place import existing_accelerator, purchase_of_existing
from planner.money.setting import PlanContext
from planner.scenario.own import ExistingHardware
from pricing.market.band import Z80
from pricing.market.constants import constants
from pricing.market.hardware import new_price, used_share
from pricing.records import Accelerator

_MID_YEAR = 0.5  # when machines of a year were bought
_Ends = tuple[float, float, float]  # the cheap end for who keeps them, typical, the other


def existing_hardware(setting: PlanContext) -> ExistingHardware | None:
    """Return the machines that are there with what nobody entered filled in: their name, speed and worth."""
    kept = setting.scenario.kept
    if kept is None:
        return None
    filled: dict[str, object] = {}
    if kept.accelerator is not None and "label" not in kept.model_fields_set:
        filled["label"] = setting.catalogue.accelerator_label(kept.accelerator)
    if kept.relative_speed is None:
        chips = setting.catalogue.accelerators
        own, planned = (
            None if key is None or key not in chips else chips[key].bf16_dense_tflops or chips[key].fp16_dense_tflops
            for key in (existing_accelerator(setting.catalogue, kept) if kept.accelerator else None,
                        setting.scenario.accelerator)
        )  # fmt: skip
        filled["relative_speed"] = own.newest.typical / planned.newest.typical if own and planned else 1.0
    for name, years in (("usd_today_if_sold", 0.0), ("usd_at_end", setting.scenario.years)):
        if getattr(kept, name) is None:
            worth = used_worth(setting, kept, years)
            filled[name] = 0.0 if worth is None else worth[1]
    return kept.model_copy(update=filled)


def used_worth(setting: PlanContext, kept: ExistingHardware, years: float) -> _Ends | None:
    """Return what all of them fetch after so many years, as used ones of their age; None without a year or a price."""
    bought = purchase_of_existing(setting, kept)
    chip = setting.catalogue.accelerators.get(bought.scenario.accelerator)  # none while any will do
    what = None if kept.bought_year is None or chip is None else machine(bought)
    if kept.bought_year is None or what is None or chip is None:
        return None
    price = what.price.newest.typical if what.price else what.estimate.typical if what.estimate else None
    if price is None:
        return None
    today = setting.day.year + setting.day.timetuple().tm_yday / 365.25
    age = max(today - kept.bought_year - _MID_YEAR, 0.0)
    each = _new_usd(setting, chip, price / (what.accelerators if what.is_priced_whole else 1), years, today)
    low, typical, high = (float(each * used_share(age + years, chip.hardware_class, z)) for z in (-Z80, 0.0, Z80))
    return kept.accelerators * low, kept.accelerators * typical, kept.accelerators * high


def _new_usd(setting: PlanContext, chip: Accelerator, usd: float, years: float, today: float) -> float:
    """Return the price of a new one of them after so many years. [USD]"""
    following = setting.catalogue.accelerators.get(chip.successor or "")
    product_age = 0.0 if chip.launch_year is None else max(today - chip.launch_year, 0.0)
    if chip.priced_used:
        usd /= float(used_share(constants().used.bought_age * product_age, chip.hardware_class))
    successor_in = None if following is None or following.launch_year is None else following.launch_year - today
    return float(np.asarray(new_price(usd, years, chip.hardware_class, 0.0, successor_in, product_age)))
