"""What files say of a plan: JSON, results, payments and assumptions as CSV, the rows of a sweep."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planner.scenario.base import MONTHS_PER_YEAR
from planner.study.measures import MEASURES
from tests.crawl.figures import CENT, PLAN, Figures

Titles = Mapping[str, str]  # of options by their keys
_MONTH_FIGURES = ("present_usd", "worth_usd", "saved_on_machines_usd", "rent_meanwhile_usd")


def rows_of(data: bytes | str) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    text = data if isinstance(data, str) else data.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def read_years(figures: Figures, option: str, usd: Sequence[float | None], where: str) -> None:
    """Note what an option pays today and in each year."""
    for year, paid in enumerate(usd):
        figures.add(option, f"paid in year {year}", paid, where, CENT)


def read_lines(
    figures: Figures, option: str, lines: Iterable[tuple[str, float | None]], where: str, kind: str = "line"
) -> None:
    """Note what each line of an option comes to; lines of one name together."""
    sums = Counter[str]()
    for name, usd in lines:
        sums[name] += usd or 0.0  # type: ignore[assignment]
    for name, usd in sums.items():
        if abs(usd) >= CENT:
            figures.add(option, f"{kind}: {name}", usd, where, CENT)


def read_document(figures: Figures, document: dict[str, Any], titles: Titles, where: str) -> None:
    """Note an answer as JSON."""
    figures.say("title", document["title"])
    for option in document["options"]:
        _read_option(figures, option, titles[option["key"]], where)
    for even in document["break_evens"]:
        if even["name"] != "month":
            figures.add(PLAN, f"even {even['name']}", even["value"], where)
            figures.add(PLAN, f"entered {even['name']}", even["you"], where)
    first = titles.get(document["compared"][0], "") if document["compared"] else ""
    for change in document["rent_changes"]:
        name = f"rents {change['change_per_year']:+.0%}"
        figures.add(first, f"{name} payback", change["payback_discounted_months"], where)
    for input_ in (document["futures"] or {}).get("inputs", ()):
        for end in ("low", "typical", "high"):
            figures.add(PLAN, f"drawn {input_['name']} {end}", input_[end], where)
    _read_studies(figures, document, titles, where)


def _read_option(figures: Figures, option: dict[str, Any], title: str, where: str) -> None:
    for measure in MEASURES:
        cells = option.get(measure.part, {}) if measure.part else option
        figures.add(title, measure.name, cells.get(measure.name), where)
    figures.add(title, "hours", option["useful_accelerator_hours"], where)
    read_years(figures, title, option["cash_by_year_usd"], where)
    read_lines(figures, title, ((line["name"], line["total_usd"]) for line in option["lines"]), where)


def _read_studies(figures: Figures, document: dict[str, Any], titles: Titles, where: str) -> None:
    """Note when to buy, and the answer in other numbers."""
    for month in (document["waiting"] or {}).get("months", ()):
        for name in _MONTH_FIGURES:
            figures.add(PLAN, f"order in month {month['month']} {name}", month[name], where, CENT)
    also = document["also"] or {}
    for number in also.get("numbers", ()):
        figures.add(PLAN, f"also: {number['label']}", number["value"], where)
    for point in also.get("use_and_years", ()):
        figures.add(PLAN, f"even use over {point['years']:g} years", point["busy_share"], where)


def read_results(figures: Figures, rows: Iterable[dict[str, str]], titles: Titles, where: str) -> None:
    """Note the measures of each option."""
    for row in rows:
        for measure in MEASURES:
            if row.get(measure.name):
                figures.add(titles[row["option"]], measure.name, float(row[measure.name]), where, CENT)


def read_payments(figures: Figures, rows: Iterable[dict[str, str]], titles: Titles, where: str) -> None:
    """Note the sums of the payments: by year, by line, by part, all of them, and discounted to today."""
    by_option: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_option.setdefault(titles[row["option"]], []).append(row)
    for title, payments in by_option.items():
        years, parts = Counter[int](), Counter[str]()
        for row in payments:
            if row["cash_or_noncash"] == "cash":
                years[-(-int(row["period_index"]) // MONTHS_PER_YEAR)] += _number(row["amount"])
            parts[row["cost_category"]] += _number(row["present_value"])
        read_years(figures, title, [years[year] for year in range(max(years, default=0) + 1)], where)
        read_lines(figures, title, ((row["line_name"], _number(row["amount"])) for row in payments), where)
        discounted = ((row["line_name"], _number(row["present_value"])) for row in payments)
        read_lines(figures, title, discounted, where, "discounted line")
        for part, usd in parts.items():
            if abs(usd) >= CENT:
                figures.add(title, f"part: {part}", usd, where, CENT)
        figures.add(title, "total_cash_usd", sum(years.values()), where, CENT)
        figures.add(title, "as_entered_usd", sum(parts.values()), where, CENT)
        figures.add(title, "cash_today_usd", years[0], where, CENT)
        figures.add(title, "hours", sum(_number(row["gpu_hours_used"]) for row in payments), where)


def read_assumptions(figures: Figures, rows: Iterable[dict[str, str]], where: str) -> None:
    """Note the value of each input that has one value in all options."""
    values: dict[str, set[float]] = {}
    for row in rows:
        if row["value"] and not row["assumption_id"].startswith("convention."):
            values.setdefault(row["name"], set()).add(float(row["value"]))
    for name, several in values.items():
        if len(several) == 1:
            figures.add(PLAN, f"input {name}", several.pop(), where)


def read_sweep(figures: Figures, row: dict[str, str], titles: Titles, compared: str, where: str) -> None:
    """Note a row of a sweep of this plan alone. `compared` is the title of the option that pays back."""
    for column, cell in row.items():
        for key, title in titles.items():
            name = column.removesuffix(f"_{'own_right_size' if key.startswith('own-') else key}")
            if name != column and cell and any(name == measure.name for measure in MEASURES):
                figures.add(title, name, float(cell), where, CENT)
    figures.add(PLAN, "lead_per_100", 100 * float(row["share_cheaper"]) if row["share_cheaper"] else None, where, 0.501)
    figures.add(PLAN, "even busy_share", _cell(row["break_even_busy_share"]), where, 1e-6)
    figures.add(compared, "payback_discounted_months", _cell(row["payback_discounted_months"]), where, 1e-6)
    figures.add(compared, "payback_months", _cell(row["payback_months"]), where, 1e-6)


def _cell(text: str) -> float | None:
    return float(text) if text else None


def _number(text: str) -> float:
    return float(text) if text else 0.0
