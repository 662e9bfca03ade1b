from dataclasses import replace
from datetime import date
from functools import cache

import numpy as np
import pytest

from planner.evidence.checked import CheckedRun, skip_counts, summary
from planner.evidence.serving.check import check_serving
from planner.evidence.serving.observed import ServingObservation, read_observations
from planner.evidence.serving.runs import read_run
from planner.evidence.table import SERVING, SkippedRunError, published_runs, read_run_rows
from planner.speed.serving.cases import NAMES, ServingConstants
from planner.speed.serving.chips import serving_data
from planner.speed.serving.lookup import find_chip, find_engine, find_period, find_shape, parse_published_day
from pricing.strict_yaml import read
from tests.evidence.golden import serving_rows
from tests.evidence.mine import as_csv
from tests.facts import CATALOGUE
from tests.rows import each_row
from tools.calibrate import calibrate
from tools.calibration.first_tokens import FIRST_TOKEN, fit_first_tokens, waited
from tools.calibration.observed import FittedObservations
from tools.calibration.serving import EXPECTED, expected, fit, leave_one_group_out, refit, weights_of

pytestmark = pytest.mark.slow

ROWS = serving_rows()
PLAIN = next(row for row in ROWS if row["id"] == "R0002")


@cache
def checked() -> list[CheckedRun]:
    """All rows beside what is predicted of them, worked out by the first test that asks."""
    return check_serving(CATALOGUE, ROWS)


def test_every_row_is_predicted_or_skipped_for_a_reason() -> None:
    assert [one.id for one in checked()] == [row["id"] for row in ROWS]
    for one in checked():
        predicted = one.rate
        assert (predicted is None) == (one.skipped_reason is not None), one.id
    assert any(one.skipped_reason for one in checked())


def test_published_runs_of_every_source_are_near() -> None:
    # The first and the middle row of each source, taken before anybody looked at their errors.
    errors = np.array([one.error for one in checked() if one.error is not None])
    assert len(errors) > 60
    assert np.median(np.abs(errors)) < 0.12
    assert np.mean(np.abs(np.exp(errors) - 1) < 0.25) > 0.65


def test_what_ran_is_said_to_fit() -> None:
    ran = [one for one in checked() if one.fits is not None]
    assert sum(not one.fits for one in ran) <= 0.02 * len(ran)


def test_the_band_holds_the_prediction() -> None:
    for one in checked():
        if one.low is not None and one.high is not None:
            assert one.low < (one.rate or 0) < one.high


def test_the_summary_counts_rows_and_skips() -> None:
    lines = summary(checked())
    whole = next(line for line in lines if line.by == "all")
    assert whole.n + whole.skipped + sum(one.error is None and not one.skipped_reason for one in checked()) == len(ROWS)
    assert whole.skipped == sum(skip_counts(checked()).values())
    for by in ("source", "accelerator", "kind", "precision", "engine", "scale"):
        assert sum(line.n for line in lines if line.by == by) == whole.n


def test_constants_of_your_own_are_used() -> None:
    slow = ServingConstants(**{name: 0.1 if name == "flops_share" else 1.0 for name in NAMES})
    assert check_serving(CATALOGUE, [PLAIN], slow)[0].error != check_serving(CATALOGUE, [PLAIN])[0].error


@each_row(("change", "why"), [
    ({"quality": "C"}, "tier C"), ({"task": "llm-prefill"}, "writes tokens"),
    ({"model": "Unheard-of"}, "unknown shape"), ({"model": "Nemotron-Nano-9B-v2"}, "other layers beside attention"),
    ({"accelerator": "Abacus"}, "unknown accelerator"), ({"n_accelerators": ""}, "number of accelerators"),
    ({"counted": "prompts"}, "prompts only"), ({"counted": "pool"}, "one pool"),
    ({"accelerator_inferred": "yes"}, "name of a queue"), ({"data_parallel": "8"}, "several replicas"),
])  # fmt: skip
def test_a_row_that_says_too_little_is_skipped_with_its_reason(change: dict[str, str], why: str) -> None:
    with pytest.raises(SkippedRunError, match=why):
        read_run(CATALOGUE, {**PLAIN, **change})


