"""Runs of one's own: what a table says, how much of it is believed, and that it counts where it was measured."""

from math import log

import numpy as np
import pytest

from planner.evidence.checked import FactorTable, OwnRun, factors, merge_factors
from planner.evidence.constants_file import factors_from_rows, read_factors
from planner.evidence.table import TABLES, kind_of, published_runs
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.measured import MOST_FACTORS, MeasuredRun
from planner.scenario.vocabulary import Kind
from planner.speed.pace import NO_RUNS, combine_runs, credibility, prior_runs, run_scatter, training_correction
from planner.speed.serving import serve
from planner.speed.serving.bands import serving_correction
from planner.speed.training import train
from planner.speed.training.across import across
from pricing import PricingError
from tests.evidence.mine import SERVED, as_csv, own_rows
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row
from tools.calibration.cross_validation import (
    bands_by_group,
    check_enough_sources,
    judged,
    leave_half_out_errors,
    leave_one_group_out_errors,
)
from tools.calibration.least_squares import CAUCHY, SOFT, Array, LeastSquaresProblem, Loss, SolverSettings, minimize

BERT = "BERT-Large (SQuAD)"
H100, H200 = "H100-SXM5-80GB", "H200-SXM-141GB"
TRAIN = TrainingJob(model="llama-3-8b", accelerator=H100, accelerators=64, tokens=1e12)
SERVE = ServingJob(model="llama-3.1-8b-instruct", accelerator=H100, batch=64)


def said(kind: str, ratios: tuple[float, ...], **changes: str) -> FactorTable:
    rows = own_rows(CATALOGUE, kind, ratios, **changes)
    return read_factors(CATALOGUE, as_csv(rows), file="mine.csv", day=DAY)


def test_runs_that_are_alike_become_one_factor_with_its_spread() -> None:
    table = said("training", (0.78, 0.8, 0.85))
    (factor,) = table.factors
    assert factor.ids == ("mine-1", "mine-2", "mine-3")
    entry = factor.run
    assert (entry.kind, entry.accelerator, entry.model, entry.precision, entry.method) == (
        "training", H100, "Llama-3-8B", "bf16", "full",
    )  # fmt: skip
    assert (entry.ratio, entry.runs, entry.day, entry.source) == (0.8, 3, DAY, "mine.csv")
    wide = np.exp(1.2816 * run_scatter(np.log([0.78, 0.8, 0.85])))
    assert (entry.low, entry.high) == (pytest.approx(0.8 / wide, rel=1e-3), pytest.approx(0.8 * wide, rel=1e-3))
    alone = said("serving", (1.2,)).factors[0].run
    assert (alone.engine, alone.ratio, alone.low, alone.runs) == ("vllm", 1.2, None, 1)


def test_more_runs_and_nearer_ones_are_believed_more() -> None:
    def kept(runs: int, spread: float) -> float:
        return combine_runs(
            [MeasuredRun(kind="training", accelerator=H100, ratio=0.8, low=0.8 / spread, high=0.8 * spread, runs=runs)],
            "job",
        ).ratio

    assert 0.8 < kept(10, 1.1) < kept(3, 1.1) < kept(1, 1.1) < kept(1, 1.5) < 1
    assert credibility(1, prior_runs("job")) == pytest.approx(4 / 5)
    assert credibility(3, 0.5, 2 * 0.07) == pytest.approx(3 / (3 + 0.5 * 4))


def test_a_factor_speaks_of_its_accelerator_and_its_model() -> None:
    job = TRAIN.model_copy(update={"measured": said("training", (0.8, 0.8, 0.8)).scenario_factors()})
    same = training_correction(CATALOGUE, job, H100)
    assert (same.like, same.runs) == ("job", 3)
    assert 0.8 < same.ratio < 0.83
    for other in ({"model": "llama-3-70b"}, {"precision": "fp8"}, {"method": "lora"}):
        pace = training_correction(CATALOGUE, job.model_copy(update=other), H100)
        assert pace.like == "accelerator"
        assert same.ratio < pace.ratio < 1
    assert training_correction(CATALOGUE, job, H200) == NO_RUNS


