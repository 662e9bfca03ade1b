"""How 27 countries write servers off: the tables that ship, against the rates and the days that were read."""

from datetime import date

import pytest

from planner.money.tax import schedule_in_use
from planner.scenario.terms import TaxInputs
from pricing import Catalogue
from tests.frozen import live_catalogue
from tests.money.owning import EIGHTY, scenario, setting
from tests.rows import each_row

DAY = date(2026, 11, 27)
THIRDS = (0.3333, 0.3333, 0.3334)
# By the letters of a country: the schedule that a plan starts from, with its shares, or the share of what is left.
USUAL: dict[str, tuple[str, tuple[float, ...] | float]] = {
    "US": ("bonus-100", (1.0,)), "GB": ("gb-full-expensing", (1.0,)), "DE": ("de-straight-line-3", THIRDS),
    "FR": ("fr-straight-line-4", (0.25,) * 4), "NL": ("nl-straight-line-5", (0.2,) * 5),
    "ES": ("es-straight-line-4", (0.25,) * 4), "SE": ("se-books", (0.3, 0.21, 0.147, 0.143, 0.2)),
    "NO": ("no-declining-30", 0.3), "DK": ("dk-declining-25", 0.25), "FI": ("fi-declining-25", 0.25),
    "IE": ("ie-straight-line-8", (0.125,) * 8), "CH": ("ch-declining-40", 0.4), "AT": ("at-straight-line-3", THIRDS),
    "CA": ("ca-class-50", 0.55), "MX": ("mx-straight-line", (0.3, 0.3, 0.3, 0.1)),
    "JP": ("jp-declining-5", (0.4, 0.24, 0.144, 0.108, 0.108)), "CN": ("cn-straight-line-3", THIRDS),
    "IN": ("in-declining-40", 0.4), "SG": ("sg-one-year", (1.0,)), "MY": ("my-ict", (0.6, 0.2, 0.2)),
    "ID": ("id-straight-line-4", (0.25,) * 4), "TH": ("th-straight-line-3", THIRDS),
    "AU": ("au-prime-cost-4", (0.25,) * 4), "ZA": ("za-straight-line-5", (0.2,) * 5),
    "IL": ("il-straight-line-4", (0.25,) * 4), "TR": ("tr-straight-line-4", (0.25,) * 4),
}  # fmt: skip
# What else may be named there.
OTHERS: dict[str, tuple[float, ...] | float] = {
    "macrs-5-half-year": (0.20, 0.32, 0.192, 0.1152, 0.1152, 0.0576),
    "macrs-5-mid-quarter-1": (0.35, 0.26, 0.156, 0.1101, 0.1101, 0.0138),
    "macrs-5-mid-quarter-2": (0.25, 0.30, 0.18, 0.1137, 0.1137, 0.0426),
    "macrs-5-mid-quarter-3": (0.15, 0.34, 0.204, 0.1224, 0.113, 0.0706),
    "macrs-5-mid-quarter-4": (0.05, 0.38, 0.228, 0.1368, 0.1094, 0.0958),
    "gb-main-pool": 0.14, "gb-main-pool-2025": 0.18, "gb-investment-allowance": (1.0,), "de-one-year": (1.0,),
    "de-declining-30": 0.3, "at-declining-30": 0.3, "ca-immediate": (1.0,), "jp-straight-line-5": (0.2,) * 5,
    "sg-three-years": THIRDS, "id-declining-4": (0.5, 0.25, 0.125, 0.125), "au-diminishing-4": 0.5,
}  # fmt: skip


def is_as_read(shares: tuple[float, ...], read: tuple[float, ...] | float) -> bool:
    """Return whether shares are those read; of a rate, that much of what is left until the last year takes the rest."""
    if isinstance(read, tuple):
        return shares == pytest.approx(read)
    return shares[:-1] == pytest.approx([read * (1 - read) ** year for year in range(len(shares) - 1)], abs=1e-6)


@each_row("country", USUAL)
def test_a_plan_starts_from_the_usual_table_of_its_country(country: str) -> None:
    catalogue = live_catalogue()
    key, read = USUAL[country]
    usual = [name for name, schedule in catalogue.schedules.items() if schedule.is_usual(country, DAY)]
    assert usual == [key]
    assert is_as_read(catalogue.schedules[key].shares_by_year, read)
    assert not any(schedule.is_usual(country, date(2026, 11, 25)) for schedule in catalogue.schedules.values())


def test_other_tables_are_as_read_and_saudi_arabia_counts_half_of_what_is_new() -> None:
    schedules = live_catalogue().schedules
    for key, read in OTHERS.items():
        assert is_as_read(schedules[key].shares_by_year, read), key
    assert schedules["sa-declining-25"].shares_by_year[:3] == pytest.approx((0.125, 0.21875, 0.1640625), abs=1e-6)
    assert len({schedule.jurisdiction for schedule in schedules.values()}) > 25


def test_every_table_has_a_source_that_was_read_and_a_law_has_its_days() -> None:
    catalogue: Catalogue = live_catalogue()
    for key, schedule in catalogue.schedules.items():
        assert catalogue.sources[schedule.source].url, key
        if schedule.usual_from is not None:
            assert schedule.valid_from is None or schedule.valid_from <= schedule.usual_from, key


def test_a_state_has_the_table_of_its_country_and_a_name_wins() -> None:
    catalogue = live_catalogue()
    here = setting(scenario(EIGHTY, site="US-TX"))
    there = type(here)(catalogue, here.scenario, DAY)
    assert schedule_in_use(there, TaxInputs()).label == catalogue.schedules["bonus-100"].label
    named = TaxInputs(schedule="macrs-5-half-year")
    assert schedule_in_use(there, named) is catalogue.schedules["macrs-5-half-year"]
    unknown = type(here)(catalogue, scenario(EIGHTY, site="KR"), DAY)
    assert schedule_in_use(unknown, TaxInputs()) is catalogue.schedules["straight-line-5-half-year"]