def mlperf(model: str, limit: str = "") -> dict[str, str]:
    """A submission that says no more than MLPerf's logs do."""
    said = {"input_tokens": "", "output_tokens": "1300", "mode": "server" if limit else "offline", "engine": "TensorRT"}
    named = {"model": model, "accelerator": "B300-SXM-288GB", "n_accelerators": "8", "weight_precision": "fp4"}
    plain = {**PLAIN, "tp": "", "published": "2026-04", "source_title": "MLPerf", "tpot_limit_ms": limit}
    return {**plain, **said, **named}


def test_prompts_are_those_of_the_benchmark() -> None:
    assert read_run(CATALOGUE, mlperf("gpt-oss-120b")).case.traffic.input_tokens == 8_000  # papers to be summed up
    assert read_run(CATALOGUE, mlperf("Mixtral-8x7B")).case.traffic.input_tokens == 500


def test_four_bits_are_those_a_model_is_published_in() -> None:
    assert read_run(CATALOGUE, mlperf("gpt-oss-120b")).setup.precision == "mxfp4"
    assert read_run(CATALOGUE, mlperf("Llama-2-70B")).setup.precision == "fp4"


def test_a_promise_that_no_single_token_keeps_is_kept_with_drafts() -> None:
    tight, loose = (mlperf("DeepSeek-R1", limit) for limit in ("15", "80"))
    assert read_run(CATALOGUE, tight).case.traffic.draft_tokens == 3
    assert read_run(CATALOGUE, loose).case.traffic.draft_tokens == 0
    assert read_run(CATALOGUE, {**PLAIN, "draft_tokens": "1"}).case.traffic.draft_tokens == 1
    drafted = check_serving(CATALOGUE, [{**tight, "output_tokens_per_s_total": "5000"}])[0]
    assert drafted.rate is not None
    assert drafted.rate > 1_000


def test_requests_that_are_looked_for_seldom_wait_longer_for_their_first_token() -> None:
    row = mlperf("Llama-2-70B")
    always, seldom = check_serving(CATALOGUE, [row, {**row, "polled_steps": "9"}])
    assert seldom.predicted["ttft_ms"] > 1.3 * always.predicted["ttft_ms"]
    assert seldom.predicted["tpot_ms"] == pytest.approx(always.predicted["tpot_ms"], rel=0.1)


def test_submissions_are_tuned_whatever_engine_they_name() -> None:
    named = {"engine": "vLLM", "model": "Llama-2-70B"}
    tuned, plain = ({**mlperf("Llama-2-70B"), **named, "source_title": title} for title in ("MLPerf", ""))
    assert read_run(CATALOGUE, tuned).setup.period.scheduler == "native"
    plain["published"] = "2025-09"
    assert read_run(CATALOGUE, plain).setup.period.scheduler == "inline"


def test_a_rate_in_requests_is_compared_too() -> None:
    row = {**PLAIN, "output_tokens_per_s_total": "", "requests_per_s": "200"}
    one = check_serving(CATALOGUE, [row])[0]
    assert one.compared == "requests_per_s"
    assert one.error == pytest.approx(np.log(one.predicted["requests_per_s"] / 200))


def test_users_who_wait_for_their_answers_tell_the_time_between_tokens() -> None:
    row = {**PLAIN, "mode": "server", "output_tokens_per_s_total": "", "tpot_ms": "20", "concurrency_or_batch": "32"}
    (observation,) = read_observations(CATALOGUE, [row])
    assert (observation.kind, observation.per_s, observation.run.case.traffic.batch) == ("token", 50.0, 32.0)


def test_what_is_left_out_is_predicted_and_not_fitted() -> None:
    row = next(row for row in published_runs(SERVING) if row["id"] == "R3704")
    assert check_serving(CATALOGUE, [row])[0].error is not None
    assert read_observations(CATALOGUE, [row]) == []