def test_a_service_goes_by_its_model_and_engine_only() -> None:
    job = SERVE.model_copy(update={"measured": said("serving", (1.2, 1.2)).scenario_factors()})
    assert serving_correction(CATALOGUE, job, H100).like == "job"
    assert serving_correction(CATALOGUE, job, H100).ratio > 1.1
    for other in ({"model": "llama-3.3-70b"}, {"engine": "sglang"}):
        assert serving_correction(CATALOGUE, job.model_copy(update=other), H100) == NO_RUNS
    assert serving_correction(CATALOGUE, job, H200) == NO_RUNS
    of_any = (MeasuredRun(kind="serving", accelerator=H100, ratio=1.2, runs=8),)
    pace = serving_correction(CATALOGUE, job.model_copy(update={"measured": of_any}), H100)
    assert (pace.like, pace.ratio) == ("accelerator", pytest.approx(1.2**0.5))


def test_the_whole_speed_is_so_many_times_as_fast_and_the_range_is_narrower() -> None:
    job = TRAIN.model_copy(update={"measured": said("training", (0.8, 0.8, 0.8)).scenario_factors()})
    plain, own = train(CATALOGUE, TRAIN).speed, train(CATALOGUE, job).speed
    pace = training_correction(CATALOGUE, job, H100)
    rate = own.tokens_per_s_per_accelerator
    assert rate.typical == pytest.approx(pace.ratio * plain.tokens_per_s_per_accelerator.typical)
    assert own.step_time_s == pytest.approx(plain.step_time_s / pace.ratio)
    assert own.days.high / own.days.low < plain.days.high / plain.days.low
    # What a team reaches of a published speed is measured as far as the runs are believed.
    reached = own.days.typical / plain.days.typical
    assert reached == pytest.approx(0.9**pace.kept / pace.ratio, rel=1e-3)

    serving = SERVE.model_copy(update={"measured": said("serving", (1.2, 1.2)).scenario_factors()})
    before, after = serve(CATALOGUE, SERVE), serve(CATALOGUE, serving)
    faster = serving_correction(CATALOGUE, serving, H100).ratio
    assert after.output_tokens_per_s == pytest.approx(faster * before.output_tokens_per_s)
    ends = [one.output_tokens_per_s_high / one.output_tokens_per_s_low for one in (before, after)]
    assert ends[1] == pytest.approx(ends[0] ** 0.7)


def test_among_many_accelerators_each_goes_by_its_own_runs() -> None:
    measured = (
        *said("training", (0.8, 0.8)).scenario_factors(),
        *said("training", (1.3,), accelerator=H200).scenario_factors(),
    )
    job = TRAIN.model_copy(update={"measured": measured})
    (row,) = across(CATALOGUE, job, (H100, H200, "A100-SXM4-80GB"), (64,))
    for found in row:
        alone = train(CATALOGUE, job.model_copy(update={"accelerator": found.accelerator})).speed
        assert found.tokens_per_s_per_accelerator == pytest.approx(alone.tokens_per_s_per_accelerator.typical)
        assert (found.days.low, found.days.high) == pytest.approx((alone.days.low, alone.days.high))


def test_what_is_brought_takes_the_place_of_its_kind() -> None:
    training, serving = said("training", (0.8,)), said("serving", (1.2,))
    both = merge_factors(merge_factors((), training), serving)
    assert {one.kind for one in both} == {"training", "serving"}
    again = merge_factors(both, said("training", (0.9,)))
    assert [one.ratio for one in again if one.kind == "training"] == [0.9]
    runs = [OwnRun(str(n), H100, f"m{n}", 9.0, 10.0, like={"accelerator": H100, "model": f"m{n}"}) for n in range(40)]
    assert len(merge_factors((), factors("training", runs, source="x", day=None))) == MOST_FACTORS


GOOD = own_rows(CATALOGUE, "training", (0.8,))[0]


