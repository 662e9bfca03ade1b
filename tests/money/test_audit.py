"""An audit: whole plans calculated again from what was typed, month by month in plain loops, by nobody's formula.

Nothing here calls the program but `plan`. Every price is typed, so that no catalogue moves a figure.
"""

from typing import Any

import numpy as np
import pytest

from planner.money.measures import present_usd
from planner.money.plan import plan
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.owning import NOTHING

MACRS = (0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576)
WORK: dict[str, Any] = {"accelerators": 24, "busy_share": 0.7}
RENT: dict[str, Any] = {
    "usd_per_accelerator_hour": 2.4, "hours_per_session": 1.0, "usd_per_gb_month_of_disk": 0.0,
    "usd_per_gb_of_egress": 0.0,
}  # fmt: skip
OWN: dict[str, Any] = {
    **NOTHING, "usd_per_server": 250_000.0, "accelerators_per_server": 8, "rated_w_per_server": 10_200.0,
    "busy_power_share": 0.75, "idle_power_share": 0.3, "usd_per_kwh": 0.11, "power_price_change_per_year": 0.04,
    "pue": 1.3, "usd_per_kw_month": 160.0, "fte_per_accelerator": 0.01, "usd_per_fte_year": 190_000.0,
    "maintenance_share_per_year": 0.03, "insurance_share_per_year": 0.01, "residual_share": 0.25,
    "selling_cost_share": 0.08, "decommissioning_share": 0.01, "install_share": 0.02,
    "usd_per_accelerator_of_network": 1_500.0, "deposit_share": 0.3, "lead_time_months": 4.0,
}  # fmt: skip


def typed(years: float, **more: Any) -> dict[str, Any]:
    """A plan in which everything is typed."""
    terms = {"discount_rate_per_year": 0.09, "rent_change_per_year": -0.1, **more.pop("terms", {})}
    own = {**OWN, **more.pop("own", {})}
    return {"years": years, "work": (WORK,), "rent": RENT, "own": own, "terms": terms, **more}


