"""Tables of runs that somebody else wrote: no row loses the others, and a name is not believed against a size."""

import math
import re
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.evidence.checked import CheckedRun, OwnRun, factors, skip_counts
from planner.evidence.constants_file import KINDS, factors_from_rows
from planner.evidence.serving.observed import read_observations
from planner.evidence.table import TABLES, published_runs, read_run_rows
from planner.network.guess import LEAST_B, MOST_B, typical_model
from planner.network.kinds import UnknownShape
from planner.network.record import build_text_decoder
from planner.report.speed.runs import check_summary, checked_row, checked_text, runs_table, unused_reasons
from planner.scenario.vocabulary import Kind
from planner.speed.serving.chips import serving_data
from planner.speed.training.constants import GUESSED
from tests.evidence.mine import SERVED, TRAINED, as_csv
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row

pytestmark = pytest.mark.slow

MEASURED = {"training": {"tokens_per_s_per_accelerator": "9000"}, "serving": {"output_tokens_per_s_total": "3000"}}
BOTH = get_args(Kind)


def row(kind: str, **changes: str) -> dict[str, str]:
    base = TRAINED if kind == "training" else SERVED
    return {"id": "mine", "params_b": "", "active_params_b": "", **base, **MEASURED[kind], **changes}


# Two GPUs on one card, by the name of the card; how many cards, by the name of the machine.
TWO_ON_A_CARD = re.compile(r"(?<![a-z])(dual|pair|twin)(?![a-z])", re.IGNORECASE)
CARDS = re.compile(r"(\d+)x-", re.IGNORECASE)


@pytest.mark.parametrize("kind", BOTH)
def test_a_card_of_two_gpus_is_counted_as_two_or_set_aside(kind: Kind) -> None:
    rows = [row for row in published_runs(TABLES[kind]) if TWO_ON_A_CARD.search(row["accelerator"])]
    cards = [CARDS.search(row["source_url"]) for row in rows]
    counted = [row for row, card in zip(rows, cards, strict=True) if not card or row["n_accelerators"] == card[1]]
    assert all("8 GPUs where 4 are written" in row["notes"] for row in counted)
    checks = KINDS[kind].check(CATALOGUE, counted)
    assert all("tier C" in check.skipped_reason and check.error is None for check in checks)
    if kind == "serving":
        assert {"N6-0185", "N6-0186", "N6-0189", "N6-0190"} <= {row["id"] for row in counted}
        assert read_observations(CATALOGUE, counted, any_machine=True) == []


def checked(kind: Kind, rows: Sequence[dict[str, str]]) -> Sequence[CheckedRun]:
    return KINDS[kind].check(CATALOGUE, read_run_rows(as_csv(rows), TABLES[kind], file="mine.csv"))


# What people and programs put into cells: nothing, no numbers, numbers that are none, absurd ones, other names.
CELLS = [
    "", "nan", "inf", "-1", "0", "0.5", "1e-300", "1e309", "1e16", "1e9", "999999", "2800", "0.001", "many", "１２",
    "1_000", "1,000", "n/a", "=1+1", "\x00", "\u202eabc", "x" * 5_000, "9" * 5_000, "(" * 3_000, "0B",
    "999999999999B", "8x22B", "0x7B", "9999x9999B", "17B-999999E", "A0B", "nemotron-h", "GLM-4.7-Flash", "Kimi-K3",
    "Llama-3-8B", "FLUX.1-dev", "BERT-Large", "t5-large", "H100 MIG 9g.999gb", "Xeon", "TPU v5e-256",
    "static", "average", "prompts", "pool", "yes", "no", "1P:3D", "4x100 Gb/s", "9999", "qlora",
    "hsdp", "fp4", "q4_0", "9999-99", "Mar 2031",
    "single_stream", "llama.cpp", "dualpipe",
]  # fmt: skip
ANY_CELL = st.one_of(
    st.sampled_from(CELLS), st.text(max_size=30), st.floats().map(repr), st.integers(-10, 10**18).map(str)
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Kind, int, str]:
    """Rows that were published, with some of their cells overwritten."""
    kind: Kind = draw(st.sampled_from(BOTH))
    shipped = published_runs(TABLES[kind])
    picked = draw(st.lists(st.integers(0, len(shipped) - 1), min_size=1, max_size=4))
    names = [*TABLES[kind].text, *TABLES[kind].numbers, *TABLES[kind].choices]
    rows = [{name: shipped[place].get(name, "") for name in names} | {"task": "llm"} for place in picked]
    for one in rows:
        for name in draw(st.lists(st.sampled_from(names), max_size=5)):
            one[name] = draw(ANY_CELL)
    return kind, len(rows), as_csv(rows)


