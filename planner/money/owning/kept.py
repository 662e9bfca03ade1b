"""What machines that are there already take to run, where nobody says: watts of their kind, people and space there."""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.input_sheet import Case, end
from planner.money.ledger import Origin
from planner.money.owning.machine import Machine, machine
from planner.money.owning.place import HOST_POWER, peak_kw
from planner.money.setting import Setting
from planner.scenario.own import Kept, Own
from pricing import Catalogue, Figure, PricingError, names

BUSY_SHARE, IDLE_SHARE = "power-share-training", "power-share-idle"
CARD_BUSY, CARD_IDLE = "card-power-busy", "card-power-idle"


@dataclass(frozen=True)
class KeptPower:
    """What one accelerator that is there draws with its share of the machine, and whose watts these are."""

    busy_w: float
    idle_w: float
    peak_kw: float  # of all of them
    origin: Origin


def kept_accelerator(catalogue: Catalogue, kept: Kept) -> str | None:
    """The accelerator that the label of the kept machines names, if it names one."""
    try:
        return names.accelerator(catalogue, kept.label)
    except PricingError:
        return None


def kept_power(setting: Setting, kept: Kept) -> KeptPower | None:
    """The watts of the machines that such accelerators stand in; None where nobody says what they draw."""
    there = _as_owned(setting, kept)
    what = machine(there)
    if what is None:
        return None
    busy_w, idle_w = (each_w(setting.catalogue, what, setting.case, is_busy=one) for one in (True, False))
    if not np.isfinite(busy_w + idle_w):
        return None
    said = Origin(what.label, "derived", note=f"filled in: {what.what}, as nobody says what they draw")
    return KeptPower(busy_w, idle_w, peak_kw(there, what, kept.accelerators), said)


def _as_owned(setting: Setting, kept: Kept) -> Setting:
    """A plan that would buy them, with nothing of yours but the place."""
    scenario = setting.scenario
    chip = kept_accelerator(setting.catalogue, kept) or scenario.accelerator
    own = Own(accelerators=kept.accelerators, place=scenario.own.place, spare_share=0.0)
    return replace(setting, scenario=scenario.model_copy(update={"accelerator": chip, "own": own}))


def each_w(catalogue: Catalogue, what: Machine, case: Case, *, is_busy: bool) -> float:
    """What one accelerator and its share of the machine draw; not-a-number where nobody says. [W]"""

    def fact(name: str) -> float:
        return _of(catalogue.facts[name].figure, case)

    measured = what.busy if is_busy else what.idle
    tdp_w = _of(what.tdp, case)
    if measured is not None and what.holds_cards:
        return _of(measured, case) / what.accelerators + tdp_w * fact(CARD_BUSY if is_busy else CARD_IDLE)
    if measured is not None:
        return _of(measured, case) / what.accelerators
    rated_w = tdp_w * fact(HOST_POWER) if what.power is None else _of(what.power, case) / what.accelerators
    return rated_w * fact(BUSY_SHARE if is_busy else IDLE_SHARE)


def _of(figure: Figure | None, case: Case) -> float:
    return float("nan") if figure is None else end(figure.newest, case)
