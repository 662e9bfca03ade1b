"""The accelerators that a study tries where none is named: what can be had, and is still served by its software."""

from dataclasses import replace

from planner.scenario.scenario import ANY_ACCELERATOR
from planner.study.market.candidate import Rejection
from planner.study.market.hours_needed import Task, WorkEstimate
from pricing import Catalogue
from pricing.caching import arguments, cached
from pricing.query import MILD
from pricing.records import Accelerator

_IN_WORKSTATION = 4  # cards
_PRICED = MILD | {"old"}  # doubts with which an offer has a price
_NOT_UNASKED = frozenset({"desktop"})  # hardware classes: Macs, small boxes, boards for devices


def usual_chips(catalogue: Catalogue, task: Task) -> tuple[str, ...]:
    """Return the chips to try: rented by somebody, of known memory, in life, for training with 16-bit brain floats.

    The chip that the plan names is among them, whatever it is.
    """
    trains, rented = task.work.train is not None, _rented(catalogue)
    return tuple(
        key
        for key, chip in catalogue.accelerators.items()
        if key == task.scenario.accelerator or (key in rented and is_usual(chip, trains=trains))
    )


def is_usual(chip: Accelerator, *, trains: bool) -> bool:
    """Return whether a chip is proposed to those who name none."""
    is_known = chip.memory_gb is not None and chip.kind not in ("cpu", "apple", "edge")
    in_life = chip.software_ended is None and not (trains and chip.without_bf16)
    return is_known and in_life and chip.hardware_class not in _NOT_UNASKED


def without_fabric(catalogue: Catalogue, task: Task, estimate: WorkEstimate) -> WorkEstimate:
    """Return an estimate, refused where one job would span several workstations that nobody named."""
    is_small = catalogue.accelerators[estimate.accelerator].hardware_class in ("consumer", "workstation")
    if estimate.why_not or not is_small or estimate.together <= _IN_WORKSTATION:
        return estimate
    if estimate.accelerator == task.scenario.accelerator:
        return estimate
    return replace(estimate, why_not=Rejection("no_network", f"a workstation holds {_IN_WORKSTATION}"))


@cached(2, same=arguments)
def _rented(catalogue: Catalogue) -> frozenset[str]:
    """Return the chips that somebody rents out at a price: a minimum bid is none."""
    priced = (offer for offer in catalogue.offers.values() if _PRICED.issuperset(offer.doubts))
    return frozenset(offer.accelerator for offer in priced) - {ANY_ACCELERATOR}