@pytest.mark.slow
@example(("serving", 1, as_csv([row("serving", id="vast", model="Kimi-K9", params_b="2800")])))
@example(("training", 1, as_csv([row("training", id="none", model="Kimi-0B", active_params_b="1")])))
@given(tables())
def test_every_row_is_predicted_or_told_as_skipped_whatever_is_in_its_cells(table: tuple[Kind, int, str]) -> None:
    kind, many, text = table
    rows = read_run_rows(text, TABLES[kind], file="mine.csv")
    found = KINDS[kind].check(CATALOGUE, rows)
    done = [one for one in found if one.skipped_reason is None]
    assert len(done) + sum(skip_counts(found).values()) == len(found) == len(rows) == many
    assert all(one.id for one in found)
    for one in done:
        value = one.rate
        assert value is not None
        assert 0 < value < math.inf
        assert one.low is not None
        assert one.high is not None
        assert one.low <= value <= one.high
    assert checked_text(found)
    assert f"{many - len(done):,} skipped" in check_summary(found)
    own = factors_from_rows(CATALOGUE, kind, rows, source="mine.csv", day=DAY)
    assert [run.id for run in own.runs] == [one.id for one in found]
    assert all((run.like is None) == bool(run.why_not) for run in own.runs)
    assert len(runs_table(CATALOGUE, own)) == many


@each_row("kind", BOTH)
@each_row("params_b", ["2800", "99999", "0.002"])
def test_a_shape_is_guessed_for_every_sane_size(kind: Kind, params_b: str) -> None:
    (one,) = checked(kind, [row(kind, model="Kimi-K9", params_b=params_b)])
    assert one.skipped_reason is None
    assert one.guessed
    assert one.model is None


@each_row("kind", BOTH)
@each_row(("sizes", "why"), [
    ({"params_b": "8030000000"}, "no network has 8.03e+09 billion parameters; want 0.001 to 100,000"),
    ({"params_b": "8", "active_params_b": "70"}, "70 billion parameters at work of 8 there are"),
    ({"params_b": "8", "active_params_b": "0.0001"}, "is fewer than any network has"),
])  # fmt: skip
def test_a_size_that_no_network_has_is_skipped_and_the_rest_stands(kind: Kind, sizes: dict[str, str], why: str) -> None:
    wrong, good = checked(kind, [row(kind, **sizes), row(kind, id="good")])
    assert why in (wrong.skipped_reason or "")
    assert good.skipped_reason is None


@given(
    params_b=st.floats(math.log(LEAST_B), math.log(MOST_B)).map(math.exp),
    share=st.one_of(st.none(), st.floats(0.02, 0.89)),
    name=st.sampled_from(["", "x" * 3_000, "8x22B", "0x7B", "99999999x7B", "17B-16E", "2x500B"]),
)
def test_a_guessed_shape_has_the_size_it_was_guessed_from(params_b: float, share: float | None, name: str) -> None:
    active_b = None if share is None else params_b * share
    try:
        shape = build_text_decoder(typical_model(name, params_b=params_b, active_params_b=active_b))
    except UnknownShape:
        assert params_b < 1.01 * LEAST_B or params_b > 0.99 * MOST_B or (active_b or 1.0) < LEAST_B
        return
    assert shape.counted_params == pytest.approx(params_b * 1e9, rel=0.03)
    assert (shape.experts > 1) is (share is not None)


GLM_FLASH = {"model": "GLM-4.7-Flash", "params_b": "30", "active_params_b": "3"}


@each_row("kind", BOTH)
@each_row(
    "sizes",
    [GLM_FLASH, {"model": "GLM-5-Air", "params_b": "106"}, {"model": "Llama-3-8B", "params_b": "70"},
     {"model": "meta-llama/Llama-3-70B-Instruct", "params_b": "8"},
     {"model": "Llama-3-8B", "active_params_b": "1", "params_b": "8"}],
)  # fmt: skip
def test_a_rows_own_size_wins_over_its_name_is_marked_and_has_the_wide_band(kind: Kind, sizes: dict[str, str]) -> None:
    (named,) = checked(kind, [row(kind, **sizes)])
    assert named.skipped_reason is None
    assert named.guessed
    assert named.model is None
    assert checked_row(named)["guessed"] is True
    assert "1 by a shape guessed from the size" in check_summary([named])
    value = named.rate
    assert value is not None
    assert named.low is not None
    assert named.high is not None
    wide = GUESSED if kind == "training" else serving_data().assumed_bands["guessed shape"]
    assert named.low <= value * wide.low * (1 + 1e-9)
    assert named.high >= value * wide.high * (1 - 1e-9)
    if "Llama" not in sizes["model"]:  # a Llama of another size is like a Llama
        (unnamed,) = checked(kind, [row(kind, **{**sizes, "model": "Nobody"})])
        assert unnamed.rate == pytest.approx(value)


@each_row("kind", BOTH)
@each_row(("share", "guessed"), [(0.88, False), (1.12, False), (0.85, True), (1.2, True)])
def test_sizes_within_fifteen_percent_are_of_one_model(kind: Kind, share: float, guessed: bool) -> None:
    key = "Llama-3-8B"
    said = CATALOGUE.models[key].params_b * share
    (one,) = checked(kind, [row(kind, model=key, params_b=f"{said:.4f}")])
    assert one.guessed is guessed
    assert (one.model == key) is not guessed
    (plain,) = checked(kind, [row(kind, model=key)])
    assert (one.rate == plain.rate) is not guessed


