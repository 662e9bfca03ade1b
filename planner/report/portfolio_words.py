"""A portfolio in words and tables: the answer for all, what sharing saves, what each pays, and the demand by month."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from planner.money.accounting.fiscal import month_days
from planner.money.chargeback import Rule
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.side_by_side import scenario_differences
from planner.report.forms import bullet_list, join_sections
from planner.report.table import Table, text_table
from planner.report.title import title
from planner.study.portfolio import PortfolioPlan, SharedFleet, best_of, other_terms, portfolio
from pricing import Catalogue

RULES: dict[Rule, str] = {
    "hours": "Each month is divided by the GPU-hours that each plan uses in it.",
    "peak": "Each month is divided by the most GPUs that each plan uses at once in it.",
}
_SPREADING = (
    "Purchases are spread evenly over the months, all other costs fall when paid; the largest share takes the rounding."
)
_NONE_SHARED = "No two of these plans share a fleet."
_APART = "Keep the plans apart: each on its own costs less."
_ALIKE_USD = 0.5  # net present costs that differ by less are the same
_MOST_FIELDS = 3
Fleets = tuple[SharedFleet, ...]


def fleet_name(fleet: SharedFleet) -> str:
    """Return the kind of GPU and the place of a fleet."""
    setting = fleet.plan.setting
    name = f"{setting.scenario.accelerator}, {setting.catalogue.sites[setting.scenario.site].label}"
    return name if fleet.members[1:] else f"{name}: {fleet.members[0].name}"


def portfolio_title(fleets: Fleets) -> str:
    """Return what the company should do for all plans together."""
    titles = {
        fleet_name(fleet): _APART if fleet.alone_usd < fleet.best.present_usd - _ALIKE_USD else title(fleet.answer)
        for fleet in fleets
        if fleet.members[1:]
    }
    if len(titles) > 1:
        return " ".join(f"{name}: {text}" for name, text in titles.items())
    return next(iter(titles.values()), _NONE_SHARED)


def portfolio_sentences(fleets: Fleets, rule: Rule) -> tuple[str, ...]:
    """Return what sharing saves, and on which terms the fleets are calculated."""
    terms = filter(None, map(_fleet_sentence, fleets))
    return (
        " ".join((*_best_options(fleets), _saving(fleets))),
        *terms,
        f"{RULES[rule]} {_SPREADING}",
        *_pay_more(fleets, rule),
    )


def _best_options(fleets: Fleets) -> Iterator[str]:
    for fleet in fleets:
        if fleet.members[1:]:
            place = f" {fleet_name(fleet)}:" if fleets[1:] else ""
            most = words.count(fleet.plan.setting.demand.all.peak_accelerators, "GPU")
            yield f"Best for all:{place} {fleet.best.option.title}, for {most} at once at most."


def _pay_more(fleets: Fleets, rule: Rule) -> Iterator[str]:
    """Yield who pays more of a shared fleet than alone, which an even price of an hour can bring."""
    for row in chargeback_rows(fleets, rule).records():
        if row["Less than alone, USD"] < -_ALIKE_USD:
            more = words.usd(-row["Less than alone, USD"])
            yield f"“{row['Plan']}” pays {more} more than alone ({row['Alone, best']}): agree on its share."


def _saving(fleets: Fleets) -> str:
    plans = sum(len(fleet.members) for fleet in fleets)
    shared, alone = _present_usd(fleets)
    count = "One fleet" if len(fleets) == 1 else words.count(len(fleets), "fleet")
    costs = f"{count} for all {plans} plans: {words.usd(shared)} net present cost; each on its own: {words.usd(alone)}."
    saved = alone - shared
    if abs(saved) < _ALIKE_USD:
        return f"{costs} Sharing saves nothing."
    if saved < 0:
        return f"{costs} Sharing costs {words.usd(-saved)} more."
    return f"{costs} Sharing saves {words.usd(saved)}, {words.percent(saved / alone)}."


def _present_usd(fleets: Fleets) -> tuple[float, float]:
    """Return the net present cost of shared fleets, and of the plans without each other."""
    return sum(fleet.best.present_usd for fleet in fleets), sum(fleet.alone_usd for fleet in fleets)


def _fleet_sentence(fleet: SharedFleet) -> str:
    """Return whose terms hold for a fleet, and which others differ; empty for a fleet of one plan."""
    if len(fleet.members) == 1:
        by_token = WAYS[fleet.best.option.way].is_billed_by_token
        why = "is cheapest by the token" if by_token else "has no other of its GPU and place"
        return f"“{fleet.members[0].name}” shares no fleet: it {why}."
    others = {}
    for name, own, terms in other_terms(fleet):
        fields = [path for path, _ in scenario_differences([own, terms])]
        others[name] = words.some(fields, _MOST_FIELDS)
    if not others:
        return ""
    listed = "; ".join(f"“{name}” {fields}" for name, fields in others.items())
    return f"Prices and terms are those of “{fleet.lead.name}”, the largest plan. Others have their own: {listed}."


def fleets_table(fleets: Fleets) -> Table:
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
        for fleet in fleets
    )


def chargeback_rows(fleets: Fleets, rule: Rule) -> Table:
    """Return what each plan pays over the whole time, beside what it would pay alone."""
    return Table.of(
        {
            "Team": member.team,
            "Plan": member.name,
            "Pays, USD": int(cents.sum()) / 100,
            "Share of the fleet": float(cents.sum() / total) if (total := fleet_cents.sum()) else 0.0,
            "Alone, USD": (own := float(np.asarray(best_of(alone).measures.bills_usd))),
            "Less than alone, USD": round(own, 2) - int(cents.sum()) / 100,
            "Alone, best": best_of(alone).option.title,
            "GPU-hours": float(hours.sum()),
            "GPUs at once, most": float(peaks.max()),
        }
        for fleet in fleets
        for fleet_cents in [fleet.cents(rule)]
        for member, alone, cents, hours, peaks in zip(
            fleet.members, fleet.alone, fleet_cents, *fleet.demands, strict=True
        )
    )


def teams_table(rows: Table) -> Table:
    """Return what each team pays for its plans; a plan of no team stands for itself."""
    teams: dict[str, list[dict[str, Any]]] = {}
    for row in rows.records():
        teams.setdefault(row["Team"] or row["Plan"], []).append(row)
    sums = ("Pays, USD", "Alone, USD", "Less than alone, USD", "GPU-hours")
    return Table.of(
        {"Team": team, "Plans": len(plans), **{name: round(sum(plan[name] for plan in plans), 2) for name in sums}}
        for team, plans in teams.items()
    )


def chargeback_by_month(fleets: Fleets, rule: Rule) -> Table:
    """Return one row for each plan and month: what it pays, to the cent."""

    def rows() -> Any:
        for fleet in fleets:
            days = [day.isoformat() for day in month_days(fleet.plan.setting, fleet.plan.setting.timeline.last)]
            for member, cents, hours in zip(fleet.members, fleet.cents(rule), fleet.demands[0], strict=True):
                about = {"Team": member.team, "Plan": member.name, "Tags": ", ".join(member.tags)}
                for month, paid in enumerate(cents.tolist(), start=1):
                    when = {"Month": month, "From": days[month - 1], "Until": days[month]}
                    yield {**about, "Fleet": fleet_name(fleet), **when, "GPU-hours": float(hours[month]),
                           "Pays, USD": paid / 100, "Rule": rule}  # fmt: skip

    return Table.of(rows())


def demand_table(fleets: Fleets) -> Table:
    """Return the GPU-hours of each plan by month and fleet, their sum, and the most GPUs at once."""

    def rows() -> Any:
        for fleet in fleets:
            hours, peak = fleet.demands[0], fleet.demands[1].sum(axis=0)
            for month in range(1, hours.shape[1]):
                by_plan = {
                    f"{member.name}, GPU-hours": float(of[month])
                    for member, of in zip(fleet.members, hours, strict=True)
                }
                yield {"Fleet": fleet_name(fleet), "Month": month, "GPU-hours": float(hours[:, month].sum()),
                       "GPUs at once, most": float(peak[month]), **by_plan}  # fmt: skip

    return Table.of(rows())


class PortfolioReport(NamedTuple):
    """A portfolio in words and tables, its costs divided by one rule."""

    title: str
    sentences: tuple[str, ...]
    tables: dict[str, Table]


def portfolio_report(fleets: Fleets, rule: Rule) -> PortfolioReport:
    """Return the words and tables of a portfolio."""
    rows = chargeback_rows(fleets, rule)
    tables = {"fleets": fleets_table(fleets), "chargeback": rows, "teams": teams_table(rows),
              "months": chargeback_by_month(fleets, rule), "demand": demand_table(fleets)}  # fmt: skip
    return PortfolioReport(portfolio_title(fleets), portfolio_sentences(fleets, rule), tables)


def portfolio_reports(
    facts: Catalogue, members: Sequence[PortfolioPlan], day: date
) -> dict[Rule, tuple[PortfolioReport, bytes]]:
    """Return a portfolio by each rule, with its chargeback in FOCUS."""
    from planner.report.files.focus import chargeback_table, focus_bytes  # only for its file

    fleets = portfolio(facts, members, day)
    return {
        rule: (portfolio_report(fleets, rule), focus_bytes(chargeback_table(fleets, rule, "1.4"), ".csv"))
        for rule in RULES
    }


def portfolio_text(report: PortfolioReport) -> str:
    """Return a portfolio for a terminal."""
    heads = {"fleets": "Fleets", "chargeback": "What each plan pays", "teams": "What each team pays"}
    tables = ((head, text_table(report.tables[name])) for name, head in heads.items())
    return join_sections([(report.title, bullet_list(report.sentences)), *tables])


def portfolio_data(fleets: Fleets, report: PortfolioReport, rule: Rule) -> dict[str, Any]:
    """Return a portfolio as JSON holds it."""
    shared, alone = _present_usd(fleets)
    return {
        "title": report.title, "sentences": list(report.sentences), "rule": rule, "day": fleets[0].plan.setting.day,
        "present_usd": shared, "alone_present_usd": alone,
        **{name: table.records() for name, table in report.tables.items()},
    }  # fmt: skip
