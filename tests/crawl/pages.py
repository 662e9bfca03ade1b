"""The figures of a page, read as they stand there: cards, sentences, tables, lines of charts, the drawer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from planner.money.ways import WAYS
from planner.report.answer.plan_report import PlanResult
from planner.study.measures import MEASURES
from tests.crawl.figures import HALF, PLAN, Figures

# What a column or a row of a page measures, by the names of the measures of an option.
COLUMNS = {measure.label: measure.name for measure in MEASURES if measure.label and measure.unit not in ("kg", "liter")}
COLUMNS |= {
    "Median, USD": "present_usd", "Cheapest, of 100 futures": "cheapest_per_100", "All bills": "total_cash_usd",
    "Today's money": "present_usd", "Today's money, as entered": "as_entered_usd",
    "Cash on day one, 90th percentile, USD": "cash_today_p90_usd",
}  # fmt: skip
ROWS = {
    "A useful GPU-hour": "usd_per_useful_accelerator_hour", "Cash on day one": "cash_today_usd",
    "Most cash out": "peak_cash_usd", "Most cash out, discounted": "peak_cash_discounted_usd",
    "Paid back": "payback_discounted_months",
}  # fmt: skip
_COUNTED = re.compile(r"is the cheapest in (\d+) of 100 simulated futures")
_YOUR_PLAN = re.compile(r"Your plan, .*? costs [^$]*? more \((\$[^)]*)\)")
_RECOMMENDED = re.compile(r"Recommended: [^$]*?(\$[\d.,]+(?: million| billion)?)")
_MONTH = re.compile(r"month (\d+)")
_MEDIAN = re.compile(r"The median of all futures is (\$[\w.]+)")


def plain(text: object) -> str:
    """Return a text without the marks that keep it from being markup."""
    return str(text or "").replace("\\", "")


@dataclass
class PageReader:
    """One page with one of its tabs open, and the plan that it shows."""

    figures: Figures
    result: PlanResult
    page: str
    view: str

    def read(self, app: AppTest) -> None:
        """Note all figures of the page."""
        for metric in app.metric:
            self._card(plain(metric.label), plain(metric.value), plain(metric.delta), plain(metric.help))
        texts = [plain(each.value) for each in (*app.markdown, *app.header)]
        for text in texts:
            self._sentence(text)
        self._drawer(app, texts)
        if self.page == "Answer":
            self.figures.say("title", plain(app.title[0].value))
        for table in (*app.dataframe, *app.table):
            self._table(table.value)
        for chart in app.get("plotly_chart"):
            self._chart(json.loads(chart.proto.spec))

    @property
    def where(self) -> str:
        return f"{self.page}, {self.view}"

    @cached_property
    def titles(self) -> list[str]:
        """The options, those with a longer title first."""
        return sorted((way.option.title for way in self.result.answer.ranked), key=len, reverse=True)

    def _card(self, label: str, value: str, beside: str, detail: str) -> None:
        title = next((title for title in self.titles if f"{title}, " in detail), None)
        if title is not None and "the whole plan in today's money" in detail:
            self.figures.read(title, "present_usd", value, self.where)
            low, _, high = beside.partition(" to ")
            if high:
                self.figures.read(title, "present_low_usd", low, self.where)
                self.figures.read(title, "present_high_usd", high, self.where)
            if "as entered: " in detail:
                self.figures.read(title, "as_entered_usd", detail.split("as entered: ")[1], self.where)
        if label == "Days to train":
            self.figures.read(PLAN, "days of a run", value, self.where)
        if label == "Break-even use":
            self.figures.read(PLAN, "even busy_share", value, self.where)
        if label == "Cash on day one" and "most cash out " in detail:
            self._cash_card(value, beside, detail)

    def _cash_card(self, value: str, beside: str, detail: str) -> None:
        """The option is the one whose day one, most cash and total cash are all three those of the card."""
        first = self.result.answer.pair or (self.result.answer.best,)
        names = {way.option.title: way for way in first if way is not None}
        start = re.search(r"What (.*?) takes today", detail)
        for title, way in names.items():
            if start is not None and WAYS[way.option.way].start_text == start[1]:
                self.figures.read(title, "cash_today_usd", value, self.where)
                self.figures.read(title, "peak_cash_usd", detail.split("most cash out ")[1], self.where)
                self.figures.read(title, "total_cash_usd", detail.split("total cash ")[1], self.where)
                if beside.startswith("back in"):
                    self._month(title, beside)

    def _month(self, title: str, text: str) -> None:
        """Note the month of a payback, written whole: its part is rounded up."""
        month = _MONTH.search(text)
        if month is not None and int(month[1]):
            self.figures.add(title, "payback_discounted_months", int(month[1]) - 0.5, self.where, 0.5001)

    def _sentence(self, text: str) -> None:
        found = self.result.answer
        if (counted := _COUNTED.search(text)) is not None:
            self.figures.add(PLAN, "lead_per_100", float(counted[1]), self.where, HALF)
        if found.pair is not None and " has paid back in month " in text:
            self._month(found.pair[0].option.title, text)
        work = self.result.scenario.work
        if self.page != "Speed" or " a month" in text or len(work) > 1 or work[0].train is None:
            return
        if found.best is not None and (cost := _YOUR_PLAN.search(text)) is not None:
            self.figures.read(found.best.option.title, "present_usd", cost[1], self.where)
        if (best := _RECOMMENDED.search(text)) is not None:
            self.figures.read("recommended", "usd", best[1], self.where)

    def _drawer(self, app: AppTest, texts: Sequence[str]) -> None:
        """Note the sum of the lines of the first option, and the median beside it."""
        for before, text in pairwise(texts):
            if before.startswith("**Total: ") and (median := _MEDIAN.search(text)) is not None:
                title = self.result.answer.ranked[0].option.title
                self.figures.read(title, "as_entered_usd", before, f"{self.where}, drawer")
                self.figures.read(title, "present_usd", median[1], f"{self.where}, drawer")

    def _table(self, frame: pd.DataFrame) -> None:
        data = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        heads = [plain(name) for name in data.columns]
        for row in data.itertuples(index=False):
            self._row(heads, [plain(cell) if isinstance(cell, str) else cell for cell in row])

    def _row(self, heads: list[str], row: list[Any]) -> None:
        label, _, title = str(row[0]).partition(": ")
        if row[0] in self.titles:
            for head, cell in zip(heads, row, strict=True):
                if head in COLUMNS and not isinstance(cell, str):
                    rounded = HALF if head.startswith("Cheapest") else 0.0
                    self.figures.add(row[0], COLUMNS[head], cell, self.where, rounded)
        elif label in ROWS and title in self.titles:
            self.figures.read(title, ROWS[label], row[1], self.where)
        elif row[0] == "total" and self.page == "Answer":
            for head, cell in zip(heads[1:], row[1:], strict=True):
                self.figures.add(head, "as_entered_usd", cell, self.where)
        else:
            self._payback_row(heads, row)

    def _payback_row(self, heads: list[str], row: list[Any]) -> None:
        """Note the month of a break-even, and that of a payback if rents stay as the plan has them."""
        terms, pair = self.result.plan.setting.scenario.terms, self.result.answer.pair
        if pair is not None and row[0] == "Month in which it is paid back":
            self._month(pair[0].option.title, f"month {row[2]}")
        is_plan = row[0] == "0%" and not (terms.rent_change_per_year or terms.rent_by_year)
        if pair is not None and heads[0].startswith("Rents change") and is_plan:
            self._month(pair[0].option.title, row[1])

    def _chart(self, spec: dict[str, Any]) -> None:
        """Note where the lines of cumulative cost end."""
        for trace in spec["data"]:
            if self.view == "When it pays back" and trace.get("name") in self.titles and trace.get("mode") == "lines":
                self.figures.add(trace["name"], "present_usd", trace["y"][-1], f"{self.where}, line")
