"""Documents to hand on: a memo of two pages as PDF, and a pack of CSV files that hold the plan.

The memo: the answer on one or two pages, as Markdown and as a tagged PDF.

The pack for a finance team: one zip of CSV files from which a plan can be calculated again, and read back.

Lines have their formulas and inputs their values, by month where they differ: whoever evaluates the formulas has every
amount. The plan itself is a table of names and values. The columns of all files, with unit and meaning, are a file too.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np

from planner.money.ledger import CONVENTION, LedgerInput
from planner.money.measures import cash_flow_years
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.accounting.book_words import accounting_table
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import DISCLAIMER, PlanReport, doubt_text, facts_text
from planner.report.answer.profit_words import profit_csv
from planner.report.answer.sentences import not_counted
from planner.report.facts.assumptions import AssumptionRow, assumption_rows
from planner.report.files.csv import (
    COLUMN_RECORDS,
    SIGN,
    AssumptionIds,
    assumptions_table,
    cash_table,
    columns_of,
    line_code,
    results_table,
    saved_scenario,
)
from planner.report.files.csv_style import DEFAULT_STYLE, CsvStyle
from planner.report.table import Table
from planner.scenario.file import plan_table_rows
from planner.scenario.link import scenario_to_link
from planner.scenario.plan_csv import FILES_FILE, checksum
from planner.scenario.question import detect_question
from planner.study.measures import MEASURES
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.tornado import TornadoBar

_TEMPLATE = Path(__file__).with_name("memo.typ")
_INPUTS = 12  # those that weigh most
_OPTION_HEADS = ("Option", "Median", "10th percentile", "90th percentile", "Cash on day one", "Total cash")
_INPUT_HEADS = ("Input", "Value", "Range", "Source", "Day")


def memo_data(report: PlanReport, bars: Sequence[TornadoBar], link: str = "") -> dict[str, Any]:
    """Return all that the memo says, as text and amounts; `bars` say how much each input weighs."""
    answer, setting, inputs = report.answer, report.plan.setting, assumption_rows(report.plan, bars)
    values = scenario_to_link(setting.written)
    weighty = [row for row in inputs if row.swing_usd or row.is_yours][:_INPUTS] or list(inputs[:_INPUTS])
    return {
        "title": report.summary.title,
        "question": question_text(setting.catalogue, detect_question(values), values),
        "day": setting.day.isoformat(),
        "facts": facts_text(report.plan),
        "doubt": doubt_text(answer),
        "cards": [[tile.label, tile.value, tile.range] for tile in report.summary.figures],
        "bars": [[way.option.title, way.low_usd, way.present_usd, way.high_usd] for way in answer.ranked],
        "option_heads": _OPTION_HEADS,
        "options": [
            [
                way.option.title,
                *map(words.usd, (way.present_usd, way.low_usd, way.high_usd)),
                words.usd(float(way.measures.cash_today_usd)),
                words.usd(float(way.measures.bills_usd)),
            ]
            for way in answer.ranked
        ],
        "why": list(report.summary.sentences),
        "turns": list(report.summary.turns),
        "input_heads": _INPUT_HEADS,
        "inputs": [_input_cells(row) for row in weighty],
        "not_included": f"Not included: {not_counted(report.plan)}. {DISCLAIMER}",
        "link": link,
    }


def _input_cells(row: AssumptionRow) -> list[str]:
    since = row.origin.since
    return [row.label, row.value, row.range, row.origin.source, "" if since is None else words.day(since)]


def write_memo(data: dict[str, Any], ending: str) -> bytes:
    """Return the memo as a file of that kind: .pdf, else Markdown."""
    return _pdf(data) if ending == ".pdf" else _markdown(data).encode()


def _markdown(data: dict[str, Any]) -> str:
    cards = [" ".join((f"**{label}**", value, f"({span})" if span else "")) for label, value, span in data["cards"]]
    parts = [
        f"# {data['title']}",
        f"{data['question']}. {data['facts']}.",
        data["doubt"],
        "\n".join(f"- {card.strip()}" for card in cards),
        "## Every option, net present cost",
        _markdown_table(data["option_heads"], data["options"]),
        *_markdown_list("Why", data["why"]),
        *_markdown_list("What would turn it", data["turns"]),
        "## Inputs that weigh most",
        _markdown_table(data["input_heads"], data["inputs"]),
        data["not_included"],
        f"<{data['link']}>" if data["link"] else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _markdown_list(head: str, lines: Sequence[str]) -> tuple[str, ...]:
    return (f"## {head}", "\n".join(f"- {line}" for line in lines)) if lines else ()


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _pdf(data: dict[str, Any]) -> bytes:
    """Return the memo as a PDF for screen readers too (PDF/UA-1). The data is no part of the template's text."""
    import typst  # 34 MB, and few need it

    moment = datetime.combine(date.fromisoformat(data["day"]), time(), UTC)  # not the hour: one plan, one file
    pdf: bytes = typst.compile(
        _TEMPLATE.read_bytes(), format="pdf", sys_inputs={"memo": json.dumps(data)}, pdf_standards=["ua-1"],
        ignore_system_fonts=True, timestamp=int(moment.timestamp()),
    )  # fmt: skip
    return pdf


