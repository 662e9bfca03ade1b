"""What making a machine emits, for each accelerator in it: as somebody reckoned it, else by its memory."""

from typing import NamedTuple

from planner.money.input_sheet import Case, end
from planner.money.owning.machine import Machine
from planner.money.setting import Setting
from pricing import Figure

BY_MEMORY, SERVER, WORKSTATION, LIFE = (
    "embodied-kg-per-gb", "embodied-server-without-accelerators", "embodied-workstation", "hardware-service-life"
)  # fmt: skip
IN_SERVER = 8  # accelerators of the server whose making is known
_LONGER_IS_LESS: dict[Case, Case] = {"low": "high", "typical": "typical", "high": "low"}


class Making(NamedTuple):
    """Kilograms of CO2 equivalent of one accelerator and of what it stands in; not-a-number where nobody knows."""

    accelerator_kg: float
    beside_kg: float  # its share of a server; of a workstation, the whole one
    by_machine: bool  # whether `beside_kg` is for the machine

    def each_kg(self, accelerators: int) -> float:
        """One accelerator with its share of a machine that holds so many."""
        return self.accelerator_kg + (self.beside_kg / accelerators if self.by_machine else self.beside_kg)


def making(setting: Setting, what: Machine, case: Case) -> Making:
    """What making one accelerator of the plan emits, at an end of the range."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if what.complete:  # a Mac is made whole
        return Making(_of(chip.embodied_kg if chip else None, case), 0.0, by_machine=True)
    own = None if chip is None else chip.embodied_kg
    kg = _of(own, case)
    if own is None and chip is not None and chip.memory_gb is not None and chip.kind in ("gpu", "asic"):
        kg = chip.memory_gb.newest.typical * _fact(setting, BY_MEMORY, case)
    if what.holds_cards:
        return Making(kg, _fact(setting, WORKSTATION, case), by_machine=True)
    return Making(kg, _fact(setting, SERVER, case) / IN_SERVER, by_machine=False)


def guessed(setting: Setting) -> str | None:
    """That making the accelerator is taken by its memory, where nobody has reckoned the part itself."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if chip is None or chip.embodied_kg is not None:
        return None
    if chip.whole_machine or chip.kind not in ("gpu", "asic"):
        return f"nobody says what making {chip.label} emits"
    return f"nobody has reckoned what making {chip.label} emits: taken by its memory, with a wider range"


def life_years(setting: Setting, case: Case) -> float:
    """How long a machine serves; the longer, the less of its making counts for an hour."""
    return _fact(setting, LIFE, _LONGER_IS_LESS[case])


def _fact(setting: Setting, fact: str, case: Case) -> float:
    return _of(setting.catalogue.facts[fact].figure, case)


def _of(figure: Figure | None, case: Case) -> float:
    return float("nan") if figure is None else end(figure.newest, case)
