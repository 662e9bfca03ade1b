"""The discount rate from its parts: what owners want of equity, what lenders take after tax, by their shares.

References
----------
Modigliani, Miller: Corporate income taxes and the cost of capital, American Economic Review 53 (1963), 433-443.
Sharpe: Capital asset prices, Journal of Finance 19 (1964), 425-442. Hamada: The effect of the firm's capital structure
on the systematic risk of common stocks, Journal of Finance 27 (1972), 435-452 (the beta of debt is taken as 0).
"""

from typing import NamedTuple

from planner.money.ledger import COMPUTED, YOUR_INPUT, LedgerInput, Origin, ends_of, origin
from planner.scenario.terms import CapitalInputs
from pricing import Catalogue, Figure

RISK_FREE, PREMIUM, BETA, DEBT = "capital-risk-free", "capital-equity-premium", "capital-beta", "debt-corporate-bank"
TAX_SHARE = "corporate_tax_share"
_YEAR = "1/year"
# By the names of the parts.
HOW_BETA = "business_beta * (1 + (1 - capital_tax_share) * (1 - equity_share) / equity_share)"
HOW_EQUITY = "risk_free_per_year + equity_beta * equity_premium_per_year"
HOW = f"equity_share * ({HOW_EQUITY}) + (1 - equity_share) * debt_rate_per_year * (1 - capital_tax_share)"
_NOT_KNOWN = Origin("not known: no tax", "assumption")


class CapitalCost(NamedTuple):
    """The parts of a discount rate, and what follows from them."""

    parts: tuple[LedgerInput, ...]  # the beta of the equity last, as entered or as it follows from the business
    equity_per_year: float
    per_year: float


def capital_cost(catalogue: Catalogue, site: str, given: CapitalInputs) -> CapitalCost:
    """Return the cost of capital: each part as entered, else the catalogue's."""
    tax = catalogue.site_figure(site, TAX_SHARE)
    parts = {
        "equity_share": LedgerInput("equity_share", given.equity_share, "1", YOUR_INPUT),
        "risk_free_per_year": _fact(catalogue, RISK_FREE, given.risk_free_per_year),
        "equity_premium_per_year": _fact(catalogue, PREMIUM, given.equity_premium_per_year),
        "debt_rate_per_year": _fact(catalogue, DEBT, given.debt_rate_per_year),
        "capital_tax_share": _part(catalogue, "1", tax and tax[1], given.tax_share),
    }
    share, free, premium, debt, tax_share = (float(part.value) for part in parts.values())
    if given.beta is None:
        parts["business_beta"] = _fact(catalogue, BETA, None)
        levered = float(parts["business_beta"].value) * (1 + (1 - tax_share) * (1 - share) / share)
        parts["equity_beta"] = LedgerInput("equity_beta", levered, "1", COMPUTED)
    else:
        levered = given.beta
        parts["equity_beta"] = LedgerInput("equity_beta", levered, "1", YOUR_INPUT)
    equity = free + levered * premium
    named = tuple(part._replace(name=name) for name, part in parts.items())
    return CapitalCost(named, equity, share * equity + (1 - share) * debt * (1 - tax_share))


def _fact(catalogue: Catalogue, fact: str, yours: float | None) -> LedgerInput:
    return _part(catalogue, _YEAR if fact != BETA else "1", catalogue.facts[fact].figure, yours)


def _part(catalogue: Catalogue, unit: str, figure: Figure | None, yours: float | None) -> LedgerInput:
    if yours is not None:
        return LedgerInput("", yours, unit, YOUR_INPUT)
    if figure is None:
        return LedgerInput("", 0.0, unit, _NOT_KNOWN)
    return LedgerInput("", figure.newest.typical, unit, origin(catalogue, figure), ends_of(figure.newest))
