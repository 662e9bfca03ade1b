import math

import numpy as np
import pytest

from planner.speed.serving.first_token import (
    concurrent_at_share,
    normal_quantile,
    normal_share,
    prompt_wait_s,
    slot_wait_s,
    wait_probability,
)


@pytest.mark.parametrize(("share", "quantile"), [(0.5, 0.0), (0.95, 1.6449), (0.99, 2.3263)])
def test_the_normal_distribution(share: float, quantile: float) -> None:
    assert normal_quantile(share) == pytest.approx(quantile, abs=1e-4)
    assert normal_share(quantile) == pytest.approx(share, abs=1e-5)


def erlang_c(places: int, load: float) -> float:
    """The exact share that waits, by the sum of its definition."""
    terms = [load**k / math.factorial(k) for k in range(places)]
    last = load**places / math.factorial(places) * places / (places - load)
    return last / (sum(terms) + last)


@pytest.mark.parametrize(("places", "load"), [(20, 16.0), (50, 45.0), (100, 85.0), (100, 98.0)])
def test_many_places_are_close_to_erlang(places: int, load: float) -> None:
    assert wait_probability(places=places, load=load) == pytest.approx(erlang_c(places, load), abs=0.06)


def test_everybody_waits_where_more_comes_than_is_done() -> None:
    assert wait_probability(places=10.0, load=10.0) == 1
    assert slot_wait_s(places=10.0, load=11.0, service_s=1.0, service_cv=1.0, share=0.99) == math.inf
    assert prompt_wait_s(busy_share=1.0, prompt_s=1.0, prompt_cv=1.0, share=0.99) == math.inf


def test_one_queue_is_the_textbooks_where_lengths_are_memoryless() -> None:
    # M/M/1: the wait exceeds t with chance busy * exp(-(1 - busy) t / service).
    busy, service, share = 0.8, 2.0, 0.99
    wait = float(np.asarray(prompt_wait_s(busy_share=busy, prompt_s=service, prompt_cv=1.0, share=share)))
    assert busy * math.exp(-(1 - busy) * wait / service) == pytest.approx(1 - share)


def test_uneven_lengths_wait_longer_by_the_square_of_how_uneven_they_are() -> None:
    """A queue half full: ln(0.5 / 0.01) = 3.912023 times 2 s over 0.5 is 15.648092 s, at cv 3 times (1 + 9) / 2."""
    for cv, seconds in ((0.0, 7.824046), (1.0, 15.648092), (3.0, 78.240460)):
        wait = prompt_wait_s(busy_share=0.5, prompt_s=2.0, prompt_cv=cv, share=0.99)
        assert float(np.asarray(wait)) == pytest.approx(seconds, rel=1e-7)
    even, uneven = (
        float(np.asarray(slot_wait_s(places=100.0, load=98.0, service_s=5.0, service_cv=cv, share=0.99)))
        for cv in (1.0, 3.0)
    )
    assert even > 0
    assert uneven == pytest.approx(5 * even)


def test_waits_rise_with_load_and_with_the_share_that_is_promised() -> None:
    load = np.linspace(1, 99, 50)
    waits = np.asarray(slot_wait_s(places=100.0, load=load, service_s=5.0, service_cv=1.0, share=0.99))
    assert np.all(np.diff(waits) >= 0)
    lower = np.asarray(slot_wait_s(places=100.0, load=load, service_s=5.0, service_cv=1.0, share=0.95))
    assert np.all(lower <= waits)


def test_more_run_together_at_times_but_never_more_than_fit() -> None:
    assert concurrent_at_share(load=100.0, share=0.99, places=1_000.0) == pytest.approx(100 + 2.3263 * 10, abs=0.01)
    assert concurrent_at_share(load=100.0, share=0.99, places=110.0) == 110
