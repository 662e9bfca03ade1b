"""Several fine-tuning jobs on one accelerator: in turn, on one base, on slices."""

from __future__ import annotations

from typing import Any

import pytest

from planner.speed.refused import BadJob
from planner.speed.training import TrainingJob, train
from planner.speed.training.packing import PackedPace, Together, together
from pricing import Catalogue

SMALL: dict[str, Any] = {
    "model": "Llama-3.2-1B", "accelerator": "A100-SXM4-80GB", "method": "lora", "tokens": 1e8, "seq_len": 512,
    "global_batch_sequences": 8,
}  # fmt: skip


def ways(catalogue: Catalogue, **said: Any) -> dict[str, Together]:
    found = together(catalogue, TrainingJob(**(SMALL | said)))
    return {way.profile or way.way: way for way in found}


def pace(way: Together) -> PackedPace:
    assert way.pace is not None, way.reason
    return way.pace


def test_one_after_the_other_is_what_train_says_of_one(catalogue: Catalogue) -> None:
    alone = train(catalogue, TrainingJob(**(SMALL | {"accelerators": 1}))).speed
    assert alone is not None
    turn = ways(catalogue)["in_turn"]
    assert turn.at_once == 1
    assert pace(turn).tokens_per_s_all == alone.tokens_per_s_per_accelerator
    assert pace(turn).accelerator_hours_per_run == alone.accelerator_hours
    assert turn.needs_gb == pytest.approx(alone.layout.memory_gb)


def test_rates_hours_and_shares_of_every_way_agree(catalogue: Catalogue) -> None:
    for way in ways(catalogue).values():
        reached = pace(way)
        every, each = reached.tokens_per_s_all.typical, reached.tokens_per_s_each.typical
        assert every == pytest.approx(way.at_once * each)
        hours = reached.accelerator_hours_per_run
        assert reached.hours_each.typical == pytest.approx(way.at_once * hours.typical)
        assert hours.low < hours.typical < hours.high
        assert way.needs_gb <= way.memory_gb
        assert "assumed" in way.assumed or way.way == "in_turn"


def test_a_base_is_held_once_and_a_small_batch_gains_by_company(catalogue: Catalogue) -> None:
    one, shared = (ways(catalogue, global_batch_sequences=1)[name] for name in ("in_turn", "shared_base"))
    assert shared.at_once > 2
    assert shared.needs_gb < shared.at_once * one.needs_gb
    # What several lose is assumed to be a tenth; with so small a batch the gain is larger.
    assert pace(shared).accelerator_hours_per_run.typical < pace(one).accelerator_hours_per_run.typical
    # With a batch that fills the accelerator by itself, company only costs.
    one, shared = (ways(catalogue, global_batch_sequences=512)[name] for name in ("in_turn", "shared_base"))
    assert pace(shared).accelerator_hours_per_run.typical > pace(one).accelerator_hours_per_run.typical


def test_slices_are_as_many_as_there_are_and_what_does_not_fit_says_so(catalogue: Catalogue) -> None:
    found = ways(catalogue, model="Llama-3-8B", accelerator="H100-SXM5-80GB")
    cuts = {mig.name: mig.count for mig in catalogue.accelerators["H100-SXM5-80GB"].mig if mig.count > 1}
    assert set(found) == {"in_turn", "shared_base", *cuts}
    assert found["1g.10gb"].at_once == 0
    assert found["1g.10gb"].reason == "needs 17.7 GB and a slice has 10.5"
    assert found["3g.40gb"].at_once == cuts["3g.40gb"] == 2


def test_only_a_frozen_base_is_shared(catalogue: Catalogue) -> None:
    assert "shared_base" not in ways(catalogue, method="full")
    assert "shared_base" in ways(catalogue, method="qlora")
    assert set(ways(catalogue, accelerator="RTX-4090-24GB")) == {"in_turn", "shared_base"}


def test_what_cannot_be_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(BadJob, match="no slice"):
        train(catalogue, TrainingJob(**(SMALL | {"accelerators": 1, "mig_profile": "9g.1gb"})))
    # Layouts over several accelerators mean nothing on one.
    assert ways(catalogue, tp=2, accelerators=8)["in_turn"].at_once == 1
