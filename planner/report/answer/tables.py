"""The answer as tables: every way, cash by year, what would turn it. The screen and the CSV show the same ones."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from planner.money.accounting.fiscal import periods
from planner.money.ledger import Ledger, Part
from planner.money.measures import cash_paid_usd, discounted_ledger
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import FOUND, BreakEven
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.notes import carbon_unit
from planner.report.answer.sensitivity import month_text
from planner.report.forms import scalar, scalar_reason
from planner.report.table import Table
from planner.scenario.base import MONTHS_PER_YEAR
from planner.study.measures import MEASURES, Measure, OptionResult, results_of
from planner.study.plan_any import CARDS_TO_OWN, affordable_cards, affordable_fleet

BUDGET_PAYS = "What the budget pays for"
Write = Callable[[float], str]
INPUTS: dict[str, tuple[str, Write]] = {
    "busy_share": ("Utilization, share of hours", words.percent),
    "usd_per_accelerator_hour": ("Rent per GPU-hour", words.usd_per_hour),
    "usd_per_kwh": ("Electricity, per kWh", words.usd_per_hour),
    "usd_per_server": ("Price of one server", words.usd),
    "usd_per_accelerator": ("Price of one GPU", words.usd),
    "capex_usd": ("All of day one", words.usd),
    "residual_share": ("Resale, share of the price", words.percent),
    "lead_time_months": ("Months until delivery", lambda months: f"{months:.1f}"),
    "hardware_price": ("Purchase price", words.usd),
    "month": ("Month in which it is paid back", lambda month: f"{math.ceil(month)}"),
}


def budget_table(answer: Answer) -> Table:
    """Return the most GPUs that the budget pays for, rented, reserved and owned; empty without one or with a task."""
    setting = answer.plan.setting
    scenario, usd, work = setting.written, setting.terms.budget_usd, setting.written.work[0]
    if usd is None or len(scenario.work) > 1 or work.has_task:
        return Table({})
    if work.stated_hours_per_month is not None:  # as busy as here, however many they are
        as_busy = {"people": None, "hours_per_person": None, "busy_share": work.effective_utilization}
        scenario = scenario.model_copy(update={"work": (work.model_copy(update=as_busy),)})
    ways = [way.option.way for way in answer.ranked]
    ways = [*[way for way in ways if WAYS[way].rents_machines][:2], *[way for way in ways if WAYS[way].owns][:1]]
    fleets = {
        WAYS[way].name: affordable_fleet(setting.catalogue, scenario, usd, setting.day, way) or (0, 0.0) for way in ways
    }
    if ways and WAYS[ways[-1]].owns and (scenario.accelerator in CARDS_TO_OWN or fleets[WAYS[ways[-1]].name][0] == 0):
        cards = affordable_cards(setting.catalogue, scenario, usd, setting.day)
        fleets |= {f"Buy {setting.catalogue.accelerator_label(chip)}": fleet for chip, fleet in cards.items()}
    return Table.of(
        {"Option": name, "GPUs": many, "Most cash out, USD": spent, "Left, USD": usd - spent}
        for name, (many, spent) in fleets.items()
    )


def options_table(answer: Answer) -> Table:
    """Every way with its measures, the lowest net present cost first."""
    results = tuple(results_of(answer.plan, answer))
    if not results:
        return Table({})
    columns = [_column(measure, results) for measure in MEASURES if measure.label]
    return Table.from_columns(
        {
            "Option": [it.way.option.title for it in results],
            **{name: numbers for name, numbers in columns if numbers is not None},
            "What": [it.way.option.what for it in results],
            "Total is": ["at least" if it.measures.unpriced else "complete" for it in results],
            "Notes": ["; ".join(_notes(it)) for it in results],
        }
    )


def _column(measure: Measure, results: Sequence[OptionResult]) -> tuple[str, list[float | None] | None]:
    """Its name and its cells; None where it is left out. Emissions are in tonnes where they are large."""
    numbers = [measure.number(it) for it in results]
    if measure.hides_empty and not any(number is not None for number in numbers):
        return measure.label, None
    label, each = measure.label, measure.shown_per
    if measure.unit == "kg":
        unit, each = carbon_unit(results[0].answer)
        label = f"{unit} {label}"
    return label, [None if number is None else number / each for number in numbers]


def _notes(it: OptionResult) -> Iterator[str]:
    """Yield warnings, unpriced parts, and the reason for a missing rate of return."""
    yield from it.way.option.warnings
    yield from (f"{name.lower()} not priced" for name in it.measures.unpriced)
    irr = it.measures.irr
    if not it.is_baseline and scalar(irr.value) is None:
        yield f"no rate of return ({scalar_reason(irr.reason)})"


def by_year(usd: NDArray[np.float64]) -> list[float]:
    """Today, then each year of twelve months; the last one may be shorter."""
    starts = range(1, len(usd), MONTHS_PER_YEAR)
    return [float(usd[0]), *(float(usd[start : start + MONTHS_PER_YEAR].sum()) for start in starts)]


def cash_table(answer: Answer, *, quarters: bool = False) -> Table:
    """Return the payments of each option by year, as bills fall due, and its totals plain and discounted to today."""
    rows, spans = [], periods(answer.plan.setting, quarters=quarters)
    for way in answer.ranked:
        usd = cash_paid_usd(way.option.ledger)
        years = spans.by_label(usd)
        total = {"Total cash": float(usd.sum()), "Net present cost, as entered": way.as_entered_usd}
        rows.append({"USD": way.option.title, **years, **total})
    return Table.of(rows)


def discounted_ledgers(plan: Plan, answer: Answer) -> list[Ledger]:
    """The ledgers of all ways in the money of the answer: each sums to what the answer says of it."""
    return [discounted_ledger(plan.setting, way.option.ledger) for way in answer.ranked]


def medians_beside(answer: Answer) -> tuple[str, ...]:
    """Return for each option what its lines sum to, and the median of its futures, which the cards show."""
    if answer.shares is None:
        return ()
    return tuple(
        f"The lines are as entered, each input at its typical value. The median of all futures is "
        f"{words.format_usd_short(way.present_usd)}."
        for way in answer.ranked
    )


def lines_table(plan: Plan, ledger: Ledger) -> Table:
    """The lines of one way by year, and what of their sum is paid: as `cash_table` shows it."""
    rows, spans = [], periods(plan.setting)
    for line in ledger.lines:
        usd = np.broadcast_to(line.usd, ledger.monthly_usd.shape)
        if np.any(usd != 0):  # also where it is not priced: nan is not 0
            rows.append(
                {"Line, USD": line.name, "Part": line.part, **spans.by_label(usd), "All years": float(usd.sum())}
            )
    sums = {"Total": np.asarray(ledger.monthly_usd)}
    if not all(line.is_cash for line in ledger.lines):
        sums["Of which is paid"] = cash_paid_usd(ledger)
    for name, usd in sums.items():
        rows.append({"Line, USD": name, "Part": "", **spans.by_label(usd), "All years": float(usd.sum())})
    return Table.of(rows)


def break_even_table(answer: Answer) -> Table:
    """For each input alone: where both ways cost the same, or why they never do."""
    rows = []
    for turn in answer.break_evens:
        label, write = INPUTS[turn.name]
        rows.append(
            {
                "If only this changed": label,
                "You": "" if turn.you is None else write(turn.you),
                "Both cost the same at": "–" if turn.value is None else write(turn.value),
                "Why": _reason(turn),
            }
        )
    return Table.of(rows)


def _reason(turn: BreakEven) -> str:
    if turn.value is None:
        return str(turn.reason)
    if turn.is_out_of_reach:
        return f"out of reach: queueing allows about {words.percent(turn.achievable or 0.0)}"
    return "" if turn.reason == FOUND else str(turn.reason)


def rent_change_table(answer: Answer) -> Table:
    """When buying pays back if rents fall or rise, discounted to today."""
    return Table.of(
        [
            {
                "Rents change a year by": f"{change * 100:+.0f}%" if change else "0%",
                "Pays back": "never" if month is None else month_text(back),
                "Why": "" if month is not None else scalar_reason(back.reason),
            }
            for change, back, _ in answer.payback_by_rent_change
            for month in (scalar(back.months),)
        ]
    )


def parts_table(ledgers: Sequence[Ledger]) -> Table:
    """Options as columns, parts as rows, and the totals below; only parts that somebody pays for."""
    rows = []
    for part in get_args(Part):
        amounts = [float(ledger.part_usd(part)) for ledger in ledgers]
        if any(amounts):
            rows.append([part, *amounts])
    rows.append(["total", *(float(ledger.total_usd) for ledger in ledgers)])
    return Table.listed(["Part, USD", *(ledger.title for ledger in ledgers)], rows)