def test_experts_are_spread_where_many_are_served_and_nobody_says() -> None:
    row = {**PLAIN, "model": "Qwen3-235B-A22B", "n_accelerators": "8", "tp": "8", "published": "2026-05"}
    assert read_run(CATALOGUE, {**row, "mode": "offline"}).case.layout.attention_ranks == 8
    assert read_run(CATALOGUE, {**row, "mode": "server"}).case.layout.attention_ranks == 1


def test_an_empty_table_is_checked_too() -> None:
    assert check_serving(CATALOGUE, []) == []
    assert summary([]) == []


@each_row(("called", "found"), [
    ("Llama-3.1-70B-Instruct", "Llama-3.1-70B"), ("gemma-3-27b-it", "Gemma-3-27B"),
    ("Qwen3-235B-A22B-Thinking-2507-FP8", "Qwen3-235B-A22B"),
    ("NVIDIA/Llama-3.3-70B-Instruct-FP4", "Llama-3.3-70B"), ("DeepSeek-R1-0528", "DeepSeek-R1"),
    ("CodeLlama-13b-hf", "Llama-2-13B"), ("Llama2-7B EXL2 4.0bpw", None),
])  # fmt: skip
def test_tuned_and_quantised_models_have_the_shape_of_their_base(called: str, found: str | None) -> None:
    if found is not None:
        assert find_shape(CATALOGUE, called).name == found
    else:
        assert find_shape(CATALOGUE, called).shape.layers == 32


def test_a_slice_has_part_of_memory_and_of_compute() -> None:
    whole, slice_ = find_chip(CATALOGUE, "A100-SXM4-80GB"), find_chip(CATALOGUE, "A100-SXM4-80GB MIG 1g.10gb")
    assert slice_.memory_bytes == pytest.approx(whole.memory_bytes / 8)
    assert slice_.bandwidth == pytest.approx(whole.bandwidth / 8)
    assert slice_.flops_16bit == pytest.approx(whole.flops_16bit / 7, rel=0.01)


@each_row(
    ("called", "family"),
    [("TensorRT-LLM backend (Triton)", "trtllm"), ("vLLM (ROCm)", "vllm"), ("Ollama/llama.cpp", "local"),
     ("SGLang (Dynamo disagg)", "sglang"), ("LMDeploy", "lmdeploy"), ("Home-made", "other")],
)  # fmt: skip
def test_engines_are_known_by_their_names(called: str, family: str) -> None:
    assert find_engine(called) == family


def test_how_an_engine_works_depends_on_the_day() -> None:
    assert find_period("vllm", parse_published_day("2024-10")).step_tokens == 512
    assert find_period("vllm", parse_published_day("2025-09")).step_tokens == 8_192
    assert find_period("sglang", parse_published_day("2024-05")).scheduler == "inline"
    assert find_period("sglang", parse_published_day("2025-09")).scheduler == "hidden"
    assert find_period("trtllm", parse_published_day("2019")).old_grouped  # older than the oldest: as the oldest


@each_row("change", [
    {"prefill_instances": "0", "decode_instances": "0"}, {"prefill_instances": "1"}, {"arrivals_per_s": "0"},
    {"arrivals_per_s": "."}, {"ttft_limit_ms": ".", "tpot_limit_ms": "0"}, {"data_parallel": "99999999999"},
    {"draft_tokens": "many"}, {"batching": "sometimes"},
])  # fmt: skip
def test_cells_that_make_no_sense_break_nothing(change: dict[str, str]) -> None:
    (one,) = check_serving(CATALOGUE, [{**PLAIN, **change}])
    assert one.skipped_reason or one.rate


@pytest.mark.parametrize(("change", "why"), [
    ({"batching": "sometimes"}, "column batching: want one of static, average, continuous, got 'sometimes'"),
    ({"overloaded": "perhaps"}, "column overloaded: want one of yes"),
    ({"decode_instances": "1.5"}, "column decode_instances: want a whole number"),
])  # fmt: skip
def test_a_cell_outside_its_choices_is_skipped_with_its_column(change: dict[str, str], why: str) -> None:
    (row,) = read_run_rows(as_csv([{**PLAIN, **change}]), SERVING, file="mine.csv")
    with pytest.raises(SkippedRunError, match=why):
        read_run(CATALOGUE, row)


