"""The figures of a page, read as they stand there: cards, sentences, tables, lines of charts, the drawer."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from planner.money.ledger import Line
from planner.money.renting.orders import busiest_order
from planner.money.ways import WAYS
from planner.report.answer.plan_report import PlanResult
from planner.report.answer.tables import INPUTS
from planner.report.futures.input_words import formula_input_label, input_label
from planner.report.what_if import AS_ENTERED
from planner.report.words import HIGH, LOW, PURCHASE, seller
from planner.study.measures import MEASURES
from tests.crawl.figures import CENT, HALF, PLAN, Figures
from tests.crawl.files import read_lines

# What a column or a row of a page measures, by the names of the measures of an option.
COLUMNS = {measure.label: measure.name for measure in MEASURES if measure.label and measure.unit not in ("kg", "liter")}
COLUMNS |= {
    "Median, USD": "present_usd", "Cheapest, of 100 futures": "cheapest_per_100", "Total cash": "total_cash_usd",
    "Net present cost": "present_usd", "Net present cost, as entered": "as_entered_usd",
    "As entered, USD": "as_entered_usd",
    f"{LOW}, USD": "present_low_usd", f"{HIGH}, USD": "present_high_usd",
    "Cash on day one, 90th percentile, USD": "cash_today_p90_usd",
}  # fmt: skip
ROWS = {
    "A useful GPU-hour": "usd_per_useful_accelerator_hour", "Cash on day one": "cash_today_usd",
    "Most cash out": "peak_cash_usd", "Most cash out, discounted": "peak_cash_discounted_usd",
    "Paid back": "payback_discounted_months",
}  # fmt: skip
_MONTHS = {"Net present cost, USD": "present_usd", "Worth of waiting, USD": "worth_usd",
           "On the machines, USD": "saved_on_machines_usd", "Rent meanwhile, USD": "rent_meanwhile_usd"}  # fmt: skip
_OFFERS = {"Today USD/GPU-h": "today_usd_per_accelerator_hour", "Today low": "today_low", "Today high": "today_high"}
_ORDERS = {"Typical order USD/GPU-h": "typical", "Typical order low": "low", "Typical order high": "high"}
_CARDS = {"Days to train": "days of a run", "GPU-hours": "hours of a run",
          "Tokens/s written": "serving output_tokens_per_s"}  # fmt: skip
_BUYING_CARDS = {"Buy and run": "as_entered_usd", "Electricity": "part: power"}
_EVENS = {label: name for name, (label, _) in INPUTS.items()}
_YEAR = re.compile(r"(?:Today|Year (\d+))$")
_LINE = re.compile(r"(.+): (-?\$[\d.,]+(?: million| billion)?)$")
_BUYING = re.compile(r"Buying and running it: about (\$[\d.,]+(?: million| billion)?)")
_BY_TOKEN = re.compile(r"By the token, .*?: (\$[\d.,]+(?: million| billion)?)\.")
_PAYS = re.compile(r"An order like yours, ([\d,]+) on demand, typically pays \$([\d.]+) \(\$([\d.]+) to \$([\d.]+)\)")
_ENTERED = "As entered: "
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
            self._named_card(plain(metric.label), plain(metric.value))
        for text in (*app.markdown, *app.header):
            self._sentence(plain(text.value))
        self.read_drawer(app)
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
        if title is not None and "the whole plan discounted to today" in detail:
            self.figures.read(title, "present_usd", value, self.where)
            low, _, high = beside.partition(" to ")
            if high:
                self.figures.read(title, "present_low_usd", low, self.where)
                self.figures.read(title, "present_high_usd", high, self.where)
            if "as entered: " in detail:
                self.figures.read(title, "as_entered_usd", detail.split("as entered: ")[1], self.where)
        if label == "Break-even use":
            self.figures.read(PLAN, "even busy_share", value, self.where)
        if label == "Cash on day one" and "most cash out " in detail:
            self._cash_card(value, beside, detail)

    def _named_card(self, label: str, value: str) -> None:
        """Note a card of Speed, or of buying on Compare."""
        if self.page == "Speed" and label in _CARDS:
            self.figures.read(PLAN, _CARDS[label], value, self.where)
        if self.page == "Compare" and self.own is not None and label in _BUYING_CARDS:
            self.figures.read(self.own, _BUYING_CARDS[label], value, self.where)

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
                if "back in" in beside:
                    self._month(title, beside)

    def _month(self, title: str, text: str, measure: str = "payback_discounted_months") -> None:
        """Note the month of a payback, written whole: its part is rounded up."""
        month = _MONTH.search(text)
        if month is not None and int(month[1]):
            self.figures.add(title, measure, int(month[1]) - 0.5, self.where, 0.5001)

    def _sentence(self, text: str) -> None:
        found = self.result.answer
        if (counted := _COUNTED.search(text)) is not None:
            self.figures.add(PLAN, "lead_per_100", float(counted[1]), self.where, HALF)
        if found.pair is not None and " has paid back in month " in text:
            self._month(found.pair[0].option.title, text)
        if text.startswith(_ENTERED):
            title, told = self.result.summary.title, text.removeprefix(_ENTERED)
            self.figures.say("title", title if told.startswith(title) else told)
        self._compare_sentence(text)
        work = self.result.scenario.work
        if self.page != "Speed" or " a month" in text or len(work) > 1 or work[0].train is None:
            return
        if found.best is not None and (cost := _YOUR_PLAN.search(text)) is not None:
            self.figures.read(found.best.option.title, "present_usd", cost[1], self.where)
        if (best := _RECOMMENDED.search(text)) is not None:
            self.figures.read("recommended", "usd", best[1], self.where)

    def _compare_sentence(self, text: str) -> None:
        """Note what Compare says of buying, of a hosted model and of an order like the plan's."""
        ranked = self.result.answer.ranked
        hosted = next((way.option.title for way in ranked if WAYS[way.option.way].is_billed_by_token), None)
        for title, pattern in ((self.own, _BUYING), (hosted, _BY_TOKEN)):
            if title is not None and (paid := pattern.search(text)) is not None:
                self.figures.read(title, "present_usd", paid[1], self.where)
        if (pays := _PAYS.search(text)) is not None:
            for end, usd in zip(("typical", "low", "high"), pays.groups()[1:], strict=True):
                self.figures.read(f"order of {pays[1].replace(',', '')} on_demand", end, usd, self.where)

    def drawer_options(self, app: AppTest) -> list[str]:
        """Return the options that the drawer of the numbers offers; none where it is closed."""
        return next((box.options for box in app.selectbox if box.key == "explained"), [])

    def read_drawer(self, app: AppTest) -> None:
        """Note the lines of the open option, their sum, and the median beside it; on Compare those of buying too."""
        where, title, is_offer = f"{self.where}, drawer", self.own, False
        if options := self.drawer_options(app):
            title = plain(options[int(app.selectbox(key="explained").value)])
            is_offer = self.page == "Compare"
            title = self.own if title.startswith("Buy and run it") else title
        if title is None:
            return
        names = set() if is_offer else {line.name for line in self.lines_of(title)}
        for expander in app.expander:
            match = _LINE.match(plain(expander.label))
            if match and match[1] in names and [line.name for line in self.lines_of(title)].count(match[1]) == 1:
                self.figures.read(title, f"discounted line: {match[1]}", match[2], where)
        texts = [plain(each.value) for each in app.markdown]
        totals = [pair for pair in pairwise((*texts, "")) if pair[0].startswith("**Total: ")]
        titles = [self.own, title] if len(totals) > 1 else [title]  # on Compare buying stands in front of the drawer
        for said, (before, text) in zip(titles, totals, strict=False):
            if said is not None and "not priced" not in before:
                self.figures.read(said, "as_entered_usd", before, where)
                if (median := _MEDIAN.search(text)) is not None:
                    self.figures.read(said, "present_usd", median[1], where)

    @cached_property
    def input_names(self) -> dict[str, str]:
        """The inputs with one value in all options, by the labels that no other input has."""
        values: dict[str, set[float]] = {}
        for each in self.result.answer.ranked:
            for used in (used for line in each.option.ledger.lines for used in line.used):
                values.setdefault(used.name, set()).update(np.unique(np.asarray(used.value, dtype=np.float64)).tolist())
        labels = Counter(map(formula_input_label, values))
        plain_inputs = [name for name, several in values.items() if len(several) == 1]
        return {formula_input_label(name): name for name in plain_inputs if labels[formula_input_label(name)] == 1}

    def lines_of(self, title: str) -> Sequence[Line]:
        """The lines of an option."""
        ranked = self.result.answer.ranked
        return next((way.option.ledger.lines for way in ranked if way.option.title == title), ())

    @cached_property
    def own(self) -> str | None:
        """The title of buying as it was asked for, which Compare sets beside the offers."""
        option = self.result.plan.option("own")
        return None if option is None else option.title

    def _table(self, frame: pd.DataFrame) -> None:
        data = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        heads = [plain(name) for name in data.columns]
        rows = [
            [plain(cell) if isinstance(cell, str) else cell for cell in row] for row in data.itertuples(index=False)
        ]
        kinds: dict[str, Callable[[dict[str, Any]], None]] = {
            "USD": self._paid_row, "If only this changed": self._even_row, "Input": self._input_row,
            "Order in month": self._month_row, "Plan": self._stress_row,
        }  # fmt: skip
        if "Unit" in heads:
            kinds["What"] = self._also_row
        if heads[0] == "Part, USD":
            self._parts(heads, rows)
        elif heads[0] == "Line, USD":
            named = [(row[0], row[-1]) for row in rows if row[0] not in ("Total", "Of which is paid")]
            read_lines(self.figures, self.result.answer.ranked[0].option.title, named, self.where)
        elif "Plan total USD" in heads:
            self._offers([dict(zip(heads, row, strict=True)) for row in rows])
        elif heads[0] in kinds:
            for row in rows:
                kinds[heads[0]](dict(zip(heads, row, strict=True)))
        else:
            for row in rows:
                self._row(heads, row)

    def _parts(self, heads: list[str], rows: list[list[Any]]) -> None:
        """Note the parts and the total of each column: an option, or an offer of Compare."""
        for at, head in enumerate(heads[1:], start=1):
            title = self.own if head.startswith("Buy and run it") else head
            for row in rows if title else ():
                name = "as_entered_usd" if row[0] == "total" else f"part: {row[0]}"
                self.figures.add(title or "", name, row[at], self.where)

    def _paid_row(self, row: dict[str, Any]) -> None:
        """Note what an option pays by year."""
        for head, cell in row.items():
            if (year := _YEAR.match(head)) is not None:
                self.figures.add(row["USD"], f"paid in year {int(year[1] or 0)}", cell, self.where)
            elif head in COLUMNS:
                self.figures.add(row["USD"], COLUMNS[head], cell, self.where)

    def _even_row(self, row: dict[str, Any]) -> None:
        name, value = _EVENS[row["If only this changed"]], row["Both cost the same at"]
        if name == "month" and self.result.answer.pair is not None:
            self._month(self.result.answer.pair[0].option.title, f"month {value}")
        elif name != "month" and value != "–":
            self.figures.read(PLAN, f"even {name}", value, self.where)

    def _input_row(self, row: dict[str, Any]) -> None:
        """Note the value of an input, its drawn range, or one of the tornado with the saving at both ends."""
        if "Value" in row and " in the first and " not in row["Value"]:  # on Assumptions
            name = self.input_names.get(row["Input"])
            if name is not None:
                self.figures.read(PLAN, f"input {name}", row["Value"].replace(" million tokens", ""), self.where)
        if "Unit" in row:
            for end, head in (("low", LOW), ("typical", "Typical"), ("high", HIGH)):
                self.figures.add(PLAN, f"drawn {row['Input']} {end}", row[head], self.where)
        low = next((head for head in row if head.endswith("saves at the low end, USD")), None)
        name = None if low is None else self._input_named(row["Input"])
        if low is not None and name is not None:
            self.figures.add(PLAN, f"low end of {name}", row[low], self.where)
            self.figures.add(PLAN, f"high end of {name}", row["At the high end, USD"], self.where)

    def _input_named(self, label: str) -> str | None:
        """The input behind a label; None where two share it."""
        inputs = self.result.futures.inputs if self.result.futures else ()
        names = [each.name for each in inputs if input_label(each.name) == label]
        return names[0] if len(names) == 1 else None

    def _month_row(self, row: dict[str, Any]) -> None:
        for head, name in _MONTHS.items():
            if head in row:
                self.figures.add(PLAN, f"order in month {row['Order in month']} {name}", row[head], self.where, CENT)

    def _also_row(self, row: dict[str, Any]) -> None:
        label, _, title = str(row["What"]).partition(": ")
        if label in ROWS and title in self.titles:
            self.figures.read(title, ROWS[label], row["Value"], self.where)
        if "share" not in row["Unit"] or "%" in row["Value"]:
            self.figures.read(PLAN, f"also: {row['What']}", row["Value"], self.where)

    def _stress_row(self, row: dict[str, Any]) -> None:
        """Note the plan without a test."""
        if row["Plan"] != AS_ENTERED or self.result.answer.pair is None:
            return
        self.figures.say("title", row["Answer"])
        answer, (first, second) = self.result.answer, self.result.answer.pair
        is_one_side = WAYS[first.option.way].side == WAYS[second.option.way].side
        options = (first, second) if is_one_side else (answer.own, answer.rent)
        for way, usd in zip(options, list(row.values())[2:4], strict=True):
            if way is not None:
                self.figures.add(way.option.title, "present_usd", usd, self.where)
        if row["Break-even use"] != "none":
            self.figures.read(PLAN, "even busy_share", row["Break-even use"], self.where)

    def _offers(self, rows: list[dict[str, Any]]) -> None:
        """Note each offer of Compare by its identity, what an order like the plan's pays, and buying."""
        setting = self.result.plan.setting
        for row in rows:
            if "#Buy and run it" in row["Provider"]:
                self.figures.add(self.own or "", "as_entered_usd", row["Plan total USD"], self.where)
                continue
            name = ", ".join(str(row[part]) for part in ("Provider", "Terms", "Region"))
            if sum(all(row[part] == each[part] for part in ("Provider", "Terms", "Region")) for each in rows) == 1:
                self.figures.add(name, "as_entered_usd", row["Plan total USD"], self.where)
            keys = self._offer_ids(row)
            for head, measure in _OFFERS.items() if len(keys) == 1 else ():
                self.figures.add(f"offer {keys[0]}", measure, row[head], self.where, 0.001 * abs(row[head] or 0.0))
            count = busiest_order(setting).accelerators
            for head, end in _ORDERS.items() if row["Terms"] == "on demand" else ():
                self.figures.add(
                    f"order of {count} on_demand", end, row[head], self.where, 0.001 * abs(row[head] or 0.0)
                )

    def _offer_ids(self, row: dict[str, Any]) -> list[str]:
        catalogue, chip = self.result.plan.setting.catalogue, self.result.plan.setting.scenario.accelerator
        told = (row["Provider"].rpartition("#")[2], row["Terms"], row["Region"], row["GPUs per machine"])
        return [
            key for key, offer in catalogue.offers.items() if offer.accelerator == chip and told == (
                seller(catalogue.providers[offer.provider].label, offer.sku), PURCHASE[offer.purchase], offer.region,
                offer.accelerators_per_instance)
        ]  # fmt: skip

    def _row(self, heads: list[str], row: list[Any]) -> None:
        if row[0] in self.titles:
            for head, cell in zip(heads, row, strict=True):
                if head in COLUMNS and not isinstance(cell, str):
                    rounded = HALF if head.startswith("Cheapest") else 0.0
                    self.figures.add(row[0], COLUMNS[head], cell, self.where, rounded)
        else:
            self._payback_row(heads, row)

    def _payback_row(self, heads: list[str], row: list[Any]) -> None:
        """Note the month of a break-even, and that of a payback if rents stay as the plan has them."""
        terms, pair = self.result.plan.setting.scenario.terms, self.result.answer.pair
        if pair is not None and heads[0].startswith("Rents change"):
            self._month(pair[0].option.title, row[1], f"rents {row[0] if row[0] != '0%' else '+0%'} payback")
        is_plan = row[0] == "0%" and not (terms.rent_change_per_year or terms.rent_by_year)
        if pair is not None and heads[0].startswith("Rents change") and is_plan:
            self._month(pair[0].option.title, row[1])

    def _chart(self, spec: dict[str, Any]) -> None:
        """Note where the lines of cumulative cost end, and the medians of the options."""
        for trace in spec["data"]:
            if self.view == "Every option" and trace.get("mode") == "markers":
                for title, *usd in (row for row in trace.get("customdata", ()) if row[0] in self.titles):
                    for name, text in zip(("present_usd", "present_low_usd", "present_high_usd"), usd, strict=True):
                        self.figures.read(title, name, text, f"{self.where}, bar")
            if trace.get("name") == "as entered" and self.view == "What moves the answer":
                self.figures.add(PLAN, "saved_usd", trace["x"][0], f"{self.where}, line", 0.01)
            if self.view == "Payback" and trace.get("name") in self.titles and trace.get("mode") == "lines":
                self.figures.add(trace["name"], "present_usd", trace["y"][-1], f"{self.where}, line")
