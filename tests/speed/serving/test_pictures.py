"""Networks of pictures: their rates from operations beside what others published, and where a rate is from."""

import pytest

from planner.scenario.jobs import ServingJob
from planner.speed.serving import non_llm_rate, non_llm_serving
from planner.speed.serving.chips import NonLlmWork, serving_data
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.non_llm import scaled_rate
from tests.facts import CATALOGUE

FROM_OPERATIONS = "from its operations in a compiled engine, not measured"
A100, H100, T4, V100 = "A100-SXM4-80GB", "H100-SXM5-80GB", "T4-16GB", "V100-SXM2-16GB"

# Pictures a second in 16 bits. YOLOv8: ultralytics, TensorRT, one at a time (5.9 ms; 1.83, 2.39 and 3.53 ms).
# RT-DETR: W. Lv et al., 2023. YOLOv6: its README, 32 at a time, of 85.8 and 150.7 billion operations as it prints.
PUBLISHED = [
    ("YOLO-m", T4, 169),
    ("YOLO-m", A100, 546),
    ("YOLO-l", A100, 418),
    ("YOLO-x", A100, 283),
    ("RT-DETR", T4, 108),
    ("SAM-ViT-H", A100, 762 / 48.9),  # as slow as EfficientViT-SAM L0 is said to be faster, in TensorRT
    ("ViT-B/16", H100, 3 * 3122.1),  # three times our own training rate
    ("ViT-L/16", H100, 3 * 1039.2),
]


@pytest.mark.parametrize(("work", "chip", "published"), PUBLISHED)
def test_a_rate_from_operations_has_the_published_one_in_its_range(work: str, chip: str, published: float) -> None:
    rate = non_llm_rate(CATALOGUE, work, find_chip(CATALOGUE, chip))
    assert not rate.measured
    assert rate.low < published < rate.high
    assert 0.5 < rate.requests_per_s / published < 2


@pytest.mark.parametrize(
    ("chip", "operations", "published"),
    # YOLOv6 n, s, m, l; YOLOv10 x of NVIDIA's TensorRT-Model-Connect, 8 in 4.059 ms, of 160.4 as its paper prints.
    [(T4, 11.4, 1187), (T4, 45.3, 484), (T4, 85.8, 226), (T4, 150.7, 116), ("B200-SXM-180GB", 160.4, 1971)],
)
def test_other_detectors_many_at_a_time_are_in_the_range(chip: str, operations: float, published: float) -> None:
    work = NonLlmWork(label="YOLO", bound="bandwidth", operations=operations, source="its authors")
    rate = scaled_rate(CATALOGUE, work, find_chip(CATALOGUE, chip))
    assert rate.low < published < rate.high
    assert 0.5 < rate.requests_per_s / published < 1.1


def test_a_rate_follows_from_the_operations_and_what_they_wait_for() -> None:
    chip, of = find_chip(CATALOGUE, A100), serving_data().operations
    detector = non_llm_rate(CATALOGUE, "YOLO-m", chip, accelerators=2.0)
    assert detector.requests_per_s == pytest.approx(2 * of["bandwidth"].value * chip.bandwidth / 78.94e9)
    transformer = non_llm_rate(CATALOGUE, "ViT-B/16", chip)
    assert transformer.requests_per_s == pytest.approx(of["compute"].value * 312e12 / 35.13e9)
    for rate in (detector, transformer):
        assert (rate.low / rate.requests_per_s, rate.high / rate.requests_per_s) == pytest.approx((0.4, 1.8))
    small, large = (non_llm_rate(CATALOGUE, f"YOLO-{size}", chip).requests_per_s for size in "nx")
    assert small / large == pytest.approx(257.80 / 8.74)


def test_a_detector_of_large_frames_is_not_as_fast_as_a_classifier_in_eight_bits() -> None:
    slow, fast = (non_llm_rate(CATALOGUE, it, find_chip(CATALOGUE, "L4-24GB")) for it in ("YOLO-m", "resnet-50"))
    assert 30 < fast.requests_per_s / slow.requests_per_s < 100


@pytest.mark.parametrize(
    ("work", "chip", "published"),
    # Other chips than the one carried from; NVIDIA DeepLearningExamples and pytorch-image-models.
    [
        ("EfficientNet-B0", T4, None),
        ("EfficientNet-B4", A100, 1442),
        ("3D-U-Net", A100, 27.4),
        ("Mask-R-CNN", V100, 16.94),
    ],
)
def test_a_published_rate_stays_and_others_follow_by_memory(work: str, chip: str, published: float | None) -> None:
    rate = non_llm_rate(CATALOGUE, work, find_chip(CATALOGUE, chip))
    assert rate.measured is (published is not None)
    assert rate.source
    if published is None:
        assert rate.how.endswith("by the memory bandwidth, not measured")
    else:
        assert rate.requests_per_s == published


def test_published_rates_of_a_network_agree_as_carried_within_three_times() -> None:
    for name in ("EfficientNet-B0", "EfficientNet-B4", "EfficientNetV2-S", "ResNeXt101-32x4d", "3D-U-Net", "SSD300"):
        work = serving_data().work[name]
        for left, entry in enumerate(work.measured):
            others = tuple(it for place, it in enumerate(work.measured) if place != left)
            rate = scaled_rate(
                CATALOGUE, work.model_copy(update={"measured": others}), find_chip(CATALOGUE, entry.accelerator)
            )
            assert 1 / 3 < rate.requests_per_s / entry.requests_per_s < 3


def test_every_work_has_a_rate_or_operations_with_who_counted_them() -> None:
    for name, work in serving_data().work.items():
        assert work.measured or work.operations, name
        assert (work.operations is None) == (work.source is None), name


def test_what_is_served_says_that_it_follows_from_operations() -> None:
    for chip, times in (("H100-SXM5-80GB", 4.5), ("T4-16GB", 4.5), ("CPU-EPYC-9654", 6.25)):
        result = non_llm_serving(
            CATALOGUE, ServingJob(model="yolov8m", accelerator=chip, peak_requests_per_s=100.0, ttft_ms=50.0)
        )
        assert (result.how, result.measured, result.carried_from) == (FROM_OPERATIONS, False, "")
        assert "counted from its layers" in result.source
        assert result.high / result.low == pytest.approx(times, rel=0.01)
        assert any("how long one request takes" in warning for warning in result.warnings)
        assert any("range is wide" in warning for warning in result.warnings)
