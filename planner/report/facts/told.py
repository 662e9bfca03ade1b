"""What is known of something, as text for a terminal, as a table for a file and as plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from planner.report import words
from planner.report.facts.fact import CALLED, Fact, Known
from planner.report.forms import bullet_list, join_sections
from planner.report.table import WIDEST, Table, text_table


def facts_text(found: Sequence[Known]) -> str:
    """One thing after the other, each in its parts, with its sources and notes below."""
    return "\n".join(join_sections(_sections(one)) for one in found)


def facts_records(found: Sequence[Known]) -> list[dict[str, Any]]:
    """One flat record for each statement."""
    return [
        {"section": one.section, "id": one.key, **asdict(fact), "overdue": fact.overdue}
        for one in found
        for fact in one.facts
    ]


def facts_table(found: Sequence[Known]) -> Table:
    """The statements as a table for a file."""
    return Table.from_raw_rows(facts_records(found))


def _sections(one: Known) -> Iterator[tuple[str, str]]:
    overdue = sum(fact.overdue for fact in one.facts)
    said = f"{words.count(len(one.facts), 'fact')}, {overdue:,} of them older than their limit."
    yield f"{one.label}: {CALLED[one.section]} {one.key}", said
    places = _places(one.facts)
    for about in dict.fromkeys(fact.about for fact in one.facts):
        facts = [fact for fact in one.facts if fact.about == about]
        notes = [f"{fact.name}: {text}" for fact in facts for text in (_long(fact), fact.note) if text]
        yield about, "\n".join((text_table(_table(facts, places)), *([bullet_list(notes)] if notes else [])))
    yield "Sources", "\n".join(f"[{place}] {title}: {url}" for (title, url), place in places.items())


def _long(fact: Fact) -> str | None:
    """A text that has no room in a table."""
    is_long = isinstance(fact.value, str) and len(fact.value) > WIDEST and fact.value != fact.source
    return fact.value if is_long else None


def _places(facts: Sequence[Fact]) -> Mapping[tuple[str, str | None], int]:
    """The sources by number, in the order in which they are cited."""
    cited = dict.fromkeys((fact.source, fact.source_url) for fact in facts if fact.source is not None)
    return {source: place for place, source in enumerate(cited, start=1)}


def _table(facts: Sequence[Fact], places: Mapping[tuple[str, str | None], int]) -> Table:
    """One part as a table, without the columns that say nothing there."""
    rows = [_row(fact, places) for fact in facts]
    says = [name for name in rows[0] if any(row[name] not in ("", None) for row in rows)]
    return Table.from_raw_rows(rows, says)


def _row(fact: Fact, places: Mapping[tuple[str, str | None], int]) -> dict[str, Any]:
    number = places.get((fact.source or "", fact.source_url))
    return {
        "What": fact.name,
        "Value": _value(fact),
        "Unit": fact.unit or "",
        "Range": _range(fact),
        "Kind": (fact.kind or "").replace("_", " "),
        "Checked": "" if fact.checked is None else fact.checked.isoformat(),
        "Age": _age(fact),
        "Source": "" if number is None else f"[{number}]",
    }


def _value(fact: Fact) -> str:
    if isinstance(fact.value, int | float):
        return f"{fact.value:,.10g}"
    if _long(fact) is not None:
        return "below"
    return "" if fact.value == fact.source else str(fact.value)  # some say no more than who says so


def _range(fact: Fact) -> str:
    if fact.low is None and fact.high is None:
        return ""
    low, high = ("?" if end is None else f"{end:,.10g}" for end in (fact.low, fact.high))
    return f"{low} to {high}"


def _age(fact: Fact) -> str:
    if fact.age_days is None:
        return ""
    days = words.count(max(fact.age_days, 0), "day")
    return f"{days}, older than its limit of {fact.limit_days}" if fact.overdue else days
