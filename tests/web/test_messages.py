"""What comes from another process is what was made there, though not all of it travels."""

import numpy as np

from planner.report.answer.plan_report import PlanResult, evaluate
from planner.scenario.scenario import Scenario
from planner.web import messages
from pricing import load_catalogue
from tests.pricing.feeds.made import DAY

MOST_BYTES = 300_000


def made() -> PlanResult:
    messages.ready()
    return evaluate(load_catalogue(), Scenario(), DAY, with_details=True)


def test_futures_are_the_same_where_they_arrive() -> None:
    here = made()
    there: PlanResult = messages.loads(messages.dumps(here))
    assert "draws" not in there.futures.__dict__
    assert there.futures.draws.keys() == here.futures.draws.keys()
    assert all(np.array_equal(there.futures.draws[name], drawn) for name, drawn in here.futures.draws.items())
    assert there.summary == here.summary


def test_lines_have_the_amounts_that_they_had() -> None:
    here = made()
    there: PlanResult = messages.loads(messages.dumps(here))
    assert not any("usd" in line.__dict__ for option in there.plan.options for line in option.ledger.lines)
    for one, other in zip(here.plan.options, there.plan.options, strict=True):
        for ledger, sent in zip((one.low, one.ledger, one.high), (other.low, other.ledger, other.high), strict=True):
            lines = zip(ledger.lines, sent.lines, strict=True)
            assert all(np.array_equal(line.usd, again.usd, equal_nan=True) for line, again in lines)
            assert np.array_equal(ledger.monthly_usd, sent.monthly_usd)
            assert sent.numbers.keys() == ledger.numbers.keys()


def test_what_can_be_reckoned_again_does_not_travel() -> None:
    here = made()
    _ = [line.total_usd for option in here.plan.options for line in option.ledger.lines]
    assert len(messages.dumps(here)) < MOST_BYTES
