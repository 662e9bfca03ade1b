"""Networks that learn from pictures: published rates, carried over, as a run of known hours in a plan."""

from itertools import permutations
from statistics import median
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from planner.report.speed.finding import other_work_summary
from planner.scenario.jobs import Failures, ImageJob, TrainingJob
from planner.scenario.scenario import Scenario
from planner.speed.hardware import InvalidJobError
from planner.speed.serving.lookup import find_chip
from planner.speed.training import train
from planner.speed.training.goodput import generic_reliability
from planner.speed.training.images import (
    ImageTrainingResult,
    image_training,
    image_training_data,
    match_image_network,
    published_image_rates,
)
from planner.speed.work_to_hours import convert_to_hours
from pricing import Catalogue, UnknownNameError, load_catalogue

A100, H100, B200 = "A100-SXM4-80GB", "H100-SXM5-80GB", "B200-SXM-180GB"


def learnt(catalogue: Catalogue, **said: Any) -> ImageTrainingResult:
    return image_training(catalogue, ImageJob(**({"model": "resnet-50", "accelerator": H100} | said)))


def test_every_published_rate_belongs_to_a_network_and_an_accelerator(catalogue: Catalogue) -> None:
    networks = image_training_data().models
    assert {run.network for run in published_image_rates()} == {key for key, it in networks.items() if it.like is None}
    assert all(it.like in networks for it in networks.values() if it.like)
    assert all(it.usual_images or (it.usual_epochs and it.dataset) for it in networks.values())
    assert {run.accelerator for run in published_image_rates()} <= set(catalogue.accelerators)
    assert all(run.images_per_s > 0 and run.accelerators >= 1 and run.source for run in published_image_rates())


def test_a_published_rate_is_what_is_said(catalogue: Catalogue) -> None:
    result = learnt(catalogue, accelerators=8)
    assert result.measured
    assert result.images_per_s_each.typical == pytest.approx(22_088 / 8)  # the only table with eight H100
    assert result.images == 90 * 1_281_167
    # An experienced team reaches 0.9 of a published speed.
    assert result.hours.typical == pytest.approx(90 * 1_281_167 / 22_088 / 3_600 / 0.9)


def test_a_network_without_a_rate_goes_by_its_operations_and_says_so(catalogue: Catalogue) -> None:
    """Between 512 and 256 pixels, 0.804 and 0.181 trillion operations, published rates follow them within a fifth."""
    large, small = (learnt(catalogue, model=f"stable-diffusion-2-{side}", accelerator=A100, accelerators=8)
                    for side in (512, 256))  # fmt: skip
    ratio = small.images_per_s_each.typical / large.images_per_s_each.typical
    assert ratio == pytest.approx(0.804 / 0.181, rel=0.2)
    sdxl = learnt(catalogue, model="SDXL-base", accelerator=A100, accelerators=8)
    assert sdxl.images_per_s_each.typical == pytest.approx(large.images_per_s_each.typical / 8.41)
    assert sdxl.images_per_s_each.high / sdxl.images_per_s_each.low > 4
    assert not sdxl.measured
    assert "by its operations from Stable Diffusion 2" in sdxl.how
    assert sdxl.images == 2_000


def test_two_tables_that_disagree_both_lie_in_the_range(catalogue: Catalogue) -> None:
    result = learnt(catalogue, accelerator=A100, accelerators=8)
    each = [run.images_per_s / 8 for run in published_image_rates()
            if (run.network, run.accelerator, run.accelerators) == ("resnet-50", A100, 8)]  # fmt: skip
    assert len(each) > 1
    assert result.images_per_s_each.typical == pytest.approx(median(each))
    assert result.images_per_s_each.low <= min(each) < max(each) <= result.images_per_s_each.high


def test_elsewhere_the_rate_is_carried_over_marked_and_wide(catalogue: Catalogue) -> None:
    here, there = learnt(catalogue, accelerators=4), learnt(catalogue, accelerator=B200, accelerators=4)
    faster = there.images_per_s_each.typical / here.images_per_s_each.typical
    assert faster == pytest.approx(find_chip(catalogue, B200).bandwidth / find_chip(catalogue, H100).bandwidth)
    assert not there.measured
    assert there.how == "carried over from H100 SXM5 80 GB by the memory bandwidth, not measured"
    assert there.images_per_s_each.high / there.images_per_s_each.low > 2.5
    assert "no rate was published" in there.warnings[0]
    alone = learnt(catalogue, model="stable-diffusion-2-512", accelerators=64)
    assert any("was never checked" in warning for warning in alone.warnings)


