"""From a job to an answer: layouts, time, ways to fit, and what is refused."""

import re
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from planner.network.record import build_network
from planner.speed.hardware import InvalidJobError, hardware
from planner.speed.training import TrainingJob, TrainingResult, train
from planner.speed.training.across import unknown_speed
from planner.speed.training.goodput import compute_optimal_tokens, effective_fresh_tokens, reliability, useful_share
from planner.speed.training.layout import valid_layouts
from planner.speed.training.plan import ANY_LAYOUT
from planner.speed.training.train import base_plan
from pricing import Catalogue, PricingError
from pricing.records import Accelerator
from tests.network.models import with_model
from tests.rows import each_row

H100 = "H100-SXM5-80GB"


def asked(catalogue: Catalogue, **said: Any) -> TrainingResult:
    return train(catalogue, TrainingJob(**({"model": "Llama-3-8B", "accelerator": H100, "accelerators": 8} | said)))


def test_the_waterfall_adds_up_to_the_step(catalogue: Catalogue) -> None:
    speed = asked(catalogue, accelerators=64).speed
    assert sum(part.seconds for part in speed.waterfall) == pytest.approx(speed.step_time_s)
    assert sum(part.share for part in speed.waterfall) == pytest.approx(1.0)
    assert speed.waterfall[0].share == pytest.approx(speed.mfu, rel=1e-6)


def test_all_layouts_of_a_large_job_are_weighed_and_the_best_is_first(catalogue: Catalogue) -> None:
    result = asked(
        catalogue, model="GPT-3-175B", accelerator="A100-SXM4-80GB", accelerators=4_096, seq_len=2_048,
        global_batch_sequences=4_096,
    )  # fmt: skip
    assert result.layouts_evaluated > 1_000
    layouts = [result.speed.layout, *result.speed.runners_up]
    rates = [layout.tokens_per_s_per_accelerator for layout in layouts]
    assert rates == sorted(rates, reverse=True)
    plans = [layout.plan for layout in layouts]
    assert all(plan.tp * plan.pp * plan.cp * plan.dp == 4_096 for plan in plans)
    assert all(layout.memory_gb <= result.memory_gb for layout in layouts)
    assert result.excluded["does not fit in memory"] > 0


def test_a_stated_layout_is_kept_and_never_beats_the_search(catalogue: Catalogue) -> None:
    free, fixed = asked(catalogue, accelerators=64), asked(catalogue, accelerators=64, tp=4, pp=2)
    assert (fixed.speed.layout.plan.tp, fixed.speed.layout.plan.pp) == (4, 2)
    assert fixed.speed.tokens_per_s_per_accelerator.typical <= free.speed.tokens_per_s_per_accelerator.typical


def test_what_does_not_fit_says_what_would_help(catalogue: Catalogue) -> None:
    answer = asked(catalogue, model="Llama-3.1-70B", seq_len=8_192)
    assert not answer.fits
    assert answer.speed is None
    assert answer.least_memory_gb > answer.memory_gb
    assert [way.accelerators for way in answer.ways_to_fit] == [8, 16]


def test_more_memory_never_stops_fitting_and_more_accelerators_never_take_longer(catalogue: Catalogue) -> None:
    days = []
    for key, count in ((H100, 16), ("H200-SXM-141GB", 16), ("H200-SXM-141GB", 64)):
        answer = asked(catalogue, model="Llama-3.1-70B", accelerator=key, accelerators=count, tokens=1e12)
        assert answer.fits
        days.append(answer.speed.days.typical)
    assert days[1] <= days[0]
    assert days[2] < days[1] / 3


@each_row(("said", "wish"), [
    ({"model": ""}, "no model is named"), ({"tp": 16}, "nearest: 8"), ({"tp": 3}, "nearest: 2 or 4"),
    ({"pp": 64, "accelerators": 64}, "more stages than layers"), ({"pp": 3}, "nearest: 2 or 4"),
    ({"tp": 2, "pp": 1, "global_batch_sequences": 6}, "nearest: 4 or 8"), ({"ep": 4}, "no experts"),
    ({"cp": 3}, "nearest: 2 or 4"), ({"model": "Qwen3-30B-A3B", "ep": 7}, "nearest: 4 or 8"),
    ({"model": "ResNet-50"}, "learns from pictures"),
])  # fmt: skip
def test_what_cannot_be_is_refused_with_the_nearest_that_can(
    catalogue: Catalogue, said: dict[str, Any], wish: str
) -> None:
    with pytest.raises((InvalidJobError, PricingError), match=wish):
        asked(catalogue, **said)


