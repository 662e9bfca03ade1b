"""Which published runs are most like a job: what they are about decides, never how well they are predicted."""

import math
from dataclasses import replace

import pytest

from planner.evidence.nearest import (
    MOST_OF_A_SWEEP,
    PublishedRun,
    RunNetwork,
    RunSettings,
    RunTraits,
    nearest,
    published,
    traits_of,
)
from pricing import Catalogue, load_catalogue
from tests.evidence.golden import serving_rows, training_rows

H100, H200, A100 = "H100-SXM5-80GB", "H200-SXM-141GB", "A100-SXM4-80GB"
WORK = RunSettings("bf16", "pretrain", 64.0, 4_096.0)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


CheckedPair = tuple[tuple[PublishedRun, ...], tuple[object, ...]]


@pytest.fixture(scope="module")
def trained(catalogue: Catalogue) -> CheckedPair:
    return published(catalogue, "training", training_rows())


def run(key: str, traits: RunTraits, *, error: float = 0.0, rate: float = 100.0, title: str = "") -> PublishedRun:
    return PublishedRun(
        key, title or key, "", "2025", traits, rate, rate * math.exp(error), 0.8 * rate, 1.2 * rate, error
    )


def traits(model: str = "Llama-3-8B", chip: str = H100, **work: object) -> RunTraits:
    return traits_of(load_catalogue(), model, chip, replace(WORK, **work))  # type: ignore[arg-type]


def test_published_training_runs_carry_their_figures_and_sources(trained: CheckedPair) -> None:
    rows, (runs, checked) = training_rows(), trained
    assert len(checked) == len(rows)
    printed = {row["id"]: row for row in rows}
    assert len(runs) > 10
    for one in runs:
        assert one.predicted == pytest.approx(one.published * math.exp(one.error))
        assert one.low < one.predicted < one.high
        assert one.url == printed[one.id]["source_url"]
        if said := printed[one.id]["tokens_per_s_per_accelerator"]:
            assert one.published == pytest.approx(float(said))


def test_published_serving_runs_are_tokens_a_second_of_one_accelerator(catalogue: Catalogue) -> None:
    rows = serving_rows()
    runs, _ = published(catalogue, "serving", rows)
    printed = {row["id"]: row for row in rows}
    assert runs
    for one in runs:
        row = printed[one.id]
        each = float(row["output_tokens_per_s_total"]) / float(row["n_accelerators"])
        assert one.published == pytest.approx(each)


def test_a_run_is_nearest_to_itself(trained: CheckedPair) -> None:
    runs, _ = trained
    known = [one for one in runs if one.traits.network.key and one.traits.work.precision and one.traits.work.tokens]
    for one in known:
        first = nearest(one.traits, runs)[0]
        assert first.distance == 0
        assert not first.differs


def test_nearer_in_each_respect_comes_first() -> None:
    wanted = traits()
    order = [
        traits(), traits(accelerators=128.0), traits(model="Llama-3.1-8B"), traits(chip=H200), traits(method="lora"),
        traits(chip=A100), traits(model="DeepSeek-V3", chip=A100),
    ]  # fmt: skip
    found = nearest(wanted, [run(str(place), one) for place, one in reversed(list(enumerate(order)))])
    assert [one.run.id for one in found] == [str(place) for place in range(len(order))]
    assert found[0].shared_traits == ("same model", "same accelerator")
    assert found[1].differs == ("2 times the accelerators",)
    assert found[2].differs == ("another model of this size",)
    assert found[3].differs == ("another accelerator of the generation",)
    assert found[4].differs == ("only adapters trained",)
    assert "a mixture of experts" in found[6].differs


def test_how_well_it_is_predicted_does_not_matter() -> None:
    runs = [run("near", traits(), error=1.0), run("far", traits(chip=A100), error=0.0)]
    assert [one.run.id for one in nearest(traits(), runs)] == ["near", "far"]


def test_full_tuning_is_like_pre_training_and_sixteen_bits_are_alike() -> None:
    assert nearest(traits(method="sft", precision="fp16"), [run("a", traits())])[0].distance == 0


def test_a_sweep_gives_two_and_of_equals_the_fastest() -> None:
    sweep = [run(str(rate), traits(), rate=rate, title="a sweep") for rate in (10.0, 30.0, 20.0)]
    found = nearest(traits(), [*sweep, run("other", traits(chip=H200))])
    assert [one.run.id for one in found] == ["30.0", "20.0", "other"]
    assert MOST_OF_A_SWEEP == 2


def test_what_is_not_said_counts_like_a_doubling() -> None:
    unsaid = RunTraits(
        RunNetwork("Llama-3-8B", "Llama 3 8B"), H100, "Hopper", RunSettings("bf16", "pretrain", 64.0, None)
    )
    assert nearest(traits(), [run("a", unsaid)])[0].distance == pytest.approx(0.5)