def test_columns_bound_a_service() -> None:
    limited = {"arrivals_per_s": "4", "ttft_limit_ms": "450", "tpot_limit_ms": "40"}
    run = read_run(CATALOGUE, {**PLAIN, **limited, "prefill_instances": "1", "decode_instances": "3"})
    assert (run.arrivals_per_s, run.limit_ttft_s, run.limit_tpot_s) == (4.0, 0.45, 0.04)
    assert run.case.layout.prompt_replicas == pytest.approx(1 / 3)


def test_notes_are_for_people() -> None:
    said = "static batch; arrival QPS=1; TTFT 1 ms / TPOT 1 ms; 1P:3D; INPUT tokens; data_parallel=8; MTP=2"
    assert repr(read_run(CATALOGUE, {**PLAIN, "notes": said, "basis": said})) == repr(read_run(CATALOGUE, PLAIN))


@pytest.mark.parametrize("change", [{"n_accelerators": "1e-9"}, {"input_tokens": "1e16"}, {"output_tokens": "1e-9"}])
def test_numbers_beyond_all_sense_are_skipped_or_predicted(change: dict[str, str]) -> None:
    (one,) = check_serving(CATALOGUE, [{**PLAIN, **change}])
    assert one.skipped_reason or 0 < (one.rate or 0) < np.inf


def test_a_table_is_not_asked_back() -> None:
    for change in (
        {"accelerator": "H100"},
        {"accelerator": "NVIDIA H100 80GB HBM3"},
        {"weight_precision": "FP8_E4M3"},
        {"weight_precision": "roman"},
        {"engine": "an engine of my own"},
        {"task": "chat"},
    ):
        assert read_run(CATALOGUE, {**PLAIN, **change}).case.machine.flops > 0


def test_weights_of_unstated_width_are_taken_to_fit() -> None:
    row = {**PLAIN, "model": "Qwen3-Coder-480B-A35B", "weight_precision": "", "n_accelerators": "8"}
    assert read_run(CATALOGUE, row).setup.precision == "fp8"
    assert read_run(CATALOGUE, {**row, "n_accelerators": "16"}).setup.precision == "bf16"
    assert read_run(CATALOGUE, {**row, "n_accelerators": "4"}).setup.precision == "int4"


def test_what_ran_in_a_width_that_does_not_fit_ran_as_published() -> None:
    """A table says the width of what is beside the experts: 234 GB in 16 bits are not on a card of 80."""
    said = {**PLAIN, "model": "gpt-oss-120b", "accelerator": "H100-SXM5-80GB", "n_accelerators": "1", "tp": ""}
    assert read_run(CATALOGUE, {**said, "weight_precision": "bf16"}).setup.precision == "mxfp4"
    assert read_run(CATALOGUE, {**said, "weight_precision": "bf16", "n_accelerators": "8"}).setup.precision == "bf16"


def test_a_model_nobody_knows_is_predicted_from_its_size_with_a_wide_band() -> None:
    known, named, stated = check_serving(
        CATALOGUE, [PLAIN, {**PLAIN, "model": "Unheard-of-8B"}, {**PLAIN, "model": "Unheard-of", "params_b": "8"}]
    )
    for one in (named, stated):
        assert one.rate == pytest.approx(known.rate, rel=0.3)
        assert (one.high or 0) / (one.low or 1) > (known.high or 1) / (known.low or 1)


def test_what_is_not_fitted_are_guesses() -> None:
    row = {**PLAIN, "id": "1", "output_tokens_per_s_total": "9000"}
    assert len(read_observations(CATALOGUE, [row])) == 1
    assert read_observations(CATALOGUE, [{**row, "model": "Unheard-of-8B"}]) == []


