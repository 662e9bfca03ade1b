"""A portfolio in words and tables: the answer for all, what sharing saves, what each pays, and the demand by month."""

from typing import Any

import numpy as np

from planner.money.accounting.fiscal import month_days
from planner.money.chargeback import Rule
from planner.report import words
from planner.report.answer.side_by_side import scenario_differences
from planner.report.forms import bullet_list, join_sections
from planner.report.table import Table, text_table
from planner.report.title import title
from planner.study.portfolio import Portfolio, SharedFleet, best_of, other_terms

RULES: dict[Rule, str] = {
    "hours": "Each month is divided by the GPU-hours that each plan uses in it.",
    "peak": "Each month is divided by the most GPUs that each plan uses at once in it.",
}
_SPREADING = "What is bought counts evenly over the months, all else when it is paid; the largest takes the rounding."
_ALIKE_USD = 0.5  # net present costs that differ by less are the same
_MOST_FIELDS = 3


def fleet_name(fleet: SharedFleet) -> str:
    """Return the kind of GPU and the place of a fleet."""
    setting = fleet.plan.setting
    site = setting.catalogue.sites.get(setting.scenario.site)
    return f"{setting.scenario.accelerator}, {site.label if site else setting.scenario.site}"


def portfolio_title(portfolio: Portfolio) -> str:
    """Return what the company should do for all plans together."""
    titles = [title(fleet.answer) for fleet in portfolio.fleets]
    if len(titles) == 1:
        return titles[0]
    return " ".join(f"{fleet_name(fleet)}: {text}" for fleet, text in zip(portfolio.fleets, titles, strict=True))


def portfolio_sentences(portfolio: Portfolio, rule: Rule) -> tuple[str, ...]:
    """Return what sharing saves, and on which terms the fleets are calculated."""
    return (_saving(portfolio), *filter(None, map(_fleet_sentence, portfolio.fleets)), f"{RULES[rule]} {_SPREADING}")


def _saving(portfolio: Portfolio) -> str:
    plans = sum(len(fleet.members) for fleet in portfolio.fleets)
    shared, alone = portfolio.shared_usd, portfolio.alone_usd
    fleets = "One fleet" if len(portfolio.fleets) == 1 else words.count(len(portfolio.fleets), "fleet")
    costs = (
        f"{fleets} for all {plans} plans: {words.usd(shared)} net present cost; each on its own: {words.usd(alone)}."
    )
    saved = alone - shared
    if abs(saved) < _ALIKE_USD:
        return f"{costs} Sharing saves nothing."
    if saved < 0:
        return f"{costs} Sharing costs {words.usd(-saved)} more: keep them apart."
    return f"{costs} Sharing saves {words.usd(saved)}, {words.percent(saved / alone)}."


def _fleet_sentence(fleet: SharedFleet) -> str:
    """Return whose terms hold for a fleet, and which others differ; empty for a fleet of one plan."""
    if len(fleet.members) == 1:
        return f"“{fleet.lead.name}” shares with no other: none has {fleet_name(fleet)}."
    others = {}
    for name, own, terms in other_terms(fleet):
        fields = [path for path, _ in scenario_differences([own, terms])]
        others[name] = words.some(fields, _MOST_FIELDS)
    if not others:
        return ""
    listed = "; ".join(f"“{name}” {fields}" for name, fields in others.items())
    return f"Prices and terms are those of “{fleet.lead.name}”, the largest plan. Others have their own: {listed}."


def fleets_table(portfolio: Portfolio) -> Table:
    """Return each fleet with its option, what it costs, and what its plans cost without each other."""
    return Table.of(
        {
            "Fleet": fleet_name(fleet),
            "Plans": len(fleet.members),
            "Best option": fleet.best.option.title,
            "GPUs at once, most": fleet.plan.setting.demand.all.peak_accelerators,
            "Net present cost, USD": fleet.best.present_usd,
            "Each on its own, USD": fleet.alone_usd,
            "Saved, USD": fleet.alone_usd - fleet.best.present_usd,
            "Total cash, USD": float(np.asarray(fleet.best.measures.bills_usd)),
        }
        for fleet in portfolio.fleets
    )