@pytest.mark.parametrize("kind", BOTH)
def test_what_is_at_work_may_be_counted_with_the_table_of_words_or_without(kind: Kind) -> None:
    # 20.9 billion parameters, 3.6 at work with one of two tables of 0.58; published tables say 4.2 and 3.0 as well.
    for said, guessed in (("3.6", False), ("4.2", False), ("3.0", False), ("12", True), ("1", True)):
        (one,) = checked(kind, [row(kind, model="gpt-oss-20b", params_b="20.9", active_params_b=said)])
        assert one.guessed is guessed, said


@each_row("kind", BOTH)
@each_row("model", ["GLM-4.7-Flash", "GLM-5-Air", "Kimi-K2-Mini", "DeepSeek-V3-Lite"])
def test_another_size_of_a_family_is_not_the_one_that_is_known(kind: Kind, model: str) -> None:
    (one,) = checked(kind, [row(kind, model=model)])
    assert "unknown shape" in (one.skipped_reason or "")


@pytest.mark.parametrize("kind", BOTH)
def test_own_runs_of_another_size_say_nothing_of_the_model_they_are_called(kind: Kind) -> None:
    rows = read_run_rows(as_csv([row(kind, model="Llama-3-8B", params_b="70")]), TABLES[kind], file="mine.csv")
    table = factors_from_rows(CATALOGUE, kind, rows, source="mine.csv", day=DAY)
    (run,) = table.runs
    assert run.guessed
    assert "size" in run.why_not
    assert not table.factors
    assert runs_table(CATALOGUE, table)["Shape"] == ["guessed from its size"]


HEAD = "id,model,accelerator,n_accelerators,tp,notes"
WHOLE = "good,Llama 3 8B,H100 SXM5,8,1,fine"


@each_row("kind", BOTH)
@each_row(("bad", "why"), [
    ('bad,"Llama 3 8B,H100 SXM5,8,1,', "line 3: not a row of a CSV"),
    ('bad,Llama 3 8B,H100 SXM5,8,1,"open', "line 3: not a row of a CSV"),
    ('bad,"Llama" 3,H100 SXM5,8,1,', "are its quotes closed?"),
    ("bad,Llama 3 8B,H100 SXM5", "line 3: 3 cells under 6 columns"),
    ("bad,Llama 3 8B,H100 SXM5,8,1,a,b", "line 3: 7 cells under 6 columns"),
    (f"bad,{'x' * 150_000},H100 SXM5,8,1,", "line 3: not a row of a CSV, field larger than field limit"),
    (f"bad,{'x' * 300},H100 SXM5,8,1,", "line 3, column model: 300 characters, want at most 200"),
    ("bad,Llama 3 8B,H100 SXM5,1e9,1,", "line 3, column n_accelerators: want a number from 0 to 1,000,000"),
    ("bad,Llama 3 8B,H100 SXM5,8,0.5,", "line 3, column tp: want a whole number, got '0.5'"),
    ("bad,Llama 3 8B,H100 SXM5,nan,1,", "the number of accelerators is not stated"),
    (",Llama 3 8B,H1000,8,1,", "unknown accelerator"),
])  # fmt: skip
def test_a_broken_row_leaves_those_around_it_whole(kind: Kind, bad: str, why: str) -> None:
    text = "\n".join([HEAD, WHOLE, bad, WHOLE, WHOLE, 'good,Llama 3 8B,H100 SXM5,8,1,"two\nlines"', ""])
    found = KINDS[kind].check(CATALOGUE, read_run_rows(text, TABLES[kind], file="mine.csv"))
    assert [one.skipped_reason is None for one in found] == [True, False, True, True, True]
    assert why in (found[1].skipped_reason or "")
    assert f"     1  {found[1].skipped_reason} ({found[1].id})" in checked_text(found)


def test_a_row_without_an_id_is_told_by_its_line() -> None:
    rows = read_run_rows(f"{HEAD}\n,Llama 3 8B,H1000,8,1,\n", TABLES["training"], file="mine.csv")
    assert KINDS["training"].check(CATALOGUE, rows)[0].id == "line 2"


def test_runs_that_are_not_used_are_counted_and_told_by_reason() -> None:
    told = [("no speed", "a"), ("no chip", "b"), ("no speed", "c"), ("no speed", "d"), ("no speed", "e")]
    assert unused_reasons(told) == "5 runs not used. a, c, d and 1 more: no speed; b: no chip."
    assert unused_reasons([]) == ""


def test_runs_that_contradict_each_other_by_far_still_make_a_factor() -> None:
    like = {"accelerator": "H100-SXM5-80GB", "model": "Llama-3-8B"}
    runs = [OwnRun(str(n), "", "", ratio, 1.0, like=like) for n, ratio in enumerate((0.05, 0.05, 0.05, 20.0, 20.0))]
    (factor,) = factors("training", runs, source="mine.csv", day=DAY).factors
    assert factor.run.ratio == 0.05
    assert factor.run.low == 0.005  # the widest there is