@cache
def observed_rows() -> list[ServingObservation]:
    """All rows that constants are fitted to."""
    return read_observations(CATALOGUE, ROWS)


def test_constants_that_made_the_figures_are_found_again() -> None:
    truth = replace(expected(), flops_share=0.6, bandwidth_share=0.8, layer_us=120.0, inline_sequence_us=70.0)
    made = FittedObservations.of(observed_rows() * 30).unleveled()  # so many that what was expected hardly pulls
    made = replace(made, per_s=made.per_s * np.exp(made.log_errors(truth)))
    assert np.abs(made.log_errors(truth)).max() < 1e-9
    found = fit(made, free=("flops_share", "bandwidth_share", "layer_us", "inline_sequence_us"))
    for name in ("flops_share", "bandwidth_share", "layer_us", "inline_sequence_us"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=0.03)


def test_a_fit_is_nearer_than_what_was_expected() -> None:
    made = FittedObservations.of(observed_rows())
    before, after = made.log_errors(expected()), made.log_errors(refit(CATALOGUE, ROWS))
    assert np.median(np.abs(after)) < np.median(np.abs(before))


@pytest.mark.slow
def test_what_is_left_out_does_not_touch_its_own_constants() -> None:
    groups = [one.source for one in observed_rows()]
    observed = FittedObservations.of(observed_rows())
    errors, without = leave_one_group_out(observed, groups, fit(observed))
    assert np.isfinite(errors).all()
    assert set(without) == set(groups)
    wild = FittedObservations.of(
        [replace(one, per_s=one.per_s * (9 if one.source == groups[0] else 1)) for one in observed_rows()]
    )
    same = leave_one_group_out(wild, groups, fit(wild))[1][groups[0]]
    assert same.bandwidth_share == pytest.approx(without[groups[0]].bandwidth_share, rel=0.02)


def test_each_source_counts_the_same() -> None:
    weights = weights_of(FittedObservations.of(observed_rows()))
    totals: dict[str, float] = {}
    for one, weight in zip(observed_rows(), weights, strict=True):
        totals[f"{one.source} {one.kind}"] = totals.get(f"{one.source} {one.kind}", 0) + weight
    rows = {name: sum(f"{one.source} {one.kind}" == name for one in observed_rows()) for name in totals}
    for name, total in totals.items():  # all of them are small here: each row weighs the same
        assert total / rows[name] == pytest.approx(weights[0])


@pytest.mark.slow
def test_what_is_written_can_be_read_again() -> None:
    data = read(calibrate("serving", CATALOGUE, ROWS, date(2026, 11, 21)).text, file="made.yaml")
    assert data["fit"]["rows"] == len(observed_rows())
    assert set(data["constants"]) == set(NAMES) == {*EXPECTED, *FIRST_TOKEN}


def test_the_data_file_holds_every_constant_inside_its_range() -> None:
    constants = serving_data().constants
    assert set(constants) == set(NAMES)
    for name, constant in constants.items():
        assert constant.low <= constant.value <= constant.high, name
    for name, band in serving_data().bands.items():
        assert band.low < 1.2, name
        assert band.low < band.high, name


@pytest.mark.slow
def test_constants_of_first_tokens_foretell_what_they_made() -> None:
    seen = waited(CATALOGUE, published_runs(SERVING), serving_data().values())
    assert len(set(seen.source)) > 3
    assert not {run for group in serving_data().left_out for run in group.runs} & set(seen.ids)
    truth = replace(serving_data().values(), first_token_ms=20.0, prompt_layer_us=800.0, compiled_steps_waited=6.0)
    made = replace(seen, published_s=seen.published_s * np.exp(-seen.log_errors(truth)))
    assert np.median(np.abs(made.log_errors(serving_data().values()))) > 0.05
    found = fit_first_tokens(made, serving_data().values())
    assert np.median(np.abs(made.log_errors(found))) < 0.05  # layers of different kinds go together: not one by one
    assert found.layer_us == serving_data().values().layer_us  # the others stay as they are