@each_row(("change", "why"), [
    ({"tokens_per_s_per_accelerator": "fast"}, "line 2, column tokens_per_s_per_accelerator: want a number"),
    ({"tokens_per_s_per_accelerator": "1e12"}, "times what one H100-SXM5-80GB can compute of such a model; want"),
    ({"tokens_per_s_per_accelerator": "0.001"}, "of what one H100-SXM5-80GB can compute of such a model; want"),
    ({"tokens_per_s_per_accelerator": ""}, "no speed is measured"),
    ({"accelerator": "H1000"}, "unknown accelerator"),
    ({"model": "nobody-7", "params_b": ""}, "unknown shape"),
    ({"n_accelerators": "-1"}, "want a number"),
    ({"n_accelerators": "1e-300"}, "want a whole number"),
    ({"n_accelerators": "0"}, "the number of accelerators is not stated"),
])  # fmt: skip
def test_a_run_that_cannot_be_gone_by_says_why_and_the_others_count(change: dict[str, str], why: str) -> None:
    text = as_csv([{**GOOD, **change}, {**GOOD, "id": "good"}])
    table = read_factors(CATALOGUE, text, file="mine.csv", day=DAY)
    assert why in table.runs[0].why_not
    assert table.factors[0].ids == ("good",)
    with pytest.raises(PricingError, match=r"mine.csv: none of 1 run can be used: .* \(1 x\)"):
        read_factors(CATALOGUE, as_csv([{**GOOD, **change}]), file="mine.csv", day=DAY)


@each_row(("text", "wish"), [
    ("", "line 1: no column says what was measured. Want one or more for training runs tokens_per_s_per_acc"),
    ("a;b\n1;2\n", "no column says what was measured"),
    ("tokens_per_s_per_accelerator,tpot_ms\n", "columns of both kinds; separate the two"),
    ("tokens_per_s_per_accelerator\n1\n", "line 1: no column 'id'"),
    ('tokens_per_s_per_accelerator,"id\n', "not a CSV table"),
    (as_csv([GOOD, GOOD, GOOD]), "3 runs, want at most 2"),
    (as_csv([GOOD]).splitlines()[0], "none of 0 runs can be used: it holds no runs"),
])  # fmt: skip
def test_a_table_without_sense_is_one_sentence(text: str, wish: str) -> None:
    with pytest.raises(PricingError, match=rf"^mine.csv: .*{wish}"):
        read_factors(CATALOGUE, text, file="mine.csv", day=DAY, most=2)


def test_an_engine_that_no_plan_asks_for_is_said() -> None:
    rows = own_rows(CATALOGUE, "serving", (1.2,))
    table = factors_from_rows(CATALOGUE, "serving", [rows[0] | {"engine": "TensorRT 8.6"}], source="x", day=DAY)
    assert "no plan asks for its engine" in table.runs[0].why_not


@pytest.mark.parametrize("kind", ["training", "serving"])
def test_the_table_to_fill_in_wants_only_what_was_measured(kind: Kind) -> None:
    text = TABLES[kind].template
    assert kind_of(text, file="t.csv") == kind
    with pytest.raises(PricingError, match="no speed is measured"):
        read_factors(CATALOGUE, text, file="t.csv", day=DAY)
    filled = text.rstrip().rstrip(",") + ",4000\n"
    assert len(read_factors(CATALOGUE, filled, file="t.csv", day=DAY).factors) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["training", "serving"])
def test_half_of_the_published_runs_tell_the_other_half(kind: Kind) -> None:
    rows = published_runs(TABLES[kind])
    table = factors_from_rows(CATALOGUE, kind, rows, source="published", day=DAY)
    places: dict[tuple[str, str], list[OwnRun]] = {}
    for row, run in zip(rows, table.runs, strict=True):
        if run.like is not None:
            places.setdefault((row["source_title"], run.accelerator), []).append(run)
    before, after = [], []
    for runs in places.values():
        told = factors(kind, runs[::2], source="x", day=None)  # type: ignore[arg-type]
        for run in runs[1::2]:
            like = [
                factor.run
                for factor in told.factors
                if all(getattr(factor.run, k) == v for k, v in (run.like or {}).items())
            ]
            before.append(abs(log(run.ratio or 1)))
            after.append(abs(log((run.ratio or 1) / combine_runs(like, "job").ratio)))
    assert len(before) > 200
    assert np.median(after) < np.median(before)  # the fit has seen these sources: little is left for runs of one's own


def test_own_runs_of_work_without_tokens_are_of_the_accelerator_they_name() -> None:
    row = SERVED | {"id": "mine", "model": BERT, "task": "classification", "requests_per_s": "5000"}
    (run,) = factors_from_rows(CATALOGUE, "serving", [row], source="mine.csv", day=None).runs
    assert run.accelerator == H100
    assert dict(run.like or {}) == {"accelerator": H100, "model": BERT}
    assert run.unit == "requests/s"