class Books:
    """Cash by month, by what the tax books do with it."""

    def __init__(self, months: float) -> None:
        self.months, self.last = months, int(np.ceil(months - 1e-9))
        self.expense, self.capital, self.sale, self.financing = (np.zeros(self.last + 1) for _ in range(4))

    def share(self, month: int, first: float, end: float) -> float:
        """The part of a month that lies between two times."""
        return max(min(end, month, self.months) - max(first, month - 1), 0.0)

    def present(self, asked: dict[str, Any]) -> float:
        """All of it with tax, at 9 % a year, each month at its end."""
        flow = self.expense + self.capital + self.sale + self.financing
        tax = asked.get("tax")
        if tax:
            flow = flow + self.taxed(tax)
        rate = asked["terms"]["discount_rate_per_year"]
        return float(sum(usd / (1 + rate) ** (month / 12) for month, usd in enumerate(flow)))

    def taxed(self, tax: dict[str, Any]) -> np.ndarray:
        """Tax saved on costs and write-offs, tax on what is sold above its books; at each tax year's last month."""
        saved = np.zeros(self.last + 1)
        years = -(-self.last // 12)
        for year in range(years):
            inside = [month for month in range(self.last + 1) if max(month - 1, 0) // 12 == year]
            deducted = sum(self.expense[month] for month in inside)
            for month in range(self.last + 1):
                age = year - max(month - 1, 0) // 12
                if self.capital[month] and 0 <= age < len(MACRS):
                    deducted += MACRS[age] * self.capital[month]
            if year == years - 1:  # all is sold then: what is left in the books goes with it
                placed = [(max(month - 1, 0) // 12, usd) for month, usd in enumerate(self.capital) if usd]
                deducted += sum(usd * (1 - sum(MACRS[: years - first])) for first, usd in placed) + self.sale.sum()
            saved[min(12 * (year + 1), self.last)] -= tax["tax_share"] * deducted
        return saved


def rent(books: Books, asked: dict[str, Any], first: float, end: float, above: int = 0) -> None:
    """All the work rented between two times, or what lies above a fleet of so many."""
    for month in range(1, books.last + 1):
        usd = asked["rent"]["usd_per_accelerator_hour"] * (1 + asked["terms"]["rent_change_per_year"]) ** (
            (month - 1) / 12
        )
        hours = max(WORK["accelerators"] - above, 0) * WORK["busy_share"] * 730
        books.expense[month] += hours * usd * books.share(month, first, end)


def owns(books: Books, asked: dict[str, Any], *, cash: bool = True, servers: int = 3, month: int = 0) -> float:
    """Servers of eight, ordered in a month, from their delivery to the sale; their price."""
    own = asked["own"]
    lead = month + own["lead_time_months"]
    price = servers * own["usd_per_server"] * (1 + own["hardware_price_change_per_year"]) ** (month / 12)
    there = int(np.ceil(lead))
    if cash:
        books.capital[month] += price * own["deposit_share"]
        books.capital[there] += price * (1 - own["deposit_share"])
        books.sale[books.last] -= price * own["residual_share"] * (1 - own["selling_cost_share"])
    books.capital[there] += price * own["install_share"] + 8 * servers * own["usd_per_accelerator_of_network"]
    books.expense[books.last] += price * own["decommissioning_share"]
    kw = servers * own["rated_w_per_server"] / 1000
    for now in range(1, books.last + 1):
        part = books.share(now, lead, books.months)
        kwh = own["usd_per_kwh"] * (1 + own["power_price_change_per_year"]) ** ((now - 1) / 12) * own["pue"] * 730
        busy = WORK["busy_share"]
        drawn = kw * (own["busy_power_share"] * busy + own["idle_power_share"] * (1 - busy))
        upkeep = price * (own["maintenance_share_per_year"] + own["insurance_share_per_year"]) / 12
        people = 8 * servers * own["fte_per_accelerator"] * own["usd_per_fte_year"] / 12
        books.expense[now] += (drawn * kwh + kw * own["usd_per_kw_month"] + upkeep + people) * part
    return float(price)


def bought(books: Books, asked: dict[str, Any]) -> float:
    """All three at once, everything rented until they come; their price."""
    rent(books, asked, 0.0, asked["own"]["lead_time_months"])
    return owns(books, asked)


def in_orders(books: Books, asked: dict[str, Any]) -> None:
    """One server today, two after a year and a half; what is not there yet is rented."""
    lead = asked["own"]["lead_time_months"]
    owns(books, asked, servers=1)
    owns(books, asked, servers=2, month=18)
    rent(books, asked, 0.0, lead)
    rent(books, asked, lead, 18 + lead, above=8)


def borrowed(books: Books, asked: dict[str, Any], price: float) -> None:
    """Four fifths lent on delivery for 36 months at 8 %, a fifth of it a last payment."""
    loan, there = asked["loan"], int(np.ceil(asked["own"]["lead_time_months"]))
    lent, monthly, months = price * loan["loan_share"], 1.08 ** (1 / 12) - 1, round(12 * loan["years"])
    last = lent * loan["balloon_share"]
    level = (lent - last / (1 + monthly) ** months) * monthly / (1 - (1 + monthly) ** -months)
    owed = lent
    books.financing[there] -= lent
    for month in range(there + 1, there + months + 1):
        interest = owed * monthly
        books.expense[month] += interest
        books.financing[month] += level - interest
        owed -= level - interest
    assert owed == pytest.approx(last)
    books.financing[there + months] += owed


def leased(books: Books, asked: dict[str, Any], price: float) -> None:
    """Paid in advance for 36 months at 10 %, then bought for 15 % of the price and sold at the end."""
    own, lease, there = asked["own"], asked["lease"], int(np.ceil(asked["own"]["lead_time_months"]))
    monthly, months = 1.1 ** (1 / 12) - 1, round(12 * lease["years"])
    annuity = sum((1 + monthly) ** -number for number in range(months))
    level = price * (1 - lease["left_share"] / (1 + monthly) ** months) / annuity
    books.expense[there : there + months] += level
    books.capital[there + months] += price * lease["left_share"]
    books.sale[books.last] -= price * own["residual_share"] * (1 - own["selling_cost_share"])


def expected(asked: dict[str, Any], way: str) -> float:
    books = Books(12 * asked["years"])
    if way == "on_demand":
        rent(books, asked, 0.0, books.months)
    elif asked["own"].get("orders"):
        in_orders(books, asked)
    elif way == "own":
        bought(books, asked)
    elif way == "loan":
        borrowed(books, asked, bought(books, asked))
    else:
        rent(books, asked, 0.0, asked["own"]["lead_time_months"])
        leased(books, asked, owns(books, asked, cash=False))
    return books.present(asked)


STAGED = {"orders": ({"accelerators": 8}, {"accelerators": 16, "month": 18}), "hardware_price_change_per_year": -0.2}
TAX = {"tax_share": 0.25, "schedule": "macrs-5-half-year"}
LOAN = {"rate_per_year": 0.08, "years": 3.0, "loan_share": 0.8, "balloon_share": 0.2}
LEASE = {"rate_per_year": 0.1, "years": 3.0, "left_share": 0.15, "buys_at_end": True}
PLANS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "four years, delivered after four months": (typed(4.0), ("own", "on_demand")),
    "a last month cut short, a delivery within a month": (
        typed(2.21, own={"lead_time_months": 2.5}),
        ("own", "on_demand"),
    ),
    "with tax, written off over five years": (typed(4.0, tax=TAX), ("own", "on_demand")),
    "sold before all of it is written off": (typed(3.0, tax=TAX), ("own", "on_demand")),
    "on credit with a large last payment": (typed(4.0, loan=LOAN), ("own", "loan")),
    "on credit, interest deducted": (typed(4.0, loan=LOAN, tax=TAX), ("loan",)),
    "leased, bought after it": (typed(4.0, lease=LEASE), ("lease", "on_demand")),
    "in two orders, prices falling": (typed(5.0, own=STAGED), ("own",)),
    "in two orders, with tax": (typed(5.0, own=STAGED, tax=TAX), ("own",)),
}


@pytest.mark.parametrize(("asked", "way"), [
    pytest.param(asked, way, id=f"{name}: {way}") for name, (asked, ways) in PLANS.items() for way in ways
])  # fmt: skip
def test_a_plan_is_what_a_plain_loop_over_its_months_finds(asked: dict[str, Any], way: str) -> None:
    found = plan(load_catalogue(), Scenario.model_validate(asked), DAY)
    option = found.option(way)
    assert float(present_usd(found.setting, option.ledger)) == pytest.approx(expected(asked, way), rel=1e-9)