def test_bandwidth_carries_convolutions_better_than_the_matrix_rate(catalogue: Catalogue) -> None:
    runs = published_image_rates()
    each = {key: [run.images_per_s for run in runs if run.network == "resnet-50" and run.accelerator == key
                  and run.accelerators == 1] for key in {run.accelerator for run in runs}}  # fmt: skip
    chips = {key: (find_chip(catalogue, key), median(rates)) for key, rates in each.items() if rates}
    errors = {"bandwidth": [], "flops_16bit": []}  # type: dict[str, list[float]]
    for (here, rate), (there, other) in permutations(chips.values(), 2):
        if here.architecture != there.architecture:
            for peak, off in errors.items():
                off.append(abs(float(np.log(getattr(there, peak) / getattr(here, peak) / (other / rate)))))
    assert np.exp(median(errors["bandwidth"])) < 1.35 < np.exp(median(errors["flops_16bit"]))
    # The band of what is carried over holds about nine of ten.
    assert np.mean(np.array(errors["bandwidth"]) < np.log(1 / 0.6)) > 0.85


def test_the_length_of_a_run_is_as_said_or_usual(catalogue: Catalogue) -> None:
    assert learnt(catalogue, images=1e9).images == 1e9
    assert learnt(catalogue, epochs=2).images == 2 * 1_281_167
    assert learnt(catalogue, model="stable-diffusion-2-256").images == 1.126e9
    with pytest.raises(InvalidJobError, match="no usual data set"):
        learnt(catalogue, model="stable-diffusion-2-256", epochs=2)
    with pytest.raises(ValidationError, match="images or epochs"):
        ImageJob(model="resnet-50", accelerator=H100, images=1, epochs=1)


def test_what_nobody_published_is_said_and_not_made_up(catalogue: Catalogue) -> None:
    with pytest.raises(
        InvalidJobError, match="no training speed of it is on record; of image networks there are: resnet-50"
    ):
        train(catalogue, TrainingJob(model="ViT-H/14", accelerator=H100))
    with pytest.raises(UnknownNameError, match="Did you mean efficientnet-b4 or efficientnet-b0"):
        learnt(catalogue, model="efficientnet-b1")
    assert match_image_network("ResNet50") == "resnet-50"
    assert match_image_network("llama-3-8b") is None


def test_a_plan_takes_it_as_a_run_of_known_hours(catalogue: Catalogue) -> None:
    def plan(**said: Any) -> Scenario:
        work = {"accelerators": 8, "train": {"model": "resnet-50", **said}}
        return Scenario.model_validate({"accelerator": H100, "work": (work,)})

    found = convert_to_hours(catalogue, plan())
    assert not found.problems
    hours = learnt(catalogue, accelerators=8).hours.typical
    assert found.scenario.work[0].jobs[0].hours == pytest.approx(hours)
    told = other_work_summary(catalogue, found)
    assert told.title.startswith(
        "ResNet-50 v1.5, 224 x 224, 90 epochs of ImageNet-1k (as torchvision's reference training)"
    )
    assert told.sentences[0] == "2,761 images/s on each (2,347 to 3,175), measured on this accelerator."
    monthly = convert_to_hours(catalogue, plan(images=1e9, runs_per_month=3)).scenario.work[0]
    assert monthly.accelerator_hours_per_month == pytest.approx(3 * 8 * learnt(catalogue, images=1e9).hours.typical)
    assert "the deadline is 14.4 minutes" in convert_to_hours(catalogue, plan(deadline_days=0.01)).problems[0]


def test_sixteen_thousand_keep_what_llama_3_kept() -> None:
    """Llama 3 405B on 16,384 H100: 419 unexpected stops in 54 days, and over 90 % of the time useful."""
    kept = generic_reliability(load_catalogue(), 16_384.0, Failures(regime="calm"))
    assert float(kept.hours_between_stops) == pytest.approx(54 * 24 / 419, rel=0.01)
    assert float(kept.useful_share) == pytest.approx(0.90, abs=0.02)


def test_a_larger_job_writes_no_larger_checkpoint() -> None:
    few, many = (generic_reliability(load_catalogue(), count, Failures()) for count in (384.0, 3_840.0))
    assert float(few.checkpoint_hours) == pytest.approx(40 / 3_600)
    assert float(many.checkpoint_hours) == pytest.approx(4 / 3_600)
    assert float(generic_reliability(load_catalogue(), 8.0, Failures()).checkpoint_hours) == few.checkpoint_hours