def chargeback_rows(portfolio: Portfolio, rule: Rule) -> Table:
    """Return what each plan pays over the whole time, beside what it would pay alone."""
    return Table.of(
        {
            "Team": member.team,
            "Plan": member.name,
            "GPU-hours": float(hours.sum()),
            "GPUs at once, most": float(peaks.max()),
            "Pays, USD": int(cents.sum()) / 100,
            "Share": float(cents.sum() / total) if (total := fleet_cents.sum()) else 0.0,
            "Alone, USD": (own := float(np.asarray(best_of(alone).measures.bills_usd))),
            "Less than alone, USD": own - int(cents.sum()) / 100,
            "Alone": best_of(alone).option.title,
        }
        for fleet in portfolio.fleets
        for fleet_cents in [fleet.cents(rule)]
        for member, alone, cents, hours, peaks in zip(
            fleet.members, fleet.alone, fleet_cents, *fleet.demands, strict=True
        )
    )


def teams_table(portfolio: Portfolio, rule: Rule) -> Table:
    """Return what each team pays; a plan of no team stands for itself."""
    totals: dict[str, tuple[int, float, int]] = {}
    rows = chargeback_rows(portfolio, rule)
    for team, plan, hours, usd in zip(*map(rows.__getitem__, ("Team", "Plan", "GPU-hours", "Pays, USD")), strict=True):
        so_far = totals.get(team or plan, (0, 0.0, 0))
        totals[team or plan] = so_far[0] + 1, so_far[1] + hours, so_far[2] + round(usd * 100)
    columns = ("Team", "Plans", "GPU-hours", "Pays, USD")
    return Table.listed(columns, ([team, count, hours, cents / 100] for team, (count, hours, cents) in totals.items()))


def chargeback_by_month(portfolio: Portfolio, rule: Rule) -> Table:
    """Return one row for each plan and month: what it pays, to the cent."""

    def rows() -> Any:
        for fleet in portfolio.fleets:
            days = [day.isoformat() for day in month_days(fleet.plan.setting, fleet.plan.setting.timeline.last)]
            for member, cents, hours in zip(fleet.members, fleet.cents(rule), fleet.demands[0], strict=True):
                about = {"Team": member.team, "Plan": member.name, "Tags": ", ".join(member.tags)}
                for month, paid in enumerate(cents.tolist(), start=1):
                    when = {"Month": month, "From": days[month - 1], "Until": days[month]}
                    yield {**about, "Fleet": fleet_name(fleet), **when, "GPU-hours": float(hours[month]),
                           "Pays, USD": paid / 100, "Rule": rule}  # fmt: skip

    return Table.of(rows())


def demand_table(portfolio: Portfolio) -> Table:
    """Return the GPU-hours of each plan by month and fleet, their sum, and the most GPUs at once."""

    def rows() -> Any:
        for fleet in portfolio.fleets:
            hours, peak = fleet.demands[0], fleet.demands[1].sum(axis=0)
            for month in range(1, hours.shape[1]):
                by_plan = {
                    f"{member.name}, GPU-hours": float(of[month])
                    for member, of in zip(fleet.members, hours, strict=True)
                }
                yield {"Fleet": fleet_name(fleet), "Month": month, "GPU-hours": float(hours[:, month].sum()),
                       "GPUs at once, most": float(peak[month]), **by_plan}  # fmt: skip

    return Table.of(rows())


def portfolio_text(portfolio: Portfolio, rule: Rule) -> str:
    """Return all of it for a terminal."""
    return join_sections(
        [
            (portfolio_title(portfolio), bullet_list(portfolio_sentences(portfolio, rule))),
            ("Fleets", text_table(fleets_table(portfolio))),
            ("What each plan pays", text_table(chargeback_rows(portfolio, rule))),
            ("What each team pays", text_table(teams_table(portfolio, rule))),
        ]
    )


def portfolio_data(portfolio: Portfolio, rule: Rule) -> dict[str, Any]:
    """Return all of it as JSON holds it."""
    return {
        "title": portfolio_title(portfolio),
        "sentences": list(portfolio_sentences(portfolio, rule)),
        "rule": rule,
        "day": portfolio.day,
        "present_usd": portfolio.shared_usd,
        "alone_present_usd": portfolio.alone_usd,
        "fleets": fleets_table(portfolio).records(),
        "chargeback": chargeback_rows(portfolio, rule).records(),
        "teams": teams_table(portfolio, rule).records(),
        "demand": demand_table(portfolio).records(),
    }