SOURCES = np.array(["a", "b", "a", "c", "d", "d"])
STEPS = SolverSettings(rounds=25, tries=6, shorter=5, least_damping=1e-5, enough_share=1e-9)


X, Y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 3.0, 5.0, 7.0])


def line(published: Array, loss: Loss = SOFT, sd: float = 1e4) -> LeastSquaresProblem:
    """Runs that lie on a line, with a weak pull to nothing."""
    return LeastSquaresProblem(
        errors=lambda place: np.asarray(place[0] + place[1] * X - published), weight=np.ones(len(X)),
        centre=np.zeros(2), sd=np.full(2, sd), outlier=0.5, loss=loss,
    )  # fmt: skip


@pytest.mark.parametrize("loss", [SOFT, CAUCHY])
def test_the_least_is_found_and_no_step_makes_it_worse(loss: Loss) -> None:
    start, problem = np.array([0.5, 0.5]), line(Y, loss)
    assert minimize(problem, start, STEPS) == pytest.approx([1.0, 2.0], abs=1e-3)
    one = minimize(problem, start, SolverSettings(rounds=1, tries=6, shorter=5, least_damping=1e-5))
    assert problem.cost(problem.errors(one), one) < problem.cost(problem.errors(start), start)


def test_an_outlier_is_held_down_and_harder_by_cauchy() -> None:
    wild = Y + np.array([0.0, 0.0, 0.0, 20.0])
    start = np.array([1.0, 2.0])
    soft, cauchy = (np.abs(minimize(line(wild, loss), start, STEPS) - start).max() for loss in (SOFT, CAUCHY))
    plain = np.abs(np.polyfit(X, wild, 1)[::-1] - start).max()
    assert cauchy < 0.5 < soft < plain


def test_a_constant_is_drawn_to_its_prior() -> None:
    assert minimize(line(Y, sd=1e-3), np.array([0.5, 0.5]), STEPS) == pytest.approx([0.0, 0.0], abs=1e-2)


def test_every_group_is_left_out_once_and_alone() -> None:
    seen: list[list[str]] = []

    def errors(out: np.ndarray) -> Array:
        seen.append(SOURCES[out].tolist())
        return np.arange(float(out.sum()))

    assert leave_one_group_out_errors(SOURCES, errors).tolist() == [0, 0, 1, 0, 0, 1]
    assert seen == [["a", "a"], ["b"], ["c"], ["d", "d"]]
    assert np.isnan(leave_one_group_out_errors(["a", "a"], errors)).all()  # nothing would be left to fit to


def test_half_of_the_sources_are_left_out_in_every_draw_and_the_draws_are_the_same_each_time() -> None:
    first, again = (leave_half_out_errors(SOURCES, lambda out: np.ones(int(out.sum()))) for _ in range(2))
    assert all(len(set(SOURCES[np.isfinite(line)])) == 2 for line in first)
    assert np.array_equal(first, again, equal_nan=True)


def test_a_band_holds_what_its_runs_were_and_needs_enough_of_them() -> None:
    errors, names = np.linspace(-0.1, 0.1, 6), [("x", "y")] * 5 + [("x",)]
    bands = bands_by_group(names, errors, tells=lambda _, runs: runs > 5)
    assert bands.keys() == {"x"}
    assert 0.9 < bands["x"].low < 1 < bands["x"].high < 1.11
    assert bands["x"].rows == 6


def test_a_fit_is_judged_by_all_then_kinds_then_sources_with_the_worst_first() -> None:
    groups = judged([("dense", "near", 0.01), ("dense", "far", 0.5), ("moe", "near", 0.02)])
    assert [(group.by, group.name) for group in groups] == [
        ("all", "all"), ("kind", "dense"), ("kind", "moe"), ("source", "far"), ("source", "near"),
    ]  # fmt: skip


def test_one_source_is_too_few_to_judge_a_fit() -> None:
    check_enough_sources("serving", ["a", "b"])
    with pytest.raises(PricingError, match="serving: runs of 1 sources can be fitted to, want at least 2"):
        check_enough_sources("serving", ["a", "a"])
