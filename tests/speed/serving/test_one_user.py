import numpy as np
import pytest

from planner.speed.serving import max_model_size
from planner.speed.serving.cpu_sized import max_params_b
from planner.speed.serving.lookup import find_chip
from tests.facts import CATALOGUE


def test_what_memory_can_read_between_two_tokens() -> None:
    # 100 GB/s, half of it reached, ten tokens a second: 5 GB for each, ten billion weights of half a byte.
    sizes = max_params_b(
        bandwidth=100e9, tokens_per_s=np.array([10.0, 20.0]), bytes_per_weight=0.5, bandwidth_share=0.5
    )
    assert np.asarray(sizes) == pytest.approx([10.0, 5.0])


def test_beyond_some_ten_billion_parameters_a_processor_is_too_slow() -> None:
    # The rule of thumb, derived: 20 tokens a second on a server's processor.
    processor = max_model_size(find_chip(CATALOGUE, "CPU-Xeon-8480plus"), tokens_per_s=20.0)
    assert processor.low_b < 10 < processor.high_b
    card = max_model_size(find_chip(CATALOGUE, "RTX-4090-24GB"), tokens_per_s=20.0)
    assert card.low_b > processor.high_b
