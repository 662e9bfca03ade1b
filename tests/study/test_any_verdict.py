"""The law of the verdict over any plan: words within their share, the leading group in the title, unclipped ranges."""

import re

import pytest
from hypothesis import HealthCheck, given

from planner.money.verdict.answer import Answer
from planner.money.verdict.shares import PLAIN, PROBABLY
from planner.report.title import hour_selling_option, title
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.sure_verdict import decided
from tests.examples import at_most
from tests.money.anyplan import of, plans

# What a title says of a group.
GROUPS = {"own": r"own|buy|lease|keep|loan|credit|sell", "rent": r"rent|reserve|spot", "hosted": r"hosted|token",
          "now": r"pay now|keep paying"}  # fmt: skip


def least_share(answer: Answer) -> float:
    """Return the share of futures that the word of a verdict needs."""
    return 0.0 if answer.verdict == "close" else PROBABLY if answer.verdict.startswith("probably") else PLAIN


@pytest.mark.slow
@at_most(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(plans())
def test_nothing_is_surer_than_its_share_and_no_range_is_clipped(scenario: Scenario) -> None:
    judged = decided(of(scenario), 256)
    answer, futures, shares = judged.answer, judged.futures, judged.answer.shares
    if futures is None or shares is None or answer.share_cheaper is None:
        return
    assert sum(shares.share.values()) == pytest.approx(1)
    for each in answer.ranked:
        if futures.row(each.option.key) is not None:
            assert (each.low_usd, each.present_usd, each.high_usd) == tuple(futures.present(each.option.key))
            assert each.low_usd <= each.present_usd <= each.high_usd
    if answer.limit is None and answer.verdict != "limited":
        assert round(shares.lead_share, 2) >= least_share(answer)
        assert answer.share_cheaper <= shares.lead_share
        if hour_selling_option(answer) is None:
            assert re.search(GROUPS[shares.lead], title(answer), re.IGNORECASE), (title(answer), shares.group_share)
