"""The pack for a finance team: one zip of CSV files from which a plan can be calculated again, and read back.

Lines have their formulas and inputs their values, by month where they differ: whoever evaluates the formulas has every
amount. The plan itself is a table of names and values. The columns of all files, with unit and meaning, are a file too.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from planner.money.ledger import CONVENTION, LedgerInput
from planner.money.measures import cash_flow_years
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report.accounting.book_words import accounting_table
from planner.report.answer.profit_words import profit_csv
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
from planner.scenario.plan_csv import FILES_FILE, checksum
from planner.study.measures import MEASURES
from planner.study.uncertainty.futures import Futures

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
    ids = AssumptionIds(plan)
    rows = []
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