def test_a_network_of_ones_own_is_trained_as_a_record_of_its_own(catalogue: Catalogue) -> None:
    shape = {"layers": 24, "hidden": 2_048, "heads": 16, "head_dim": 128, "ffn_hidden": 8_192, "vocab": 50_304}
    answer = asked(with_model(catalogue, "mine", attention="MHA", params_b=1.8, **shape), model="mine")
    assert answer.fits
    assert answer.params == 1.8e9


@pytest.mark.parametrize(
    "wrong", [{"accelerators": 0}, {"tokens": float("nan")}, {"tp": "2"}, {"colour": "red"}, {"precision": "int3"}]
)
def test_bad_input_is_refused(catalogue: Catalogue, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        asked(catalogue, **wrong)


def test_adapters_need_less_and_frozen_layers_run_faster(catalogue: Catalogue) -> None:
    full, lora, qlora = (asked(catalogue, method=method) for method in ("full", "lora", "qlora"))
    assert lora.speed.tokens_per_s_per_accelerator.typical > full.speed.tokens_per_s_per_accelerator.typical
    assert asked(catalogue, model="Llama-3.1-70B", accelerators=1, method="qlora", seq_len=2_048).fits
    assert not asked(catalogue, model="Llama-3.1-70B", accelerators=1, method="lora", seq_len=2_048).fits
    frozen = asked(catalogue, method="frozen", trainable_share=0.25).speed
    assert frozen.tokens_per_s_per_accelerator.typical > 1.5 * full.speed.tokens_per_s_per_accelerator.typical
    assert qlora.fits


def test_tokens_default_to_what_fits_the_model_best(catalogue: Catalogue) -> None:
    answer = asked(catalogue)
    assert answer.tokens == pytest.approx(20 * answer.active_params)
    assert compute_optimal_tokens(1e10) == 2e11


def test_ones_own_measured_run_moves_the_answer(catalogue: Catalogue) -> None:
    plain, measured = asked(catalogue).speed, asked(catalogue, measured_over_predicted=0.8).speed
    assert measured.tokens_per_s_per_accelerator.typical < plain.tokens_per_s_per_accelerator.typical


def test_a_team_takes_longer_than_a_table(catalogue: Catalogue) -> None:
    days = []
    for team in ("vendor_tuned", "experienced", "ordinary"):
        speed = asked(catalogue, team=team).speed
        assert speed.days.low <= speed.days.typical <= speed.days.high
        days.append(speed.days.typical)
    assert days == sorted(days)


def test_llama_3_kept_nine_tenths_of_its_time(catalogue: Catalogue) -> None:
    often = reliability(catalogue, accelerators=16_384.0, params=405.9e9, team="experienced")
    assert float(often.hours_between_stops) == pytest.approx(3.09, rel=0.01)
    assert float(often.useful_share) == pytest.approx(0.9, abs=0.03)


def test_everybodys_jobs_stop_as_often_as_was_measured(catalogue: Catalogue) -> None:
    often = reliability(catalogue, accelerators=1_024.0, params=1e9, team="ordinary")
    assert float(often.hours_between_stops) == pytest.approx(7.9)
    small = reliability(catalogue, accelerators=8.0, params=1e9, team="ordinary")
    assert float(small.hours_between_stops) == pytest.approx(47.7 * 24, rel=0.15)


def test_the_interval_of_young_is_the_best_there_is(catalogue: Catalogue) -> None:
    often = reliability(catalogue, accelerators=512.0, params=70e9, team="ordinary")
    tried = float(often.checkpoint_interval_hours) * np.array([0.25, 0.5, 1.0, 2.0, 4.0])
    shares = useful_share(
        interval_hours=tried, checkpoint_hours=often.checkpoint_hours, restart_hours=often.restart_hours,
        hours_between_stops=often.hours_between_stops,
    )  # fmt: skip
    assert int(np.argmax(shares)) == 2
    assert useful_share(interval_hours=1.0, checkpoint_hours=0.1, restart_hours=2.0, hours_between_stops=1.0) == 0.0


def test_repeated_data_is_worth_less_and_less() -> None:
    worth = effective_fresh_tokens(unique_tokens=1.0, tokens=np.array([0.5, 1.0, 4.0, 16.0, 40.0]))
    assert worth == pytest.approx([0.5, 1.0, 3.73, 10.6, 15.2], rel=0.01)


def test_warnings_speak_up(catalogue: Catalogue) -> None:
    said = " ".join(asked(catalogue, seq_len=16_384, tokens=1e14, accelerator="Gaudi3-128GB", precision="fp8").warnings)
    assert "longer than" in said
    assert "no faster in fp8" in said


@pytest.mark.parametrize("precision", ["fp8", "fp4"])
def test_no_chip_trains_in_a_precision_that_it_has_no_units_for(catalogue: Catalogue, precision: str) -> None:
    def rate(chip: Accelerator) -> object:
        eight = chip.fp8_dense_tflops or (chip.int8_dense_tops if chip.kind == "tpu" else None)
        return chip.fp4_dense_tflops if precision == "fp4" else eight

    without = [key for key, chip in catalogue.accelerators.items() if rate(chip) is None]
    with_units = [key for key in catalogue.accelerators if key not in without]
    assert {"A100-SXM4-80GB", "V100-SXM2-32GB"} <= set(without)
    assert ("H100-SXM5-80GB" in without) == (precision == "fp4")
    for key in set(without) - set(unknown_speed(catalogue)):
        label = re.escape(catalogue.accelerators[key].label)
        with pytest.raises(
            InvalidJobError, match=f"{label}: no {precision} units are on record.*; choose .*(bf16|fp16|fp32)"
        ):
            asked(catalogue, accelerator=key, precision=precision)
    assert set(without) <= set(unknown_speed(catalogue, precision))
    assert set(unknown_speed(catalogue, precision)) - set(unknown_speed(catalogue)) <= set(without)
    assert len(with_units) >= 8
    fits = asked(catalogue, accelerator="B200-SXM-180GB", accelerators=64, precision=precision)
    assert fits.speed is not None


def test_a_slice_is_a_small_accelerator(catalogue: Catalogue) -> None:
    whole, slice_ = (
        asked(
            catalogue,
            model="Qwen2.5-0.5B",
            accelerator="A100-SXM4-40GB",
            accelerators=1,
            method="lora",
            mig_profile=cut,
        )
        for cut in (None, "1g.10gb")
    )
    assert slice_.fits
    assert slice_.memory_gb == pytest.approx(whole.memory_gb / 4)
    assert slice_.speed is not None
    assert whole.speed is not None
    rates = [each.speed.tokens_per_s_per_accelerator.typical for each in (whole, slice_) if each.speed]
    assert 4 < rates[0] / rates[1] < 8
    with pytest.raises(InvalidJobError, match=r"no slice '9g'; there are: 1g.5gb"):
        asked(catalogue, accelerator="A100-SXM4-40GB", accelerators=1, mig_profile="9g")
    with pytest.raises(InvalidJobError, match="do not work together"):
        asked(catalogue, accelerator="A100-SXM4-40GB", accelerators=2, mig_profile="1g.10gb")


def test_repeated_tokens_are_shown_for_what_they_are_worth(catalogue: Catalogue) -> None:
    assert asked(catalogue, tokens=1e10).fresh_tokens_worth == 1e10
    assert asked(catalogue, tokens=1.6e11, unique_tokens=1e10).fresh_tokens_worth == pytest.approx(1.06e11, rel=0.01)


def test_a_chip_without_rates_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(InvalidJobError, match="neither the 16-bit rate nor the bandwidth"):
        asked(catalogue, accelerator="RTX-2000E-Ada-16GB")


@pytest.mark.parametrize(
    ("said", "kept"), [(True, "full"), (False, "none"), ("selective", "selective"), ("full", "full"), (None, None)]
)
def test_files_of_before_there_were_levels_of_recompute_are_read(said: Any, kept: str | None) -> None:
    assert TrainingJob(accelerator=H100, recompute=said).recompute == kept
    with pytest.raises(ValidationError):
        TrainingJob.model_validate({"accelerator": H100, "recompute": "some"})


def test_recompute_trades_speed_for_memory_in_three_steps(catalogue: Catalogue) -> None:
    fixed: dict[str, Any] = {"accelerator": "H200-SXM-141GB", "tp": 1, "pp": 1, "micro_batch": 2, "zero": "zero3"}
    speeds = [asked(catalogue, recompute=level, **fixed).speed for level in ("none", "selective", "full")]
    layouts = [speed.layout for speed in speeds if speed is not None]
    assert [(layout.plan.recompute, layout.plan.selective) for layout in layouts] == [(0, 0), (0, 1), (1, 0)]
    rates, sizes = [layout.tokens_per_s_per_accelerator for layout in layouts], [layout.memory_gb for layout in layouts]
    assert rates == sorted(rates, reverse=True)
    assert sizes == sorted(sizes, reverse=True)
    assert rates[1] > 0.95 * rates[0]  # it repeats no matrix product


def test_whole_copies_in_each_node_pay_where_the_network_is_slow(catalogue: Catalogue) -> None:
    fixed: dict[str, Any] = {"accelerators": 64, "tp": 1, "pp": 1, "cp": 1}
    rates = {}
    for network in (3.0, 400.0):
        for zero in ("zero3", "hybrid"):
            speed = asked(catalogue, zero=zero, network_gb_s=network, **fixed).speed
            assert speed.layout.plan.shard_ranks == (8 if zero == "hybrid" else 0)
            rates[network, zero] = speed.layout.tokens_per_s_per_accelerator
    gain = {network: rates[network, "hybrid"] / rates[network, "zero3"] for network in (3.0, 400.0)}
    assert gain[3.0] > 1.05
    assert gain[3.0] > gain[400.0]
    assert not asked(catalogue, accelerators=8, zero="hybrid").fits  # one node is one group: nothing to be hybrid


def test_a_search_weighs_hybrid_sharding_within_racks(catalogue: Catalogue) -> None:
    job = TrainingJob(accelerator="GB200-NVL72-186GB", accelerators=288)
    chip = hardware(job.accelerator, catalogue.accelerators[job.accelerator])
    shape = build_network(catalogue.models["Llama-3-8B"])
    table = valid_layouts(shape, chip, base_plan(job, batch=1_152), ANY_LAYOUT, {})
    hybrid = table["shard_ranks"] > 0
    assert hybrid.any()
    assert set(table["shard"][hybrid]) == {3.0}
    assert (table["shard_ranks"] * table["tp"])[hybrid].max() == 72
    assert ((table["dp"] * table["cp"])[hybrid] % table["shard_ranks"][hybrid] == 0).all()


def test_watts_held_down_slow_a_job_and_a_cap_above_them_does_not(catalogue: Catalogue) -> None:
    rates = []
    for watts in (None, 5_000.0, 500.0, 300.0):
        speed = asked(catalogue, power_cap_w=watts).speed
        rates.append(speed.tokens_per_s_per_accelerator.typical)
    assert rates[0] == rates[1] > rates[2] > rates[3]
    # What waits for memory or the link is not slowed: less speed is lost than watts.
    assert rates[3] / rates[0] > 300 / 700


def test_a_cap_on_unknown_watts_is_refused(catalogue: Catalogue) -> None:
    unknown = next(
        key
        for key, accelerator in catalogue.accelerators.items()
        if accelerator.tdp_w is None and accelerator.bf16_dense_tflops and accelerator.memory_bandwidth_gb_s
    )
    with pytest.raises(InvalidJobError, match="watts are not on record"):
        asked(catalogue, accelerator=unknown, power_cap_w=200)


def test_software_without_fused_attention_or_compiler_is_slower(catalogue: Catalogue) -> None:
    def rate(**said: Any) -> float:
        speed = asked(catalogue, seq_len=2_048, **said).speed
        return speed.tokens_per_s_per_accelerator.typical

    assert rate(fused_attention=False) < rate(fused_attention=True) == rate()
    assert rate(engine="pytorch", compiled=False) < rate(engine="pytorch", compiled=True)


def test_how_much_data_it_is_for_the_model_is_said_where_it_matters(catalogue: Catalogue) -> None:
    assert asked(catalogue).data_facts == ()  # twenty for each parameter: nothing to add
    over = asked(catalogue, tokens=15e12).data_facts
    assert len(over) == 1
    assert over[0].startswith("That is 1,999 tokens for each parameter that works on a token")
    assert "for this model is 150 billion tokens" in over[0]
    assert "A smaller model on more tokens would be better" in asked(catalogue, tokens=10e9).data_facts[0]
    assert asked(catalogue, tokens=15e12, method="lora").data_facts == ()


def test_repeated_data_is_told_with_what_it_is_worth(catalogue: Catalogue) -> None:
    def said(unique: float) -> str:
        return asked(catalogue, tokens=160e9, unique_tokens=unique).data_facts[-1]

    assert said(40e9).startswith("40 billion tokens are seen 4 times: 160 billion teach as much as 149 billion fresh")
    assert "(93%)" in said(40e9)
    assert "nearly as good" in said(40e9)
    assert "each repeat is worth less" in said(20e9)
    assert "hardly anything more is learnt" in said(4e9)
    assert asked(catalogue, tokens=160e9, unique_tokens=200e9).data_facts == ()
