"""The past of the prices: what was read when, and that the fall and the rise can both be seen."""

from datetime import date

from pricing.catalogue import Catalogue
from tests.pricing.test_rentals import price, priced, rents
from tests.rows import each_row


@each_row(("key", "past"), [
    ("aws/H100-SXM5-80GB/8x/us-east-1/on_demand", {date(2025, 6, 4): 12.29, date(2025, 6, 5): 6.88}),
    (
        "nebius/H100-SXM5-80GB/1x/all-regions/on_demand",
        {date(2026, 6, 1): 2.95, date(2026, 9, 30): 3.85, date(2026, 10, 1): 4.5},
    ),
    (
        "verda/H100-SXM5-80GB/1x/finland-iceland/on_demand",
        {date(2026, 5, 24): 2.29, date(2026, 8, 22): 3.25, date(2026, 10, 1): 3.627, date(2026, 10, 10): 3.928},
    ),
    (
        "runpod/H100-SXM5-80GB/1x/global/on_demand/secure-cloud",
        {date(2026, 5, 1): 3.29, date(2026, 7, 31): 2.99, date(2026, 10, 1): 3.49, date(2026, 11, 9): 3.99},
    ),
    ("digitalocean/H200-SXM-141GB/1x/not-stated/on_demand", {date(2026, 7, 31): 3.44, date(2026, 8, 22): 4.47}),
    ("coreweave/H100-SXM5-80GB/8x/north-america/on_demand", {date(2026, 7, 31): 6.155, date(2026, 10, 24): 6.155}),
    ("semianalysis/H100-SXM5-80GB/contract-1y", {date(2025, 10, 1): 1.70, date(2026, 3, 1): 2.35}),
    ("silicon-data/H100-80GB/neocloud", {date(2026, 3, 1): 2.46, date(2026, 7, 1): 2.67}),
])  # fmt: skip
def test_the_fall_and_the_rise_are_both_there(catalogue: Catalogue, key: str, past: dict[date, float]) -> None:
    figure = dict(rents(catalogue))[key]
    assert {day: figure.values[max(start for start in figure.values if start <= day)].typical for day in past} == past


def test_the_newest_readings_are_recent(catalogue: Catalogue) -> None:
    """Most prices were read in the last four months, and the H100 of every large provider in the last two."""
    today = date(2026, 11, 21)
    ages = {key: (today - max(figure.values)).days for key, _, figure in priced(catalogue)}
    assert sum(age <= 120 for age in ages.values()) > 0.6 * len(ages)
    for provider in ("azure", "coreweave", "crusoe", "lambda", "nebius", "runpod", "together", "verda"):
        of_hopper = [ages[k] for k, o, _ in priced(catalogue) if o.provider == provider and o.accelerator[:4] == "H100"]
        assert min(of_hopper) <= 60, provider


def test_readings_of_october_say_where_they_stand(catalogue: Catalogue) -> None:
    for key, figure in rents(catalogue):
        for value in figure.values.values():
            assert value.locator or not value.source.endswith(("october", "october_api", "september")), key


def test_verda_spot_and_on_demand_rose_together(catalogue: Catalogue) -> None:
    """Its spot prices of May, at a third of on demand, are the past; spot has been half of on demand since."""
    for accelerator in ("A100-SXM4-80GB", "B200-SXM-180GB", "H100-SXM5-80GB", "H200-SXM-141GB", "L40S-48GB"):
        of = {p: catalogue.offers[f"verda/{accelerator}/1x/finland-iceland/{p}"] for p in ("spot", "on_demand")}
        assert 0.4 < price(of["spot"]) / price(of["on_demand"]) < 0.65, accelerator


def test_a_droplet_of_eight_is_not_the_past_of_a_droplet_of_one(catalogue: Catalogue) -> None:
    """DigitalOcean's H100 costs less by the accelerator in the larger machine; that is no price rise."""
    of_one = catalogue.offers["digitalocean/H100-SXM5-80GB/1x/not-stated/on_demand"].usd_per_accelerator_hour
    assert of_one is not None
    assert 2.99 not in {value.typical for value in of_one.values.values()}
