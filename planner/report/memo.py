"""The memo: the answer on one or two pages, as Markdown and as a tagged PDF."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import not_counted
from planner.report.answer.verdict_line import doubt_text
from planner.report.facts.assumptions import AssumptionRow, assumption_rows, leading_sources
from planner.scenario.link import scenario_to_link
from planner.scenario.question import detect_question
from planner.scenario.shown_money import shown_money
from planner.study.uncertainty.tornado import TornadoBar

_TEMPLATE = Path(__file__).with_name("memo.typ")
_INPUTS, _CREDITED = 12, 3  # the inputs that weigh most, on paper; the sources named under a chart
_OPTION_HEADS = ("Option", "Median", "10th percentile", "90th percentile", "Cash on day one", "Total cash")
_INPUT_HEADS = ("Input", "Value", "Range", "Source", "Day")
_DISCLAIMER = "An estimate, not financial advice. Prices exclude taxes."


def memo_data(report: PlanReport, bars: Sequence[TornadoBar], link: str = "") -> dict[str, Any]:
    """Return all that the memo says, as text and amounts; `bars` say how much each input weighs."""
    answer, setting, inputs = report.answer, report.plan.setting, assumption_rows(report.plan, bars)
    values = scenario_to_link(setting.written)
    weighty = [row for row in inputs if row.swing_usd or row.is_yours][:_INPUTS] or list(inputs[:_INPUTS])
    return {
        "title": report.summary.title,
        "question": question_text(setting.catalogue, detect_question(values), values),
        "day": setting.day.isoformat(),
        "facts": _facts_text(report.plan),
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
        "not_included": f"Not included: {not_counted(report.plan)}. {_DISCLAIMER}",
        "link": link,
    }


def credit_text(plan: Plan, answer: Answer) -> str:
    """Return the line that goes with a chart wherever it is taken: the plan, its day and its sources."""
    setting, values = plan.setting, scenario_to_link(plan.setting.written)
    name = f"{values['name']}: " if "name" in values else ""
    sources = leading_sources(way.option.ledger for way in (answer.pair or answer.ranked[:1]))
    more = [f"{len(sources) - _CREDITED} more"] if len(sources) > _CREDITED else []
    source_text = f" Sources: {'; '.join([*sources[:_CREDITED], *more])}." if sources else ""
    question = question_text(setting.catalogue, detect_question(values), values)
    return f"{name}{question}. {_facts_text(plan)}.{source_text} {_DISCLAIMER}"


def _facts_text(plan: Plan) -> str:
    facts = f"Prices as of {words.day(plan.setting.day)}, catalogue {plan.setting.catalogue.digest[:8]}"
    return ", ".join(filter(None, (facts, shown_money().rate_text)))


def _input_cells(row: AssumptionRow) -> list[str]:
    since = row.origin.since
    return [row.label, row.value, row.range, row.origin.source, "" if since is None else words.day(since)]


def write_memo(data: dict[str, Any], ending: str) -> bytes:
    """Return the memo as a file of that kind: .pdf, else Markdown."""
    return _pdf(data) if ending == ".pdf" else _markdown(data).encode()


def _markdown(data: dict[str, Any]) -> str:
    """Return the memo as Markdown."""
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
