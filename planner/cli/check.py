"""`check tco`: what the engine gives beside what others published of buying and renting."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from planner import study
from planner.cli.common import BAD_INPUT, FAILED, OK, BadInput
from planner.cli.terminal import tell
from planner.cli.told import stamp, told
from planner.report.evidence.published import published_rows, published_text, summary
from planner.report.table import Table
from planner.study.cases.cases import Cases, Ours, cases_in, mappings_in
from planner.study.cases.check import NO_ANSWER, VERDICTS, Published, compare
from pricing import load_catalogue

OUR_CASES = Path(study.__file__).parent / "data" / "tco_cases.yaml"


def run(wanted: argparse.Namespace) -> int:
    """Every published case beside ours."""
    day = wanted.day or date.today()
    catalogue = load_catalogue()
    known = cases_in(_text(OUR_CASES), file=OUR_CASES.name)
    cases = known if wanted.cases is None else cases_in(_text(wanted.cases), file=wanted.cases.name)
    ours = {case.id: case.ours for case in known.cases if case.ours is not None}
    extra = {} if wanted.mapping is None else _extra(wanted.mapping, cases)
    found = compare(cases, catalogue, day, mappings={**ours, **extra}, bare=known.bare)
    rows = published_rows(found)
    counts = {verdict.replace(" ", "_").lower(): found.count(verdict) for verdict in VERDICTS}
    told(
        wanted,
        table=lambda: Table.as_they_are(rows),
        data=lambda: {**stamp(catalogue, day), "cases": found.cases, "counts": counts, "checks": rows},
        text=lambda: f"{published_text(found)}\n",
        aside=summary(found),
    )
    return _code(found, (wanted.cases or OUR_CASES).name)


def _code(found: Published, file: str) -> int:
    """Bad input where a mapping cannot be used, each said once; failed where a number really differs."""
    broken = [f"{file}: {row.case}: {row.why}." for row in found.rows if row.verdict == NO_ANSWER]
    for sentence in dict.fromkeys(broken):
        tell(sentence)
    if broken:
        return BAD_INPUT
    return FAILED if found.count("DIFFERS") else OK


def _extra(path: Path, cases: Cases) -> Mapping[str, Ours]:
    extra = mappings_in(_text(path), file=path.name)
    ids = [case.id for case in cases.cases]
    for name in extra:
        if name not in ids:
            near = get_close_matches(name, ids, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadInput(f"{path.name}: ours.{name}: there is no such case.{hint}")
    return extra


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name}: want UTF-8 text, got byte 0x{error.object[error.start]:02x}.") from error
