"""Ends of ranges are percentiles, in the same words everywhere: "a tenth below" reads as ten percent less."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from planner.report.answer.plan_report import evaluate
from planner.report.answer.tables import options_table
from planner.report.futures.counted import futures_table, inputs_table
from planner.scenario.scenario import Scenario
from pricing import load_catalogue

HERE = Path(__file__).parents[2]
_AS_A_SHARE = re.compile(
    r"\btenths?\b(?! of on demand)[^.;|\"]{0,40}? (below|above|beyond|lower|higher|slower|faster|"
    r"(?:cost|take|worth)s? (?:less|more)|on (?:either|each) side|to either side)\b",
    re.IGNORECASE,
)


def _texts() -> Iterator[Path]:
    for folder, kinds in (("planner", ("py", "yaml")), ("schemas", ("json",)), ("docs", ("md",))):
        for kind in kinds:
            yield from sorted((HERE / folder).rglob(f"*.{kind}"))


def test_no_text_calls_a_percentile_a_tenth_below_or_above() -> None:
    found = {
        f"{path.relative_to(HERE)}: {one[0]}"
        for path in _texts()
        for one in _AS_A_SHARE.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_tables_name_the_percentiles_that_they_hold() -> None:
    one = evaluate(load_catalogue(), Scenario(), date(2026, 11, 21), with_details=False)
    in_all, of_inputs = futures_table(one.answer, one.futures), inputs_table(one.futures)
    draws = one.futures.present_usd[one.futures.row(one.answer.ranked[0].option.key)]
    assert in_all["10th percentile, USD"][0] == pytest.approx(np.quantile(draws, 0.1), rel=0.01)
    assert in_all["Median, USD"][0] == pytest.approx(np.quantile(draws, 0.5), rel=0.01)
    assert in_all["90th percentile, USD"][0] == pytest.approx(np.quantile(draws, 0.9), rel=0.01)
    assert {"10th percentile, USD", "90th percentile, USD"} <= set(options_table(one.answer).columns)
    assert {"10th percentile", "90th percentile"} <= set(of_inputs.columns)
