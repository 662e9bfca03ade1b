"""Units mixed up, shapes that cannot be: told row by row with what, where, what was wanted and what it probably is."""

import pytest

from planner.evidence.checked import CheckedRun
from planner.evidence.constants_file import KINDS
from planner.evidence.plausible import MeasuredFigure, UnitMistake, doubt, is_possible
from planner.evidence.table import TABLES, read_run_rows
from planner.report.speed.runs import checked_rows, checked_text
from planner.scenario.vocabulary import Kind
from tests.facts import CATALOGUE

TRAINED = {
    "id": "mine", "model": "Llama 3 8B", "accelerator": "H100-SXM5-80GB", "n_accelerators": "8", "precision": "bf16",
    "tp": "1", "pp": "1", "seq_len": "8192", "global_batch_sequences": "128", "task": "pretrain",
    "framework": "Megatron-LM", "published": "2026-03",
}  # fmt: skip
SERVED = {
    "id": "mine", "model": "Llama 3.1 8B", "accelerator": "H100-SXM5-80GB", "n_accelerators": "4", "tp": "4",
    "weight_precision": "bf16", "input_tokens": "1000", "output_tokens": "300", "concurrency_or_batch": "64",
    "mode": "offline", "engine": "vLLM", "published": "2026-03",
}  # fmt: skip
ROWS: dict[Kind, dict[str, str]] = {"training": TRAINED, "serving": SERVED}


def checked(kind: Kind, **cells: object) -> CheckedRun:
    """A row of somebody's own with these cells, as it comes out of a table."""
    row = ROWS[kind] | {name: str(value) for name, value in cells.items()}
    text = f"{','.join(row)}\n{','.join(row.values())}\n"
    (found,) = KINDS[kind].check(CATALOGUE, read_run_rows(text, TABLES[kind], file="mine.csv"))
    return found


@pytest.mark.parametrize(("kind", "column", "times", "looks"), [
    ("training", "tokens_per_s_per_accelerator", 8, "the total of all 8"),
    ("training", "tokens_per_s_per_accelerator", 1 / 8_192, "sequences a second"),
    ("training", "step_time_s", 1_000, "milliseconds"), ("training", "peak_memory_gb", 8, "the total of all 8"),
    ("training", "peak_memory_gb", 1_000, "megabytes"),
    ("serving", "output_tokens_per_s_total", 3_600, "a rate by the hour"),
    ("serving", "requests_per_s", 300, "tokens a second"), ("serving", "tpot_ms", 1 / 1_000, "seconds"),
    ("serving", "ttft_ms", 1 / 1_000, "seconds"),
])  # fmt: skip
def test_what_no_chip_can_do_is_told_with_what_it_looks_like_and_not_compared(
    kind: Kind, column: str, times: float, looks: str
) -> None:
    predicted = checked(kind).predicted[column]
    rate = {"tokens_per_s_per_accelerator": 10_000} if column == "peak_memory_gb" else {}
    found = checked(kind, **{column: predicted * times}, **rate)
    said, _, write = found.doubt.rpartition("write ")
    assert said.startswith(f"{column}: ")
    assert "want at " in said
    assert said.endswith(f"it looks like {looks}: if so, ")
    assert float(write.replace(",", "")) == pytest.approx(predicted, rel=0.01)
    assert found.rate == pytest.approx(checked(kind).rate)
    assert found.error is None  # never corrected, never compared


@pytest.mark.parametrize(("kind", "column", "times", "looks"), [
    ("training", "tokens_per_s_per_accelerator", 1 / 60, None),
    ("training", "mfu_pct", 1 / 100, "a share of 1"),
    ("serving", "output_tokens_per_s_total", 1 / 4, "that of one of 4"),
    ("serving", "output_tokens_per_s_total", 1 / 64, "that of one request"),
    ("serving", "output_tokens_per_s_total", 1.0, None),
])  # fmt: skip
def test_what_is_possible_but_off_by_a_unit_is_kept_and_told(
    kind: Kind, column: str, times: float, looks: str | None
) -> None:
    plain = checked(kind)
    rate = plain.rate or 0.0
    told = {"mfu_pct": 44.0, "peak_tflops_used": 989.4, "attention_flops_counted": "causal"}
    cells = {**told, "mfu_pct": 44.0 * times} if column == "mfu_pct" else {column: rate * times}
    found = checked(kind, **cells)
    assert found.skipped_reason is None
    assert found.rate == pytest.approx(rate)
    if looks is None:
        assert not found.doubt
    else:
        assert f"it looks like {looks}: if so, write" in found.doubt
        assert found.doubt in checked_text([found])
        assert checked_rows([found])[0]["look_at_again"] == found.doubt


@pytest.mark.parametrize(
    ("kind", "cells", "words"),
    [
        ("training", {"layers": 0}, "column layers: want 1 or more, got 0"),
        ("training", {"hidden": 4096, "heads": 30}, "column heads: 30 do not divide a width (hidden) of 4,096"),
        ("training", {"heads": 32, "kv_heads": 5}, "column kv_heads: 5 do not divide 32 heads"),
        ("serving", {"params_b": 8_000}, "want billions, about 8 as the model's name says, got 8000; "
                                         "it looks like millions: write 8"),
        ("training", {"tp": 4, "pp": 4}, "column n_accelerators: tp x pp take 16 accelerators, got 8"),
    ],
)  # fmt: skip
def test_a_shape_that_cannot_be_is_refused_in_words(kind: Kind, cells: dict[str, object], words: str) -> None:
    said = checked(kind, **cells).skipped_reason or ""
    assert said.startswith("line 2, column")
    assert words in said


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["training", "serving"])
def test_of_a_thousand_published_runs_hardly_one_is_taken_for_a_slip(kind: Kind) -> None:
    from planner.evidence.table import published_runs

    found = KINDS[kind].check(CATALOGUE, published_runs(TABLES[kind]))
    assert len([one for one in found if one.doubt]) <= len(found) / 1_000


def test_a_time_is_judged_the_other_way_round() -> None:
    seconds = UnitMistake(1e3, "seconds")
    fast = MeasuredFigure("tpot_ms", 0.01, 1.0, "2 x X can write", (seconds,), is_time=True, least=0.0)
    assert doubt(fast, 90.0).endswith("want at least 1; look at its unit")
    assert doubt(fast, 900.0) == (
        "tpot_ms: 0.01 is 100 times what 2 x X can write; want at least 1; it looks like seconds: if so, write 10"
    )
    slow = MeasuredFigure("tpot_ms", 10.0, 1.0, "2 x X can write", (seconds,), is_time=True, least=0.0)
    assert is_possible(slow)
    assert not doubt(slow, 0.9)
    assert not doubt(slow, 0.5)  # slow, but no unit would explain it
    assert "write 10,000" in doubt(slow, 1_000.0)
