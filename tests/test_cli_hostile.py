"""Files of others, changed anywhere: whatever stands in them, a verb answers or refuses in our words, harmlessly."""

import io
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.cli import BAD_INPUT, FAILED, OK, main
from planner.evidence.table import TABLES
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.presets import load_presets
from pricing.formulas import is_invisible

DAY = ["--day", "2026-11-21"]
NOT_OURS = re.compile(r"Input should|[Vv]alid (?:tuple|dict|string|number|integer|boolean|list)|instance of|Traceback")
GRID = (
    "base: {work: [{accelerators: 8}], day: 2026-11-21}\nways: [own, on_demand]\noutputs: [npv_usd, note]\n"
    "vary:\n  years: [2, 3]\n  busy: {from: 40, to: 60, steps: 3}\ntogether:\n  - gpus: [8, 16]\n    site: [US, NO]\n"
)
QUOTES = (
    "kind,provider,accelerator,usd_per_accelerator_hour,valid_from,discount_share\n"
    "offer,AWS,h100 sxm,2.5,2026-01-01,\ndiscount,AWS,,,,0.2\n"
)
# The name of a file, what stands in it before it is changed, and the call that reads it.
FILES: Mapping[str, tuple[str, list[str]]] = {
    "plan.yaml": (write_scenario(SavedScenario(load_presets()[0].scenario)), ["plan", "plan.yaml", *DAY]),
    "quotes.csv": (QUOTES, ["prices", "--accelerator", "l40s", "--quotes", "quotes.csv", *DAY]),
    "training.csv": (TABLES["training"].template, ["check", "training", "training.csv", *DAY]),
    "serving.csv": (TABLES["serving"].template, ["check", "serving", "serving.csv", *DAY]),
    "grid.yaml": (GRID, ["sweep", "grid.yaml", "--csv", "out.csv", "--jobs", "1", *DAY]),
}
HARD = (
    *("", "'", '"', "\x1b[31m", "\u202e", "\u2028", "\u200b", "\x9b", "\x00", "\ud800", "é€…", "x" * 300, "\r\n", "\t"),
    *("1e999", "-1", "0", "1e-320", "null", "true", "[]", "{}", "{a: 1}", "[1, 2]", "- 1", "a: b", "*x", "!!int 3"),
    *("'2026-11-21'", "2026-02-30", "'2026-02-30'", "{from: 0, to: 1, steps: 10000000}", "{from: 0, to: 1, by: 1e-9}"),
)  # fmt: skip
_VALUE = re.compile(r"(?<=: )[^\n,{}\[\]]+|(?<=,)[^,\n]*(?=[,\n])|[a-z_]+(?=:)")


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """A file in which a few values, keys or places hold something else."""
    for _ in range(draw(st.integers(1, 4))):
        places = [match.span() for match in _VALUE.finditer(text)] or [(0, 0)]
        if draw(st.booleans()):
            start, end = draw(st.sampled_from(places))
        else:
            start = draw(st.integers(0, len(text)))
            end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(HARD) | st.text(max_size=5)) + text[end:]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_file_is_answered_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: st.DataObject
) -> None:
    text, call = FILES[name]
    for old in tmp_path.glob("out.csv*"):
        old.unlink()
    (tmp_path / name).write_bytes(data.draw(changed(text)).encode("utf-8", "surrogatepass"))
    encoding = data.draw(st.sampled_from(["utf-8", "ascii", "cp1252"]))
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with monkeypatch.context() as patched:
        patched.chdir(tmp_path)
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        code = main(call)
        err.flush()
    told = "".join(stream.buffer.getvalue().decode(encoding) for stream in (out, err))  # type: ignore[attr-defined]
    assert code in (OK, FAILED, BAD_INPUT)
    assert not NOT_OURS.search(told)
    assert not any(is_invisible(mark) for mark in told if mark not in "\n\t")
