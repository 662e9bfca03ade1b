"""What machines cost later, new and used: one process for a model and its vintage, and rents hold it.

A used machine never costs more than its share of a new one on the same day, and never more than it can still earn.
"""

import numpy as np
from numpy.typing import NDArray

from pricing.finance import HardwareClass
from pricing.market.constants import constants

Num = float | NDArray[np.float64]


def new_price(
    usd: Num,
    years: Num,
    machine: HardwareClass,
    z: Num = 0.0,
    successor_in: float | None = None,
    product_age: Num = 0.0,
) -> Num:
    """Return the price of a new one of the same product after so many years. [USD] `z`: deviations of its path."""
    drift = np.exp(constants().hardware[machine].drift * np.asarray(years, dtype=np.float64))
    beside = path_factor(years, machine, z) * generation_factor(years, machine, successor_in, product_age)
    return np.asarray(usd * drift * beside)


def path_factor(years: Num, machine: HardwareClass, z: Num) -> Num:
    """Return how far the price of a new one has left its usual path. [1] `z`: in standard deviations."""
    return np.exp(z * constants().hardware[machine].spread * np.sqrt(np.asarray(years, dtype=np.float64)))


def generation_factor(years: Num, machine: HardwareClass, successor_in: float | None, product_age: Num) -> Num:
    """Return what the successor and the age of the product take off its price from today on. [1]"""
    known, late_from = constants().hardware[machine], constants().used.late_from_years
    years = np.asarray(years, dtype=np.float64)
    step = 0.0
    if successor_in is not None:
        step = known.step * (np.clip(years - successor_in, 0, 1) - np.clip(-successor_in, 0, 1))
    old = np.maximum(product_age + years - late_from, 0) - np.maximum(np.asarray(product_age) - late_from, 0)
    return np.exp(step + known.late * old)


def used_share(age_years: Num, machine: HardwareClass, z: Num = 0.0) -> Num:
    """Return the price of a used one over a new one of the same product on the same day. [1]"""
    known, used = constants().hardware[machine], constants().used
    age = np.asarray(age_years, dtype=np.float64)
    settled = 1 - np.exp(-age / used.settling_years)
    share = np.exp(known.gap * settled + known.slope * age + z * used.spread * settled)
    return np.minimum(share, np.where(age > 0, used.most_of_new, 1.0))
