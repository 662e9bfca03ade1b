"""From costs in futures to a word: laws that hold for every table of costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from planner.money.verdict.shares import Candidate, VerdictShares, certainty_of, turns_at, verdict_shares
from tests.rows import each_row

OPTIONS = (
    Candidate("own-8", "own", 3), Candidate("mix-8", "own", 2, is_mix=True), Candidate("on_demand", "rent", 0),
    Candidate("reserved", "rent", 1), Candidate("hosted", "hosted", 0),
)  # fmt: skip
COSTS = arrays.arrays(np.float64, (len(OPTIONS), 40), elements=st.floats(1e3, 1e7))


def table(usd: np.ndarray, options: tuple[Candidate, ...] = OPTIONS, cash: np.ndarray | None = None) -> VerdictShares:
    return verdict_shares(options, usd, np.zeros_like(usd) if cash is None else cash)


@given(COSTS)
def test_shares_sum_to_one_and_groups_to_their_options(usd: np.ndarray) -> None:
    shares = table(usd)
    assert sum(shares.share.values()) == pytest.approx(1)
    assert shares.group_share["rent"] == pytest.approx(shares.share["on_demand"] + shares.share["reserved"])
    assert shares.lead_share == max(shares.group_share.values())


@given(COSTS, st.integers(0, len(OPTIONS) - 1))
def test_a_copy_of_an_option_changes_no_group(usd: np.ndarray, row: int) -> None:
    one = OPTIONS[row]
    twice = (*OPTIONS, Candidate("copy", one.group, one.commitment, one.is_mix))
    assert table(np.vstack([usd, usd[row]]), twice).group_share == pytest.approx(table(usd).group_share)


@given(COSTS)
def test_an_option_that_is_never_the_cheapest_changes_nothing(usd: np.ndarray) -> None:
    more = table(np.vstack([usd, usd.max(axis=0) * 2]), (*OPTIONS, Candidate("expensive", "rent", 0)))
    assert {key: share for key, share in more.share.items() if share} == {
        key: share for key, share in table(usd).share.items() if share
    }


@given(COSTS, st.floats(0.01, 100))
def test_scaling_all_costs_changes_nothing(usd: np.ndarray, factor: float) -> None:
    gaps = np.sort(usd, axis=0)
    if np.any(np.abs(gaps[1] / gaps[0] - 1.001) < 1e-9):
        return  # a tie at the very edge goes by the last bit
    assert table(usd * factor).share == table(usd).share


@given(COSTS, st.floats(0.1, 1))
def test_cheaper_machines_never_make_owning_less_likely(usd: np.ndarray, factor: float) -> None:
    owned = np.array([[factor if option.group == "own" else 1.0] for option in OPTIONS])
    assert table(usd * owned).group_share["own"] >= table(usd).group_share["own"]


def test_equal_costs_go_to_less_cash_and_then_to_the_shorter_commitment() -> None:
    usd = np.array([[100.0, 100.0], [100.05, 100.05], [100.0, 200.0], [200.0, 200.0], [200.0, 200.0]])
    cash = np.array([[50.0, 50.0], [40.0, 40.0], [40.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert table(usd, cash=cash).cheapest.tolist() == [2, 1]


@each_row(("owns", "prices", "word"), [
    (95, 2, "plain"), (90, 2, "plain"), (89, 2, "probably"), (95, 1, "probably"), (70, 2, "probably"),
    (69, 2, "close"),
])  # fmt: skip
def test_the_word_follows_the_leading_groups_share(owns: int, prices: int, word: str) -> None:
    usd = np.full((len(OPTIONS), 100), 9.0)
    usd[0, :owns], usd[2, owns:] = 1.0, 1.0
    shares = table(usd)
    assert (shares.lead, round(100 * shares.lead_share), certainty_of(shares.lead_share, prices > 1)) == (
        "own",
        owns,
        word,
    )
    assert shares.second == "rent"


def test_two_options_that_share_a_lead_are_both_named() -> None:
    usd = np.full((len(OPTIONS), 100), 9.0)
    usd[0, :45], usd[1, 45:80], usd[2, 80:] = 1.0, 1.0, 1.0
    shares = table(usd)
    assert shares.named("own") == ("own-8", "mix-8")
    assert shares.named("rent") == ("on_demand",)
    assert shares.mix_share == pytest.approx(35 / 80)


def test_what_turns_the_answer_is_where_two_groups_hold_as_many_futures() -> None:
    shares = {"own": np.array([0.8, 0.6, 0.2]), "rent": np.array([0.2, 0.4, 0.8])}
    assert turns_at(np.array([0.0, 0.1, 0.2]), shares, "own", 0.1) == pytest.approx(0.1 + 0.1 * 0.2 / 0.8)
    assert turns_at(np.array([0.0, 0.1]), {"own": np.array([0.8, 0.7]), "rent": np.array([0.2, 0.3])}, "own", 0) is None