_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_README = Path(__file__).with_name("pack_readme.txt")
_OLDEST = 1980  # of a zip
YEARS = LedgerInput("convention.years_until_money_moves", 0.0, "year", CONVENTION)


def write_pack(
    plan: Plan, answer: Answer, futures: Futures | None, headline: str, style: CsvStyle = DEFAULT_STYLE
) -> bytes:
    """Return the zip; the same plan in the same style is the same file."""
    tables, day, out, sums = pack_tables(plan, answer, futures), plan.setting.day, io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:

        def add(name: str, chunks: Iterable[bytes]) -> zipfile.ZipInfo:
            entry = zipfile.ZipInfo(name, (max(day.year, _OLDEST), day.month, day.day, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with pack.open(entry, "w") as file:
                file.writelines(chunks)
            return entry

        add("README.txt", [_readme(plan, headline, style).encode("utf-8-sig")])
        for name, table in tables.items():
            added = add(f"{name}.csv", style.chunks(table.cells))
            sums.append((added.filename, len(table), added.file_size, checksum(added.CRC)))
        add(FILES_FILE, style.chunks(Table.listed(columns_of("files"), sums).cells))
    return out.getvalue()


def pack_tables(plan: Plan, answer: Answer, futures: Futures | None) -> dict[str, Table]:
    """Return the tables of the pack by the names of their files."""
    tables = {
        "plan": Table.from_raw_rows(
            [dict(zip(columns_of("plan"), row, strict=True)) for row in plan_table_rows(saved_scenario(plan))],
            columns_of("plan"),
        ),
        "lines": _lines(plan),
        "assumptions": assumptions_table(plan, SIGN),
        "assumptions-by-month": Table.of(_by_month(plan), columns_of("assumptions-by-month")),
        "cash-flow": cash_table(plan),
        "results": results_table(plan, answer, futures),
        "profit-and-loss": profit_csv(answer),
        "accounting": accounting_table(plan, answer),
    }
    return tables | {"dictionary": _dictionary(tables)}


def _lines(plan: Plan) -> Table:
    """Return the formula of every line of every option, in the ids of its inputs."""
    ids, rows = AssumptionIds(plan), []
    for option in plan.options:
        for place, line in enumerate(option.ledger.lines, start=1):
            rows.append({
                "option": option.key, "line_code": line_code(line, place), "line_name": line.name,
                "cost_category": line.part, "cash_or_noncash": "cash" if line.is_cash else "noncash",
                "formula": _in_ids(line.how, ids.by_name(option, line)),
            })  # fmt: skip
    return Table.of(rows, columns_of("lines"))


def _in_ids(how: str, ids: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: ids.get(name[0], name[0]), how)


def _by_month(plan: Plan) -> Iterator[dict[str, object]]:
    """Yield each input that differs by month once, with its value in every month."""
    years = YEARS._replace(value=cash_flow_years(plan.setting))
    inputs = {name: used for (_, name), (_, used) in AssumptionIds(plan).first_use.items()}
    for name, used in {YEARS.name: years, **inputs}.items():
        if np.size(used.value) > 1:
            for month, value in enumerate(np.asarray(used.value, dtype=np.float64).tolist()):
                yield {"assumption_id": name, "period_index": month, "value": value}


def _dictionary(tables: dict[str, Table]) -> Table:
    """Return every column of every file: those of tables as they are described, results as they are measured."""
    measures = {
        name: {"file": "results", "column": name, "unit": measure.unit, "format": "number", "meaning": meaning}
        for measure in MEASURES
        for name, meaning in ((measure.name, measure.description), (measure.was, f"old name of {measure.name}"))
    }
    described = {(record["file"], record["column"]): record for record in COLUMN_RECORDS}
    names = [(file, column) for file, table in tables.items() for column in table.columns]
    names += [(file, column) for file in ("dictionary", "files") for column in columns_of(file)]
    return Table.from_raw_rows(
        (described[name] if name in described else measures[name[1]] for name in names), columns_of("dictionary")
    )


def _readme(plan: Plan, headline: str, style: CsvStyle) -> str:
    setting = plan.setting
    return _README.read_text("utf-8").format(
        name=setting.scenario.name, day=setting.day.isoformat(), headline=headline, sign=SIGN,
        digest=setting.catalogue.digest[:16], style=style,
    )  # fmt: skip
