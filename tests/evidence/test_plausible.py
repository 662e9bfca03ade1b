"""Units mixed up, shapes that cannot be: told row by row with what, where, what was wanted and what it probably is."""

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.evidence.checked import CheckedRun
from planner.evidence.constants_file import KINDS
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
from planner.evidence.plausible import MeasuredFigure, UnitMistake, doubt, is_possible
from planner.evidence.table import TABLES, read_run_rows
from planner.report.speed.runs import checked_row, checked_text
from planner.scenario.vocabulary import Kind
from pricing import Catalogue, load_catalogue
from tests.evidence.golden import serving_rows, training_rows
from tests.facts import CATALOGUE
from tests.rows import each_row
from tools.calibration import error_spread
from tools.calibration.error_spread import (
    FEWEST,
    SOURCE,
    FittedRuns,
    fit_error_spread,
    fitted_groups,
    held_out_bands,
    held_out_class_bands,
    left_out,
)

pytestmark = pytest.mark.slow

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


@each_row(("kind", "column", "times", "looks"), [
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
        assert checked_row(found)["look_at_again"] == found.doubt


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
    return PublishedRun(key, title or key, "", "2025", traits, rate, rate * math.exp(error), error)


def traits(model: str = "Llama-3-8B", chip: str = H100, **work: object) -> RunTraits:
    return traits_of(load_catalogue(), model, chip, replace(WORK, **work))  # type: ignore[arg-type]


def test_published_training_runs_carry_their_figures_and_sources(trained: CheckedPair) -> None:
    rows, (runs, checked) = training_rows(), trained
    assert len(checked) == len(rows)
    printed = {row["id"]: row for row in rows}
    assert len(runs) > 10
    for one in runs:
        assert one.predicted == pytest.approx(one.published * math.exp(one.error))
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


CHANCE = np.random.default_rng(3)
MANY = 600
CHIPS = np.array(["old", "new", "odd"])[CHANCE.choice(3, MANY, p=[0.45, 0.35, 0.2])]
ENGINES = np.array(["a", "b"])[CHANCE.choice(2, MANY, p=[0.6, 0.4])]
SOURCES = np.array([f"s{number}" for number in CHANCE.integers(0, 30, MANY)])
RUNS = FittedRuns.of([{"chip": chip, "engine": engine} for chip, engine in zip(CHIPS, ENGINES, strict=True)], SOURCES)
# What nobody can foretell, to one side more than to the other: twice as much of an odd chip.
NOISE = CHANCE.gamma(2.0, 0.05, MANY) * np.where(CHANCE.random(MANY) < 0.3, 1.0, -1.0) * np.where(CHIPS == "odd", 2, 1)


def errors_without(out: np.ndarray) -> np.ndarray:
    """Predicted over published by a fit that is three times as wrong about chips that it has not seen."""
    unseen = ~np.isin(CHIPS, CHIPS[~out])
    return np.asarray(np.where(unseen, 3 * NOISE, NOISE)[out])


FOUND = left_out(RUNS, errors_without)


def test_every_run_is_left_out_with_its_source_and_with_each_class_that_is_not_most_of_all() -> None:
    assert sorted(FOUND.run[FOUND.by == SOURCE].tolist()) == list(range(MANY))
    assert sorted(FOUND.run[FOUND.by == "chip"].tolist()) == list(range(MANY))
    assert set(ENGINES[FOUND.run[FOUND.by == "engine"]]) == {"b"}  # without the usual engine there is nothing to fit
    assert FOUND.ratio[FOUND.by == SOURCE] == pytest.approx(-NOISE[FOUND.run[FOUND.by == SOURCE]])
    assert FOUND.novelty[FOUND.by == "chip"].min() > 0.9 > FOUND.novelty[FOUND.by == SOURCE].max()


def test_bands_are_wider_of_what_is_harder_to_foretell_and_of_what_was_never_seen() -> None:
    spread = fit_error_spread(RUNS, FOUND)
    assert spread.wider["chip"]["odd"] > 1.15 * spread.wider["chip"]["old"]
    assert spread.step > 1.5
    assert spread.ends["dense"].above > 1.3 * spread.ends["dense"].below  # published is above more often and further
    assert spread.ends["dense"].rows == MANY
    assert sum(group.runs for group in fitted_groups(RUNS)) == MANY


def test_no_other_draw_of_what_few_runs_say_of_a_trait_comes_as_near_to_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Errors scatter as those of a normal do, and differ by a fifth between the values of a trait: so are ours."""

    def squared_error(pull: float) -> float:
        monkeypatch.setattr(error_spread, "_PULL", pull)
        chance, errors = np.random.default_rng(7), list[float]()
        for _ in range(40):
            wider = chance.normal(0.0, 0.2, 12)
            value = np.repeat(np.arange(12), chance.integers(3, 60, 12))
            size = wider[value] + np.log(np.abs(chance.normal(size=len(value))) + 1e-3)
            line = error_spread._line(
                value[:, None] == np.arange(12), np.zeros((len(value), 1)), size, np.ones(len(value))
            )
            errors.append(float(np.var(line[1:13] - wider)))
        return float(np.mean(errors))

    ours = error_spread._PULL
    assert all(squared_error(ours) < 0.9 * squared_error(ours * times) for times in (0.1, 10.0))


def test_four_of_five_lie_inside_on_both_sides_alike_judged_by_other_sources_alone() -> None:
    judged = held_out_bands(RUNS, FOUND)
    below, above = judged.ratio < judged.low, judged.ratio > judged.high
    for chip in np.unique(CHIPS):
        here = CHIPS[judged.run] == chip
        assert 0.7 < 1 - np.mean((below | above)[here]) < 0.9, chip
    assert abs(np.mean(below) - np.mean(above)) < 0.05


def test_of_a_class_that_nobody_had_seen_most_lie_inside_too() -> None:
    judged = held_out_class_bands(RUNS, FOUND, CHIPS == "new", errors_without)
    assert set(CHIPS[judged.run]) == {"new"}
    assert 0.65 < np.mean((judged.low <= judged.ratio) & (judged.ratio <= judged.high)) < 0.95


@pytest.mark.slow
def test_the_band_of_a_run_does_not_know_its_source() -> None:
    wild = FOUND.ratio.copy()
    wild[SOURCES[FOUND.run] == "s1"] *= 50
    before, after = held_out_bands(RUNS, FOUND), held_out_bands(RUNS, replace(FOUND, ratio=wild))
    mine = SOURCES[before.run] == "s1"
    assert before.low[mine] == pytest.approx(after.low[mine])
    assert not np.allclose(before.low[~mine], after.low[~mine])


def test_too_few_runs_say_nothing() -> None:
    few = FittedRuns.of([{"chip": "old"}] * (FEWEST - 1), ["a", "b"] * ((FEWEST - 1) // 2))
    assert fit_error_spread(few, left_out(few, lambda out: np.zeros(int(out.sum())))) is None
